/** Source code that is at hand in every checkout: the project's own and that of its dependencies. Redaction may not change a character. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Own folders; `test/` and `docs/` hold invented secrets on purpose, except for the folder of this evaluation. */
const OWN = ["src", "workers", "laws", "test/eval", ".ci"]

/** The laws of redaction hold some as well. */
const HOLDS_SECRETS = /^laws\/(?:redaction\w*|arbitraries\/(?:adversarial|secrets|redactable))\.ts$/

const DEPENDENCIES = [
  ...["effect/src", "@effect/platform-node/src", "@typescript", "typescript", "@types", "fast-check", "vitest/dist", "vite/dist"],
  ...["undici", "@redis", "rolldown/dist", "lightningcss", "piscina", "@vitest", "effect/dist"],
].map((path) => `node_modules/${path}`)

const CODE = /\.(?:[cm]?[jt]s|tsx|json|css)$/
const LARGEST_FILE = 4_000_000

export interface SourceFile {
  /** From the project's folder. */
  readonly path: string
  readonly text: string
}

const pathsIn = (folder: string): ReadonlyArray<string> => {
  if (statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => CODE.test(path) && !HOLDS_SECRETS.test(path))
    .sort()
}

/** Files until there are so many bytes, every `step`th of each folder: the project's own always, then one dependency after the other. */
export function* sourceFiles(bytes: number, step: number): Iterable<SourceFile> {
  let left = bytes
  for (const folder of [...OWN, ...DEPENDENCIES]) {
    for (const [n, path] of pathsIn(folder).entries()) {
      if (left <= 0) return
      if (n % step !== 0 && !OWN.includes(folder)) continue
      const stats = statSync(join(root, path))
      if (!stats.isFile() || stats.size > LARGEST_FILE) continue
      left -= stats.size
      yield { path, text: readFileSync(join(root, path), "utf8") }
    }
  }
}
