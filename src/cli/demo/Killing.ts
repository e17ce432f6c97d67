/** The steps around a real SIGKILL: another process is killed in the middle of its work, and the session is resumed. */
import { appendFileSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { Files } from "../../disk/Files.ts"
import { type JsonObject, own, ownObject, ownString } from "../../model/Json.ts"
import { iterate } from "../../model/Sequence.ts"
import { loadTree } from "../../session/Load.ts"
import type { TreeState } from "../../tree/State.ts"
import { count, integer } from "../../view/Quantity.ts"
import { runChild } from "./Child.ts"
import { numbered, numberedText } from "./Conversation.ts"
import { compare, open } from "./GoingOn.ts"
import type { Acknowledged, Stage, StepResult } from "./Stage.ts"

/** Commands that the process is given: many more than it can carry out before it is killed. */
const COMMANDS = 20_000

/** Acknowledgements after which it is killed. */
const ENOUGH = 300

function* commands(stage: Stage): Generator<string> {
  for (let n = 1; n <= COMMANDS; n++) yield JSON.stringify(numbered(n, stage.secrets))
}

const acknowledgedIn = (line: string): Acknowledged | undefined => {
  const { n, ids } = JSON.parse(line) as { readonly n: number; readonly ids?: ReadonlyArray<string> }
  const id = ids?.[0]
  return id === undefined ? undefined : { n, id }
}

/** Starts `annals append`, feeds it, and kills it once it has acknowledged enough. */
export const killIt = Effect.fnUntraced(function* (stage: Stage) {
  const { acknowledged } = stage
  const end = yield* runChild({
    arguments: ["append", stage.file],
    input: commands(stage),
    onLine: (line) => {
      const one = acknowledgedIn(line)
      if (one !== undefined) acknowledged.push(one)
      return acknowledged.length >= ENOUGH
    },
  })
  const result: StepResult = {
    ok: end.signal === "SIGKILL" && acknowledged.length >= ENOUGH && acknowledged.length < COMMANDS,
    detail: [
      `another process was given ${count(COMMANDS, "command")} and ended by ${end.signal ?? `exit code ${end.exit}`}, nothing tidied up`,
      `until then it had acknowledged ${count(acknowledged.length, "command")} as synced`,
    ],
  }
  return result
})

/** The number of a command, told from the text of its entry. */
const numberOf = (record: JsonObject): number | undefined => {
  const content = own(ownObject(record, "message") ?? {}, "content")
  const first = Array.isArray(content) ? (content[0] as JsonObject | undefined) : undefined
  const text = first === undefined ? "" : (ownString(first, "text") ?? "")
  const n = Number(/^command number (\d+) /.exec(text)?.[1])
  return Number.isInteger(n) && text.startsWith(numberedText(n)) ? n : undefined
}

/** The commands that the file holds, in the order of the file. */
const commandsIn = (state: TreeState): ReadonlyArray<Acknowledged> => {
  const found: Array<Acknowledged> = []
  for (const { id, record } of iterate(state.entries)) {
    const n = numberOf(record)
    if (n !== undefined) found.push({ n, id })
  }
  return found
}

/** Whether the file holds every acknowledged command, under its id, once and in order, and no command twice or out of turn. */
const isComplete = (found: ReadonlyArray<Acknowledged>, acknowledged: ReadonlyArray<Acknowledged>): boolean =>
  found.every(({ n }, at) => n === at + 1) && acknowledged.every(({ n, id }, at) => n === at + 1 && found[at]?.id === id)

/** Half a record without its end, as a power cut leaves it. */
const TORN = '{"type":"message","id":"0123abcd","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"us'

/** The name of the file that holds exactly the torn bytes. */
const quarantineOf = (file: string): string | undefined =>
  readdirSync(dirname(file)).find(
    (name) => name.includes(".quarantine") && readFileSync(join(dirname(file), name), "utf8") === TORN,
  )

/** Opens the session again, writes one more record and closes it. */
const writeOn = (stage: Stage) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { session } = yield* open(stage)
      yield* session.dispatch({ do: "message", message: { role: "user", content: "And on we go." } }, "synced")
      yield* session.close
      return yield* session.state
    }),
  )

/** Reads what the killed process left, tears the end of the file, resumes the session and goes on. */
export const resumeIt = Effect.fnUntraced(function* (stage: Stage) {
  const { acknowledged, file } = stage
  const files = yield* Files
  const left = yield* loadTree(files, file)
  const found = commandsIn(left.state)
  appendFileSync(file, TORN)
  const live = yield* writeOn(stage)
  yield* compare(stage, live, "after the crash")
  const resumed = yield* loadTree(files, file)
  const complete = isComplete(found, acknowledged) && isComplete(commandsIn(resumed.state), acknowledged)
  const quarantine = quarantineOf(file)
  const tail = left.summary.tail
  const more = found.length - acknowledged.length
  const result: StepResult = {
    ok: complete && quarantine !== undefined && resumed.damages.length === 0,
    detail: [
      complete
        ? `all ${integer(acknowledged.length)} acknowledged commands are there, each once, in order, and ${integer(more)} that had reached the file without an answer`
        : `NOT all of ${integer(acknowledged.length)} acknowledged commands are there, each once, in order`,
      `the kill left ${tail === undefined ? "no torn tail" : `a torn tail of ${count(tail.length, "byte")}`}; then half a record was put at the end, as a power cut leaves it`,
      quarantine === undefined
        ? "the torn tail was NOT put aside"
        : `the resume put its ${count(TORN.length, "byte")} aside in ${quarantine} and went on`,
    ],
  }
  return result
})
