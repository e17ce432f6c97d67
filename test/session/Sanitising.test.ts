import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { stored } from "../../laws/arbitraries/lines.ts"
import { FOLDER, storeOn } from "../../laws/arbitraries/store.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import { stateJson } from "../../src/tree/Overview.ts"

const PATH = `${FOLDER}/session.jsonl`

const header = (version: number): JsonObject => ({ type: "session", version, id: "s", timestamp: "t", cwd: "/w" })

const answer: JsonObject = {
  type: "message",
  id: "00000001",
  parentId: null,
  timestamp: "2026-01-01T00:00:00.000Z",
  message: {
    role: "assistant",
    content: [{ type: "thinking", thinking: "hm", thinkingSignature: "c2ln" }],
    providerPayload: { type: "openaiResponsesHistory", provider: "openai", items: [1] },
  },
}

const file = (...records: ReadonlyArray<JsonObject>): string => records.map((record) => `${JSON.stringify(record)}\n`).join("")

describe("a provider's own history in an answer", () => {
  for (const version of [3, 5]) {
    it.effect(`is gone in memory at once, and from a file of version ${version} with the first write, once`, () => {
      const old = file(header(version), answer)
      const disk = new SimulatedDisk({ [PATH]: old })
      return Effect.gen(function* () {
        const store = yield* TreeStore
        const { session } = yield* store.open(PATH, { migrate: true })
        assert.notInclude(JSON.stringify(stateJson(yield* session.state)), "openaiResponsesHistory")
        assert.equal(stored(disk, PATH), old, "opening writes nothing")
        yield* session.dispatch({ do: "custom", customType: "one" })
        const live = stateJson(yield* session.state)
        const loaded = yield* store.load(PATH)
        assert.deepEqual(stateJson(loaded.state), live)
        assert.deepEqual(loaded.damages, [])
        const patches = stored(disk, PATH).split('"entry_patch"').length - 1
        assert.equal(patches, 1)
        yield* session.close
        const again = yield* store.open(PATH)
        yield* again.session.dispatch({ do: "custom", customType: "two" })
        assert.equal(stored(disk, PATH).split('"entry_patch"').length - 1, patches, "a second opening has nothing to take out")
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    })
  }
})
