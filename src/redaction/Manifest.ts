/**
 * The values of Kubernetes secrets that stand in a text, as blocks of YAML, as flow YAML or as JSON: everything under `data` and
 * `stringData` of what is of `kind: Secret`, whatever the names are.
 *
 * The order of the members does not matter, nor do line numbers and the signs of a diff before the lines. Other kinds beside it in the same
 * list or file stay. References and templates that are filled in later stay as well. Two passes over a text, however many secrets it
 * describes (law SEC-4).
 */
import { type JsonObject, own } from "../model/Json.ts"
import { looksLikeCode } from "./Code.ts"
import { withoutMarkers } from "./Marker.ts"
import { isPlaceholder } from "./Words.ts"

type Stretch = readonly [start: number, end: number]

const NONE: ReadonlyArray<Stretch> = []

const KIND = "Secret"

const isData = (key: string | undefined): boolean => key === "data" || key === "stringData"

/** What is filled in or decrypted later. */
const REFERENCE = /\{\{|\$[{(]|^\$\w+$|^<[^<>]*>$|^%\w+%$|^ENC\[/

const stays = (value: string): boolean => !/\w/.test(value) || isPlaceholder(value) || REFERENCE.test(value)

/** Something that may turn out to be a secret once its kind is known, which may stand behind its data. */
interface Described {
  /** Where its kind stands, or -1. */
  kindAt: number
  readonly values: Array<Stretch>
}

type Tell = (described: Described) => void

// Flow: braces, as in JSON

interface Brace extends Described {
  readonly isObject: boolean
  /** Whether its members are values of a secret if that around it is one. */
  readonly isData: boolean
  key: string | undefined
  isKeyQuoted: boolean
  token: Stretch | undefined
  isTokenQuoted: boolean
}

const brace = (isObject: boolean, isDataObject = false): Brace => ({
  isObject,
  isData: isDataObject,
  kindAt: -1,
  values: [],
  key: undefined,
  isKeyQuoted: false,
  token: undefined,
  isTokenQuoted: false,
})

const BARE = /[^\s"'{}[\],:]+/y

/** Deeper braces are passed over: no manifest has so many around it. */
const MOST_OPEN = 1_000

/** Reads braces, tolerant of everything between and around them. */
class Flow {
  readonly #text: string
  readonly #tell: Tell
  readonly #open: Array<Brace> = []
  /** How many were passed over. */
  #passed = 0
  /** No string that begins before this position ends on its line. */
  #unclosed = 0

  constructor(text: string, tell: Tell) {
    this.#text = text
    this.#tell = tell
  }

  read(): void {
    for (let at = 0; at < this.#text.length; at++) {
      const sign = this.#text[at] as string
      if (sign === "{" || sign === "[") this.#push(sign)
      else if (sign === "}" || sign === "]") this.#pop(sign)
      else if (this.#open.length === 0) continue
      else if (sign === '"' || sign === "'") at = this.#string(at, sign)
      else if (sign === ",") this.#endMember()
      else if (sign === ":") this.#colon()
      else if (!/\s/.test(sign)) at = this.#bare(at)
    }
  }

  #push(sign: string): void {
    if (this.#open.length === MOST_OPEN) {
      this.#passed++
      return
    }
    const around = this.#open.at(-1)
    this.#open.push(brace(sign === "{", sign === "{" && around?.isObject === true && isData(around.key)))
  }

  #pop(sign: string): void {
    if (this.#passed > 0) {
      this.#passed--
      return
    }
    const closed = this.#open.at(-1)
    if (closed === undefined || closed.isObject !== (sign === "}")) return
    this.#endMember()
    this.#open.pop()
    if (closed.isData) for (const value of closed.values) this.#open.at(-1)?.values.push(value)
    else if (closed.isObject) this.#tell(closed)
  }

  #colon(): void {
    const open = this.#open.at(-1)
    if (open?.token === undefined || open.key !== undefined) return
    open.key = this.#text.slice(...open.token)
    open.isKeyQuoted = open.isTokenQuoted
    open.token = undefined
  }

  /** Ends a member, and looks at what it was. */
  #endMember(): void {
    const open = this.#open.at(-1)
    if (open === undefined) return
    if (open.isObject && open.key !== undefined && open.token !== undefined) this.#value(open, open.token)
    open.token = undefined
    open.key = undefined
  }

  #value(open: Brace, token: Stretch): void {
    const value = this.#text.slice(...token)
    if (open.key === "kind" && value === KIND) open.kindAt = token[0]
    // In code the names stand in no quotes, and other things are of a kind as well.
    const isOne = open.isKeyQuoted && open.isTokenQuoted ? !stays(value) : isDrawn(value, open.isTokenQuoted)
    if (open.isData && isOne) open.values.push(token)
  }

  #string(at: number, quote: string): number {
    if (at < this.#unclosed) return at
    const end = this.#stringEnd(at, quote)
    if (end === undefined) return at
    this.#take([at + 1, end], true)
    return end
  }

  /** Where the closing quote stands, on the same line. */
  #stringEnd(at: number, quote: string): number | undefined {
    let end = at + 1
    for (; end < this.#text.length; end++) {
      const sign = this.#text[end]
      if (sign === quote) return end
      if (sign === "\n") break
      if (sign === "\\" && quote === '"') end++
    }
    this.#unclosed = end
    return undefined
  }

  #bare(at: number): number {
    BARE.lastIndex = at
    const end = BARE.test(this.#text) ? BARE.lastIndex : at + 1
    this.#take([at, end], false)
    return end - 1
  }

  /** Of several tokens that stand together the last one counts. */
  #take(token: Stretch, isQuoted: boolean): void {
    const open = this.#open.at(-1)
    if (open === undefined) return
    open.token = token
    open.isTokenQuoted = isQuoted
  }
}

const isDrawn = (value: string, isQuoted: boolean): boolean =>
  !stays(value) && (/^[A-Za-z0-9+/]{2,}={1,2}$/.test(value) || (value.length >= 8 && !looksLikeCode(value, isQuoted)))

// Blocks: lines of YAML

interface Mapping extends Described {
  readonly column: number
  /** Of the names that a manifest has once, those that it has had. */
  readonly names: Set<string>
}

/** The values under the `data` that is being read. */
interface Data {
  readonly mapping: Mapping
  /** Where the names of its entries begin, once there is one. */
  entries: number | undefined
  /** The last entry goes on in the lines below it. */
  isOpen: boolean
  /** Those lines are text, and a number sign in them is no comment. */
  isBlock: boolean
}

/** Line numbers of a tool, the sign of a diff, indentation and list marks; then what stands on the line. */
const BEFORE = /(?: {0,8}\d{1,6}(?:\t|→|\| ?))?(\+?[- \t]*)/y
const KEY = /(["']?)([\w./-]{1,253})\1[ \t]*:(?=\s|$)[ \t]*/y
/** A string that holds a document: its first line begins behind the quote. */
const OPENED = /(["'`])(?=(?:apiVersion|kind|metadata|data|stringData|type):(?:\s|$))/
const DOCUMENT_END = /^[+ ]?(?:---|\.\.\.|```)/
const PLAIN_END = /[ \t]+#|$/

class Block {
  readonly #text: string
  readonly #tell: Tell
  readonly #open: Array<Mapping> = []
  #data: Data | undefined
  /** The quote that ends the document. */
  #quote: string | undefined

  constructor(text: string, tell: Tell) {
    this.#text = text
    this.#tell = tell
  }

  read(): void {
    const text = this.#text
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf("\n", start)
      const next = newline < 0 ? text.length : newline
      let end = next
      while (end > start && /\s/.test(text[end - 1] as string)) end--
      if (end > start) this.#unquoted(start, end)
      start = next + 1
    }
    this.#close(0)
  }

  /** Reads a line without what stands before a document that begins on it, or behind one that ends on it. */
  #unquoted(start: number, end: number): void {
    const line = this.#text.slice(start, end)
    const opened = this.#quote === undefined ? OPENED.exec(line) : null
    if (opened !== null) {
      this.#close(0)
      this.#quote = opened[1]
      this.#unquoted(start + opened.index + 1, end)
      return
    }
    const stop = this.#quote === undefined ? -1 : line.indexOf(this.#quote)
    this.#line(start, stop < 0 ? end : start + stop)
    if (stop < 0) return
    this.#close(0)
    this.#quote = undefined
  }

  #line(start: number, end: number): void {
    const text = this.#text
    if (DOCUMENT_END.test(text.slice(start, start + 4))) {
      this.#close(0)
      return
    }
    BEFORE.lastIndex = start
    const marks = BEFORE.exec(text)?.[1] ?? ""
    const from = BEFORE.lastIndex
    const column = marks.length
    if (from >= end) return
    if (this.#data !== undefined && column > this.#data.mapping.column) {
      this.#within(this.#data, column, from, end)
      return
    }
    this.#data = undefined
    KEY.lastIndex = from
    const key = KEY.exec(text)?.[2]
    if (key === undefined) {
      if (!marks.includes("-") && text[from] !== "#") this.#close(column)
      return
    }
    this.#close(/-[ \t]/.test(marks) ? column : column + 1)
    const valueAt = KEY.lastIndex
    // A name that comes again begins the next manifest, also where nothing else stands between the two.
    if (this.#open.at(-1)?.column === column && this.#open.at(-1)?.names.has(key) === true) this.#close(column)
    let mapping = this.#open.at(-1)
    if (mapping?.column !== column) {
      mapping = { column, kindAt: -1, values: [], names: new Set() }
      this.#open.push(mapping)
    }
    if (/^(?:apiVersion|kind|data|stringData)$/.test(key)) mapping.names.add(key)
    this.#member(mapping, key, valueAt, end)
  }

  /** Ends the mappings from a column on. */
  #close(column: number): void {
    this.#data = undefined
    for (let last = this.#open.at(-1); last !== undefined && last.column >= column; last = this.#open.at(-1)) {
      this.#open.pop()
      this.#tell(last)
    }
  }

  #member(mapping: Mapping, key: string, from: number, end: number): void {
    const value = this.#text.slice(from, end)
    const kind = /^(["']?)Secret\1,?(?:\s+#.*)?$/.exec(value)
    if (key === "kind" && kind !== null) mapping.kindAt = from + (kind[1] ?? "").length
    if (!isData(key)) return
    if (value.startsWith("{")) for (const entry of flowEntries(this.#text, from, end)) mapping.values.push(entry)
    else if (value === "" || /^[#&!]/.test(value)) this.#data = { mapping, entries: undefined, isOpen: false, isBlock: false }
  }

  /** A line below `data`. */
  #within(data: Data, column: number, from: number, end: number): void {
    const text = this.#text
    const isEntry = column === (data.entries ?? column)
    if (text[from] === "#" && (isEntry || !data.isBlock)) return
    KEY.lastIndex = from
    if (isEntry && KEY.test(text)) {
      data.entries = column
      this.#entry(data, KEY.lastIndex, end)
      return
    }
    // A name that was cut.
    if (isEntry && !data.isBlock) return
    const { values } = data.mapping
    const last = values.at(-1)
    if (data.isOpen && last !== undefined) values[values.length - 1] = [last[0], end]
    else if (!stays(text.slice(from, end))) values.push([from, end])
    data.isOpen = true
  }

  #entry(data: Data, from: number, end: number): void {
    const value = this.#text.slice(from, end)
    data.isOpen = false
    data.isBlock = /^[|>]/.test(value)
    if (value === "" || /^[|>&!#{[]/.test(value)) return
    const quote = /^["']/.exec(value)?.[0]
    const closed = quote === undefined ? -1 : value.lastIndexOf(quote)
    const length = quote === undefined ? value.search(PLAIN_END) : closed > 0 ? closed - 1 : value.length - 1
    const start = quote === undefined ? from : from + 1
    if (stays(this.#text.slice(start, start + length))) return
    data.mapping.values.push([start, start + length])
    data.isOpen = true
  }
}

/** The members of flow YAML that is the value of `data`. */
const flowEntries = (text: string, from: number, end: number): ReadonlyArray<Stretch> => {
  const found: Array<Stretch> = []
  const entries = text.slice(from, end).matchAll(/[{,]\s*["']?[\w./-]{1,253}["']?\s*:\s+(?:"([^"]*)"|'([^']*)'|([^,{}\s]+))/dg)
  for (const { 1: double, 2: single, 3: bare, indices } of entries) {
    const stretch = indices?.[1] ?? indices?.[2] ?? indices?.[3]
    if (stretch !== undefined && !stays(double ?? single ?? bare ?? "")) found.push([from + stretch[0], from + stretch[1]])
  }
  return found
}

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

/** The values of the secret whose kind is the word `Secret` at a position. */
export const manifestValues = (text: string, at: number): ReadonlyArray<Stretch> =>
  KIND_KEY.test(text.slice(Math.max(0, at - 24), at)) && !/\w/.test(text[at + KIND.length] ?? "") ? manifests.at(text, at) : NONE

/** The values of all secrets that a text of JSON describes. */
export const manifestValuesIn = (json: string): ReadonlyArray<Stretch> => (json.includes(`"${KIND}"`) ? manifests.in(json) : NONE)

/** Whether a member of an object holds the values of a secret. */
export const holdsManifestValues = (key: string | undefined, around: JsonObject): boolean =>
  isData(key) && own(around, "kind") === KIND

/** Whether a value of a secret must go. */
export const isManifestValue = (value: string): boolean => !stays(withoutMarkers(value))
