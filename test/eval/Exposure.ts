/** Whether a secret can still be seen in what was written, also by somebody who decodes it. */

/** As many characters of a secret in a row count as seen. */
const WINDOW = 12
const MOST_ROUNDS = 3

const decodeEscapes = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g, (_, code: string | undefined, letter: string | undefined) =>
    code === undefined
      ? ({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }[letter ?? ""] ?? letter ?? "")
      : String.fromCharCode(Number.parseInt(code, 16)),
  )

const decodePercent = (text: string): string =>
  text.replace(/%([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Runs of base64, over line ends too, as what they stand for, wherever in the run its fours begin. */
const decodeBase64 = (text: string): string =>
  (text.match(/[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]+)*/g) ?? [])
    .map((run) => run.replace(/\s/g, ""))
    .flatMap((run) => [0, 1, 2, 3].map((at) => Buffer.from(run.slice(at), "base64").toString("latin1")))
    .join("\u0001")

const withoutNul = (text: string): string => text.replaceAll("\u0000", "")

const DECODERS = [decodeEscapes, decodePercent, decodeBase64, withoutNul]

/** Every reading of a text, itself included, in at most three rounds. */
function* readings(text: string): Iterable<string> {
  let round: ReadonlyArray<string> = [text]
  const seen = new Set(round)
  for (let n = 0; ; n++) {
    yield* round
    if (n === MOST_ROUNDS) return
    const next: Array<string> = []
    for (const each of round) {
      for (const decode of DECODERS) {
        const decoded = decode(each)
        if (decoded.length < WINDOW || seen.has(decoded)) continue
        seen.add(decoded)
        next.push(decoded)
      }
    }
    round = next
  }
}

/** The stretches of secrets that count as seen. */
export const windowsOf = (bodies: ReadonlyArray<string>): ReadonlyMap<number, ReadonlySet<string>> => {
  const windows = new Map<number, Set<string>>()
  for (const body of bodies) {
    const size = Math.min(WINDOW, body.length)
    const known = windows.get(size) ?? new Set()
    for (let at = 0; at + size <= body.length; at++) known.add(body.slice(at, at + size))
    windows.set(size, known)
  }
  return windows
}

const holds = (text: string, windows: ReadonlyMap<number, ReadonlySet<string>>): boolean => {
  for (const [size, known] of windows) {
    for (let at = 0; at + size <= text.length; at++) if (known.has(text.slice(at, at + size))) return true
  }
  return false
}

/** Whether anything of the secrets is to be seen in any of the texts, or in what they decode to. */
export const isExposed = (texts: ReadonlyArray<string>, bodies: ReadonlyArray<string>): boolean => {
  const windows = windowsOf(bodies)
  for (const text of texts) for (const reading of readings(text)) if (holds(reading, windows)) return true
  return false
}
