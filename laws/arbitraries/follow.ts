/** A writer, as followers meet it: it appends, tears, takes back, replaces, removes and closes, one disk operation at a time. */
import { Buffer } from "node:buffer"
import * as fc from "fast-check"
import type { Handle } from "../../src/disk/Disk.ts"
import type { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"

export type Act =
  /** Lines in one batch, written in as many pieces as there are cuts, and one more, unless the writer dies before the last. */
  | {
      readonly do: "append"
      readonly lines: ReadonlyArray<NewLine>
      readonly cuts: ReadonlyArray<number>
      readonly isTorn: boolean
    }
  /** A torn tail is cut off. */
  | { readonly do: "recover" }
  /** The end is cut off, with lines that were whole: `share` of the last bytes. */
  | { readonly do: "take back"; readonly share: number }
  /** The same, and other lines in its place before anybody looks. */
  | { readonly do: "write over"; readonly share: number; readonly lines: ReadonlyArray<NewLine> }
  /** Another file under the name: with the same records, or with each changed, one left out or one put in at the beginning. */
  | { readonly do: "replace"; readonly how: "same" | "changed" | "shorter" | "longer" }
  | { readonly do: "remove" }

export type NewLine = "id" | "no id" | "long" | "again" | "oops"

const part = fc.nat({ max: 1_000 }).map((share) => share / 1_000)
const lines = fc.array(fc.constantFrom<NewLine>("id", "id", "no id", "long", "again", "oops"), { minLength: 1, maxLength: 4 })

export const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      lines,
      cuts: fc.array(part, { maxLength: 3 }),
      isTorn: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "recover" as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("take back" as const), share: part }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("write over" as const), share: part, lines }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("replace" as const), how: fc.constantFrom("same", "changed", "shorter", "longer") }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "remove" as const }) },
)

/** What tells a record from all others: its id, or else its text. */
export const keyOf = (line: string): string => /"id":"([^"]*)"/.exec(line)?.[1] ?? line

/** No record of these has a brace before its end. */
const isWhole = (line: string): boolean => line.startsWith("{") && line.endsWith("}")

export class FollowedWriter {
  readonly #disk: SimulatedDisk
  readonly #path: string
  #handle: Handle | undefined
  #count = 0
  /** What the file holds now; undefined when there is none. */
  text: string | undefined
  /** Every line that has stood in a file, whole. */
  readonly lines = new Set<string>()
  /** How often a record stood in one file, at most. */
  readonly most = new Map<string, number>()
  /** How often a whole line was taken back or written over. */
  undone = 0

  constructor(disk: SimulatedDisk, path: string) {
    this.#disk = disk
    this.#path = path
  }

  /** How often each record stands in the file now, with its newline. */
  now(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const line of this.#whole()) if (isWhole(line)) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1)
    return counts
  }

  /** Carries out an act and gives way after each operation that a reader can see. */
  *run(given: Act): Generator<void, void> {
    if (given.do === "append") yield* this.#append(given.lines, given.cuts, given.isTorn)
    else if (given.do === "replace") yield* this.#replace(given.how)
    else if (given.do === "remove") yield* this.#remove()
    else if (given.do === "write over") yield* this.#writeOver(given.share, given.lines)
    else if (given.do === "recover") yield* this.#recover()
    else yield* this.#takeBack(given.share)
  }

  close(): void {
    if (this.#handle !== undefined) this.#disk.close(this.#handle)
    this.#handle = undefined
  }

  #whole(): ReadonlyArray<string> {
    return (this.text ?? "").split("\n").slice(0, -1)
  }

  #is(text: string | undefined): void {
    this.text = text
    for (const line of this.#whole()) this.lines.add(line)
    for (const [key, count] of this.now()) this.most.set(key, Math.max(count, this.most.get(key) ?? 0))
  }

  #newLine(kind: NewLine): string {
    const n = this.#count++
    const before = this.#whole().filter(isWhole)
    if (kind === "again" && before.length > 0) return before[n % before.length] as string
    if (kind === "oops") return `no record ${n}`
    const id = kind === "no id" ? "" : `"id":"${n}",`
    return `{"type":"x",${id}"timestamp":"t${n % 3}","n":"${`${n} é `.repeat(kind === "long" ? 60 : 1)}"}`
  }

  *#append(kinds: ReadonlyArray<NewLine>, cuts: ReadonlyArray<number>, isTorn = false): Generator<void, void> {
    if (this.text === undefined) {
      this.#handle = this.#disk.open(this.#path, "create")
      this.#is("")
      yield
    }
    this.#handle ??= this.#disk.open(this.#path, "append")
    // A torn tail is brought to an end first, as a writer that does not cut it off does.
    const torn = this.text === "" || this.text?.endsWith("\n") === true ? "" : "\n"
    const bytes = Buffer.from(torn + kinds.map((kind) => `${this.#newLine(kind)}\n`).join(""))
    const places = cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b)
    let from = 0
    for (const to of isTorn ? places : [...places, bytes.length]) {
      this.#disk.write(this.#handle, bytes.subarray(from, to))
      from = to
      this.#is(this.#stored())
      yield
    }
  }

  *#takeBack(share: number): Generator<void, void> {
    const size = this.#disk.bytes(this.#path)?.length ?? 0
    yield* this.#cutTo(size - Math.floor(share * Math.min(size, 200)))
  }

  *#recover(): Generator<void, void> {
    const bytes = this.#disk.bytes(this.#path) ?? new Uint8Array(0)
    yield* this.#cutTo(bytes.lastIndexOf(0x0a) + 1)
  }

  *#cutTo(length: number): Generator<void, void> {
    if (this.text === undefined) return
    this.#handle ??= this.#disk.open(this.#path, "append")
    const lines = this.#whole().length
    this.#disk.truncate(this.#handle, length)
    this.#is(this.#stored())
    if (this.#whole().length < lines) this.undone++
    yield
  }

  *#writeOver(share: number, kinds: ReadonlyArray<NewLine>): Generator<void, void> {
    for (const _ of this.#takeBack(share)) for (const __ of this.#append(kinds, [])) yield
  }

  *#replace(how: "same" | "changed" | "shorter" | "longer"): Generator<void, void> {
    if (this.text === undefined) return
    const lines = [...this.#whole()]
    if (how === "shorter") lines.splice(Math.floor(lines.length / 2), 1)
    if (how === "longer") lines.unshift(this.#newLine("id"))
    const changed = how === "changed" ? lines.map((line) => line.replace(/\}$/, ',"also":1}')) : lines
    const text = changed.map((line) => `${line}\n`).join("")
    this.close()
    const other = this.#disk.open(`${this.#path}.tmp`, "create")
    if (text !== "") this.#disk.write(other, Buffer.from(text))
    this.#disk.close(other)
    yield
    this.#disk.rename(`${this.#path}.tmp`, this.#path)
    this.#is(text)
    yield
  }

  *#remove(): Generator<void, void> {
    if (this.text === undefined) return
    this.close()
    this.#disk.unlink(this.#path)
    this.#is(undefined)
    yield
  }

  /** What stands in the file, with a replacement character for a half of one at the end. */
  #stored(): string {
    return Buffer.from(this.#disk.bytes(this.#path) as Uint8Array).toString("utf8")
  }
}
