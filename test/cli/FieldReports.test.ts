import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cli, folder, jsonLines, ledgerProject, spawned } from "./Cli.ts"

/** What has gone wrong for users of command lines that keep sessions, as small as it could be made. */

const user = (content: string): string => `${JSON.stringify({ do: "message", message: { role: "user", content } })}\n`

test("a store took no writes any more, and a run without a terminal ended with 0 all the same", async () => {
  const file = join(folder(), "file")
  writeFileSync(file, "")
  for (const level of ["accepted", "written", "synced"]) {
    const path = join(file, "s.jsonl")
    const given = ["append", path, "--create", "--cwd", "/w", "--level", level]
    const { exit, out, notes } = await cli(given, { input: user("one") + user("two") })
    expect([level, exit === 0]).toEqual([level, false])
    expect(jsonLines(out).filter((answer) => !("error" in answer))).toEqual([])
    expect(notes).toContain(path)
    expect(existsSync(path)).toBe(false)
  }
})

test("a session was of one day in one command and of another day in the next, by the clock of the place", async () => {
  const { sessions } = ledgerProject()
  const t = "2026-07-01T22:00:00.000Z"
  const path = join(sessions, "late.jsonl")
  const said = { t, type: "user", message: { role: "user", content: [{ type: "text", text: "hi" }] } }
  const start = { t, type: "start", sessionId: "late", root: "/w", model: "m" }
  writeFileSync(path, `${JSON.stringify(start)}\n${JSON.stringify(said)}\n`)
  for (const args of [
    ["list", "--dir", sessions],
    ["show", path],
  ]) {
    const shown = await Promise.all(["UTC", "Asia/Baghdad"].map((zone) => spawned(args, { environment: { TZ: zone } })))
    expect(shown.map(({ exit }) => exit)).toEqual([0, 0])
    expect(shown[0]?.out).toBe(shown[1]?.out)
    expect(shown[0]?.out).toContain("2026-07-01 22:00 UTC")
  }
})
