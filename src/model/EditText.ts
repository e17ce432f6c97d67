/**
 * Edits made to JSON text: only the tokens that the edit touches change, every other byte stays.
 *
 * One pass over the text with an explicit stack, so depth costs memory and nothing else. `1.0`, `-0`, `1e999`, integers beyond 2^53,
 * escapes and spacing outside the edit survive because nothing there is ever parsed and written again.
 */

import type { Edit, MemberEdit } from "./Edit.ts"
import type { Json } from "./Json.ts"
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET } from "./JsonSigns.ts"
import { isJson, skipSpace, stringEnd, stringValue, toText, valueEnd } from "./JsonText.ts"

interface ObjectFrame {
  readonly _tag: "Object"
  readonly edit: Edit & { readonly _tag: "Object" }
  readonly add: Map<string, Json>
  readonly found: Set<string>
  readonly wanted: Set<string>
  /** Where reading goes on. */
  at: number
  /** The end of the last member, or the position after the opening brace. */
  last: number
  /** The comma before the next member, or -1. */
  comma: number
  /** Whether a member before `at` stays. */
  hasKept: boolean
  /** The first of the removed members that no kept one precedes, or -1. They go together with the comma after them. */
  cutFrom: number
}

interface ArrayFrame {
  readonly _tag: "Array"
  readonly edit: Edit & { readonly _tag: "Array" }
  at: number
  index: number
}

type Frame = ObjectFrame | ArrayFrame

/** A member's key token from `at` to `keyEnd`, what the key stands for, and where its value starts. */
interface Member {
  readonly at: number
  readonly keyEnd: number
  readonly key: string
  readonly start: number
}

class Editor {
  readonly #text: string
  readonly #pieces: Array<string> = []
  readonly #frames: Array<Frame> = []
  #copied = 0
  #isAmbiguous = false

  constructor(text: string) {
    this.#text = text
  }

  run(edit: Edit): string | undefined {
    this.#enter(skipSpace(this.#text, 0), edit)
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame._tag === "Object") this.#step(frame)
      else this.#item(frame)
      if (this.#isAmbiguous) return undefined
    }
    this.#pieces.push(this.#text.slice(this.#copied))
    return this.#pieces.join("")
  }

  /** Puts other text in the place of what stands between two positions. Calls come in the order of the text. */
  #replace(start: number, end: number, by: string): void {
    this.#pieces.push(this.#text.slice(this.#copied, start), by)
    this.#copied = end
  }

  /** Makes an edit to the value at a position. Returns where the value ends, or undefined when a frame now reads it. */
  #enter(at: number, edit: Edit): number | undefined {
    if (edit._tag === "Set") {
      const end = valueEnd(this.#text, at)
      this.#replace(at, end, toText(edit.value))
      return end
    }
    const first = this.#text.charCodeAt(at)
    if (edit._tag === "Object" && first === OPEN_BRACE) {
      const names = { add: new Map(edit.add), found: new Set<string>(), wanted: new Set<string>() }
      this.#frames.push({ _tag: "Object", edit, ...names, at: at + 1, last: at + 1, comma: -1, hasKept: false, cutFrom: -1 })
      return undefined
    }
    if (edit._tag === "Array" && first === OPEN_BRACKET) {
      this.#frames.push({ _tag: "Array", edit, at: at + 1, index: 0 })
      return undefined
    }
    return valueEnd(this.#text, at)
  }

  /** Goes on after a value. */
  #leave(frame: Frame, end: number): void {
    frame.at = end
    if (frame._tag === "Object") frame.last = end
  }

  #close(end: number): void {
    this.#frames.pop()
    const parent = this.#frames.at(-1)
    if (parent !== undefined) this.#leave(parent, end)
  }

  #item(frame: ArrayFrame): void {
    const at = skipSpace(this.#text, frame.at)
    const code = this.#text.charCodeAt(at)
    if (code === CLOSE_BRACKET) this.#close(at + 1)
    else if (code === COMMA) frame.at = at + 1
    else {
      const edit = frame.edit.items.get(frame.index++)
      const end = edit === undefined ? valueEnd(this.#text, at) : this.#enter(at, edit)
      if (end !== undefined) frame.at = end
    }
  }

  #step(frame: ObjectFrame): void {
    const at = skipSpace(this.#text, frame.at)
    const code = this.#text.charCodeAt(at)
    if (code === CLOSE_BRACE) this.#endObject(frame, at)
    else if (code === COMMA) {
      frame.comma = at
      frame.at = at + 1
    } else this.#member(frame, at)
  }

  #member(frame: ObjectFrame, at: number): void {
    const text = this.#text
    const keyEnd = stringEnd(text, at)
    const key = stringValue(text, at, keyEnd)
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    if (frame.found.has(key)) this.#isAmbiguous = true
    frame.found.add(key)
    if (frame.cutFrom >= 0 && !frame.hasKept) this.#cut(frame, at)
    const change = frame.edit.members.get(key)
    if (change?._tag === "Remove") this.#remove(frame, at, start)
    else this.#keep(frame, { at, keyEnd, key, start }, change)
  }

  #keep(frame: ObjectFrame, member: Member, change: (MemberEdit & { readonly _tag: "Change" }) | undefined): void {
    const { at, keyEnd, key, start } = member
    frame.hasKept = true
    const wanted = change?.key ?? key
    if (frame.wanted.has(wanted)) this.#isAmbiguous = true
    frame.wanted.add(wanted)
    if (wanted !== key) this.#replace(at, keyEnd, JSON.stringify(wanted))
    const added = frame.add.get(wanted)
    frame.add.delete(wanted)
    const edit: Edit | undefined = added === undefined ? change?.value : { _tag: "Set", value: added }
    const end = edit === undefined ? valueEnd(this.#text, start) : this.#enter(start, edit)
    if (end !== undefined) this.#leave(frame, end)
  }

  #remove(frame: ObjectFrame, at: number, start: number): void {
    const end = valueEnd(this.#text, start)
    if (frame.hasKept) this.#replace(frame.comma, end, "")
    else frame.cutFrom = at
    this.#leave(frame, end)
  }

  #cut(frame: ObjectFrame, end: number): void {
    this.#replace(frame.cutFrom, end, "")
    frame.cutFrom = -1
  }

  #endObject(frame: ObjectFrame, at: number): void {
    if (frame.cutFrom >= 0) this.#cut(frame, frame.last)
    const added = Array.from(frame.add, ([key, value]) => `${JSON.stringify(key)}:${toText(value)}`).join(",")
    if (added !== "") this.#replace(frame.last, frame.last, frame.hasKept ? `,${added}` : added)
    this.#close(at + 1)
  }
}

/**
 * The text with the edit made to the value it stands for: `JSON.parse(applyToText(raw, edit)) = apply(JSON.parse(raw), edit)`.
 *
 * Undefined when the text is not JSON, and when an object that the edit reaches into has two members of one key, or would have
 * afterwards. Any depth; cost: one parse and one pass.
 */
export const applyToText = (raw: string, edit: Edit): string | undefined => (isJson(raw) ? new Editor(raw).run(edit) : undefined)

/**
 * Whether any object in the text has two members of one key, keys compared as what they stand for. False for text that is not JSON.
 * One pass, any depth.
 */
export const hasDuplicateKeys = (raw: string): boolean => {
  if (!isJson(raw)) return false
  /** One entry for each open container: the keys so far, or undefined for an array. Sets are kept for the next object at their depth. */
  const open: Array<Set<string> | undefined> = []
  const spare: Array<Set<string>> = []
  let isKey = false
  for (let i = 0; i < raw.length; i++) {
    const code = raw.charCodeAt(i)
    if (code === OPEN_BRACE) {
      open.push(spare.pop() ?? new Set())
      isKey = true
    } else if (code === OPEN_BRACKET) {
      open.push(undefined)
      isKey = false
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      const closed = open.pop()
      if (closed !== undefined) {
        closed.clear()
        spare.push(closed)
      }
    } else if (code === COMMA) isKey = open.at(-1) !== undefined
    else if (code === 0x22) {
      const end = stringEnd(raw, i)
      if (isKey) {
        const keys = open.at(-1) as Set<string>
        const size = keys.size
        if (keys.add(stringValue(raw, i, end)).size === size) return true
        isKey = false
      }
      i = end - 1
    }
  }
  return false
}
