/** Other spellings of a text, and a reader that sees through them: written for the laws, and knowing nothing of the redactor. */

/** A way to write bytes as text. */
export interface Spelling {
  readonly name: string
  readonly write: (bytes: Uint8Array) => string
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

const unpadded = (text: string): string => base64(Buffer.from(text)).replaceAll("=", "")

/** Its lines, but for the last one of a length. */
const inLines = (text: string, width: number): ReadonlyArray<string> =>
  base64(Buffer.from(text)).match(new RegExp(`.{1,${width}}`, "g")) ?? []

/** Hex, which is digits of base64 too, and no text. */
const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

const besideDigests = (lines: ReadonlyArray<string>, width: number): string => {
  const digest = DIGEST.repeat(2).slice(0, width)
  return [digest, ...lines, digest, digest].join("\n")
}

export const SPELLINGS: ReadonlyArray<Spelling> = [
  { name: "base64", write: base64 },
  { name: "base64 for addresses", write: (bytes) => Buffer.from(bytes).toString("base64url") },
  { name: "base64 without padding", write: (bytes) => base64(bytes).replaceAll("=", "") },
  { name: "hex", write: (bytes) => Buffer.from(bytes).toString("hex") },
  { name: "hex in capitals", write: (bytes) => Buffer.from(bytes).toString("hex").toUpperCase() },
]

/** Spellings of text that are followed to what they stand for, whatever the text. */
export const TEXT_SPELLINGS: ReadonlyArray<{ readonly name: string; readonly write: (text: string) => string }> = [
  { name: "base64", write: (text) => base64(Buffer.from(text)) },
  { name: "base64 for addresses", write: (text) => Buffer.from(text).toString("base64url") },
  {
    name: "base64 in lines",
    write: (text) => inLines(text, 76).join("\n"),
  },
  // What stands on the lines beside it, all of them long enough to be base64 that goes on.
  { name: "base64 below a digest", write: (text) => `${DIGEST}\n${base64(Buffer.from(text))}` },
  { name: "base64 without padding, between digests", write: (text) => `${DIGEST}\n${unpadded(text)}\n${DIGEST}\n${DIGEST}\nset` },
  { name: "base64 in lines between digests of their length", write: (text) => besideDigests(inLines(text, 76), 76) },
  { name: "base64 in lines of 70, below one", write: (text) => besideDigests(inLines(text, 70), 70) },
  { name: "base64 of base64", write: (text) => base64(Buffer.from(base64(Buffer.from(text)))) },
  { name: "base64 of JSON", write: (text) => base64(Buffer.from(JSON.stringify({ text }))) },
  { name: "two bytes a character", write: (text) => Array.from(text).join("\u0000") },
  { name: "colours", write: (text) => text.replace(/.{5}/g, "$&\u001b[31m") },
]

const decodedOnce = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const whole of [text, text.replaceAll(/\\[nr]|\s/g, "")]) {
    for (const [run] of whole.matchAll(/[A-Za-z0-9+/_-]{10,}/g))
      for (const from of [0, 1, 2, 3]) found.push(Buffer.from(run.slice(from), "base64").toString("latin1"))
    for (const [run] of whole.matchAll(/(?:[0-9a-fA-F]{2}){6,}/g))
      for (const from of [0, 1]) found.push(Buffer.from(run.slice(from), "hex").toString("latin1"))
  }
  return found
}

const SEPARATORS = /\u0000|\\u0000|(?:\u001b|\\u001b)\[31m/g

/** A text, what it stands for, and what that stands for. */
export const readings = (text: string): ReadonlyArray<string> => {
  const plain = [text, text.replaceAll(SEPARATORS, "")]
  const once = plain.flatMap(decodedOnce)
  return [...plain, ...once, ...once.filter((inner) => /^[A-Za-z0-9+/=\s]+$/.test(inner)).flatMap(decodedOnce)]
}
