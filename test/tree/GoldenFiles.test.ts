/**
 * One file of each version, and what it means: never edited afterwards. What was once read from such a file, in whatever way a newer
 * version of this library does it, must be read from it for ever.
 */
import { readFileSync } from "node:fs"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { replay } from "../../src/model/Model.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import { stateJson } from "../../src/tree/Overview.ts"
import { inspect } from "../../src/tree/Reading.ts"
import { begin, rewriteLines } from "../../src/tree/Rewrite.ts"
import { initial } from "../../src/tree/State.ts"
import { evolve, treeModel } from "../../src/tree/TreeModel.ts"

const text = (name: string): string => readFileSync(new URL(`../fixtures/format/${name}`, import.meta.url), "utf8")

const sourceOf = (name: string) =>
  text(name)
    .split("\n")
    .slice(0, -1)
    .map((raw) => ({ raw, value: JSON.parse(raw) as JsonObject }))

const meaningOf = (name: string): unknown => {
  const damages: Array<string> = []
  let state = initial
  for (const [index, { value }] of sourceOf(name).entries()) {
    for (const kind of inspect(state, value)) damages.push(`${kind} at record ${index + 1}`)
    state = evolve(state, value)
  }
  const context = Result.getOrThrow(buildSessionContext(state))
  return JSON.parse(JSON.stringify({ damages, state: stateJson(state), context }))
}

describe("a golden file", () => {
  for (const version of [1, 2, 3, 4, 5]) {
    it(`of version ${version} means what it meant`, () => {
      assert.deepEqual(meaningOf(`v${version}.jsonl`), JSON.parse(text(`v${version}.expected.json`)))
    })

    it(`of version ${version} becomes the same lines of version 5`, () => {
      const source = sourceOf(`v${version}.jsonl`)
      const state = replay(
        treeModel,
        source.map(({ value }) => value),
      )
      const lines = [...rewriteLines(Result.getOrThrow(begin(state)), source)]
      assert.equal(`${lines.join("\n")}\n`, text(`v${version}.rewritten.jsonl`))
    })
  }
})
