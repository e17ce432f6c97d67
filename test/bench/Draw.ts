/** Random numbers that a seed repeats. Pure. */

/** A 32-bit number of a text (FNV-1a). */
const seedOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

export interface Draw {
  /** At least 0, below 1. */
  readonly unit: () => number
  /** A whole number, at least 0, below the bound. */
  readonly below: (bound: number) => number
  /** True so often. */
  readonly chance: (share: number) => boolean
  readonly pick: <A>(items: readonly [A, ...ReadonlyArray<A>]) => A
  /** 32 random bits. */
  readonly bits: () => number
}

/** The numbers of a seed (mulberry32): good enough for shapes and sizes, and the same everywhere. */
export const draw = (seed: string): Draw => {
  let state = seedOf(seed)
  const bits = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const unit = (): number => bits() / 0x1_0000_0000
  const below = (bound: number): number => Math.floor(unit() * bound)
  return { bits, unit, below, chance: (share) => unit() < share, pick: (items) => items[below(items.length)] ?? items[0] }
}
