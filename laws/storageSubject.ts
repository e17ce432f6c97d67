/**
 * The law of session storages, for any layer of `SessionStorage`: a host can hold its own to it.
 *
 * A function of what is to be judged; `laws/storage.ts` lists it for files in memory. The model is texts under names, and a journal's text
 * is lines and what is behind the last one.
 */
import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { makeRedactor } from "../src/redaction/Redactor.ts"
import { SessionStorage, type SessionStorageWriter, StorageError } from "../src/session/SessionStorage.ts"
import type { WriteError } from "../src/writer/WriteError.ts"
import { line, textOf } from "./arbitraries/lines.ts"
import type { Law } from "./Law.ts"
import { Coverage, parameters } from "./Law.ts"
import { demand, same } from "./Reading.ts"

export interface StorageSubject {
  readonly layer: Layer.Layer<SessionStorage>
  /** A folder that does not exist yet, another one each time. */
  readonly folder: () => string
  /** Called when the law is done with the folders. */
  readonly clean?: (() => void) | undefined
  readonly runs?: number | undefined
  /** Of a deep run. Twenty times `runs` when absent. */
  readonly deepRuns?: number | undefined
}

type Storage = SessionStorage["Service"]

const folders = ["", "/d", "/d/e"] as const
const journals = ["/a.jsonl", "/b.jsonl", "/d/a.jsonl", "/d/e/.h.jsonl"] as const
const texts = ["/c.txt", "/d/c.txt"] as const

type Step =
  | { readonly do: "makeFolder" | "list"; readonly path: string; readonly suffix: string | undefined }
  | { readonly do: "write"; readonly path: string; readonly text: string; readonly isSync: boolean }
  | { readonly do: "look" | "unlink"; readonly path: string; readonly bytes: number }
  | { readonly do: "rename"; readonly path: string; readonly to: string }
  | { readonly do: "openWriter"; readonly path: string; readonly flags: "a" | "w" | undefined }
  | { readonly do: "line"; readonly size: number }
  | { readonly do: "flush" | "fsync" | "close" }

const wordy = fc.constantFrom("", "one\n", "aé🌿b", "two\nthree", "é".repeat(40))

/** Lines as a journal has them, with nothing, a cut line, or no newline behind them. */
const journalText = fc
  .tuple(fc.array(fc.nat({ max: 99 }), { maxLength: 3 }), fc.constantFrom("", "torn", "no newline"))
  .map(([numbers, end]) => {
    const lines = numbers.map((number) => textOf(line(number, number)))
    if (lines.length === 0) return ""
    return end === "no newline" ? lines.join("\n") : `${lines.join("\n")}\n${end === "torn" ? '{"torn' : ""}`
  })

const journal = fc.constantFrom(...journals)
const file = fc.constantFrom(...journals, ...texts)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("makeFolder", "list"),
      path: fc.constantFrom(...folders),
      suffix: fc.constantFrom(undefined, ".jsonl", ".txt"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("write"), path: journal, text: journalText, isSync: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("write"), path: fc.constantFrom(...texts), text: wordy, isSync: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("look", "look", "unlink"), path: file, bytes: fc.nat({ max: 90 }) }) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constant("rename"), path: journal, to: journal }),
      fc.record({ do: fc.constant("rename"), path: fc.constantFrom(...texts), to: fc.constantFrom(...texts) }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("openWriter"), path: journal, flags: fc.constantFrom(undefined, "a", "w") }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("line"), size: fc.nat({ max: 60 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("flush", "fsync", "close") }) },
)

const clean = (text: string) => makeRedactor({ environment: {} }).cleanText(text).text

/** The beginning of a text in so many bytes, without a character that is cut. */
const beginning = (text: string, bytes: number): string => {
  let kept = ""
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break
    kept += character
  }
  return kept
}

/** A journal's text at a line boundary. */
const atBoundary = (text: string): string => {
  const end = text.slice(text.lastIndexOf("\n") + 1)
  if (end === "") return text
  return end === '{"torn' ? text.slice(0, -end.length) : `${text}\n`
}

interface Open {
  readonly writer: SessionStorageWriter
  readonly path: string
  readonly scope: Scope.Closeable
  /** What is under the name is what the writer opened. */
  isSame: boolean
  failure: WriteError | undefined
  isClosed: boolean
}

/** A storage, what must be in it, and the comparison of both. */
class StoragePlayer {
  readonly #storage: Storage
  readonly #root: string
  readonly #coverage: Coverage
  readonly #folders = new Set<string>()
  readonly #files = new Map<string, string>()
  #open: Open | undefined
  #lines = 0

  constructor(storage: Storage, root: string, coverage: Coverage) {
    this.#storage = storage
    this.#root = root
    this.#coverage = coverage
  }

  play(step: Step): Effect.Effect<void> {
    switch (step.do) {
      case "makeFolder":
        return Effect.sync(() => {
          this.#storage.ensureDirSync(this.#root + step.path)
          this.#makeFolder(step.path)
        })
      case "list":
        return Effect.sync(() => this.#list(step.path, step.suffix))
      case "write":
        return this.#write(step.path, step.text, step.isSync)
      case "look":
        return this.#look(step.path, step.bytes)
      case "unlink":
        return this.#unlink(step.path)
      case "rename":
        return this.#rename(step.path, step.to)
      case "openWriter":
        return this.#openWriter(step.path, step.flags)
      default:
        return this.#open === undefined ? Effect.void : this.#onWriter(this.#open, step)
    }
  }

  /** Looks at everything once more, and gives the writer back. */
  end(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (const path of [...journals, ...texts]) yield* this.#look(path, 7)
      for (const path of folders) this.#list(path, ".jsonl")
      if (this.#open !== undefined) yield* Scope.close(this.#open.scope, Exit.void)
    })
  }

  #makeFolder(path: string): void {
    for (let at = path; !this.#folders.has(at); at = at.slice(0, at.lastIndexOf("/"))) {
      this.#folders.add(at)
      if (at === "") return
    }
  }

  #hasFolderOf(path: string): boolean {
    return this.#folders.has(path.slice(0, path.lastIndexOf("/")))
  }

  /** Somebody else has put something under a name, or taken it away. */
  #replaced(path: string): void {
    if (this.#open?.path === path) this.#open.isSame = false
  }

  #now<A>(what: string, isThere: boolean, run: () => A): A | undefined {
    try {
      const value = run()
      demand(isThere, `${what} did something where nothing is`)
      return value
    } catch (error) {
      if (!(error instanceof StorageError) || isThere) throw error
      this.#refused(what, error)
      return undefined
    }
  }

  #later<A>(what: string, isThere: boolean, run: Effect.Effect<A, StorageError>): Effect.Effect<A | undefined> {
    return Effect.map(Effect.result(run), (done) => {
      if (Result.isFailure(done)) {
        if (isThere) throw new Error(`${what} failed: ${done.failure.message}`)
        this.#refused(what, done.failure)
        return undefined
      }
      demand(isThere, `${what} did something where nothing is`)
      return done.success
    })
  }

  #refused(what: string, error: StorageError): void {
    same(error.reason._tag, "NotFound", `the refusal of ${what}`)
    this.#coverage.hit("not found")
  }

  #list(path: string, suffix: string | undefined): void {
    const found = this.#now("listFilesSync", this.#folders.has(path), () =>
      this.#storage.listFilesSync(this.#root + path, suffix),
    )
    if (found === undefined) return
    const isListed = (each: string) =>
      each.slice(0, each.lastIndexOf("/")) === path && !each.slice(path.length + 1).startsWith(".")
    const wanted = [...this.#files.keys()].filter((each) => isListed(each) && each.endsWith(suffix ?? "")).sort()
    // Beside its files a storage may keep what it has put aside.
    const known = found.filter((each) => /\.(jsonl|txt)$/.test(each))
    same(
      known,
      wanted.map((each) => this.#root + each),
      `the list of "${path}"`,
    )
    this.#coverage.hit("a list of several", wanted.length > 1)
  }

  #write(path: string, text: string, isSync: boolean): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const at = this.#root + path
      const isThere = this.#hasFolderOf(path)
      if (isSync) this.#now("writeTextSync", isThere, () => this.#storage.writeTextSync(at, clean(text)))
      else yield* this.#later("writeText", isThere, this.#storage.writeText(at, clean(text)))
      if (!isThere) return
      this.#coverage.hit("replaced", this.#files.has(path))
      this.#files.set(path, text)
      this.#replaced(path)
      yield* this.#look(path, 3)
    })
  }

  #look(path: string, bytes: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const text = this.#files.get(path)
      const at = this.#root + path
      const isThere = text !== undefined
      same(this.#storage.existsSync(at), isThere, `existsSync ${path}`)
      same(yield* Effect.orDie(this.#storage.exists(at)), isThere, `exists ${path}`)
      const stat = this.#now("statSync", isThere, () => this.#storage.statSync(at))
      const read = yield* this.#later("readText", isThere, this.#storage.readText(at))
      const prefix = yield* this.#later("readTextPrefix", isThere, this.#storage.readTextPrefix(at, bytes))
      if (text === undefined) return
      same(read, text, `readText ${path}`)
      same(prefix, beginning(text, bytes), `readTextPrefix ${path} ${bytes}`)
      same([stat?.isFile, stat?.size, stat?.nlink], [true, Buffer.byteLength(text), 1], `statSync ${path}`)
      this.#coverage.hit("a character cut", Buffer.byteLength(beginning(text, bytes)) < Math.min(bytes, Buffer.byteLength(text)))
    })
  }

  #unlink(path: string): Effect.Effect<void> {
    return Effect.map(this.#later("unlink", this.#files.has(path), this.#storage.unlink(this.#root + path)), () => {
      if (this.#files.delete(path)) this.#replaced(path)
    })
  }

  #rename(path: string, to: string): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const text = this.#files.get(path)
      const isThere = text !== undefined && this.#hasFolderOf(to)
      const inodeOf = (name: string) => String(this.#storage.statSync(this.#root + name).ino)
      const before = text === undefined ? undefined : inodeOf(path)
      yield* this.#later("rename", isThere, this.#storage.rename(this.#root + path, this.#root + to))
      if (!isThere || path === to) return
      same(inodeOf(to), before, `rename ${path} made another file, which is`)
      this.#files.delete(path)
      this.#files.set(to, text)
      this.#replaced(path)
      this.#replaced(to)
      this.#coverage.hit("renamed")
      yield* this.#look(path, 3)
      yield* this.#look(to, 3)
    })
  }

  #openWriter(path: string, flags: "a" | "w" | undefined): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      if (this.#open !== undefined) yield* Scope.close(this.#open.scope, Exit.void)
      const scope = yield* Scope.make()
      const opening = this.#storage.openWriter(this.#root + path, ...(flags === undefined ? [] : [flags]))
      const writer = yield* Effect.orDie(Scope.provide(opening, scope))
      this.#makeFolder(path.slice(0, path.lastIndexOf("/")))
      const before = this.#files.get(path) ?? ""
      this.#files.set(path, flags === "w" ? "" : atBoundary(before))
      this.#coverage.hit("brought to a boundary", flags !== "w" && this.#files.get(path) !== before)
      this.#coverage.hit("begun anew", flags === "w" && before !== "")
      this.#open = { writer, path, scope, isSame: true, failure: undefined, isClosed: false }
      yield* this.#look(path, 5)
    })
  }

  #onWriter(open: Open, step: Step & { readonly do: "line" | "flush" | "fsync" | "close" }): Effect.Effect<void> {
    if (step.do === "line") return this.#line(open, step.size)
    return Effect.gen({ self: this }, function* () {
      const done = yield* Effect.result(open.writer[step.do])
      if (step.do === "close") open.isClosed = true
      const isWhole = open.failure === undefined
      if (isWhole && Result.isFailure(done)) throw new Error(`${step.do} failed: ${done.failure.message}`)
      // What was latched has a line that nobody has: a sync of it cannot succeed.
      demand(isWhole || step.do !== "fsync" || Result.isFailure(done), "fsync succeeded behind a failure")
      if (isWhole && open.isSame) yield* this.#look(open.path, 5)
    })
  }

  #line(open: Open, size: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const { writer, path } = open
      const given = line(++this.#lines, size)
      const done = yield* Effect.result(writer.writeLine(given))
      const error = yield* writer.getError
      if (Result.isSuccess(done)) {
        demand(open.failure === undefined, "a line was taken behind a failure")
        demand(!open.isClosed, "a line was taken by a writer that is closed")
        demand(open.isSame, "a line went to a file that was replaced")
        demand(error === undefined, "a line was taken, and there is a failure")
        this.#files.set(path, `${this.#files.get(path) ?? ""}${textOf(given)}\n`)
        this.#coverage.hit("a line")
      } else if (open.failure !== undefined) {
        demand(done.failure === open.failure && error === open.failure, "the first failure is not the one that is told")
        this.#coverage.hit("still latched")
      } else if (open.isClosed) {
        same(done.failure.reason._tag, "Closed", "the refusal of a closed writer")
        this.#coverage.hit("closed")
      } else {
        demand(!open.isSame, `nobody touched the file, and a line failed: ${done.failure.message}`)
        same(done.failure.reason._tag, "Changed", "the refusal of a file that was replaced")
        demand(error === done.failure, "a failure is told to the line and not by getError")
        open.failure = done.failure
        this.#coverage.hit("latched")
      }
      yield* this.#look(path, size)
    })
  }
}

const classes = [
  ...["not found", "a list of several", "replaced", "a character cut", "renamed", "a line"],
  ...["brought to a boundary", "begun anew", "latched", "still latched", "closed"],
]

/** Law STG-1 for a layer of storage. The layer is built once; cost: up to 40 operations a case. */
export const stg1 = (subject: StorageSubject): Law => ({
  id: "STG-1",
  sentence:
    "A session storage answers every operation as texts under names do, refusals included; its writer goes on at a line boundary, keeps each line that it took, and latches for good when its file was replaced.",
  runs: subject.runs ?? 200,
  deepRuns: subject.deepRuns,
  check: async (budget) => {
    const coverage = new Coverage()
    const runtime = ManagedRuntime.make(subject.layer)
    const holds = (steps: ReadonlyArray<Step>): Promise<void> =>
      runtime.runPromise(
        Effect.gen(function* () {
          const player = new StoragePlayer(yield* SessionStorage, subject.folder(), coverage)
          yield* player.play({ do: "makeFolder", path: "", suffix: undefined })
          for (const each of steps) yield* player.play(each)
          yield* player.end()
        }),
      )
    try {
      await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), holds), parameters(budget))
    } finally {
      await runtime.dispose()
      subject.clean?.()
    }
    coverage.demand(budget, classes, 150)
  },
})
