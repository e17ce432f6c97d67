import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Forest } from "../../src/tree/Tree.ts"
import { type Row, rows } from "../../src/view/Drawing.ts"

/** A forest from the parent of each position, which is smaller or -1. */
const forestOf = (parents: ReadonlyArray<number>): Forest => {
  const below = new Map<number, Array<number>>()
  for (const [position, parent] of parents.entries()) {
    const siblings = below.get(parent)
    if (siblings === undefined) below.set(parent, [position])
    else siblings.push(position)
  }
  return { roots: below.get(-1) ?? [], childrenOf: (position) => below.get(position) ?? [] }
}

/** Trees that grew anyhow, and trees in which every entry has two children: those are indented most. */
const parents = fc.oneof(
  fc
    .array(fc.nat(), { maxLength: 200 })
    .map((seeds) => seeds.map((seed, position) => (seed % 13 === 0 || position === 0 ? -1 : seed % position))),
  fc.nat({ max: 200 }).map((length) => Array.from({ length }, (_, position) => (position === 0 ? -1 : (position - 1) >> 1))),
)

const none = (): boolean => false

const draw = (forest: Forest, isLive: (position: number) => boolean = none): ReadonlyArray<string> =>
  [...rows(forest, isLive)].map(({ lead, position }) => `${lead}${position}`)

describe("a drawing", () => {
  test("goes straight down, side branches first, the way to the leaf last", () => {
    const forest = forestOf([-1, 0, 0, 1, 1, 2, -1, 6])
    expect(draw(forest)).toEqual(["╭ 0", "├─╮ 2", "│ ╰ 5", "│ 1", "├─╴ 3", "╰ 4", "╭ 6", "╰ 7"])
    const live = new Set([0, 2, 5])
    expect(draw(forest, (position) => live.has(position))).toEqual([
      "╭ 0",
      "├─╮ 1",
      "│ ├─╴ 3",
      "│ ╰ 4",
      "│ 2",
      "╰ 5",
      "╭ 6",
      "╰ 7",
    ])
    expect(draw(forestOf([-1]))).toEqual(["╶ 0"])
    expect(draw(forestOf([]))).toEqual([])
  })

  test("has every entry once, each below its parent, and no more indentation than log2 of the entries", () => {
    let deepest = 0
    fc.assert(
      fc.property(parents, (list) => {
        const drawn = [...rows(forestOf(list), none)]
        expect(drawn.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual(list.map((_, position) => position))
        const place = new Map(drawn.map(({ position }, at) => [position, at]))
        list.forEach((parent, position) => {
          if (parent >= 0) expect(place.get(parent) ?? -1).toBeLessThan(place.get(position) ?? -1)
        })
        for (const row of drawn) deepest = Math.max(deepest, indentation(row))
        for (const row of drawn) expect(indentation(row)).toBeLessThanOrEqual(Math.log2(Math.max(list.length, 1)) + 1)
      }),
    )
    expect(deepest).toBeGreaterThan(3)
  })

  test("is one column for a line of a hundred thousand entries", () => {
    const list = Array.from({ length: 100_000 }, (_, position) => position - 1)
    const drawn = [...rows(forestOf(list), none)]
    expect(drawn).toHaveLength(100_000)
    expect(Math.max(...drawn.map(indentation))).toBe(0)
  })

  test("marks as joints where chains begin, end and part", () => {
    const joints = [...rows(forestOf([-1, 0, 1, 2, 2, 4]), none)].filter(({ isJoint }) => isJoint).map(({ position }) => position)
    expect(joints).toEqual([0, 2, 3, 5])
  })
})

/** Columns between the left edge and the chain of a row, in steps of two. */
const indentation = ({ lead }: Row): number => (lead.length - 2) / 2
