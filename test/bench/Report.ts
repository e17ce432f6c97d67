/** What the bench says to machines: `bench-report.json`. */
import * as Schema from "effect/Schema"

/** One figure of one party. */
const Figure = Schema.Struct({
  name: Schema.String,
  unit: Schema.String,
  median: Schema.Finite,
  low: Schema.Finite,
  high: Schema.Finite,
  /** One for each round. */
  samples: Schema.Array(Schema.Finite),
})

/** A target against what was measured. */
const Verdict = Schema.Struct({
  target: Schema.String,
  /** What must be at least, or at most, `wanted`. Absent when it could not be measured. */
  measured: Schema.optionalKey(Schema.Finite),
  low: Schema.optionalKey(Schema.Finite),
  high: Schema.optionalKey(Schema.Finite),
  wanted: Schema.Finite,
  direction: Schema.Literals(["at-least", "at-most"]),
  outcome: Schema.Literals(["met", "missed", "not-measured"]),
  /** By how much it was missed: 2 means half as good as wanted. */
  factor: Schema.optionalKey(Schema.Finite),
  /** Why it could not be measured. */
  why: Schema.optionalKey(Schema.String),
})

const Entry = Schema.Struct({
  id: Schema.String,
  work: Schema.String,
  /** What the figures hold: redaction, receipts, syncs. */
  includes: Schema.String,
  rounds: Schema.Finite,
  /** The machine's load before and after, over one minute. */
  load: Schema.Array(Schema.Finite),
  figures: Schema.Array(Figure),
  verdicts: Schema.Array(Verdict),
  /** What failed on the way, in words. */
  failures: Schema.Array(Schema.String),
})

const Peer = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  isHere: Schema.Boolean,
  why: Schema.optionalKey(Schema.String),
})

/** A line of a plot. */
const Series = Schema.Struct({
  name: Schema.String,
  points: Schema.Array(Schema.Struct({ x: Schema.Finite, y: Schema.Finite })),
})

const Growth = Schema.Struct({
  name: Schema.String,
  title: Schema.String,
  x: Schema.String,
  y: Schema.String,
  series: Schema.Array(Series),
})

export const Report = Schema.Struct({
  version: Schema.Literal(1),
  time: Schema.String,
  isQuick: Schema.Boolean,
  /** Seconds that all of it took. */
  seconds: Schema.Finite,
  machine: Schema.Struct({
    node: Schema.String,
    platform: Schema.String,
    cores: Schema.Finite,
    /** Bytes. */
    memory: Schema.Finite,
  }),
  peers: Schema.Array(Peer),
  entries: Schema.Array(Entry),
  growth: Schema.Array(Growth),
})

export type Report = typeof Report.Type
export type Entry = typeof Entry.Type
export type Figure = typeof Figure.Type
export type Verdict = typeof Verdict.Type
export type Growth = typeof Growth.Type

/** Reads a report; throws what is wrong with it. */
export const readReport: (given: unknown) => Report = Schema.decodeUnknownSync(Report)
