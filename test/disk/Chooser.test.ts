import { expect, test } from "vitest"
import { everyChoice, listChooser, seededChooser } from "../../src/disk/Chooser.ts"

test("every sequence of answers is tried once, the mildest first", () => {
  const seen: Array<string> = []
  const result = everyChoice(100, (choose) => {
    const first = choose(3)
    seen.push(first === 1 ? `${first}` : `${first}${choose(2)}`)
  })
  expect(seen).toEqual(["00", "01", "1", "20", "21"])
  expect(result).toEqual({ visits: 5, complete: true })
})

test("a visit that asks nothing is made once", () => {
  expect(everyChoice(100, () => {})).toEqual({ visits: 1, complete: true })
})

test("a limit ends the enumeration and says that it is not complete", () => {
  expect(everyChoice(3, (choose) => void choose(4))).toEqual({ visits: 3, complete: false })
  expect(everyChoice(4, (choose) => void choose(4))).toEqual({ visits: 4, complete: true })
})

test("a seed gives the same answers again, and all of them in time", () => {
  const answers = (seed: number) => {
    const choose = seededChooser(seed)
    return Array.from({ length: 200 }, () => choose(5))
  }
  expect(answers(7)).toEqual(answers(7))
  expect(answers(7)).not.toEqual(answers(8))
  expect(new Set(answers(7))).toEqual(new Set([0, 1, 2, 3, 4]))
})

test("a list answers in order and mildly after its end", () => {
  const choose = listChooser([5, 1, -3])
  expect([choose(4), choose(2), choose(2), choose(9)]).toEqual([1, 1, 1, 0])
})
