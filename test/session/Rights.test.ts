/** Who else may read a session: nobody, from the first write on. Reading leaves the rights as they are. */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import * as Node from "../../src/node.ts"
import { LedgerFiles } from "../../src/session/LedgerFiles.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"

let home = ""
beforeEach(() => {
  home = fs.mkdtempSync(join(tmpdir(), "annals-rights-"))
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const fixture = (name: string): string => {
  const path = join(home, "s.jsonl")
  fs.copyFileSync(new URL(`../fixtures/${name}`, import.meta.url), path)
  fs.chmodSync(path, 0o644)
  return path
}
const modeOf = (path: string): string => (fs.statSync(path).mode & 0o7777).toString(8)
const layer = () => Node.layer({ home, environment: {} })

const tree = (path: string, say: boolean) =>
  Effect.gen(function* () {
    const { session } = yield* (yield* TreeStore).open(path)
    if (say) yield* session.dispatch({ do: "message", message: { role: "user", content: "go on" } })
  }).pipe(Effect.scoped, Effect.provide(layer()), Effect.runPromise)

const ledger = (path: string, say: boolean) =>
  Effect.gen(function* () {
    const { session } = yield* (yield* LedgerFiles).resume(path)
    if (say) yield* session.dispatch({ do: "user", text: "go on" })
  }).pipe(Effect.scoped, Effect.provide(layer()), Effect.runPromise)

describe.each([
  ["a tree", "gjc/v5.jsonl", tree],
  ["a ledger", "garuda/20260923-201500-a1b2.jsonl", ledger],
] as const)("%s that others may read", (_, name, open) => {
  test("is its user's alone from the first append on, whatever the mask of the process", async () => {
    const path = fixture(name)
    const mask = process.umask(0)
    try {
      await open(path, false)
      expect(modeOf(path)).toBe("644")
      await open(path, true)
    } finally {
      process.umask(mask)
    }
    expect(modeOf(path)).toBe("600")
    for (const made of fs.readdirSync(home, { recursive: true, encoding: "utf8" })) {
      const stat = fs.lstatSync(join(home, made))
      expect([made, (stat.mode & 0o077).toString(8)]).toEqual([made, "0"])
    }
  })
})
