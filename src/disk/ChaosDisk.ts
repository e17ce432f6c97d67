import { type Chooser, seededChooser } from "./Chooser.ts"
import type { Disk, FileStat, Handle, OpenMode } from "./Disk.ts"
import { DiskFault } from "./Disk.ts"
import { type Call, type Effects, Schedule } from "./Schedule.ts"

/**
 * Another disk, on which operations are refused, torn, held up, or find it full: by a plan, or by a seed.
 *
 * Deterministic: the same calls with the same plan or seed meet the same faults, and `log` says which. It keeps no bytes of its own, so
 * that what it leaves behind is on the disk below, where it can be read without it. A refused sync is not carried out, and so takes
 * nothing: only the simulated disk loses what a failed sync may lose. A refused close gives the handle back all the same.
 */

/** One thing that happens. Steps are counted from 1 over all operations of the chaos disk. */
export type ChaosFault =
  /** Operation `at` is refused; with `sticky` every later one too. `code` is `EIO` unless it is said. */
  | { readonly does: "fail"; readonly at: number; readonly code?: string | undefined; readonly sticky?: boolean | undefined }
  /** The first write from `at` on puts so many of its bytes in; the next write to its handle is refused with `code`, or `EIO`. */
  | { readonly does: "tear"; readonly at: number; readonly bytes: number; readonly code?: string | undefined }
  /** From `at` on there is no room (`ENOSPC`) for bytes, files, names and directories: but for `room` bytes of the first write, and before `until`, or until `heal`. */
  | { readonly does: "fill"; readonly at: number; readonly room?: number | undefined; readonly until?: number | undefined }
  /** Before operation `at` the `stall` hook is called. */
  | { readonly does: "stall"; readonly at: number }

export interface ChaosOptions {
  readonly plan?: ReadonlyArray<ChaosFault> | undefined
  /** Draws faults for as long as it is used, besides those of the plan. */
  readonly seed?: number | undefined
  /** How rare the drawn faults are: one operation in so many. Default: 20. */
  readonly every?: number | undefined
  /**
   * Called before an operation that is held up. The disk is synchronous and knows no clock: the hook returns when the operation may go on,
   * by waiting, by sleeping, or by doing meanwhile what another process would.
   */
  readonly stall?: ((call: ChaosCall) => void) | undefined
}

export interface ChaosCall {
  readonly step: number
  readonly operation: keyof Disk
  /** The path it was called with; of a link or a rename the name it starts from. */
  readonly path: string
}

/** What it did to an operation. */
export interface ChaosEvent extends ChaosCall {
  readonly did: "refused" | "tore" | "stalled"
  /** The error code of a refusal, and of the one that a torn write is followed by. */
  readonly code?: string | undefined
  /** How many bytes of a torn write went in. */
  readonly bytes?: number | undefined
}

export interface ChaosDisk extends Disk {
  /** What it has done so far, in order. */
  readonly log: ReadonlyArray<ChaosEvent>
  /** How many operations were called. */
  readonly operations: number
  /** From here on nothing happens any more: the disk below answers. */
  readonly heal: () => void
}

/** What a full disk refuses, besides new files. */
const needsRoom: ReadonlySet<keyof Disk> = new Set<keyof Disk>(["write", "makeDirectory", "link", "rename"])

const codes = ["EIO", "EIO", "EROFS", "EDQUOT", "EINTR"] as const

class Chaos implements ChaosDisk {
  readonly log: Array<ChaosEvent> = []
  readonly #disk: Disk
  readonly #schedule = new Schedule()
  readonly #options: ChaosOptions
  readonly #stalls: Set<number>
  /** Why the last write to a handle was short. */
  #refusals = new WeakMap<Handle, string>()
  #choose: Chooser | undefined
  /** Whether the operation under way makes a file. */
  #isCreating = false

  constructor(disk: Disk, options: ChaosOptions) {
    this.#disk = disk
    this.#options = options
    this.#choose = options.seed === undefined ? undefined : seededChooser(options.seed)
    this.#stalls = new Set()
    for (const fault of options.plan ?? []) this.#arm(fault)
  }

  get operations(): number {
    return this.#schedule.operations
  }

  heal = (): void => {
    this.#schedule.heal()
    this.#stalls.clear()
    this.#refusals = new WeakMap()
    this.#choose = undefined
  }

  // ── The port ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  open = (path: string, mode: OpenMode): Handle => {
    this.#isCreating = mode === "create"
    try {
      return this.#perform("open", path, () => this.#disk.open(path, mode))
    } finally {
      this.#isCreating = false
    }
  }

  close = (handle: Handle): void => {
    const release = () => this.#disk.close(handle)
    this.#perform("close", handle.path, release, () => void release())
  }

  read = (handle: Handle, into: Uint8Array, position: number): number =>
    this.#perform("read", handle.path, () => this.#disk.read(handle, into, position))

  write = (handle: Handle, bytes: Uint8Array): number => {
    const whole = (): number => {
      const refusal = this.#refusals.get(handle)
      if (refusal === undefined) return this.#disk.write(handle, bytes)
      this.#refusals.delete(handle)
      this.#note({ did: "refused", operation: "write", path: handle.path, code: refusal })
      throw new DiskFault("write", handle.path, refusal)
    }
    return this.#perform("write", handle.path, whole, ({ short = 0, code }) => {
      const most = Math.min(short, bytes.length - 1)
      if (most <= 0) return undefined
      const count = this.#disk.write(handle, bytes.subarray(0, most))
      this.#refusals.set(handle, code)
      return count
    })
  }

  truncate = (handle: Handle, length: number): void =>
    this.#perform("truncate", handle.path, () => this.#disk.truncate(handle, length))
  sync = (handle: Handle): void => this.#perform("sync", handle.path, () => this.#disk.sync(handle))
  stat = (handle: Handle): FileStat => this.#perform("stat", handle.path, () => this.#disk.stat(handle))
  lstat = (path: string): FileStat | undefined => this.#perform("lstat", path, () => this.#disk.lstat(path))
  list = (path: string): ReadonlyArray<string> => this.#perform("list", path, () => this.#disk.list(path))
  makeDirectory = (path: string): void => this.#perform("makeDirectory", path, () => this.#disk.makeDirectory(path))
  link = (from: string, to: string): void => this.#perform("link", from, () => this.#disk.link(from, to))
  rename = (from: string, to: string): void => this.#perform("rename", from, () => this.#disk.rename(from, to))
  unlink = (path: string): void => this.#perform("unlink", path, () => this.#disk.unlink(path))
  removeDirectory = (path: string): void => this.#perform("removeDirectory", path, () => this.#disk.removeDirectory(path))
  setMode = (path: string, mode: number): void => this.#perform("setMode", path, () => this.#disk.setMode(path, mode))
  setModified = (path: string, modified: bigint): void =>
    this.#perform("setModified", path, () => this.#disk.setModified(path, modified))
  syncDirectory = (path: string): void => this.#perform("syncDirectory", path, () => this.#disk.syncDirectory(path))

  // ── Inside ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  #arm(fault: ChaosFault): void {
    const { does, at } = fault
    if (does === "stall") this.#stalls.add(at)
    else if (does === "fail") this.#schedule.fail(at, fault.code ?? "EIO", { sticky: fault.sticky })
    else if (does === "tear") {
      const isWrite = (call: Call) => call.operation === "write" && call.step >= at
      this.#schedule.fail(isWrite, fault.code ?? "EIO", { short: fault.bytes })
    } else {
      const { room = 0, until = Number.POSITIVE_INFINITY } = fault
      const isFull = ({ step }: Call) => step >= at && step < until
      if (room > 0) this.#schedule.fail((call) => call.operation === "write" && isFull(call), "ENOSPC", { short: room })
      this.#schedule.fail((call) => this.#needsRoom(call.operation) && isFull(call), "ENOSPC", { sticky: true })
    }
  }

  /** What befalls the coming operation, when a seed decides. */
  #draw(operation: keyof Disk, choose: Chooser): void {
    const at = this.#schedule.operations + 1
    if (choose(Math.max(1, this.#options.every ?? 20)) !== 0) return
    const kinds: ReadonlyArray<ChaosFault["does"]> = [
      ...(["fail", "stall"] as const),
      ...(operation === "write" ? (["tear", "tear"] as const) : []),
      ...(this.#needsRoom(operation) ? (["fill"] as const) : []),
    ]
    const does = kinds[choose(kinds.length)] ?? "fail"
    const code = codes[choose(codes.length)]
    const size = choose(64)
    if (does === "tear") this.#arm({ does, at, bytes: 1 + size, code })
    else if (does === "fill") this.#arm({ does, at, room: size, until: at + 1 + choose(16) })
    else this.#arm({ does, at, code })
  }

  #needsRoom(operation: keyof Disk): boolean {
    return needsRoom.has(operation) || (operation === "open" && this.#isCreating)
  }

  #note(event: Omit<ChaosEvent, "step">): void {
    this.log.push({ step: this.#schedule.operations, ...event })
  }

  #perform<A>(operation: keyof Disk, path: string, whole: () => A, partly?: Effects<A>["refused"]): A {
    if (this.#choose !== undefined) this.#draw(operation, this.#choose)
    const step = this.#schedule.operations + 1
    if (this.#stalls.delete(step)) {
      this.log.push({ step, operation, path, did: "stalled" })
      this.#options.stall?.({ step, operation, path })
    }
    return this.#schedule.perform(operation, path, {
      whole,
      refused: (fault) => {
        const instead = partly?.(fault)
        const { code } = fault
        if (typeof instead === "number") this.#note({ did: "tore", operation, path, code, bytes: instead })
        else this.#note({ did: "refused", operation, path, code })
        return instead
      },
    })
  }
}

/**
 * A disk over another one, such as the machine's in a temporary folder, that does what a plan or a seed says.
 *
 * Cost: that of the disk below, and one draw an operation.
 */
export const chaosDisk = (disk: Disk, options: ChaosOptions): ChaosDisk => new Chaos(disk, options)
