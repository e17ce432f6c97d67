import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../..")

/** The disks themselves, and the two ways by which everything else writes to them. */
const PLUMBING = /^src\/disk\//

/** Calls by which bytes come into a file. */
const WRITES =
  /\b(?:createFile|replaceFile|writeAll|writeFileSync|appendFileSync|writeSync)\(|\.write\(handle|open\([^()]*, "create"\)/

const sources = (): ReadonlyArray<string> =>
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && !PLUMBING.test(path))

test("docs/security.md has a row for every file that writes, and for no other", () => {
  const rows = readFileSync(join(root, "docs/security.md"), "utf8").matchAll(/^\| `(src\/[^`]+)` \|/gm)
  const writing = sources().filter((path) => WRITES.test(readFileSync(join(root, path), "utf8")))
  // The first writes to stderr; the second plays with files of its own, to show what is lost.
  const others = ["src/writer/ThreadPort.ts", "src/cli/demo/Killing.ts"]
  expect(writing).toEqual(expect.arrayContaining(others))
  expect([...new Set([...rows].map(([, path]) => path))].sort()).toEqual(writing.filter((path) => !others.includes(path)).sort())
})
