/**
 * The entry of the writer thread: requests in, WriterCore over real files, replies out. It knows no session and no secret.
 *
 * Synchronous on purpose: two requests cannot interleave. It answers failures with data, because an error that crosses a thread
 * loses its code.
 */
import { nodeDisk } from "../src/disk/NodeDisk.ts"
import type { Reply, Request } from "../src/writer/Protocol.ts"
import { makeWriterCore } from "../src/writer/WriterCore.ts"

const core = makeWriterCore(nodeDisk)

export default function run(request: Request): Reply {
  const reply = core.run(request)
  if (request.kind === "commit" && request.progress !== undefined) {
    Atomics.store(request.progress, 0, request.batch)
    Atomics.notify(request.progress, 0)
  }
  return reply
}
