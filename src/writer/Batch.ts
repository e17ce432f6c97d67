/**
 * Natural group commit: which of the waiting records go into the next batch.
 *
 * Whatever queued while the last batch was written and synced goes together, up to the limits. Files take turns, so that a busy
 * one cannot starve another; within a file the order is the order of submission.
 */

export interface Waiting {
  /** Bytes of each waiting record, its newline included, in order. */
  readonly sizes: ReadonlyArray<number>
}

export interface BatchLimits {
  readonly bytes: number
  readonly records: number
}

/**
 * For each file, in the given order, how many of its waiting records the next batch takes. At least one record is taken when any
 * is waiting, however large it is. Cost: linear in the number of records taken and files.
 */
export const share = (files: ReadonlyArray<Waiting>, limits: BatchLimits): ReadonlyArray<number> => {
  const taken = files.map(() => 0)
  let bytes = 0
  let records = 0
  let open = files.map((_, index) => index)
  while (open.length > 0) {
    const next: Array<number> = []
    for (const index of open) {
      const size = files[index]?.sizes[taken[index] ?? 0]
      if (size === undefined) continue
      if (records > 0 && (records >= limits.records || bytes + size > limits.bytes)) continue
      taken[index] = (taken[index] ?? 0) + 1
      bytes += size
      records += 1
      next.push(index)
    }
    open = next
  }
  return taken
}
