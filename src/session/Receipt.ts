/** What a host gets for a command: which records it made, and how far they have come. */
import type * as Effect from "effect/Effect"
import type { Level } from "../journal/Journal.ts"
import type { WriteError } from "../writer/WriteError.ts"

/**
 * - `accepted`: in the state and in the journal's queue. Lost when the machine dies before the next level.
 * - `written`: in the operating system's hands. Survives the death of the process (law DUR-2), not a power cut.
 * - `synced`: the disk has confirmed it. Survives a power cut (law DUR-1).
 */
export type ReceiptLevel = "accepted" | Level

export interface Receipt<Rec, E = never> {
  /** How many records the session has accepted since it was opened, this command's included; 0 when the command made none. */
  readonly seq: number
  /** The records as the state has them, before redaction. */
  readonly records: ReadonlyArray<Rec>
  /**
   * Waits until the records have reached a level; records that are held for want of a reason to make a file are written for it. Fails when
   * they can not reach it; then they are among the session's `unsaved`.
   */
  readonly reached: (level: Level) => Effect.Effect<void, WriteError | E>
}
