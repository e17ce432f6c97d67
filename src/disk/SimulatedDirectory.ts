import type { Chooser } from "./Chooser.ts"
import { SimulatedAttribute } from "./SimulatedAttribute.ts"
import type { Grain } from "./SimulatedFile.ts"
import { SimulatedFile } from "./SimulatedFile.ts"

/**
 * The names of one simulated directory: the live ones, the durable ones, and the changes between.
 *
 * After a power cut the names are legal if and only if they are the durable ones with the unsynced changes applied in order up to
 * some point and none after it. Directories are independent of each other, with two exceptions: the removal that a rename makes in
 * one directory is never kept without the name that it gives in another (nor, for a directory, that name without the removal), and
 * the removal of a directory never without the changes that had emptied it. A name says nothing of the bytes behind it.
 *
 * A failed sync loses its changes: no later sync stores them, and after a power cut each one was kept or was not.
 */

export type SimulatedNode = SimulatedFile | SimulatedDirectory

export interface NameChange {
  /** Names that come to point at something, or at nothing. A rename within one directory is one change of two names. */
  names: ReadonlyArray<readonly [name: string, node: SimulatedNode | undefined]>
  /** The change in another directory without which this one cannot be kept. */
  needs?: { readonly directory: SimulatedDirectory; readonly change: NameChange } | undefined
  lost: boolean
}

const apply = (names: Map<string, SimulatedNode>, changed: NameChange["names"]): void => {
  for (const [name, node] of changed) {
    if (node === undefined) names.delete(name)
    else names.set(name, node)
  }
}

export class SimulatedDirectory {
  readonly kind = "directory"
  readonly inode: bigint
  links = 0
  readonly mode: SimulatedAttribute<number>
  readonly modified: SimulatedAttribute<bigint>
  readonly live = new Map<string, SimulatedNode>()
  readonly #durable = new Map<string, SimulatedNode>()
  #pending: Array<NameChange> = []
  /** Changes that a failed sync has lost and that a later sync has passed by. */
  #uncertain: Array<{ readonly change: NameChange; readonly names: NameChange["names"] }> = []

  constructor(inode: bigint, mode = 0o700, modified = 0n) {
    this.inode = inode
    this.mode = new SimulatedAttribute(mode)
    this.modified = new SimulatedAttribute(modified)
  }

  /** Gives a name to a node, durably, whatever is pending for the name. */
  plant(name: string, node: SimulatedNode): void {
    for (const change of this.#pending) change.names = change.names.filter(([each]) => each !== name)
    this.#settle([name])
    this.live.set(name, node)
    this.#durable.set(name, node)
  }

  /** Changes live names. Returns the change, for another one to need. */
  change(names: NameChange["names"], needs?: NameChange["needs"]): NameChange {
    const change: NameChange = { names, needs, lost: false }
    this.#pending.push(change)
    apply(this.live, names)
    return change
  }

  /** The last change that is not durable. */
  get latest(): NameChange | undefined {
    return this.#pending.at(-1)
  }

  /** Makes the mode and the time durable. */
  settle(): void {
    this.mode.sync()
    this.modified.sync()
  }

  /** Makes the names durable, and with them those in other directories without which they cannot be. */
  sync(upTo?: NameChange): void {
    const end = upTo === undefined ? this.#pending.length : this.#pending.indexOf(upTo) + 1
    const done = this.#pending.slice(0, end)
    this.#pending = this.#pending.slice(end)
    for (const change of done) {
      if (change.needs !== undefined) change.needs.directory.sync(change.needs.change)
      if (change.lost) this.#uncertain.push({ change, names: change.names })
      else this.#store(change.names)
    }
  }

  /** What is stored afterwards settles the names that a lost change left open. */
  #store(names: NameChange["names"]): void {
    apply(this.#durable, names)
    this.#settle(names.map(([name]) => name))
  }

  #settle(names: ReadonlyArray<string>): void {
    this.#uncertain = this.#uncertain.map((each) => ({ ...each, names: each.names.filter(([name]) => !names.includes(name)) }))
  }

  syncFailed(): void {
    for (const change of this.#pending) change.lost = true
    this.mode.syncFailed()
    this.modified.syncFailed()
  }

  /** Everything that some legal power cut leaves a name for. */
  *reachable(): Iterable<SimulatedNode> {
    yield* this.live.values()
    yield* this.#durable.values()
    for (const { names } of [...this.#pending, ...this.#uncertain])
      for (const [, node] of names) if (node !== undefined) yield node
  }

  /** How many pending changes a power cut keeps. */
  keep(choose: Chooser): number {
    return this.#pending.length - choose(this.#pending.length + 1)
  }

  /** The most of `count` pending changes that can be kept, given whether the changes that they need are. */
  allowed(
    count: number,
    kept: (needs: { readonly directory: SimulatedDirectory; readonly change: NameChange }) => boolean,
  ): number {
    const at = this.#pending.slice(0, count).findIndex((change) => change.needs !== undefined && !kept(change.needs))
    return at < 0 ? count : at
  }

  /** Whether a change is durable or among the first `count` pending ones. */
  holds(change: NameChange, count: number): boolean {
    const at = this.#pending.indexOf(change)
    return at < 0 ? !this.#uncertain.some((each) => each.change === change) : at < count
  }

  /** The names when `count` pending changes are kept. */
  crash(count: number, choose: Chooser): ReadonlyMap<string, SimulatedNode> {
    const names = new Map(this.#durable)
    for (const each of this.#uncertain) if (choose(2) === 0) apply(names, each.names)
    for (const change of this.#pending.slice(0, count)) apply(names, change.names)
    return names
  }
}

/** How many changes of each directory below a root a power cut keeps. */
const keptChanges = (root: SimulatedDirectory, choose: Chooser): ReadonlyMap<SimulatedDirectory, number> => {
  const kept = new Map<SimulatedDirectory, number>()
  const visit = (directory: SimulatedDirectory): void => {
    if (kept.has(directory)) return
    kept.set(directory, directory.keep(choose))
    for (const child of directory.reachable()) if (child.kind === "directory") visit(child)
  }
  visit(root)
  for (let settled = false; !settled; ) {
    settled = true
    for (const [directory, count] of kept) {
      const allowed = directory.allowed(count, (needs) => needs.directory.holds(needs.change, kept.get(needs.directory) ?? 0))
      if (allowed === count) continue
      kept.set(directory, allowed)
      settled = false
    }
  }
  return kept
}

/** Fills an empty root with what one legal power cut leaves of another. Everything in it is durable. */
export const crashTree = (from: SimulatedDirectory, into: SimulatedDirectory, choose: Chooser, grain: Grain): void => {
  const kept = keptChanges(from, choose)
  const copies = new Map<SimulatedNode, SimulatedNode>()
  const fill = (source: SimulatedDirectory, target: SimulatedDirectory): void => {
    for (const [name, node] of source.crash(kept.get(source) ?? 0, choose)) {
      const copied = copies.get(node) ?? copy(node)
      copied.links++
      target.plant(name, copied)
    }
  }
  const copy = (node: SimulatedNode): SimulatedNode => {
    const mode = node.mode.crash(choose)
    const modified = node.modified.crash(choose)
    const made =
      node.kind === "file"
        ? new SimulatedFile(node.inode, node.crash(choose, grain), mode, modified)
        : new SimulatedDirectory(node.inode, mode, modified)
    copies.set(node, made)
    if (node.kind === "directory" && made.kind === "directory") fill(node, made)
    return made
  }
  fill(from, into)
}
