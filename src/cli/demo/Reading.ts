/** The first steps: what the file is, what is damaged in it, and what the session in it is. Nothing is written. */
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import { Files } from "../../disk/Files.ts"
import { loadTree } from "../../session/Load.ts"
import { damageWords } from "../../view/DamageView.ts"
import { bytes, count, dollars, integer, tokens } from "../../view/Quantity.ts"
import { summarise } from "../../view/Summary.ts"
import { digestOf, type Stage, type StepResult } from "./Stage.ts"

/** Reads the damaged file and proves that reading changes nothing. */
export const readIt = Effect.fnUntraced(function* ({ file, digest }: Stage) {
  const before = statSync(file, { bigint: true })
  const { dialect, version, records, damages, bytes: size, summary } = yield* loadTree(yield* Files, file)
  const after = statSync(file, { bigint: true })
  const unchanged = digestOf(file) === digest && before.mtimeNs === after.mtimeNs && before.size === after.size
  const result: StepResult = {
    ok: unchanged && damages.length > 0 && records > 0,
    detail: [
      `${dialect}, version ${version}, ${bytes(size)}: ${count(records, "record")} on ${count(summary.lines, "line")}`,
      ...damages.map(
        ({ line, offset, kind }) => `damage at line ${line}, byte ${integer(offset)}: ${kind}, ${damageWords[kind]}`,
      ),
      unchanged ? "reading changed no byte and no time of the file" : "the file changed while it was read",
    ],
  }
  return result
})

/** Says what the session is, from a replay of its records. */
export const knowIt = Effect.fnUntraced(function* ({ file }: Stage) {
  const { title, model, counts, context, cost, usage } = summarise(yield* loadTree(yield* Files, file))
  const answers = counts.byRole["assistant"] ?? 0
  const result: StepResult = {
    ok: counts.entries > 0 && context.messages > 0,
    detail: [
      `${title ?? "no title"}, ${model ?? "no model"}: ${count(counts.messages, "message")}, ${integer(answers)} of them answers, ${dollars(cost.usd ?? 0)}`,
      `${tokens(usage.output)} tokens written, ${tokens(usage.cacheRead)} read from the cache`,
      `the model would see ${count(context.messages, "message")}, ${bytes(context.bytes)}: the rest is behind a compaction`,
    ],
  }
  return result
})
