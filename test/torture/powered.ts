/**
 * Works on a file system whose power is going to be cut: `powered WORK FOLDER`. It prints the number of each piece of work once the library
 * says that it is durable, until somebody kills it.
 *
 * `create` makes a session for each number and has one record in it synced; `replace` puts a new file in the place of the old one.
 */
import { writeSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { replaceFile } from "../../src/disk/Atomic.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { layer } from "../../src/node.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import { contentOf, replacedName, sessionName } from "./Cuts.ts"

const [work = "", folder = ""] = process.argv.slice(2)
const say = (number: number): void => void writeSync(1, `${number}\n`)

const create = Effect.gen(function* () {
  const store = yield* TreeStore
  for (let n = 1; ; n++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { session } = yield* store.create({ cwd: "/w", path: join(folder, sessionName(n)) })
        yield* session.dispatch({ do: "custom", customType: "law", data: { name: `r${n}` } }, "synced")
        say(n)
      }),
    )
  }
})

const replace = (): void => {
  const path = join(folder, replacedName)
  for (let n = 1; ; n++) {
    const expect = nodeDisk.lstat(path)
    const text = new TextEncoder().encode(contentOf(n))
    const done = replaceFile(nodeDisk, path, (append) => append(text), { temporaryName: `.${replacedName}.tmp`, expect })
    if (Result.isFailure(done)) throw done.failure
    say(n)
  }
}

if (work === "replace") replace()
else await Effect.runPromise(create.pipe(Effect.provide(layer({ environment: {} }))))
