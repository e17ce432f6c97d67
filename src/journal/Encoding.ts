/**
 * How the bytes of a journal are text: UTF-8, with or without a byte order mark at the very beginning.
 *
 * A byte order mark anywhere else is a character like any other, so the decoders here never take one away.
 */

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder("utf-8", { ignoreBOM: true })

/** The text, or undefined when a byte is not UTF-8. */
export const decodeStrictly = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** The text, with U+FFFD for each stretch that is not UTF-8. */
export const decode = (bytes: Uint8Array): string => lenient.decode(bytes)

/** Bytes that {@link isUtf16} and {@link hasBom} need to see, unless the file is shorter. */
export const PREFIX_BYTES = 8

/** Whether the first bytes of a file are those of UTF-16 text: its byte order mark, or ASCII with a NUL beside each byte. */
export const isUtf16 = (prefix: Uint8Array): boolean => {
  const [first, second] = prefix
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  if (prefix.length < PREFIX_BYTES) return false
  const nulAt = first === 0 ? 0 : 1
  for (let i = 0; i < PREFIX_BYTES; i++) if ((prefix[i] === 0) !== (i % 2 === nulAt)) return false
  return true
}

/** Whether the first bytes of a file are the byte order mark of UTF-8. */
export const hasBom = (prefix: Uint8Array): boolean => prefix[0] === 0xef && prefix[1] === 0xbb && prefix[2] === 0xbf

/** Bytes of a character by its first one; 0 for a byte that begins none. */
const lengthOf = (lead: number): number =>
  lead < 0x80 ? 1 : lead >= 0xc2 && lead <= 0xdf ? 2 : (lead & 0xf0) === 0xe0 ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0

const isInner = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Whether all of `bytes[from, to)` is UTF-8, as {@link decodeStrictly} finds it. */
export const isUtf8 = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; ) {
    const lead = bytes[at] as number
    const length = lengthOf(lead)
    if (length === 0 || at + length > to) return false
    if (length > 1) {
      const second = bytes[at + 1] as number
      const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
      const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
      if (second < low || second > high) return false
      if (length > 2 && !isInner(bytes[at + 2])) return false
      if (length > 3 && !isInner(bytes[at + 3])) return false
    }
    at += length
  }
  return true
}

/** How many bytes from `at` are one character or the well-formed beginning of one, and whether it is whole. */
const character = (bytes: Uint8Array, at: number, to: number): { readonly length: number; readonly whole: boolean } => {
  const lead = bytes[at] as number
  if (lead < 0x80) return { length: 1, whole: true }
  const need = lengthOf(lead)
  if (need === 0) return { length: 1, whole: false }
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  for (let i = 1; i < need; i++) {
    const byte = at + i < to ? (bytes[at + i] as number) : 0
    const fits = i === 1 ? byte >= low && byte <= high : byte >= 0x80 && byte <= 0xbf
    if (!fits) return { length: i, whole: false }
  }
  return { length: need, whole: true }
}

/** From the first byte in `bytes[from, to)` that is not UTF-8 to behind the last; undefined when all are. */
export const notUtf8 = (
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly start: number; readonly end: number } | undefined => {
  let start = -1
  let end = -1
  for (let at = from; at < to; ) {
    const { length, whole } = character(bytes, at, to)
    if (!whole) {
      if (start === -1) start = at
      end = at + length
    }
    at += length
  }
  return start === -1 ? undefined : { start, end }
}
