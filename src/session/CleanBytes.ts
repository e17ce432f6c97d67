/**
 * Bytes without the secrets that stand in them as text, such as those of an image before they become a blob.
 *
 * What is text for the greater part is redacted as text, markers and all. In anything else the stretch of text that holds a secret is
 * written over with asterisks, so that nothing moves: a picture stays a picture, and the checksums of PNG are made anew. What is compressed
 * in the bytes is not seen.
 */
import { crc32 } from "node:zlib"
import { type Stretch, stretchesAmong, textAmong } from "../redaction/Binary.ts"
import type { Redactor } from "../redaction/Redactor.ts"

/** Whether redaction finds nothing in the text among bytes. */
export const isClean = (redactor: Redactor, bytes: Uint8Array): boolean =>
  redactor.redactText(textAmong(bytes)).findings.length === 0

/** Of a text so many of a hundred bytes are text. */
const TEXTUAL = 97

interface Change extends Stretch {
  readonly bytes: Uint8Array
}

const isWide = ({ text, start, end }: Stretch): boolean => end - start === 2 * text.length

const asBytes = (stretch: Stretch, text: string): Uint8Array => Buffer.from(text, isWide(stretch) ? "utf16le" : "utf8")

const written = (stretch: Stretch): Uint8Array => {
  const width = isWide(stretch) ? 2 : 1
  return asBytes(stretch, "*".repeat((stretch.end - stretch.start) / width))
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Where the checksums of a picture lie, if it is PNG: behind each part, for the part's name and content. */
function* checksums(bytes: Uint8Array): Generator<{ readonly from: number; readonly at: number }> {
  if (PNG.some((byte, at) => bytes[at] !== byte)) return
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let from = PNG.length + 4; from + 4 <= bytes.length; ) {
    const at = from + 4 + view.getUint32(from - 4)
    if (at + 4 > bytes.length) return
    yield { from, at }
    from = at + 8
  }
}

const mendChecksums = (bytes: Uint8Array): Uint8Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (const { from, at } of checksums(bytes)) view.setUint32(at, crc32(bytes.subarray(from, at)))
  return bytes
}

const applied = (bytes: Uint8Array, changes: ReadonlyArray<Change>): Uint8Array => {
  const pieces: Array<Uint8Array> = []
  let at = 0
  for (const { start, end, bytes: instead } of changes) {
    pieces.push(bytes.subarray(at, start), instead)
    at = end
  }
  return Uint8Array.from(Buffer.concat([...pieces, bytes.subarray(at)]))
}

/** The bytes without secrets, the same reference when there is none; undefined when one cannot be taken out. Linear. */
export const cleanBytes = (redactor: Redactor, bytes: Uint8Array): Uint8Array | undefined => {
  if (isClean(redactor, bytes)) return bytes
  const stretches = Array.from(stretchesAmong(bytes)).sort((a, b) => a.start - b.start)
  const length = stretches.reduce((sum, { start, end }) => sum + end - start, 0)
  const isTextual = 100 * length >= TEXTUAL * bytes.length
  const changes = stretches.flatMap((stretch): ReadonlyArray<Change> => {
    const { text, findings } = redactor.redactText(stretch.text)
    if (findings.length === 0) return []
    return [{ ...stretch, bytes: isTextual ? asBytes(stretch, text) : written(stretch) }]
  })
  if (changes.some(({ start }, i) => start < (changes[i - 1]?.end ?? 0))) return undefined
  const clean = mendChecksums(applied(bytes, changes))
  return isClean(redactor, clean) ? clean : undefined
}
