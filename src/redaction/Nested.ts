/**
 * JSON in a string: a text that is one JSON object or array is read as what it stands for, token by token.
 *
 * Each key, string and number is searched as itself, with the name it stands under, and what is found is given back in positions of the
 * text, never a part of an escape and never a bracket or a quote. So the text still parses afterwards. One pass, any depth.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../model/JsonSigns.ts"
import { isJson, skipSpace, stringEnd } from "../model/JsonText.ts"
import { KUBERNETES_SECRET } from "./Kinds.ts"
import { manifestValuesIn } from "./Manifest.ts"
import type { NameClass } from "./Names.ts"
import type { Span } from "./Span.ts"
import { escapesDecoded } from "./View.ts"

/** What is asked of the parts. */
export interface Search {
  readonly nameOf: (key: string) => NameClass | undefined
  /** The stretches of a string under a name that must go. */
  readonly inString: (text: string, name: NameClass | undefined) => ReadonlyArray<Span>
  /** The kind of secret that a number under a name is. */
  readonly ofNumber: (text: string, name: NameClass | undefined) => Pick<Span, "kind" | "rank"> | undefined
}

/** What can follow an opening brace or bracket in JSON. Asked first, since a failing parse is slow. */
const SECOND = /[\]}"{[\-0-9tfn]/

/** Whether a text is one JSON object or array. Cheap for most that are not. */
export const isContainer = (text: string): boolean => {
  const at = skipSpace(text, 0)
  const first = text.charCodeAt(at)
  if ((first !== OPEN_BRACE && first !== OPEN_BRACKET) || !SECOND.test(text[skipSpace(text, at + 1)] ?? "")) return false
  const trimmed = text.trimEnd()
  return trimmed.charCodeAt(trimmed.length - 1) === first + 2 && isJson(text)
}

const NUMBER = /[-+.0-9eE]+/y

/** The stretches within a string token whose first character is at `start`, in positions of the whole text. */
const inToken = (token: string, start: number, search: (text: string) => ReadonlyArray<Span>): ReadonlyArray<Span> => {
  if (!token.includes("\\")) return search(token).map((span) => ({ ...span, start: start + span.start, end: start + span.end }))
  const view = escapesDecoded(token)
  return search(view.text).map(({ wrap, ...span }) => {
    const [from, to] = view.toOriginal(span.start, span.end)
    const escaped = wrap === undefined ? {} : { wrap: JSON.stringify(wrap).slice(1, -1) }
    return { ...span, start: start + from, end: start + to, ...escaped }
  })
}

/** Formats name the kind of a value of a Kubernetes secret before its manifest does. */
const RANK_MANIFEST = 1_000

/** The stretches that must go from a text for which {@link isContainer} holds. */
export const nestedSpans = (text: string, search: Search): ReadonlyArray<Span> => {
  const found: Array<Span> = manifestValuesIn(text).map(([start, end]) => ({
    start,
    end,
    kind: KUBERNETES_SECRET,
    rank: RANK_MANIFEST,
  }))
  /** For each open array the name its elements stand under; false for an object. */
  const open: Array<NameClass | undefined | false> = []
  let isKey = false
  let name: NameClass | undefined
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = stringEnd(text, at)
      const token = text.slice(at + 1, end - 1)
      const under = isKey ? undefined : name
      for (const span of inToken(token, at + 1, (part) => search.inString(part, under))) found.push(span)
      if (isKey) name = search.nameOf(token.includes("\\") ? escapesDecoded(token).text : token)
      isKey = false
      at = end - 1
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      open.push(code === OPEN_BRACKET && name)
      isKey = code === OPEN_BRACE
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop()
    else if (code === COMMA) {
      const around = open.at(-1)
      isKey = around === false
      name = around === false ? undefined : around
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = at
      const [number = ""] = NUMBER.exec(text) ?? []
      const secret = search.ofNumber(number, name)
      if (secret !== undefined) found.push({ ...secret, start: at, end: at + number.length, wrap: '"' })
      at += number.length - 1
    }
  }
  return found
}
