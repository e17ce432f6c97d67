import { describe, expect, test } from "vitest"
import { type Budget, Coverage, judge, type Law, NeverReached } from "../../laws/Law.ts"

/** A law whose generator makes its rare case from so many cases on. */
const rareFrom = (least: number, tried: Array<number>): Law => ({
  id: "ABC-1",
  sentence: "A rare case holds.",
  runs: 100,
  check: (budget: Budget) => {
    tried.push(budget.runs)
    const coverage = new Coverage()
    coverage.hit("rare", budget.runs >= least)
    coverage.demand(budget, ["rare"])
  },
})

describe("a class that a law wants judged", () => {
  test("gets one more try when chance left it out", async () => {
    const tried: Array<number> = []
    await judge(rareFrom(300, tried), { runs: 100 })
    expect(tried).toEqual([100, 400])
  })

  test("that never comes breaks the law", async () => {
    const tried: Array<number> = []
    await expect(judge(rareFrom(1_000, tried), { runs: 100 })).rejects.toBeInstanceOf(NeverReached)
    expect(tried).toEqual([100, 400])
  })

  test("is not tried again where a seed leaves nothing to chance", async () => {
    const tried: Array<number> = []
    await expect(judge(rareFrom(300, tried), { runs: 100, seed: 1 })).rejects.toThrow("never reached: rare")
    expect(tried).toEqual([100])
  })

  test("does not shield a law that is broken", async () => {
    const broken: Law = { ...rareFrom(1, []), check: () => Promise.reject(new Error("is false")) }
    await expect(judge(broken, { runs: 100 })).rejects.toThrow("is false")
  })
})
