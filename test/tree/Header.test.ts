import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { checkVersion, readHeader, sanitiseTitle } from "../../src/tree/Header.ts"
import { title } from "../../src/tree/Overview.ts"
import { inspect } from "../../src/tree/Reading.ts"
import { begin } from "../../src/tree/Rewrite.ts"
import { evolve, treeModel } from "../../src/tree/TreeModel.ts"
import { entry, fixture, header, ids, rewrite, said, source, stateOf, user } from "./Session.ts"

describe("the version of a header", () => {
  it("is 1 when absent, and any integer from 1 to 5", () => {
    assert.deepEqual(checkVersion(header()), Result.succeed(1))
    for (const version of [1, 2, 3, 4, 5] as const) assert.deepEqual(checkVersion(header(version)), Result.succeed(version))
  })

  it("is refused, and named, when it is anything else", () => {
    for (const version of [0, -1, 6, 999, 4.5, "5", null, [], {}] as ReadonlyArray<Json>) {
      const checked = checkVersion(header(version))
      assert.isTrue(Result.isFailure(checked), JSON.stringify(version))
      if (Result.isFailure(checked)) {
        assert.equal(checked.failure.code, "tree.unsupported_version")
        assert.deepEqual(checked.failure.version, version)
        assert.include(checked.failure.message, JSON.stringify(version))
      }
    }
  })

  it("is refused before anything is written: by every command and by the rewrite", () => {
    const state = stateOf(header(999), user("a", null, "hello"))
    assert.deepEqual(said(state), ["hello"])
    assert.isTrue(Result.isFailure(begin(state)))
    const stamp = { at: 0, entropy: "00".repeat(16) }
    const decided = treeModel.decide(state, { do: "custom", customType: "x" }, stamp)
    assert.isTrue(Result.isFailure(decided) && decided.failure.code === "tree.unsupported_version")
  })
})

describe("a title", () => {
  it("is one line without control characters, runs of space or space at its ends", () => {
    assert.equal(sanitiseTitle("  a\u0000\n\tb \u0085 c\u2028d "), "a b c d")
    assert.equal(sanitiseTitle(" \n "), "")
  })

  it("is cut at 1,000 units and never inside a pair", () => {
    assert.equal(sanitiseTitle("x".repeat(1_200)), "x".repeat(1_000))
    assert.equal(sanitiseTitle(`${"x".repeat(999)}🌿🌿`), "x".repeat(999))
    assert.equal(sanitiseTitle(`${"x".repeat(998)}🌿🌿`), `${"x".repeat(998)}🌿`)
    assert.equal(sanitiseTitle(`${"x".repeat(998)}🌿`), `${"x".repeat(998)}🌿`)
  })

  it("of an oh-my-pi slot stands for the header's, unless it is empty", () => {
    const slot = { type: "title", v: 1, title: "Slot", source: "user", updatedAt: "", pad: " " }
    assert.deepEqual(title(stateOf(slot, header(3, { title: "Old" }))), { title: "Slot", source: "user" })
    assert.deepEqual(title(stateOf({ ...slot, title: "" }, header(3, { title: "Old" }))), { title: "Old", source: "auto" })
  })

  it("of pi and oh-my-pi entries counts when the header has none", () => {
    const named = entry("session_info", "a", null, { name: "By hand" })
    const changed = entry("title_change", "b", "a", { title: "By itself", source: "auto" })
    assert.deepEqual(title(stateOf(header(3), named)), { title: "By hand", source: "user" })
    assert.deepEqual(title(stateOf(header(3), named, changed)), { title: "By itself", source: "auto" })
    assert.deepEqual(title(stateOf(header(3), named, user("b", "a", "later"))), { title: "By hand", source: "user" })
    assert.deepEqual(title(stateOf(header(3, { title: "T", titleSource: "user" }), named)), { title: "T", source: "user" })
  })

  it("of a pi entry is taken away by one without a name, and stays when the name is of a wrong kind", () => {
    const named = (id: string, more: JsonObject): JsonObject => entry("session_info", id, null, more)
    const first = named("a", { name: " By hand " })
    for (const cleared of [{}, { name: "" }, { name: " \n" }, { name: null }])
      assert.equal(title(stateOf(header(3), first, named("b", cleared))), undefined, JSON.stringify(cleared))
    assert.deepEqual(title(stateOf(header(3), first, named("b", { name: 5 }))), { title: "By hand", source: "user" })
    const again = named("c", { name: "Again" })
    assert.deepEqual(title(stateOf(header(3), first, named("b", { name: "" }), again)), { title: "Again", source: "user" })
    const given = stateOf(header(3, { title: "T" }), named("b", { name: "" }))
    assert.deepEqual(title(given), { title: "T", source: "auto" }, "the header's title is another one")
  })
})

describe("a header that is not as it should be", () => {
  it("is read without trust", () => {
    const read = readHeader({ type: "session", id: 5, cwd: null, title: 7, titleSource: "both", starred: "yes" })
    assert.deepEqual(read, {
      id: "",
      cwd: undefined,
      timestamp: undefined,
      title: undefined,
      titleSource: undefined,
      parentSession: undefined,
      starred: false,
    })
  })

  it("of version 1 says where the session came from under another name, before and after the rewrite", () => {
    const records = fixture("pi/v1-two-compactions.jsonl")
    const from = records[0]?.value["branchedFrom"]
    assert.isString(from)
    assert.equal(readHeader(records[0]?.value ?? {}).parentSession, from)
    assert.equal(readHeader(JSON.parse(rewrite(records)[0] ?? "") as JsonObject).parentSession, from)
    assert.equal(readHeader(header(5, { parentSession: "p", branchedFrom: "/b" })).parentSession, "p")
  })

  it("that is missing is made up, the same each time, and reported once", () => {
    const records = [user("a", null, "one"), user("b", "a", "two")]
    const state = stateOf(...records)
    assert.isTrue(state.headerMadeUp)
    assert.equal(state.version, 5)
    assert.deepEqual(said(state), ["one", "two"])
    assert.deepEqual(stateOf(...records).header, state.header)
    assert.deepEqual(inspect(treeModel.initial, records[0] ?? {}), ["bad-header"])
    assert.deepEqual(inspect(stateOf(records[0] ?? {}), records[1] ?? {}), [])
  })

  it("that is missing before entries without ids was one of version 1", () => {
    const bare = (content: string) => ({ type: "message", timestamp: "t", message: { role: "user", content } })
    const state = stateOf(bare("one"), bare("two"))
    assert.equal(state.version, 1)
    assert.deepEqual(said(state), ["one", "two"])
  })

  it("that lacks its id has one made up and keeps the rest", () => {
    const { id: _, ...rest } = header(5, { title: "T" })
    const state = stateOf(rest, user("a", null, "one"))
    assert.isTrue(state.headerMadeUp)
    assert.deepInclude(state.header ?? {}, rest)
    assert.match(String(state.header?.["id"]), /^recovered-[0-9a-f]{8}$/)
    assert.deepEqual(inspect(treeModel.initial, rest), ["bad-header"])
  })

  it("that comes after a note is still the header, and comes first after the rewrite", () => {
    const note = { odd: true }
    assert.deepEqual(inspect(treeModel.initial, note), ["bad-header"])
    const state = stateOf(note, header(3), user("a", null, "one"))
    assert.isFalse(state.headerMadeUp)
    assert.equal(state.version, 3)
    const lines = rewrite([note, header(3), user("a", null, "one")].map(source))
    assert.deepEqual(
      lines,
      [header(5), note, user("a", null, "one")].map((record) => JSON.stringify(record)),
    )
  })

  it("that is a second one is reported and changes nothing", () => {
    const state = stateOf(header(5, { title: "T" }), user("a", null, "one"))
    const second = header(5, { id: "other", title: "U" })
    assert.deepEqual(inspect(state, second), ["extra-header"])
    const after = evolve(state, second)
    assert.deepEqual(after.header, state.header)
    assert.deepEqual(ids(after), ["a"])
  })

  it("stays away from a file that has neither header nor entries", () => {
    const notes = [{ odd: true }, { type: "header_patch", patch: { title: "T" } }].map(source)
    assert.deepEqual(
      rewrite(notes),
      notes.map((note) => note.raw),
    )
  })
})
