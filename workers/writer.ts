/**
 * The entry of the writer thread: requests in, WriterCore over real files, replies out. It knows no session and no secret.
 *
 * Synchronous but for syncs, which Node's pool carries out: two requests cannot interleave. It answers failures with data, because an
 * error that crosses a thread loses its code.
 */
import type { MessagePort } from "node:worker_threads"
import { nodeDisk, nodeSyncs } from "../src/disk/NodeDisk.ts"
import { boundedSyncs } from "../src/disk/Syncs.ts"
import { spareThreads } from "../src/disk/SyncThread.ts"
import type { Outcome, Reply, Request } from "../src/writer/Protocol.ts"
import { begin, end, type Turn } from "../src/writer/Turn.ts"
import { makeWriterCore, type WriterCore } from "../src/writer/WriterCore.ts"

/** What the thread is given at its start. The port is closed by whoever ends; the other side sees it. */
export interface Channel {
  readonly port: MessagePort
  readonly turn: Turn
  /** Syncs under way at once. */
  readonly syncsAtOnce?: number | undefined
}

/** Carries out what arrives, until `undefined` does. What becomes known in one turn of the thread's loop is told together. */
export const serve = ({ commit, release }: Pick<WriterCore, "commit" | "release">, { port, turn }: Channel): void => {
  let outcomes: Array<Outcome> = []
  let underWay = 0
  let isEnding = false
  const tell = (): void => {
    const reply: Reply = { outcomes }
    outcomes = []
    if (reply.outcomes.length > 0) port.postMessage(reply)
    // Behind the reply, so that a host which sees the end of a part can find out what became of it.
    for (const { file } of reply.outcomes) end(turn, file)
    if (isEnding && underWay === 0) port.close()
  }
  const settled = (outcome: Outcome): void => {
    outcomes.push(outcome)
    underWay -= 1
    if (underWay === 0) tell()
    else if (outcomes.length === 1) setImmediate(tell)
  }
  port.on("message", (request: Request | undefined) => {
    if (request === undefined) {
      isEnding = true
      tell()
    } else if (request.kind === "release") release(request.files)
    else {
      // A host on its way out writes what is left by itself; nobody is there for an answer.
      const parts = request.parts.filter(({ file }) => begin(turn, file))
      underWay += parts.length
      commit(parts, settled)
    }
  })
}

export const makeCore = (syncsAtOnce?: number): WriterCore =>
  makeWriterCore(nodeDisk, boundedSyncs(nodeSyncs, syncsAtOnce, spareThreads(nodeSyncs)))

export default (channel: Channel): void => serve(makeCore(channel.syncsAtOnce), channel)
