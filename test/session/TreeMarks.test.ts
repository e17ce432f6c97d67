import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storeOn } from "../../laws/arbitraries/store.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import { makeMemoryTree } from "../../src/session/MemoryTree.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import { recordAt } from "../../src/tree/State.ts"
import { stamps } from "./Ledger.ts"

const SECRET = ["correct", "horse", "battery"].join("-")
const MARKS = [{ kind: "environment", at: "/message/content/0/text" }]

const say = (text: string) => ({ do: "message", message: { role: "user", content: [{ type: "text", text }] } }) as const

describe("what redaction took out of a tree", () => {
  it.effect("is marked in entries, and neither in the header nor in patches", () =>
    Effect.gen(function* () {
      const { session, journal } = yield* makeMemoryTree({ cwd: `/home/${SECRET}`, title: SECRET, stamp: stamps() })
      yield* session.dispatch(say(`use ${SECRET}`))
      yield* session.dispatch(say("use nothing"))
      yield* session.dispatch({ do: "title", title: `again ${SECRET}`, source: "user" })
      const lines = (yield* journal.lines).map(({ text }) => JSON.parse(text))
      assert.notInclude(JSON.stringify(lines), SECRET)
      assert.deepEqual(
        lines.map(({ type, redacted }) => [type, redacted]),
        [
          ["session", undefined],
          ["message", MARKS],
          ["message", undefined],
          ["header_patch", undefined],
        ],
      )
      assert.deepEqual(Object.keys(lines[3]), ["type", "patch"])
    }).pipe(Effect.scoped, Effect.provide(Redaction.layer({ environment: { API_TOKEN: SECRET } }))),
  )

  it.effect("is known to whoever opens the file", () => {
    const disk = new SimulatedDisk()
    const path = "/store/one.jsonl"
    return Effect.gen(function* () {
      const store = yield* TreeStore
      const { session } = yield* store.create({ cwd: "/w", path })
      yield* session.dispatch(say(`use ${SECRET}`))
      yield* session.close
      const { state } = yield* store.load(path)
      assert.deepEqual(recordAt(state, 0)?.["redacted"], MARKS)
    }).pipe(Effect.scoped, Effect.provide(storeOn(disk, { environment: { API_TOKEN: SECRET } })))
  })
})
