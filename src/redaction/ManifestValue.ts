/** What a manifest is told by, and which of its values stay. */
import { isPlaceholder } from "./Words.ts"

export type Stretch = readonly [start: number, end: number]

/** The kind whose values are secrets. */
export const SECRET = "Secret"

/** Whether a member holds the values. */
export const isData = (key: string | undefined): boolean => key === "data" || key === "stringData"

/** What is filled in or decrypted later. */
const REFERENCE = /\{\{|\$[{(]|^\$\w+$|^<[^<>]*>$|^%\w+%$|^ENC\[/

/** Whether a value is none, or only stands for one. */
export const staysInManifest = (value: string): boolean =>
  !/[\p{L}\p{N}]/u.test(value) || isPlaceholder(value) || REFERENCE.test(value)

/** Something that may turn out to be a secret once its kind is known, which may stand behind its data. */
export interface Described {
  /** Where its kind stands, or -1. */
  kindAt: number
  readonly values: Array<Stretch>
}

/** Is told everything that ended. */
export type Tell = (described: Described) => void
