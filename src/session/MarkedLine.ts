/** The line of a record that was redacted, with the marks of what was taken out of it beside those that it has. */
import * as Result from "effect/Result"
import { type Json, type JsonObject, own } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { edited as membersEdited } from "../model/Members.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import { withMarks } from "../redaction/Provenance.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import type { Finding } from "../redaction/Walk.ts"
import { edited } from "./EditedLine.ts"

const marksOf = (record: JsonObject, findings: ReadonlyArray<Finding>): Json => {
  const before = own(record, "redacted")
  const now = own(withMarks({}, findings), "redacted") as ReadonlyArray<Json>
  return Array.isArray(before) ? [...before, ...now] : now
}

/**
 * The clean line with marks. Every other byte stays. `redactor` follows nothing: one that follows the session has met the record, and
 * would take it for the next one.
 */
export const markedLine = (redactor: Redactor, line: CleanLine, findings: ReadonlyArray<Finding>): CleanLine => {
  if (findings.length === 0) return line
  const record = parseJson(line.text) as JsonObject
  const change = membersEdited(record, { redacted: marksOf(record, findings) })
  return change === undefined ? line : Result.getOrThrow(redactor.cleanRaw(edited(line.text, change))).line
}
