/** The law of following: what a reader sees of a file while it is written. */
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { Follower, type FollowItem } from "../src/journal/Follower.ts"
import { type Act, act, FollowedWriter, keyOf } from "./arbitraries/follow.ts"
import { Coverage, type Law, parameters } from "./Law.ts"
import { demand } from "./Reading.ts"

const path = "/home/session.jsonl"

interface Script {
  readonly acts: ReadonlyArray<Act>
  /** How many steps the follower takes after each operation of the writer; 9: as many as it needs. */
  readonly polls: ReadonlyArray<number>
  readonly chunkBytes: number
  /** After which act the follower begins at the end; 0: it begins with the file, at its start. */
  readonly late: number
}

const script: fc.Arbitrary<Script> = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 12 }),
  polls: fc.array(fc.constantFrom(0, 0, 1, 2, 9), { minLength: 1, maxLength: 30 }),
  chunkBytes: fc.constantFrom(7, 64, 1_024),
  late: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) }),
})

/** A follower beside a writer, and what it was given. */
class Watch {
  readonly #coverage: Coverage
  readonly #writer: FollowedWriter
  readonly #follower: Follower
  /** What stood in the file before the follower began. */
  readonly #before: ReadonlyMap<string, number>
  readonly #given = new Map<string, number>()
  #reached = -1
  /** Damaged lines in a file that never was another one. */
  #damages = 0
  #isFirst: boolean
  #undone = 0

  constructor(disk: SimulatedDisk, writer: FollowedWriter, { chunkBytes, late }: Script, coverage: Coverage) {
    this.#writer = writer
    this.#coverage = coverage
    this.#before = late > 0 ? writer.now() : new Map()
    this.#isFirst = late === 0
    this.#follower = new Follower(disk, path, { chunkBytes, witnessBytes: 64, from: late > 0 ? "end" : "start" })
    if (late > 0) this.poll(9)
  }

  poll(steps: number): void {
    for (let n = 0; n < steps || steps === 9; n++) {
      const { items, state } = this.#follower.step()
      for (const item of items) this.#take(item)
      if (state === "waiting") {
        this.#settled()
        return
      }
    }
  }

  /** The writer has closed the file. */
  end(): void {
    this.poll(9)
    for (;;) {
      const { items, state } = this.#follower.step(true)
      const rest = this.#writer.text?.split("\n").at(-1) ?? ""
      for (const item of items) {
        if (item._tag === "Record") demand(item.record.raw === rest, "at the end something else than the rest of the file")
        if (item._tag === "Damage") this.#coverage.hit("torn at the end", item.damage.kind === "torn-tail")
      }
      if (state === "done") break
    }
    demand(this.#follower.step().state === "done", "goes on after its end")
  }

  #take(item: FollowItem): void {
    if (item._tag === "Record") this.#record(item.record.raw, item.record.offset)
    else if (item._tag === "Damage") {
      demand(item.damage.kind !== "torn-tail", "a torn tail while the writer is at work")
      this.#damages++
    } else {
      this.#coverage.hit(item._tag === "Replaced" ? item.how : "removed")
      this.#reached = -1
      this.#isFirst = false
      if (item._tag === "Replaced" && item.how !== "other-file") this.#undone++
      demand(this.#undone <= this.#writer.undone, "no line was taken back")
    }
  }

  #record(raw: string, offset: number): void {
    demand(this.#writer.lines.has(raw), `no line was ever ${raw}`)
    demand(offset > this.#reached, "records out of order")
    this.#reached = offset
    const key = keyOf(raw)
    const count = (this.#given.get(key) ?? 0) + 1
    this.#given.set(key, count)
    const most = (this.#writer.most.get(key) ?? 0) - (this.#before.get(key) ?? 0)
    demand(count <= most, `given ${count} times, and there were ${most}: ${raw}`)
    this.#coverage.hit("a record that there is twice", count > 1)
  }

  /** All is read that is there. */
  #settled(): void {
    const { text = "" } = this.#writer
    this.#coverage.hit("waits behind a torn line", text !== "" && !text.endsWith("\n"))
    for (const [key, count] of this.#writer.now()) {
      const given = (this.#given.get(key) ?? 0) + (this.#before.get(key) ?? 0)
      demand(given >= count, `missing: ${key}`)
    }
    const whole = text.split("\n").slice(0, -1)
    const damaged = whole.filter((line) => line !== "" && !line.endsWith("}"))
    // A line that was cut within a string may go on in the next: it is told with what follows. So is what stands in the first 8 bytes.
    if (damaged.some((line) => line.startsWith("{")) || text.lastIndexOf("\n") < 7) return
    this.#coverage.hit("damage", damaged.length > 0)
    if (this.#isFirst) demand(this.#damages >= damaged.length, "a damage is missing")
  }
}

const check = (given: Script, coverage: Coverage): void => {
  const disk = new SimulatedDisk()
  disk.makeDirectory("/home")
  const writer = new FollowedWriter(disk, path)
  let watch = given.late > 0 ? undefined : new Watch(disk, writer, given, coverage)
  let turn = 0
  watch?.poll(given.polls[turn++ % given.polls.length] ?? 0)
  given.acts.forEach((next, at) => {
    if (watch === undefined && at === given.late) watch = new Watch(disk, writer, given, coverage)
    for (const _ of writer.run(next)) watch?.poll(given.polls[turn++ % given.polls.length] ?? 0)
  })
  writer.close()
  watch?.end()
  demand(disk.handles === 0, "a file is left open")
}

const following: Law = {
  id: "FOL-1",
  sentence:
    "A follower gives each record of a file that another process writes once, in order, none torn and none missing, wherever its looks fall between the operations of a writer that appends, tears, takes back, replaces and removes.",
  runs: 1_200,
  check: (budget) => {
    const coverage = new Coverage()
    fc.assert(
      fc.property(script, (given) => check(given, coverage)),
      parameters(budget),
    )
    const classes = ["other-file", "cut", "rewritten", "removed", "torn at the end", "waits behind a torn line"]
    coverage.demand(budget, [...classes, "damage", "a record that there is twice"], 500)
  },
}

export const laws: ReadonlyArray<Law> = [following]
