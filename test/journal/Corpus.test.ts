import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { inChunks } from "../../laws/arbitraries/bytes.ts"
import { read } from "../../laws/Reading.ts"

/** Files of real shape: name, lines, records, and damages as `kind line offset length`. */
const files: ReadonlyArray<readonly [name: string, lines: number, records: number, damages: ReadonlyArray<string>]> = [
  ["garuda/20260923-201500-a1b2.jsonl", 22, 22, []],
  ["garuda/20260923-201500-a1b2/explore-call_2.jsonl", 4, 4, []],
  ["garuda/20260923-210000-torn.jsonl", 22, 21, ["torn-tail 22 4994 32"]],
  ["gjc/v5.jsonl", 27, 27, []],
  ["omp/v3-title-slot.jsonl", 30, 30, []],
  ["pi/v1-1019-records.jsonl", 1_019, 1_019, []],
  ["../../src/cli/demo/session.jsonl", 463, 464, ["glued 440 918180 1086"]],
  ["pi/v1-two-compactions.jsonl", 1_003, 1_003, []],
  ["pi/v3-all-records.jsonl", 31, 31, []],
  ["pi/v3-fork.jsonl", 8, 8, []],
]

const bytesOf = (name: string): Uint8Array => readFileSync(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)))

test.each(files)("%s", (name, lines, count, expected) => {
  const bytes = bytesOf(name)
  for (const size of [bytes.length, 1_000]) {
    const { records, damages, summary } = read(inChunks(bytes, [size]))
    expect(damages.map(({ kind, line, offset, length }) => `${kind} ${line} ${offset} ${length}`)).toEqual(expected)
    expect(summary).toMatchObject({ lines, records: count, bytes: bytes.length })
    const texts = records.map(({ offset, length }) => new TextDecoder().decode(bytes.subarray(offset, offset + length)))
    expect(records.map(({ raw }) => raw)).toEqual(texts)
  }
})

test("both records of the glued line are read, each where it stands", () => {
  const glued = read([bytesOf("../../src/cli/demo/session.jsonl")]).records.filter(({ line }) => line === 440)
  expect(glued.map(({ offset, length, value }) => [offset, length, value["type"]])).toEqual([
    [918_180, 937, "message"],
    [919_117, 149, "message"],
  ])
})
