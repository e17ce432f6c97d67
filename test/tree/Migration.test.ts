import { assert, describe, it } from "vitest"
import { positionalEntryId } from "../../src/model/Ids.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import { at, toArray } from "../../src/model/Sequence.ts"
import { inspect } from "../../src/tree/Reading.ts"
import { contextAt, entry, fixture, header, ids, pathOf, rewrite, said, source, stateOf, TIME, user } from "./Session.ts"

const bare = (content: string, more: JsonObject = {}): JsonObject => ({
  type: "message",
  timestamp: TIME,
  message: { role: "user", content },
  ...more,
})

const compaction = (firstKeptEntryIndex: unknown): JsonObject =>
  ({ type: "compaction", timestamp: TIME, summary: "S", tokensBefore: 1, firstKeptEntryIndex }) as JsonObject

describe("version 1", () => {
  it("gets ids by place, the header being place 0, and one chain of parents", () => {
    const state = stateOf(header(), bare("one"), bare("two"), bare("three"))
    assert.deepEqual(
      ids(state),
      [1, 2, 3].map((place) => positionalEntryId("S", place)),
    )
    assert.deepEqual(
      toArray(state.entries).map((found) => found.parentId),
      [null, ids(state)[0], ids(state)[1]],
    )
    assert.deepEqual(said(state), ["one", "two", "three"])
  })

  it("counts records that are not entries, so that an index means the same as when it was written", () => {
    const state = stateOf(header(), { type: "header_patch", patch: { title: "T" } }, bare("one"), bare("two"), compaction(3))
    assert.deepEqual(ids(state)[0], positionalEntryId("S", 2))
    assert.deepEqual(said(state), ["S", "two"])
  })

  it("keeps an id that a record has, and replaces one that is taken", () => {
    const state = stateOf(header(), bare("one", { id: "x" }), bare("two"), bare("three", { id: "x" }), bare("four", { id: 7 }))
    assert.deepEqual(ids(state), ["x", positionalEntryId("S", 2), positionalEntryId("S", 3), positionalEntryId("S", 4)])
    assert.deepEqual(said(state), ["one", "two", "three", "four"])
    assert.deepEqual(inspect(stateOf(header(), bare("one", { id: "x" })), bare("two", { id: "x" })), ["duplicate-id"])
  })

  it("steps over an id by place that another record has taken", () => {
    const taken = positionalEntryId("S", 2)
    const state = stateOf(header(), bare("one", { id: taken }), bare("two"))
    assert.equal(new Set(ids(state)).size, 2)
    assert.deepEqual(said(state), ["one", "two"])
  })

  it("maps the index of a compaction to the id at that place", () => {
    const state = stateOf(header(), bare("one"), bare("two"), compaction(2), bare("three"))
    const record = at(state.entries, 2)?.record ?? {}
    assert.equal(record["firstKeptEntryId"], positionalEntryId("S", 2))
    assert.isFalse(Object.hasOwn(record, "firstKeptEntryIndex"))
    assert.deepEqual(said(state), ["S", "two", "three"])
  })

  it("keeps nothing for an index that points at the header, ahead, nowhere, or is none, and keeps what it cannot map", () => {
    for (const index of [0, -1, 1.5, "2", null, true, 2 ** 60]) {
      const state = stateOf(header(), bare("one"), compaction(index), bare("two"))
      assert.deepEqual(said(state), ["S", "two"], JSON.stringify(index))
      assert.deepEqual(at(state.entries, 1)?.record["firstKeptEntryIndex"], index)
    }
    assert.deepEqual(said(stateOf(header(), bare("one"), compaction(3), bare("two"))), ["S", "two"])
    assert.deepEqual(said(stateOf(header(), bare("one"), compaction(2), bare("two"))), ["S", "two"])
    const mapped = stateOf(header(), { type: "header_patch" }, bare("one"), compaction(1))
    assert.equal(at(mapped.entries, 1)?.record["firstKeptEntryIndex"], 1)
  })

  it("shows the same ids at every opening, and others for another session", () => {
    const records = [header(), bare("one"), bare("two")]
    assert.deepEqual(ids(stateOf(...records)), ids(stateOf(...records)))
    assert.notDeepEqual(ids(stateOf(...records)), ids(stateOf(header(undefined, { id: "T" }), bare("one"), bare("two"))))
  })
})

describe("version 2", () => {
  it("turns the role hookMessage into custom, as version 1 does and version 3 does not", () => {
    const hook = { message: { role: "hookMessage", content: "h", customType: "x" } }
    for (const [version, role] of [
      [1, "custom"],
      [2, "custom"],
      [3, "hookMessage"],
      [5, "hookMessage"],
    ] as const) {
      const state = stateOf(header(version), entry("message", "a", null, hook))
      assert.equal(contextAt(state).messages[0]?.["role"], role, `version ${version}`)
    }
  })

  it("gives an id to an entry that lost its own, and says so", () => {
    const { id: _, ...lost } = user("", "a", "two")
    const state = stateOf(header(3), user("a", null, "one"))
    assert.deepEqual(inspect(state, lost), ["unusable-entry"])
    const after = stateOf(header(3), user("a", null, "one"), lost)
    assert.deepEqual(ids(after), ["a", positionalEntryId("S", 2)])
    assert.deepEqual(said(after), ["one", "two"])
  })

  it("keeps a record of an unknown type and without an id beside the tree", () => {
    const state = stateOf(header(3), user("a", null, "one"), { type: "of the future", x: 1 })
    assert.deepEqual(ids(state), ["a"])
    assert.equal(state.leaf, "a")
  })
})

describe("real files", () => {
  it("of version 1 with two compactions keep the entries that their indexes point at", () => {
    const records = fixture("pi/v1-two-compactions.jsonl")
    const state = stateOf(...records.map((record) => record.value))
    assert.equal(state.entries.length, records.length - 1)
    const kept = toArray(state.entries).filter((found) => found.record["type"] === "compaction")
    assert.deepEqual(
      kept.map(({ record }) => toArray(state.entries).find((other) => other.id === record["firstKeptEntryId"])?.index),
      [293, 551],
    )
    const last = kept.at(-1)
    const path = pathOf(state, state.leaf)
    const { messages } = contextAt(state)
    assert.equal(messages[0]?.["role"], "compactionSummary")
    assert.equal(messages[0]?.["summary"], last?.record["summary"])
    const afterwards = path.slice(path.indexOf(String(last?.record["firstKeptEntryId"])))
    const made = afterwards.filter((id) => toArray(state.entries).find((other) => other.id === id)?.record["type"] === "message")
    assert.equal(messages.length, 1 + made.length)
  })

  for (const name of [
    "pi/v1-1019-records",
    "pi/v1-two-compactions",
    "pi/v3-all-records",
    "pi/v3-fork",
    "omp/v3-title-slot",
    "gjc/v5",
  ]) {
    it(`${name} has the same context at every leaf after the rewrite, and no damage before or after`, () => {
      const records = fixture(`${name}.jsonl`)
      const state = stateOf(...records.map((record) => record.value))
      const lines = rewrite(records)
      const again = stateOf(...lines.map((line) => JSON.parse(line) as JsonObject))
      assert.deepEqual(ids(again), ids(state))
      const every = state.entries.length < 100 ? ids(state) : ids(state).filter((_, n) => n % 97 === 0)
      for (const leaf of [state.leaf, ...every]) assert.deepEqual(contextAt(again, leaf), contextAt(state, leaf))
      assert.deepEqual(rewrite(lines.map((raw) => ({ raw, value: JSON.parse(raw) as JsonObject }))), lines)
      for (const all of [records.map((record) => record.value), lines.map((line) => JSON.parse(line) as JsonObject)]) {
        const found = all.flatMap((record, n) => (n < 60 ? inspect(stateOf(...all.slice(0, n)), record) : []))
        assert.deepEqual(found, [])
      }
    })
  }

  it("of oh-my-pi lose the title slot to the header and nothing else", () => {
    const records = fixture("omp/v3-title-slot.jsonl")
    const lines = rewrite(records)
    assert.deepInclude(JSON.parse(lines[0] ?? ""), { version: 5, title: "User name", titleSource: "user" })
    assert.deepEqual(
      lines.slice(1),
      records.slice(2).map((record) => record.raw),
    )
    const usage = records.findIndex((record) => record.value["type"] === "model_usage")
    const before = stateOf(...records.slice(0, usage).map((record) => record.value))
    const after = stateOf(...records.slice(0, usage + 1).map((record) => record.value))
    assert.equal(after.leaf, before.leaf)
    assert.equal(after.entries.length, before.entries.length + 1)
  })

  it("of pi change their header alone", () => {
    const records = fixture("pi/v3-all-records.jsonl")
    assert.deepEqual(rewrite(records), [
      (records[0]?.raw ?? "").replace('"version":3', '"version":5'),
      ...records.slice(1).map((record) => record.raw),
    ])
  })
})

describe("the rewrite", () => {
  const line = (raw: string) => ({ raw, value: JSON.parse(raw) as JsonObject })

  it("changes no byte that it need not change", () => {
    const lines = rewrite([
      line('{ "type":"session", "id":"S","n":1.0 }'),
      line('{"type" : "message","timestamp":"t","message":{"role":"hookMessage","n":-0,"big":12345678901234567890},"x":1e999}'),
    ])
    const id = positionalEntryId("S", 1)
    assert.deepEqual(lines, [
      '{ "type":"session", "id":"S","n":1.0,"version":5 }',
      `{"type" : "message","timestamp":"t","message":{"role":"custom","n":-0,"big":12345678901234567890},"x":1e999,"id":"${id}","parentId":null}`,
    ])
  })

  it("puts a mapped index under its new name in its old place", () => {
    const lines = rewrite([
      line('{"type":"session","id":"S"}'),
      line('{"type":"compaction","firstKeptEntryIndex":1,"summary":"S"}'),
    ])
    const id = positionalEntryId("S", 1)
    assert.equal(lines[1], `{"type":"compaction","firstKeptEntryId":"${id}","summary":"S","id":"${id}","parentId":null}`)
  })

  it("writes anew a line with two members of one key, as it was read", () => {
    const lines = rewrite([line('{"type":"session","id":"S"}'), line('{"type":"custom","id":"a","id":"b"}')])
    assert.equal(lines[1], '{"type":"custom","id":"b","parentId":null}')
  })

  it("folds a patch into a message that was missing", () => {
    const lines = rewrite(
      [header(5), entry("message", "a", null), { type: "entry_patch", entryId: "a", patch: { message: { role: "user" } } }].map(
        source,
      ),
    )
    assert.deepEqual(
      lines.map((raw) => JSON.parse(raw)),
      [header(5), entry("message", "a", null, { message: { role: "user" } })],
    )
  })

  it("keeps the live leaf when it is not the last entry, and drops the patch that said so", () => {
    const records = [header(5), user("a", null, "one"), { type: "header_patch", patch: { leafId: null } }, user("b", "a", "two")]
    assert.deepEqual(
      rewrite(records.map(source)).map((raw) => JSON.parse(raw)["type"]),
      ["session", "message", "message"],
    )
    const moved = [...records, { type: "header_patch", patch: { leafId: "a" } }, { type: "header_patch", patch: { title: "T" } }]
    const lines = rewrite(moved.map(source))
    assert.equal(lines.at(-1), '{"type":"header_patch","patch":{"leafId":"a"}}')
    assert.equal(stateOf(...lines.map((raw) => JSON.parse(raw) as JsonObject)).leaf, "a")
  })

  it("knows that an entry beside the tree is not the leaf by itself", () => {
    const records = [header(3), user("a", null, "one"), entry("model_usage", "b", "a", { purpose: "title" })]
    assert.equal(rewrite(records.map(source)).length, 3)
    const onIt = [header(5), ...records.slice(1), { type: "header_patch", patch: { leafId: "b" } }]
    const lines = rewrite(onIt.map(source))
    assert.equal(stateOf(...lines.map((raw) => JSON.parse(raw) as JsonObject)).leaf, "b")
  })

  it("declares the star that it folds in", () => {
    const [first] = rewrite([header(5), { type: "header_patch", patch: { starred: true } }].map(source))
    assert.deepEqual(JSON.parse(first ?? ""), header(5, { starred: true, starredPatchVersion: 1 }))
  })

  it("writes a record once that was written twice, and keeps a second one under its id", () => {
    const records = [header(5), user("a", null, "one"), user("a", null, "one"), user("a", null, "other"), user("a", null, "one")]
    assert.deepEqual(
      rewrite(records.map(source)).slice(1),
      [user("a", null, "one"), user("a", null, "other"), user("a", null, "one")].map((record) => JSON.stringify(record)),
    )
  })

  it("gives a header to a file that has none", () => {
    const lines = rewrite([user("a", null, "one")].map(source))
    assert.deepInclude(JSON.parse(lines[0] ?? ""), { type: "session", version: 5, timestamp: TIME, cwd: "" })
    assert.deepEqual(said(stateOf(...lines.map((raw) => JSON.parse(raw) as JsonObject))), ["one"])
  })
})
