/** Session files of real shape, on a real disk: read, shown, appended to after consent where it is needed, and read again. */
import { createHash } from "node:crypto"
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { afterAll, assert, describe, it } from "vitest"
import { layer } from "../../src/node.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { leaves } from "../../src/tree/Tree.ts"

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url))
const demo = fileURLToPath(new URL("../../src/cli/demo/session.jsonl", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "annals-corpus-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Expected {
  readonly file: string
  readonly dialect: string
  readonly version: number
  readonly records: number
  readonly entries: number
  readonly damage: ReadonlyArray<string>
}

const corpus: ReadonlyArray<Expected> = [
  { file: join(fixtures, "gjc/v5.jsonl"), dialect: "gjc", version: 5, records: 27, entries: 24, damage: [] },
  { file: join(fixtures, "omp/v3-title-slot.jsonl"), dialect: "oh-my-pi", version: 3, records: 30, entries: 28, damage: [] },
  { file: join(fixtures, "pi/v1-1019-records.jsonl"), dialect: "pi", version: 1, records: 1019, entries: 1018, damage: [] },
  { file: join(fixtures, "pi/v1-two-compactions.jsonl"), dialect: "pi", version: 1, records: 1003, entries: 1002, damage: [] },
  { file: demo, dialect: "pi", version: 1, records: 464, entries: 463, damage: ["glued at line 440"] },
  { file: join(fixtures, "pi/v3-all-records.jsonl"), dialect: "pi", version: 3, records: 31, entries: 30, damage: [] },
  { file: join(fixtures, "pi/v3-fork.jsonl"), dialect: "pi", version: 3, records: 8, entries: 7, damage: [] },
]

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

const run = <A, E>(
  body: (store: Parameters<Parameters<typeof TreeStore.use>[0]>[0]) => Effect.Effect<A, E, Scope.Scope>,
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(TreeStore, body)).pipe(Effect.provide(layer({ home: join(folder, "home"), environment: {} }))),
  )

const contexts = (state: TreeState): string => JSON.stringify(leaves(state).map((leaf) => buildSessionContext(state, leaf)))

const copyInto = (directory: string, file: string): string => {
  mkdirSync(directory, { recursive: true })
  const path = join(directory, basename(file))
  copyFileSync(file, path)
  chmodSync(path, 0o600)
  return path
}

describe("files of real shape", () => {
  for (const expected of corpus) {
    const name = `${basename(dirname(expected.file))}/${basename(expected.file)}`

    it(`${name}: every record is read, and nothing is changed by it`, async () => {
      const path = copyInto(join(folder, "read", name), expected.file)
      const before = [digest(path), statSync(path, { bigint: true }).mtimeNs]
      const loaded = await run((store) => store.load(path))
      const { dialect, version, records, state, damages } = loaded
      assert.deepEqual(
        { dialect, version, records, entries: state.entries.length, damage: damages.map((d) => `${d.kind} at line ${d.line}`) },
        (({ file, ...rest }) => rest)(expected),
      )
      assert.isAbove(JSON.stringify(buildSessionContext(state)).length, 100)
      assert.deepEqual([digest(path), statSync(path, { bigint: true }).mtimeNs], before)
      assert.deepEqual(readdirSync(dirname(path)), [basename(path)])
    })

    it(`${name}: takes records after consent and is read again`, async () => {
      const path = copyInto(join(folder, "append", name), expected.file)
      const bytes = readFileSync(path)
      const before = await run((store) => store.load(path))
      await run((store) =>
        Effect.gen(function* () {
          const open = yield* store.open(path, { migrate: true })
          yield* open.session.dispatch({ do: "message", message: { role: "user", content: "one more" } })
          yield* open.session.dispatch({ do: "title", title: "Read again", source: "user" })
          assert.equal(open.migration?.backup, expected.version === 5 ? undefined : `${path}.v${expected.version}.bak`)
        }),
      )
      const after = await run((store) => store.load(path))
      assert.deepEqual(after.damages, [])
      assert.equal(after.version, 5)
      assert.equal(after.state.entries.length, expected.entries + 1)
      const old = leaves(before.state).map((leaf) => JSON.stringify(buildSessionContext(before.state, leaf)))
      assert.deepEqual(
        leaves(before.state).map((leaf) => JSON.stringify(buildSessionContext(after.state, leaf))),
        old,
      )
      const now = readFileSync(path)
      if (expected.version === 5) assert.isTrue(now.subarray(0, bytes.length).equals(bytes))
      else assert.isTrue(readFileSync(`${path}.v${expected.version}.bak`).equals(bytes))
    })

    it(`${name}: holds nothing that redaction takes for a secret`, () => {
      const redactor = makeRedactor({ environment: {} })
      for (const line of readFileSync(expected.file, "utf8").split("\n")) {
        const clean = redactor.cleanRaw(line)
        if (Result.isSuccess(clean)) assert.deepEqual(clean.success.findings, [])
      }
    })
  }
})

describe("another agent's own directory", () => {
  it("is never written to by a migration: a fork begins in our own store", async () => {
    const file = join(fixtures, "pi/v3-all-records.jsonl")
    const path = copyInto(join(folder, ".pi", "agent", "sessions"), file)
    const refused = await run((store) => Effect.flip(store.open(path)))
    assert.equal("reason" in refused && refused.reason._tag, "MigrationNeeded")
    const { before, open, state } = await run((store) =>
      Effect.gen(function* () {
        const before = yield* store.load(path)
        const open = yield* store.open(path, { migrate: true })
        yield* open.session.dispatch({ do: "message", message: { role: "user", content: "elsewhere" } })
        return { before, open, state: yield* open.session.state }
      }),
    )
    assert.equal(digest(path), digest(file))
    assert.deepEqual(readdirSync(dirname(path)), [basename(path)])
    assert.equal(open.forkedFrom, path)
    assert.equal(dirname(open.path), join(folder, "home", ".annals", "sessions"))
    const fork = await run((store) => store.load(open.path))
    assert.equal(fork.state.header?.["parentSession"], before.state.header?.["id"])
    assert.notEqual(fork.state.header?.["id"], before.state.header?.["id"])
    assert.equal(fork.state.entries.length, before.state.entries.length + 1)
    assert.equal(contexts(fork.state), contexts(state))
  })

  it("takes appends to a file of the newest version, which rewrite nothing", async () => {
    const file = join(fixtures, "gjc/v5.jsonl")
    const path = copyInto(join(folder, ".gjc", "agent", "sessions"), file)
    await run((store) => Effect.flatMap(store.open(path), ({ session }) => session.dispatch({ do: "custom", customType: "x" })))
    const bytes = readFileSync(file)
    assert.isTrue(readFileSync(path).subarray(0, bytes.length).equals(bytes))
  })

  it("refuses a migration in place", async () => {
    const path = copyInto(join(folder, ".omp", "agent"), join(fixtures, "omp/v3-title-slot.jsonl"))
    const error = await run((store) => Effect.flip(store.migrate(path)))
    assert.equal("reason" in error && error.reason._tag, "ForeignDirectory")
    assert.isFalse(existsSync(`${path}.v3.bak`))
  })
})
