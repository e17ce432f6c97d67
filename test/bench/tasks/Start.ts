/** How long a host takes until a small session is open and takes records, from the start of its process. */
import { dirname } from "node:path"
import { pathToFileURL } from "node:url"
import { now, runTask } from "../Task.ts"

export interface StartInput {
  /** Modules that are loaded before: those of Effect that the library stands on. */
  readonly modules: ReadonlyArray<string>
  /** What is opened then; absent when only the modules are to be loaded. */
  readonly session?: {
    /** The file of the library's entry. */
    readonly library: string
    readonly path: string
  }
}

export interface StartOutput {
  /** Milliseconds since the process began. */
  readonly modules: number
  readonly ready: number
  /** Until the first record of the session is on the disk. */
  readonly recorded: number
}

await runTask<StartInput, StartOutput>(async ({ modules, session: wanted }) => {
  for (const module of modules) await import(module)
  const loaded = now()
  if (wanted === undefined) return { modules: loaded, ready: loaded, recorded: loaded }
  const { Annals } = (await import(pathToFileURL(wanted.library).href)) as typeof import("../../../src/promise.ts")
  const annals = Annals.start({ environment: {}, home: dirname(wanted.path) })
  const session = await annals.open(wanted.path)
  session.context()
  const ready = now()
  await session.dispatch({ do: "message", message: { role: "user", content: "a first one", timestamp: 1_790_000_000_000 } })
  return { modules: loaded, ready, recorded: now() }
})
