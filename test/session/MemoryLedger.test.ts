import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { messages } from "../../src/ledger/State.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import { makeMemoryLedger } from "../../src/session/MemoryLedger.ts"
import { stamps } from "./Ledger.ts"

const SECRET = ["correct", "horse", "battery"].join("-")

describe("a ledger session in memory", () => {
  it.effect("keeps clean lines in order, with marks, and the words in its state", () =>
    Effect.gen(function* () {
      const start = { sessionId: "s", root: "/w", model: "m" }
      const { session, journal, files } = yield* makeMemoryLedger({ start, stamp: stamps() })
      yield* session.dispatch({ do: "user", text: `use ${SECRET}` })
      const lines = (yield* journal.lines).map(({ text }) => JSON.parse(text))
      assert.deepEqual(
        lines.map(({ type }) => type),
        ["start", "user"],
      )
      assert.equal(lines[1].redacted[0].at, "/message/content/0/text")
      assert.notInclude(JSON.stringify(lines), SECRET)
      assert.include(JSON.stringify(messages(yield* session.state)), SECRET)
      assert.isFalse(yield* files.noteRead("a", "x"))
    }).pipe(Effect.scoped, Effect.provide(Redaction.layer({ environment: { API_TOKEN: SECRET } }))),
  )

  it.effect("is refused without what a start record needs", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(makeMemoryLedger({ start: { sessionId: "", root: "/w", model: "m" }, stamp: stamps() }))
      assert.equal(error.rejection.code, "ledger.invalid_command")
    }).pipe(Effect.scoped, Effect.provide(Redaction.layer({ environment: {} }))),
  )
})
