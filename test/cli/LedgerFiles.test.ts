import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Option from "effect/Option"
import { describe, expect, test } from "vitest"
import { remove } from "../../src/cli/Remove.ts"
import { errorJson, reportOf } from "../../src/cli/Report.ts"
import { type Disk, DiskFault } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { cli, copyOf, folder, json, ledgerProject, onDisk } from "./Cli.ts"

const TORN = "20260923-210000-torn.jsonl"

const codeOf = (out: string): string => (json(out)["error"] as { code: string }).code

/** The session files of a directory. */
const sessionsIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory).filter((name) => /^[^.].*\.jsonl$/.test(name))

describe("fork of a ledger", () => {
  test("lies beside it under an id of its own, which every record has", async () => {
    const { path, sessions } = ledgerProject()
    const before = readFileSync(path, "utf8")
    const { exit, out, notes } = await cli(["fork", path, "--json"])
    expect(exit).toBe(0)
    expect(notes).toBe(`The sessions of its subagents (1) stay with ${path}.\n`)
    const { id, path: made } = json(out) as { id: string; path: string }
    expect(made).toBe(join(sessions, `${id}.jsonl`))
    expect(readFileSync(path, "utf8")).toBe(before)
    expect(readFileSync(made, "utf8")).toBe(before.replaceAll('"sessionId":"20260923-201500-a1b2"', `"sessionId":"${id}"`))
    expect(sessionsIn(sessions)).toHaveLength(3)
  })

  test("goes where it is told, and never over a file", async () => {
    const { sessions } = ledgerProject()
    const to = join(folder(), "copy.jsonl")
    const { exit, out, notes } = await cli(["fork", join(sessions, TORN), "--to", to])
    expect({ exit, note: notes.includes("1 damage: 1 torn-tail") }).toEqual({ exit: 0, note: true })
    expect(out).toContain(`✓ ${to}: a new session with everything that `)
    expect(out).toContain(`next  annals append ${to}`)
    expect(json((await cli(["verify", to, "--json"])).out)["files"]).toMatchObject([{ records: 21, damage: [] }])
    const again = await cli(["fork", join(sessions, TORN), "--to", to, "--json"])
    expect({ exit: again.exit, code: codeOf(again.out) }).toEqual({ exit: 6, code: "open.exists" })
  })

  test("lets no secret of the source through", async () => {
    const secret = ["kk", "Lm29", "qrZ7", "Px41"].join("")
    const { path } = ledgerProject()
    const content = [{ type: "text", text: `the key ${secret}` }]
    const record = { t: "2026-09-23T20:18:00.000Z", type: "user", message: { role: "user", content } }
    writeFileSync(path, `${readFileSync(path, "utf8")}${JSON.stringify(record)}\n`)
    const to = join(folder(), "copy.jsonl")
    const { out, notes } = await cli(["fork", path, "--to", to], { environment: { SOME_TOKEN: secret } })
    expect([out, notes, readFileSync(to, "utf8")].join("")).not.toContain(secret)
  })
})

describe("rm", () => {
  test.each([
    ["words", "my notes\n", "format.not_a_session", 6],
    ["zero bytes", "\u0000".repeat(512), "format.not_a_session", 6],
    ["nothing", "", "format.empty", 2],
  ])("does not take away a file of %s, which is no session that anybody knows", async (_, text, code, exit) => {
    const path = join(folder(), "mine.jsonl")
    writeFileSync(path, text)
    for (const flags of [[], ["--yes"], ["--yes", "--format", "ledger"]]) {
      const ended = await cli(["rm", path, "--json", ...flags])
      expect({ exit: ended.exit, code: codeOf(ended.out) }).toEqual({ exit, code })
    }
    expect(readFileSync(path, "utf8")).toBe(text)
  })

  test("plans, and changes nothing", async () => {
    const { root, path, child, sessions } = ledgerProject()
    const aside = `${path}.quarantine-1-2`
    writeFileSync(aside, "x")
    const { exit, out, notes } = await cli(["rm", path], { directory: root })
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(out).toBe(
      [
        `${path}, 1 session of its subagents and 1 file put aside of it would be removed; nothing was changed`,
        "  Flaky test, 3 prompts, 5.1 KB",
        "  .garuda/sessions/20260923-201500-a1b2/explore-call_2.jsonl",
        "  .garuda/sessions/20260923-201500-a1b2.jsonl.quarantine-1-2",
        `  next  annals rm ${path} --yes   (cannot be undone)`,
        "",
      ].join("\n"),
    )
    expect(json((await cli(["rm", path, "--json"])).out)).toEqual({
      schemaVersion: 1,
      path,
      state: "planned",
      children: [child],
      aside: [aside],
    })
    expect([path, child, aside].map((one) => existsSync(one))).toEqual([true, true, true])
    expect(readdirSync(sessions).filter((name) => name.startsWith("."))).toEqual([])
  })

  test("removes the session, its subagents' and what was put aside, and nothing else", async () => {
    const { path, child, sessions } = ledgerProject()
    const aside = `${path}.quarantine-1-2`
    writeFileSync(aside, "x")
    const { exit, out } = await cli(["rm", path, "--yes", "--json"])
    expect({ exit, ...json(out) }).toEqual({
      exit: 0,
      schemaVersion: 1,
      path,
      state: "removed",
      children: [child],
      aside: [aside],
    })
    expect([path, dirname(child), aside].map((one) => existsSync(one))).toEqual([false, false, false])
    expect(sessionsIn(sessions)).toEqual([TORN])
    const again = await cli(["rm", path, "--yes", "--json"])
    expect({ exit: again.exit, code: codeOf(again.out) }).toEqual({ exit: 3, code: "read.not_found" })
  })

  test("says what is left when the disk stops it in the middle, and is carried on", async () => {
    const { path, child } = ledgerProject()
    const stuck: Disk = {
      ...nodeDisk,
      unlink: (one) => {
        if (one === path) throw new DiskFault("unlink", one, "EIO")
        nodeDisk.unlink(one)
      },
    }
    const input = { file: path, yes: true, json: true, format: Option.none() }
    const { result, out } = await onDisk(stuck, remove(input))
    expect(out).toBe("")
    const report = reportOf(result._tag === "Failure" ? result.failure : undefined)
    expect(report).toMatchObject({
      code: "remove.partial",
      exit: 7,
      path,
      remedy: expect.stringContaining(`annals rm ${path} --yes`),
    })
    expect(errorJson(report)).toMatchObject({ left: [path], message: `${path}: 1 of 2 files removed, then the disk refused` })
    expect([path, child].map((one) => existsSync(one))).toEqual([true, false])
    expect(json((await cli(["rm", path, "--yes", "--json"])).out)).toMatchObject({ state: "removed", children: [] })
    expect(existsSync(path)).toBe(false)
  })

  test("reports a refusal of the disk as that when nothing is gone", async () => {
    const { path, child } = ledgerProject()
    const stuck: Disk = {
      ...nodeDisk,
      unlink: (one) => {
        if (one === child) throw new DiskFault("unlink", one, "EIO")
        nodeDisk.unlink(one)
      },
    }
    const { result } = await onDisk(stuck, remove({ file: path, yes: true, json: true, format: Option.none() }))
    expect(reportOf(result._tag === "Failure" ? result.failure : undefined).code).toBe("open.refused")
    expect([path, child].map((one) => existsSync(one))).toEqual([true, true])
  })

  test("touches nothing when the folder of subagents holds something else", async () => {
    const { path, child } = ledgerProject()
    writeFileSync(join(dirname(child), "mine.txt"), "keep")
    for (const more of [[], ["--yes"]]) {
      const { exit, out } = await cli(["rm", path, ...more, "--json"])
      expect({ exit, code: codeOf(out) }).toEqual({ exit: 6, code: "ledger.unexpected" })
    }
    expect([path, child].map((one) => existsSync(one))).toEqual([true, true])
  })

  test("refuses a tree, and what is no session, each in its own way", async () => {
    const tree = copyOf("gjc/v5.jsonl")
    const { exit, out } = await cli(["rm", tree, "--yes", "--json"])
    expect({ exit, code: codeOf(out) }).toEqual({ exit: 6, code: "format.is_tree" })
    expect((json(out)["error"] as { remedy: string }).remedy).toContain(`rm ${tree}`)
    const other = join(folder(), "other.jsonl")
    writeFileSync(other, '{"a":1}\n')
    const refused = await cli(["rm", other, "--yes", "--json"])
    expect({ exit: refused.exit, code: codeOf(refused.out) }).toEqual({ exit: 6, code: "format.not_a_session" })
    expect([tree, other].map((one) => existsSync(one))).toEqual([true, true])
  })
})
