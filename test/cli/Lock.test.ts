import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, json, start } from "./Cli.ts"

/** A command that appends a message of the user. */
const user = (content: string): string => `${JSON.stringify({ do: "message", message: { role: "user", content } })}\n`

const evidenceOf = (path: string, number: number): string => join(dirname(path), `.${basename(path)}.owner.${number}.json`)

/** Evidence of a writer without a lock, on a machine that is not this one. */
const foreign = {
  ...{ v: 1, attempt: "theirs", pid: 1, startTicks: "7", bootId: "elsewhere", pidNs: "pid:[1]", host: "nas\u001b[31m" },
  ...{ isolate: "other", since: "2020-01-01T00:00:00.000Z", lock: null },
}

describe("lock", () => {
  test("says of a session that nobody has opened that it is free, and changes nothing", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const { exit, out, notes } = await cli(["lock", path])
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(out).toContain(`✓ ${path}: free`)
    expect(out).toContain("nobody has held it yet")
    expect(json((await cli(["lock", path, "--json"])).out)).toEqual({
      ...{ schemaVersion: 1, path, free: true, why: "unclaimed", forcible: false, forced: false },
    })
    expect(readdirSync(dirname(path))).toEqual([basename(path)])
  })

  test("names the process that holds it, exits 4, and no force helps", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const { child, ended, lines } = start(["append", path])
    child.stdin.write(user("one"))
    await lines(1)
    const held = await cli(["lock", path])
    expect(held.exit).toBe(4)
    expect(held.out).toContain(`✗ ${path}: cannot be taken`)
    expect(held.out).toContain(`process ${child.pid} on `)
    expect(held.out).not.toContain("--force")
    const forced = await cli(["lock", path, "--force", "--reason", "mine", "--json"])
    expect(forced.exit).toBe(4)
    expect(json(forced.out)).toMatchObject({
      ...{ free: false, why: "locked", forcible: false, forced: false, owner: { pid: child.pid, self: false } },
    })
    child.stdin.end(user("two"))
    expect((await ended).exit).toBe(0)
    const free = await cli(["lock", path])
    expect(free.exit).toBe(0)
    expect(free.out).toMatch(/last {4}process \d+ on .*, since .*Z, until .*Z/)
  })

  test("sets aside a writer on another machine only with force and a reason, which are shown ever after", async () => {
    const path = copyOf("gjc/v5.jsonl")
    writeFileSync(evidenceOf(path, 1), JSON.stringify(foreign))
    const held = await cli(["lock", path])
    expect(held.exit).toBe(4)
    expect(held.out).toContain("belongs to another machine")
    expect(held.out).toContain("process 1 on nas\\x1b[31m, since 2020")
    expect(held.out).toContain(`annals lock ${path} --force --reason TEXT`)
    expect((await cli(["append", path], { input: user("x") })).exit).toBe(4)
    expect(readdirSync(dirname(path)).filter((name) => name.includes(".owner."))).toHaveLength(1)

    const environment = { USER: "ada", NAS_TOKEN: "tok-8Jd72hsKq91LmZx0" }
    const reason = "the nas is off; its token was tok-8Jd72hsKq91LmZx0"
    const forced = await cli(["lock", path, "--force", "--reason", reason], { environment })
    expect(forced.exit).toBe(0)
    expect(forced.out).toContain("taken by force and given back")
    expect(readFileSync(evidenceOf(path, 2), "utf8")).not.toContain("tok-8Jd72hsKq91LmZx0")
    expect((await cli(["append", path], { input: user("x") })).exit).toBe(0)
    expect(json((await cli(["lock", path, "--json"])).out)).toMatchObject({
      ...{ free: true, why: "released" },
      owner: { forced: { by: "ada", why: "owner-other-host", from: { pid: 1 } } },
    })
    expect((await cli(["lock", path])).out).toMatch(/forced {2}.*Z by ada, from process 1 on nas/)
  })

  test("forces nothing that is free", async () => {
    const path = copyOf("gjc/v5.jsonl")
    expect(await cli(["lock", path, "--force", "--reason", "to be sure", "--json"])).toMatchObject({ exit: 0 })
    expect(readdirSync(dirname(path))).toEqual([basename(path)])
  })

  test.each([
    [["--force"], "--force needs a reason"],
    [["--force", "--reason", "  "], "--force needs a reason"],
    [["--reason", "because"], "--reason goes with --force"],
  ])("%j is not understood", async (flags, message) => {
    const { exit, notes } = await cli(["lock", copyOf("gjc/v5.jsonl"), ...flags])
    expect(exit).toBe(2)
    expect(notes).toContain(message)
  })

  test("of what is no session file is told as such, and nothing is made", async () => {
    const root = folder()
    mkdirSync(join(root, "d.jsonl"))
    const [none, directory] = [await cli(["lock", join(root, "none.jsonl")]), await cli(["lock", join(root, "d.jsonl")])]
    expect([none.exit, directory.exit]).toEqual([3, 6])
    expect(existsSync(join(root, ".none.jsonl.lock"))).toBe(false)
    expect(readdirSync(root)).toEqual(["d.jsonl"])
  })
})
