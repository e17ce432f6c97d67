/**
 * Real processes that are killed with SIGKILL while they append, some of them before they have opened the file, and the next process that
 * goes on behind each.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Appenders } from "../../laws/processes/Appenders.ts"
import { noteTail, Reopening } from "./Reopening.ts"
import type { Torture } from "./Torture.ts"

const livesOfEach = 10

interface Life {
  readonly number: number
  readonly size: number
  readonly level: "written" | "synced"
  /** Killed once so many records were acknowledged, */
  readonly after: number
  /** or so many milliseconds after its order, if that comes first. */
  readonly within: number
  readonly sent: number
}

/** How many records a process acknowledged before it was killed. */
const live = (from: Appenders, path: string, { number, size, level, after, within, sent }: Life): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = from.take({ path, life: number, count: sent, size, level })
    let said = ""
    let complaints = ""
    const timer = setTimeout(() => child.kill("SIGKILL"), within)
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text
      if (said.split("\n").length > after) child.kill("SIGKILL")
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaints += text
    })
    child.on("error", reject)
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (signal !== "SIGKILL") reject(new Error(`it ended by itself with ${code}: ${complaints}`))
      else resolve(said.split("\n").length - 1)
    })
  })

const lifeOf = ({ choose }: Torture, number: number): Life => {
  const after = 1 + choose(40)
  const size = [0, 100, 5_000, 60_000, 200_000][choose(5)] ?? 0
  const level = choose(2) === 0 ? "written" : "synced"
  // One in eight is killed at any moment of its opening.
  const within = choose(8) === 0 ? choose(600) : 60_000
  return { number, size, level, after, within, sent: after + 1 + choose(size > 10_000 ? 30 : 200) }
}

export const kill = async (torture: Torture, kills: number): Promise<void> => {
  const { tally, folder, say } = torture
  const next = new Reopening(tally)
  const appenders = new Appenders()
  try {
    for (let session = 0; tally.figures.kills < kills; session++) {
      const path = join(folder, `killed-${session}.jsonl`)
      const sent: Array<string> = []
      const acknowledged: Array<string> = []
      for (let number = 0; number < livesOfEach && tally.figures.kills < kills; number++) {
        const life = lifeOf(torture, number)
        tally.figures.kills += 1
        const where = `kill ${tally.figures.kills}: ${JSON.stringify(life)}`
        try {
          const count = await live(appenders, path, life)
          const names = Array.from({ length: life.sent }, (_, index) => `${number}.${index + 1}`)
          sent.push(...names, `next.${number}`)
          acknowledged.push(...names.slice(0, count))
          if (!existsSync(path)) continue
          noteTail(tally, path)
          await next.append(path, `next.${number}`)
          acknowledged.push(`next.${number}`)
          tally.judge(where, readFileSync(path, "utf8"), sent, acknowledged)
        } catch (error) {
          tally.fail(where, String(error))
        }
        if (tally.figures.kills % 50 === 0) say(`${tally.figures.kills} processes killed`)
      }
    }
  } finally {
    await appenders.close()
    await next.close()
  }
}
