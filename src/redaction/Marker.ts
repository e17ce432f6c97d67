/**
 * What stands where a secret stood: `[REDACTED:kind]`.
 *
 * Nobody can take it for a key: no part of the secret, no length, no digest. Its characters mean nothing inside a JSON string, a URL or a
 * quoted shell word, so text that holds JSON still does. It is never redacted itself (law SEC-2). The bare `[REDACTED]` of older files is
 * a marker too.
 */

import { KINDS } from "./Kinds.ts"

/** The marker of a kind. A kind is lower-case letters, digits and dashes, at most 40. */
export const marker = (kind: string): string => `[REDACTED:${kind}]`

const START = "[REDACTED"

const ANY = /\[REDACTED(?::[a-z0-9-]{1,40})?\]/

/** Whether the text holds a marker. A host should refuse to write such text into a file: it came out of a session, not out of that file. */
export const hasMarker = (text: string): boolean => ANY.test(text)

/** Where the markers of known kinds, and bare ones, stand in a text: `[start, end)`, in order. */
export const markersIn = (text: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const found: Array<readonly [number, number]> = []
  for (let at = text.indexOf(START); at >= 0; at = text.indexOf(START, at + START.length)) {
    const match = ANY.exec(text.slice(at, at + START.length + 42))
    if (match?.index !== 0) continue
    const kind = match[0].slice(START.length + 1, -1)
    if (kind === "" || KINDS.has(kind)) found.push([at, at + match[0].length])
  }
  return found
}

/** The text without its markers. What only has the form of one, with an unknown kind, could be a secret in disguise and is left. */
export const withoutMarkers = (text: string): string => {
  if (!text.includes(START)) return text
  let rest = ""
  let from = 0
  for (const [start, end] of markersIn(text)) {
    rest += text.slice(from, start)
    from = end
  }
  return rest + text.slice(from)
}
