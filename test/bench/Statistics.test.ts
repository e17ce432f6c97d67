import { assert, describe, it } from "vitest"
import { rounds } from "./Bench.ts"
import { ChildFailed } from "./Child.ts"
import { median, quantile, ratios, summarise } from "./Statistics.ts"
import { figure, judge, judgeRatio } from "./Verdict.ts"

describe("quantile", () => {
  it("is a value of the list where there is one at the place, in whatever order the list stands", () => {
    const values = [50, 10, 40, 20, 30]
    assert.deepEqual(
      [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(values, share)),
      [10, 20, 30, 40, 50],
    )
    assert.deepEqual(values, [50, 10, 40, 20, 30])
  })

  it("lies between two values in proportion", () => {
    assert.equal(quantile([0, 10], 0.99), 9.9)
    assert.equal(median([4, 1, 3, 2]), 2.5)
  })

  it("orders numbers as numbers", () => assert.equal(median([9, 100, 10]), 10))

  it("is that one value of one, and nothing of none", () => {
    assert.equal(quantile([7], 0.99), 7)
    assert.isNaN(quantile([], 0.5))
  })
})

describe("summarise", () => {
  it("keeps every sample, in its round's order", () =>
    assert.deepEqual(summarise([3, 1, 2]), { median: 2, low: 1, high: 3, samples: [3, 1, 2] }))
})

describe("ratios", () => {
  it("are of the same round", () => assert.deepEqual(ratios([10, 30], [5, 3]), [2, 10]))
  it("are as many as both have", () => assert.deepEqual(ratios([10, 30, 40], [5]), [2]))
})

describe("verdicts", () => {
  const least = { target: "t", direction: "at-least", wanted: 10 } as const
  const most = { target: "t", direction: "at-most", wanted: 10 } as const

  it("are met at the value itself", () => {
    assert.equal(judge(least, [10], "").outcome, "met")
    assert.equal(judge(most, [10], "").outcome, "met")
  })

  it("say by which factor they are missed, in either direction", () => {
    assert.deepInclude(judge(least, [4, 5, 6], ""), { outcome: "missed", measured: 5, low: 4, high: 6, factor: 2 })
    assert.deepInclude(judge(most, [30], ""), { outcome: "missed", factor: 3 })
  })

  it("are none without a measurement, and say why", () => {
    assert.deepEqual(judge(least, [], "no peer"), { ...least, outcome: "not-measured", why: "no peer" })
    assert.equal(judge(least, [Number.NaN], "").outcome, "not-measured")
    assert.equal(judgeRatio(least, [], [1], "failed").outcome, "not-measured")
  })

  it("take quotients of rounds, not of medians", () => {
    // The medians are 100 and 10; of the rounds, two have 1.
    assert.equal(judgeRatio(least, [10, 100, 100], [10, 100, 1], "").measured, 1)
  })
})

describe("figures", () => {
  it("hold what was measured", () =>
    assert.deepEqual(figure("a", "ms", [1, 3]), { name: "a", unit: "ms", median: 2, low: 1, high: 3, samples: [1, 3] }))
})

describe("rounds", () => {
  it("measures everybody once in each, beginning with another one each time", async () => {
    const order: Array<string> = []
    const party = (name: string) => ({ name, run: async () => order.push(name) })
    const measured = await rounds(3, [party("a"), party("b")])
    assert.deepEqual(order, ["a", "b", "b", "a", "a", "b"])
    assert.deepEqual(measured.of("a"), [1, 4, 5])
  })

  it("leaves out who fails, with what it had measured, and says so", async () => {
    let calls = 0
    const failing = {
      name: "f",
      run: async () => {
        calls += 1
        if (calls === 2) throw new ChildFailed("out of memory")
        return calls
      },
    }
    const measured = await rounds(3, [failing, { name: "g", run: async () => 0 }])
    assert.equal(calls, 2)
    assert.deepEqual([measured.of("f"), measured.of("g")], [[], [0, 0, 0]])
    assert.deepEqual([measured.failures, measured.why], [["f: out of memory"], "f: out of memory"])
  })

  it("hides no bug of its own", async () => {
    const broken = async (): Promise<never> => {
      throw new TypeError("a bug")
    }
    let caught: unknown
    await rounds(1, [{ name: "b", run: broken }]).catch((cause: unknown) => {
      caught = cause
    })
    assert.instanceOf(caught, TypeError)
  })
})
