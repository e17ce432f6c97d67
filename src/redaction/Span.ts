/** Stretches of a text that must not be written, and how they are taken out. */
import { BACKSLASH } from "../model/JsonSigns.ts"
import { marker, markersIn } from "./Marker.ts"

export interface Span {
  /** The first character. */
  readonly start: number
  /** The position after the last character. */
  readonly end: number
  readonly kind: string
  /** Of two spans with the same start, the one with the lower rank names the kind. */
  readonly rank: number
  /** What must stand around the marker so that the text keeps its form: the quote that a bare number in JSON did not have. */
  readonly wrap?: string
}

const byStart = (a: Span, b: Span): number => a.start - b.start || a.rank - b.rank || b.end - a.end

/**
 * Spans that do not overlap and cover the same characters. Replacing one overlapping secret after the other would leave rests of them; so
 * they are united first. The order of the spans given does not matter.
 */
export const unite = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const united: Array<Span> = []
  for (const span of spans.toSorted(byStart)) {
    const last = united.at(-1)
    if (last === undefined || span.start >= last.end) united.push(span)
    else if (span.end > last.end)
      united[united.length - 1] = { start: last.start, end: span.end, kind: last.kind, rank: last.rank }
  }
  return united
}

/** Whether every one of some spans lies within one of others. Both in order, not overlapping. */
export const covers = (outer: ReadonlyArray<Span>, inner: ReadonlyArray<Span>): boolean => {
  let next = 0
  return inner.every(({ start, end }) => {
    while ((outer[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++
    const around = outer[next]
    return around !== undefined && around.start <= start && end <= around.end
  })
}

/** The spans without the characters of markers, so that a marker stays whole and is never redacted. Both in order. */
export const outsideMarkers = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const markers = markersIn(text)
  if (markers.length === 0) return spans
  const kept: Array<Span> = []
  let next = 0
  for (const span of spans) {
    while (next < markers.length && (markers[next]?.[1] ?? 0) <= span.start) next++
    let { start } = span
    for (let i = next; i < markers.length; i++) {
      const [from, to] = markers[i] as readonly [number, number]
      if (from >= span.end) break
      if (from > start) kept.push({ ...span, start, end: from })
      start = Math.max(start, to)
    }
    if (start < span.end) kept.push(start === span.start ? span : { ...span, start })
  }
  return kept
}

/** How many backslashes stand right before a position. */
const backslashesBefore = (text: string, at: number, floor: number): number => {
  let count = 0
  while (at - count > floor && text.charCodeAt(at - count - 1) === BACKSLASH) count++
  return count
}

const isUnicodeEscape = (text: string, at: number, floor: number): boolean =>
  at > floor && text[at] === "u" && backslashesBefore(text, at, floor) % 2 === 1

/**
 * The spans widened to whole escape sequences, so that a string of JSON inside the text still parses: no span begins or ends within `\n` or
 * `\u00e9`. In order, not overlapping.
 */
export const toWholeEscapes = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  if (!text.includes("\\")) return spans
  const widened: Array<Span> = []
  let floor = 0
  for (const span of spans) {
    let { start, end } = span
    for (let back = 1; back <= 4; back++) if (isUnicodeEscape(text, start - back, floor)) start -= back
    if (backslashesBefore(text, start, floor) % 2 === 1) start--
    if (backslashesBefore(text, end, start) % 2 === 1 && end < text.length) end++
    for (let back = 1; back <= 4; back++)
      if (isUnicodeEscape(text, end - back, start)) end = Math.min(text.length, end - back + 5)
    widened.push(start === span.start && end === span.end ? span : { ...span, start, end })
    floor = span.end
  }
  return unite(widened)
}

/** Spans of any order made fit for replacing: united, whole escapes, outside markers. */
export const settled = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  outsideMarkers(text, toWholeEscapes(text, unite(spans)))

/** The text with a marker in the place of each span. In order, not overlapping. */
export const replace = (text: string, spans: ReadonlyArray<Span>): string => {
  let result = ""
  let from = 0
  for (const { start, end, kind, wrap = "" } of spans) {
    result += text.slice(from, start) + wrap + marker(kind) + wrap
    from = end
  }
  return result + text.slice(from)
}
