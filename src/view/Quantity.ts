/** Numbers as people read them. Always the same words, whatever the machine's language. */

/** An integer with a comma between thousands. */
export const integer = (n: number): string => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",")

/** `1 entry`, `1,019 entries`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${integer(n)} ${n === 1 ? one : many}`

const UNITS = ["KB", "MB", "GB", "TB"]

/** A number of bytes in decimal units: `312 bytes`, `946 KB`, `2.4 MB`. */
export const bytes = (n: number): string => {
  if (n < 1_000) return count(n, "byte")
  let value = n / 1_000
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000
    unit++
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`
}

/** A number of tokens: `950`, `12.4k`, `3.1M`. */
export const tokens = (n: number): string => {
  if (n < 1_000) return integer(n)
  if (n < 999_950) return `${(n / 1_000).toFixed(1)}k`
  return `${(n / 1_000_000).toFixed(1)}M`
}

/** An amount in US dollars: cents, or two digits that count when it is less than a cent. */
export const dollars = (amount: number): string => {
  if (amount === 0 || amount >= 0.01) {
    const [whole = "0", cents = "00"] = amount.toFixed(2).split(".")
    return `$${integer(Number(whole))}.${cents}`
  }
  return `$${amount.toPrecision(2)}`
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const pair = (n: number, large: number, small: number, names: readonly [string, string]): string => {
  const rest = Math.floor((n % large) / small)
  return `${integer(Math.floor(n / large))} ${names[0]}${rest === 0 ? "" : ` ${rest} ${names[1]}`}`
}

/** A length of time given in milliseconds: `0.4 ms`, `38 ms`, `1.2 s`, `4 min 10 s`, `5 h 12 min`, `3 d 4 h`. */
export const duration = (ms: number): string => {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < HOUR) return pair(ms, MINUTE, SECOND, ["min", "s"])
  return ms < DAY ? pair(ms, HOUR, MINUTE, ["h", "min"]) : pair(ms, DAY, HOUR, ["d", "h"])
}

/** A moment given as ISO 8601: `2025-12-17 19:39 UTC`. What cannot be read is undefined. */
export const moment = (iso: string): string | undefined => {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? undefined : `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`
}
