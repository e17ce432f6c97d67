/**
 * A host that appends to a session until somebody kills it: `appender FILE LIFE COUNT SIZE LEVEL`. It prints the number of each command
 * once its record has reached the level.
 */
import { existsSync, writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import { layer } from "../../src/node.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"

const [path = "", life = "", count = "0", size = "0", level = "synced"] = process.argv.slice(2)
const wanted = level === "written" ? "written" : "synced"

await Effect.runPromise(
  Effect.gen(function* () {
    const store = yield* TreeStore
    const { session } = yield* existsSync(path) ? store.open(path) : store.create({ cwd: "/law", path })
    for (let n = 1; n <= Number(count); n++) {
      const data = { name: `${life}.${n}`, filler: "x ".repeat(Number(size) / 2) }
      const receipt = yield* session.dispatch({ do: "custom", customType: "law", data }, "accepted")
      yield* Effect.forkScoped(
        Effect.map(receipt.reached(wanted), () => writeSync(1, `${n}\n`)),
        { startImmediately: true },
      )
    }
    // Whoever started this is going to end it.
    yield* Effect.sleep("1 hour")
  }).pipe(Effect.scoped, Effect.provide(layer({ environment: {}, writer: { durability: wanted } }))),
)
