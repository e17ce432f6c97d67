/** pi, the session manager of this lineage, as a peer: installed on demand into an ignored folder, and no dependency of the project. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import { peersFolder } from "./Built.ts"

const PACKAGE = "@earendil-works/pi-coding-agent"
const VERSION = "1.6.0"

export type Peer =
  | { readonly name: string; readonly version: string; readonly isHere: true }
  | { readonly name: string; readonly version: string; readonly isHere: false; readonly why: string }

export interface Pi {
  readonly peer: Peer
  /** What to import for its session manager, alone: the rest of pi would cost it memory that it does not need for this. */
  readonly module: string
}

const folder = join(peersFolder, "pi")
const home = join(folder, "node_modules", ...PACKAGE.split("/"))
const entry = join(home, "dist", "core", "session-manager.js")

const versionHere = (): string | undefined =>
  existsSync(join(home, "package.json"))
    ? (JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string }).version
    : undefined

const install = (): string | undefined => {
  mkdirSync(folder, { recursive: true })
  const npm = process.platform === "win32" ? "npm.cmd" : "npm"
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
  const { status, stderr, error } = spawnSync(npm, ["install", "--prefix", folder, ...flags, `${PACKAGE}@${VERSION}`], {
    encoding: "utf8",
    timeout: 180_000,
    shell: process.platform === "win32",
  })
  if (status === 0) return undefined
  return error?.message ?? stderr.split("\n").find((line) => line.trim() !== "") ?? `npm ended with ${status}`
}

/** pi, fetched unless it is there already. When it cannot be had, why. */
export const fetchPi = (say: (line: string) => void): Pi => {
  const module = pathToFileURL(entry).href
  const common = { name: "pi", version: VERSION }
  if (versionHere() !== VERSION) {
    say(`fetching ${PACKAGE} ${VERSION}`)
    const why = install()
    if (why !== undefined) return { peer: { ...common, isHere: false, why }, module }
  }
  if (existsSync(entry)) return { peer: { ...common, isHere: true }, module }
  return { peer: { ...common, isHere: false, why: "it has no session manager where it was expected" }, module }
}
