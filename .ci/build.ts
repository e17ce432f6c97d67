/** Builds `dist`: compiles, copies the data files that stand among the sources, and puts library, threads and command line together. */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { bundleCommand, bundleLibrary, bundleThreads } from "./bundle.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")

rmSync(dist, { recursive: true, force: true })

// The compiler's own start file, so that no shell and no name of a command file on this platform is needed.
const compiler = join(root, "node_modules", "typescript")
const { bin } = JSON.parse(readFileSync(join(compiler, "package.json"), "utf8")) as { bin: { tsc: string } }
const compiled = spawnSync(process.execPath, [join(compiler, bin.tsc), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
})
if (compiled.status !== 0) process.exit(compiled.status ?? 1)

const data = globSync("{src,workers,laws}/**/*.*", { cwd: root }).filter((path) => !/\.[cm]?ts$/.test(path))
for (const path of data) cpSync(join(root, path), join(dist, path))
await bundleCommand(dist)
await bundleLibrary(dist)
await bundleThreads(dist)
process.stdout.write(`built dist, with ${data.length} data files\n`)
