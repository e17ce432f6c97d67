/** Records on their way to the journal: redacted, marked, on one line each. */
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import type { JsonObject } from "../model/Json.ts"
import { MAX_LINE_BYTES } from "../model/Limits.ts"
import type { Codec } from "../model/Model.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import { NotJson } from "../redaction/NotJson.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import type { Finding } from "../redaction/Walk.ts"

/** The line of a record, and what redaction found in it. */
export interface Encoded {
  readonly line: CleanLine
  readonly findings: ReadonlyArray<Finding>
}

/** Makes of a record in which redaction found something what is written in its place. Its result is redacted anew. */
export type Mark = (record: JsonObject, findings: ReadonlyArray<Finding>) => JsonObject

/** What records become lines with. */
export interface Encoder<Rec> {
  readonly codec: Codec<Rec>
  readonly redactor: Redactor
  readonly mark?: Mark | undefined
}

/** The lines of records, or what in them is not JSON. Nothing is written. */
export const encode = <Rec>(
  { codec, redactor, mark }: Encoder<Rec>,
  records: ReadonlyArray<Rec>,
): Result.Result<ReadonlyArray<Encoded>, NotJson> => {
  const lines: Array<Encoded> = []
  for (const record of records) {
    const json = codec.encode(record)
    let clean = redactor.cleanRecord(json)
    if (Result.isFailure(clean)) return Result.fail(clean.failure)
    const { findings } = clean.success
    if (mark !== undefined && findings.length > 0) clean = redactor.cleanRecord(mark(json, findings))
    if (Result.isFailure(clean)) return Result.fail(clean.failure)
    const { line } = clean.success
    // A reader passes over a longer line, so it would be as good as lost.
    if (line.bytes > MAX_LINE_BYTES)
      return Result.fail(new NotJson({ path: "", reason: "too-long", found: `${line.bytes} bytes long` }))
    lines.push({ line, findings })
  }
  return Result.succeed(lines)
}

/** Records with the marks that their lines have: the state knows as well as its replay what redaction took out (law RPL-1). */
export const marked = <Rec>(
  { codec, mark }: Encoder<Rec>,
  records: ReadonlyArray<Rec>,
  encoded: ReadonlyArray<Encoded>,
): ReadonlyArray<Rec> =>
  mark === undefined || encoded.every(({ findings }) => findings.length === 0)
    ? records
    : Arr.zipWith(records, encoded, (record, { findings }) =>
        findings.length === 0 ? record : codec.decode(mark(codec.encode(record), findings)),
      )
