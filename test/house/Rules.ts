import { posix } from "node:path"
import { floors, type Grant, grants, leaves, lowered, MAX_FILE_LINES, MAX_FUNCTION_LINES, pure, threads } from "./Plan.ts"
import { readSource, type Source } from "./Source.ts"

/**
 * The rules of the house, over a set of files in memory: path from the root of the project to text.
 */

export type Files = ReadonlyMap<string, string>

export interface Breach {
  readonly rule: string
  readonly path: string
  readonly line?: number | undefined
  readonly detail: string
}

export type Rule = (files: Files, sources: ReadonlyArray<Source>) => Iterable<Breach>

const isWithin = (path: string, places: ReadonlyArray<string>): boolean => places.some((place) => path.startsWith(place))
const isTest = (path: string): boolean => path.startsWith("test/")

/** The module of the project that an import names, or undefined for a package. */
const targetOf = (from: string, specifier: string): string | undefined =>
  specifier.startsWith(".") ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined

// ── Directions ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const folderOf = (path: string): string => `${path.split("/").slice(0, 2).join("/")}/`

/** The floor of a file by the longest place that it lies in. */
const floorOf = (path: string): number => {
  const low = lowered.find(([each]) => each === path)
  if (low !== undefined) return low[1]
  const own = floors.findIndex((places) => places.includes(folderOf(path)))
  return own >= 0 ? own : floors.findIndex((places) => places.includes(`${path.split("/")[0]}/`))
}

/** Nothing imports upward, and a leaf is imported by nobody but its exceptions. */
export const directions: Rule = function* (_, sources) {
  for (const { path, imports } of sources) {
    const floor = floorOf(path)
    if (floor < 0) yield { rule: "direction", path, detail: "lies in a folder that the plan does not know" }
    for (const { specifier, line } of imports) {
      const target = targetOf(path, specifier)
      if (target === undefined) continue
      const breach = { rule: "direction", path, line }
      if (floorOf(target) > floor) yield { ...breach, detail: `imports upward: ${target}` }
      const leaf = leaves.find(([folder]) => target.startsWith(folder) && !path.startsWith(folder))
      if (leaf !== undefined && !isTest(path) && !isWithin(path, leaf[1]))
        yield { ...breach, detail: `imports a leaf: ${target}` }
    }
  }
}

/** No file imports itself through others, types included. */
export const cycles: Rule = function* (_, sources) {
  const graph = new Map(
    sources.map(({ path, imports }) => [path, new Set(imports.flatMap(({ specifier }) => targetOf(path, specifier) ?? []))]),
  )
  const done = new Set<string>()
  const found: Array<ReadonlyArray<string>> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const at = trail.indexOf(path)
    if (at >= 0) found.push([...trail.slice(at), path])
    if (at >= 0 || done.has(path)) return
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  for (const trail of found) yield { rule: "cycle", path: trail[0] ?? "", detail: trail.join(" -> ") }
}

/** A thread loads only what it may know. */
export const threadKnowledge: Rule = function* (_, sources) {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  for (const { path, direct, through } of threads) {
    const seen = new Set<string>()
    const visit = function* (from: string, allowed: ReadonlyArray<string>): Iterable<Breach> {
      if (seen.has(from)) return
      seen.add(from)
      for (const { specifier, typeOnly, line } of byPath.get(from)?.imports ?? []) {
        const target = targetOf(from, specifier)
        if (target === undefined) {
          if (from === path && !specifier.startsWith("node:"))
            yield { rule: "thread", path, line, detail: `imports ${specifier}` }
        } else if (!isWithin(target, allowed)) {
          if (!typeOnly || from === path) yield { rule: "thread", path: from, line, detail: `brings ${target} into ${path}` }
        } else if (!typeOnly) yield* visit(target, through)
      }
    }
    yield* visit(path, direct)
  }
}

// ── Purity ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const uses: ReadonlyArray<readonly [pattern: RegExp, needs: Grant]> = [
  [/^console\b/, "console"],
  [/^(globalThis\.)?process\.(env|exit|exitCode|abort|kill|chdir)$/, "host"],
  [/^process(?!\.(env|exit|exitCode|abort|kill|chdir)$)/, "process"],
  [/^(Date\.now|new Date|performance\b)/, "clock"],
  [/^(Math\.random$|crypto\b)/, "random"],
  [/^(Effect|ManagedRuntime|Runtime)\.run/, "run"],
]

const imported: ReadonlyArray<readonly [module: RegExp, names: RegExp, needs: Grant]> = [
  [/^node:/, /^/, "node"],
  [/^node:process$/, /^(env|exit|exitCode|abort|kill|chdir)$/, "host"],
  [/^node:process$/, /^(?!env$|exit$|exitCode$|abort$|kill$|chdir$|platform$)/, "process"],
  [/^node:crypto$/, /^(random|getRandomValues|webcrypto)/, "random"],
  [/^node:perf_hooks$/, /^/, "clock"],
  [/^node:console$/, /^/, "console"],
  [/^effect\/Effect$/, /^run/, "run"],
]

const needsOf = (source: Source): ReadonlyArray<{ readonly needs: Grant; readonly what: string; readonly line: number }> => [
  ...source.uses.flatMap(({ name, line }) =>
    uses.flatMap(([pattern, needs]) => (pattern.test(name) ? [{ needs, what: name, line }] : [])),
  ),
  ...source.imports.flatMap(({ specifier, names, line }) =>
    imported.flatMap(([module, wanted, needs]) => {
      const what = (names.length === 0 ? ["*"] : names).find((name) => wanted.test(name))
      return module.test(specifier) && what !== undefined ? [{ needs, what: `${specifier} ${what}`, line }] : []
    }),
  ),
]

const isGranted = (path: string): boolean => !isWithin(path, pure) && grants.some(([place]) => path.startsWith(place))

/** What must be pure stands on nothing that touches the world. Types may come from anywhere below. */
export const pureGround: Rule = function* (_, sources) {
  for (const { path, imports } of sources) {
    if (!isWithin(path, pure)) continue
    for (const { specifier, typeOnly, line } of imports) {
      const target = targetOf(path, specifier)
      if (target === undefined || typeOnly || !isGranted(target)) continue
      yield { rule: "pure", path, line, detail: `stands on ${target}, which touches the world` }
    }
  }
}

/** A file touches the world only in the ways that the plan grants it, and nothing is granted to what must be pure. */
export const purity: Rule = function* (_, sources) {
  for (const [place] of grants) {
    if (isWithin(place, pure)) yield { rule: "pure", path: place, detail: "the plan grants something to what must be pure" }
  }
  for (const source of sources) {
    if (isTest(source.path)) continue
    const granted = isWithin(source.path, pure)
      ? []
      : grants.flatMap(([place, each]) => (source.path.startsWith(place) ? each : []))
    for (const { needs, what, line } of needsOf(source)) {
      if (!granted.includes(needs)) yield { rule: "pure", path: source.path, line, detail: `${what} (needs "${needs}")` }
    }
  }
}

const barrels: ReadonlySet<string> = new Set(["effect", "@effect/platform-node"])

/** Library code imports single modules of Effect. */
export const singleModules: Rule = function* (_, sources) {
  for (const { path, imports } of sources) {
    if (isTest(path)) continue
    for (const { specifier, line } of imports) {
      if (barrels.has(specifier))
        yield { rule: "barrel", path, line, detail: `imports ${specifier} instead of one of its modules` }
    }
  }
}

/** Laws are published: they bring no test runner with them. */
export const publishable: Rule = function* (_, sources) {
  for (const { path, imports } of sources) {
    if (isTest(path)) continue
    for (const { specifier, line } of imports) {
      if (/^(@effect\/)?vitest(\/|$)/.test(specifier)) yield { rule: "publishable", path, line, detail: `imports ${specifier}` }
    }
  }
}

// ── Form ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Files and functions stay small. */
export const sizes: Rule = function* (_, sources) {
  for (const { path, lines, functions } of sources) {
    if (lines > MAX_FILE_LINES) yield { rule: "size", path, detail: `${lines} lines, ${MAX_FILE_LINES} are allowed` }
    if (isTest(path)) continue
    for (const each of functions) {
      if (each.lines <= MAX_FUNCTION_LINES) continue
      yield {
        rule: "size",
        path,
        line: each.line,
        detail: `a function of ${each.lines} lines, ${MAX_FUNCTION_LINES} are allowed`,
      }
    }
  }
}

/** Files are named by the noun that they explain. */
export const names: Rule = function* (files) {
  for (const path of files.keys()) {
    if (/^src\/.+\/index\.[cm]?[jt]s$/.test(path)) yield { rule: "name", path, detail: "a barrel inside src" }
    if (/(^|\/)(utils?|helpers?|misc|common)(\/|\.[cm]?[jt]s$)/i.test(path))
      yield { rule: "name", path, detail: "says nothing of what it holds" }
  }
}

/** Every test runs, and none keeps others from running. */
export const everyTest: Rule = function* (_, sources) {
  for (const { path, marks } of sources) {
    if (!isTest(path)) continue
    for (const { name, line } of marks) yield { rule: "test", path, line, detail: `.${name}` }
  }
}

/** Patterns of text that no tracked file may hold. They are written so that they do not find themselves. */
const forbidden: ReadonlyArray<readonly [pattern: RegExp, what: string]> = [
  [/\bTO(?:DO)\b|\bFIX(?:ME)\b/, "unfinished work"],
  [/(?<![\w.)-])\/(?:root|work)\/\w/, "a path of a machine"],
  [/\b[A-Za-z]:\\+(?:Users)\\+(?![\\]|me\b|user\b)/, "a path of a machine"],
  [/\bregistry\.[a-z0-9-]+(?:\.[a-z0-9-]+)+/, "a registry host"],
]

/** Tracked text speaks of the project alone. `strangers` are strings of this machine, such as the path of the checkout. */
export const ownWords = (strangers: ReadonlyArray<string>): Rule =>
  function* (files) {
    for (const [path, text] of files) {
      if (path === "package-lock.json" || path.startsWith("test/fixtures/")) continue
      for (const [at, line] of text.split("\n").entries()) {
        for (const [pattern, what] of forbidden) {
          if (pattern.test(line)) yield { rule: "words", path, line: at + 1, detail: what }
        }
        for (const stranger of strangers) {
          if (line.includes(stranger)) yield { rule: "words", path, line: at + 1, detail: "a path or host of this machine" }
        }
      }
    }
  }

/** The lock file names no host, so that it installs from whichever registry a person uses. */
export const lockFile: Rule = function* (files) {
  for (const [path, text] of files) {
    if (!path.endsWith("package-lock.json")) continue
    for (const [at, line] of text.split("\n").entries()) {
      if (/"resolved":\s*"(?:https?|git)/.test(line)) yield { rule: "lock", path, line: at + 1, detail: line.trim() }
    }
  }
}

export const rules: ReadonlyArray<Rule> = [
  ...[directions, cycles, threadKnowledge, purity, pureGround, singleModules, publishable],
  ...[sizes, names, everyTest, lockFile],
]

/** Parsed once for each set of files. */
const parsed = new WeakMap<Files, ReadonlyArray<Source>>()

const sourcesOf = (files: Files): ReadonlyArray<Source> => {
  const known = parsed.get(files)
  if (known !== undefined) return known
  const sources = [...files].filter(([path]) => /\.[cm]?ts$/.test(path)).map(([path, text]) => readSource(path, text))
  parsed.set(files, sources)
  return sources
}

/** Every breach of the given rules in a set of files, as lines for people. */
export const breaches = (files: Files, given: ReadonlyArray<Rule>): ReadonlyArray<string> =>
  given
    .flatMap((rule) => [...rule(files, sourcesOf(files))])
    .map(({ rule, path, line, detail }) => `${path}${line === undefined ? "" : `:${line}`}: ${rule}: ${detail}`)
