/**
 * Measures redaction: `npm run eval:redaction -- [--quick] [--seed TEXT] [--samples N] [--alone] [--show FORMAT/CONTEXT]`.
 *
 * Prints a table by format and one by context, writes `redaction-report.json`, and exits with 1 when a target is missed. `--quick` takes
 * seconds; `--alone` leaves the other scanners out; `--samples` sets how many secrets each cell has. `--show` measures nothing
 * and prints one generated case with what is written of it.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { CONTEXTS } from "./Contexts.ts"
import { falseSpansIn } from "./FalseSpans.ts"
import { FORMATS } from "./Formats.ts"
import { NEGATIVES, negativeFiles } from "./Negatives.ts"
import { otherScanners, type Scanner } from "./OtherScanners.ts"
import { type Case, isCovered, linesOf, makeCase, Recall } from "./Recall.ts"
import { contextTable, formatTable, reportOf, verdictText } from "./Report.ts"
import type { SecretFormat } from "./Sample.ts"
import { sourceFiles } from "./SourceCode.ts"
import { type Comparison, type Negatives, verdicts } from "./Targets.ts"

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    alone: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    samples: { type: "string" },
    show: { type: "string" },
  },
})

const { quick: isQuick, seed } = values

/** Secrets in each cell by list, cases in each cell for other scanners, and characters of texts without secrets. */
const SIZES = isQuick
  ? { table: 2, others: 2, beside: 1, everyFormat: 5, source: 4_000_000, step: 9, negative: 30_000 }
  : { table: 200, others: 50, beside: 3, everyFormat: 1, source: 40_000_000, step: 1, negative: 300_000 }

const samplesOf = (format: SecretFormat): number => {
  if (values.samples === undefined) return format.source === "table" ? SIZES.table : SIZES.others
  const samples = Number(values.samples)
  if (!Number.isInteger(samples) || samples < 1) throw new Error(`--samples needs a number from 1 on, not ${values.samples}`)
  return samples
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const note = (text: string): void => void process.stderr.write(`${text}\n`)

const measureRecall = (): Recall => {
  const recall = new Recall()
  for (const [n, format] of FORMATS.entries()) {
    const samples = samplesOf(format)
    for (const context of CONTEXTS) {
      for (let number = 0; number < samples; number++) {
        recall.add(format, context, isCovered(makeCase(seed, format, context, number)))
      }
    }
    if (n % 20 === 19) note(`${n + 1} of ${FORMATS.length} formats`)
  }
  return recall
}

const measureSource = (): Negatives => {
  const redactor = makeRedactor({ environment: {} }).follow()
  const found = { characters: 0, spans: [] as Array<Negatives["spans"][number]> }
  for (const { path, text } of sourceFiles(SIZES.source, SIZES.step)) {
    found.characters += text.length
    found.spans.push(...falseSpansIn(redactor, path, text))
  }
  return found
}

const measureGenerated = (): Negatives => {
  const redactor = makeRedactor({ environment: {} }).follow()
  const found = { characters: 0, spans: [] as Array<Negatives["spans"][number]> }
  for (const negative of NEGATIVES) {
    let number = 0
    for (const text of negativeFiles(seed, negative, SIZES.negative)) {
      found.characters += text.length
      found.spans.push(...falseSpansIn(redactor, `${negative.name} ${number++}`, text))
    }
  }
  return found
}

const compare = async (scanner: Scanner, cases: ReadonlyArray<Case>): Promise<Comparison> => {
  const [flagged, covered, ours] = [new Recall(), new Recall(), new Recall()]
  const ahead = new Map<string, number>()
  for (const [n, verdict] of (await scanner.judge(cases)).entries()) {
    const each = cases[n] as Case
    const isOurs = isCovered(each)
    flagged.add(each.format, each.context, verdict.isFlagged)
    covered.add(each.format, each.context, verdict.isCovered)
    ours.add(each.format, each.context, isOurs)
    if (!verdict.isTouched || isOurs) continue
    const where = `${each.format.id} in ${each.context.name}`
    ahead.set(where, (ahead.get(where) ?? 0) + 1)
  }
  return { name: scanner.name, flagged, covered, ours, ahead }
}

const compareAll = async (): Promise<ReadonlyArray<Comparison>> => {
  if (values.alone) return []
  const { scanners, missing } = await otherScanners()
  if (missing !== undefined) say(`The other scanners could not be fetched, so nothing is compared: ${missing}`)
  const cases = FORMATS.filter((_, n) => n % SIZES.everyFormat === 0).flatMap((format) =>
    CONTEXTS.flatMap((context) => Array.from({ length: SIZES.beside }, (_, n) => makeCase(seed, format, context, n))),
  )
  const comparisons: Array<Comparison> = []
  for (const scanner of scanners) {
    note(`${scanner.name}: ${cases.length} cases`)
    comparisons.push(await compare(scanner, cases))
  }
  return comparisons
}

/** One case as it is given and as it is written. */
const show = (wanted: string): void => {
  const [id, place] = wanted.split("/")
  const format = FORMATS.find((each) => each.id === id)
  const context = CONTEXTS.find(({ name }) => name === place)
  if (format === undefined || context === undefined) throw new Error(`No format and context of these names: ${wanted}`)
  const shown = makeCase(seed, format, context, 0)
  for (const record of shown.placed.records) say(`given   ${JSON.stringify(record)}`)
  for (const line of linesOf(shown)) say(`written ${line}`)
  say(isCovered(shown) ? "covered" : "seen")
}

const evaluate = async (): Promise<void> => {
  const recall = measureRecall()
  note("texts without secrets")
  const [source, generated] = [measureSource(), measureGenerated()]
  const findings = { recall, source, generated, comparisons: await compareAll() }
  const found = verdicts(findings)
  const sizes = `${source.characters} characters of source code, ${generated.characters} generated`
  say(`${formatTable(findings)}\n\n${contextTable(findings)}\n`)
  say(`${recall.over(() => true).cases} cases, seed ${seed}; ${sizes}\n`)
  say(verdictText(found))
  const report = fileURLToPath(new URL("../../redaction-report.json", import.meta.url))
  writeFileSync(report, reportOf({ seed, quick: isQuick }, findings, found))
  process.exitCode = found.every(({ isMet }) => isMet) ? 0 : 1
}

if (values.show === undefined) await evaluate()
else show(values.show)
