/** The way to the machine that writes: a thread, or the machine itself. */
import type { Part, Reply, Request } from "./Protocol.ts"

export interface WriterPort {
  /** Carries out one request. Rejects only when the machine was lost on the way, so that the outcome is unknown. */
  readonly run: (request: Request) => Promise<Reply>
  /** Called once the pump exists: what would have to be written if the process ended now. */
  readonly guardExit: (remainder: () => Remainder) => void
  /** Waits for what is under way and gives the machine back. */
  readonly close: () => Promise<void>
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
