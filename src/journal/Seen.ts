/**
 * What a follower has handed over, so that a file that takes the place of another does not give it a second time.
 *
 * Two records are the same if they have the same `id` and the same time, whatever else a rewrite did to them; or, without an id, if
 * their text is the same. As often as one was handed over, as often it is left out.
 *
 * Pure. Costs about 100 bytes for each of the last records, at most MAX_REMEMBERED of them. Of those before, only the number is kept:
 * as many at the beginning of another file are taken for them.
 */
import { ownString } from "../model/Json.ts"
import { MAX_REMEMBERED } from "../model/Limits.ts"
import type { Damage } from "./Damage.ts"
import type { JournalRecord, LineItem } from "./Line.ts"

/** 53 bits of a text, well mixed. No protection against somebody who looks for two texts with the same. */
const digest = (text: string): number => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2_654_435_761)
    b = Math.imul(b ^ unit, 1_597_334_677)
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
  return 4_294_967_296 * (b & 0x1f_ffff) + (a >>> 0)
}

const recordKey = ({ value, raw }: JournalRecord): string => {
  const id = ownString(value, "id")
  if (id === undefined) return `r${raw.length}:${digest(raw)}`
  const name = `${ownString(value, "timestamp") ?? ownString(value, "t") ?? ""} ${id}`
  return name.length <= 100 ? `i${name}` : `i${name.length}:${digest(name)}`
}

const damageKey = ({ kind, offset, length }: Damage): string => `d${kind} ${offset}+${length}`

export class Seen {
  readonly #limit: number
  /** How often each was handed over. */
  readonly #handedOver = new Map<string, number>()
  /** Records handed over that are no longer remembered. */
  #forgotten = 0
  /** What another file may still hold of it. */
  #expected = new Map<string, number>()
  #expectedForgotten = 0

  /** `limit`: how many are remembered one by one. */
  constructor(limit: number = MAX_REMEMBERED) {
    this.#limit = limit
  }

  /** The same session begins again, in another file or in the same one. */
  again(): void {
    this.#expected = new Map(this.#handedOver)
    this.#expectedForgotten = this.#forgotten
  }

  /** Whether the item is to be handed over, and remembers that it was. */
  isNew(item: LineItem): boolean {
    const key = item._tag === "Record" ? recordKey(item.record) : damageKey(item.damage)
    const expected = this.#expected.get(key)
    if (expected !== undefined) {
      if (expected === 1) this.#expected.delete(key)
      else this.#expected.set(key, expected - 1)
      return false
    }
    if (item._tag === "Record" && this.#expectedForgotten > 0) {
      this.#expectedForgotten--
      return false
    }
    this.#remember(key)
    return true
  }

  #remember(key: string): void {
    this.#handedOver.set(key, (this.#handedOver.get(key) ?? 0) + 1)
    if (this.#handedOver.size <= this.#limit) return
    const [oldest] = this.#handedOver
    if (oldest === undefined) return
    this.#handedOver.delete(oldest[0])
    if (!oldest[0].startsWith("d")) this.#forgotten += oldest[1]
  }
}
