/** Damage in words: what each kind is, and a list of damages with the place of each. */
import type { Damage, DamageKind } from "../journal/Damage.ts"
import { cell, grid } from "./Grid.ts"
import { bytes, count, integer } from "./Quantity.ts"
import type { Style } from "./Style.ts"

/** What each kind means for the records, in one sentence without its first capital. */
export const damageWords: { readonly [K in DamageKind]: string } = {
  "torn-tail": "the last write was cut; the bytes are no whole record",
  "nul-run": "zero bytes, as a power cut leaves them",
  glued: "records that share a line; every whole one is read",
  "not-json": "no JSON; nothing of it is read",
  "not-object": "JSON, but no record; it is not read",
  "not-utf8": "bytes that are not UTF-8; the record is read with replacement characters",
  "raw-newline": "a record with unescaped newlines in its strings; it is read as one",
  "utf-16": "the file is UTF-16; nothing is read",
  oversize: "a line longer than can be parsed; it is not read",
  "too-deep": "a record nested deeper than can be handled; it is not read",
  edited: "the line is not the one that was written, by its checksum; it is read as it stands",
  "lost-records": "records are missing before this place, by the numbers in the seals",
  "repeated-line": "the same line again, seal and all",
  "out-of-order": "a record behind one that was written after it; it is read where it stands",
  "chain-broken": "lines without seals that are not those that stood here when the next one was written; they are read",
  "bad-header": "the session header is missing or unusable; one is made up in memory",
  "extra-header": "a second header; it has no effect",
  "unusable-patch": "a patch that cannot be applied; it has no effect",
  "unusable-entry": "an entry without the fields of its type; it keeps its place in the tree",
  "unusable-record": "a record without the members of its type; it has no effect",
  "duplicate-record": "the same record again; it is read once",
  "duplicate-id": "an id used twice; both entries are kept",
  orphan: "an entry whose parent is not in the file; it is kept as a root",
}

/** Kinds that no repair can mend: nobody but the owner can say which text is meant, or where somebody's words belong. */
const KEPT: ReadonlySet<DamageKind> = new Set<DamageKind>([
  ...(["utf-16", "unusable-entry", "unusable-record", "duplicate-id", "orphan"] as const),
  ...(["edited", "lost-records", "repeated-line", "out-of-order", "chain-broken"] as const),
])

/** Whether a repair mends damage of this kind. A ledger is repaired at the level of its bytes: a record twice has nothing wrong there. */
export const isMendable = (kind: DamageKind, format: "tree" | "ledger" | "unknown" = "tree"): boolean =>
  !KEPT.has(kind) && (format !== "ledger" || kind !== "duplicate-record")

/** Damages that are shown before the rest is only counted. */
const SHOWN = 20

/** The damages as aligned lines: line, first byte, length, kind and what it means. At most `limit`, then how many more there are. */
export const damageLines = (damages: ReadonlyArray<Damage>, style: Style, limit = SHOWN): ReadonlyArray<string> => {
  const shown = damages.slice(0, limit)
  const rows = shown.map(({ line, offset, length, kind }) => [
    cell(`line ${integer(line)}`),
    cell(`byte ${integer(offset)}`),
    cell(bytes(length), style.dim),
    cell(kind, style.yellow),
    cell(damageWords[kind]),
  ])
  const rest = damages.length - shown.length
  return [...grid(rows, [2]), ...(rest > 0 ? [style.dim(`… and ${count(rest, "more damage", "more damages")}`)] : [])]
}

/** One sentence for a note: `3 damages: 2 glued, 1 torn-tail`. */
export const damageSentence = (damages: ReadonlyArray<Damage>): string => {
  const kinds = new Map<DamageKind, number>()
  for (const { kind } of damages) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  const parts = [...kinds].map(([kind, n]) => `${integer(n)} ${kind}`)
  return `${count(damages.length, "damage")}: ${parts.join(", ")}`
}
