/** Workloads on one file, and where they are stopped: any, for chance, and all of them up to a length. */
import * as fc from "fast-check"
import type { Stop } from "../../src/disk/Schedule.ts"
import { lineOf, type Step } from "../CrashedWriter.ts"

/** The sizes of the fillers of the lines handed over together, before they have names. */
type Sketch =
  | { readonly do: "append"; readonly sizes: ReadonlyArray<number>; readonly sync: boolean }
  | { readonly do: "sync" | "reopen" }

/** Gives each line a name of its own: its number. */
export const drawn = (sketches: ReadonlyArray<Sketch>): ReadonlyArray<Step> => {
  let number = 0
  return sketches.map((sketch) =>
    sketch.do === "append"
      ? { do: "append", sync: sketch.sync, lines: sketch.sizes.map((size) => lineOf(`r${++number}`, size)) }
      : sketch,
  )
}

const size = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 60 }) },
  { weight: 2, arbitrary: fc.integer({ min: 300, max: 900 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 5_000 }) },
)

const sketch: fc.Arbitrary<Sketch> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("append"),
      sizes: fc.array(size, { minLength: 1, maxLength: 4 }),
      sync: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("sync", "reopen") }) },
)

export const workload: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(sketch, { minLength: 1, maxLength: 6 }).map(drawn)

export const stop: fc.Arbitrary<Stop> = fc.oneof(
  fc.constantFrom("before" as const, "after" as const),
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 41, max: 4_000 }),
)

/** The operations of small workloads: a line within a page, two lines across a border of pages, a line that is not synced, a next process. */
const letters: ReadonlyArray<Sketch> = [
  { do: "append", sizes: [30], sync: true },
  { do: "append", sizes: [300, 90], sync: true },
  { do: "append", sizes: [200], sync: false },
  { do: "reopen" },
]

/** How many small workloads there are of up to so many operations. */
export const smallWorkloads = (most: number): number =>
  Array.from({ length: most }, (_, at) => letters.length ** (at + 1)).reduce((sum, count) => sum + count, 0)

/** The workload of this number, counted from 0: all of one operation, then all of two, and so on. */
export const smallWorkload = (number: number): ReadonlyArray<Step> => {
  let length = 1
  let rest = number
  for (; rest >= letters.length ** length; length++) rest -= letters.length ** length
  const sketches: Array<Sketch> = []
  for (let at = 0; at < length; at++) {
    sketches.push(letters[rest % letters.length] as Sketch)
    rest = Math.floor(rest / letters.length)
  }
  return drawn(sketches.reverse())
}

/** One batch on many pages: a line on twelve, two lines, or a line on each page. */
export const wideWorkloads: ReadonlyArray<ReadonlyArray<Step>> = [[5_700], [1_300, 1_300], [400, 400, 400, 400, 400, 400]].map(
  (sizes) => drawn([{ do: "append", sizes, sync: true }]),
)
