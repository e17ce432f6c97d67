import { assert, describe, it } from "vitest"
import { replay } from "../../src/model/Model.ts"
import { sanitised } from "../../src/tree/Sanitising.ts"
import { treeModel } from "../../src/tree/TreeModel.ts"
import { call, says, text } from "./Calls.ts"
import { contextAt, header, stateOf } from "./Session.ts"

const payload = { type: "openaiResponsesHistory", provider: "openai", items: [] }
const thinking = { type: "thinking", thinking: "t", thinkingSignature: "s", kept: 1 }

describe("replay metadata at an opening", () => {
  const state = stateOf(
    header(5),
    says("user", null, { role: "user", content: "x", providerPayload: payload }),
    says("a", "user", {
      role: "assistant",
      content: [thinking, text("y"), call("c"), thinking],
      providerPayload: payload,
      model: "m",
    }),
    says("other", "a", { role: "assistant", content: [thinking], providerPayload: { type: "of the future" } }),
    says("string", "other", { role: "assistant", content: "z", providerPayload: payload }),
    says("bare", "a", { role: "assistant", content: [thinking] }),
  )
  const unsigned = { type: "thinking", thinking: "t", kept: 1 }
  const patches = [
    {
      type: "entry_patch",
      entryId: "a",
      patch: { message: { role: "assistant", content: [unsigned, text("y"), call("c"), unsigned], model: "m" } },
    },
    { type: "entry_patch", entryId: "string", patch: { message: { role: "assistant", content: "z" } } },
  ]

  it("goes from the answers that have a provider's history, with the signatures, one patch for each", () => {
    assert.deepEqual(sanitised(state), patches)
    const messages = contextAt(replay(treeModel, sanitised(state), state), "string").messages
    assert.isTrue(messages.slice(1).every((message) => message["providerPayload"] !== payload))
    assert.deepEqual(messages[0]?.["providerPayload"], payload)
  })

  it("is gone for good", () => {
    assert.deepEqual(sanitised(replay(treeModel, sanitised(state), state)), [])
    assert.deepEqual(sanitised(treeModel.initial), [])
  })

  it("comes back with a patch that brings it back, and goes again", () => {
    const clean = replay(treeModel, sanitised(state), state)
    const message = { role: "assistant", content: [thinking], providerPayload: payload }
    const again = replay(treeModel, [{ type: "entry_patch", entryId: "bare", patch: { message } }], clean)
    assert.deepEqual(
      sanitised(again).map((patch) => patch["entryId"]),
      ["bare"],
    )
  })

  it("is let be in an entry whose id another one has taken over, which no patch could reach", () => {
    const answer = { role: "assistant", content: "1", providerPayload: payload }
    const twice = stateOf(header(5), says("a", null, answer), says("a", null, { role: "assistant", content: "2" }))
    assert.deepEqual(sanitised(twice), [])
  })
})
