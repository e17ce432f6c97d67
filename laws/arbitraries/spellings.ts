/** Other spellings of a text, and a reader that sees through them: written for the laws, and knowing nothing of the redactor. */

/** A way to write bytes as text. */
export interface Spelling {
  readonly name: string
  readonly write: (bytes: Uint8Array) => string
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

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
    write: (text) =>
      base64(Buffer.from(text))
        .match(/.{1,76}/g)
        ?.join("\n") ?? "",
  },
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
