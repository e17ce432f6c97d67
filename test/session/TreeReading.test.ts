/** Messages that a reading takes by the run: what stands between them, and runs longer than one that is told at once. */
import { assert, describe, it } from "vitest"
import { Decoder } from "../../src/journal/Decoder.ts"
import { MAX_RUN } from "../../src/journal/ScanLayout.ts"
import { toArray } from "../../src/model/Sequence.ts"
import { FORMAT_RECORDS } from "../../src/session/Load.ts"
import { TreeReading } from "../../src/session/TreeReading.ts"
import type { Entry } from "../../src/tree/State.ts"

const TIME = "2026-01-01T00:00:00.000Z"
const header = { type: "session", version: 5, id: "s", timestamp: TIME, cwd: "/w" }
const said = (id: string, parentId: string | null): object => ({
  type: "message",
  id,
  parentId,
  timestamp: TIME,
  message: { id },
})
const textOf = (records: ReadonlyArray<object>): Buffer =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""))
const notes = Array.from({ length: FORMAT_RECORDS }, () => ({ type: "x-note" }))

/** A reading of records behind so many that runs are taken, and how many of them were. */
const read = (...records: ReadonlyArray<object>): { readonly reading: TreeReading; readonly taken: number } => {
  const bytes = textOf([header, ...notes, ...records])
  const reading = new TreeReading({
    read: ({ offset, length }) => JSON.parse(bytes.subarray(offset, offset + length).toString()),
  })
  let taken = 0
  const runs = {
    isReady: () => reading.runs.isReady(),
    take: (run: Parameters<typeof reading.runs.take>[0]) => {
      taken += run.count
      reading.runs.take(run)
    },
  }
  const decoder = new Decoder({ outline: reading.outline, runs })
  const room = reading.outline.room(bytes.length)
  room?.set(bytes)
  for (const item of decoder.push(room ?? bytes)) reading.take(item)
  for (const item of decoder.end()) reading.take(item)
  return { reading, taken }
}

const entriesOf = ({ state }: TreeReading): ReadonlyArray<Pick<Entry, "id" | "parentId" | "parent">> =>
  toArray(state.entries).map(({ id, parentId, parent }) => ({ id, parentId, parent }))

describe("messages taken by the run", () => {
  it("have the parent of their record behind one that comes again, and not the entry before", () => {
    const { reading, taken } = read(said("x", null), said("a", "x"), said("x", null), said("b", "x"), said("c", "b"))
    assert.equal(taken, 5)
    assert.deepEqual(entriesOf(reading), [
      { id: "x", parentId: null, parent: -1 },
      { id: "a", parentId: "x", parent: 0 },
      { id: "b", parentId: "x", parent: 0 },
      { id: "c", parentId: "b", parent: 2 },
    ])
    assert.deepEqual(
      reading.damages.map(({ kind }) => kind),
      ["duplicate-record"],
    )
    assert.equal(reading.state.leaf, "c")
  })

  it("leave the leaf where a record that comes again leaves it", () => {
    const { reading } = read(said("x", null), said("a", "x"), said("x", null))
    assert.equal(reading.state.leaf, "a")
  })

  it("are told on by the next run where there are more than one tells", () => {
    const count = 2 * MAX_RUN + 3
    const many = Array.from({ length: count }, (_, n) => said(`m${n}`, n === 0 ? null : `m${n - 1}`))
    const { reading, taken } = read(...many, { type: "x-note" })
    assert.isAtLeast(taken, 2 * MAX_RUN)
    assert.deepEqual(reading.damages, [])
    assert.deepEqual(
      entriesOf(reading).map(({ parent }) => parent),
      many.map((_, n) => n - 1),
    )
    assert.equal(reading.state.leaf, `m${count - 1}`)
  })
})
