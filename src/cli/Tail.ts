/** `annals tail FILE`: the last records of a file, and with --follow those that come. */
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { changesIn } from "../disk/Changes.ts"
import { Files } from "../disk/Files.ts"
import { follow } from "../journal/Follow.ts"
import type { FollowItem } from "../journal/Follower.ts"
import { readToEnd } from "../journal/RecordStream.ts"
import { visible } from "../view/Escape.ts"
import { followJson, followLine } from "../view/FollowView.ts"
import { progressOf } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printLines } from "./Print.ts"
import { UsageError } from "./Usage.ts"

export interface TailInput {
  readonly file: string
  readonly follow: boolean
  readonly lines: number
  readonly json: boolean
  readonly jsonl: boolean
}

/** Why the flags do not go together, or undefined. */
const problemOf = ({ follow, lines, json, jsonl }: TailInput): string | undefined => {
  if (lines < 0) return "--lines takes a number of records from 0."
  return follow && json && !jsonl ? "--follow has no last value: use --jsonl." : undefined
}

/** The last items of a file as it is. */
const lastOf = Effect.fnUntraced(function* ({ file, lines }: TailInput) {
  const kept: Array<FollowItem> = []
  const take = (item: FollowItem): void => {
    kept.push(item)
    if (kept.length > 2 * lines) kept.splice(0, kept.length - lines)
  }
  yield* readToEnd(yield* Files, file, take, { onProgress: progressOf(yield* Output, file) })
  return kept.slice(Math.max(0, kept.length - lines))
})

export const tail = Effect.fnUntraced(function* (input: TailInput) {
  const problem = problemOf(input)
  if (problem !== undefined) return yield* new UsageError({ message: problem, command: "annals tail" })
  const { file, json, jsonl, lines } = input
  const { style, columns, note, noteStyle } = yield* Output
  const lineOf = jsonl ? followJson : (item: FollowItem) => followLine(item, { style, columns })
  if (!input.follow) {
    const items = yield* lastOf(input)
    const whole = () => `{"schemaVersion":1,"path":${JSON.stringify(file)},"items":[${items.map(followJson).join(",")}]}`
    return yield* printLines(json && !jsonl ? [whole()] : items.map(lineOf))
  }
  yield* note(noteStyle.dim(`Following ${visible(file)}; end it with Ctrl-C.`))
  const hint = yield* changesIn(dirname(file))
  yield* follow(yield* Files, file, { last: lines, hint }).pipe(Stream.runForEach((item) => printLines([lineOf(item)])))
}, Effect.scoped)
