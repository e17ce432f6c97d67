/**
 * The writer's thread, which comes to its end where a file beside the journal says: before a part, after it, in the middle of its
 * write, or while it is synced; by leaving, by never coming back from the disk, or by taking more memory than there is.
 */
import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs"
import type { Outcome, Part } from "../../src/writer/Protocol.ts"
import type { WriterCore } from "../../src/writer/WriterCore.ts"
import { type Channel, makeCore, serve } from "../../workers/writer.ts"

const told = (parts: ReadonlyArray<Part>, when: string): boolean =>
  parts.some(({ path }) => {
    const flag = `${path}.${when}`
    if (!existsSync(flag)) return false
    rmSync(flag)
    return true
  })

/** Half of each part, as a write leaves it that was cut off. */
const half = (parts: ReadonlyArray<Part>): boolean => {
  for (const part of parts) appendFileSync(part.path, part.bytes.subarray(0, Math.ceil(part.bytes.length / 2)))
  return true
}

/** Does not return in time, like a call to a disk that does not answer. Says so first, by a file beside each journal. */
const hang = (parts: ReadonlyArray<Part>, milliseconds?: number): void => {
  for (const { path } of parts) writeFileSync(`${path}.hangs`, "")
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

const exhaust = (): never => {
  const held: Array<ReadonlyArray<number>> = []
  for (;;) held.push(Array.from({ length: 100_000 }, (_, index) => index + 0.5))
}

const core = makeCore()

/** Says that it hangs, and never tells the outcome, while it goes on with other files. */
const stall = (parts: ReadonlyArray<Part>): void => {
  for (const { path } of parts) writeFileSync(`${path}.hangs`, "")
}

const commit: WriterCore["commit"] = (parts, settled) => {
  if (told(parts, "die-before")) process.exit(1)
  if (told(parts, "die-within") && half(parts)) process.exit(1)
  if (told(parts, "hang-within") && half(parts)) hang(parts)
  if (told(parts, "exhaust-within") && half(parts)) exhaust()
  if (told(parts, "fail-within") && half(parts)) {
    hang(parts, 500)
    for (const { file } of parts) settled({ ok: false, file, certainty: "uncertain", operation: "sync", code: "EIO" })
    return
  }
  if (told(parts, "stall-sync")) return stall(parts)
  if (!told(parts, "die-after")) return core.commit(parts, settled)
  let left = parts.length
  core.commit(parts, (_: Outcome) => {
    left -= 1
    if (left === 0) process.exit(1)
  })
}

export default (channel: Channel): void => serve({ ...core, commit }, channel)
