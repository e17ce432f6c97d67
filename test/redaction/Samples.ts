/** Secrets for examples, made while the tests run: nothing in this project looks like a live one. */
import * as fc from "fast-check"
import { FORMATS } from "../../src/redaction/Formats.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"

/** Characters that look drawn, the same for the same length. */
export const drawn = (length: number): string => "q7Rz2KbX9mTw4LcV8nYs3HdJ6pGf5".repeat(Math.ceil(length / 29)).slice(0, length)

/** A token of a kind of the table, with a body of a length. */
export const token = (kind: string, length: number): string => {
  const format = FORMATS.find((row) => row.kind === kind)
  if (format === undefined) throw new Error(`no format ${kind}`)
  const prefix = format.prefixes[0] ?? ""
  const body = format.body === "hex" ? "a1b2c3d4e5f60718".repeat(40) : drawn(400)
  return prefix + (format.body === "upper" ? body.toUpperCase() : body).slice(0, length)
}

/** One value of an arbitrary, always the same. */
export const sample = <A>(arbitrary: fc.Arbitrary<A>, count = 1): ReadonlyArray<A> =>
  fc.sample(arbitrary, { numRuns: count, seed: 7 })

/** A redactor that knows no values. */
export const plain = makeRedactor({ environment: {} })

export const redact = (text: string): string => plain.redactText(text).text

/** A place in a template that is filled in later. */
export const hole = (inside: string): string => ["$", "{", inside, "}"].join("")
