/** The writer thread of the library over a disk on which the syncs of one file take long. */
import { nodeDisk } from "../../../src/disk/NodeDisk.ts"
import type { Reply, Request } from "../../../src/writer/Protocol.ts"
import { makeWriterCore } from "../../../src/writer/WriterCore.ts"

/** Milliseconds of one sync of the stalled file. */
const STALL = 50

const sleeper = new Int32Array(new SharedArrayBuffer(4))

const core = makeWriterCore({
  ...nodeDisk,
  sync: (handle) => {
    if (handle.path.endsWith("stalled.jsonl")) Atomics.wait(sleeper, 0, 0, STALL)
    nodeDisk.sync(handle)
  },
})

export default function run(request: Request): Reply {
  const reply = core.run(request)
  if (request.kind === "commit" && request.progress !== undefined) {
    Atomics.store(request.progress, 0, request.batch)
    Atomics.notify(request.progress, 0)
  }
  return reply
}
