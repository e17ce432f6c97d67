/**
 * Base64 in a text that stands for text: where it begins and ends, and what it stands for.
 *
 * Of the text only every tenth position is looked at until enough digits stand in a row. Lines that base64 is wrapped into are taken
 * together. What stands before it may be digits as well (a path, a name), so it is tried from each of the first four digits on, and from
behind each sign among the first.
 */
import { decodeText, digitsEnd, isDigit } from "./Base64.ts"
import { bytesOfBase64, textAmong } from "./Binary.ts"

/** Digits of the shortest piece that is decoded. Shorter ones hold no secret that could be told by itself. */
const SHORTEST = 20
const STRIDE = SHORTEST / 2

/** Digits of the shortest line that another may follow. */
const LINE = 56

/** Digits that are decoded first, to tell text from the rest. */
const SAMPLE = 16

export interface Encoded {
  readonly start: number
  readonly end: number
  readonly text: string
}

const NEXT_LINE = /\r?\n[ \t]{0,32}/y

/** The end of the wrapped lines whose first one ends at a position. Before the first one there may be digits that are no part of it. */
const linesEnd = (text: string, start: number, firstEnd: number): number => {
  let length = firstEnd - start
  let end = firstEnd
  for (let count = 1; length >= LINE; count++) {
    NEXT_LINE.lastIndex = end
    if (!NEXT_LINE.test(text)) return end
    const from = NEXT_LINE.lastIndex
    const to = digitsEnd(text, from)
    if (to === from || to - from > length) return end
    end = to
    if (to - from < length && count > 1) return end
    length = to - from
  }
  return end
}

const isText = (text: string, start: number, end: number): boolean =>
  decodeText(text, start, Math.min(end, start + SAMPLE)) !== undefined

/** Signs after which base64 may begin although they are digits, such as the slash of a path: in so many of the first digits. */
const SIGNS = /[+/_-]/g
const FIRST = 96

const decodedFrom = (text: string, start: number, end: number): string | undefined => {
  const signs = Array.from(text.slice(start, Math.min(end, start + FIRST)).matchAll(SIGNS), ({ index }) => index + 1)
  for (const skipped of new Set([0, 1, 2, 3, ...signs])) {
    const from = start + skipped
    if (end - from < SHORTEST - 4 || !isText(text, from, end)) continue
    const decoded = decodeText(text, from, end)
    if (decoded !== undefined) return decoded
  }
  return undefined
}

const withPadding = (text: string, end: number): number => {
  let at = end
  while (at < end + 2 && text[at] === "=") at++
  return at
}

const BEFORE_IMAGE = /data:image\/[\w.+-]{1,20};base64,$/

/** Whether what begins at a position is the data of an image. Of an image the text among its bytes is read. */
const isImage = (text: string, start: number): boolean =>
  text.charCodeAt(start - 1) === 0x2c && BEFORE_IMAGE.test(text.slice(Math.max(0, start - 48), start))

const readFrom = (text: string, start: number, end: number): string | undefined =>
  isImage(text, start) ? textAmong(bytesOfBase64(text.slice(start, end))) : decodedFrom(text, start, end)

/** Tells every piece of base64 that stands for text, in order. Cost: linear in the text. */
export const eachEncoded = (text: string, tell: (piece: Encoded) => void): void => {
  let floor = 0
  for (let at = 0; at < text.length; at += STRIDE) {
    if (!isDigit(text.charCodeAt(at)) || !isDigit(text.charCodeAt(at + 4)) || !isDigit(text.charCodeAt(at + 8))) continue
    let start = at
    while (start > floor && isDigit(text.charCodeAt(start - 1))) start--
    const firstEnd = digitsEnd(text, at)
    const isLong = firstEnd - start >= SHORTEST
    const end = isLong ? linesEnd(text, start, firstEnd) : firstEnd
    const decoded = isLong ? readFrom(text, start, end) : undefined
    if (decoded !== undefined) tell({ start, end: withPadding(text, end), text: decoded })
    floor = end
    at = Math.max(at, end - STRIDE)
  }
}
