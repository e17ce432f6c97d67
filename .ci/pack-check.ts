/**
 * Checks what would be published: packs it, unpacks it into a consumer that has nothing but the declared dependencies, and uses it there
 * as a library, as types and as a command whose records pass through the writer thread. Installs nothing.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

/** Names that stand for another thing in another entry. */
const MEANT_TWICE = ["follow", "inspect", "layer", "parseCommand", "records"]

interface Manifest {
  readonly name: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<
    Record<string, string | { readonly types: string; readonly module: string; readonly default: string }>
  >
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
const consumer = mkdtempSync(join(tmpdir(), "annals-consumer-"))
const installed = join(consumer, "node_modules", manifest.name)

const fail = (text: string): never => {
  throw new Error(text)
}

const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly input?: string } = {},
): string => {
  const done = spawnSync(command, args, {
    cwd: options.cwd ?? consumer,
    input: options.input ?? "",
    encoding: "utf8",
    shell: process.platform === "win32" && command === "npm",
  })
  if (done.status !== 0)
    fail(`${command} ${args.join(" ")} ended with ${done.status ?? done.signal}\n${done.stdout}\n${done.stderr}`)
  return done.stdout
}

const step = async (name: string, act: () => string | Promise<string>): Promise<void> => {
  process.stdout.write(`${name}: `)
  process.stdout.write(`${await act()}\n`)
}

/** The package as npm makes it, from the `dist` that is there. */
const pack = (): string => {
  const [packed] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", consumer], { cwd: root }),
  ) as [{ readonly filename: string; readonly files: ReadonlyArray<{ readonly path: string }>; readonly unpackedSize: number }]
  const stray = packed.files.filter(({ path }) => /^(test|\.|scratch|node_modules)/.test(path) || path.endsWith(".tmp"))
  if (stray.length > 0) fail(`files that nobody needs: ${stray.map(({ path }) => path).join(", ")}`)
  mkdirSync(installed, { recursive: true })
  run("tar", ["-xzf", join(consumer, packed.filename), "--strip-components=1", "-C", installed])
  return `${packed.files.length} files, ${Math.round(packed.unpackedSize / 1024)} KiB`
}

/** What a consumer of the package would have beside it, and no more: an undeclared import fails. */
const provideDependencies = (): string => {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  for (const name of names) {
    const place = join(consumer, "node_modules", name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(root, "node_modules", name), place, "junction")
  }
  return names.join(", ")
}

const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith(".json"))
const specifierOf = (entry: string): string => manifest.name + entry.slice(1)

const importEntries = (): string => {
  const script = entries.map((entry) => {
    const specifier = JSON.stringify(specifierOf(entry))
    return `{ const m = await import(${specifier}); if (Object.keys(m).length === 0) throw new Error(${specifier} + " is empty") }`
  })
  writeFileSync(join(consumer, "values.mjs"), script.join("\n"))
  run(process.execPath, ["values.mjs"])
  return entries.map(specifierOf).join(", ")
}

/** Whatever entry a value comes from, it is the same: two classes of one name would not know each other's instances. */
const compareEntries = (): string => {
  const script = `const seen = new Map()
for (const specifier of ${JSON.stringify(entries.map(specifierOf))})
  for (const [name, value] of Object.entries(await import(specifier))) seen.set(name, [...(seen.get(name) ?? []), { specifier, value }])
const shared = [...seen].filter(([, found]) => found.length > 1)
console.log(JSON.stringify(shared.map(([name, found]) => ({ name, isOne: found.every(({ value }) => value === found[0].value) }))))`
  writeFileSync(join(consumer, "same.mjs"), script)
  const shared = JSON.parse(run(process.execPath, ["same.mjs"])) as ReadonlyArray<{
    readonly name: string
    readonly isOne: boolean
  }>
  const twice = shared.filter(({ name, isOne }) => !isOne && !MEANT_TWICE.includes(name))
  if (twice.length > 0) fail(`there are two of ${twice.map(({ name }) => name).join(", ")}`)
  return `${shared.length} names of more than one entry`
}

/** A host that puts its code together gets the modules one by one, and of them what it uses. */
const shakeTree = async (): Promise<string> => {
  const size = async (used: string): Promise<number> => {
    const input = join(consumer, "host.mjs")
    writeFileSync(input, `import * as tree from "${manifest.name}/tree"\nexport const used = ${used}\n`)
    const bundle = await rolldown({ input, platform: "node", external: [/^node:/, /^effect/] })
    const { output } = await bundle.generate({ format: "esm" })
    await bundle.close()
    return output.reduce((sum, each) => sum + (each.type === "chunk" ? each.code.length : 0), 0)
  }
  const [part, whole] = [await size("tree.checkVersion"), await size("tree")]
  if (part > whole / 10) fail(`one function brings ${part} of ${whole} characters`)
  return `one function is ${part} of ${whole} characters`
}

/** The library must be usable with types under the strictest ordinary settings. */
const checkTypes = (): string => {
  const lines = entries.map(
    (entry, at) => `import * as m${at} from "${specifierOf(entry)}"\nexport const n${at}: object = m${at}`,
  )
  writeFileSync(join(consumer, "types.mts"), lines.join("\n"))
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  const options = "--noEmit --strict --skipLibCheck --module nodenext --target es2024 --lib es2024 --types node"
  const roots = ["--typeRoots", join(root, "node_modules", "@types")]
  run(process.execPath, [compiler, ...options.split(" "), ...roots, "types.mts"])
  return "accepted by the compiler"
}

const command = (...args: ReadonlyArray<string>) => [join(installed, manifest.bin["annals"] ?? fail("no command")), ...args]

const help = (): string => {
  const text = run(process.execPath, command("--help"))
  if (!text.includes("append")) fail(`the help does not speak of append:\n${text}`)
  return `${text.split("\n").length} lines`
}

/** A record goes through the thread of the package to a file, and comes back. */
const roundTrip = (): string => {
  const file = join(consumer, "session.jsonl")
  const input = '{"do":"custom","customType":"pack-check","data":{"n":1}}\n'
  const said = run(process.execPath, command("append", file, "--create", "--cwd", consumer, "--level", "synced"), { input })
  const { level } = JSON.parse(said.split("\n")[0] ?? "") as { readonly level?: string }
  if (level !== "synced") fail(`not acknowledged as synced: ${said}`)
  if (!readFileSync(file, "utf8").includes('"pack-check"')) fail("the record is not in the file")
  const { files } = JSON.parse(run(process.execPath, command("verify", file, "--json"))) as {
    readonly files: ReadonlyArray<{ readonly ok: boolean }>
  }
  if (files.length !== 1 || files[0]?.ok !== true) fail("the file does not verify")
  return "one record, synced and verified"
}

/** The same from a host, by the library and the thread that it finds beside itself. */
const hostTrip = (): string => {
  const file = join(consumer, "session.jsonl")
  const script = `import { Annals } from "${manifest.name}/promise"
const annals = Annals.start({ home: ${JSON.stringify(consumer)} })
const session = await annals.open(${JSON.stringify(file)})
await session.dispatch({ do: "custom", customType: "pack-check-host", data: { n: 2 } })
await session.close()
await annals.stop()`
  writeFileSync(join(consumer, "host-trip.mjs"), script)
  run(process.execPath, ["host-trip.mjs"])
  if (!readFileSync(file, "utf8").includes('"pack-check-host"')) fail("the host's record is not in the file")
  return "one record more"
}

/** The demo proves the main job with what the package has in it. */
const demo = (): string => {
  const { ok, steps } = JSON.parse(run(process.execPath, command("demo", "--json"))) as {
    readonly ok: boolean
    readonly steps: ReadonlyArray<{ readonly name: string; readonly ok: boolean }>
  }
  if (!ok) fail(`the demo failed at ${steps.find((each) => !each.ok)?.name}`)
  return `${steps.length} steps`
}

try {
  if (!existsSync(join(root, "dist"))) fail("there is no dist: run `npm run build` first")
  await step("pack", pack)
  await step("dependencies", provideDependencies)
  await step("import", importEntries)
  await step("one of each", compareEntries)
  await step("bundled by a host", shakeTree)
  await step("types", checkTypes)
  await step("help", help)
  await step("writer thread", roundTrip)
  await step("host", hostTrip)
  await step("demo", demo)
  process.stdout.write(`the package works (${readdirSync(installed).join(", ")})\n`)
} finally {
  rmSync(consumer, { recursive: true, force: true })
}
