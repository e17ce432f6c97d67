/** The guides quote code that runs: each block of a guide stands in its test, word for word, and each import names what exists. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const root = new URL("../../", import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, root), "utf8")

const GUIDES: ReadonlyArray<readonly [guide: string, test: string]> = [
  ["docs/guide/embed-with-effect.md", "test/guide/EmbedWithEffect.test.ts"],
  ["docs/guide/bring-your-own-model.md", "test/guide/OwnModel.test.ts"],
  ["docs/guide/hold-your-own-layer-to-the-laws.md", "test/guide/OwnLayer.test.ts"],
  ["docs/guide/ledger-sessions.md", "test/guide/LedgerSessions.test.ts"],
]

const IMPORT = /^import [^"]*"[^"]+"$/gm

const blocksOf = (guide: string): ReadonlyArray<string> =>
  [...text(guide).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? "")

/** The lines without their indentation, without imports and without empty lines. */
const linesOf = (code: string): string =>
  `\n${code
    .replace(IMPORT, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n")}\n`

/** The source of each entry of the package, by the name that a host imports it by. */
const entries: ReadonlyMap<string, string> = (() => {
  const { exports } = JSON.parse(text("package.json")) as {
    readonly exports: Readonly<Record<string, string | { readonly module: string }>>
  }
  return new Map(
    Object.entries(exports).flatMap(([name, entry]) =>
      typeof entry === "string"
        ? []
        : [[name.replace(/^\./, "annals"), text(entry.module.replace("./dist/", "").replace(/\.js$/, ".ts"))] as const],
    ),
  )
})()

const namesIn = (statement: string): ReadonlyArray<string> =>
  (/\{([^}]*)\}/.exec(statement)?.[1] ?? "")
    .split(",")
    .map((name) => name.replace(/^\s*type /, "").trim())
    .filter((name) => name !== "")

describe("the guides", () => {
  it("are the ones that are held to their tests", () => {
    const found = readdirSync(new URL("docs/guide/", root)).map((name) => `docs/guide/${name}`)
    assert.deepEqual(found.sort(), GUIDES.map(([guide]) => guide).sort())
  })

  for (const [guide, test] of GUIDES) {
    it(`${guide} quotes ${test} word for word`, () => {
      const blocks = blocksOf(guide)
      assert.isAbove(blocks.length, 5)
      const code = linesOf(text(test))
      assert.deepEqual(
        blocks.filter((block) => !code.includes(linesOf(block))),
        [],
      )
    })

    it(`${guide} imports what the package exports`, () => {
      const statements = blocksOf(guide).flatMap((block) => block.match(IMPORT) ?? [])
      const ours = statements.filter((statement) => /"annals/.test(statement))
      assert.isAbove(ours.length, 3)
      for (const statement of ours) {
        const source = entries.get(/"([^"]+)"$/.exec(statement)?.[1] ?? "") ?? ""
        assert.isNotEmpty(source, `no such entry: ${statement}`)
        for (const name of namesIn(statement)) assert.match(source, new RegExp(`\\b${name}\\b`), statement)
        if (/\* as Memory/.test(statement)) assert.match(source, /\bmake\b/)
        if (/\* as Node/.test(statement)) assert.match(source, /\blayer\b/)
      }
    })
  }

  it("are told from code that does not run", () => {
    const code = linesOf('import { a } from "b"\nconst x = 1\n  const y = 2\n')
    assert.isTrue(code.includes(linesOf("const x = 1\n\nconst y = 2")))
    assert.isFalse(code.includes(linesOf("const y = 3")))
    assert.isFalse(code.includes(linesOf("const x")))
  })
})
