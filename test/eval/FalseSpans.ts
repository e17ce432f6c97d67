/** What the redactor takes out of texts that hold no secret. */
import * as Result from "effect/Result"
import type { JsonObject } from "../../src/model/Json.ts"
import type { Redactor } from "../../src/redaction/Redactor.ts"

/** A stretch that should have stayed. */
export interface FalseSpan {
  readonly kind: string
  readonly file: string
  /** From 1. Of a stretch that lies over the border of two pages, the line where the pages begin. */
  readonly line: number
  /** The first few characters, to find it by. */
  readonly start: string
}

const SHOWN = 4

/** A file is read in such pages, as tools read it, so that stretches over their borders are judged as well. */
const PAGE = 8_000

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

const recordOf = (file: string, texts: ReadonlyArray<string>): JsonObject => ({
  type: "message",
  id: "1a2b3c4d",
  parentId: null,
  timestamp: "2026-01-02T03:04:06.678Z",
  message: {
    role: "toolResult",
    toolCallId: `call_${file}`,
    toolName: "read",
    content: texts.map((text) => ({ type: "text", text })),
    isError: false,
  },
})

const findingsOf = (redactor: Redactor, file: string, texts: ReadonlyArray<string>) =>
  Result.getOrThrow(redactor.cleanRecord(recordOf(file, texts))).findings

/** The false spans of a text that goes whole through one record. */
const inWhole = (redactor: Redactor, file: string, text: string): ReadonlyArray<FalseSpan> => {
  const findings = findingsOf(redactor, `${file} whole`, [text])
  if (findings.length === 0) return []
  const spans = redactor.redactText(text).findings.map(({ kind, offset }) => ({
    kind,
    file,
    line: lineAt(text, offset),
    start: text.slice(offset, offset + SHOWN),
  }))
  return spans.length > 0 ? spans : findings.map(({ kind }) => ({ kind, file, line: 1, start: "" }))
}

/** The false spans of a text that comes in pages: two blocks to a record, one record after the other. */
const inPages = (redactor: Redactor, file: string, text: string): ReadonlyArray<FalseSpan> => {
  const spans: Array<FalseSpan> = []
  for (let at = 0; at < text.length; at += 2 * PAGE) {
    const pages = [text.slice(at, at + PAGE), text.slice(at + PAGE, at + 2 * PAGE)].filter((page) => page !== "")
    for (const { kind } of findingsOf(redactor, file, pages)) spans.push({ kind, file, line: lineAt(text, at), start: "" })
  }
  return spans
}

/** The false spans of a text, whole and in pages. What is found in pages counts where there are more of them than in the whole. */
export const falseSpansIn = (redactor: Redactor, file: string, text: string): ReadonlyArray<FalseSpan> => {
  const [whole, paged] = [inWhole(redactor, file, text), inPages(redactor, file, text)]
  return paged.length > whole.length ? [...whole, ...paged.slice(whole.length)] : whole
}
