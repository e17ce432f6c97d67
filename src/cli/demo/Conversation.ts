/** The conversation that the demo goes on with: what an agent does all day, with secrets in every place where they turn up. */

import type { JsonObject } from "../../model/Json.ts"
import type { TreeCommand } from "../../tree/Command.ts"
import type { Secrets } from "./Secrets.ts"

const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5" }

const COST = { input: 0.0012, output: 0.0034, cacheRead: 0, cacheWrite: 0, total: 0.0046 }

const USAGE = { input: 240, output: 136, cacheRead: 0, cacheWrite: 0, totalTokens: 376, cost: COST }

const message = (content: JsonObject): TreeCommand => ({ do: "message", message: content })

const user = (text: string): TreeCommand => message({ role: "user", content: [{ type: "text", text }] })

const text = (words: string): JsonObject => ({ type: "text", text: words })

const call = (id: string, name: string, input: JsonObject): JsonObject => ({ type: "toolCall", id, name, arguments: input })

const assistant = (...content: ReadonlyArray<JsonObject>): TreeCommand =>
  message({ role: "assistant", content, ...MODEL, usage: USAGE, stopReason: "stop" })

const result = (toolCallId: string, toolName: string, output: string): TreeCommand =>
  message({ role: "toolResult", toolCallId, toolName, content: [text(output)], isError: false })

/** A harmless word in the conversation, to see that a search finds what is there. */
export const MARKER = "harmless-marker-of-the-demo"

/** Commands for a session: all kinds of records, all the secrets. */
export const conversation = (secrets: Secrets): ReadonlyArray<TreeCommand> => {
  const { environment, modelKey, forgeToken, cloudId, cloudKey, chatToken, webToken, privateKey, paymentKey } = secrets
  return [
    { do: "title", title: `Deploy with ${forgeToken.text}`, source: "user" },
    user(`Deploy it, please. The key is ${modelKey.text} and the service wants ${environment.text}. ${MARKER}`),
    assistant(
      text("I look at the settings first."),
      call("demo_1", "bash", { command: `curl -H "Authorization: Bearer ${webToken.text}" https://example.net` }),
    ),
    result(
      "demo_1",
      "bash",
      JSON.stringify({ id: cloudId.text, nested: JSON.stringify({ key: paymentKey.text, env: environment.text }) }),
    ),
    assistant(
      call("demo_2", "read", { path: "/home/dev/project/.env" }),
      call("demo_3", "read", { path: "/home/dev/project/key.pem" }),
    ),
    result("demo_2", "read", `# settings\n${cloudKey.text}\nSTRIPE=${paymentKey.text}\nSLACK=${chatToken.text}\n`),
    result("demo_3", "read", `${privateKey.text}\n`),
    {
      do: "custom",
      customType: "demo",
      data: { [chatToken.text]: [{ token: forgeToken.text }], url: `https://example.net/?key=${modelKey.text}` },
    },
    {
      do: "customMessage",
      customType: "demo",
      content: `The token was ${webToken.text}.`,
      display: true,
      details: { id: cloudId.text },
    },
    { do: "thinking", level: "high" },
    assistant(text(`Done. I used ${environment.text}, and paid with ${paymentKey.text}.`)),
    { do: "star", on: true },
  ]
}

/** The text of command number `n` to the process that will be killed. Every tenth one holds a secret. */
export const numberedText = (n: number): string => `command number ${n} of the demo`

export const numbered = (n: number, secrets: Secrets): TreeCommand => {
  const all = Object.values(secrets)
  const suffix = n % 10 === 0 ? ` with ${all[(n / 10) % all.length]?.text ?? ""}` : ""
  return user(`${numberedText(n)}${suffix}`)
}
