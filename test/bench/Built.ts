/**
 * The library compiled, so that no figure holds the cost of stripping types. Measured processes run from here; those of a start run what is
 * published, put together as it is by the build.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { bundleCommand, bundleLibrary, bundleThreads } from "../../.ci/bundle.ts"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Ignored by git; inside the project, so that the project's packages are found from there. */
export const peersFolder = join(root, ".peers")
export const built = join(peersFolder, "built")

/** The start file of the command line, put together as it is published. */
export const command = join(built, "bundle", "cli", "main.js")

/** An entry of the library, put together as it is published. */
export const published = join(built, "bundle", "lib", "promise.js")

/** Compiles library and tasks. What does not type-check is compiled all the same and said. */
export const build = async (say: (line: string) => void): Promise<void> => {
  const compiler = join(root, "node_modules", "typescript")
  const { bin } = JSON.parse(readFileSync(join(compiler, "package.json"), "utf8")) as { bin: { tsc: string } }
  const { status, stdout } = spawnSync(process.execPath, [join(compiler, bin.tsc), "-p", "test/bench/tsconfig.json"], {
    cwd: root,
    encoding: "utf8",
  })
  if (status !== 0) say(`compiled with errors: ${stdout.trim().split("\n")[0] ?? ""}`)
  if (!existsSync(join(built, "src", "cli", "main.js"))) throw new Error(`nothing was compiled: ${stdout}`)
  for (const path of globSync("{src,workers}/**/*.*", { cwd: root }).filter((path) => !/\.[cm]?ts$/.test(path)))
    cpSync(join(root, path), join(built, path))
  await bundleCommand(built)
  await bundleLibrary(built)
  await bundleThreads(built)
}
