/**
 * The writer's thread over a disk on which some syncs do not come back until somebody writes into a pipe: each takes a thread of Node's
 * pool until then, as a sync does whose disk hangs. The environment says which files, by how their names begin, and where the pipe is.
 */
import { closeSync, constants, openSync, read, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { nodeDisk, nodeSyncs } from "../../src/disk/NodeDisk.ts"
import { boundedSyncs, type Syncs } from "../../src/disk/Syncs.ts"
import { spareThreads } from "../../src/disk/SyncThread.ts"
import { makeWriterCore } from "../../src/writer/WriterCore.ts"
import { type Channel, serve } from "../../workers/writer.ts"

const syncs: Syncs = {
  start: (handle, done) => {
    if (!basename(handle.path).startsWith("stuck")) return nodeSyncs.start(handle, done)
    const pipe = openSync(join(dirname(handle.path), "pipe"), constants.O_RDWR)
    writeFileSync(`${handle.path}.hangs`, "")
    read(pipe, Buffer.alloc(1), 0, 1, null, () => {
      closeSync(pipe)
      nodeSyncs.start(handle, done)
    })
  },
}

export default (channel: Channel): void =>
  serve(makeWriterCore(nodeDisk, boundedSyncs(syncs, undefined, spareThreads(nodeSyncs))), channel)
