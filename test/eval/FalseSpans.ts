/** What the redactor takes out of texts that hold no secret. */
import * as Result from "effect/Result"
import type { Redactor } from "../../src/redaction/Redactor.ts"

/** A stretch that should have stayed. */
export interface FalseSpan {
  readonly kind: string
  readonly file: string
  /** From 1; 0 when the text alone does not show it. */
  readonly line: number
  /** The first few characters, to find it by. */
  readonly start: string
}

const SHOWN = 4

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

/** The false spans of a text, as it goes through a whole record. */
export const falseSpansIn = (redactor: Redactor, file: string, text: string): ReadonlyArray<FalseSpan> => {
  const record = {
    type: "tool_results",
    message: { role: "user", content: [{ type: "tool_result", toolUseId: `call_${file}`, content: text, isError: false }] },
  }
  const { findings } = Result.getOrThrow(redactor.cleanRecord(record))
  if (findings.length === 0) return []
  const spans = redactor.redactText(text).findings.map(({ kind, offset }) => ({
    kind,
    file,
    line: lineAt(text, offset),
    start: text.slice(offset, offset + SHOWN),
  }))
  return spans.length > 0 ? spans : findings.map(({ kind }) => ({ kind, file, line: 0, start: "" }))
}
