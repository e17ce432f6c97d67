/**
 * The command line in a few files in the place of some three hundred: loading them one by one takes longer than most commands do.
 *
 * Each command stays in a file of its own, which is loaded when it runs. The files lie two folders below the build, as their sources do,
 * so that what they look for beside themselves is where it was.
 */
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

/** Packages that are loaded from where they are installed: they find files of their own by where they stand. */
const OUTSIDE = ["piscina", "koffi"]

/** Packages that are in the files, with their licenses beside them. */
const INSIDE = ["effect", "@effect/platform-node", "@effect/platform-node-shared"]

const packages = fileURLToPath(new URL("../node_modules", import.meta.url))

/** Puts the compiled command line of a build together; returns the path of its start file. */
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
