/**
 * The laws of redaction, for any redactor: {@link redactionLaws} takes the function that makes one.
 */
import process from "node:process"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { isObject, type Json, type JsonArray, type JsonObject } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import { makeRedactor, type Redactor, type RedactorOptions } from "../src/redaction/Redactor.ts"
import { adversarial } from "./arbitraries/adversarial.ts"
import { EXEMPT_PLACES, OPEN_PLACES } from "./arbitraries/ciphertext.ts"
import { KNOWN, redactable, VALUES } from "./arbitraries/redactable.ts"
import { CONTEXTS, characters, formatSecret, leakOf, type Planted, POSITIONS, planted } from "./arbitraries/secrets.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { sec6, sec7, sec8, sec9, sec10 } from "./spelled.ts"

/** Makes the redactor that is judged. */
export type RedactorFactory = (options: RedactorOptions) => Redactor

const fail = (what: string, ...values: ReadonlyArray<unknown>): never => {
  throw new Error(`${what}: ${values.map((value) => JSON.stringify(value)).join(" / ")}`)
}

/**
 * A check that secrets planted in a record are not in what `write` says was written for it: all bytes, as text. For a redactor the line of
 * the record; for a store every byte of every file, names included.
 */
export const neverWritten =
  (write: (planted: Planted) => Promise<string> | string) =>
  async (budget: Budget): Promise<void> => {
    const coverage = new Coverage()
    await fc.assert(
      fc.asyncProperty(planted, async (given) => {
        const leak = leakOf(await write(given), given.secret)
        if (leak !== undefined) fail("written", leak)
        coverage.hit(given.context)
        coverage.hit(given.position)
        coverage.hit("environment", given.secret.kind === "environment")
        coverage.hit("format", given.secret.kind !== "environment")
      }),
      parameters(budget),
    )
    const classes = [...CONTEXTS, ...POSITIONS].map(({ name }) => name)
    coverage.demand(budget, ["environment", "format", ...classes], 1_000)
  }

const lineOf = (redactor: Redactor, value: Json): string => Result.getOrThrow(redactor.cleanRecord(value)).line.text

const textOfAll = (redactor: Redactor, { record }: Planted): string => {
  const line = lineOf(redactor, record)
  const raw = Result.getOrThrow(redactor.cleanRaw(toText(record))).line.text
  const value = toText(redactor.redactValue(record).value)
  const text = redactor.cleanText(toText(record)).text.text
  return [line, raw, value, text].join("\n")
}

/** Walks two values of one shape side by side. */
const pairs = function* (before: Json, after: Json): Generator<readonly [before: Json, after: Json]> {
  const todo: Array<readonly [Json, Json]> = [[before, after]]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    yield next
    const [a, b] = next
    if (Array.isArray(a) && Array.isArray(b)) for (const [i, item] of a.entries()) todo.push([item, b[i] as Json])
    else if (isObject(a) && isObject(b)) {
      const values = Object.values(b)
      for (const [i, item] of Object.values(a).entries()) todo.push([item, values[i] as Json])
    }
  }
}

const kindOf = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

const sizeOf = (value: Json): number =>
  Array.isArray(value) ? (value as JsonArray).length : isObject(value) ? Object.keys(value).length : 0

/** Whether the keys of integers, which every object puts first, are the same before and after: else members may change places. */
const keepsOrder = (before: Json, after: Json): boolean => {
  const integers = (value: Json) =>
    isObject(value)
      ? Object.keys(value)
          .filter((key) => /^\d+$/.test(key))
          .join()
      : ""
  return integers(before) === integers(after)
}

const sameShape = (before: Json, after: Json): void => {
  for (const [a, b] of pairs(before, after)) {
    const [from, to] = [kindOf(a), kindOf(b)]
    if (from !== to && !(from === "number" && to === "string")) fail("another type", a, b)
    if (sizeOf(a) !== sizeOf(b)) fail("another size", a, b)
    if (!keepsOrder(a, b)) return
  }
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON text as a line of a new record has it: what Unicode takes for a line end is an escape. */
const separated = (text: string): string =>
  text.replaceAll("\u0085", "\\u0085").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

const settles = (redactor: Redactor, value: Json, coverage: Coverage): void => {
  const once = redactor.redactValue(value)
  const twice = redactor.redactValue(once.value)
  if (twice.findings.length > 0 || twice.edit !== undefined) fail("found again", value, once.value, twice.value)
  if (twice.value !== once.value) fail("another reference", once.value)
  if (once.findings.length === 0 && once.value !== value) fail("another reference for a clean value", value)
  if ((once.edit === undefined) !== (once.findings.length === 0)) fail("findings and edit disagree", value)
  sameShape(value, once.value)
  const line = lineOf(redactor, value)
  if (line !== separated(toText(once.value))) fail("the line is another value", line, once.value)
  if (/[\n\r\u0085\u2028\u2029]/.test(line) || !line.isWellFormed()) fail("not one line", line)
  const raw = Result.getOrThrow(redactor.cleanRaw(toText(value))).line.text
  if (separated(raw) !== line || raw !== toText(once.value)) fail("the lossless line is another value", raw, line)
  coverage.hit("clean", once.findings.length === 0)
  coverage.hit("several findings", once.findings.length > 2)
  coverage.hit(
    "a key",
    Object.keys(isObject(once.value) ? once.value : {}).some((key) => key.includes("[REDACTED:")),
  )
}

const settlesAsText = (redactor: Redactor, value: Json, coverage: Coverage): void => {
  for (const [text] of pairs(value, value)) {
    if (typeof text !== "string") continue
    const once = redactor.redactText(text)
    const twice = redactor.redactText(once.text)
    if (twice.text !== once.text || twice.findings.length > 0) fail("found again in text", text, once.text, twice.text)
    if (once.findings.length === 0 && once.text !== text) fail("changed without a finding", text)
    const isJson = /^\s*[{[]/.test(text) && parses(text)
    if (isJson && !parses(once.text)) fail("JSON in a string broke", text, once.text)
    coverage.hit("JSON in a string", isJson && once.findings.length > 0)
    coverage.hit("a marker before", text.includes("[REDACTED]") && once.findings.length > 0)
    for (const { offset } of once.findings) if (offset < 0 || offset >= text.length) fail("an offset outside", text, offset)
  }
}

const sec2 = (make: RedactorFactory): Law => ({
  id: "SEC-2",
  sentence:
    "Redacting twice is redacting once; what holds no finding is the same reference and the same bytes; the shape of the value, and of JSON in its strings, stays; the order of the known values does not matter.",
  runs: 800,
  deepRuns: 16_000,
  check: (budget) => {
    const coverage = new Coverage()
    const redactor = make({ environment: KNOWN })
    const reversed = make({ environment: Object.fromEntries(Object.entries(KNOWN).toReversed()) })
    fc.assert(
      fc.property(redactable, (value) => {
        settles(redactor, value, coverage)
        settlesAsText(redactor, value, coverage)
        const [a, b] = [redactor, reversed].map((one) => toText(one.redactValue(value).value))
        if (a !== b) fail("the order matters", a, b)
      }),
      parameters(budget),
    )
    coverage.demand(budget, ["clean", "several findings", "a key", "JSON in a string", "a marker before"], 1_000)
  },
})

/** Base64 that holds a token, as ciphertext may by chance. */
const ciphertext: fc.Arbitrary<string> = fc
  .tuple(characters("ABCDEFGHabcdefgh0123456789+/", 20, 60), formatSecret, characters("ABCDEFGHabcdefgh0123456789", 20, 60))
  .map(([before, { text }, after]) => `${before}/${text.replace(/[^A-Za-z0-9_-]/g, "")}${after}==`)

const sec3 = (make: RedactorFactory): Law => ({
  id: "SEC-3",
  sentence:
    "Ciphertext and signatures survive byte for byte at the places where a provider puts them; the same members anywhere else do not shield a secret, and no place shields a known value.",
  runs: 1_000,
  deepRuns: 50_000,
  check: (budget) => {
    const coverage = new Coverage()
    const redactor = make({ environment: KNOWN })
    const place = fc.constantFrom(...EXEMPT_PLACES)
    fc.assert(
      fc.property(place, fc.constantFrom(...OPEN_PLACES), ciphertext, formatSecret, (exempt, open, cipher, secret) => {
        const kept = exempt.put(cipher)
        if (redactor.redactValue(kept).value !== kept) fail("changed", exempt.name, cipher)
        if (lineOf(redactor, kept) !== toText(kept)) fail("written otherwise", exempt.name, cipher)
        const shown = lineOf(redactor, open.put(secret.text))
        if (leakOf(shown, secret) !== undefined) fail("shielded", open.name, secret.text)
        const known = { kind: "environment", text: VALUES.plain, open: 0 }
        if (leakOf(lineOf(redactor, exempt.put(known.text + cipher)), known) !== undefined)
          fail("shielded a known value", exempt.name)
        coverage.hit(exempt.name)
        coverage.hit(open.name)
        coverage.hit("a token inside", redactor.redactText(cipher).findings.length > 0)
      }),
      parameters(budget),
    )
    coverage.demand(budget, ["a token inside", ...[...EXEMPT_PLACES, ...OPEN_PLACES].map(({ name }) => name)], 500)
  },
})

/** The processor time of this process that some work took: the least so far and all of it, in microseconds. */
class Stopwatch {
  least = Number.POSITIVE_INFINITY
  total = 0

  time(work: () => void): void {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    this.least = Math.min(this.least, user + system)
    this.total += user + system
  }
}

const SIZE = 1 << 15
const TIMES = 4
/** The law's bound for twice the input, twice over. */
const FACTOR = 2.5 * 2.5
/** Microseconds that the clock may be wrong by. */
const GRAIN = 500
const LEAST_ROUNDS = 3
/** Microseconds after which measuring ends. Most work takes a thousandth of it. */
const PATIENCE = 4_000_000

/**
 * Whether four times the input costs at most as much as the law allows. It is compared with four times the work on the input, which takes as
 * long and is disturbed as much. The least of several measurements counts, and measuring goes on while the bound is missed: noise passes, a
 * cost that grows faster does not.
 */
const isLinear = (work: (size: number) => () => void): boolean => {
  const [small, large] = [new Stopwatch(), new Stopwatch()]
  const [less, more] = [work(SIZE), work(TIMES * SIZE)]
  for (let round = 1; small.total + large.total < PATIENCE; round++) {
    small.time(() => {
      for (let i = 0; i < TIMES; i++) less()
    })
    large.time(more)
    if (round >= LEAST_ROUNDS && large.least <= (FACTOR / TIMES) * small.least + GRAIN) return true
  }
  return false
}

/** Values whose parts are looked for: one that machines make, and one that repeats itself. */
const PARTED = ["q7Rz2KbX9mTw4LcV8nYs3HdJ6pGf5", "k1k2k1k2k1k3".repeat(8), "k1k2".repeat(50)]

const sec4 = (make: RedactorFactory): Law => ({
  id: "SEC-4",
  sentence:
    "Redaction is linear: twice the input takes at most 2.5 times as long, on adversarial inputs too, what is encoded, joined or carried over included, and depth and width overflow no stack.",
  runs: 1,
  deepRuns: 1,
  check: () => {
    const redactor = make({ environment: KNOWN, secrets: PARTED })
    for (const { name, text } of adversarial) {
      const work = (size: number) => {
        const input = text(size)
        return () => void redactor.redactText(input)
      }
      if (!isLinear(work)) fail("grows faster than its input", name)
    }
    const deep = (size: number) => {
      let value: Json = "hunter2"
      for (let i = 0; i < size; i++) value = i % 2 === 0 ? [value] : { password: value }
      return () => void redactor.redactValue(value)
    }
    const wide = (size: number) => {
      // Keys that are all the same once they are redacted.
      const keys = Array.from({ length: size >> 5 }, (_, i) => `gh${"p_"}abc${`${i}`.padStart(9, "0")}`)
      const value: JsonObject = Object.fromEntries(keys.map((key) => [key, VALUES.overlapping]))
      return () => void redactor.redactValue(value)
    }
    const blocks = (size: number) => {
      const content = Array.from({ length: size >> 3 }, (_, i) => ({
        type: "text",
        text: i % 3 === 0 ? `pin${":"} 4711` : "ab1cd2e",
      }))
      return () => void redactor.redactValue({ message: { role: "user", content } })
    }
    const records = (size: number) => {
      const following = redactor.follow()
      const text = `password${"="}ab1cd2ef `.repeat(7)
      return () => {
        for (let i = 0; i < size >> 7; i++) {
          const content = [{ type: "text", text: `${i} ${text}` }]
          following.redactValue({ message: { role: "toolResult", toolCallId: "c", content } })
        }
      }
    }
    if (!isLinear(blocks)) fail("grows faster than the blocks")
    if (!isLinear(records)) fail("grows faster than the records")
    if (!isLinear(deep)) fail("grows faster than the depth")
    if (!isLinear(wide)) fail("grows faster than the width")
    for (const one of [redactor, redactor.follow()]) {
      one.redactValue(Array.from({ length: 1_000_000 }, () => 0))
      one.redactValue(
        Array.from({ length: 1_000_000 }, (_, i) => ({ type: "text", text: i % 1_000 === 0 ? "abcdefgh1234" : "a" })),
      )
      deep(100_000)()
    }
  },
})

/** The laws, for the redactor that a function makes. */
export const redactionLaws = (make: RedactorFactory): ReadonlyArray<Law> => [
  {
    id: "SEC-1",
    sentence:
      "A secret of any known format and any value of a secret environment variable, in any string of a record, keys and JSON in strings included, is not in the clean line: neither raw nor escaped nor in part.",
    runs: 2_000,
    deepRuns: 80_000,
    check: neverWritten((given) => textOfAll(make({ environment: given.environment }), given)),
  },
  sec2(make),
  sec3(make),
  sec4(make),
  sec6(make),
  sec7(make),
  sec8(make),
  sec9(make),
  sec10(make),
]

export const laws: ReadonlyArray<Law> = redactionLaws(makeRedactor)
