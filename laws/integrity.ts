/** The law of seals: what happened to a file whose records carry them is told, and nothing is told of a file to which nothing happened. */
import { Buffer } from "node:buffer"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { DamageKind } from "../src/journal/Damage.ts"
import { Decoder } from "../src/journal/Decoder.ts"
import { digests } from "../src/journal/Digests.ts"
import { CHAIN_START, type ChainState, INTEGRITY, SealReader, sealOf } from "../src/journal/Integrity.ts"
import type { LineItem } from "../src/journal/Line.ts"
import { readJournal } from "../src/journal/Reader.ts"
import { planTail } from "../src/journal/Tail.ts"
import { carryOutTail } from "../src/journal/TailWork.ts"
import { Coverage, type Law, parameters } from "./Law.ts"
import { damagesOf, demand, recordsOf, same } from "./Reading.ts"

/** One line: a record of ours, a patch of ours, or a record of another program. */
type Kind = "ours" | "patch" | "foreign"

export interface Line {
  readonly kind: Kind
  /** As it was given to the writer. */
  readonly text: string
  /** As it stands in the file. */
  readonly line: string
  readonly isSealed: boolean
}

const textOf = (kind: Kind, n: number, word: string): string =>
  kind === "patch"
    ? JSON.stringify({ type: "header_patch", patch: { title: `${n} ${word}` } })
    : JSON.stringify({ type: "message", id: `${n}`, timestamp: "t", word: `<${word}>`, nested: { n, _c: "1-2-3" } })

const readLines = (bytes: Uint8Array) => {
  const decoder = new Decoder()
  const seals = new SealReader(digests)
  const items: Array<LineItem> = []
  for (const item of decoder.push(bytes)) items.push(...seals.read(item))
  for (const item of decoder.end()) items.push(...seals.read(item))
  return { records: recordsOf(items), damages: damagesOf(items), told: seals.damages, state: seals.state() }
}

const bytesOf = (lines: ReadonlyArray<{ readonly line: string }>): Uint8Array =>
  Buffer.from(lines.map(({ line }) => `${line}\n`).join(""))

/** The lines that writers leave; ours goes on where a reader found that the chain has come to. */
const write = (kinds: ReadonlyArray<Kind>, words: ReadonlyArray<string>, declares: boolean): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let state: ChainState | undefined = CHAIN_START
  const put = (kind: Kind, text: string): void => {
    if (kind === "foreign") {
      lines.push({ kind, text, line: text, isSealed: false })
      state = undefined
      return
    }
    state ??= readLines(bytesOf(lines)).state
    demand(state !== undefined, "it is not known where the chain goes on")
    const made = sealOf(digests, state ?? CHAIN_START, text)
    state = made.state
    lines.push({
      kind,
      text,
      line: made.member === undefined ? text : `${text.slice(0, -1)}${made.member}}`,
      isSealed: made.member !== undefined,
    })
  }
  put("ours", JSON.stringify({ type: "session", version: 5, id: "s", ...(declares ? { integrity: INTEGRITY } : {}) }))
  for (const [at, kind] of kinds.entries()) put(kind, textOf(kind, at, words[at % words.length] ?? ""))
  return lines
}

export type Event = {
  readonly what: "nothing" | "tear" | "lose" | "repeat" | "swap" | "edit" | "wild" | "zeros"
  readonly at: number
  readonly more: number
  readonly byte: number
}

const WHATS = ["nothing", "tear", "lose", "repeat", "swap", "edit", "wild", "zeros"] as const

export const event: fc.Arbitrary<Event> = fc.record({
  what: fc.constantFrom(...WHATS),
  at: fc.nat({ max: 9_999 }).map((share) => share / 10_000),
  more: fc.nat({ max: 2 }),
  byte: fc.nat({ max: 255 }),
})

export const SEALS: ReadonlySet<DamageKind> = new Set(["edited", "lost-records", "repeated-line", "out-of-order", "chain-broken"])

export class Case {
  readonly #lines: ReadonlyArray<Line>
  readonly #coverage: Coverage
  readonly #event: Event
  /** The line that it happens to. */
  readonly #at: number

  constructor(lines: ReadonlyArray<Line>, given: Event, coverage: Coverage) {
    this.#lines = lines
    this.#coverage = coverage
    this.#event = given
    this.#at = Math.floor(given.at * lines.length)
  }

  check(): void {
    const { what } = this.#event
    if (what === "nothing") this.#nothing()
    else if (what === "tear") this.#tear()
    else if (what === "wild" || what === "zeros") this.#overwritten(what)
    else if (what === "edit") this.#edited()
    else this.#moved(what)
  }

  /** Whether a line with a seal stands behind. */
  #isCovered(at: number): boolean {
    return this.#lines.some(({ isSealed }, index) => index > at && isSealed)
  }

  #kinds(lines: ReadonlyArray<{ readonly line: string }>): ReadonlyArray<DamageKind> {
    return readLines(bytesOf(lines)).damages.map(({ kind }) => kind)
  }

  #nothing(): void {
    const { records, damages } = readLines(bytesOf(this.#lines))
    same(damages, [], "a false alarm")
    same(
      records.map(({ raw, value }) => [raw, value]),
      this.#lines.map(({ text }) => [text, JSON.parse(text)]),
      "records without their seals",
    )
    for (const { line } of this.#lines) JSON.parse(line)
    const plain = this.#lines.map(({ text }) => ({ line: text }))
    same(this.#kinds(plain), [], "a false alarm in a file without seals")
    same(this.#kinds(plain.slice(1)), [], "a false alarm in a file without seals or header")
    this.#coverage.hit("nothing")
  }

  /** A tear is told as a tear; and once the writer has cut it off and goes on, nothing is told. */
  #tear(): void {
    const whole = bytesOf(this.#lines)
    const torn = readLines(whole.subarray(0, Math.floor(this.#event.at * whole.length)))
    same(torn.told, 0, "a tear told as something else")
    this.#coverage.hit("torn", torn.damages.length > 0)
    const kept = this.#lines.slice(0, torn.records.length)
    const state = kept.length === 0 ? CHAIN_START : torn.state
    const text = textOf("ours", 1, "goes on")
    if (state === undefined) throw new Error("it is not known where the chain goes on")
    const { member = "" } = sealOf(digests, state, text)
    same(this.#kinds([...kept, { line: `${text.slice(0, -1)}${member}}` }]), [], "a false alarm behind a recovered tear")
  }

  #edited(): void {
    const line = this.#lines[this.#at] as Line
    const changed = { line: line.line.replace(/"(message|session|header_patch)"/, `"$1","new":${this.#event.byte}`) }
    const kinds = this.#kinds(this.#lines.with(this.#at, { ...line, ...changed }))
    if (line.isSealed) same(kinds, ["edited"], "an edit")
    else if (this.#isCovered(this.#at)) same(kinds, ["chain-broken"], "an edit of a line without a seal")
    else same(kinds, [], "an edit behind the last seal")
    this.#coverage.hit(kinds[0] === undefined ? "edited behind the last seal" : `edited: ${kinds[0]}`)
  }

  /** One byte is another, or some are zero: the record is not told as missing, and what was changed does not go unseen. */
  #overwritten(what: "wild" | "zeros"): void {
    const bytes = bytesOf(this.#lines)
    const from = Math.floor(this.#event.at * bytes.length)
    const to = what === "wild" ? from + 1 : Math.min(bytes.length, from + 1 + 40 * this.#event.more)
    if (bytes[from] === this.#event.byte) return
    const at = this.#lineAt(from)
    bytes.fill(what === "wild" ? this.#event.byte : 0, from, to)
    const { damages, records } = readLines(bytes)
    const kinds = damages.map(({ kind }) => kind)
    demand(!kinds.includes("lost-records") && !kinds.includes("out-of-order"), `told as something else: ${kinds.join()}`)
    const isSame = records.length === this.#lines.length && records.every(({ raw }, index) => raw === this.#lines[index]?.text)
    const isMasked = !this.#isCovered(at) && records.length >= this.#lines.length
    demand(damages.length > 0 || isSame || isMasked, "a changed byte that is not seen")
    demand(!kinds.includes("not-utf8") || !kinds.includes("edited"), "an edit told beside the bytes that are not UTF-8")
    demand(kinds.filter((kind) => SEALS.has(kind)).length <= 1, `told more than once: ${kinds.join()}`)
    this.#coverage.hit(`overwritten: ${kinds[0]}`)
  }

  #lineAt(offset: number): number {
    let end = 0
    return this.#lines.findIndex(({ line }) => {
      end += Buffer.byteLength(line) + 1
      return offset < end
    })
  }

  #moved(what: "lose" | "repeat" | "swap"): void {
    const [at, count] = [this.#at, 1 + this.#event.more]
    const lines = [...this.#lines]
    const some = lines.slice(at, at + count)
    if (what === "lose") {
      lines.splice(at, count)
      const wanted = this.#isCovered(at + count - 1) ? ["lost-records"] : []
      same(this.#kinds(lines), wanted, "lost lines")
      this.#coverage.hit("lost", wanted.length > 0)
      return
    }
    if (what === "repeat") {
      lines.splice(at + some.length, 0, ...some)
      const kinds = this.#kinds(lines)
      same(
        kinds.filter((kind) => kind === "repeated-line").length,
        some.filter(({ isSealed }) => isSealed).length,
        "repeated lines",
      )
      if (some.every(({ isSealed }) => isSealed)) same(kinds.length, some.length, "told with repeated lines")
      else if (this.#isCovered(at + some.length - 1)) demand(kinds.includes("chain-broken"), "a repeated line without a seal")
      this.#coverage.hit("repeated")
      return
    }
    const [first, second] = lines.slice(at, at + 2)
    if (first === undefined || second === undefined) return
    lines.splice(at, 2, second, first)
    const kinds = this.#kinds(lines)
    if (first.isSealed && second.isSealed) same(kinds, ["lost-records", "out-of-order"], "lines that changed places")
    else if (this.#isCovered(at + 1) || (second.isSealed && !first.isSealed))
      demand(kinds.length > 0, "lines that changed places unseen")
    this.#coverage.hit("swapped")
  }
}

const sealing: Law = {
  id: "INT-1",
  sentence:
    "In a file whose records carry seals an edit, a loss, a repetition and a change of order are told apart, and from tears and unreadable bytes, up to the last seal; nothing is told of files without seals, of what other programs append, or behind a recovered tear.",
  runs: 4_000,
  check: (budget) => {
    const coverage = new Coverage()
    const kinds = fc.array(fc.constantFrom<Kind>("ours", "ours", "ours", "patch", "foreign"), { minLength: 1, maxLength: 12 })
    const words = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { minLength: 1, maxLength: 5 })
    const property = fc.property(kinds, words, fc.boolean(), event, (given, said, declares, what) =>
      new Case(write(given, said, declares), what, coverage).check(),
    )
    fc.assert(property, parameters(budget))
    const edits = ["edited", "chain-broken"].map((kind) => `edited: ${kind}`)
    const overwritten = ["edited", "chain-broken", "not-json", "not-utf8", "nul-run"].map((kind) => `overwritten: ${kind}`)
    coverage.demand(
      budget,
      ["nothing", "torn", "lost", "repeated", "swapped", "edited behind the last seal", ...edits, ...overwritten],
      1_000,
    )
  },
}

const cutBatch: fc.Arbitrary<ReadonlyArray<number>> = fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 4 })

/** The lines that no reader of JSON lines takes, and the offset at which each begins. */
const strangeLines = (text: string): ReadonlyArray<{ readonly line: string; readonly offset: number }> => {
  let offset = 0
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const at = { line, offset }
      offset += line.length + 1
      return at
    })
    .filter(({ line }) => Result.isFailure(Result.try(() => JSON.parse(line))))
}

/** The bytes that the disk has put aside of a journal, from one offset on. */
const asideOf = (disk: SimulatedDisk, name: string): string => {
  const text = disk.text(name) ?? ""
  const note = Result.try(() => JSON.parse(text) as { readonly kind?: string; readonly length: number })
  return Result.isSuccess(note) && note.success.kind === "nul-run" ? "\0".repeat(note.success.length) : text
}

/** A batch is cut by the power, the next process opens the file and appends: what stands behind the last whole line is gone from it. */
const wholeLines: Law = {
  id: "JRN-7",
  sentence:
    "After a power cut inside a batch the next append stands behind whole lines: every line behind the last record that survived is JSON for any reader, and what was cut off is kept aside, byte for byte.",
  runs: 1_000,
  check: (budget) => {
    const coverage = new Coverage()
    const path = "/home/s.jsonl"
    const property = fc.property(fc.nat({ max: 1_100 }), cutBatch, fc.infiniteStream(fc.nat()), (pad, sizes, choices) => {
      const disk = new SimulatedDisk({ [path]: `${JSON.stringify({ type: "session", id: "s", pad: "h".repeat(pad) })}\n` })
      const handle = disk.open(path, "append")
      const batch = sizes.map((size, at) => `${JSON.stringify({ type: "message", id: `${at}`, text: "r".repeat(size) })}\n`)
      disk.write(handle, Buffer.from(batch.join("")))
      const image = disk.crash((n) => choices.next().value % n)
      const before = image.text(path) ?? ""
      const { summary, end } = readWhole(image, path)
      const plan = planTail(summary, true)
      const done = carryOutTail(image, path, summary.identity, plan)
      const kept = image.text(path) ?? ""
      const aside = done.quarantine === undefined ? "" : asideOf(image, done.quarantine)
      const appended = image.open(path, "append")
      image.write(appended, Buffer.from('{"type":"message","id":"next"}\n'))
      const strange = strangeLines(image.text(path) ?? "")
      demand(
        strange.every(({ offset }) => offset < end),
        `a line that is not JSON behind the last record: ${JSON.stringify(strange.at(-1))}`,
      )
      same(plan._tag === "CutTail" ? before.slice(0, plan.from) + aside : before, before, "what is put aside")
      demand(kept.startsWith(before.slice(0, end)), "what was read is in the file")
      const cut = plan._tag === "CutTail" ? before.slice(plan.from) : ""
      coverage.hit("nothing to cut", plan._tag === "Ready")
      coverage.hit("cut without a newline", cut !== "" && !cut.endsWith("\n"))
      coverage.hit("cut with its newline", cut.endsWith("\n"))
      coverage.hit("more than one line cut", cut.slice(0, -1).includes("\n"))
      coverage.hit("a hole with a record behind it", strange.length > 0)
    })
    fc.assert(property, parameters(budget))
    coverage.demand(
      budget,
      [
        ...["nothing to cut", "cut without a newline", "cut with its newline"],
        ...["more than one line cut", "a hole with a record behind it"],
      ],
      500,
    )
  },
}

/** What a reader finds in a file, and where the last record ends. */
const readWhole = (disk: SimulatedDisk, path: string) => {
  const reading = readJournal(disk, path)
  let end = 0
  for (;;) {
    const next = reading.next()
    if (next.done) return { summary: next.value, end }
    if (next.value._tag === "Record") end = next.value.record.offset + next.value.record.length
  }
}

export const laws: ReadonlyArray<Law> = [sealing, wholeLines]
