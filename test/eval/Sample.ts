/** One secret of the evaluation. */
import type { Seeded } from "./Seeded.ts"

/**
 * How a secret can be told, as the specification divides them: `A` by a strong prefix, even when cut; `B` by its whole shape; `C` by the
 * structure it stands in; `N` by a name beside it alone.
 */
export type SecretClass = "A" | "B" | "C" | "N"

export interface Sample {
  /** What is written somewhere: the token, the structure with the secret in it, or the value of a name. */
  readonly text: string
  /** The secret parts. None of them may be seen. */
  readonly bodies: ReadonlyArray<string>
  /** The name that stands beside it in places that have names. */
  readonly name: string
}

export interface SecretFormat {
  /** Unique over all generators. */
  readonly id: string
  readonly class: SecretClass
  /** Which list it comes from: the table of the specification, the vendors' own words, or keys that are made for real. */
  readonly source: "table" | "vendor" | "real"
  readonly make: (random: Seeded) => Sample
}

type Piece = string | readonly [alphabet: string, length: number, most?: number]

const draw = (random: Seeded, piece: Piece): string =>
  typeof piece === "string" ? piece : random.text(piece[0], random.between(piece[1], piece[2] ?? piece[1]))

export type Maker = (random: Seeded, name: string) => Omit<Sample, "name"> & { readonly name?: string }

/** A token of a fixed beginning and drawn pieces. The first piece, when it is fixed, is no secret. */
export const token =
  (...pieces: ReadonlyArray<Piece>): Maker =>
  (random) => {
    const drawn = pieces.map((piece) => draw(random, piece))
    const open = typeof pieces[0] === "string" ? pieces[0].length : 0
    const text = drawn.join("")
    return { text, bodies: [text.slice(open)] }
  }

/** One of several tokens. */
export const oneOf =
  (...makers: ReadonlyArray<Maker>): Maker =>
  (random, name) =>
    random.pick(makers)(random, name)

/** A text with secrets in it: what `secret` draws is what may not be seen. */
export const structure =
  (make: (random: Seeded, secret: <A extends string>(text: A) => A) => string): Maker =>
  (random) => {
    const bodies: Array<string> = []
    const text = make(random, (secret) => {
      bodies.push(secret)
      return secret
    })
    return { text, bodies }
  }

export const formats =
  (source: SecretFormat["source"]) =>
  (id: string, kind: SecretClass, name: string, make: Maker): SecretFormat => ({
    id,
    class: kind,
    source,
    make: (random) => ({ name, ...make(random, name) }),
  })

/** A drawn body that is not made of letters alone, as drawn bodies of this length are not. */
export const mixed = (random: Seeded, alphabet: string, length: number): string => {
  for (;;) {
    const text = random.text(alphabet, length)
    if (/\d/.test(text) && /[A-Za-z]/.test(text)) return text
  }
}
