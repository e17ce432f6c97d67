/** `npm run laws` and `npm run laws:deep` as commands: which runs a law gets, and what the line of a law says. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { families } from "../../laws/all.ts"
import { deepRunsOf, FIXED_SEED, type Law, parameters } from "../../laws/Law.ts"
import { explain, replayCommand } from "../../laws/Refutation.ts"

const root = new URL("../../", import.meta.url)

const laws = (args: ReadonlyArray<string>, runs?: string) => {
  const { ANNALS_LAW_RUNS: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ["laws/main.ts", ...args], {
    cwd: fileURLToPath(root),
    encoding: "utf8",
    env: runs === undefined ? env : { ...env, ANNALS_LAW_RUNS: runs },
  })
  return { status, stdout, stderr }
}

const lawOf = (id: string) => families.flatMap((family) => family.laws).find((law) => law.id === id)

test("the script of the deep run is the deep run", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
  expect(scripts["laws:deep"]).toBe(`${scripts.laws} --deep`)
})

test("a deep run gives a law its deep runs, whatever ANNALS_LAW_RUNS says; an ordinary run gives what that says", () => {
  // The one law whose deep run is short. Whether it holds is measured, and not the question here.
  expect(laws(["--deep", "--law", "SEC-4"], "7").stdout).toMatch(/^SEC-4 +\w+ +1 runs /)
  expect(laws(["--law", "JRN-1"], "7").stdout).toMatch(/^JRN-1 +holds +7 runs /)
})

test("a deep run with runs of somebody else is refused", () => {
  expect(laws(["--deep", "--runs", "5"])).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("--deep") })
})

test("fixed cases are the same each time, are those of CI, and take no seed of somebody else", () => {
  const judged = () =>
    /\[(\d+) pairs/.exec(laws(["--fixed", "--law", "CTX-1", "--runs", "25"]).stdout)?.[1] ?? expect.unreachable()
  expect(judged()).toBe(judged())
  expect(laws(["--fixed", "--seed", "5"])).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("--fixed") })
  expect(readFileSync(new URL(".ci/run", root), "utf8")).toContain("laws -- --fixed\n")
})

test("the tests try fixed cases", () => {
  expect(fc.readConfigureGlobal()?.seed).toBe(FIXED_SEED)
})

test("the line of CTX-1 says how many pairs of a tree and a leaf it judged", () => {
  const { stdout } = laws(["--law", "CTX-1", "--runs", "40", "--seed", "1"])
  expect(Number(/\[(\d+) pairs of a tree and a leaf\]/.exec(stdout)?.[1])).toBeGreaterThan(40)
})

test("a deep run of a law is never shallower than an ordinary one, and twenty times as deep when nothing is said", () => {
  for (const { laws } of families) for (const law of laws) expect(deepRunsOf(law), law.id).toBeGreaterThanOrEqual(law.runs)
  const { deepRuns: _, ...plain } = lawOf("CTX-1") ?? expect.unreachable()
  expect(deepRunsOf(plain)).toBe(20 * plain.runs)
})

/** What a run of a law says when the law is broken. */
const refuted = (law: Law, seed: number): string => {
  try {
    void law.check({ runs: 10, seed })
  } catch (cause) {
    return explain(cause)
  }
  return expect.unreachable()
}

test("the command that replays a failure is one that the command takes: a seed with a minus was read as an option", () => {
  const never = fc.property(fc.integer(), () => false)
  const law: Law = { id: "JRN-1", sentence: "-", runs: 10, check: (budget) => fc.assert(never, parameters(budget)) }
  const command = replayCommand(law, refuted(law, -5))
  expect(command).toMatch(/^npm run laws -- --law JRN-1 --seed=-5 --path=[\d:]+$/)
  const [, args = ""] = command.split(" -- ")
  expect(laws([...args.replace(/ --path.*/, "").split(" "), "--runs", "3"])).toMatchObject({ status: 0, stderr: "" })
})
