/** P9: redaction. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { sourceFiles } from "../../eval/SourceCode.ts"
import { type Bench, column, type Measured, rounds, type Scenario } from "../Bench.ts"
import { runTaskIn } from "../Child.ts"
import type { RedactOutput } from "../tasks/Redact.ts"
import { figure, judge, judgeRatio } from "../Verdict.ts"

const redacting = async (bench: Bench): Promise<Measured> => {
  const folder = bench.folder.fresh()
  const sources = join(folder, "sources.json")
  const bytes = bench.isQuick ? 3_000_000 : 12_000_000
  writeFileSync(sources, JSON.stringify([...sourceFiles(bytes, 7)].map(({ text }) => text)))
  const party = { name: "redactor", run: () => runTaskIn<RedactOutput>("Redact", { sources }) }
  const measured = await rounds(bench.isQuick ? 1 : 5, [party], bench.say)
  bench.folder.remove(folder)
  const of = (key: keyof RedactOutput) => column(measured.of("redactor"), key)
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: [
      figure("redaction, source text", "MB/s", of("source")),
      figure("redaction, text without candidates", "MB/s", of("plain")),
      figure("JSON.stringify, source text", "MB/s", of("json")),
      figure("redaction and JSON, a record of 2 KB", "µs", of("record")),
      figure("JSON.stringify, a record of 2 KB", "µs", of("recordJson")),
    ],
    verdicts: [
      judge({ target: "source text: 20 MB/s", direction: "at-least", wanted: 20 }, of("source"), measured.why),
      judge({ target: "text without candidates: 100 MB/s", direction: "at-least", wanted: 100 }, of("plain"), measured.why),
      judgeRatio(
        { target: "a record of 2 KB: 5 × its JSON.stringify", direction: "at-most", wanted: 5 },
        of("record"),
        of("recordJson"),
        measured.why,
      ),
    ],
  }
}

export const redaction: ReadonlyArray<Scenario> = [
  {
    id: "P9",
    work: "redaction",
    includes:
      "time computed by the thread. All rules, four values of an environment. A record: redaction, check that it is JSON, and its text.",
    run: redacting,
  },
]
