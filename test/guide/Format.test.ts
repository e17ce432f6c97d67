/**
 * docs/format.md against the code: a validator made of the document's own clauses and tables finds a file valid exactly when a reader
 * finds no damage in it. It shares no code with the reader.
 */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Session, session } from "../../laws/arbitraries/tree.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { loadTree } from "../../src/session/Load.ts"
import { ENTRY_SHAPES } from "../../src/tree/Entry.ts"

const document = readFileSync(new URL("../../docs/format.md", import.meta.url), "utf8")

const section = (number: number): string =>
  new RegExp(`^## ${number}\\. [\\s\\S]*?(?=^## |$(?![\\s\\S]))`, "m").exec(document)?.[0] ?? ""

const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    )

type Members = Readonly<Record<string, string>>

/** The table of section 4: the members of each type, each with its kind and a question mark when it may be absent. */
const shapes: ReadonlyMap<string, Members> = new Map(
  rowsOf(section(4))
    .filter(([type]) => Object.hasOwn(ENTRY_SHAPES, type?.replaceAll("`", "") ?? ""))
    .map(([type = "", members = ""]) => [
      type.replaceAll("`", ""),
      Object.fromEntries(
        [...members.matchAll(/`([A-Za-z]+)`(\??): ([a-z ]+)/g)].map(([, name = "", mark = "", kind = ""]) => [
          name,
          `${kind.trim()}${mark}`,
        ]),
      ),
    ]),
)

type Value = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Value => typeof value === "object" && value !== null && !Array.isArray(value)
const isString = (value: unknown): value is string => typeof value === "string"

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isString,
  "string or null": (value) => isString(value) || value === null,
  tier: (value) => isString(value) || value === null || isObject(value),
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  object: isObject,
  list: Array.isArray,
  "list of strings": (value) => Array.isArray(value) && value.every(isString),
  content: (value) => isString(value) || Array.isArray(value),
  anything: () => true,
}

const own = (value: Value, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined)

const fits = (value: Value, members: Members): boolean =>
  Object.entries(members).every(([name, spec]) => {
    const member = own(value, name)
    return member === undefined ? spec.endsWith("?") : (kinds[spec.replace("?", "")]?.(member) ?? false)
  })

const hasOnly = (value: Value, ...names: ReadonlyArray<string>): boolean => Object.keys(value).every((key) => names.includes(key))

const PATCHES = ["header_patch", "entry_patch"]

/** The clauses of the document, in the order of a file. */
class Validator {
  isValid = true
  #version: unknown
  #hasSlot = false
  readonly #types = new Map<string, unknown>()

  /** Takes one more record, and says whether it is valid where it stands. */
  take(record: Value): boolean {
    const isValid = this.#version === undefined ? this.#first(record) : this.#later(record)
    this.isValid &&= isValid
    return isValid
  }

  #first(record: Value): boolean {
    const { type } = record
    if (type === "title" && isString(own(record, "title")) && !this.#hasSlot) {
      this.#hasSlot = true
      return true
    }
    this.#version = own(record, "version") ?? (Object.hasOwn(record, "version") ? null : 1)
    return type === "session" && isString(own(record, "id")) && [1, 2, 3, 4, 5].includes(Number(this.#version))
  }

  #later(record: Value): boolean {
    const type = own(record, "type")
    if (type === "session") return false
    if (PATCHES.includes(String(type))) return (this.#version === 4 || this.#version === 5) && this.#isPatch(record)
    if (!isString(type) || (this.#version !== 1 && !shapes.has(type) && !isString(own(record, "id")))) return true
    return this.#isEntry(record, type)
  }

  #isEntry(record: Value, type: string): boolean {
    const id = own(record, "id")
    const parent = own(record, "parentId")
    const isTaken = isString(id) && this.#types.has(id)
    const hangs = this.#version === 1 || parent === null || (isString(parent) && this.#types.has(parent))
    if (isString(id)) this.#types.set(id, type)
    const named = this.#version === 1 || isString(id)
    const isPi = type === "model_change" && fits(record, { provider: "string", modelId: "string" })
    return named && !isTaken && hangs && isString(own(record, "timestamp")) && (isPi || fits(record, shapes.get(type) ?? {}))
  }

  #isPatch(record: Value): boolean {
    const patch = own(record, "patch")
    if (!isObject(patch)) return false
    if (record["type"] === "entry_patch") {
      const target = own(record, "entryId")
      const isWhole = hasOnly(record, "type", "entryId", "patch") && hasOnly(patch, "message") && isObject(own(patch, "message"))
      return isWhole && isString(target) && this.#types.get(target) === "message"
    }
    const leaf = own(patch, "leafId")
    return (
      hasOnly(record, "type", "patch") &&
      hasOnly(patch, "title", "titleSource", "cwd", "starred", "leafId") &&
      fits(patch, { title: "string?", cwd: "string?", starred: "boolean?", leafId: "string or null?" }) &&
      [undefined, "auto", "user"].includes(own(patch, "titleSource") as string) &&
      (!isString(leaf) || this.#types.has(leaf))
    )
  }
}

/** Whether the bytes are a valid journal; undefined when they hold no record, valid or not. */
const isValid = (bytes: Uint8Array): boolean | undefined => {
  const lines = Buffer.from(bytes)
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "")
    .split("\n")
  const texts = lines.map((line) => line.replace(/^[ \t\r]+|[ \t\r]+$/g, "")).filter((line) => line !== "")
  if (texts.length === 0) return undefined
  const validator = new Validator()
  for (const text of texts) {
    try {
      const value: unknown = JSON.parse(
        new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, "latin1")),
      )
      if (!isObject(value)) return false
      validator.take(value)
    } catch {
      return false
    }
  }
  return validator.isValid
}

const PATH = "/store/session.jsonl"

/** Whether a reader finds nothing wrong with the bytes. */
const isClean = async (bytes: Uint8Array): Promise<boolean> => {
  const loaded = await Effect.runPromise(Effect.result(loadTree(new SimulatedDisk({ [PATH]: bytes }), PATH)))
  return loaded._tag === "Success" && loaded.success.damages.length === 0
}

/** What befalls the bytes of a file. */
const mishap = fc.oneof(
  { weight: 4, arbitrary: fc.constant((bytes: Uint8Array) => bytes) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom("\0", "\n", " ", "\r", "}", '"', "\xff", "{}", "5\n", "\ufeff"),
      )
      .map(([where, text]) => (bytes: Uint8Array) => {
        const at = Math.floor(where * bytes.length)
        return Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from(text, text === "\ufeff" ? "utf8" : "latin1"),
          bytes.subarray(at),
        ])
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .double({ min: 0, max: 1, noNaN: true })
      .map((where) => (bytes: Uint8Array) => bytes.subarray(0, Math.floor(where * bytes.length))),
  },
)

/** The lines that are valid where they stand: generated sessions seldom are as a whole. */
const validLines = (lines: Session["lines"]): Session["lines"] => {
  let kept: Session["lines"] = []
  for (const line of lines) {
    const validator = new Validator()
    for (const { value } of [...kept, line]) validator.take(value)
    if (validator.isValid) kept = [...kept, line]
  }
  return kept
}

describe("docs/format.md", () => {
  it("has the members of every known type of entry, and of no other", () => {
    assert.deepEqual(
      [...shapes],
      Object.entries(ENTRY_SHAPES).map(([type, members]) => [type, { ...members }]),
    )
  })

  it("calls a file valid if and only if a reader finds no damage in it", async () => {
    const seen = { valid: 0, invalid: 0 }
    const property = fc.asyncProperty(session, fc.boolean(), mishap, async ({ lines }, onlyValid, befall) => {
      const given = onlyValid ? validLines(lines) : lines
      const bytes = befall(Buffer.from(given.map(({ raw }) => `${raw}\n`).join("")))
      const valid = isValid(bytes)
      if (valid === undefined) return
      seen[valid ? "valid" : "invalid"]++
      assert.equal(await isClean(bytes), valid, Buffer.from(bytes).toString("latin1"))
    })
    await fc.assert(property, { numRuns: 400 })
    assert.isAbove(seen.valid, 40)
    assert.isAbove(seen.invalid, 40)
  })
})
