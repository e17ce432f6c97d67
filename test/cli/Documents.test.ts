import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Completions from "effect/cli/Completions"
import { describe, expect, test } from "vitest"
import { annals } from "../../src/cli/Commands.ts"
import { table } from "../../src/model/Failure.ts"
import { damageWords, isMendable } from "../../src/view/DamageView.ts"

const read = (path: string): string => readFileSync(path, "utf8")

/** The rows of all tables of a document whose first cell is in code. */
const rows = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.slice(2, -2).split(" | "))

const sources = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && entry.name.endsWith(".ts") && entry.name !== "Failure.ts" ? [read(join(entry.parentPath, entry.name))] : [],
  )

describe("docs/errors.md", () => {
  const all = rows(read("docs/errors.md"))

  test("says of every failure what the table says, and of no other", () => {
    const documented = all.filter(([code]) => code?.includes("."))
    expect(documented.toSorted()).toEqual(
      Object.entries(table)
        .map(([code, { exit, safe, remedy }]) => [`\`${code}\``, String(exit), safe, remedy])
        .toSorted(),
    )
  })

  test("says of every kind of damage what a reader says, and of no other", () => {
    const documented = all.filter(([code]) => !code?.includes("."))
    expect(documented).toEqual(
      Object.entries(damageWords).map(([kind, words]) => [
        `\`${kind}\``,
        words,
        isMendable(kind as keyof typeof damageWords) ? "mends it" : "leaves it",
      ]),
    )
  })
})

test("the table has every code that the sources give, and no other", () => {
  const given = new Set<string>()
  for (const text of sources("src")) {
    for (const [, code = ""] of text.matchAll(/\bcode(?::| =) "([a-z]+\.[a-z0-9_]+)"/g)) given.add(code)
    for (const [, code = ""] of text.matchAll(/"((?:write|input|internal)\.\w+)"/g)) given.add(code)
    for (const [, code = ""] of text.matchAll(/ \((write\.\w+)\)/g)) given.add(code)
  }
  expect([...given].toSorted()).toEqual(Object.keys(table).toSorted())
})

describe("docs/cli.md", () => {
  const text = read("docs/cli.md")
  const sections = new Map(
    text
      .split(/^## annals /m)
      .slice(1)
      .map((section) => [section.split(/\s/, 1)[0] ?? "", section] as const),
  )
  const commands = Completions.fromCommand(annals).subcommands

  test("has every command, and no other", () => {
    expect([...sections.keys()].toSorted()).toEqual(commands.map(({ name }) => name).toSorted())
  })

  test("has every flag of each command, and no other", () => {
    for (const { name, flags } of commands) {
      const documented = rows(sections.get(name) ?? "").flatMap(([cell = ""]) =>
        [...cell.matchAll(/--([a-z-]+)/g)].map((found) => found[1]),
      )
      expect({ name, flags: documented.toSorted() }).toEqual({ name, flags: flags.map((flag) => flag.name).toSorted() })
    }
  })

  test("names every command that append takes", () => {
    const append = sections.get("append") ?? ""
    for (const [lead, path] of [
      ["Commands", "src/tree/Command.ts"],
      ["Commands of a ledger", "src/ledger/Command.ts"],
    ] as const) {
      const listed = new RegExp(`^${lead}: ([^.]*)\\.`, "m").exec(append)?.[1] ?? ""
      const named = [...listed.matchAll(/`(\w+)`/g)].map((found) => found[1])
      const source = read(path)
      const table = source.slice(source.indexOf("const COMMANDS = {"), source.indexOf("} as const satisfies CommandTable"))
      const known = [...table.matchAll(/^ {2}(\w+): /gm)].map((found) => found[1])
      expect(named).toEqual(known.filter((name) => name !== "start"))
    }
  })
})
