/** The other spellings in which a known value is looked for: base64 in its three alignments and both alphabets, and hex. */
import { alignmentsOf } from "./Base64.ts"

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Each different from the value and from the others. A value with a half of a character has no bytes, and so no other spelling. */
export const encodingsOf = (value: string): ReadonlyArray<string> => {
  if (!value.isWellFormed()) return []
  const bytes = new TextEncoder().encode(value)
  const base64 = alignmentsOf(bytes)
  const hex = hexOf(bytes)
  const url = base64.map((digits) => digits.replaceAll("+", "-").replaceAll("/", "_"))
  return [...new Set([...base64, ...url, hex, hex.toUpperCase()])].filter((spelling) => spelling !== value)
}
