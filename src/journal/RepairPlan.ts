/**
 * What must change in a damaged journal so that it is clean, and not a byte more.
 *
 * Pure: from what a reader found to a list of places. Everything else stays byte for byte: carriage returns, blank lines between
 * records and a byte order mark at the beginning are no damage. The repaired file holds the records that were read before, reads
 * without damage, and needs no second repair (law RPR-1).
 *
 * What the records mean is the caller's to say: which of them have no effect and go to the quarantine too, and which header the file
 * shall begin with when it has none.
 *
 * A file in which nothing can be read is not repaired, unless it holds nothing but NUL bytes: it may be no journal at all, and nothing
 * would be left of it. Neither is a UTF-16 file: which text it stands for is for its owner to say.
 */
import type { Damage, DamageKind } from "./Damage.ts"
import type { DamageItem, RecordItem } from "./Line.ts"
import type { Identity, ReadItem, ReadSummary } from "./Reader.ts"

export type RepairAction = {
  readonly line: number
  readonly offset: number
  readonly length: number
} & (
  | {
      /** Move the bytes to the quarantine; or copy them there and put the text that was read in their place. */
      readonly action: "quarantine" | "replace"
      readonly kind: DamageKind
    }
  /** Put a newline between two records. No byte is taken out: the length is 0. */
  | { readonly action: "split"; readonly kind: "glued" }
  /** Put the missing newline at the end of the last line. The length is 0. */
  | { readonly action: "add-newline"; readonly kind: "no-newline" }
  /** Put a line in front of the first record. The length is 0. */
  | { readonly action: "add-header"; readonly kind: "bad-header"; readonly text: string }
)

export interface RepairPlan {
  readonly path: string
  /** The file that was planned for. A file that changed since is not touched. */
  readonly identity: Identity
  /** In file order, without overlap. Empty: the file is clean, or not to be repaired. */
  readonly actions: ReadonlyArray<RepairAction>
  /** Why the file is not to be repaired. */
  readonly refusal: "utf-16" | "no-records" | undefined
}

/** The replaced stretch; its text comes from the bytes again when the plan is applied. */
const REPLACED: ReadonlySet<DamageKind> = new Set(["not-utf8", "raw-newline"])

/** A byte order mark stays where it is: at the very beginning. */
const BOM_BYTES = 3

interface Removal {
  readonly damage: Damage
  readonly startsLine: boolean
}

/** Makes a plan from the items of a reading, in order. Memory grows with the damages, not with the records. */
export class Planner {
  readonly #actions: Array<RepairAction> = []
  /** The line of the last record, 0 for none. */
  #line = 0
  #records = 0
  /** Something other than zero bytes was taken out. */
  #hasContent = false
  #removal: Removal | undefined
  /** Where the present run of removals that touch each other begins its line, or not; and where it ends. */
  #run: { readonly startsLine: boolean; readonly end: number } | undefined

  /** One more item of the reading. A record for which the caller names a damage is taken out. */
  take(item: ReadItem, damage?: DamageKind): void {
    if (item._tag === "Record" && damage !== undefined) this.#useless(item, damage)
    else if (item._tag === "Record") this.#record(item.record)
    else if (item._tag === "Damage") this.#damage(item)
  }

  /** The plan. `header`: the line that the file shall begin with, when it has no header of its own. */
  finish(summary: ReadSummary, header?: string): RepairPlan {
    const { path, identity, bytes, endsWithNewline } = summary
    if (summary.isUtf16) return { path, identity, actions: [], refusal: "utf-16" }
    if (this.#records === 0 && this.#hasContent) return { path, identity, actions: [], refusal: "no-records" }
    if (header !== undefined) {
      const offset = summary.hasBom ? BOM_BYTES : 0
      this.#actions.unshift({ action: "add-header", line: 1, offset, length: 0, kind: "bad-header", text: header })
    }
    this.#release(bytes, Number.POSITIVE_INFINITY)
    const cut = this.#run !== undefined && this.#run.end === bytes ? this.#run : undefined
    if (cut === undefined ? !endsWithNewline : !cut.startsLine) {
      this.#actions.push({ action: "add-newline", line: summary.lines, offset: bytes, length: 0, kind: "no-newline" })
    }
    const actions = this.#actions.sort((a, b) => a.offset - b.offset)
    return { path, identity, actions, refusal: undefined }
  }

  #record({ line, offset }: { readonly line: number; readonly offset: number }): void {
    this.#release(offset, line)
    if (line === this.#line) this.#actions.push({ action: "split", line, offset, length: 0, kind: "glued" })
    this.#line = line
    this.#records++
  }

  #useless({ record: { line, offset, length }, startsLine }: RecordItem, kind: DamageKind): void {
    this.#release(offset, line)
    // What would have been mended in it goes with it.
    while ((this.#actions.at(-1)?.offset ?? -1) >= offset) this.#actions.pop()
    this.#removal = { damage: { line, offset, length, kind }, startsLine }
    this.#hasContent = true
  }

  #damage({ damage, startsLine, read }: DamageItem): void {
    const { line, offset, length, kind } = damage
    if (kind !== "nul-run") this.#hasContent = true
    if (!read) {
      this.#release(offset, line)
      this.#removal = { damage, startsLine }
    } else if (REPLACED.has(kind)) this.#actions.push({ action: "replace", line, offset, length, kind })
  }

  /** The next record or removal stands at `offset` on `line`: now it is known how far the one before it goes. */
  #release(offset: number, line: number): void {
    if (this.#removal === undefined) return
    const { damage, startsLine } = this.#removal
    this.#removal = undefined
    // A line of which no record is kept goes with its newline and the blank lines behind it.
    const isAlone = this.#line < damage.line && damage.line < line
    const end = isAlone ? offset : damage.offset + damage.length
    this.#run = { startsLine: this.#run?.end === damage.offset ? this.#run.startsLine : startsLine, end }
    this.#actions.push({
      action: "quarantine",
      line: damage.line,
      offset: damage.offset,
      length: end - damage.offset,
      kind: damage.kind,
    })
  }
}

/** Runs a reading to its end and makes the plan. */
export const planRepair = (reading: Generator<ReadItem, ReadSummary>): RepairPlan => {
  const planner = new Planner()
  for (;;) {
    const next = reading.next()
    if (next.done) return planner.finish(next.value)
    planner.take(next.value)
  }
}
