/**
 * Texts that were one: neighbouring blocks of a message, and the end of an earlier text of the same source before them. A secret that
 * reaches over a border is taken out of both sides.
 *
 * Each text is looked at by itself, and all of them joined; what is found is taken out; and so on until nothing is found, so that doing
 * it again finds nothing (law SEC-2). What cannot be settled is given up whole.
 */
import { isObject, type Json, type JsonArray, own, ownString } from "../model/Json.ts"
import { PRIVATE_KEY } from "./Formats.ts"
import { PASSWORD } from "./Kinds.ts"
import { marker } from "./Marker.ts"
import { RANK_LEARNED, type Scanner } from "./Scanner.ts"
import { replace, type Span, settled } from "./Span.ts"
import { readsLikeWords } from "./Windows.ts"

/** Characters of a text that are looked at together with what was before it. */
const HEAD = 8_192

const ROUNDS = 4

const TYPES: ReadonlySet<Json | undefined> = new Set(["text", "input_text", "output_text"])

const textOf = (block: Json | undefined): string | undefined =>
  isObject(block) && TYPES.has(own(block, "type")) ? ownString(block, "text") : undefined

/** The texts of neighbouring text blocks of an array, of so many at least. */
export const textRuns = (
  blocks: JsonArray,
  least: number,
): ReadonlyArray<{ readonly first: number; readonly texts: ReadonlyArray<string> }> => {
  const runs: Array<{ readonly first: number; readonly texts: Array<string> }> = []
  let isOpen = false
  for (const [i, block] of blocks.entries()) {
    const text = textOf(block)
    if (text !== undefined && isOpen) runs.at(-1)?.texts.push(text)
    else if (text !== undefined) runs.push({ first: i, texts: [text] })
    isOpen = text !== undefined
  }
  return runs.filter(({ texts }) => texts.length >= least)
}

/** A text without secrets, and the kinds of those that were in it. */
export interface JoinedText {
  readonly text: string
  readonly kinds: ReadonlyArray<string>
}

/** From this rank on a finding is a guess by form: where it reaches into a next text, words are not taken for a part of it. */
const GUESSED = 10

/** More capital letters in a row than words in capitals have, as keys in base 32 have now and then. */
const CAPITALS = /^[A-Z]{12,}(?![a-z])/

/** A long word, and what can be pronounced in no language that is written in these letters. */
const LONG_WORD = /^[A-Z]?[a-z]{11,}/
const UNSPEAKABLE = /[bcdfghjklmnpqrstvwxz]{5}|q(?!u)/i

/** Whether letters that read like a word were drawn. */
const isDrawn = (rest: string): boolean => CAPITALS.test(rest) || UNSPEAKABLE.test(LONG_WORD.exec(rest)?.[0] ?? "")

/** Whether what stands behind the first border in a finding goes on with it. Judged as one, however many borders are in it. */
const goesOn = ({ rank, kind }: Span, rest: string): boolean =>
  rank < GUESSED || rank === RANK_LEARNED || kind === PRIVATE_KEY || !readsLikeWords(rest) || isDrawn(rest)

/** Finds the secrets of a text. */
export type Search = (text: string) => ReadonlyArray<Span>

/**
 * Searches each text once while it lives: a text with a source is looked at by itself, behind what was before it, and for what it ends with,
 * and these are often the same.
 */
export const searchOnce = (scanner: Scanner): Search => {
  const found = new Map<string, ReadonlyArray<Span>>()
  return (text) => {
    const known = found.get(text)
    if (known !== undefined) return known
    const spans = scanner.scan(text, "all")
    found.set(text, spans)
    return spans
  }
}

/** So far from a border what is found in the join counts: further away each text was looked at by itself. */
const NEAR = 512

/** Is told a secret that reaches over the border between what was before and the texts, and its kind. */
export type Tell = (secret: string, kind: string) => void

/** Where texts begin that stand one behind the other. */
const bordersOf = (texts: ReadonlyArray<string>): ReadonlyArray<number> => {
  let at = 0
  return texts.map(({ length }) => {
    const begin = at
    at += length
    return begin
  })
}

/** The first of rising numbers that is above another; the last one when none is. */
const firstAbove = (numbers: ReadonlyArray<number>, than: number): number => {
  let [low, high] = [0, numbers.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) > than) high = middle
    else low = middle + 1
  }
  return numbers[low] as number
}

/** The spans of the joined texts that lie in each of them, in its positions. `skipped` characters of the join come before the first. */
const clipped = (
  texts: ReadonlyArray<string>,
  spans: ReadonlyArray<Span>,
  skipped: number,
): ReadonlyArray<ReadonlyArray<Span>> => {
  let from = skipped
  let whole: string | undefined
  const borders = bordersOf(texts)
  /** What of a span stands behind the first border in it. */
  const restOf = ({ start, end }: Span): string => {
    whole ??= texts.join("")
    return whole.slice(firstAbove(borders, start - skipped), end - skipped)
  }
  /** The first span that does not end before the text. */
  let next = 0
  return texts.map((text, i) => {
    const isLast = i === texts.length - 1
    const parts: Array<Span> = []
    while ((spans[next]?.end ?? Number.POSITIVE_INFINITY) <= from) next++
    for (let at = next; at < spans.length; at++) {
      const span = spans[at] as Span
      if (span.start >= from + text.length) break
      const start = Math.max(span.start - from, 0)
      const end = Math.min(span.end - from, text.length)
      const isWhole = span.start >= from && span.end - from <= text.length
      const isNear = span.start - from < NEAR || (!isLast && text.length - end < NEAR)
      if (start >= end || !isNear || !(span.start >= from || goesOn(span, restOf(span)))) continue
      parts.push(isWhole ? { ...span, start, end } : { start, end, kind: span.kind, rank: span.rank })
    }
    from += text.length
    return parts
  })
}

const foundBehind = (
  search: Search,
  texts: ReadonlyArray<string>,
  before: string,
  tell: Tell | undefined,
): ReadonlyArray<ReadonlyArray<Span>> => {
  const joined = before + texts.join("").slice(0, HEAD)
  const spans = search(joined)
  const across = spans.find(({ start, end }) => start < before.length && end > before.length)
  if (across !== undefined) tell?.(joined.slice(across.start, across.end), across.kind)
  return clipped(texts, spans, before.length)
}

const foundIn = (
  search: Search,
  texts: ReadonlyArray<string>,
  before: string,
  tell: Tell | undefined,
): ReadonlyArray<ReadonlyArray<Span>> => {
  const across = texts.length < 2 ? [] : clipped(texts, search(texts.join("")), 0)
  const after = before === "" ? [] : foundBehind(search, texts, before, tell)
  return texts.map((text, i) => {
    const more = [...(across[i] ?? []), ...(after[i] ?? [])]
    const own = search(text)
    return more.length === 0 ? own : settled(text, [...own, ...more])
  })
}

/**
 * The texts without what is a secret in any of them, in all of them joined, or behind what was before them. `tell` is told the whole of a
 * secret whose beginning was before them.
 */
export const cleanJoined = (
  search: Search,
  texts: ReadonlyArray<string>,
  before = "",
  tell?: Tell,
): ReadonlyArray<JoinedText> => {
  let clean: ReadonlyArray<JoinedText> = texts.map((text) => ({ text, kinds: [] }))
  for (let round = 0; round < ROUNDS; round++) {
    const found = foundIn(
      search,
      clean.map(({ text }) => text),
      before,
      tell,
    )
    if (found.every((spans) => spans.length === 0)) return clean
    clean = clean.map(({ text, kinds }, i) => {
      const spans = found[i] ?? []
      return spans.length === 0
        ? { text, kinds }
        : { text: replace(text, spans), kinds: [...kinds, ...spans.map(({ kind }) => kind)] }
    })
  }
  const [kind = PASSWORD] = clean.find(({ kinds }) => kinds.length > 0)?.kinds ?? []
  return clean.map(({ kinds }) => ({ text: marker(kinds[0] ?? kind), kinds }))
}
