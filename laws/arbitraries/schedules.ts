/** Schedules of appends to several files: what a host does to a writer. */
import * as fc from "fast-check"

export type Await = "nothing" | "written" | "synced"

/** Records handed over together. */
export interface Appended {
  /** The sizes of the payloads of the records handed over together. */
  readonly sizes: ReadonlyArray<number>
  /** What the host waits for before the next step. */
  readonly wait: Await
  /** Whether the host wants to know when the records are synced. Asking for it makes the writer sync. */
  readonly asks: boolean
}

export interface AppendStep extends Appended {
  /** The number of the file. */
  readonly file: number
}

export interface Schedule {
  readonly files: number
  readonly durability: "written" | "synced"
  /** The bound of each file's queue in bytes. Small ones make producers wait. */
  readonly queueBytes: number
  readonly steps: ReadonlyArray<AppendStep>
}

const sizes = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 500, max: 3_000 }) },
  ),
  { minLength: 1, maxLength: 3 },
)

const parts = {
  sizes,
  wait: fc.constantFrom<Await>("nothing", "nothing", "written", "synced"),
  asks: fc.boolean(),
}

export const appended: fc.Arbitrary<Appended> = fc.record(parts)

export const schedule = (maxFiles = 3, maxSteps = 12): fc.Arbitrary<Schedule> =>
  fc.integer({ min: 1, max: maxFiles }).chain((files) =>
    fc.record({
      files: fc.constant(files),
      durability: fc.constantFrom("written" as const, "synced" as const),
      queueBytes: fc.constantFrom(64, 1_000, 1 << 20),
      steps: fc.array(
        fc.record({
          file: fc.integer({ min: 0, max: files - 1 }),
          ...parts,
        }),
        { minLength: 1, maxLength: maxSteps },
      ),
    }),
  )
