/**
 * The writer's thread, which comes to its end where a file beside the journal says: before a batch, after it, or in the middle of its
 * write; by leaving, by never coming back from the disk, or by taking more memory than there is.
 */
import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs"
import type { Reply, Request } from "../../src/writer/Protocol.ts"
import { begin, end } from "../../src/writer/Turn.ts"
import run from "../../workers/writer.ts"

const told = (request: Request, when: string): boolean => {
  if (request.kind !== "commit") return false
  return request.parts.some(({ path }) => {
    const flag = `${path}.${when}`
    if (!existsSync(flag)) return false
    rmSync(flag)
    return true
  })
}

/** Half of each part, as a write leaves it that was cut off. */
const half = (request: Request): boolean => {
  if (request.kind !== "commit") return false
  for (const part of request.parts) appendFileSync(part.path, part.bytes.subarray(0, Math.ceil(part.bytes.length / 2)))
  return true
}

/** Does not return in time, like a call to a disk that does not answer. Says so first, by a file beside each journal. */
const hang = (request: Request, milliseconds?: number): void => {
  if (request.kind !== "commit") return
  if (request.turn !== undefined && !begin(request.turn)) return
  for (const { path } of request.parts) writeFileSync(`${path}.hangs`, "")
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** A sync that fails after a while. */
const fail = (request: Request): Reply => {
  hang(request, 500)
  if (request.kind !== "commit") return { outcomes: [] }
  if (request.turn !== undefined) end(request.turn, true)
  return {
    outcomes: request.parts.map(({ file }) => ({ ok: false, file, certainty: "uncertain", operation: "sync", code: "EIO" })),
  }
}

const exhaust = (): never => {
  const held: Array<ReadonlyArray<number>> = []
  for (;;) held.push(Array.from({ length: 100_000 }, (_, index) => index + 0.5))
}

export default function mortal(request: Request): Reply {
  if (told(request, "die-before")) process.exit(1)
  if (told(request, "die-within") && half(request)) process.exit(1)
  if (told(request, "hang-within") && half(request)) hang(request)
  if (told(request, "exhaust-within") && half(request)) exhaust()
  if (told(request, "fail-within") && half(request)) return fail(request)
  const isLast = told(request, "die-after")
  const reply = run(request)
  if (isLast) process.exit(1)
  return reply
}
