/** Manifests in braces: JSON, flow YAML, and what stands in a text beside them. */
import { looksLikeCode } from "./Code.ts"
import { type Described, isData, SECRET, type Stretch, staysInManifest, type Tell } from "./ManifestValue.ts"

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
export class Flow {
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
    if (open.key === "kind" && value === SECRET) open.kindAt = token[0]
    // In code the names stand in no quotes, and other things are of a kind as well.
    const isOne = open.isKeyQuoted && open.isTokenQuoted ? !staysInManifest(value) : isDrawn(value, open.isTokenQuoted)
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
  !staysInManifest(value) && (/^[A-Za-z0-9+/]{2,}={1,2}$/.test(value) || (value.length >= 8 && !looksLikeCode(value, isQuoted)))
