/**
 * Takes secrets out of values, records and texts before anything is written.
 *
 * What it guarantees:
 * - No value of a secret environment variable, no value the host named, and no token of a known format stays: in keys and in strings, at
 *   any depth, also inside JSON in a string and percent-encoded (law SEC-1). Nor does what an assignment names a secret.
 * - Redacting twice changes nothing more; what holds no finding comes back as the same reference; the shape stays (law SEC-2).
 * - Ciphertext and signatures stay byte for byte where a provider puts them, and only there (law SEC-3).
 * - The cost is linear, on adversarial text too (law SEC-4).
 *
 * Pure: it reads no environment of its own. The model of a session keeps the clear text; only what is written passes here.
 */
import type * as Result from "effect/Result"
import { apply, type Edit } from "../model/Edit.ts"
import type { Json } from "../model/Json.ts"
import { type Cleaned, type CleanText, cleanTextOf, lineOf, lineOfText } from "./CleanLine.ts"
import type { Skipped } from "./Environment.ts"
import type { NotJson } from "./NotJson.ts"
import { type RedactorOptions, Rules } from "./Rules.ts"
import { type Finding, walk } from "./Walk.ts"

export type { RedactorOptions }

export interface RedactedValue {
  /** The same reference when nothing was found. */
  readonly value: Json
  /** The change that was made; the same one fits the text the value was read from. Undefined when nothing was found. */
  readonly edit: Edit | undefined
  readonly findings: ReadonlyArray<Finding>
}

/** A secret that was taken out of a text. */
export interface TextFinding {
  readonly kind: string
  /** Where it began in the text before, in UTF-16 units. */
  readonly offset: number
}

export interface RedactedText {
  readonly text: string
  readonly findings: ReadonlyArray<TextFinding>
}

export interface Redactor {
  /** A value without secrets. Any depth; what is not JSON in it is left as it is. */
  readonly redactValue: (value: Json) => RedactedValue
  /** A text without secrets. */
  readonly redactText: (text: string) => RedactedText
  /** The line of a record. A value that JSON cannot hold without loss is refused, with its path. */
  readonly cleanRecord: (record: Json) => Result.Result<Cleaned, NotJson>
  /** The line of a text that holds one record, byte for byte but for what was found. Refuses what is not JSON. */
  readonly cleanRaw: (raw: string) => Result.Result<Cleaned, NotJson>
  /** A text that may be written: a title, a file name, evidence. */
  readonly cleanText: (text: string) => { readonly text: CleanText; readonly findings: ReadonlyArray<TextFinding> }
  /** Values that cannot be protected everywhere, by name, with the reason. */
  readonly skipped: ReadonlyArray<Skipped>
}

/** A redactor for the environment and the secrets given. Making one costs a fraction of a millisecond; keep it. */
export const makeRedactor = (options: RedactorOptions): Redactor => {
  const rules = new Rules(options)
  const clean = (given: string) => {
    const { text, spans } = cleanTextOf(rules, given)
    return { text, findings: spans.map(({ kind, start }): TextFinding => ({ kind, offset: start })) }
  }
  return {
    redactValue: (value) => {
      const { edit, findings } = walk(rules, value, { text: false })
      return { value: edit === undefined ? value : apply(value, edit), edit, findings }
    },
    redactText: (given) => {
      const { text, findings } = clean(given)
      return { text: text.text, findings }
    },
    cleanRecord: (record) => lineOf(rules, record),
    cleanRaw: (raw) => lineOfText(rules, raw),
    cleanText: clean,
    skipped: rules.skipped,
  }
}
