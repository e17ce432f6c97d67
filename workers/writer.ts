/**
 * The entry of the writer thread: requests in, WriterCore over real files, replies out. It knows no session and no secret.
 *
 * Synchronous on purpose: two requests cannot interleave. It answers failures with data, because an error that crosses a thread
 * loses its code.
 */
import { nodeDisk } from "../src/disk/NodeDisk.ts"
import type { Reply, Request } from "../src/writer/Protocol.ts"
import { begin, end } from "../src/writer/Turn.ts"
import { makeWriterCore } from "../src/writer/WriterCore.ts"

const core = makeWriterCore(nodeDisk)

export default function run(request: Request): Reply {
  const turn = request.kind === "commit" ? request.turn : undefined
  if (turn === undefined) return core.run(request)
  // The host is on its way out and writes what is left by itself; nobody is there for an answer.
  if (!begin(turn)) return { outcomes: [] }
  const reply = core.run(request)
  end(
    turn,
    reply.outcomes.some((outcome) => !outcome.ok && outcome.certainty === "uncertain"),
  )
  return reply
}
