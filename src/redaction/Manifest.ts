/**
 * The values of Kubernetes secrets that stand in a text, as blocks of YAML, as flow YAML or as JSON: everything under `data` and
 * `stringData` of what is of `kind: Secret`, whatever the names are.
 *
 * The order of the members does not matter, nor do line numbers and the signs of a diff before the lines. Other kinds beside it in the same
 * list or file stay. References and templates that are filled in later stay as well. Two passes over a text, however many secrets it
 * describes (law SEC-4).
 */
import { type JsonObject, own } from "../model/Json.ts"
import { Block } from "./ManifestBlock.ts"
import { Flow } from "./ManifestFlow.ts"
import { isData, SECRET, type Stretch, staysInManifest, type Tell } from "./ManifestValue.ts"
import { withoutMarkers } from "./Marker.ts"

const NONE: ReadonlyArray<Stretch> = []

/** The values of the secrets of one text at a time, by the position of their kind. */
class Manifests {
  #text = ""
  readonly #byKind = new Map<number, ReadonlyArray<Stretch>>()

  at(text: string, kindAt: number): ReadonlyArray<Stretch> {
    if (text !== this.#text) this.#read(text)
    return this.#byKind.get(kindAt) ?? NONE
  }

  /** All of them. */
  in(text: string): ReadonlyArray<Stretch> {
    if (text !== this.#text) this.#read(text)
    return [...this.#byKind.values()].flat()
  }

  /** Lets go of the text: it is clear, and nobody shall find it here later. */
  forget(): void {
    this.#text = ""
    this.#byKind.clear()
  }

  #read(text: string): void {
    this.#text = text
    this.#byKind.clear()
    const tell: Tell = ({ kindAt, values }) => {
      if (kindAt >= 0 && values.length > 0) this.#byKind.set(kindAt, [...(this.#byKind.get(kindAt) ?? []), ...values])
    }
    new Block(text, tell).read()
    if (text.includes("{")) new Flow(text, tell).read()
  }
}

const manifests = new Manifests()

/** What stands right before the kind of a secret. */
const KIND_KEY = /kind["']?[ \t]{0,8}:[ \t]{0,8}["']?$/

/** The values of the secret whose kind is the word `Secret` at a position. The last such word of a text ends what is remembered of it. */
export const manifestValues = (text: string, at: number): ReadonlyArray<Stretch> => {
  const behind = at + SECRET.length
  const isKind = KIND_KEY.test(text.slice(Math.max(0, at - 24), at)) && !/\w/.test(text[behind] ?? "")
  const values = isKind ? manifests.at(text, at) : NONE
  if (!text.includes(SECRET, behind)) manifests.forget()
  return values
}

/** The values of all secrets that a text of JSON describes. */
export const manifestValuesIn = (json: string): ReadonlyArray<Stretch> => {
  if (!json.includes(`"${SECRET}"`)) return NONE
  const values = manifests.in(json)
  manifests.forget()
  return values
}

/** Whether a member of an object holds the values of a secret. */
export const holdsManifestValues = (key: string | undefined, around: JsonObject): boolean =>
  isData(key) && own(around, "kind") === SECRET

/** Whether a value of a secret must go. */
export const isManifestValue = (value: string): boolean => !staysInManifest(withoutMarkers(value))
