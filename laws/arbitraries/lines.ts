/** Clean lines for laws about what happens to lines, not about what is in them. */
import * as Result from "effect/Result"
import type { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import type { CleanLine } from "../../src/redaction/CleanLine.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"

const redactor = makeRedactor({ environment: {} })

/** A line that can be told from every other: it carries its number, and filler of the given size. */
export const line = (number: number, size: number): CleanLine => {
  const record = { type: "custom", id: number.toString(16).padStart(8, "0"), data: { n: number, filler: "x ".repeat(size / 2) } }
  return Result.getOrThrow(redactor.cleanRecord(record)).line
}

export const textOf = (clean: CleanLine): string => clean.text

/** The live content of a file as Latin-1, so that every byte is one character. */
export const stored = (disk: SimulatedDisk, path: string): string => {
  const bytes = disk.bytes(path)
  if (bytes === undefined) throw new Error(`${path} is gone`)
  return Buffer.from(bytes).toString("latin1")
}
