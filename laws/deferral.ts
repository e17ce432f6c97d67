/** The law of deferred writing: when a new session gets its file, and that nothing is lost by waiting. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { toArray } from "../src/model/Sequence.ts"
import { Redaction } from "../src/redaction/Redaction.ts"
import type { Receipt, ReceiptLevel } from "../src/session/Receipt.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import type { TreeCommand } from "../src/tree/Command.ts"
import type { TreeRecord } from "../src/tree/TreeModel.ts"
import { pictured } from "./arbitraries/images.ts"
import { FOLDER, storeOn, written } from "./arbitraries/store.ts"
import { type Turn, turns } from "./arbitraries/tree.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

const PATH = `${FOLDER}/session.jsonl`

/** What a host does with a session: a command at a level, or asking for what was done before. */
type Step =
  | { readonly _tag: "command"; readonly turn: Turn; readonly level: ReceiptLevel }
  | { readonly _tag: "flush" | "ensureOnDisk" }
  | { readonly _tag: "reached"; readonly which: number; readonly level: "written" | "synced" }

const rarely = <A>(arbitrary: fc.Arbitrary<A>) => ({ weight: 1, arbitrary })

const steps: fc.Arbitrary<ReadonlyArray<Step>> = turns.chain((sequence) =>
  fc.tuple(
    ...sequence.map((turn) =>
      fc.oneof(
        {
          weight: 20,
          arbitrary: fc.oneof(rarely(pictured), { weight: 6, arbitrary: fc.constant(undefined) }).map((message): Step => {
            const say: Turn = { ...turn, command: () => ({ do: "message", message: message ?? {} }) }
            return { _tag: "command", level: "accepted", turn: message === undefined ? turn : say }
          }),
        },
        rarely(fc.constantFrom<ReceiptLevel>("written", "synced").map((level): Step => ({ _tag: "command", turn, level }))),
        rarely(fc.constantFrom<Step>({ _tag: "flush" }, { _tag: "ensureOnDisk" })),
        rarely(
          fc
            .record({ which: fc.nat(), level: fc.constantFrom("written" as const, "synced" as const) })
            .map((wanted): Step => ({ _tag: "reached", ...wanted })),
        ),
      ),
    ),
  ),
)

const isAnswer = (command: TreeCommand): boolean => command.do === "message" && command.message["role"] === "assistant"

const filesOn = (disk: SimulatedDisk): ReadonlyArray<string> => disk.paths().filter((path) => disk.bytes(path) !== undefined)

const check = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(steps, (sequence) => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      const store = yield* TreeStore
      const redactor = yield* Redaction
      const { session } = yield* store.create({ cwd: "/w", path: PATH })
      const receipts: Array<Receipt<TreeRecord, unknown>> = []
      let records = 0
      let isDue = false
      for (const step of sequence) {
        if (step._tag === "command") {
          const ids = toArray((yield* session.state).entries).map(({ id }) => id)
          const command = step.turn.command(ids)
          const receipt = yield* Effect.option(session.dispatch(command, step.level))
          if (receipt._tag === "None" || receipt.value.records.length === 0) continue
          receipts.push(receipt.value)
          records += receipt.value.records.length
          if (receipt.value.seq !== records) throw new Error(`record ${records} was called ${receipt.value.seq}`)
          isDue ||= step.level !== "accepted" || isAnswer(command)
        } else if (step._tag === "reached") {
          const receipt = receipts[step.which % Math.max(1, receipts.length)]
          if (receipt === undefined) continue
          yield* receipt.reached(step.level)
          coverage.hit("a receipt was waited for", !isDue)
          isDue = true
        } else {
          yield* session[step._tag]
          coverage.hit(step._tag, !isDue)
          isDue ||= step._tag === "ensureOnDisk" || records > 0
        }
        coverage.hit(isDue ? "due" : "held")
        if (!isDue) {
          const found = filesOn(disk)
          if (found.length > 0) throw new Error(`nobody asked for a file, and there is ${found.join(", ")}`)
          const { length } = yield* session.unsaved
          if (length !== records) throw new Error(`${records} records are held, and ${length} are shown`)
          continue
        }
        // The file is there before anybody flushes: the answer itself brings it.
        if (filesOn(disk).length === 0) throw new Error("the file is due, and there is none")
        yield* session.flush
        const { state, damages } = yield* store.load(PATH)
        const [live, replayed] = [written(redactor, yield* session.state), written(redactor, state)]
        if (live !== replayed || damages.length > 0) throw new Error(`the file replays to\n  ${replayed}\n  not\n  ${live}`)
      }
      yield* session.close
      if (!isDue && filesOn(disk).length > 0) throw new Error("closing made a file that nobody asked for")
    }).pipe(Effect.scoped, Effect.provide(storeOn(disk)), Effect.runPromise)
  })
  const classes = ["held", "due", "flush", "ensureOnDisk", "a receipt was waited for"]
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, classes))
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "PER-1",
    sentence:
      "A new session has no byte on disk until an answer or somebody who asks for more than `accepted`; from then on all of it is there, each record once, in order, and the file replays to the state.",
    runs: 150,
    check,
  },
]
