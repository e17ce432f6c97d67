/** Many sessions of one host at once. */
import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { TreeStore } from "../../../src/session/TreeStore.ts"
import { draw } from "../Draw.ts"
import { message, runtimeIn } from "../Host.ts"
import { median } from "../Statistics.ts"
import { runTask } from "../Task.ts"
import { wording } from "../Wording.ts"

export type SessionsInput = { readonly folder: string; readonly sessions: number } & (
  | {
      /** Every session appends in a closed loop; the syncs of one of them take long, or not. */
      readonly work: "loop"
      readonly isStalled: boolean
      readonly warm: number
      readonly time: number
    }
  | {
      /**
       * One record to each at once, again and again: through sessions, with as many syncs at once as is usual or with many, or to bare files
       * one after the other or all syncs side by side.
       */
      readonly work: "burst"
      readonly way: "annals" | "annals-wide" | "one-after-the-other" | "side-by-side"
      readonly repeats: number
    }
)

export interface SessionsOutput {
  /** Records a second of all sessions but the first one; of bursts: milliseconds of one. */
  readonly value: number
  /** Milliseconds of event-loop delay, 99 of 100. */
  readonly loop: number
}

/** Syncs at once in a pool of sixteen threads, of which one is left to the host. */
const WIDE = 15

const { code } = wording(draw("sessions"))
const text = (): string => code(800)

const opened = (folder: string, names: ReadonlyArray<string>) =>
  Effect.flatMap(TreeStore, (store) =>
    Effect.forEach(names, (name) => store.create({ cwd: folder, path: join(folder, name), persist: "immediately" })),
  )

const loop = (input: SessionsInput & { readonly work: "loop" }) =>
  Effect.gen(function* () {
    const names = Array.from({ length: input.sessions }, (_, n) => (n === 0 ? "stalled.jsonl" : `${n}.jsonl`))
    const sessions = yield* opened(input.folder, input.isStalled ? names : ["first.jsonl", ...names.slice(1)])
    const start = performance.now()
    const end = start + input.warm + input.time
    let records = 0
    yield* Effect.forEach(
      sessions,
      ({ session }, n) =>
        Effect.gen(function* () {
          while (performance.now() < end) {
            yield* session.dispatch(message(text()), "synced")
            const now = performance.now()
            if (n > 0 && now >= start + input.warm && now < end) records += 1
          }
        }),
      { concurrency: "unbounded", discard: true },
    )
    return (records / input.time) * 1_000
  })

const burst = (input: SessionsInput & { readonly work: "burst" }) =>
  Effect.gen(function* () {
    const sessions = yield* opened(
      input.folder,
      Array.from({ length: input.sessions }, (_, n) => `${n}.jsonl`),
    )
    const times: Array<number> = []
    for (let n = 0; n < input.repeats + 3; n++) {
      const since = performance.now()
      yield* Effect.forEach(sessions, ({ session }) => session.dispatch(message(text()), "synced"), {
        concurrency: "unbounded",
        discard: true,
      })
      times.push(performance.now() - since)
    }
    // The first ones open the files.
    return median(times.slice(3))
  })

const syncOf = promisify(fdatasync)

const bareBurst = async (input: SessionsInput & { readonly work: "burst" }): Promise<number> => {
  const files = Array.from({ length: input.sessions }, (_, n) => openSync(join(input.folder, `${n}.jsonl`), "a", 0o600))
  const times: Array<number> = []
  for (let n = 0; n < input.repeats; n++) {
    const since = performance.now()
    const lines = files.map(() => `${JSON.stringify({ type: "message", message: { role: "user", content: text() } })}\n`)
    if (input.way === "side-by-side") {
      for (const [at, file] of files.entries()) writeSync(file, lines[at] ?? "")
      await Promise.all(files.map((file) => syncOf(file)))
    } else {
      for (const [at, file] of files.entries()) {
        writeSync(file, lines[at] ?? "")
        fdatasyncSync(file)
      }
    }
    times.push(performance.now() - since)
  }
  for (const file of files) closeSync(file)
  return median(times)
}

await runTask<SessionsInput, SessionsOutput>(async (input) => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const end = (value: number): SessionsOutput => ({ value, loop: delay.percentile(99) / 1e6 })
  if (input.work === "burst" && (input.way === "one-after-the-other" || input.way === "side-by-side"))
    return end(await bareBurst(input))
  const writer =
    input.work === "loop"
      ? { worker: new URL("./StalledWriter.js", import.meta.url) }
      : { syncsAtOnce: input.way === "annals-wide" ? WIDE : undefined }
  const work = input.work === "loop" ? loop(input) : burst(input)
  return end(await runtimeIn(input.folder, writer).runPromise(Effect.scoped(work)))
})
