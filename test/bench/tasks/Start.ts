/** How long a host takes until a small session is open and takes records, from the start of its process. */
import { dirname } from "node:path"
import { now, runTask } from "../Task.ts"

export interface StartInput {
  /** Modules that are loaded before: those of Effect that the library stands on. */
  readonly modules: ReadonlyArray<string>
  /** The session that is opened then; absent when only the modules are to be loaded. */
  readonly path?: string
}

export interface StartOutput {
  /** Milliseconds since the process began. */
  readonly modules: number
  readonly ready: number
}

await runTask<StartInput, StartOutput>(async ({ modules, path }) => {
  for (const module of modules) await import(module)
  const loaded = now()
  if (path === undefined) return { modules: loaded, ready: loaded }
  const { Annals } = await import("../../../src/promise.ts")
  const annals = Annals.start({ environment: {}, home: dirname(path) })
  const session = await annals.open(path)
  session.context()
  return { modules: loaded, ready: now() }
})
