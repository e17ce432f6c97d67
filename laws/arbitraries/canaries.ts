/** What a law plants in a store to see whether it gets to the disk: secrets of every kind, and the words that a host says them in. */
import * as fc from "fast-check"
import { PRIVATE_KEY } from "../../src/redaction/Formats.ts"
import type { Canary } from "../../src/testing/Needles.ts"
import { CONTEXTS, environmentSecret, formatRows, formatSecret } from "./secrets.ts"
import { TEXT_SPELLINGS } from "./spellings.ts"
import { drawnValue, structure } from "./structures.ts"

/** How redaction can know a secret: by its form, by a variable of the environment, because the host named it, by what stands around it. */
export const KINDS = ["format", "private key", "environment", "registered", "given away"] as const

export type Kind = (typeof KINDS)[number]

/** A canary, and the texts that it is said in. */
export interface Carrier {
  readonly kind: Kind
  readonly canary: Canary
  /** The variable that holds it. */
  readonly variable?: string | undefined
  /** A function, because a report of a failure would show them all. */
  readonly texts: () => ReadonlyArray<Said>
}

/** A text with the secret in it. */
export interface Said {
  readonly context: string
  readonly text: string
}

/** What a host may have in its hands: the secret in a text, and encoded. */
const saidOf = (secret: string): ReadonlyArray<Said> => [
  ...CONTEXTS.map(({ name, wrap }) => ({ context: name, text: wrap(secret) })),
  ...TEXT_SPELLINGS.filter(({ name }) => name.startsWith("base64")).map(({ name, write }) => ({
    context: name,
    text: write(`${secret}\n`),
  })),
]

/** On lines of their own, since it is lines that give such a secret away, and in JSON. */
const givenAwayIn = (text: string): ReadonlyArray<Said> => [
  { context: "text", text: `\n${text}\n` },
  { context: "JSON", text: JSON.stringify({ output: text }) },
  { context: "JSON in JSON", text: JSON.stringify({ inner: JSON.stringify({ output: text }) }) },
]

/** The contexts that every secret but one that its surroundings give away is said in. */
export const SAID_IN: ReadonlyArray<string> = saidOf("").map(({ context }) => context)

/** The last line of a private key says nothing: it stands in every such key. */
const saying = (text: string): string => text.split("-----END")[0] as string

const carrier = (kind: Kind, text: string, open = 0, variable?: string): Carrier => ({
  kind,
  canary: { name: kind, text: saying(text), open },
  variable,
  texts: () => saidOf(text),
})

const privateKey = formatRows.find(([kind]) => kind === PRIVATE_KEY)?.[1] ?? formatSecret

const MAKERS: Readonly<Record<Kind, fc.Arbitrary<Carrier>>> = {
  format: formatSecret.map(({ text, open }) => carrier("format", text, open)),
  "private key": privateKey.map(({ text, open }) => carrier("private key", text, open)),
  environment: environmentSecret.map(({ text, name }) => carrier("environment", text, 0, name)),
  registered: drawnValue(12, 48).map((text) => carrier("registered", text)),
  "given away": structure.map(({ name, text, secret }) => ({
    kind: "given away",
    canary: { name, text: secret },
    texts: () => givenAwayIn(text),
  })),
}

/** One of each kind. They do not shrink: what is simpler than a secret is none. */
export const carriers: fc.Arbitrary<ReadonlyArray<Carrier>> = fc.noShrink(fc.tuple(...KINDS.map((kind) => MAKERS[kind])))
