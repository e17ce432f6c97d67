/**
 * The loop of one run: what a session does between a prompt and its end. It asks a model, runs the tools that the answer calls, and asks
 * again until a reason to stop. Everything outside of it is a {@link RunWorld}: in a replay the records stand for model and tools, in a
 * test a script does.
 *
 * In this order, until one stops it:
 *
 * 1. `max_steps`: as many answers as the limits allow. `token_budget`: the session has used its tokens; earlier runs count.
 * 2. A compaction, when one is due, then the next answer.
 * 3. `max_tokens`: an answer that was cut off keeps its text only, a note asks the model to go on, three times in a run; then it stops.
 *    `refusal` stops. A pause of the provider goes on at once.
 * 4. `tool_use`: every call gets its result, all in one message. `repeated_calls`: the last three calls of the run were the same, their
 *    arguments in whatever order. The results are there by then: a stop leaves no call open.
 * 5. `done`: the answer calls nothing.
 */
import { isObject, type Json, own, ownString } from "../model/Json.ts"
import { type Block, isToolUse, messageOf, textOf } from "./Block.ts"
import type { Message, ModelResponse, RunLimits } from "./Record.ts"

/** What a loop can see and do. It is called in the order in which a session does things; every call may have been recorded. */
export interface RunWorld {
  /** The conversation when the run begins, the prompt included. */
  readonly messages: ReadonlyArray<Message>
  readonly limits: RunLimits
  /** Tokens that count against the budget so far. Asked before each request. */
  readonly used: () => number
  /** The conversation to go on with: another array when a compaction takes place here. Asked before each request, behind `used`. */
  readonly compacted: (messages: ReadonlyArray<Message>) => ReadonlyArray<Message>
  /** The next answer; undefined when there is none, which interrupts the run. The conversation grows afterwards: keep a copy, if any. */
  readonly answer: (messages: ReadonlyArray<Message>) => ModelResponse | undefined
  /** The `tool_result` block for a `tool_use` block. */
  readonly result: (call: Block) => Block
  /** The note behind an answer that was cut off; undefined when the run does not go on. */
  readonly goOn: (response: ModelResponse) => Message | undefined
}

/** What a run came to. */
export interface RunOutcome {
  readonly stopReason: string
  /** Answers. */
  readonly steps: number
  /** The conversation at its end. */
  readonly messages: ReadonlyArray<Message>
}

/** A loop that can be replayed. It must do nothing but what its world lets it do. */
export type RunLoop = (world: RunWorld) => RunOutcome

/** What a session without limits of its own runs with. */
export const DEFAULT_LIMITS: RunLimits = { maxSteps: 50, tokenBudget: 20_000_000, contextWindow: 200_000 }

/** Answers of a run that may be cut off without ending it. */
const MAX_RECOVERIES = 3

/** As many calls in a row, all the same, stop a run. */
const MAX_SAME_CALLS = 3

/** JSON text in which the members of every object are in the order of their names: the same text for the same value. */
export const sortedJson = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((key) => `${JSON.stringify(key)}:${sortedJson(value[key] ?? null)}`).join(",")}}`
}

/** What a call does: its name and its arguments. Two calls are the same if and only if their signatures are. */
export const signature = (call: Block, name = ownString(call, "name") ?? ""): string =>
  sortedJson([name, own(call, "input") ?? null])

/** What is kept of an answer that was cut off: text that is not blank. Half a call or half a thought cannot be sent back. */
export const cutOff = ({ content }: ModelResponse): Message =>
  messageOf(
    "assistant",
    content.filter((block) => (textOf(block) ?? "").trim() !== ""),
  )

/** The loop as the format describes it. */
export const referenceLoop: RunLoop = (world) => {
  const { limits } = world
  let messages = [...world.messages]
  let steps = 0
  let recoveries = 0
  const called: Array<string> = []
  const stop = (stopReason: string): RunOutcome => ({ stopReason, steps, messages })
  const say = (message: Message): void => {
    if (message.content.length > 0) messages.push(message)
  }
  for (;;) {
    if (steps >= limits.maxSteps) return stop("max_steps")
    if (world.used() >= limits.tokenBudget) return stop("token_budget")
    const compacted = world.compacted(messages)
    if (compacted !== messages) messages = [...compacted]
    const response = world.answer(messages)
    if (response === undefined) return stop("interrupted")
    steps++
    const note = response.stopReason === "max_tokens" && recoveries < MAX_RECOVERIES ? world.goOn(response) : undefined
    if (note !== undefined) {
      recoveries++
      say(cutOff(response))
      say(note)
      continue
    }
    say(messageOf("assistant", response.content))
    if (response.stopReason === "pause_turn") continue
    if (response.stopReason === "max_tokens" || response.stopReason === "refusal") return stop(response.stopReason)
    if (response.stopReason !== "tool_use") return stop("done")
    const calls = response.content.filter(isToolUse)
    // An answer that says it calls tools and calls none leaves nothing to do and nothing to say.
    if (calls.length === 0) return stop("error")
    say(messageOf("user", calls.map(world.result)))
    called.push(...calls.map((call) => signature(call)))
    const last = called.slice(-MAX_SAME_CALLS)
    if (last.length === MAX_SAME_CALLS && new Set(last).size === 1) return stop("repeated_calls")
  }
}
