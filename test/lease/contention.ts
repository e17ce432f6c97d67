/**
 * Many processes that lock a session, append one line and unlock, over and over. Each line is one more than the one before it, so two
 * writers at one time would leave a number twice.
 *
 * `node test/lease/contention.ts PROCESSES ROUNDS [none|native]` runs it and prints what came of it; `none` without locks.
 */
import { spawn } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Lease } from "../../src/lease/Lease.ts"
import { layerFor, type Way } from "./Ways.ts"

const script = fileURLToPath(import.meta.url)

/** One process's share: so many rounds on a file. */
const rounds = (path: string, count: number, layer: typeof Lease.layerMemory): Promise<void> => {
  const append = Effect.sync(() => {
    const lines = readFileSync(path, "utf8").split("\n")
    appendFileSync(path, `${Number(lines.at(-2) ?? 0) + 1}\n`)
  })
  const story = Effect.gen(function* () {
    const lease = yield* Lease
    for (let done = 0; done < count; ) {
      const taken = yield* Effect.result(Effect.scoped(Effect.andThen(lease.acquire(path), append)))
      if (Result.isSuccess(taken)) done++
      else if (taken.failure.reason._tag === "Held") yield* Effect.sleep("2 millis")
      else yield* taken.failure
    }
  })
  return Effect.runPromise(story.pipe(Effect.provide(layer)))
}

const ended = (args: ReadonlyArray<string>): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "inherit", "inherit"] })
    child.on("error", reject)
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))))
  })

/** Lets processes contend for one file, one way to lock after the other, and returns the numbers that are in it. */
export const contend = async (processes: number, count: number, ways: ReadonlyArray<Way>): Promise<ReadonlyArray<number>> => {
  const root = mkdtempSync(join(tmpdir(), "annals-contention-"))
  try {
    const path = join(root, "s.jsonl")
    writeFileSync(path, "")
    await Promise.all(
      Array.from({ length: processes }, (_, at) => ended(["round", path, `${count}`, ways[at % ways.length] ?? "locks"])),
    )
    return readFileSync(path, "utf8").split("\n").slice(0, -1).map(Number)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

if (process.argv[1] === script) {
  const [first = "8", second = "1000", third, fourth] = process.argv.slice(2)
  if (first === "round") await rounds(second, Number(third), await layerFor(fourth))
  else {
    const numbers = await contend(Number(first), Number(second), [third === "none" || third === "native" ? third : "locks"])
    const isRight = numbers.every((number, at) => number === at + 1) && numbers.length === Number(first) * Number(second)
    process.stdout.write(`${numbers.length} lines, ${isRight ? "each number once and in order" : "WRONG"}\n`)
    process.exitCode = isRight ? 0 : 1
  }
}
