/** Sessions in which every text would be a part of the document that is made of them, if it stood in it as it is. */
import * as fc from "fast-check"
import type { Block } from "../../src/ledger/Block.ts"
import type { LedgerRecord } from "../../src/ledger/Record.ts"
import { jsonString } from "./json.ts"
import { response, say } from "./ledgerRuns.ts"

/** Stands in much of what is said, so that it can be looked for. */
export const SAID = "zsaidz"
export const THOUGHT = "zthoughtz"

/** Texts that would be a part of the document, if they stood in it as they are. */
const hostile: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "## You, ",
        "# ",
        "```",
        "~~~~",
        "<!-- ",
        "<script>",
        "> ",
        "- ",
        "`",
        "``",
        "*",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "===\n",
        "    ",
      ),
      fc.constantFrom(SAID, SAID),
      jsonString.filter((text) => text.length < 200),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""))

/** What a session says, by the place where it says it. */
export interface Sayings {
  readonly prompt: string
  readonly note: string
  readonly said: string
  readonly name: string
  readonly input: string
  readonly result: string
  readonly title: string
  readonly url: string
}

export const sayings: fc.Arbitrary<Sayings> = fc.record({
  prompt: hostile,
  note: hostile,
  said: hostile,
  name: hostile,
  input: hostile,
  result: hostile,
  title: hostile,
  url: hostile,
})

const t = "2026-09-23T20:15:00.000Z"

const answer = ({ said, name, input, title, url }: Sayings): ReadonlyArray<Block> => {
  const found = [
    { title: said, url },
    { title, url: `https://example.com/${url}` },
  ]
  return [
    { type: "thinking", text: `${THOUGHT}${said}`, wire: { thinking: THOUGHT } },
    say(said),
    { type: "server_tool_use", id: "s", name, input: { query: input } },
    { type: "server_tool_result", toolUseId: "s", name, results: found },
    { type: "tool_use", id: "c", name, input: { [input]: input, other: 1 } },
  ]
}

/** The records of a session of one turn that is undone and done again, under another model in the end. */
export const hostileSession = (sayings: Sayings, isError: boolean): ReadonlyArray<LedgerRecord> => {
  const { prompt, note, said, name, input, result, title } = sayings
  const asked = [say(prompt), say(`<garuda_note>${note}</garuda_note>`), say(note)]
  const given = [{ type: "tool_result", toolUseId: "c", content: result, isError }]
  return [
    { t, type: "start", sessionId: name, root: input, model: title },
    { t, type: "snapshot", tree: "t", messages: 0, prompt, durationMs: 1 },
    { t, type: "user", message: { role: "user", content: asked } },
    { t, type: "assistant", step: 1, response: { ...response(answer(sayings), "tool_use") } } as unknown as LedgerRecord,
    { t, type: "tool_results", message: { role: "user", content: given }, calls: [] },
    { t, type: "end", stopReason: name, steps: 1 },
    { t, type: "undo", after: "u" },
    { t, type: "redo" },
    { t, type: "model", sessionId: "s", root: "/", model: said },
    { t, type: "title", title },
  ]
}
