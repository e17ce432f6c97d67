/**
 * A persistent append-only sequence with an index by key.
 *
 * Values of this type are immutable to everybody who holds one: `append` returns a new sequence and the old one keeps its length
 * and its answers. Underneath, a chain of sequences shares one buffer, as long as each is appended to only once; a second append
 * to the same sequence copies. So a fold over n records costs O(n) altogether, and a look-up costs O(1), or O(k) for a key that
 * later sequences of the same buffer have k times.
 *
 * The first items may be kept elsewhere and made when they are asked for: see {@link Base}.
 */

/** The first items of a sequence, kept elsewhere. It may grow; what it once held it holds for ever, with the same answers. */
export interface Base<A> {
  readonly length: number
  /** The item at `0 <= position < length`. */
  readonly at: (position: number) => A
  /** The position of the last item with the key among the first `count`, or -1. */
  readonly lastPosition: (key: string, count: number) => number
  /** The positions of all items with the key among the first `count`, in order. */
  readonly positions: (key: string, count: number) => ReadonlyArray<number>
}

interface Shared<A> {
  /** Those behind the base. */
  readonly items: Array<A>
  /** Where each key stands, in order. Most stand once, and that is worth no list. */
  readonly index: Map<string, number | Array<number>>
  readonly base?: Base<A>
  /** How many of the base's items come first. */
  readonly held: number
}

export interface Sequence<A> {
  readonly length: number
  readonly keyOf: (item: A) => string | undefined
  /** Not for readers: it may hold items past this sequence's length. */
  readonly shared: Shared<A>
}

const add = <A>(shared: Shared<A>, item: A, key: string | undefined): void => {
  const position = shared.held + shared.items.push(item) - 1
  if (key === undefined) return
  const before = shared.index.get(key)
  if (before === undefined) shared.index.set(key, position)
  else if (typeof before === "number") shared.index.set(key, [before, position])
  else before.push(position)
}

/** An empty sequence. `keyOf` gives the key an item is found by; undefined for none. */
export const empty = <A>(keyOf: (item: A) => string | undefined = () => undefined): Sequence<A> => ({
  length: 0,
  keyOf,
  shared: { items: [], index: new Map(), held: 0 },
})

/** The items that a base holds now. O(1). */
export const over = <A>(base: Base<A>, keyOf: (item: A) => string | undefined): Sequence<A> => ({
  length: base.length,
  keyOf,
  shared: { items: [], index: new Map(), base, held: base.length },
})

/** The sequence with other items at some positions, under the keys of those that stood there. O(1). */
export const replaced = <A>(sequence: Sequence<A>, items: ReadonlyMap<number, A>): Sequence<A> =>
  items.size === 0
    ? sequence
    : over(
        {
          length: sequence.length,
          at: (position) => items.get(position) ?? (at(sequence, position) as A),
          lastPosition: (key, count) => lastPosition(take(sequence, count), key),
          positions: (key, count) => positions(take(sequence, count), key),
        },
        sequence.keyOf,
      )

/** A buffer of its own with the items of a sequence. What is in the base stays there. */
const copied = <A>({ length, keyOf, shared: { items, base, held } }: Sequence<A>): Shared<A> => {
  const kept = Math.min(held, length)
  const shared: Shared<A> = { items: [], index: new Map(), held: kept, ...(base === undefined ? {} : { base }) }
  for (let i = 0; i < length - kept; i++) add(shared, items[i] as A, keyOf(items[i] as A))
  return shared
}

/** The sequence with one more item. Amortised O(1) on the newest sequence of a chain, O(n) on an older one, n without the base. */
export const append = <A>(sequence: Sequence<A>, item: A): Sequence<A> => {
  let { shared } = sequence
  // An empty sequence may be a constant of a module. It gets a buffer of its own each time, so that it never holds on to a chain.
  if (sequence.length === 0 || shared.held + shared.items.length !== sequence.length) shared = copied(sequence)
  add(shared, item, sequence.keyOf(item))
  return { length: sequence.length + 1, keyOf: sequence.keyOf, shared }
}

/** A sequence of these items, without keys. O(n) */
export const from = <A>(items: ReadonlyArray<A>): Sequence<A> => {
  const none = empty<A>()
  return { ...none, length: items.length, shared: { ...none.shared, items: [...items] } }
}

/** The first items of a sequence, `count` at most. O(1); an append to it copies. */
export const take = <A>(sequence: Sequence<A>, count: number): Sequence<A> =>
  count < sequence.length ? { ...sequence, length: Math.max(count, 0) } : sequence

/** The item at a position, or undefined outside `0 <= position < length`. */
export const at = <A>(sequence: Sequence<A>, position: number): A | undefined => {
  if (position < 0 || position >= sequence.length) return undefined
  const { items, base, held } = sequence.shared
  return position < held ? base?.at(position) : items[position - held]
}

/** The position of the last item with the key, or -1. */
export const lastPosition = <A>(sequence: Sequence<A>, key: string): number => {
  const { index, base, held } = sequence.shared
  const places = index.get(key)
  if (typeof places === "number") {
    if (places < sequence.length) return places
  } else if (places !== undefined) {
    const position = places.findLast((one) => one < sequence.length)
    if (position !== undefined) return position
  }
  return base?.lastPosition(key, Math.min(held, sequence.length)) ?? -1
}

/** The last item with the key, or undefined. */
export const last = <A>(sequence: Sequence<A>, key: string): A | undefined => at(sequence, lastPosition(sequence, key))

/** The positions of all items with the key, in order. */
export const positions = <A>(sequence: Sequence<A>, key: string): ReadonlyArray<number> => {
  const { index, base, held } = sequence.shared
  const places = index.get(key) ?? []
  const all = (typeof places === "number" ? [places] : places).filter((position) => position < sequence.length)
  return base === undefined ? all : [...base.positions(key, Math.min(held, sequence.length)), ...all]
}

/** All items, in order. */
export function* iterate<A>(sequence: Sequence<A>): Generator<A> {
  for (let i = 0; i < sequence.length; i++) yield at(sequence, i) as A
}

/** All items as a fresh array. */
export const toArray = <A>(sequence: Sequence<A>): Array<A> =>
  sequence.shared.held === 0 ? sequence.shared.items.slice(0, sequence.length) : [...iterate(sequence)]
