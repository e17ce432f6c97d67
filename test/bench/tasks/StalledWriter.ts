/** The writer thread of the library, over a disk on which the syncs of one file take long. */
import { nodeDisk } from "../../../src/disk/NodeDisk.ts"
import run from "../../../workers/writer.ts"

/** Milliseconds that a sync of the stalled file takes longer. */
const STALL = 50

const sleeper = new Int32Array(new SharedArrayBuffer(4))

const { sync } = nodeDisk
const stalling: typeof sync = (handle) => {
  if (handle.path.endsWith("stalled.jsonl")) Atomics.wait(sleeper, 0, 0, STALL)
  sync(handle)
}

// The thread's own copy of the disk: no other thread has it.
Object.assign(nodeDisk, { sync: stalling })

export default run
