/**
 * Redaction of a JSON value: every key and every string, at any depth, without recursion.
 *
 * One walk reads each member once and gives three things: what was found, the edit that takes it out, and, if wanted, the value's text
 * with everything taken out. The text is made of what was scanned and of nothing else, so a getter that answers differently the second
 * time changes nothing.
 */
import type { Edit, MemberEdit } from "../model/Edit.ts"
import type { Json, JsonArray, JsonObject } from "../model/Json.ts"
import { numberText } from "../model/JsonText.ts"
import { MAX_DEPTH } from "../model/Limits.ts"
import { isExempt, isImageData, type Place, placeWithin } from "./Exemptions.ts"
import { cleanJoined, type JoinedText, searchOnce, textRuns } from "./Joined.ts"
import { KUBERNETES_SECRET } from "./Kinds.ts"
import { holdsManifestValues, isManifestValue } from "./Manifest.ts"
import { marker } from "./Marker.ts"
import type { NameClass } from "./Names.ts"
import { NotJson, type NotJsonReason } from "./NotJson.ts"
import type { CleanKeys, Rules } from "./Rules.ts"
import type { Scanner, Scope } from "./Scanner.ts"
import { isSourcedKey } from "./Sources.ts"
import { replace } from "./Span.ts"
import { isStructural, isStructuralKey } from "./Structural.ts"

/** A secret that was taken out of a value. */
export interface Finding {
  readonly kind: string
  /**
   * Where it stood: keys and indexes from the value down, at most the first 100, keys as they are after redaction. A secret in a key is
   * found at its member.
   */
  readonly path: ReadonlyArray<string | number>
}

export interface WalkOptions {
  /** Also make the text. Then what JSON cannot hold is a refusal; else it is left as it is. */
  readonly text: boolean
}

export interface Walked {
  readonly edit: Edit | undefined
  readonly findings: ReadonlyArray<Finding>
  /** The text on one line, or empty when it was not wanted. */
  readonly text: string
  readonly refusal: NotJson | undefined
}

interface Frame {
  readonly container: JsonObject | JsonArray
  readonly keys: ReadonlyArray<string> | undefined
  readonly place: Place
  /** What the name that this stands under says about the strings in it. */
  readonly name: NameClass | undefined
  /** New keys for those that held a secret. */
  readonly renamed: ReadonlyMap<string, string> | undefined
  /** For text blocks of an array that were looked at together: what became of their texts, by their indexes. */
  readonly joined: ReadonlyMap<number, JoinedText> | undefined
  /** Whether the strings are the values of a Kubernetes secret. */
  readonly isManifestData: boolean
  members: Map<string, MemberEdit> | undefined
  items: Map<number, Edit> | undefined
  at: number
}

const LONGEST_PATH = 100

const isPlain = (value: object): boolean => {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

const describe = (value: unknown): string => {
  if (typeof value === "number" || value === undefined) return String(value)
  if (typeof value === "object" && value !== null) return `an instance of ${value.constructor?.name ?? "a class"}`
  return `a ${typeof value}`
}

/** A path as a person writes it, with at most 200 characters. */
const pathText = (path: ReadonlyArray<string | number>): string => {
  let text = ""
  for (const part of path) {
    text += typeof part === "number" ? `[${part}]` : text === "" ? part : `.${part}`
    if (text.length > 200) return `${text.slice(0, 200)}…`
  }
  return text
}

class Walk {
  readonly #rules: Rules
  /** Those of the rules, asked for once: nothing is added to them during a walk. */
  readonly #scanner: Scanner
  readonly #cleanKeys: CleanKeys
  readonly #wantsText: boolean
  readonly #frames: Array<Frame> = []
  readonly #findings: Array<Finding> = []
  /** The texts of the record that may go on where others left off. */
  readonly #sourced = new Map<JsonObject | JsonArray, ReadonlyArray<string>>()
  /** The containers on the way down, kept only below a depth that ordinary values do not reach. */
  #ancestors: Set<object> | undefined
  #edit: Edit | undefined
  #text = ""
  #refusal: NotJson | undefined

  constructor(rules: Rules, options: WalkOptions) {
    this.#rules = rules
    this.#scanner = rules.scanner
    this.#cleanKeys = rules.cleanKeys
    this.#wantsText = options.text
  }

  run(value: Json): Walked {
    for (const { holder, sources } of this.#rules.memory?.calls.textsOf(value) ?? []) this.#sourced.set(holder, sources)
    this.#value(value, "record", undefined)
    for (let frame = this.#frames.at(-1); frame !== undefined && this.#refusal === undefined; frame = this.#frames.at(-1)) {
      if (frame.at === (frame.keys ?? (frame.container as JsonArray)).length) this.#close(frame)
      else this.#next(frame)
    }
    return { edit: this.#edit, findings: this.#findings, text: this.#text, refusal: this.#refusal }
  }

  #next(frame: Frame): void {
    const { container, keys, place } = frame
    const at = frame.at++
    if (at > 0) this.#write(",")
    if (keys === undefined) {
      this.#value((container as JsonArray)[at] as Json, placeWithin(place, container, undefined), frame.name)
      return
    }
    const key = keys[at] as string
    const object = container as JsonObject
    this.#key(frame, key)
    const value = object[key] as Json
    if (typeof value === "string") this.#member(frame, object, key, value)
    else this.#value(value, placeWithin(place, container, key), this.#rules.names.classOf(key))
  }

  #key(frame: Frame, key: string): void {
    const wanted = frame.renamed?.get(key)
    if (wanted === undefined) {
      if (this.#wantsText) this.#text += this.#cleanKeys.textOf(key) ?? `${JSON.stringify(key)}:`
      return
    }
    this.#write(`${JSON.stringify(wanted)}:`)
    this.#change(frame, key, { _tag: "Change", key: wanted })
    for (const { kind } of this.#scanner.scan(key, "all")) this.#find(kind)
  }

  #member(frame: Frame, object: JsonObject, key: string, value: string): void {
    const joined = this.#joinedText(object, key, value)
    if (frame.isManifestData && isManifestValue(value))
      this.#cleaned(value, { text: marker(KUBERNETES_SECRET), kinds: [KUBERNETES_SECRET] })
    else if (joined !== undefined) this.#cleaned(value, joined)
    else if (frame.place === "record" && isStructural(key, value, this.#rules.structuralKeys))
      // Its form has nothing in it that JSON escapes.
      this.#write(`"${value}"`)
    else if (isExempt(frame.place, object, key, value)) this.#string(value, undefined, "known")
    else if (isImageData(object, key, value)) this.#string(value, undefined, "plain")
    else this.#string(value, this.#rules.names.classOf(key), "all")
  }

  /** What became of a string that was looked at together with others. */
  #joinedText(object: JsonObject, key: string, value: string): JoinedText | undefined {
    if (key === "text") {
      const around = this.#frames.at(-2)
      const joined = around?.joined?.get(around.at - 1)
      if (joined !== undefined) return joined
    }
    const sources = this.#sourced.size === 0 ? undefined : this.#sourced.get(object)
    return sources !== undefined && isSourcedKey(object, key) ? this.#carried(object, [value], sources)[0] : undefined
  }

  /** The texts without secrets, those cut between them and an earlier text of their sources included. */
  #carried(holder: object, texts: ReadonlyArray<string>, sources: ReadonlyArray<string>): ReadonlyArray<JoinedText> {
    const { memory } = this.#rules
    const search = searchOnce(this.#scanner)
    const before = memory?.carry.meet(holder, sources, texts.join(""), search)
    return cleanJoined(search, texts, before, (secret, kind) => memory?.learned.learnCut(secret, kind))
  }

  /** Looks at neighbouring text blocks of an array together. */
  #joinedBlocks(array: JsonArray): ReadonlyMap<number, JoinedText> | undefined {
    const sources = this.#sourced.get(array)
    const joined = new Map<number, JoinedText>()
    for (const { first, texts } of textRuns(array, sources === undefined ? 2 : 1)) {
      const clean = sources === undefined ? cleanJoined(searchOnce(this.#scanner), texts) : this.#carried(array, texts, sources)
      for (const [i, text] of clean.entries()) joined.set(first + i, text)
    }
    return joined.size === 0 ? undefined : joined
  }

  #cleaned(value: string, { text, kinds }: JoinedText): void {
    for (const kind of kinds) this.#find(kind)
    this.#write(text, true)
    if (text !== value) this.#set(text)
  }

  #value(value: Json, place: Place, name: NameClass | undefined): void {
    switch (typeof value) {
      case "string":
        this.#string(value, name, "all")
        break
      case "number":
        this.#number(value, name)
        break
      case "boolean":
        this.#write(value ? "true" : "false")
        break
      case "object":
        if (value === null) this.#write("null")
        else this.#container(value, place, name)
        break
      default:
        this.#refuse("not-json", describe(value))
    }
  }

  #string(value: string, name: NameClass | undefined, scope: Scope): void {
    const spans = this.#scanner.scanUnder(value, name, scope)
    for (const { kind } of spans) this.#find(kind)
    const clean = spans.length === 0 ? value : replace(value, spans)
    this.#write(clean, true)
    if (spans.length > 0) this.#set(clean)
  }

  #number(value: number, name: NameClass | undefined): void {
    if (Number.isNaN(value)) {
      this.#refuse("not-json", "NaN")
      return
    }
    const text = numberText(value)
    const kind = this.#scanner.kindOfNumberUnder(text, name)
    if (kind === undefined) {
      this.#write(text)
      return
    }
    this.#find(kind)
    this.#write(marker(kind), true)
    this.#set(marker(kind))
  }

  #container(value: JsonObject | JsonArray, place: Place, name: NameClass | undefined): void {
    if (!this.#mayEnter(value)) return
    const keys = Array.isArray(value) ? undefined : Object.keys(value)
    const renamed = keys === undefined ? undefined : this.#renamed(keys, place)
    this.#frames.push({
      container: value,
      keys,
      place,
      name: keys === undefined ? name : undefined,
      renamed,
      joined: keys === undefined ? this.#joinedBlocks(value as JsonArray) : undefined,
      isManifestData: keys !== undefined && this.#isManifestData(),
      members: undefined,
      items: undefined,
      at: 0,
    })
    this.#write(keys === undefined ? "[" : "{")
  }

  /** Whether the object that was just read is the data of a Kubernetes secret. */
  #isManifestData(): boolean {
    const around = this.#frames.at(-1)
    if (around?.keys === undefined) return false
    return holdsManifestValues(around.keys[around.at - 1], around.container as JsonObject)
  }

  #mayEnter(value: JsonObject | JsonArray): boolean {
    if (!Array.isArray(value) && !isPlain(value)) {
      this.#refuse("not-json", describe(value))
      return false
    }
    if (this.#frames.length < MAX_DEPTH) return true
    this.#ancestors ??= new Set(this.#frames.map(({ container }) => container))
    if (this.#ancestors.has(value)) {
      this.#refuse("cycle", "an object that contains itself")
      return false
    }
    if (this.#wantsText) this.#refuse("too-deep", `nested deeper than ${MAX_DEPTH} levels`)
    this.#ancestors.add(value)
    return true
  }

  /** New keys for those that hold a secret: each different from every other key of the object, so that no member is lost. */
  #renamed(keys: ReadonlyArray<string>, place: Place): ReadonlyMap<string, string> | undefined {
    let renamed: Map<string, string> | undefined
    let taken: Set<string> | undefined
    let tried: Map<string, number> | undefined
    for (const key of keys) {
      if (this.#cleanKeys.textOf(key) !== undefined || (place === "record" && isStructuralKey(key, this.#rules.structuralKeys)))
        continue
      const spans = this.#scanner.scan(key, "all")
      if (spans.length === 0) {
        this.#cleanKeys.add(key)
        continue
      }
      taken ??= new Set(keys)
      tried ??= new Map()
      const wanted = this.#free(replace(key, spans), taken, tried)
      taken.add(wanted)
      renamed ??= new Map()
      renamed.set(key, wanted)
    }
    return renamed
  }

  /** The key, or the key with a counter that makes it new and that makes no secret of it. */
  #free(key: string, taken: ReadonlySet<string>, tried: Map<string, number>): string {
    for (let n = (tried.get(key) ?? 0) + 1; ; n++) {
      const candidate = n === 1 ? key : `${key}[${n}]`
      tried.set(key, n)
      if (!taken.has(candidate) && this.#scanner.scan(candidate, "all").length === 0) return candidate
    }
  }

  #close(frame: Frame): void {
    this.#frames.pop()
    this.#ancestors?.delete(frame.container)
    this.#write(frame.keys === undefined ? "]" : "}")
    if (frame.members !== undefined) this.#put({ _tag: "Object", members: frame.members })
    else if (frame.items !== undefined) this.#put({ _tag: "Array", items: frame.items })
  }

  #set(value: string): void {
    this.#put({ _tag: "Set", value })
  }

  /** Makes an edit to the value that was just read. */
  #put(edit: Edit): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) this.#edit = edit
    else if (frame.keys === undefined) {
      frame.items ??= new Map()
      frame.items.set(frame.at - 1, edit)
    } else {
      const key = frame.keys[frame.at - 1] as string
      const wanted = frame.renamed?.get(key)
      this.#change(frame, key, { _tag: "Change", ...(wanted === undefined ? {} : { key: wanted }), value: edit })
    }
  }

  #change(frame: Frame, key: string, change: MemberEdit): void {
    frame.members ??= new Map()
    frame.members.set(key, change)
  }

  #write(text: string, isString = false): void {
    if (this.#wantsText) this.#text += isString ? JSON.stringify(text) : text
  }

  /** The path of the value being read. */
  #path(): ReadonlyArray<string | number> {
    return this.#frames.slice(0, LONGEST_PATH).map(({ keys, at, renamed }) => {
      const key = keys?.[at - 1]
      return key === undefined ? at - 1 : (renamed?.get(key) ?? key)
    })
  }

  #find(kind: string): void {
    this.#findings.push({ kind, path: this.#path() })
  }

  #refuse(reason: NotJsonReason, found: string): void {
    if (this.#wantsText) this.#refusal ??= new NotJson({ path: pathText(this.#path()), reason, found })
  }
}

/** Walks a value. Cost: linear in its text; memory: its depth. */
export const walk = (rules: Rules, value: Json, options: WalkOptions): Walked => new Walk(rules, options).run(value)
