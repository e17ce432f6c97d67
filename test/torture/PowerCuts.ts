/**
 * Real file systems whose power is cut: a file system lies in a file, and the file is copied in an instant while a process works on it. The
 * copy is the disk as it was at that moment; it is mounted, judged, worked on by the next process, and cut and judged once more.
 *
 * The process is stopped before its acknowledgements are read and the disk is copied, so that none is missed and none comes too early.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type Appender, Appenders } from "../../laws/processes/Appenders.ts"
import { appendedName, judgeCut, keptOf, type Work } from "./Cuts.ts"
import { type FileSystem, fileSystems, Mounts } from "./Mounts.ts"
import { Reopening } from "./Reopening.ts"
import type { Torture } from "./Torture.ts"

const powered = fileURLToPath(new URL("./powered.ts", import.meta.url))

const works: ReadonlyArray<Work> = ["append", "create", "replace", "written"]

/** Cuts of one process. */
const cutsOfLife = 5

interface Cut {
  readonly image: string
  readonly count: number
}

class Worker {
  readonly #child: Appender
  readonly #ended: Promise<void>
  #said = 0
  #complaints = ""

  constructor(appenders: Appenders, work: Work, folder: string, size: number) {
    const level = work === "written" ? "written" : "synced"
    this.#child =
      work === "append" || work === "written"
        ? appenders.take({ path: join(folder, appendedName), life: 0, count: 1_000_000, size, level })
        : spawn(process.execPath, [powered, work, folder], { stdio: "pipe" })
    this.#child.stdout.on("data", (bytes: Buffer) => {
      for (const byte of bytes) if (byte === 0x0a) this.#said += 1
    })
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints += text
    })
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on("error", reject)
      this.#child.on("close", () => resolve())
    })
  }

  /** Waits until something was acknowledged. */
  async begun(): Promise<void> {
    for (let waited = 0; this.#said === 0; waited += 10) {
      if (this.#child.exitCode !== null || waited > 120_000) throw new Error(`it acknowledged nothing: ${this.#complaints}`)
      await sleep(10)
    }
  }

  /** Stops the process and says how much it has acknowledged. */
  async stop(): Promise<number> {
    this.#child.kill("SIGSTOP")
    while (!/^State:\s+T/m.test(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))) await sleep(1)
    // What it has said lies in the pipe. When nothing more comes, all of it was read.
    for (let before = -1; before !== this.#said; ) {
      before = this.#said
      await sleep(10)
    }
    return this.#said
  }

  goOn(): void {
    this.#child.kill("SIGCONT")
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#ended
  }
}

const folderName = "work"

/** Lets one process work and cuts the power some times; each cut is an image and what was acknowledged before it. */
const live = async (
  torture: Torture,
  mounts: Mounts,
  appenders: Appenders,
  system: FileSystem,
  work: Work,
): Promise<ReadonlyArray<Cut>> => {
  mounts.format(system)
  const folder = mounts.mount(mounts.disk, folderName, system.options)
  const worker = new Worker(appenders, work, folder, [0, 100, 5_000, 30_000][torture.choose(4)] ?? 0)
  const cuts: Array<Cut> = []
  try {
    await worker.begun()
    for (let number = 0; number < cutsOfLife; number++) {
      await sleep(5 + torture.choose(250))
      const count = await worker.stop()
      cuts.push({ image: mounts.cut(mounts.disk, `cut-${number}.img`), count })
      worker.goOn()
    }
  } finally {
    await worker.kill()
    mounts.unmount(folder)
  }
  return cuts
}

/** Judges the image of a cut, and a second cut right behind what the next process has synced. */
const judge = async (
  torture: Torture,
  mounts: Mounts,
  next: Reopening,
  system: FileSystem,
  work: Work,
  { image, count }: Cut,
): Promise<void> => {
  const { tally } = torture
  const where = `power cut ${tally.figures.powerCuts} on ${system.name} ${system.options}, ${work}, ${count} acknowledged`
  const folder = mounts.mount(image, folderName, system.options)
  let second: string | undefined
  try {
    if (work === "written") {
      tally.figures.unsyncedLost += Math.max(0, count - keptOf(folder))
      return
    }
    tally.figures.powerCuts += 1
    await judgeCut(tally, next, folder, { where, work, count, later: 0 })
    second = mounts.cut(image, "second.img")
  } finally {
    mounts.unmount(folder)
    mounts.remove(image)
  }
  const again = mounts.mount(second, folderName, system.options)
  try {
    tally.figures.powerCuts += 1
    await judgeCut(tally, next, again, { where: `${where}, and a second one`, work, count, later: 1 })
  } finally {
    mounts.unmount(again)
    mounts.remove(second)
  }
}

/** At least so many cuts for each file system, spread over the kinds of work. */
export const cutPower = async (torture: Torture, cutsOfEach: number): Promise<void> => {
  const { tally, folder, say } = torture
  const hindrance = Mounts.hindrance()
  if (hindrance !== undefined) return void tally.leftOut.push(`power cuts: ${hindrance}`)
  let mounts: Mounts
  try {
    mounts = new Mounts(join(folder, "power"))
  } catch (cause) {
    return void tally.leftOut.push(`power cuts: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  const next = new Reopening(tally)
  const appenders = new Appenders()
  try {
    for (const system of fileSystems) {
      if (!Mounts.canMake(system)) {
        tally.leftOut.push(`power cuts on ${system.name}: ${system.make[0]} not found`)
        continue
      }
      const before = tally.figures.powerCuts
      while (tally.figures.powerCuts - before < cutsOfEach) {
        for (const work of works) {
          try {
            for (const cut of await live(torture, mounts, appenders, system, work))
              await judge(torture, mounts, next, system, work, cut)
          } catch (error) {
            tally.fail(`power cuts on ${system.name} ${system.options}, ${work}`, String(error))
          }
        }
        if (tally.figures.powerCuts === before) break
      }
      tally.figures.powerCutsOn[`${system.name} ${system.options}`] = tally.figures.powerCuts - before
      say(`${system.name} ${system.options}: ${tally.figures.powerCuts - before} power cuts`)
    }
  } finally {
    await appenders.close()
    await next.close()
    mounts.close()
  }
}
