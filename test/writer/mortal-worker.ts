/** The writer's thread, which dies where a file beside the journal says: before a batch, after it, or in the middle of its write. */
import { appendFileSync, existsSync, rmSync } from "node:fs"
import type { Reply, Request } from "../../src/writer/Protocol.ts"
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

export default function mortal(request: Request): Reply {
  if (told(request, "die-before")) process.exit(1)
  if (request.kind === "commit" && told(request, "die-within")) {
    for (const part of request.parts) appendFileSync(part.path, part.bytes.subarray(0, Math.ceil(part.bytes.length / 2)))
    process.exit(1)
  }
  const isLast = told(request, "die-after")
  const reply = run(request)
  if (isLast) process.exit(1)
  return reply
}
