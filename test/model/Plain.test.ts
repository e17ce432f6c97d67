import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { MAX_DEPTH } from "../../src/model/Limits.ts"
import { plain } from "../../src/model/Plain.ts"

const refused = (value: unknown): unknown => Result.getOrUndefined(Result.flip(plain(value)))

describe("a host's value", () => {
  it("is the same reference when it is JSON already", () => {
    for (const value of [null, true, "x", 1.5, [], {}, { a: [1, { b: null }] }, JSON.parse('{"__proto__":1}')]) {
      assert.strictEqual(Result.getOrThrow(plain(value)), value)
    }
  })

  it("loses members that are undefined, at any depth, and is not changed itself", () => {
    const value = { a: undefined, b: [{ c: undefined, d: 1 }], ["__proto__"]: undefined }
    assert.equal(JSON.stringify(Result.getOrThrow(plain(value))), '{"b":[{"d":1}]}')
    assert.deepEqual(Object.keys(value.b[0] ?? {}), ["c", "d"])
    const kept = Result.getOrThrow(plain(JSON.parse('{"__proto__":{"x":1},"a":-0}')))
    assert.equal(JSON.stringify(kept), '{"__proto__":{"x":1},"a":0}')
  })

  it("has no minus zero, which JSON cannot write", () => {
    assert.isTrue(Object.is(Result.getOrThrow(plain(-0)), 0))
  })

  it("is refused, with the place, where JSON would bend it", () => {
    assert.deepEqual(refused({ a: [1, Number.NaN] }), { path: "a[1]", found: "NaN" })
    assert.deepEqual(refused({ a: { b: Number.POSITIVE_INFINITY } }), { path: "a.b", found: "Infinity" })
    assert.deepEqual(refused([undefined]), { path: "[0]", found: "undefined" })
    assert.deepEqual(refused({ a: () => 1 }), { path: "a", found: "function" })
    assert.deepEqual(refused({ a: 1n }), { path: "a", found: "bigint" })
    assert.deepEqual(refused({ a: new Date(0) }), { path: "a", found: "an instance of Date" })
    assert.deepEqual(refused({ a: new Map() }), { path: "a", found: "an instance of Map" })
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
    assert.deepEqual(refused([1, , 2]), { path: "[1]", found: "undefined" })
  })

  it("is refused when it is deeper than a record may be, or without end", () => {
    let deep: unknown = 1
    for (let n = 0; n < MAX_DEPTH; n++) deep = [deep]
    assert.isTrue(Result.isSuccess(plain(deep)))
    assert.isTrue(Result.isFailure(plain([deep])))
    const loop: { self?: unknown } = {}
    loop.self = loop
    assert.isTrue(Result.isFailure(plain(loop)))
  })
})
