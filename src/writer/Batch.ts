/**
 * Natural group commit: how many of a file's waiting records go into its next part.
 *
 * Whatever queued while the last part was written and synced goes together, up to the limits. Files share no limit: a file whose part is
 * under way for long takes nothing from the others.
 */

export interface BatchLimits {
  readonly bytes: number
  readonly records: number
}

/** How many records from an index on a part takes: as many as fit, and at least one when any is there, however large. Linear in them. */
export const countOf = (waiting: ReadonlyArray<{ readonly size: number }>, from: number, limits: BatchLimits): number => {
  let bytes = 0
  let count = 0
  for (let at = from; at < waiting.length; at++) {
    bytes += waiting[at]?.size ?? 0
    if (count > 0 && (count >= limits.records || bytes > limits.bytes)) break
    count += 1
  }
  return count
}
