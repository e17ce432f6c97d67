/** Laws of redaction about secrets that are encoded, cut, split and told by their surroundings. Part of the laws of `redaction.ts`. */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { Json, JsonObject } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import { knownValues } from "../src/redaction/Environment.ts"
import { FORMATS, type Format } from "../src/redaction/Formats.ts"
import type { Redactor, RedactorOptions } from "../src/redaction/Redactor.ts"
import { KNOWN, redactable, soup, VALUES } from "./arbitraries/redactable.ts"
import { CONTEXTS, environmentSecret, formatSecret, leakOf, planted, rowSecret, type Secret } from "./arbitraries/secrets.ts"
import { readings, SPELLINGS, TEXT_SPELLINGS } from "./arbitraries/spellings.ts"
import { drawnValue, STRUCTURES, structure } from "./arbitraries/structures.ts"
import { Coverage, type Law, parameters } from "./Law.ts"

type Factory = (options: RedactorOptions) => Redactor

const fail = (what: string, ...values: ReadonlyArray<unknown>): never => {
  throw new Error(`${what}: ${values.map((value) => JSON.stringify(value)).join(" / ")}`)
}

const lineOf = (redactor: Redactor, value: Json): string => Result.getOrThrow(redactor.cleanRecord(value)).line.text

const textBlocks = (role: string, texts: ReadonlyArray<string>): JsonObject => ({
  type: "message",
  message: { role, toolCallId: "c1", toolName: "read", content: texts.map((text) => ({ type: "text", text })) },
})

/** Characters of a secret in a row that may stay. */
const REST = 12

/** A part of a text that is to be seen in another, or undefined. */
const partIn = (seen: string, text: string): string | undefined => {
  for (let at = 0; at + REST <= text.length; at++) if (seen.includes(text.slice(at, at + REST))) return text.slice(at, at + REST)
  return undefined
}

const isLookedFor = (value: string): boolean => knownValues({ A_KEY: value }).environment.includes(value)

/** Values that base64 writes with the digits that its two alphabets differ in. */
const withSigns = fc
  .tuple(drawnValue(10, 20), fc.constantFrom("?~>", "~~~", "???>"), drawnValue(4, 10))
  .map((parts) => parts.join(""))

const noise = fc.uint8Array({ maxLength: 30 })

const neverSpelled = (make: Factory, coverage: Coverage) =>
  fc.property(
    fc.oneof(drawnValue(10, 48), withSigns).filter(isLookedFor),
    fc.tuple(noise, noise),
    fc.constantFrom(...SPELLINGS),
    fc.nat(),
    fc.nat(),
    (value, [before, after], spelling, from, length) => {
      const redactor = make({ environment: { A_KEY: value } })
      const bytes = Buffer.concat([before, Buffer.from(value), after])
      const written = lineOf(redactor, { text: `see ${spelling.write(bytes)}.` })
      for (const reading of readings(written)) if (reading.includes(value)) fail("spelled", spelling.name, value, written)
      coverage.hit(spelling.name)
      coverage.hit("signs", /[?~]/.test(value))
      coverage.hit(`begins at ${before.length % 3}`)
      if (value.length < 20) return
      const start = from % (value.length - REST + 1)
      const part = value.slice(start, start + REST + (length % (value.length - start - REST + 1)))
      if (!/\d/.test(part)) return
      for (const text of [part, `x${part}y`, `${value.slice(0, start)}\n  ${part}`, JSON.stringify({ part })]) {
        const seen = partIn(lineOf(redactor, { text }), part)
        if (seen !== undefined) fail("a part", value, text, seen)
      }
      coverage.hit("a part")
    },
  )

const neverInText = (make: Factory, coverage: Coverage) =>
  fc.property(
    fc.oneof(
      formatSecret,
      structure.map((found): Secret => ({ kind: "structure", text: found.text, open: found.text.length })),
    ),
    fc.constantFrom(...TEXT_SPELLINGS),
    fc.constantFrom("", "GET / HTTP/1.1\n", "# settings\nA=1\n"),
    (secret, spelling, before) => {
      const redactor = make({ environment: {} })
      const clear = `${before}${secret.text}\n`
      if (redactor.redactText(clear).findings.length === 0) return
      const written = redactor.redactText(`see\n${spelling.write(clear)}\n`).text
      const body = secret.text.slice(secret.open)
      for (const reading of readings(written)) {
        const seen = body === "" ? (reading.includes(secret.text) ? secret.text : undefined) : partIn(reading, body)
        if (seen !== undefined && !/^\s*$/.test(seen)) fail("spelled", spelling.name, clear, seen)
      }
      coverage.hit(`text: ${spelling.name}`)
    },
  )

export const sec6 = (make: Factory): Law => ({
  id: "SEC-6",
  sentence:
    "A known value is not written in base64 or hex either, wherever in the encoded bytes it begins, nor is a part of 12 characters of one of 20 unless it reads like words; and a secret is found in what base64, two bytes a character or colours hide.",
  runs: 600,
  deepRuns: 12_000,
  check: (budget) => {
    const coverage = new Coverage()
    fc.assert(neverSpelled(make, coverage), parameters(budget))
    if (budget.path !== undefined) return
    fc.assert(neverInText(make, coverage), parameters(budget))
    const classes = [...SPELLINGS.map(({ name }) => name), ...TEXT_SPELLINGS.map(({ name }) => `text: ${name}`)]
    coverage.demand(budget, [...classes, "a part", "signs", "begins at 0", "begins at 1", "begins at 2"], 400)
  },
})

/** The beginnings that eight characters behind them give away, by what the vendors say of them and not by the table that is judged. */
const STRONG_PREFIXES = (
  "sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- gsk_ xai- pplx- lsv2_pt_ bedrock-api-key- ya29. GOCSPX- dop_v1_ HRKU-AA " +
  "cfk_ cfut_ dp.pt. pul- fo1_ fm2_ tskey- sb_secret_ nfp_ pscale_tkn_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- " +
  "rubygems_ dckr_pat_ dckr_oat_ AKCp CCIPAT_ bkua_ xoxb- xoxp- xoxe- xapp- ATATT3 ATCTT3 sk_live_ rk_live_ sk_test_ shpat_ shpss_ " +
  "sq0atp- sq0csp- sntryu_ sntrys_ lin_api_ ntn_ figd_ PMAK- glsa_ NRAK- ops_eyJ AGE-SECRET-KEY-1"
).split(" ")

/** The rows of the table for them, and whatever other rows say the same of themselves. */
const STRONG = FORMATS.filter(
  ({ minimum, weak, prefixes }) =>
    (minimum <= 8 && weak === undefined) || prefixes.some((prefix) => STRONG_PREFIXES.includes(prefix)),
)

const contexts = CONTEXTS.filter(({ name }) => name !== "user of a URL")

export const sec7 = (make: Factory): Law => ({
  id: "SEC-7",
  sentence:
    "A token with a strong prefix is found cut anywhere from the eighth character of its body on and whatever its check sum; what is written does not depend on what the secret was; and a marker that stood there stays as it is.",
  runs: 1_500,
  deepRuns: 50_000,
  check: (budget) => {
    const coverage = new Coverage()
    const redactor = make({ environment: KNOWN })
    const format = fc.constantFrom(...STRONG)
    // A sign of equality makes a name of what is before it.
    const whole = (row: Format): fc.Arbitrary<Secret> =>
      rowSecret({ ...row, minimum: row.full }).map((secret) => {
        const { text, open } = secret
        return { ...secret, text: text.slice(0, open) + text.slice(open).replaceAll("=", "a") }
      })
    const pairs = format.chain((row) => fc.tuple(fc.constant(row), whole(row), whole(row)))
    fc.assert(
      fc.property(
        pairs,
        fc.constantFrom(...contexts),
        fc.oneof(fc.constant(0), fc.nat()),
        fc.constantFrom("", "[REDACTED]", "[REDACTED:jwt]"),
        ([row, a, b], context, cut, mark) => {
          const end = a.open + 8 + (cut % (a.text.length - a.open - 7))
          const short = a.text.slice(0, end)
          const after = redactor.redactText(`${mark} ${short}\n`).text
          if (after !== `${mark} ${row.keeps === true ? short.slice(0, a.open) : ""}[REDACTED:${row.kind}]\n`)
            fail("cut", short, after)
          // The same prefix, so that nothing but the body differs.
          const other = a.text.slice(0, a.open) + b.text.slice(b.open)
          const [one, two] = [a.text, other].map((text) => redactor.redactText(mark + context.wrap(text)).text)
          if (one !== two) fail("told apart", context.name, one, two)
          if (!(one ?? "").startsWith(mark)) fail("a marker", mark, one)
          const within = redactor.redactText(`password="${mark}${a.text}"`).text
          if (!within.startsWith(`password="${mark}`)) fail("a marker within a secret", mark, within)
          coverage.hit("a whole prefix", STRONG_PREFIXES.includes(a.text.slice(0, a.open)))
          coverage.hit(row.kind)
          coverage.hit(context.name)
          coverage.hit("cut", end < a.text.length)
        },
      ),
      parameters(budget),
    )
    coverage.demand(
      budget,
      ["cut", "a whole prefix", ...contexts.map(({ name }) => name), ...STRONG.map(({ kind }) => kind)],
      1_500,
    )
  },
})

/** Two values that share characters, so that one taken out before the other leaves a rest of it. */
const overlapping = fc
  .tuple(soup, soup)
  .map(([before, after]) => `${before} ${VALUES.plain.slice(0, 8)}${VALUES.overlapping} ${after}`)

/** Characters of a value that went and may not come to light again. */
const PIECE = 6

const pieces = Object.values(VALUES).flatMap((one) =>
  Array.from({ length: one.length - PIECE + 1 }, (_, from) => one.slice(from, from + PIECE)),
)

export const sec8 = (make: Factory): Law => ({
  id: "SEC-8",
  sentence:
    "A further value never brings to light what went without it; a value that is named later goes as if it had been named at once, from every redactor of the same origin; and one that follows a session takes out all that the one it came from does.",
  runs: 500,
  deepRuns: 10_000,
  check: (budget) => {
    const coverage = new Coverage()
    const names = Object.keys(KNOWN)
    fc.assert(
      fc.property(
        fc.oneof(soup, overlapping),
        redactable,
        fc.subarray(names),
        fc.constantFrom(...Object.values(VALUES)),
        planted,
        (text, value, some, more, given) => {
          const environment = Object.fromEntries(some.map((name) => [name, KNOWN[name] ?? ""]))
          const [without, at, later] = [make({ environment }), make({ environment, secrets: [more] }), make({ environment })]
          const [before, after] = [without.redactText(text).text, at.redactText(text).text]
          for (const one of Object.values(VALUES))
            if (text.includes(one) && !before.includes(one) && after.includes(one)) fail("brought to light", text, one)
          if (after.includes(more)) fail("named and written", text, more)
          for (const piece of pieces)
            if (text.includes(piece) && !before.includes(piece) && after.includes(piece))
              fail("a piece brought to light", text, piece)
          const following = later.follow()
          const named = { [more]: 1, [`a ${more}`]: [more] }
          for (const one of [later, following]) lineOf(one, named)
          lineOf(later, value)
          later.addSecret(more)
          for (const one of [later, following])
            if (toText(one.redactValue(named).value) !== toText(at.redactValue(named).value)) fail("not named in keys", more)
          for (const one of [later, following]) {
            const [wanted, got] = [at, one].map((redactor) => toText(redactor.redactValue(value).value))
            // What it has learned goes as well.
            if (one === later && wanted !== got) fail("named later", more, wanted, got)
            if ((got ?? "").includes(more) && !(wanted ?? "").includes(more)) fail("not named", more, got)
          }
          const base = make({ environment: given.environment })
          if (leakOf(lineOf(base, given.record), given.secret) === undefined) {
            const leak = leakOf(lineOf(base.follow(), given.record), given.secret)
            if (leak !== undefined) fail("following, written", leak)
          }
          coverage.hit("a further value", before !== after)
          coverage.hit("overlapping", more === VALUES.plain && text.includes(VALUES.overlapping))
          coverage.hit(
            "known before",
            some.some((name) => KNOWN[name] === more),
          )
        },
      ),
      parameters(budget),
    )
    coverage.demand(budget, ["a further value", "overlapping", "known before"], 400)
  },
})

const anySecret: fc.Arbitrary<Secret & { readonly name?: string }> = fc.oneof(formatSecret, environmentSecret)

const blocksNeverSplit = (make: Factory, coverage: Coverage) =>
  fc.property(
    anySecret,
    fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    fc.constantFrom("user", "toolResult"),
    (secret, places, role) => {
      const redactor = make({ environment: secret.name === undefined ? {} : { [secret.name]: secret.text } })
      const cuts = [...new Set(places.map((place) => place % secret.text.length))].toSorted((a, b) => a - b)
      const parts = [0, ...cuts].map((from, i) => secret.text.slice(from, cuts[i]))
      const record = textBlocks(
        role,
        parts.map((part, i) => (i === 0 ? `see ${part}` : i === parts.length - 1 ? `${part}\nand on` : part)),
      )
      for (const one of [redactor, redactor.follow()]) {
        const written = JSON.parse(lineOf(one, record)) as { message: { content: ReadonlyArray<{ text: string }> } }
        const leak = leakOf(written.message.content.map(({ text }) => text).join(""), secret)
        if (leak !== undefined) fail("split over blocks", record, leak)
        if (one.redactValue(written as unknown as Json).findings.length > 0) fail("found again", written)
      }
      coverage.hit("three blocks and more", parts.length > 2)
    },
  )

/** Makes records of one source, of each kind that is followed. */
const STREAMS: ReadonlyArray<readonly [name: string, make: (text: string) => JsonObject]> = [
  ["results of a call", (text) => textBlocks("toolResult", [text])],
  ["output", (output) => ({ type: "message", message: { role: "bashExecution", command: "x", output } })],
  ["a stream", (chunk) => ({ type: "custom", customType: "log", data: { chunk } })],
  [
    "results of a ledger",
    (content) => ({
      type: "tool_results",
      message: { role: "user", content: [{ type: "tool_result", toolUseId: "c1", content }] },
    }),
  ],
]

/** Longer than what may come again by chance. */
const MORE = " and so on, line after line, until the end of the text that is read".repeat(2)

const recordsNeverSplit = (make: Factory, coverage: Coverage) =>
  fc.property(
    fc.constantFrom(...STRONG).chain((row) => rowSecret({ ...row, minimum: row.full })),
    fc.nat(),
    fc.constantFrom(...STREAMS),
    fc.constantFrom("see ", "A=1\n", ""),
    (secret, place, [name, record], before) => {
      // The first part is one by itself; what is left of the second is more than may stay anyway.
      const cut = secret.open + 8 + (place % Math.max(1, secret.text.length - secret.open - 8 - REST))
      const following = make({ environment: {} }).follow()
      const records = [record(`${MORE}\n${before}${secret.text.slice(0, cut)}`), record(`${secret.text.slice(cut)}\n${MORE}`)]
      const lines = records.map((one) => lineOf(following, one))
      for (const line of lines) {
        const leak = leakOf(line, secret)
        if (leak !== undefined) fail("split over records", name, secret.text, cut, leak)
      }
      for (const [i, one] of records.entries())
        for (const again of [one, structuredClone(one)])
          if (lineOf(following, again) !== lines[i]) fail("another line the second time", one)
      coverage.hit(name)
    },
  )

const namesNeverSplit = (make: Factory, coverage: Coverage) =>
  fc.property(
    drawnValue(16, 60),
    fc.constantFrom("export DB_PASSWORD=", 'api_key = "', "  client_secret: "),
    fc.nat(),
    fc.constantFrom(...STREAMS),
    (value, name, place, [, record]) => {
      const following = make({ environment: {} }).follow()
      const cut = 1 + (place % name.length)
      const written = [`${MORE}\n${name.slice(0, cut)}`, `${name.slice(cut)}${value}"\nand on`].map((text) =>
        lineOf(following, record(text)),
      )
      const seen = partIn(written.join("|"), value)
      if (seen !== undefined) fail("split from its name", name.slice(0, cut), value, seen)
      coverage.hit("split from its name")
    },
  )

const learnedNeverWritten = (make: Factory, coverage: Coverage) =>
  fc.property(
    drawnValue(16, 60),
    fc.constantFrom("db_password", "api_key", "CLIENT_SECRET"),
    redactable,
    (value, name, other) => {
      const following = make({ environment: {} }).follow()
      lineOf(following, other)
      const first = { note: `it is ${value}, says ${value}`, text: `${name} = "${value}"` }
      const later = { list: [value, `x${value}`], [value]: true, base64: Buffer.from(`a ${value} b`).toString("base64") }
      for (const record of [first, later] as ReadonlyArray<Json>)
        for (const reading of readings(lineOf(following, record)))
          if (reading.includes(value)) fail("learned and written", record)
      const once = following.redactValue(other).value
      if (following.redactValue(once).findings.length > 0) fail("found again", other, once)
      coverage.hit("learned")
    },
  )

export const sec9 = (make: Factory): Law => ({
  id: "SEC-9",
  sentence:
    "A secret that is cut between neighbouring text blocks is in none of them; one that follows a session takes out the rest of a secret that an earlier text of the same source began with, and a value that a name gave away once everywhere from then on; giving a record again gives the same line.",
  runs: 500,
  deepRuns: 10_000,
  check: (budget) => {
    const coverage = new Coverage()
    fc.assert(blocksNeverSplit(make, coverage), parameters(budget))
    if (budget.path !== undefined) return
    fc.assert(recordsNeverSplit(make, coverage), parameters(budget))
    fc.assert(namesNeverSplit(make, coverage), parameters(budget))
    fc.assert(learnedNeverWritten(make, coverage), parameters(budget))
    coverage.demand(budget, ["three blocks and more", "split from its name", "learned", ...STREAMS.map(([name]) => name)], 400)
  },
})

export const sec10 = (make: Factory): Law => ({
  id: "SEC-10",
  sentence:
    "A secret that its surroundings give away, such as a header, a cookie, a file of passwords, a signed address or a key beside its id, is not written, as text and inside JSON, and the text around it stays.",
  runs: 1_000,
  deepRuns: 30_000,
  check: (budget) => {
    const coverage = new Coverage()
    const redactor = make({ environment: {} })
    fc.assert(
      fc.property(structure, fc.constantFrom("text", "JSON", "JSON in JSON"), ({ name, text, secret }, place) => {
        const inner = place === "text" ? text : JSON.stringify({ output: text })
        const record = { type: "custom", data: place === "JSON in JSON" ? JSON.stringify({ inner }) : inner }
        const line = lineOf(redactor, record)
        const leak = partIn(line, secret) ?? partIn(line, JSON.stringify(secret).slice(1, -1))
        if (leak !== undefined) fail("given away and written", name, text, leak)
        const after = redactor.redactText(text).text
        const [before = "", ...rest] = text.split(secret)
        if (!after.startsWith(name.endsWith("its id") ? "[" : before.slice(0, 6)) || !after.endsWith(rest.join(secret).slice(-1)))
          fail("too much", text, after)
        coverage.hit(name)
        coverage.hit(place)
      }),
      parameters(budget),
    )
    coverage.demand(budget, [...STRUCTURES, "text", "JSON", "JSON in JSON"], 800)
  },
})
