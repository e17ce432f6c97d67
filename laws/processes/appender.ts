/** A host that reads one order (`Order` in `Appenders.ts`) from its input and appends until somebody kills it. */
import { existsSync, writeSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import { layer } from "../../src/node.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { Order } from "./Appenders.ts"

// At its end, as usual, would be too late: it has none of its own.
flushCompileCache()

const { path, life, count, size, level }: Order = JSON.parse(await text(process.stdin))

await Effect.runPromise(
  Effect.gen(function* () {
    const store = yield* TreeStore
    const { session } = yield* existsSync(path) ? store.open(path) : store.create({ cwd: "/law", path })
    for (let n = 1; n <= count; n++) {
      const data = { name: `${life}.${n}`, filler: "x ".repeat(size / 2) }
      const receipt = yield* session.dispatch({ do: "custom", customType: "law", data }, "accepted")
      yield* Effect.forkScoped(
        Effect.map(receipt.reached(level), () => writeSync(1, `${n}\n`)),
        { startImmediately: true },
      )
    }
    // Whoever started this is going to end it.
    yield* Effect.sleep("1 hour")
  }).pipe(Effect.scoped, Effect.provide(layer({ environment: {}, writer: { durability: level } }))),
)
