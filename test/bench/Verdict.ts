/** Targets against figures. Pure. */
import type { Figure, Verdict } from "./Report.ts"
import { ratios, type Summary, summarise } from "./Statistics.ts"

export const figure = (name: string, unit: string, samples: ReadonlyArray<number>): Figure => ({
  name,
  unit,
  ...summarise(samples),
})

const judged = (target: string, direction: Verdict["direction"], wanted: number, measured: Summary): Verdict => {
  const { median, low, high } = measured
  const isMet = direction === "at-least" ? median >= wanted : median <= wanted
  const factor = direction === "at-least" ? wanted / median : median / wanted
  return {
    target,
    direction,
    wanted,
    measured: median,
    low,
    high,
    outcome: isMet ? "met" : "missed",
    ...(isMet ? {} : { factor }),
  }
}

export interface Wanted {
  readonly target: string
  readonly direction: Verdict["direction"]
  readonly wanted: number
}

export const notMeasured = (wanted: Wanted, why: string): Verdict => ({ ...wanted, outcome: "not-measured", why })

/** Judges the median of values, or says that there are none. */
export const judge = ({ target, direction, wanted }: Wanted, values: ReadonlyArray<number>, why: string): Verdict =>
  values.length === 0 || !values.every(Number.isFinite)
    ? notMeasured({ target, direction, wanted }, values.length === 0 ? why : "nothing came through in the time")
    : judged(target, direction, wanted, summarise(values))

/** Judges the quotients of what was measured in the same rounds. */
export const judgeRatio = (wanted: Wanted, above: ReadonlyArray<number>, below: ReadonlyArray<number>, why: string): Verdict =>
  judge(wanted, ratios(above, below), why)
