/**
 * A persistent append-only sequence with an index by key.
 *
 * Values of this type are immutable to everybody who holds one: `append` returns a new sequence and the old one keeps its length
 * and its answers. Underneath, a chain of sequences shares one buffer, as long as each is appended to only once; a second append
 * to the same sequence copies. So a fold over n records costs O(n) altogether, and a look-up costs O(1), or O(k) for a key that
 * later sequences of the same buffer have k times.
 */

interface Shared<A> {
  readonly items: Array<A>
  readonly index: Map<string, Array<number>>
}

export interface Sequence<A> {
  readonly length: number
  readonly keyOf: (item: A) => string | undefined
  /** Not for readers: it may hold items past this sequence's length. */
  readonly shared: Shared<A>
}

const add = <A>(shared: Shared<A>, item: A, key: string | undefined): void => {
  const position = shared.items.push(item) - 1
  if (key === undefined) return
  const positions = shared.index.get(key)
  if (positions === undefined) shared.index.set(key, [position])
  else positions.push(position)
}

/** An empty sequence. `keyOf` gives the key an item is found by; undefined for none. */
export const empty = <A>(keyOf: (item: A) => string | undefined = () => undefined): Sequence<A> => ({
  length: 0,
  keyOf,
  shared: { items: [], index: new Map() },
})

/** The sequence with one more item. Amortised O(1) on the newest sequence of a chain, O(n) on an older one. */
export const append = <A>(sequence: Sequence<A>, item: A): Sequence<A> => {
  let { shared } = sequence
  // An empty sequence may be a constant of a module. It gets a buffer of its own each time, so that it never holds on to a chain.
  if (sequence.length === 0 || shared.items.length !== sequence.length) {
    shared = { items: [], index: new Map() }
    for (const kept of iterate(sequence)) add(shared, kept, sequence.keyOf(kept))
  }
  add(shared, item, sequence.keyOf(item))
  return { length: sequence.length + 1, keyOf: sequence.keyOf, shared }
}

/** The first items of a sequence, `count` at most. O(1); an append to it copies. */
export const take = <A>(sequence: Sequence<A>, count: number): Sequence<A> =>
  count < sequence.length ? { ...sequence, length: Math.max(count, 0) } : sequence

/** The item at a position, or undefined outside `0 <= position < length`. */
export const at = <A>(sequence: Sequence<A>, position: number): A | undefined =>
  position >= 0 && position < sequence.length ? sequence.shared.items[position] : undefined

/** The position of the last item with the key, or -1. */
export const lastPosition = <A>(sequence: Sequence<A>, key: string): number => {
  const positions = sequence.shared.index.get(key)
  if (positions === undefined) return -1
  for (let i = positions.length - 1; i >= 0; i--) {
    const position = positions[i]
    if (position !== undefined && position < sequence.length) return position
  }
  return -1
}

/** The last item with the key, or undefined. */
export const last = <A>(sequence: Sequence<A>, key: string): A | undefined => at(sequence, lastPosition(sequence, key))

/** The positions of all items with the key, in order. */
export const positions = <A>(sequence: Sequence<A>, key: string): ReadonlyArray<number> => {
  const all = sequence.shared.index.get(key) ?? []
  return all.filter((position) => position < sequence.length)
}

/** All items, in order. */
export function* iterate<A>(sequence: Sequence<A>): Generator<A> {
  for (let i = 0; i < sequence.length; i++) yield sequence.shared.items[i] as A
}

/** All items as a fresh array. */
export const toArray = <A>(sequence: Sequence<A>): Array<A> => sequence.shared.items.slice(0, sequence.length)
