/**
 * What a decision may know of the world outside its state: one clock reading and a source of fresh ids.
 *
 * The runtime makes a stamp for each command; `decide` stays pure, and a law can replay any stamp.
 */
export interface Stamp {
  /** Milliseconds since the epoch, an integer. */
  readonly at: number
  /** At least 16 bytes of randomness as lower-case hex. Equal entropy gives equal ids. */
  readonly entropy: string
}

/** The last time that was written out: many records are made in one millisecond. */
let lastAt = Number.NaN
let lastTime = ""

/** The stamp's time as records carry it: ISO 8601 in UTC with milliseconds. */
export const isoTime = ({ at }: Stamp): string => {
  if (at !== lastAt) {
    lastTime = new Date(at).toISOString()
    lastAt = at
  }
  return lastTime
}
