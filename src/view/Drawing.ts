/**
 * Where each entry of a forest stands in a drawing, and which lines lead to it.
 *
 * A chain goes straight down: an entry and, again and again, one of its children. That child is the one on the way to the live leaf,
 * else the one with the most entries under it. The other children begin chains of their own, drawn between the two and indented. So
 * a session without branches is one column, and the indentation is at most log2(entries) + 1 steps, however the branches lie.
 *
 *     ╭ root
 *     │ an entry with two children
 *     ├─╮ one child, which begins a chain
 *     │ ╰ the last entry of that chain
 *     ╰ the other child
 */
import type { Forest } from "../tree/Tree.ts"

export interface Row {
  readonly position: number
  /** The lines on the left, ready to print, with a space behind them. */
  readonly lead: string
  /** The lines on the left of a row that stands for several of this chain. */
  readonly through: string
  /** The entry begins its chain, ends it, or has children that begin other chains. */
  readonly isJoint: boolean
}

/** The number of entries in the subtree of each position, itself included. */
const sizes = ({ roots, childrenOf }: Forest): ReadonlyMap<number, number> => {
  const order: Array<number> = []
  const open = [...roots]
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    order.push(position)
    open.push(...childrenOf(position))
  }
  const found = new Map<number, number>()
  for (const position of order.reverse()) {
    found.set(
      position,
      childrenOf(position).reduce((sum, child) => sum + (found.get(child) ?? 0), 1),
    )
  }
  return found
}

/** A chain that is being drawn. */
interface Chain {
  /** The lines to the left of its first entry, and of the others. */
  readonly first: string
  readonly left: string
  /** The entry to draw next. */
  next: number | undefined
  started: boolean
}

const leadOf = (chain: Chain, isLast: boolean): string => {
  if (chain.started) return `${chain.left}${isLast ? "╰" : "│"} `
  if (chain.first === "") return isLast ? "╶ " : "╭ "
  return `${chain.first}${isLast ? "╴" : "╮"} `
}

/**
 * The rows of a forest from top to bottom, each position once. `isLive` tells the entries on the way to the live leaf. O(entries),
 * without recursion.
 */
export function* rows(forest: Forest, isLive: (position: number) => boolean): Generator<Row> {
  const size = sizes(forest)
  const larger = (one: number | undefined, other: number): number =>
    one !== undefined && (size.get(one) ?? 0) > (size.get(other) ?? 0) ? one : other
  for (const root of forest.roots) {
    const open: Array<Chain> = [{ first: "", left: "", next: root, started: false }]
    for (let chain = open.at(-1); chain !== undefined; chain = open.at(-1)) {
      const position = chain.next
      if (position === undefined) {
        open.pop()
        continue
      }
      const children = forest.childrenOf(position)
      const main = children.find(isLive) ?? children.reduce<number | undefined>(larger, undefined)
      const sides = children.filter((child) => child !== main)
      const isLast = main === undefined
      const isJoint = !chain.started || isLast || sides.length > 0
      yield { position, lead: leadOf(chain, isLast), through: `${chain.left}┊ `, isJoint }
      chain.started = true
      chain.next = main
      const { left } = chain
      for (const side of sides.reverse()) open.push({ first: `${left}├─`, left: `${left}│ `, next: side, started: false })
    }
  }
}
