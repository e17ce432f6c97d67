/**
 * A journal that puts a seal on every record that may carry one (see src/journal/Integrity.ts for what that is).
 *
 * The seal is made of the clean line, so it says nothing of what redaction took out. It goes on where a reader found that the chain of
 * the file has come to. Lines that the journal did not take leave the chain where it was.
 */
import * as Effect from "effect/Effect"
import { digests } from "../journal/Digests.ts"
import { CHAIN_START, type ChainState, type INTEGRITY, SEAL_BYTES, sealOf } from "../journal/Integrity.ts"
import type { JournalShape } from "../journal/Journal.ts"
import type { JsonObject } from "../model/Json.ts"
import { MAX_LINE_BYTES } from "../model/Limits.ts"
import { type CleanLine, withMember } from "../redaction/CleanLine.ts"

/** Which seals a new session shall have. Without it, none. */
export type Integrity = typeof INTEGRITY

/** The records of a new session, of which the first says that seals are to be expected. */
export const declaring = <Rec extends JsonObject>(
  records: ReadonlyArray<Rec>,
  integrity: Integrity | undefined,
): ReadonlyArray<Rec> =>
  integrity === undefined ? records : records.map((record, at) => (at === 0 ? { ...record, integrity } : record))

interface Sealed {
  readonly lines: ReadonlyArray<CleanLine>
  readonly chain: ChainState
}

const seal = (lines: ReadonlyArray<CleanLine>, from: ChainState): Sealed => {
  let chain = from
  const sealed = lines.map((line) => {
    const made = sealOf(digests, chain, line.text)
    chain = made.state
    // A reader passes over a longer line, so it is better without.
    return made.member === undefined || line.bytes + SEAL_BYTES > MAX_LINE_BYTES ? line : withMember(line, made.member)
  })
  return { lines: sealed, chain }
}

/** The first lines of a new session, and the chain behind them; without seals, as they are. */
export const firstLines = (
  lines: ReadonlyArray<CleanLine>,
  integrity: Integrity | undefined,
): { readonly lines: ReadonlyArray<CleanLine>; readonly chain: ChainState | undefined } =>
  integrity === undefined ? { lines, chain: undefined } : seal(lines, CHAIN_START)

/** The journal of a file in which the chain of seals has come so far; undefined for a file without seals, whose journal is as it is. */
export const sealing = (journal: JournalShape, from: ChainState | undefined): JournalShape => {
  if (from === undefined) return journal
  let chain = from
  return {
    ...journal,
    append: (lines) =>
      Effect.suspend(() => {
        const sealed = seal(lines, chain)
        return Effect.tap(journal.append(sealed.lines), () =>
          Effect.sync(() => {
            chain = sealed.chain
          }),
        )
      }),
  }
}
