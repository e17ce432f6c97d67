import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, json, ledgerProject } from "./Cli.ts"

const codeOf = (out: string): string => (json(out)["error"] as { code: string }).code

const NAME = "garuda-20260923-201500-a1b2.md"

describe("export", () => {
  test("writes what was said as Markdown into the current directory, and never over a file", async () => {
    const { path } = ledgerProject()
    const directory = folder()
    const { exit, out } = await cli(["export", path], { directory })
    expect({ exit, out }).toEqual({ exit: 0, out: `✓ ${NAME}\n` })
    const document = readFileSync(join(directory, NAME), "utf8")
    expect(document).toContain("Find the flaky test")
    expect(document).toContain("The flaky test is t1.")
    const again = await cli(["export", path, "--json"], { directory })
    expect({ exit: again.exit, code: codeOf(again.out) }).toEqual({ exit: 6, code: "open.exists" })
    expect(readFileSync(join(directory, NAME), "utf8")).toBe(document)
    expect(readdirSync(directory)).toEqual([NAME])
  })

  test("takes away nothing that lies in the directory, whatever it is called", async () => {
    const { path } = ledgerProject()
    const directory = folder()
    const mine = join(directory, `.${NAME}.tmp`)
    writeFileSync(mine, "mine")
    expect((await cli(["export", path], { directory })).exit).toBe(0)
    expect(readdirSync(directory).toSorted()).toEqual([`.${NAME}.tmp`, NAME])
    expect(readFileSync(mine, "utf8")).toBe("mine")
  })

  test("makes the folders of the place that it is told", async () => {
    const { path } = ledgerProject()
    const directory = folder()
    const { exit, out } = await cli(["export", path, "--to", "docs/notes/flaky.md", "--json"], { directory })
    expect(exit).toBe(0)
    expect(json(out)["path"]).toBe(join(directory, "docs/notes/flaky.md"))
    expect(existsSync(join(directory, "docs/notes/flaky.md"))).toBe(true)
  })

  test.each([["../out.md"], ["docs/../../out.md"], ["/tmp/out.md"], ["."], ["link/out.md"], ["gone"]])(
    "does not leave the current directory for %s",
    async (to) => {
      const { path } = ledgerProject()
      const outside = folder()
      const directory = folder()
      symlinkSync(outside, join(directory, "link"))
      symlinkSync(join(outside, "nothing.md"), join(directory, "gone"))
      const { exit, out } = await cli(["export", path, "--to", to, "--json"], { directory })
      expect({ exit, code: codeOf(out) }).toEqual({ exit: 6, code: "ledger.outside_root" })
      expect(readdirSync(outside)).toEqual([])
    },
  )

  test("takes out a secret that the file has from before its rule", async () => {
    const secret = ["kk", "Lm29", "qrZ7", "Px41"].join("")
    const { path } = ledgerProject()
    const content = [{ type: "text", text: `the key ${secret}` }]
    const record = { t: "2026-09-23T20:18:00.000Z", type: "user", message: { role: "user", content } }
    writeFileSync(path, `${readFileSync(path, "utf8")}${JSON.stringify(record)}\n`)
    const directory = folder()
    const { exit } = await cli(["export", path], { directory, environment: { SOME_TOKEN: secret } })
    expect(exit).toBe(0)
    expect(readFileSync(join(directory, NAME), "utf8")).not.toContain(secret)
  })

  test("has nothing to export of a session in which nobody has spoken", async () => {
    const directory = folder()
    mkdirSync(join(directory, "s"))
    const path = join(directory, "s", "x.jsonl")
    const start = { t: "2026-09-23T20:18:00.000Z", type: "start", sessionId: "x", root: "/w", model: "m" }
    writeFileSync(path, `${JSON.stringify(start)}\n`)
    const { exit, out } = await cli(["export", path, "--json"], { directory })
    expect({ exit, code: codeOf(out) }).toEqual({ exit: 3, code: "ledger.nothing_to_export" })
  })

  test("knows the names of time zones, and is for ledgers", async () => {
    const { path } = ledgerProject()
    const zone = await cli(["export", path, "--time-zone", "Mars/Olympus", "--json"], { directory: folder() })
    expect({ exit: zone.exit, code: codeOf(zone.out) }).toEqual({ exit: 2, code: "ledger.unknown_time_zone" })
    const tree = await cli(["export", copyOf("gjc/v5.jsonl"), "--json"], { directory: folder() })
    expect({ exit: tree.exit, code: codeOf(tree.out) }).toEqual({ exit: 6, code: "format.is_tree" })
  })
})
