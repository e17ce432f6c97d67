/** What many measurements of one thing amount to. Pure. */

export interface Summary {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly samples: ReadonlyArray<number>
}

/** The value below which a share of the values lies, 0 to 1, between two of them in proportion. NaN of no values. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = Float64Array.from(values).sort()
  const place = Math.min(Math.max(share, 0), 1) * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

export const summarise = (samples: ReadonlyArray<number>): Summary => ({
  median: median(samples),
  low: quantile(samples, 0),
  high: quantile(samples, 1),
  samples,
})

/** One value over another of the same round: what disturbs the machine in a round disturbs both. As long as the shorter list. */
export const ratios = (above: ReadonlyArray<number>, below: ReadonlyArray<number>): ReadonlyArray<number> =>
  above.slice(0, below.length).map((value, round) => value / (below[round] ?? Number.NaN))
