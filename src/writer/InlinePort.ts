/** The machine without a thread: for the laws, and for hosts that may not start one. Writing then happens on the host's own thread. */
import type { Disk } from "../disk/Disk.ts"
import type { WriterPort } from "./Port.ts"
import { makeWriterCore } from "./WriterCore.ts"

export const inlinePort = (disk: Disk): WriterPort => {
  const core = makeWriterCore(disk)
  return {
    // Through a resolved promise, so that a batch still gathers what was dispatched while the one before it ran.
    run: (request) => Promise.resolve().then(() => core.run(request)),
    // Nothing is ever in another thread's hands; what is queued at the exit of the process was never acknowledged.
    guardExit: () => undefined,
    close: () => Promise.resolve(),
  }
}
