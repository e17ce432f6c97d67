/** A class of texts without secrets, and the words they are made of. */
import { createHash } from "node:crypto"
import type { Seeded } from "./Seeded.ts"

/** A class of such texts: one line of it, or one small file. */
export interface Negative {
  readonly name: string
  readonly write: (random: Seeded) => string
}

export const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const WORDS = (
  "account amber anchor archive arrow basket beacon binary border branch bridge bucket button cache canvas carbon castle channel circle " +
  "client cluster column comet copper corner cursor delta device dialog digest editor element engine escape event falcon feature filter " +
  "folder forest frame garden gateway handle harbor header helper image index island journal kernel label ladder layer letter library " +
  "listener locale matrix memory method mirror module monitor mutex needle network number object orbit packet panel parser pattern " +
  "pixel planet plugin portal prefix process query queue random reader record region render resolver result river router sample schema " +
  "screen script search section segment server session shadow signal socket source spinner stream string switch symbol table target task " +
  "template terminal thread ticket timer toggle tracker transport tunnel update value vector version view viewport widget window worker"
).split(" ")

export const word = (random: Seeded): string => random.pick(WORDS)
export const words = (random: Seeded, count: number): string => Array.from({ length: count }, () => word(random)).join(" ")
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
export const camel = (random: Seeded): string => word(random) + capital(word(random)) + capital(word(random))
export const hash = (random: Seeded, algorithm: string): Buffer => createHash(algorithm).update(random.bytes(16)).digest()
export const lines = (count: number, line: () => string): string => Array.from({ length: count }, line).join("\n")
