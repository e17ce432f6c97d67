import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { loadTree } from "../../src/session/Load.ts"
import { buildSessionContext } from "../../src/tree.ts"
import { draw } from "./Draw.ts"
import { quantile } from "./Statistics.ts"
import { type Shape, type TranscriptOptions, transcript, writeTranscript } from "./Transcript.ts"
import { wording } from "./Wording.ts"

const made = (options: TranscriptOptions): { readonly text: string; readonly shape: Shape } => {
  const lines = transcript(options)
  let text = ""
  for (;;) {
    const next = lines.next()
    if (next.done) return { text, shape: next.value }
    text += next.value
  }
}

const realistic: TranscriptOptions = { seed: "test", dialect: "annals", bytes: 6_000_000 }

/** The lengths of the lines of a session that somebody had. */
const lengthsOf = (text: string): ReadonlyArray<number> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.length)

describe("draw", () => {
  it("repeats for a seed and differs for another", () => {
    const numbers = (seed: string) => Array.from({ length: 5 }, draw(seed).bits)
    assert.deepEqual(numbers("a"), numbers("a"))
    assert.notDeepEqual(numbers("a"), numbers("b"))
  })

  it("stays in its bounds and reaches them", () => {
    const { below, unit } = draw("bounds")
    const found = new Set(Array.from({ length: 500 }, () => below(7)))
    assert.deepEqual([...found].sort(), [0, 1, 2, 3, 4, 5, 6])
    assert.isTrue(Array.from({ length: 500 }, unit).every((value) => value >= 0 && value < 1))
  })
})

describe("wording", () => {
  it("gives texts of the length that was asked for, without half characters", () => {
    const { code, prose, image } = wording(draw("words"))
    for (const length of [0, 1, 100, 9_000, 700_000, 3_000_000])
      for (const make of [code, prose, image]) {
        const text = make(length)
        assert.equal(text.length, length)
        assert.isTrue(text.isWellFormed())
      }
  })
})

describe("transcript", () => {
  const { text, shape } = made(realistic)

  it("is the same for the same options, and another one for another seed", () => {
    assert.isTrue(made(realistic).text === text)
    assert.isFalse(made({ ...realistic, seed: "other" }).text === text)
  })

  it("is as large as was asked, to the entry", () => {
    assert.equal(Buffer.byteLength(text), shape.bytes)
    assert.isAtLeast(shape.bytes, 6_000_000)
    assert.isBelow(shape.bytes, 6_300_000)
    assert.equal(made({ seed: "n", dialect: "pi", entries: 1_234, sizes: "small" }).shape.entries, 1_234)
  })

  it("has what it says it has", () => {
    const count = (part: string): number => text.split(part).length - 1
    assert.equal(lengthsOf(text).length, shape.entries + 1)
    assert.equal(count('{"type":"compaction"'), shape.compactions)
    assert.equal(count('{"type":"branch_summary"'), shape.branches)
    assert.equal(count('"mimeType":"image/png"'), shape.images)
    for (const each of [shape.compactions, shape.branches, shape.images]) assert.isAbove(each, 1)
  })

  it("has lines as long as those of a session that somebody had", () => {
    const real = lengthsOf(readFileSync(new URL("../fixtures/pi/v1-two-compactions.jsonl", import.meta.url), "utf8"))
    const ours = lengthsOf(text)
    for (const share of [0.25, 0.5, 0.75, 0.9, 0.95]) {
      const times = quantile(ours, share) / quantile(real, share)
      assert.isTrue(times > 0.5 && times < 2, `${share}: ${times}`)
    }
  })

  it("holds a record of many megabytes where it is long enough", () => {
    let longest = 0
    for (const line of transcript({ seed: "giant", dialect: "pi", bytes: 70_000_000 })) longest = Math.max(longest, line.length)
    assert.isAbove(longest, 8_000_000)
  })

  it("is compacted once near its end when that is asked, with a context of the same size however long it is", () => {
    const contextOf = (entries: number): number => {
      const { text: small, shape: found } = made({
        seed: "end",
        dialect: "annals",
        entries,
        sizes: "small",
        compactions: { end: 100 },
      })
      assert.equal(found.compactions, 1)
      const at = small
        .trimEnd()
        .split("\n")
        .findIndex((line) => line.includes('"type":"compaction"'))
      return entries - at
    }
    for (const entries of [1_000, 5_000]) {
      const after = contextOf(entries)
      assert.isTrue(after >= 40 && after <= 100, String(after))
    }
    assert.equal(made({ seed: "none", dialect: "annals", bytes: 2_000_000, compactions: "none" }).shape.compactions, 0)
  })

  for (const dialect of ["annals", "pi"] as const) {
    it(`is a session without damage, whose every entry hangs on the tree, as ${dialect} writes it`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "annals-transcript-"))
      try {
        const path = join(folder, "s.jsonl")
        const written = writeTranscript(path, { ...realistic, dialect, bytes: 2_000_000 })
        const loaded = await Effect.runPromise(loadTree(nodeDisk, path))
        assert.deepEqual(loaded.damages, [])
        assert.equal(loaded.bytes, written.bytes)
        assert.equal(loaded.state.entries.length, written.entries)
        assert.equal(loaded.version, dialect === "pi" ? 3 : 5)
        const ids = new Set(
          readFileSync(path, "utf8")
            .split("\n")
            .map((line) => /"id":"([0-9a-f]{8})"/.exec(line)?.[1]),
        )
        for (const [, parent] of readFileSync(path, "utf8").matchAll(/"parentId":"([0-9a-f]{8})"/g))
          assert.isTrue(ids.has(parent))
        assert.isAbove(Result.getOrThrow(buildSessionContext(loaded.state)).messages.length, 5)
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  }
})
