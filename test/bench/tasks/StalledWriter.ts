/** The writer thread of the library, over a disk on which the syncs of one file take long, each in a thread of Node's pool. */
import { execFileSync } from "node:child_process"
import { constants, openSync, read, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import { nodeDisk, nodeSyncs } from "../../../src/disk/NodeDisk.ts"
import { boundedSyncs, type Spares, type Syncs } from "../../../src/disk/Syncs.ts"
import { spareThreads } from "../../../src/disk/SyncThread.ts"
import { MAX_SYNCS_AT_ONCE } from "../../../src/model/Limits.ts"
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

const isStalled = (path: string): boolean => path.endsWith("stalled.jsonl")

const stalling: Syncs = {
  start: (handle, done) => {
    const sync = (): void => nodeSyncs.start(handle, done)
    if (isStalled(handle.path)) stall(dirname(handle.path), sync)
    else sync()
  },
}

const threads = spareThreads(nodeSyncs)

/** In a thread of its own a stall takes nothing from the pool. */
const spares: Spares = {
  ...threads,
  make: () => {
    const lane = threads.make()
    return {
      start: (handle, done) => {
        const sync = (): void => lane.start(handle, done)
        if (isStalled(handle.path)) setTimeout(sync, STALL)
        else sync()
      },
      close: lane.close,
    }
  },
}

export default (channel: Channel): void =>
  serve(makeWriterCore(nodeDisk, boundedSyncs(stalling, MAX_SYNCS_AT_ONCE, spares)), channel)
