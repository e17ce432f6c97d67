/**
 * Syncs of a simulated disk that end in any order, as those of a pool of threads do. When a sync has ended may be long after it has taken
 * effect, or at that moment; one may also not come back until it is let.
 */
import type { Chooser } from "../src/disk/Chooser.ts"
import type { Disk, Handle } from "../src/disk/Disk.ts"
import type { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { SyncDone, Syncs } from "../src/disk/Syncs.ts"

interface Pending {
  readonly handle: Handle
  readonly done: SyncDone
  /** Taken effect already; what came of it. */
  readonly early: { readonly fault: unknown } | undefined
}

export class SimulatedSyncs implements Syncs {
  readonly #disk: SimulatedDisk
  readonly #choose: Chooser
  #pending: ReadonlyArray<Pending> = []
  #isTicking = false
  /** The file whose syncs do not come back. */
  #stalled: string | undefined
  /** What was done with a file while it was synced: a machine does nothing with it until then. */
  readonly complaints: Array<string> = []
  /** How often a sync ended before one that was started earlier. */
  overtakings = 0
  /** Syncs that were under way when the machine died. */
  orphans = 0

  constructor(disk: SimulatedDisk, choose: Chooser, stalled?: string) {
    this.#disk = disk
    this.#choose = choose
    this.#stalled = stalled
  }

  /** The disk for a machine with these syncs: it notes what must not be. */
  get disk(): Disk {
    const { write, truncate, close } = this.#disk
    const look = ({ path }: Handle): void => {
      if (this.#pending.some(({ handle }) => handle.path === path))
        this.complaints.push(`${path} was touched while it was synced`)
    }
    return {
      ...this.#disk,
      write: (handle, bytes) => {
        look(handle)
        return write(handle, bytes)
      },
      truncate: (handle, length) => {
        look(handle)
        truncate(handle, length)
      },
      close: (handle) => {
        look(handle)
        close(handle)
      },
    }
  }

  start = (handle: Handle, done: SyncDone): void => {
    const early = this.#choose(2) === 0 ? { fault: this.#sync(handle) } : undefined
    this.#pending = [...this.#pending, { handle, done, early }]
    this.#tick()
  }

  /** The machine has died: nobody is told any more. */
  abandon(): void {
    this.orphans += this.#pending.length
    this.#pending = []
  }

  /** Whether a sync of the file that stalls is under way. */
  get isStalling(): boolean {
    return this.#pending.some(({ handle }) => handle.path === this.#stalled)
  }

  /** Lets the file that stalls go on. */
  release(): void {
    this.#stalled = undefined
    this.#tick()
  }

  #sync(handle: Handle): unknown {
    try {
      this.#disk.sync(handle)
    } catch (fault) {
      return fault
    }
    return undefined
  }

  #tick(): void {
    if (this.#isTicking) return
    this.#isTicking = true
    setImmediate(() => {
      this.#isTicking = false
      this.#end()
    })
  }

  #end(): void {
    const able = this.#pending.filter(({ handle }) => handle.path !== this.#stalled)
    const next = able[this.#choose(Math.max(1, able.length))]
    if (next === undefined) return
    if (next !== this.#pending[0]) this.overtakings += 1
    this.#pending = this.#pending.filter((each) => each !== next)
    next.done(next.early === undefined ? this.#sync(next.handle) : next.early.fault)
    this.#tick()
  }
}
