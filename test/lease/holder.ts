/**
 * A process that takes the lease of the file named by its first argument, says so in one line, and holds it until it is told to end.
 * Its second argument is the way to lock, its third one an offer.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { Lease } from "../../src/lease/Lease.ts"
import { layerFor } from "./Ways.ts"

const [path = "", locks, offer] = process.argv.slice(2)
const scope = Scope.makeUnsafe()
const acquire = Lease.use((lease) => lease.acquire(path, { offer })).pipe(
  Scope.provide(scope),
  Effect.provide(await layerFor(locks)),
  Effect.result,
)
const result = await Effect.runPromise(acquire)
process.stdout.write(`${JSON.stringify(Result.isSuccess(result) ? { held: true } : result.failure.reason)}\n`)
process.stdin.resume()
