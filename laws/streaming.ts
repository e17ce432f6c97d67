/** The law of streams: redaction of a text that comes in pieces is redaction of the text. */
import * as fc from "fast-check"
import { makeRedactor, type Redactor } from "../src/redaction/Redactor.ts"
import { KNOWN, soup, VALUES } from "./arbitraries/redactable.ts"
import { CONTEXTS, environmentSecret, formatSecret } from "./arbitraries/secrets.ts"
import { TEXT_SPELLINGS } from "./arbitraries/spellings.ts"
import { structure } from "./arbitraries/structures.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

interface Case {
  readonly environment: Readonly<Record<string, string>>
  readonly text: string
  /** The lengths of the pieces, taken in turn. */
  readonly lengths: ReadonlyArray<number>
}

const PROSE = [
  "All tests pass now; the token budget is fine.",
  "note: see README.md for more",
  "const x = { a: 1 }\r\n",
  "progress 10%\rprogress 20%\r",
  "data: {}\n\n",
  "🌿 ünïcode 漢字 text",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
  "password is not given here",
  "api_key: |\n  see below\n",
  "[INFO] done",
  "  indented line\n\n",
]

const SPACED = "correct horse 99 battery\tstaple"

interface Given {
  readonly text: string
  readonly variable?: readonly [name: string, value: string]
}

const secretText: fc.Arbitrary<Given> = fc
  .tuple(fc.oneof(formatSecret, environmentSecret), fc.constantFrom(...CONTEXTS))
  .map(([secret, { wrap }]) => ({
    text: wrap(secret.text),
    ...("name" in secret ? { variable: [`${String(secret.name)}`, secret.text] as const } : {}),
  }))

const spelled: fc.Arbitrary<Given> = fc
  .tuple(formatSecret, fc.constantFrom(...TEXT_SPELLINGS))
  .map(([{ text }, { write }]) => ({ text: write(`see ${text} there`) }))

const part: fc.Arbitrary<Given> = fc.oneof(
  { weight: 4, arbitrary: secretText },
  { weight: 2, arbitrary: structure.map(({ text }) => ({ text })) },
  { weight: 2, arbitrary: soup.map((text) => ({ text })) },
  { weight: 2, arbitrary: spelled },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...PROSE, SPACED, SPACED.slice(0, 15), ...Object.values(VALUES)).map((text) => ({ text })),
  },
)

const cases: fc.Arbitrary<Case> = fc
  .record({
    parts: fc.array(fc.tuple(part, fc.constantFrom("\n", "\n", " ", "", "\n\n", "\r\n")), { minLength: 1, maxLength: 5 }),
    lengths: fc.oneof(
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
      fc.constant([1]),
    ),
  })
  .map(({ parts, lengths }) => ({
    environment: {
      ...KNOWN,
      SPACED_SECRET: SPACED,
      ...Object.fromEntries(
        parts.flatMap(([{ variable }], i) => (variable === undefined ? [] : [[`${variable[0]}_${i}`, variable[1]]])),
      ),
    },
    text: parts.map(([{ text }, end]) => text + end).join(""),
    lengths,
  }))

const piecesOf = (text: string, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}

const streamed = (redactor: Redactor, pieces: ReadonlyArray<string>) => {
  const stream = redactor.stream()
  const given = pieces.map((piece) => stream.push(piece))
  const early = given.join("").length
  const text = given.join("") + stream.end()
  return { text, early, findings: stream.takeFindings(), position: stream.position }
}

const check = ({ environment, text, lengths }: Case, coverage: Coverage): void => {
  const redactor = makeRedactor({ environment })
  const whole = redactor.redactText(text)
  const pieces = piecesOf(text, lengths)
  const found = streamed(redactor, pieces)
  if (found.text !== whole.text)
    throw new Error(`another text: ${JSON.stringify(found.text)} and not ${JSON.stringify(whole.text)}`)
  if (JSON.stringify(found.findings) !== JSON.stringify(whole.findings))
    throw new Error(`other findings: ${JSON.stringify(found.findings)} and not ${JSON.stringify(whole.findings)}`)
  if (found.position !== text.length) throw new Error(`${found.position} of ${text.length} given`)
  coverage.hit("given early", found.early > 0)
  coverage.hit("with a finding given early", found.early > 0 && whole.findings.length > 0)
  coverage.hit(
    "cut in a pair of surrogates",
    pieces.some((piece) => /[\ud800-\udbff]$/.test(piece)),
  )
  coverage.hit("one by one", pieces.length === text.length && text.length > 1)
  coverage.hit("in one piece", pieces.length === 1)
  coverage.hit("a private key", text.includes("PRIVATE KEY-----"))
}

const streaming = (budget: Budget): void => {
  const coverage = new Coverage()
  fc.assert(
    fc.property(cases, (given) => check(given, coverage)),
    parameters(budget),
  )
  const names = ["given early", "with a finding given early", "cut in a pair of surrogates", "one by one", "in one piece"]
  coverage.demand(budget, [...names, "a private key"], 200)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "SEC-13",
    sentence:
      "What a stream gives of a text that stays within its bounds, put together, is what redaction makes of the whole text, with the same findings, however the text is cut into pieces, inside a pair of surrogates too.",
    runs: 250,
    deepRuns: 10_000,
    check: streaming,
  },
]
