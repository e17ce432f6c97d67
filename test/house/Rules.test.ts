import { describe, expect, test } from "vitest"
import * as Rules from "./Rules.ts"

/** What a rule says of a few files. */
const told = (rule: Rules.Rule, files: Record<string, string>) => Rules.breaches(new Map(Object.entries(files)), [rule])

const line = "const x = 1\n"

describe("directions", () => {
  test("an import from below or from the same floor passes", () => {
    const files = {
      "src/session/A.ts": 'import { b } from "../journal/B.ts"\nimport * as fs from "node:fs"',
      "src/journal/B.ts": 'import type { c } from "../writer/C.ts"\nexport { d } from "../model/D.ts"',
      "test/x/A.test.ts": 'import { a } from "../../src/cli/Main.ts"',
    }
    expect(told(Rules.directions, files)).toEqual([])
  })

  test.each([
    ["src/model/A.ts", "../tree/B.ts", "src/tree/B.ts"],
    ["src/tree/A.ts", "../journal/Reader.ts", "src/journal/Reader.ts"],
    ["src/writer/Batch.ts", "./Writer.ts", "src/writer/Writer.ts"],
    ["src/journal/A.ts", "../session/B.ts", "src/session/B.ts"],
    ["src/session/A.ts", "../index.ts", "src/index.ts"],
    ["src/session/A.ts", "../../laws/B.ts", "laws/B.ts"],
    ["laws/A.ts", "../test/B.ts", "test/B.ts"],
  ])("%s may not import %s", (path, specifier, target) => {
    for (const form of [`import { b } from "${specifier}"`, `export * from "${specifier}"`, `const b = import("${specifier}")`]) {
      expect(told(Rules.directions, { [path]: form })).toEqual([`${path}:1: direction: imports upward: ${target}`])
    }
    expect(told(Rules.directions, { [path]: `let b: import("${specifier}").B` })).toHaveLength(1)
  })

  test("a leaf is imported by nobody but its exceptions", () => {
    const view = 'import { v } from "../view/V.ts"'
    expect(told(Rules.directions, { "src/cli/A.ts": view, "src/view/A.ts": 'import { v } from "./V.ts"' })).toEqual([])
    expect(told(Rules.directions, { "src/bridge/A.ts": view })).toEqual([
      "src/bridge/A.ts:1: direction: imports a leaf: src/view/V.ts",
    ])
  })

  test("a folder that nobody planned is told", () => {
    expect(told(Rules.directions, { "lib/A.ts": line })).toEqual([
      "lib/A.ts: direction: lies in a folder that the plan does not know",
    ])
  })
})

describe("cycles", () => {
  test("two files and three, by values and by types", () => {
    const files = {
      "src/model/A.ts": 'import { b } from "./B.ts"',
      "src/model/B.ts": 'import type { c } from "./C.ts"',
      "src/model/C.ts": 'import { a } from "./A.ts"\nimport { d } from "./D.ts"',
      "src/model/D.ts": line,
    }
    expect(told(Rules.cycles, files)).toEqual([
      "src/model/A.ts: cycle: src/model/A.ts -> src/model/B.ts -> src/model/C.ts -> src/model/A.ts",
    ])
    expect(told(Rules.cycles, { ...files, "src/model/C.ts": line })).toEqual([])
  })

  test("two ways to one file are no cycle", () => {
    const files = {
      "src/model/A.ts": 'import { b } from "./B.ts"\nimport { c } from "./C.ts"',
      "src/model/B.ts": 'import { d } from "./D.ts"',
      "src/model/C.ts": 'import { d } from "./D.ts"',
      "src/model/D.ts": line,
    }
    expect(told(Rules.cycles, files)).toEqual([])
  })
})

describe("the writer thread", () => {
  const core = {
    "src/writer/Core.ts": 'import { m } from "../model/M.ts"\nimport type { R } from "../redaction/R.ts"',
    "src/model/M.ts": line,
  }

  test("may load the writer, the disk and what they stand on", () => {
    const files = { ...core, "workers/writer.ts": 'import { c } from "../src/writer/Core.ts"\nimport { x } from "node:fs"' }
    expect(told(Rules.threadKnowledge, files)).toEqual([])
  })

  test("may not import anything else, and not bring it in through others", () => {
    const entry = 'import { c } from "../src/writer/Core.ts"\n'
    const bad = (more: string, files = {}) =>
      told(Rules.threadKnowledge, { ...core, ...files, "workers/writer.ts": entry + more })
    expect(bad('import { m } from "../src/model/M.ts"')).toEqual([
      "workers/writer.ts:2: thread: brings src/model/M.ts into workers/writer.ts",
    ])
    expect(bad('import * as Effect from "effect/Effect"')).toEqual(["workers/writer.ts:2: thread: imports effect/Effect"])
    expect(bad("", { "src/model/M.ts": 'import { t } from "../tree/T.ts"' })).toEqual([
      "src/model/M.ts:1: thread: brings src/tree/T.ts into workers/writer.ts",
    ])
  })
})

describe("purity", () => {
  test.each([
    ['import * as fs from "node:fs"', "node"],
    ['import type { Stats } from "node:fs"', "node"],
    ['import { env } from "node:process"', "host"],
    ['import { randomUUID } from "node:crypto"', "random"],
    ["const t = Date.now()", "clock"],
    ["const t = new Date()", "clock"],
    ["const t = performance.now()", "clock"],
    ["const n = Math.random()", "random"],
    ["const n = crypto.randomUUID()", "random"],
    ["const e = process.env.HOME", "host"],
    ["process.exit(1)", "host"],
    ["const a = process.argv", "process"],
    ["const p = process", "process"],
    ["console.log(1)", "console"],
    ['import * as Effect from "effect/Effect"; Effect.runSync(e)', "run"],
    ['import { runPromise } from "effect/Effect"', "run"],
  ])("%s", (text, grant) => {
    const found = told(Rules.purity, { "src/model/A.ts": text })
    expect(found.some((each) => each.startsWith("src/model/A.ts:1: pure: ") && each.endsWith(`(needs "${grant}")`))).toBe(true)
    expect(told(Rules.purity, { "src/cli/A.ts": text, "test/A.test.ts": text })).toEqual([])
  })

  test.each([
    "const at = new Date(0).toISOString()",
    "const it = { process: 1, console: 2 }; it.process; it.console",
    "class A { process() {} }",
    'import * as Effect from "effect/Effect"; const e = Effect.succeed(1)',
    'const text = "process.env and Date.now()" // console.log, Math.random()',
    "interface A { console: string; crypto(): void }",
  ])("%s is pure", (text) => {
    expect(told(Rules.purity, { "src/model/A.ts": text })).toEqual([])
  })

  test("what must be pure stands on nothing that touches the world, but may speak of its types", () => {
    expect(told(Rules.pureGround, { "src/tree/A.ts": 'import type { R } from "../journal/Reader.ts"' })).toEqual([])
    expect(told(Rules.pureGround, { "src/tree/A.ts": 'import { r } from "../journal/Reader.ts"' })).toEqual([
      "src/tree/A.ts:1: pure: stands on src/journal/Reader.ts, which touches the world",
    ])
  })

  test("what must be pure gets nothing, whatever its folder is granted", () => {
    const text = 'import { join } from "node:path"'
    expect(told(Rules.purity, { "src/journal/Reader.ts": text })).toEqual([])
    expect(told(Rules.purity, { "src/journal/Line.ts": text })).toHaveLength(1)
  })
})

describe("packages", () => {
  test("library code imports single modules of Effect", () => {
    const text = 'import { Effect } from "effect"'
    expect(told(Rules.singleModules, { "src/cli/A.ts": text })).toEqual([
      "src/cli/A.ts:1: barrel: imports effect instead of one of its modules",
    ])
    expect(told(Rules.singleModules, { "src/cli/A.ts": 'import * as E from "effect/Effect"', "test/A.test.ts": text })).toEqual(
      [],
    )
  })

  test("published code imports no test runner", () => {
    for (const runner of ["vitest", "vitest/node", "@effect/vitest"]) {
      expect(
        told(Rules.publishable, { "laws/A.ts": `import { test } from "${runner}"`, "test/A.ts": `import "${runner}"` }),
      ).toHaveLength(1)
    }
  })

  test("the lock file names no host", () => {
    expect(told(Rules.lockFile, { "package-lock.json": '{\n  "resolved": "https://example.org/a.tgz"\n}' })).toHaveLength(1)
    expect(
      told(Rules.lockFile, { "package-lock.json": '{ "integrity": "sha512-x" }', "other.json": '"resolved": "https://x"' }),
    ).toEqual([])
  })
})

describe("form", () => {
  const body = (lines: number) => `{\n${"  x()\n".repeat(lines - 2)}}`

  test("a file of 500 lines passes, one of 501 does not", () => {
    expect(told(Rules.sizes, { "src/model/A.ts": line.repeat(500) })).toEqual([])
    expect(told(Rules.sizes, { "test/A.test.ts": line.repeat(501) })).toEqual([
      "test/A.test.ts: size: 501 lines, 500 are allowed",
    ])
  })

  test.each([
    ["a function", (text: string) => `function f() ${text}`],
    ["an arrow", (text: string) => `const f = () => ${text}`],
    ["a method", (text: string) => `class A { m() ${text} }`],
    ["a generator", (text: string) => `const f = E.gen(function* () ${text})`],
    ["a typed one", (text: string) => `const f = <A,>(a: A): a is A & { x: 1 } => ${text}`],
  ])("%s of 59 lines passes, one of 60 does not, except in a test", (_, form) => {
    expect(told(Rules.sizes, { "src/model/A.ts": form(body(59)), "test/A.test.ts": form(body(60)) })).toEqual([])
    expect(told(Rules.sizes, { "src/model/A.ts": `\n${form(body(60))}` })).toEqual([
      "src/model/A.ts:2: size: a function of 60 lines, 59 are allowed",
    ])
  })

  test("names that say nothing", () => {
    const files = {
      "src/index.ts": line,
      "src/model/index.ts": line,
      "src/utils/A.ts": line,
      "src/disk/utils.ts": line,
      "src/disk/Utility.ts": line,
    }
    expect(told(Rules.names, files).map((each) => each.split(":")[0])).toEqual([
      "src/model/index.ts",
      "src/utils/A.ts",
      "src/disk/utils.ts",
    ])
  })
})

describe("tests", () => {
  test.each([
    'test.skip("a", () => {})',
    'test.only("a", () => {})',
    'test.todo("a")',
    'describe.skip("a", () => {})',
    'it.each([1]).skip("a", () => {})',
    'test.skipIf(true)("a", () => {})',
    'it.effect.skip("a", () => e)',
    'test("a", { skip: true }, () => {})',
    'test("a", (context) => context.skip())',
    'xit("a", () => {})',
  ])("%s", (text) => {
    expect(told(Rules.everyTest, { "test/A.test.ts": text })).toHaveLength(1)
  })

  test("words that only look like marks", () => {
    expect(
      told(Rules.everyTest, { "test/A.test.ts": 'test("skip", () => { list.skip(1); const only = { skip: false } })' }),
    ).toEqual([])
  })
})

describe("words", () => {
  const words = Rules.ownWords(["/srv/checkout"])

  test.each([
    ["an unfinished thing", ["// TO", "DO: later"].join("")],
    ["a path of a machine", ["see /ro", "ot/notes"].join("")],
    ["a path of a machine", ["C:\\Us", "ers\\someone"].join("")],
    ["a registry", ["https://regis", "try.npmjs.org/effect"].join("")],
    ["the path of the checkout", "cd /srv/checkout/src"],
  ])("%s is told, in any tracked file", (_, text) => {
    expect(told(words, { "docs/a.md": `fine\n${text}` })).toHaveLength(1)
  })

  test("paths of examples, and the data of the fixtures, pass", () => {
    const data = ["/ro", "ot/project"].join("")
    expect(
      told(words, {
        "docs/a.md": "/home/user/project src/work/x https://example.org/work/x C:\\\\Users\\\\me",
        "test/fixtures/a.jsonl": data,
      }),
    ).toEqual([])
  })
})
