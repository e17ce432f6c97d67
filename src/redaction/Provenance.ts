/**
 * Marks of what redaction took out of a record, kept in the record itself:
 *
 *     "redacted":[{"kind":"github-token","at":"/message/content/0/text"}]
 *
 * `at` is a JSON pointer to the string, or to the member whose key it was. Who reads the record later knows that it is not what a model saw,
 * without looking for the marker's text, which a conversation may hold for its own reasons. Each kind at each place is marked once.
 */
import type { JsonObject } from "../model/Json.ts"
import type { Finding } from "./Walk.ts"

/** The JSON pointer of a finding. */
export const pointerOf = (path: Finding["path"]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** The record with marks for what was found in it; the same reference when nothing was. */
export const withMarks = (record: JsonObject, findings: ReadonlyArray<Finding>): JsonObject => {
  if (findings.length === 0) return record
  const marks = new Map<string, JsonObject>()
  for (const { kind, path } of findings) {
    const at = pointerOf(path)
    marks.set(`${kind} ${at}`, { kind, at })
  }
  return { ...record, redacted: [...marks.values()] }
}
