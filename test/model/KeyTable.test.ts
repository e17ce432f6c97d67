import { assert, describe, it } from "vitest"
import { KeyTable } from "../../src/model/KeyTable.ts"

const numbered = (count: number, name: (n: number) => string): KeyTable => {
  const table = new KeyTable()
  for (let n = 0; n < count; n++) table.add(name(n))
  return table
}

describe("a table of keys", () => {
  it("knows where each of many keys stands, and none that never came", () => {
    const name = (n: number): string => (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0")
    const table = numbered(50_000, name)
    assert.equal(table.length, 50_000)
    for (let n = 0; n < 50_000; n += 7) {
      assert.equal(table.lastPosition(name(n)), n)
      assert.equal(table.key(n), name(n))
      assert.equal(table.before(n), -1)
    }
    assert.equal(table.lastPosition("0000000g"), -1)
  })

  it("is the same whether many, few or none are expected, and whenever", () => {
    const name = (n: number): string => (n % 10 === 0 ? "again" : `key ${n}`)
    const plain = numbered(5_000, name)
    for (const [after, keys] of [
      [0, 5_000],
      [100, 6_000],
      [100, 50],
      [2_000, 2_001],
    ] as const) {
      const table = numbered(after, name)
      table.expect(keys)
      for (let n = after; n < 5_000; n++) table.add(name(n))
      for (let n = 0; n < 5_000; n++) {
        assert.equal(table.key(n), plain.key(n))
        assert.equal(table.before(n), plain.before(n))
        assert.equal(table.lastPosition(name(n)), plain.lastPosition(name(n)))
      }
    }
  })

  it("gives the last of several, and leads back to those before", () => {
    const table = numbered(9_000, (n) => `k${n % 3}`)
    assert.equal(table.lastPosition("k1"), 8_998)
    assert.equal(table.before(8_998), 8_995)
    assert.equal(table.before(1), -1)
    assert.equal(table.key(8_998), "k1")
  })

  it("tells keys apart that are long, empty, not ASCII or half a pair", () => {
    const keys = ["", "é", "\ud800", "\ud801", "\ufffd", "x".repeat(64), "x".repeat(65), "__proto__", "constructor"]
    const table = numbered(keys.length, (n) => keys[n] ?? "")
    assert.deepEqual(
      keys.map((key) => table.lastPosition(key)),
      [...keys.keys()],
    )
    assert.deepEqual(
      [...keys.keys()].map((position) => table.key(position)),
      keys,
    )
    assert.equal(table.lastPosition("x".repeat(66)), -1)
  })

  it("keeps keys apart that were chosen to have one hash", () => {
    // The low bits of the hash decide the place: of many keys, those that want one of few places.
    const hashOf = (key: string): number => {
      let hash = 0x811c9dc5
      for (const character of key) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
      hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
      return (hash ^ (hash >>> 13)) >>> 0
    }
    const crowd: Array<string> = []
    for (let n = 0; crowd.length < 200; n++) if ((hashOf(`c${n}`) & 0xfff) === 5) crowd.push(`c${n}`)
    const table = numbered(2 * crowd.length, (n) => crowd[n % crowd.length] ?? "")
    for (const [n, key] of crowd.entries()) {
      assert.equal(table.lastPosition(key), crowd.length + n)
      assert.equal(table.before(crowd.length + n), n)
      assert.equal(table.key(n), key)
    }
    assert.equal(table.lastPosition("c"), -1)
  })
})
