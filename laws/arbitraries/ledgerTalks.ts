/** Conversations of a ledger session as a compaction finds them: long and short results, searches, calls that nobody answered. */
import * as fc from "fast-check"
import { type Block, callId } from "../../src/ledger/Block.ts"
import { LiveLedger, response, talk } from "./ledgerRuns.ts"

/** Texts around the lengths at which results are cut, with characters of two units at the cut. */
const content = fc.oneof(
  fc.constantFrom("", "short", "x".repeat(1_000), `${"x".repeat(199)}🌿${"y".repeat(900)}`, "🌿".repeat(700)),
  fc.integer({ min: 190, max: 2_500 }).map((units) => "line\n".repeat(units).slice(0, units)),
)

export interface Stage {
  readonly talk: ReadonlyArray<Block>
  /** The results of its calls; undefined for a call that is never answered. */
  readonly results: ReadonlyArray<string | undefined>
  /** Whether each result comes by itself. */
  readonly oneByOne: boolean
}

export const talks: fc.Arbitrary<ReadonlyArray<ReadonlyArray<Stage>>> = fc.array(
  fc.array(
    fc.record({
      talk,
      results: fc.array(fc.option(content, { nil: undefined, freq: 9 }), { maxLength: 3 }),
      oneByOne: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  { minLength: 1, maxLength: 4 },
)

/** A session with these turns, and a context of so many tokens after each answer. */
export const sessionOf = (turns: ReadonlyArray<ReadonlyArray<Stage>>, contextTokens: number): LiveLedger => {
  const session = new LiveLedger({ maxSteps: 50, tokenBudget: 1e9, contextWindow: 200_000 })
  let calls = 0
  for (const stages of turns) {
    session.do({ do: "user", text: "do it" })
    for (const { talk: said, results, oneByOne } of stages) {
      session.do({ do: "closeOpenToolCalls" })
      const made = results.map((): Block => ({ type: "tool_use", id: `c${++calls}`, name: "read", input: {} }))
      const blocks = [...said, ...made]
      session.do({ do: "assistant", step: 1, response: response(blocks, "tool_use", contextTokens), costUsd: 0 })
      const given = made.flatMap((call, at) => {
        const text = results[at]
        return text === undefined ? [] : [{ toolUseId: callId(call), content: text }]
      })
      const batches = oneByOne ? given.map((each) => [each]) : given.length === 0 ? [] : [given]
      for (const batch of batches) session.do({ do: "toolResults", results: batch, calls: [] })
    }
  }
  return session
}
