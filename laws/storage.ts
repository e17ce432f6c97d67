/** Laws of the storage that a host's own session manager writes through. */
import { SessionStorage } from "../src/session/SessionStorage.ts"
import type { Law } from "./Law.ts"
import { stg1 } from "./storageSubject.ts"

let made = 0

export const laws: ReadonlyArray<Law> = [
  stg1({ layer: SessionStorage.layerMemory, folder: () => `/memory-${made++}`, runs: 300, deepRuns: 20_000 }),
]
