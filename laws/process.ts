/** Laws of real processes: a child that is killed with SIGKILL while it appends. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { Appenders } from "./processes/Appenders.ts"

interface Acknowledged {
  /** How many commands were acknowledged: always the first ones. */
  readonly count: number
  /** How many commands there were. */
  readonly sent: number
}

interface Life {
  /** Kill once so many acknowledgements have come. */
  readonly after: number
  /** Commands sent beyond the ones that are awaited. */
  readonly ahead: number
  readonly size: number
  readonly level: "written" | "synced"
}

const life: fc.Arbitrary<Life> = fc.record({
  after: fc.integer({ min: 1, max: 40 }),
  ahead: fc.integer({ min: 1, max: 200 }),
  size: fc.constantFrom(0, 100, 5_000, 60_000),
  level: fc.constantFrom("written", "synced"),
})

/** Lets one child append until it is killed, and says what it had acknowledged before. */
const live = (from: Appenders, path: string, life: number, { after, ahead, size, level }: Life): Promise<Acknowledged> =>
  new Promise((resolve, reject) => {
    const sent = after + ahead
    const child = from.take({ path, life, count: sent, size, level })
    let text = ""
    let complaints = ""
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      complaints += chunk
    })
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      if (text.split("\n").length > after) child.kill("SIGKILL")
    })
    child.on("close", (code, signal) => {
      if (signal !== "SIGKILL") return reject(new Error(`The child ended by itself with ${code}: ${complaints}`))
      const numbers = text
        .slice(0, text.lastIndexOf("\n") + 1)
        .split("\n")
        .slice(0, -1)
      const expected = numbers.map((_, index) => `${index + 1}`)
      if (numbers.join() !== expected.join()) return reject(new Error(`Acknowledged out of order: ${numbers.join(" ")}`))
      resolve({ count: numbers.length, sent })
    })
  })

/** Names of the law's records in a file, in order; a torn line at the end counts for nothing. */
const namesIn = (file: string): ReadonlyArray<string> =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      if (!line.endsWith("}")) return []
      const record = JSON.parse(line) as { customType?: string; data?: { name: string } }
      return record.customType === "law" && record.data !== undefined ? [record.data.name] : []
    })

/** The file after one life: what was acknowledged is there, once, in order, and nothing that was not sent. */
const judge = (file: string, lives: ReadonlyArray<Acknowledged>): void => {
  const found = namesIn(file)
  let from = 0
  for (const [number, { count, sent }] of lives.entries()) {
    const mine = found.filter((name) => name.startsWith(`${number}.`))
    const expected = mine.map((_, index) => `${number}.${index + 1}`)
    if (mine.join() !== expected.join())
      throw new Error(`Life ${number}: records lost, repeated or out of order: ${mine.join(" ")}`)
    if (mine.length < count) throw new Error(`Life ${number}: ${count} acknowledged, ${mine.length} in the file`)
    if (mine.length > sent) throw new Error(`Life ${number}: records that were never sent`)
    if (found.slice(from, from + mine.length).join() !== mine.join()) throw new Error(`Life ${number}: mixed with another life`)
    from += mine.length
  }
}

/** How often one session is killed: each life but the first resumes what a kill has left. */
const LIVES = 5

const killed = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const appenders = new Appenders()
  const property = fc.asyncProperty(fc.array(life, { minLength: LIVES, maxLength: LIVES }), async (lives) => {
    const folder = mkdtempSync(join(tmpdir(), "annals-law-"))
    try {
      const file = join(folder, "session.jsonl")
      const past: Array<Acknowledged> = []
      for (const [number, one] of lives.entries()) {
        past.push(await live(appenders, file, number, one))
        coverage.hit("a torn tail", !readFileSync(file, "utf8").endsWith("\n"))
        coverage.hit("killed with commands under way", (past.at(-1)?.count ?? 0) < (past.at(-1)?.sent ?? 0))
        judge(file, past)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  try {
    await fc.assert(property, { ...parameters(budget), endOnFailure: true })
  } finally {
    await appenders.close()
  }
  budget.judged?.(budget.runs * LIVES, "processes killed")
  coverage.demand(budget, ["killed with commands under way"], 5)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "DUR-2",
    sentence:
      "Each record acknowledged as written survives the death of the process by a real SIGKILL, in order and once, and the next process goes on behind it.",
    runs: 10,
    deepRuns: 20,
    check: killed,
  },
]
