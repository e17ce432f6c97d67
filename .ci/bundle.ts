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

/** Packages that are in the files of the command line, with their licenses beside them. */
const INSIDE = ["effect", "@effect/platform-node", "@effect/platform-node-shared"]

const root = fileURLToPath(new URL("..", import.meta.url))
const packages = join(root, "node_modules")

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
  for (const name of INSIDE) cpSync(join(packages, name, "LICENSE"), join(dir, "licenses", `${name.replace("/", "-")}.txt`))
  return join(dir, "main.js")
}

interface Entry {
  readonly types: string
  readonly module: string
  readonly default: string
}

/** Where a package's entries are, by the names of their files. */
export const entriesOf = (manifest: { readonly exports: Readonly<Record<string, string | Entry>> }) =>
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
 * one of each class whichever entry it comes from. Every dependency stays outside. Names of functions stay for traces, and source maps lead on
 * to the source.
 */
export const bundleLibrary = async (
  build: string,
  entries: Readonly<Record<string, string>> = libraryEntries(),
): Promise<void> => {
  const dir = join(build, "bundle", "lib")
  rmSync(dir, { recursive: true, force: true })
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(build, path)]))
  const bundle = await rolldown({ input, platform: "node", external: [/^[^./]/] })
  await bundle.write({
    dir,
    format: "esm",
    chunkFileNames: "[name].js",
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    sourcemap: true,
  })
  await bundle.close()
}

/** The entries, and the program that laws start as a process, which they look for beside themselves. */
const libraryEntries = (): Readonly<Record<string, string>> => ({
  ...entriesOf(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))),
  appender: "laws/processes/appender.js",
})
