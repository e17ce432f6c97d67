/**
 * A seal: the last member of a record, by which a reader sees whether the line is the one that was written, and whether the lines before
 * it are.
 *
 *     {"type":"message","id":"a1", … ,"_c":"7-9f86d081884c7d65-3f2a1b0c"}
 *
 * Three parts: the number of the record among those of the file, from 1; the first 16 hexadecimal digits of a SHA-256 chain; and the
 * CRC-32 of all bytes of the line before it. The chain goes over every record: its digits after a record are those of the SHA-256 of its
 * digits before and the record's text without seal. Before the first record they are zeros.
 *
 * To every other reader the seal is a member that it does not know, in one line of JSON like any other. Records whose readers refuse
 * members that they do not know carry none, and so do those that other programs append: the next seal behind them covers them. So each
 * line says of itself whether it has a seal, and what its seal cannot be checked against is no damage.
 *
 * Valid if and only if it is the last member, spelled as above, with no blank around it.
 *
 * A seal tells accidents and careless editors, not an attacker: who can write the file can write new seals. That the last lines are gone
 * it cannot tell (law INT-1).
 */
import { type JsonObject, own, ownString } from "../model/Json.ts"
import type { DamageKind } from "./Damage.ts"
import type { DamageItem, JournalRecord, LineItem } from "./Line.ts"
import type { RunTaker } from "./Run.ts"

/** What the digits are made with. Functions of their arguments alone. */
export interface Digests {
  /** The CRC-32 of a text in UTF-8. */
  readonly crc32: (text: string) => number
  /** The SHA-256 of a text in UTF-8, in hexadecimal digits. */
  readonly sha256: (text: string) => string
}

/** Where a chain of records has come to. */
export interface ChainState {
  /** Records so far. */
  readonly records: number
  readonly chain: string
}

/** The member of a header that says that the records of its file carry seals. */
export const INTEGRITY = "crc32+chain"

export const declaresIntegrity = (header: JsonObject | undefined): boolean =>
  header !== undefined && own(header, "integrity") === INTEGRITY

export const CHAIN_START: ChainState = { records: 0, chain: "0".repeat(16) }

/** A chain with one more record, by its text without seal. */
const link = (digests: Digests, chain: string, text: string): string => digests.sha256(chain + text).slice(0, 16)

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0")

/** Whether a record may carry a seal: not when some reader refuses members in it that it does not know. */
const maySeal = (text: string): boolean => text.endsWith("}") && text !== "{}" && !/^\{"type":"(?:header|entry)_patch"/.test(text)

/** The member to be put behind the last one of a record; undefined for a record that carries none. And the chain with that record. */
export const sealOf = (
  digests: Digests,
  { records, chain }: ChainState,
  text: string,
): { readonly member: string | undefined; readonly state: ChainState } => {
  const state = { records: records + 1, chain: link(digests, chain, text) }
  if (!maySeal(text)) return { member: undefined, state }
  const begun = `,"_c":"${state.records}-${state.chain}-`
  return { member: `${begun}${hex(digests.crc32(text.slice(0, -1) + begun))}"`, state }
}

/** The longest member that a record can get, in bytes. */
export const SEAL_BYTES = 64

const SEAL = /,"_c":"([1-9][0-9]{0,15})-([0-9a-f]{16})-([0-9a-f]{8})"\}$/

/** What a record says without its seal. The same reference when it has none. */
export const withoutSeal = (raw: string, value: JsonObject): JsonObject => {
  if (ownString(value, "_c") === undefined || !SEAL.test(raw.slice(-SEAL_BYTES))) return value
  const { _c, ...rest } = value
  return rest
}

interface Sealed {
  /** The record without its seal. */
  readonly record: JournalRecord
  readonly number: number
  readonly chain: string
  readonly isIntact: boolean
}

const sealedOf = (digests: Digests, record: JournalRecord): Sealed | undefined => {
  // A record that is told by its outline is not read to see that it has no seal.
  if (record.outline !== undefined && record.outline.kind("_c") !== "string") return undefined
  const { raw, value } = record
  if (ownString(value, "_c") === undefined) return undefined
  const found = SEAL.exec(raw.slice(-SEAL_BYTES))
  if (found === null) return undefined
  const [seal, number = "", chain = "", crc] = found
  const { _c, ...rest } = value
  const text = `${raw.slice(0, raw.length - seal.length)}}`
  const isIntact = hex(digests.crc32(raw.slice(0, raw.length - 10))) === crc
  return { record: { ...record, raw: text, value: rest }, number: Number(number), chain, isIntact }
}

/** Seals that are remembered to tell a line that stands there twice from one that stands in another place. */
const REMEMBERED = 1_024

/** Records without a seal at the beginning of a file that are looked at, in case that the next one has one. */
const UNSEALED_AT_FIRST = 16

/**
 * Takes the seals off the records of a file, in order, and tells what does not fit as damage in front of the record where it shows. A
 * record is given all the same, whatever is wrong with its seal. Costs nothing for a file without seals.
 */
export class SealReader {
  readonly #digests: Digests
  #records = 0
  /** The chain after the last record; more than one when it is not certain which. Empty: not known. */
  #chains: ReadonlyArray<string> = [CHAIN_START.chain]
  #hasSeals = false
  /** The number of the last record with a seal. */
  #sealed = 0
  readonly #recent = new Map<number, string>()
  /** The first record behind the last one with a seal. */
  #loose: JournalRecord | undefined
  /** Something that could not be read stands behind the last record. */
  #hasHole = false
  /** The offset up to which the bytes of a record are told to be others than its text. */
  #altered = 0
  #damages = 0

  constructor(digests: Digests) {
    this.#digests = digests
  }

  /** Damages told so far. */
  get damages(): number {
    return this.#damages
  }

  /** Where the chain has come to; undefined in a file that has no seals and is not told to have them. */
  state(): ChainState | undefined {
    const [chain] = this.#chains
    return chain === undefined || !this.#hasSeals ? undefined : { records: this.#records, chain }
  }

  /** Takes a record whose outline tells that it has no seal, to be handed on as it is; any other item is left to {@link read}. */
  takes(item: LineItem): boolean {
    if (item._tag === "Damage" || item.record.outline === undefined || item.record.outline.kind("_c") === "string") return false
    this.#unsealed(item.record)
    return true
  }

  /** What takes runs, as long as records without a seal are counted here and nothing else. */
  behind(runs: RunTaker): RunTaker {
    return {
      isReady: () => this.#chains.length === 0 && runs.isReady(),
      take: (run) => {
        this.#records += run.count
        runs.take(run)
      },
    }
  }

  *read(item: LineItem): Generator<LineItem, void> {
    if (item._tag === "Damage") {
      const { kind, offset, length } = item.damage
      if (!item.read) this.#hasHole = true
      else if (kind !== "glued") this.#altered = offset + length
      yield item
      return
    }
    const sealed = sealedOf(this.#digests, item.record)
    if (sealed === undefined) {
      this.#unsealed(item.record)
      yield item
      return
    }
    const found = sealed.isIntact ? this.#intact(sealed) : this.#broken(sealed)
    if (found !== undefined) {
      this.#damages++
      yield found
    }
    yield { ...item, record: sealed.record }
  }

  #unsealed(record: JournalRecord): void {
    this.#records++
    this.#loose ??= record
    if (this.#records === 1 && declaresIntegrity(record.value)) this.#hasSeals = true
    if (!this.#hasSeals && this.#records > UNSEALED_AT_FIRST) this.#chains = []
    if (this.#chains.length > 0) this.#chains = this.#chains.map((chain) => link(this.#digests, chain, record.raw))
  }

  /** A line that is not as it was written. */
  #broken({ record, chain, number }: Sealed): DamageItem | undefined {
    this.#hasSeals = true
    // What its seal says of the place may be right, or what is known of the place.
    this.#records = this.#hasHole && number > this.#records ? number : this.#records + 1
    this.#chains = [...this.#chains.map((before) => link(this.#digests, before, record.raw)), chain]
    // Otherwise the damage that changed its text is told.
    return record.offset < this.#altered ? undefined : this.#damage("edited", record, record.offset, record.length)
  }

  /** A line that is as it was written: does it stand where it was written? */
  #intact({ record, chain, number }: Sealed): DamageItem | undefined {
    this.#hasSeals = true
    if (number <= this.#sealed) {
      const kind = this.#recent.get(number) === chain ? "repeated-line" : "out-of-order"
      return this.#damage(kind, record, record.offset, record.length)
    }
    const before = { records: this.#records, loose: this.#loose, hasHole: this.#hasHole }
    const fits = this.#chains.length === 0 || this.#chains.some((at) => link(this.#digests, at, record.raw) === chain)
    this.#records = number
    this.#sealed = number
    this.#chains = [chain]
    this.#loose = undefined
    this.#hasHole = false
    this.#recent.set(number, chain)
    if (this.#recent.size > REMEMBERED) this.#recent.delete(this.#recent.keys().next().value ?? 0)
    if (before.hasHole || (number === before.records + 1 && fits)) return undefined
    if (number > before.records + 1) return this.#damage("lost-records", record, record.offset, 0)
    const from = before.loose ?? record
    return this.#damage(
      "chain-broken",
      from,
      from.offset,
      (before.loose === undefined ? record.length : 0) + record.offset - from.offset,
    )
  }

  #damage(kind: DamageKind, { line }: JournalRecord, offset: number, length: number): DamageItem {
    return { _tag: "Damage", damage: { line, offset, length, kind }, startsLine: false, read: true }
  }
}
