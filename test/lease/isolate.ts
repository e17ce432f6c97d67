/** A thread that takes the lease of a file, says what became of it, and holds it until it is told to release it. */
import { parentPort, workerData } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { Lease } from "../../src/lease/Lease.ts"
import { layerFor } from "./Ways.ts"

const { path, locks } = workerData
const layer = await layerFor(locks)
const asked = Lease.use((lease) => lease.acquire(path)).pipe(Scope.provide(Scope.makeUnsafe()), Effect.provide(layer))
const result = await Effect.runPromise(Effect.result(asked))
parentPort?.postMessage(Result.isSuccess(result) ? { held: true } : { ...result.failure.reason })
parentPort?.once("message", async () => {
  if (Result.isSuccess(result)) await Effect.runPromise(result.success.release)
  parentPort?.postMessage("released")
})
