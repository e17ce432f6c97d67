/** Bytes of ASCII as text, for texts as short as ids: by eights, since a call with an array of codes costs several times as much. */
export const asciiText = (bytes: Uint8Array, from: number, to: number): string => {
  let text = ""
  let at = from
  for (; at + 8 <= to; at += 8)
    text += String.fromCharCode(
      bytes[at] as number,
      bytes[at + 1] as number,
      bytes[at + 2] as number,
      bytes[at + 3] as number,
      bytes[at + 4] as number,
      bytes[at + 5] as number,
      bytes[at + 6] as number,
      bytes[at + 7] as number,
    )
  for (; at < to; at++) text += String.fromCharCode(bytes[at] as number)
  return text
}
