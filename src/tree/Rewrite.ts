/**
 * The rewrite: the lines of the version-5 file that holds what a session holds.
 *
 * Patches are folded into what they patch and their records are gone; the title slot is folded into the header; entries have ids and
 * parents; a record written twice stands once. Everything else stays, in order and byte for byte: an edit is made to the text of the
 * line, and a line without an edit is the line that was read. Read again, the result is the same session (laws MIG-1, MIG-2, RPL-3),
 * and rewriting it again changes nothing.
 *
 * A patched message is written anew from its patch, so a number in it that JavaScript cannot hold is written as JavaScript has it.
 */
import * as Result from "effect/Result"
import { apply, type Edit } from "../model/Edit.ts"
import { applyToText } from "../model/EditText.ts"
import type { Json, JsonObject } from "../model/Json.ts"
import { toText } from "../model/JsonText.ts"
import { at, last } from "../model/Sequence.ts"
import { movesLeaf } from "./Entry.ts"
import { headerEdit, type UnsupportedVersion } from "./Header.ts"
import { type Reading, readRecord } from "./Reading.ts"
import { initial, type TreeState } from "./State.ts"
import { evolve } from "./TreeModel.ts"

/** One record of the source: its value and the text it was read from, without the newline. */
export interface SourceRecord {
  readonly value: JsonObject
  readonly raw: string
}

/** A rewrite on its way through the records of the source. */
export interface Rewriting {
  readonly final: TreeState
  readonly before: TreeState
  /** Lines that stand before the header in the source and follow it in the result. */
  readonly held: ReadonlyArray<string>
}

export interface Step {
  readonly next: Rewriting
  readonly lines: ReadonlyArray<string>
}

/** Starts a rewrite to the state that the whole source replays to. Refused for a version that cannot be read. */
export const begin = (final: TreeState): Result.Result<Rewriting, UnsupportedVersion> =>
  final.unsupported === undefined ? Result.succeed({ final, before: initial, held: [] }) : Result.fail(final.unsupported)

/** The text of a record after edits. A text with two members of one key cannot be edited and is written anew from its value. */
const textAfter = ({ value, raw }: SourceRecord, edits: ReadonlyArray<Edit>): string => {
  let text: string | undefined = raw
  for (const edit of edits) text = text === undefined ? undefined : applyToText(text, edit)
  return text ?? toText(edits.reduce<Json>(apply, value))
}

const patchEdit = (final: TreeState, position: number): ReadonlyArray<Edit> => {
  const patch = final.patches.length === 0 ? undefined : last(final.patches, String(position))
  if (patch === undefined) return []
  return [{ _tag: "Object", members: new Map(), add: [["message", patch.message]] }]
}

const headerLine = (final: TreeState, source: SourceRecord): string => {
  const change = headerEdit(source.value, final.header ?? source.value)
  return textAfter(source, change === undefined ? [] : [change])
}

/** The line of a record that stands under the header; none for a record that is folded into another. */
const lineOf = (final: TreeState, state: TreeState, reading: Reading, source: SourceRecord): ReadonlyArray<string> => {
  switch (reading._tag) {
    case "Entry":
      return [textAfter(source, [...reading.edits, ...patchEdit(final, state.entries.length)])]
    case "Note":
      return [source.raw]
    default:
      return []
  }
}

/** The lines that one more record of the source becomes. */
export const step = ({ final, before, held }: Rewriting, source: SourceRecord): Step => {
  const { state, reading } = readRecord(before, source.value)
  const after = { final, before: evolve(before, source.value) }
  // Neither a header nor an entry in the whole source: there is nothing to put under a header.
  if (final.header === undefined) return { next: { ...after, held: [] }, lines: [source.raw] }
  if (reading._tag === "Header") return { next: { ...after, held: [] }, lines: [headerLine(final, source), ...held] }
  const lines = lineOf(final, state, reading, source)
  if (state.header === undefined) return { next: { ...after, held: [...held, ...lines] }, lines: [] }
  if (before.header !== undefined) return { next: { ...after, held: [] }, lines }
  const made = headerLine(final, { value: state.header, raw: toText(state.header) })
  return { next: { ...after, held: [] }, lines: [made, ...held, ...lines] }
}

/** The leaf of a file that ends with these entries and has no patch. */
const naturalLeaf = ({ entries }: TreeState): string | null => {
  for (let position = entries.length - 1; position >= 0; position--) {
    const entry = at(entries, position)
    if (entry !== undefined && movesLeaf(entry.record)) return entry.id
  }
  return null
}

/** The lines after the last record: the live leaf, when it is not the last entry. */
export const end = ({ final, held }: Rewriting): ReadonlyArray<string> =>
  final.leaf === naturalLeaf(final) ? held : [...held, toText({ type: "header_patch", patch: { leafId: final.leaf } })]

/** All lines of the rewritten file. */
export function* rewriteLines(start: Rewriting, source: Iterable<SourceRecord>): Generator<string> {
  let rewriting = start
  for (const record of source) {
    const { next, lines } = step(rewriting, record)
    yield* lines
    rewriting = next
  }
  yield* end(rewriting)
}
