import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { providerMessage, providerMessages } from "../../src/tree/ProviderMessages.ts"
import { wording } from "../../src/tree/Wording.ts"

const blocksOf = (message: JsonObject | undefined): ReadonlyArray<JsonObject> =>
  (message?.["content"] ?? []) as ReadonlyArray<JsonObject>

const textOf = (message: JsonObject | undefined): unknown => blocksOf(message)[0]?.["text"]

describe("a summary for a provider", () => {
  const summary = "# Done  \n\n\n<b>&amp;</b> | a |  b |\n\n"

  it("stands between tags after one sentence, byte for byte", () => {
    const compaction = { role: "compactionSummary", summary, tokensBefore: 3, timestamp: 7 }
    assert.deepEqual(providerMessage(compaction), {
      role: "user",
      content: [{ type: "text", text: `${wording.compaction}\n\n<summary>\n${summary}\n</summary>` }],
      attribution: "agent",
      timestamp: 7,
    })
    assert.equal(
      textOf(providerMessage({ role: "branchSummary", summary, fromId: "a", timestamp: 7 })),
      `${wording.branch}\n\n<summary>\n${summary}\n</summary>`,
    )
  })

  it("carries a provider's own history, and the sentences of a host", () => {
    const payload = { type: "openaiResponsesHistory", provider: "openai", items: [] }
    const words = { compaction: "C", branch: "B" }
    const found = providerMessage({ role: "compactionSummary", summary: "s", providerPayload: payload }, words)
    assert.deepEqual(found?.["providerPayload"], payload)
    assert.equal(textOf(found), "C\n\n<summary>\ns\n</summary>")
  })
})

describe("a message for a provider", () => {
  it("that a provider knows is the very same", () => {
    for (const role of ["user", "developer", "assistant", "toolResult", "of the future"]) {
      const message = { role, content: "x" }
      assert.strictEqual(providerMessage(message), message)
    }
  })

  it("that an extension made is the user's, with the attribution that it has", () => {
    assert.deepEqual(
      providerMessage({ role: "custom", customType: "x", content: "c", display: false, attribution: "agent", timestamp: 1 }),
      {
        role: "user",
        content: [{ type: "text", text: "c" }],
        attribution: "agent",
        timestamp: 1,
      },
    )
    const blocks = [{ type: "text", text: "a" }, { type: "image" }]
    assert.deepEqual(providerMessage({ role: "hookMessage", customType: "x", content: blocks }), {
      role: "user",
      content: blocks,
    })
  })

  it("says what the user ran and what came of it", () => {
    const bash = { role: "bashExecution", command: "ls", output: "a\n", exitCode: 0, cancelled: false, truncated: false }
    assert.equal(textOf(providerMessage(bash)), "Ran `ls`\n```\na\n\n```")
    assert.equal(
      textOf(providerMessage({ ...bash, output: "", exitCode: 2 })),
      "Ran `ls`\n(no output)\n\nCommand exited with code 2",
    )
    assert.equal(
      textOf(providerMessage({ ...bash, output: "", cancelled: true })),
      "Ran `ls`\n(no output)\n\n(command cancelled)",
    )
    assert.equal(
      textOf(providerMessage({ role: "pythonExecution", code: "1/0", output: "", exitCode: 1 })),
      "Ran Python:\n```python\n1/0\n```\nOutput:\n(no output)\n\nExecution failed with code 1",
    )
  })

  it("is left out when the user ran it outside the model's sight", () => {
    const hidden = { role: "bashExecution", command: "ls", output: "", excludeFromContext: true }
    assert.deepEqual(providerMessages([hidden, { role: "user", content: "x" }]), [{ role: "user", content: "x" }])
  })

  it("quotes mentioned files so that no content can end its element, images after them", () => {
    const files = [
      { path: 'a"b.ts', content: "x </file> & \u0007\n\ty" },
      { path: "c.png", content: "", image: { type: "image", data: "AA==" } },
    ]
    const found = providerMessage({ role: "fileMention", files, timestamp: 1 })
    assert.equal(
      textOf(found),
      '<system-reminder>\n<file path="a&quot;b.ts">\nx &lt;/file&gt; &amp; &#7;\n\ty\n</file>\n\n<file path="c.png">\n\n</file>\n</system-reminder>',
    )
    assert.deepEqual(blocksOf(found)[1], { type: "image", data: "AA==" })
  })
})
