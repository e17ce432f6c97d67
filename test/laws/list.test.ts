import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { families } from "../../laws/all.ts"
import { deepRunsOf } from "../../laws/Law.ts"

const root = new URL("../../", import.meta.url)
const text = (path: string) => readFileSync(new URL(path, root), "utf8")

/** Files of TypeScript and Markdown below a folder, from the root of the project. */
const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => /\.(ts|md)$/.test(path))

const existing = families.flatMap(({ file, laws }) =>
  laws.map((law) => `| ${law.id} | ${law.sentence} | \`${file}\` | ${law.runs} | ${deepRunsOf(law)} |`),
)

test("docs/laws.md lists exactly the laws that exist: id, sentence, file and both runs (`npm run -s laws -- --list` prints the rows)", () => {
  const listed = text("docs/laws.md")
    .split("\n")
    .filter((line) => /^\| [A-Z]{3}-\d+ \|/.test(line))
  expect(listed.filter((row) => !existing.includes(row))).toEqual([])
  expect(existing.filter((row) => !listed.includes(row))).toEqual([])
  expect(listed).toHaveLength(existing.length)
})

test("an id names one law", () => {
  const ids = families.flatMap(({ laws }) => laws.map(({ id }) => id))
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  for (const id of ids) expect(id).toMatch(/^[A-Z]{3}-\d+$/)
})

test("a sentence is one, and fits into a row of the list", () => {
  for (const { laws } of families) for (const { sentence } of laws) expect(sentence).toMatch(/^\S[^|\n]*\S$/)
})

test("every file of laws is in the registry under its own name", async () => {
  const registered = new Map(families.map(({ file, laws }) => [file, laws]))
  for (const path of below("laws").filter((each) => !each.slice(5).includes("/") && each !== "laws/main.ts")) {
    const module: { readonly laws?: unknown } = await import(new URL(path, root).href)
    expect([path, module.laws]).toEqual([path, registered.get(path)])
  }
})

test("every law that the code or the documents cite exists", () => {
  const ids = new Set(families.flatMap(({ laws }) => laws.map(({ id }) => id)))
  const cited = ["src", "workers", "laws", "docs"].flatMap((folder) =>
    below(folder).flatMap((path) =>
      [...text(path).matchAll(/\blaws? ([A-Z]{3}-\d+)/g)].map((match) => ({ path, id: match[1] ?? "" })),
    ),
  )
  expect(cited.length).toBeGreaterThan(0)
  expect(cited.filter(({ id }) => !ids.has(id)).map(({ path, id }) => `${path}: ${id}`)).toEqual([])
})
