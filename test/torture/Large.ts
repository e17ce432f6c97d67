/** How long it takes to open a large session whose last record is cut. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { noteTail, Reopening } from "./Reopening.ts"
import type { Torture } from "./Torture.ts"

const header = '{"type":"session","version":5,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n'

const recordOf = (n: number): string => {
  const data = { name: `r${n}`, filler: "word ".repeat(400) }
  const parentId = n === 1 ? null : `${n - 1}`
  return `${JSON.stringify({ type: "custom", customType: "law", id: `${n}`, parentId, timestamp: "2026-01-01T00:00:00.000Z", data })}\n`
}

export const recoverLarge = async ({ tally, folder }: Torture, bytes: number): Promise<void> => {
  const path = join(folder, "large.jsonl")
  writeFileSync(path, header)
  let size = header.length
  for (let n = 1; size < bytes; ) {
    let chunk = ""
    for (; chunk.length < 1_000_000; n++) chunk += recordOf(n)
    appendFileSync(path, chunk)
    size += chunk.length
  }
  appendFileSync(path, recordOf(0).slice(0, 1_000))
  noteTail(tally, path)
  const next = new Reopening(tally)
  try {
    const milliseconds = await next.append(path, "next")
    tally.figures.largeRecovery = { bytes: size, milliseconds }
    if (!readFileSync(path).subarray(-200).toString().endsWith("}\n")) tally.fail("the large file", "does not end with a record")
  } finally {
    await next.close()
  }
}
