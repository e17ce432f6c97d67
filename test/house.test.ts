import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { homedir, hostname } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { breaches, type Files, ownWords, rules } from "./house/Rules.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Folders that the project makes and does not keep. */
const made: ReadonlySet<string> = new Set(["node_modules", "dist", "coverage", ".git"])

/** The files of the project: those that git knows and those it would add; in a copy without git all files. */
const paths = (): ReadonlyArray<string> => {
  try {
    const command = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    const listed = execFileSync("git", command, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    return listed.split("\0").filter((path) => path !== "" && statSync(join(root, path), { throwIfNoEntry: false })?.isFile())
  } catch {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
      .filter((path) => !path.split("/").some((part) => made.has(part)))
  }
}

const files: Files = new Map(paths().map((path) => [path, readFileSync(join(root, path), "utf8")]))
const code: Files = new Map(
  [...files].filter(([path]) => /^(src|workers|laws|test)\//.test(path) || path === "package-lock.json"),
)

/** What betrays this machine. Short ones would be found in innocent words. */
const strangers = [
  root.replace(/[\\/]$/, ""),
  homedir(),
  hostname(),
  new URL(process.env["npm_config_registry"] ?? "file:///").hostname,
].filter((text) => text.length > 5 && text !== "localhost")

describe("the house", () => {
  test("has files", () => {
    for (const path of ["package.json", "src/model/Model.ts", "workers/writer.ts", "test/house.test.ts"])
      expect(files.has(path)).toBe(true)
  })

  for (const rule of rules) {
    test(`keeps its rule: ${rule.name}`, () => {
      expect(breaches(code, [rule])).toEqual([])
    })
  }

  test("speaks of itself alone", () => {
    expect(breaches(files, [ownWords(strangers)])).toEqual([])
  })
})
