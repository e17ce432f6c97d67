/**
 * A host that comes to an end by itself: `host FILE COUNT`. It opens the session, migrates it where it must, and appends so many records. It
 * prints the name of each once it is synced, and a line with `!` for each failure. Behind a failed write it recovers and goes on.
 */
import { existsSync, writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { layer } from "../../src/node.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"

const [path = "", count = "0"] = process.argv.slice(2)
const say = (text: string): void => void writeSync(1, `${text}\n`)
const complain = (error: Error): void => say(`! ${error.message.split("\n")[0]}`)

const story = Effect.gen(function* () {
  const store = yield* TreeStore
  const opened = yield* Effect.result(existsSync(path) ? store.open(path, { migrate: true }) : store.create({ cwd: "/w", path }))
  if (Result.isFailure(opened)) {
    complain(opened.failure)
    return
  }
  const { session } = opened.success
  for (let n = 1; n <= Number(count); n++) {
    const data = { name: `r${n}`, filler: "x ".repeat(n % 3 === 0 ? 4_000 : 20) }
    const sent = yield* Effect.result(session.dispatch({ do: "custom", customType: "law", data }, "accepted"))
    if (Result.isFailure(sent)) {
      complain(sent.failure)
      return
    }
    const done = yield* Effect.result(sent.success.reached("synced"))
    if (Result.isFailure(done)) {
      complain(done.failure)
      const recovered = yield* Effect.result(session.recover)
      if (Result.isFailure(recovered)) {
        complain(recovered.failure)
        return
      }
    }
    say(`r${n}`)
  }
})

await Effect.runPromise(story.pipe(Effect.scoped, Effect.provide(layer({ environment: {} }))))
