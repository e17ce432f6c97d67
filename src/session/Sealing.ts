/**
 * Seals on the records of a session (see src/journal/Integrity.ts for what one is): who gets them, and what puts them there.
 *
 * A session in our own store has them, because nobody else reads or copies it. One at a path that its host has chosen, or in another agent's
 * directory, has them when its host asks for them. What was begun with seals goes on with them, and so do its copies and rewrites, whose
 * seals are made anew.
 *
 * A seal is made of the clean line, so it says nothing of what redaction took out. It goes on where a reader found that the chain of
 * the file has come to. Lines that the journal did not take leave the chain where it was.
 */
import * as Effect from "effect/Effect"
import { digests } from "../journal/Digests.ts"
import { CHAIN_START, type ChainState, INTEGRITY, SEAL_BYTES, sealOf } from "../journal/Integrity.ts"
import type { JournalShape } from "../journal/Journal.ts"
import type { JsonObject } from "../model/Json.ts"
import { MAX_LINE_BYTES } from "../model/Limits.ts"
import { type CleanLine, withMember } from "../redaction/CleanLine.ts"
import type { Holder } from "./Place.ts"

/** Which seals a session has. */
export type Integrity = typeof INTEGRITY

/** Which seals a new session shall have, whatever its place: those, or none. */
export type IntegrityChoice = Integrity | "none"

/** The seals of a new session that lies in somebody's directory. */
export const integrityFor = (holder: Holder, asked: IntegrityChoice | undefined): Integrity | undefined => {
  if (asked === undefined) return holder === "annals" ? INTEGRITY : undefined
  return asked === "none" ? undefined : asked
}

/** The records of a new session, of which the first says that seals are to be expected. */
export const declaring = <Rec extends JsonObject>(
  records: ReadonlyArray<Rec>,
  integrity: Integrity | undefined,
): ReadonlyArray<Rec> =>
  integrity === undefined ? records : records.map((record, at) => (at === 0 ? { ...record, integrity } : record))

/** Puts seals on the lines of a file one after the other, from its beginning or from where its chain has come to. */
export class Sealer {
  #chain: ChainState | undefined

  constructor(from: ChainState | undefined) {
    this.#chain = from
  }

  /** Of a new file. Without an integrity its lines stay as they are. */
  static of(integrity: Integrity | undefined): Sealer {
    return new Sealer(integrity === undefined ? undefined : CHAIN_START)
  }

  /** Where the chain has come to; undefined when no seals are made. */
  get chain(): ChainState | undefined {
    return this.#chain
  }

  seal(line: CleanLine): CleanLine {
    if (this.#chain === undefined) return line
    const { member, state } = sealOf(digests, this.#chain, line.text)
    this.#chain = state
    // A reader passes over a longer line, so it is better without.
    return member === undefined || line.bytes + SEAL_BYTES > MAX_LINE_BYTES ? line : withMember(line, member)
  }
}

/** The first lines of a new session, and the chain behind them; without seals, as they are. */
export const firstLines = (
  lines: ReadonlyArray<CleanLine>,
  integrity: Integrity | undefined,
): { readonly lines: ReadonlyArray<CleanLine>; readonly chain: ChainState | undefined } => {
  const sealer = Sealer.of(integrity)
  return { lines: lines.map((line) => sealer.seal(line)), chain: sealer.chain }
}

/** Told of lines that the journal has taken: how many bytes they are, where the chain has come to, and the number of the last one. */
export type Taken = (bytes: number, chain: ChainState, seq: number) => Effect.Effect<void>

/** The journal of a file in which the chain of seals has come so far; undefined for a file without seals, whose journal is as it is. */
export const sealing = (journal: JournalShape, from: ChainState | undefined, taken: Taken = () => Effect.void): JournalShape => {
  if (from === undefined) return journal
  let chain = from
  return {
    ...journal,
    append: (lines) =>
      Effect.suspend(() => {
        const sealer = new Sealer(chain)
        const sealed = lines.map((line) => sealer.seal(line))
        return Effect.tap(journal.append(sealed), (seq) => {
          chain = sealer.chain ?? chain
          return taken(
            sealed.reduce((sum, { bytes }) => sum + bytes + 1, 0),
            chain,
            seq,
          )
        })
      }),
  }
}
