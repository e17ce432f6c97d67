/** A session in a directory that everybody may write to: refused, unless the user says that nobody else is there. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"

const folder = fs.mkdtempSync(join(tmpdir(), "annals-places-"))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))
const annals = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [main, ...args], {
    env: { PATH: process.env["PATH"], HOME: folder, ...environment },
    encoding: "utf8",
  })

test("a place that is open to everybody is written to only with leave, and read without", () => {
  fs.chmodSync(folder, 0o777)
  const path = join(folder, "s.jsonl")
  fs.copyFileSync(new URL("../fixtures/gjc/v5.jsonl", import.meta.url), path)
  fs.chmodSync(path, 0o600)
  const before = fs.readFileSync(path, "utf8")
  expect(annals({}, "show", path).status).toBe(0)
  const refused = annals({}, "star", path)
  expect([refused.status, refused.stderr]).toEqual([6, expect.stringContaining("lease.unsafe")])
  expect(fs.readFileSync(path, "utf8")).toBe(before)
  const lock = annals({}, "lock", path)
  expect([lock.status, lock.stdout]).toEqual([6, expect.stringContaining(`everybody may replace what lies in ${folder}`)])
  const unsafe = { why: `everybody may replace what lies in ${folder}`, place: folder }
  expect(JSON.parse(annals({}, "lock", path, "--json").stdout)).toMatchObject({ free: false, why: "unclaimed", unsafe })
  expect(annals({ ANNALS_UNSAFE_PLACES: "allow" }, "lock", path).status).toBe(0)
  const done = annals({ ANNALS_UNSAFE_PLACES: "allow" }, "star", path)
  expect([done.status, done.stderr]).toEqual([0, ""])
  expect(fs.readFileSync(path, "utf8").startsWith(before)).toBe(true)
})
