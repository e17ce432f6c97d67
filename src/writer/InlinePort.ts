/** The machine without a thread: for the laws, and for hosts that may not start one. Writing then happens on the host's own thread. */
import type { Disk } from "../disk/Disk.ts"
import { blockingSyncs, type Syncs } from "../disk/Syncs.ts"
import type { PortHost, WriterPort } from "./Port.ts"
import type { Outcome, Request } from "./Protocol.ts"
import { makeWriterCore } from "./WriterCore.ts"

/** One life of the machine. It ends with the first error that it throws, and says nothing more. */
class Life {
  readonly #core
  readonly #host: PortHost
  readonly #ended: () => void
  #told: Array<Outcome> = []
  #isOver = false

  constructor(disk: Disk, syncs: Syncs, host: PortHost, ended: () => void) {
    this.#core = makeWriterCore(disk, {
      start: (handle, done) => syncs.start(handle, (fault) => this.#run(() => done(fault))),
    })
    this.#host = host
    this.#ended = ended
  }

  carryOut(request: Request): void {
    this.#run(() => {
      if (request.kind === "release") this.#core.release(request.files)
      else this.#core.commit(request.parts, (outcome) => this.#settled(outcome))
    })
  }

  #run(work: () => void): void {
    if (this.#isOver) return
    try {
      work()
    } catch (cause) {
      // One sync may be told of within another step: the first to hear of the end tells it.
      if (this.#isOver) return
      this.#isOver = true
      queueMicrotask(() => {
        this.#ended()
        this.#host.lost(cause)
      })
    }
  }

  /** All that becomes known in one step goes together, as from a thread. */
  #settled(outcome: Outcome): void {
    if (this.#told.push(outcome) > 1) return
    queueMicrotask(() => {
      const outcomes = this.#told
      this.#told = []
      this.#host.settled(outcomes)
    })
  }
}

/** Without `syncs` one file is synced behind the other. */
export const inlinePort = (disk: Disk, syncs: Syncs = blockingSyncs(disk)): WriterPort => {
  let host: PortHost | undefined
  let life: Life | undefined
  return {
    isAside: false,
    connect: (to) => {
      host = to
    },
    send: (request) => {
      if (host === undefined) throw new Error("nobody is connected to the port")
      // What is sent before the host has heard of the end is lost with the rest.
      life ??= new Life(disk, syncs, host, () => {
        life = undefined
      })
      const addressed = life
      // In a microtask, so that a part still gathers what is dispatched while the one before it runs.
      queueMicrotask(() => addressed.carryOut(request))
    },
    // Nothing is ever in another thread's hands; what is queued at the exit of the process was never acknowledged.
    close: () => Promise.resolve(),
  }
}
