/**
 * Real calls of the system, met exactly: the k-th call of a kind is refused with an error, or the process is killed at it, for k from 1
 * until a run meets no k-th call. `strace` does it, where it is there and may trace.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { noteTail, Reopening } from "./Reopening.ts"
import type { Torture } from "./Torture.ts"

const host = fileURLToPath(new URL("./host.ts", import.meta.url))
const old = fileURLToPath(new URL("../fixtures/pi/v3-fork.jsonl", import.meta.url))

type Work = "append" | "migrate"

interface Injection {
  readonly call: string
  /** What happens at the call: the name of an error, or `kill`. */
  readonly what: string
  /** Only calls on the session's own file. Node makes others of the kind, of no interest here. */
  readonly isOnFile: boolean
}

const onFile = (call: string, ...what: ReadonlyArray<string>) => what.map((each) => ({ call, what: each, isOnFile: true }))
const anywhere = (call: string, ...what: ReadonlyArray<string>) => what.map((each) => ({ call, what: each, isOnFile: false }))

const injections: ReadonlyArray<Injection> = [
  ...onFile("write", "ENOSPC", "EIO", "kill"),
  ...onFile("openat", "EMFILE", "kill"),
  ...anywhere("fdatasync", "EIO", "ENOSPC", "kill"),
  ...anywhere("fsync", "EIO", "kill"),
  ...anywhere("rename", "EIO", "EROFS", "kill"),
  ...anywhere("link", "EIO", "ENOSPC", "kill"),
  ...anywhere("unlink", "EIO", "kill"),
  ...anywhere("ftruncate", "EIO", "kill"),
]

const mayTrace = (): boolean =>
  spawnSync("strace", [
    "-f",
    "--seccomp-bpf",
    "-o",
    "/dev/null",
    "-e",
    "trace=fsync",
    "-e",
    "inject=fsync:error=EIO:when=1",
    "true",
  ]).status === 0

interface Run {
  /** False when the run met no such call. */
  readonly isMet: boolean
  readonly acknowledged: ReadonlyArray<string>
}

const records = 4

const runHost = (folder: string, path: string, { call, what, isOnFile }: Injection, nth: number): Run => {
  const log = join(folder, "calls")
  const effect = what === "kill" ? "signal=SIGKILL" : `error=${what}`
  const filter = isOnFile ? ["-P", path] : []
  const inject = [...filter, "-e", `trace=${call}`, "-e", `inject=${call}:${effect}:when=${nth}`]
  const args = ["-f", "--seccomp-bpf", "-qq", "-o", log, ...inject, process.execPath, host, path, `${records}`]
  const { stdout, stderr, status, signal } = spawnSync("strace", args, { encoding: "utf8", timeout: 120_000 })
  const isKilled = signal === "SIGKILL" || status === 137
  if (status !== 0 && !(isKilled && what === "kill")) throw new Error(`the host ended with ${status ?? signal}: ${stderr}`)
  const isMet = isKilled || readFileSync(log, "utf8").includes("(INJECTED)")
  return { isMet, acknowledged: stdout.split("\n").filter((line) => /^r\d+$/.test(line)) }
}

const idsIn = (text: string): ReadonlyArray<string> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id)

/** One run and the next process behind it. False when the run met no such call. */
const meet = async (torture: Torture, next: Reopening, work: Work, injection: Injection, nth: number): Promise<boolean> => {
  const { tally } = torture
  const where = `${work}: ${injection.what} at ${injection.call} ${nth}`
  const folder = join(torture.folder, `${work}-${injection.call}-${injection.what}-${nth}`)
  const path = join(folder, "session.jsonl")
  mkdirSync(folder)
  if (work === "migrate") copyFileSync(old, path)
  try {
    const { isMet, acknowledged } = runHost(folder, path, injection, nth)
    if (!isMet) return false
    tally.figures.callPoints += 1
    if (!existsSync(path)) {
      if (acknowledged.length > 0) tally.fail(where, "acknowledged, and there is no file")
      return true
    }
    noteTail(tally, path)
    await next.append(path, "next", true)
    const text = readFileSync(path, "utf8")
    const sent = [...Array.from({ length: records }, (_, index) => `r${index + 1}`), "next"]
    tally.judge(where, text, sent, [...acknowledged, "next"])
    const missing = work === "append" ? [] : idsIn(readFileSync(old, "utf8")).filter((id) => !text.includes(`"id":"${id}"`))
    if (missing.length > 0) tally.fail(where, `entries that were there before are gone: ${missing.join(" ")}`)
    return true
  } catch (error) {
    tally.fail(where, String(error))
    return true
  }
}

/** At most so many calls of each kind. */
export const refuseCalls = async (torture: Torture, works: ReadonlyArray<Work>, most: number): Promise<void> => {
  if (!mayTrace()) {
    torture.tally.leftOut.push("calls of the system: strace is not there or may not trace")
    return
  }
  const next = new Reopening(torture.tally)
  try {
    for (const work of works) {
      const before = torture.tally.figures.callPoints
      for (const injection of injections) {
        for (let nth = 1; nth <= most; nth++) if (!(await meet(torture, next, work, injection, nth))) break
      }
      torture.say(`${work}: ${torture.tally.figures.callPoints - before} calls met`)
    }
  } finally {
    await next.close()
  }
}
