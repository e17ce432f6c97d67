/**
 * What the end of a journal needs before a record may be appended.
 *
 * Pure: a plan from what a reader found. Only the end is touched. Damage before it stays where it is; a reader goes past it.
 * After the plan is carried out an append begins on a line of its own, and nothing that was read before is lost (law JRN-2).
 */
import type { DamageKind } from "./Damage.ts"
import type { DecodeSummary } from "./Decoder.ts"

export type TailPlan =
  /** An append may begin at once. */
  | { readonly _tag: "Ready" }
  /** The last line lacks its newline: append it. */
  | { readonly _tag: "AddNewline"; readonly at: number }
  /**
   * Put the bytes from `from` to `to` into quarantine and make that durable, then cut the file to `from`. Then append a newline if
   * `addNewline`: a whole record stands before the cut bytes on their line.
   */
  | {
      readonly _tag: "CutTail"
      readonly from: number
      readonly to: number
      readonly line: number
      readonly kind: DamageKind
      readonly addNewline: boolean
    }
  /** Nothing may be written to this file. */
  | { readonly _tag: "Refuse"; readonly reason: "not-a-session" | "utf-16" }

/**
 * The plan for a file that was read to its end. `isSession`: whether the caller found what makes the file one of its sessions, a
 * usable header for instance. An empty file is ready: whether it becomes a session is the caller's to say.
 */
export const planTail = (summary: DecodeSummary, isSession: boolean): TailPlan => {
  const { bytes, endsWithNewline, isUtf16, tail } = summary
  if (isUtf16) return { _tag: "Refuse", reason: "utf-16" }
  if (bytes === 0) return { _tag: "Ready" }
  if (!isSession) return { _tag: "Refuse", reason: "not-a-session" }
  if (tail !== undefined) {
    const { offset, length, line, kind, startsLine } = tail
    return { _tag: "CutTail", from: offset, to: offset + length, line, kind, addNewline: !startsLine }
  }
  return endsWithNewline ? { _tag: "Ready" } : { _tag: "AddNewline", at: bytes }
}
