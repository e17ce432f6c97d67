/** Manifests as lines of YAML. */
import { type Described, isData, type Stretch, staysInManifest, type Tell } from "./ManifestValue.ts"

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

export class Block {
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
    else if (!staysInManifest(text.slice(from, end))) values.push([from, end])
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
    if (staysInManifest(this.#text.slice(start, start + length))) return
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
    if (stretch !== undefined && !staysInManifest(double ?? single ?? bare ?? ""))
      found.push([from + stretch[0], from + stretch[1]])
  }
  return found
}
