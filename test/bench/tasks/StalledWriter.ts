/** The writer thread of the library, over a disk on which the syncs of one file take long, each in a thread of Node's pool. */
import { execFileSync } from "node:child_process"
import { constants, openSync, read, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import { nodeDisk, nodeSyncs } from "../../../src/disk/NodeDisk.ts"
import { boundedSyncs, type Syncs } from "../../../src/disk/Syncs.ts"
import { makeWriterCore } from "../../../src/writer/WriterCore.ts"
import { type Channel, serve } from "../../../workers/writer.ts"

/** Milliseconds that a sync of the stalled file takes longer. */
const STALL = 50

let pipe: number | undefined

/** Waits as a sync does whose disk does not answer: a thread of the pool is taken, by a read of what nobody has written yet. */
const stall = (folder: string, then: () => void): void => {
  if (pipe === undefined) {
    execFileSync("mkfifo", [join(folder, "stall")])
    pipe = openSync(join(folder, "stall"), constants.O_RDWR)
  }
  const end = pipe
  read(end, Buffer.alloc(1), 0, 1, null, then)
  setTimeout(() => writeSync(end, "x"), STALL)
}

const stalling: Syncs = {
  start: (handle, done) => {
    const sync = (): void => nodeSyncs.start(handle, done)
    if (handle.path.endsWith("stalled.jsonl")) stall(dirname(handle.path), sync)
    else sync()
  },
}

export default (channel: Channel): void => serve(makeWriterCore(nodeDisk, boundedSyncs(stalling)), channel)
