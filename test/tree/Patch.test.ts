import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { title } from "../../src/tree/Overview.ts"
import { parsePatch } from "../../src/tree/Patch.ts"
import { inspect } from "../../src/tree/Reading.ts"
import { evolve } from "../../src/tree/TreeModel.ts"
import { assistant, entry, header, said, stateOf, user } from "./Session.ts"

const headerPatch = (patch: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "header_patch", patch, ...more })
const entryPatch = (entryId: string, content: string, more: JsonObject = {}): JsonObject => ({
  type: "entry_patch",
  entryId,
  patch: { message: { role: "user", content } },
  ...more,
})

describe("a patch", () => {
  it("is refused as a whole, with a reason, when a member is unknown or of the wrong kind", () => {
    const refusal = (record: JsonObject) => Result.getOrUndefined(Result.flip(parsePatch(record)))
    assert.deepEqual(refusal(headerPatch({ title: "T", x: 1 })), { _tag: "UnknownMember", member: "patch.x" })
    assert.deepEqual(refusal(headerPatch({ title: "T" }, { id: "a" })), { _tag: "UnknownMember", member: "id" })
    assert.deepEqual(refusal(headerPatch({ titleSource: "both" })), { _tag: "WrongType", member: "patch.titleSource" })
    assert.deepEqual(refusal(headerPatch({ leafId: 5 })), { _tag: "WrongType", member: "patch.leafId" })
    assert.deepEqual(refusal({ type: "header_patch" }), { _tag: "WrongType", member: "patch" })
    assert.deepEqual(refusal({ type: "entry_patch", patch: { message: {} } }), { _tag: "WrongType", member: "entryId" })
    assert.deepEqual(refusal({ type: "entry_patch", entryId: "a", patch: {} }), { _tag: "WrongType", member: "patch.message" })
    assert.deepEqual(refusal({ type: "entry_patch", entryId: "a", patch: { message: {}, __x: 1 } }), {
      _tag: "UnknownMember",
      member: "patch.__x",
    })
    const hidden = JSON.parse('{"type":"header_patch","patch":{"title":"T","__proto__":{"cwd":"/x"}}}') as JsonObject
    assert.deepEqual(refusal(hidden), { _tag: "UnknownMember", member: "patch.__proto__" })
  })

  it("has no effect before its header, its version or its target", () => {
    const late = stateOf(header(5), entryPatch("a", "changed"), user("a", null, "as it was"))
    assert.deepEqual(said(late), ["as it was"])
    assert.deepEqual(inspect(stateOf(header(5)), entryPatch("a", "changed")), ["unusable-patch"])
    assert.deepEqual(inspect(stateOf(header(3), user("a", null, "x")), entryPatch("a", "changed")), ["unusable-patch"])
    assert.equal(title(stateOf(headerPatch({ title: "T" }), header(5))), undefined)
  })

  it("has no effect on an entry that is not a message", () => {
    const state = stateOf(header(5), entry("custom", "a", null, { customType: "x" }))
    assert.deepEqual(inspect(state, entryPatch("a", "changed")), ["unusable-patch"])
  })

  it("is the last word on what it names, in file order, and leaves the rest", () => {
    const state = stateOf(
      header(5, { title: "T", cwd: "/w" }),
      headerPatch({ title: "U", cwd: "/x" }),
      headerPatch({ title: "V" }),
    )
    assert.deepInclude(state.header ?? {}, { title: "V", cwd: "/x", id: "S" })
    const patched = stateOf(header(4), user("a", null, "0"), entryPatch("a", "1"), entryPatch("a", "2"))
    assert.deepEqual(said(patched), ["2"])
  })

  it("of an entry reaches the last one of that id, and no state before it", () => {
    const before = stateOf(header(5), user("a", null, "first"), user("a", null, "second"))
    const after = evolve(before, entryPatch("a", "changed"))
    assert.deepEqual(said(after), ["changed"])
    assert.deepEqual(said(before), ["second"])
  })

  it("of a header never moves the leaf, unless it says so with leafId", () => {
    const state = stateOf(header(5), user("a", null, "one"), assistant("b", "a", "two"))
    assert.equal(evolve(state, headerPatch({ title: "T" })).leaf, "b")
    assert.equal(evolve(state, headerPatch({ leafId: "a" })).leaf, "a")
    assert.equal(evolve(state, headerPatch({ leafId: null })).leaf, null)
    assert.deepEqual(said(evolve(state, headerPatch({ leafId: null }))), [])
    assert.isFalse(Object.hasOwn(evolve(state, headerPatch({ leafId: "a" })).header ?? {}, "leafId"))
  })

  it("to a leaf that is not there is unusable and moves nothing", () => {
    const state = stateOf(header(5), user("a", null, "one"))
    assert.deepEqual(inspect(state, headerPatch({ leafId: "gone", title: "T" })), ["unusable-patch"])
    const after = evolve(state, headerPatch({ leafId: "gone", title: "T" }))
    assert.equal(after.leaf, "a")
    assert.equal(title(after), undefined)
  })

  it("survives a second header, so that a star set before it stays", () => {
    const state = stateOf(header(5), headerPatch({ starred: true }), header(5, { id: "x" }))
    assert.equal(state.header?.["starred"], true)
  })
})
