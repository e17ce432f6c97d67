/** The way to the machine that writes: a thread, or the machine itself. */
import type { Outcome, Part, Request } from "./Protocol.ts"

export interface WriterPort {
  /** Whether the machine works while the host goes on: then it is worth sending before the end of a turn of the event loop. */
  readonly isAside: boolean
  /** Called once, before anything is sent: who is told what becomes of it. */
  readonly connect: (host: PortHost) => void
  /**
   * Hands a request over. Never throws; the outcomes of its parts come later, each once, in any order among files. The bytes of the parts
   * belong to the machine from then on. After `lost` the next request goes to another machine.
   */
  readonly send: (request: Request) => void
  /** Waits for what is under way and gives the machine back. */
  readonly close: () => Promise<void>
}

export interface PortHost {
  readonly settled: (outcomes: ReadonlyArray<Outcome>) => void
  /** The machine was lost: nothing more is told of what was sent and not settled, and its outcome is unknown. */
  readonly lost: (cause: unknown) => void
  /** What would have to be written if the process ended now. */
  readonly remainder: () => Remainder
}

export interface Remainder {
  readonly parts: ReadonlyArray<Part>
  /** What cannot be written any more, because its file has latched. */
  readonly lost: ReadonlyArray<Loss>
}

export interface Loss {
  readonly path: string
  /** Bytes of accepted records that are not in the file, or not known to be. */
  readonly bytes: number
  readonly why: string
}
