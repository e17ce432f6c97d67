import { assert, describe, it } from "vitest"
import { append, at, empty, from, last, lastPosition, positions, toArray } from "../../src/model/Sequence.ts"

const keyed = empty<string>((item) => item[0])

describe("a sequence", () => {
  it("keeps its length and its answers when another grows out of it", () => {
    const one = append(keyed, "a1")
    const two = append(one, "a2")
    assert.deepEqual(toArray(one), ["a1"])
    assert.equal(last(one, "a"), "a1")
    assert.equal(last(two, "a"), "a2")
    assert.equal(at(one, 1), undefined)
    assert.deepEqual(positions(one, "a"), [0])
  })

  it("that is appended to twice gives two that know nothing of each other", () => {
    const one = append(keyed, "a1")
    const left = append(one, "b")
    const right = append(append(one, "c"), "b2")
    assert.deepEqual(toArray(left), ["a1", "b"])
    assert.deepEqual(toArray(right), ["a1", "c", "b2"])
    assert.equal(lastPosition(left, "c"), -1)
    assert.equal(last(left, "b"), "b")
    assert.equal(last(right, "b"), "b2")
  })

  it("answers for a key that stands once, twice and often, in each of the sequences that grew out of each other", () => {
    const grown = [keyed]
    for (const item of ["a1", "b", "a2", "a3", "c"]) grown.push(append(grown.at(-1) ?? keyed, item))
    assert.deepEqual(
      grown.map((one) => lastPosition(one, "a")),
      [-1, 0, 0, 2, 3, 3],
    )
    assert.deepEqual(
      grown.map((one) => [...positions(one, "a")]),
      [[], [0], [0], [0, 2], [0, 2, 3], [0, 2, 3]],
    )
    assert.deepEqual(
      grown.map((one) => lastPosition(one, "c")),
      [-1, -1, -1, -1, -1, 4],
    )
  })

  it("can be made of items, and shares nothing with their list", () => {
    const items = ["a", "b"]
    const made = from(items)
    items.push("c")
    const grown = append(made, "d")
    assert.deepEqual(
      [toArray(made), toArray(grown), toArray(append(made, "e"))],
      [
        ["a", "b"],
        ["a", "b", "d"],
        ["a", "b", "e"],
      ],
    )
    assert.deepEqual(toArray(append(from<string>([]), "f")), ["f"])
    assert.deepEqual(items, ["a", "b", "c"])
  })

  it("that is empty holds on to nothing that was appended to it", () => {
    append(append(keyed, "a"), "b")
    assert.equal(keyed.shared.items.length, 0)
    assert.equal(keyed.shared.index.size, 0)
  })
})
