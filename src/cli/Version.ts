/** The version of this package, from the manifest above this file, wherever it was built to. */
import { readFileSync } from "node:fs"

const manifests = ["../../package.json", "../../../package.json"]

const versionIn = (manifest: string): string | undefined => {
  try {
    const { name, version } = JSON.parse(readFileSync(new URL(manifest, import.meta.url), "utf8")) as Record<string, unknown>
    return name === "annals" && typeof version === "string" ? version : undefined
  } catch {
    return undefined
  }
}

export const version: string = manifests.map(versionIn).find((found) => found !== undefined) ?? "0.0.0"
