import { assert, describe, it } from "vitest"
import { detectFormat } from "../../src/tree/Format.ts"
import { entry, fixture, header, user } from "./Session.ts"

const first = (name: string, count = 20) =>
  fixture(name)
    .slice(0, count)
    .map((record) => record.value)

describe("the format of a file", () => {
  it("is told from real sessions of each agent", () => {
    assert.deepEqual(detectFormat(first("gjc/v5.jsonl")), { _tag: "Tree", dialect: "gjc", version: 5 })
    assert.deepEqual(detectFormat(first("gjc/v5.jsonl", 1)), { _tag: "Tree", dialect: "gjc", version: 5 })
    assert.deepEqual(detectFormat(first("omp/v3-title-slot.jsonl")), { _tag: "Tree", dialect: "oh-my-pi", version: 3 })
    assert.deepEqual(detectFormat(first("omp/v3-title-slot.jsonl", 2)), { _tag: "Tree", dialect: "oh-my-pi", version: 3 })
    assert.deepEqual(detectFormat(first("omp/v3-title-slot.jsonl").slice(1)), { _tag: "Tree", dialect: "oh-my-pi", version: 3 })
    assert.deepEqual(detectFormat(first("pi/v3-all-records.jsonl")), { _tag: "Tree", dialect: "pi", version: 3 })
    assert.deepEqual(detectFormat(first("pi/v1-two-compactions.jsonl")), { _tag: "Tree", dialect: "pi", version: 1 })
    assert.deepEqual(detectFormat(first("garuda/20260923-201500-a1b2.jsonl")), { _tag: "Ledger" })
  })

  it("is what the header says where only one agent writes the version, or one that nobody knows", () => {
    assert.deepEqual(detectFormat([header(4)]), { _tag: "Tree", dialect: "gjc", version: 4 })
    assert.deepEqual(detectFormat([header("5")]), { _tag: "Tree", dialect: "gjc", version: "5" })
    assert.deepEqual(detectFormat([header(3), { type: "header_patch", patch: {} }]), { _tag: "Tree", dialect: "gjc", version: 3 })
  })

  it("is told from entries when the header is lost", () => {
    assert.deepEqual(detectFormat([user("a", null, "x")]), { _tag: "Tree", dialect: "pi", version: 5 })
    assert.deepEqual(detectFormat([entry("credential_pin", "a", null)]), { _tag: "Tree", dialect: "oh-my-pi", version: 5 })
  })

  it("is a tree's although an entry looks like a ledger's record", () => {
    assert.deepEqual(detectFormat([header(5), { ...user("a", null, "x"), t: "now" }])._tag, "Tree")
  })

  it("is unknown of other records, and of none", () => {
    assert.deepEqual(detectFormat([]), { _tag: "Unknown" })
    assert.deepEqual(detectFormat([{ type: "message" }, { a: 1 }]), { _tag: "Unknown" })
  })
})
