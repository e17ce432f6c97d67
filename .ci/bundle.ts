/**
 * The build in a few files in the place of some three hundred: a process that loads them one by one waits for that, and not for what they do.
 *
 * All that is put together lies two folders below the build, as its sources do, so that what they look for beside themselves is where it was.
 */
import { cpSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

/** Packages that are loaded from where they are installed: they find files of their own by where they stand. */
const OUTSIDE = ["piscina", "koffi"]

/** Packages that are in the files of the command line. */
const INSIDE = ["effect", "@effect/platform-node", "@effect/platform-node-shared"]

const root = fileURLToPath(new URL("..", import.meta.url))
const packages = join(root, "node_modules")

/** The licenses of packages, beside the files that they are in. */
const putLicenses = (names: ReadonlyArray<string>, dir: string): void => {
  for (const name of names) cpSync(join(packages, name, "LICENSE"), join(dir, "licenses", `${name.replace("/", "-")}.txt`))
}

/** For what somebody else runs: the names of functions stay, for traces, and source maps lead on to the source. */
const READABLE = {
  format: "esm",
  chunkFileNames: "[name].js",
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  sourcemap: true,
} as const

/** Puts the compiled command line of a build together; returns the path of its start file. Each command stays in a file of its own. */
export const bundleCommand = async (build: string): Promise<string> => {
  const dir = join(build, "bundle", "cli")
  rmSync(dir, { recursive: true, force: true })
  const bundle = await rolldown({
    input: { main: join(build, "src", "cli", "main.js") },
    platform: "node",
    external: [/^node:/, ...OUTSIDE],
  })
  await bundle.write({ dir, format: "esm", minify: true, comments: { legal: true } })
  await bundle.close()
  putLicenses(INSIDE, dir)
  return join(dir, "main.js")
}

/**
 * Puts each compiled thread of a build together where it lies, with what it uses of Effect in it: a thread shares no module with its host, so it would
 * load all of them anew.
 */
export const bundleThreads = async (build: string): Promise<void> => {
  const dir = join(build, "workers")
  const input = Object.fromEntries(["writer", "sync"].map((name) => [name, join(dir, `${name}.js`)]))
  const bundle = await rolldown({ input, platform: "node", external: [/^node:/] })
  await bundle.write({ dir, ...READABLE })
  await bundle.close()
  putLicenses(["effect"], dir)
}

interface Entry {
  readonly types: string
  readonly module: string
  readonly default: string
}

/** Where a package's entries are, by the names of their files. */
const entriesOf = (manifest: { readonly exports: Readonly<Record<string, string | Entry>> }) =>
  Object.fromEntries(
    Object.values(manifest.exports)
      .filter((entry) => typeof entry !== "string")
      .map((entry) => [
        entry.default.replace("./dist/bundle/lib/", "").replace(/\.js$/, ""),
        entry.module.replace("./dist/", ""),
      ]),
  )

/**
 * Puts the compiled library of a build together: a file for each entry of the package, and files for what entries share, so that there is
 * one of each class whichever entry it comes from. Every dependency stays outside.
 */
export const bundleLibrary = async (build: string): Promise<void> => {
  const dir = join(build, "bundle", "lib")
  rmSync(dir, { recursive: true, force: true })
  const input = Object.fromEntries(Object.entries(libraryEntries()).map(([name, path]) => [name, join(build, path)]))
  const bundle = await rolldown({ input, platform: "node", external: [/^[^./]/] })
  await bundle.write({ dir, ...READABLE })
  await bundle.close()
}

/** The entries, and the program that laws start as a process, which they look for beside themselves. */
const libraryEntries = (): Readonly<Record<string, string>> => ({
  ...entriesOf(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))),
  appender: "laws/processes/appender.js",
})
