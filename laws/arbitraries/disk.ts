import * as fc from "fast-check"

/** Lengths around the borders at which a power cut tears: nothing, a byte, a page, a block. */
const edges = [0, 1, 2, 511, 512, 513, 1024, 4095, 4096, 4097]

/** A length of a small file, often at a border. */
export const length = (most: number): fc.Arbitrary<number> =>
  fc.oneof(fc.nat({ max: Math.min(most, 64) }), fc.nat({ max: most }), fc.constantFrom(...edges.filter((edge) => edge <= most)))

/** Bytes without a NUL, so that a hole left by a power cut can be told from them. */
export const content = (most: number): fc.Arbitrary<Uint8Array> =>
  fc
    .record({ length: length(most), first: fc.nat({ max: 254 }) })
    .map(({ length, first }) => Uint8Array.from({ length }, (_, at) => 1 + ((first + at * 7) % 255)))

/** Answers for a `listChooser`: few, so that shrinking finds the fewest losses. */
export const answers: fc.Arbitrary<ReadonlyArray<number>> = fc.array(fc.nat({ max: 4096 }), { maxLength: 24, size: "max" })

/** A fraction from 0 up to 1, evenly spread (`fc.double` prefers the smallest). */
export const fraction: fc.Arbitrary<number> = fc.nat({ max: 999 }).map((n) => n / 1000)

/** The codes with which a disk refuses what changes it. */
export const refusals = ["EIO", "ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EMFILE", "EINTR"] as const

/** How an operation somewhere in a run is refused. */
export interface Refusal {
  /** Which operation, as a fraction of the run, from 0 up to 1. */
  readonly at: number
  readonly code: (typeof refusals)[number]
  readonly sticky: boolean
  readonly short: number | undefined
}

export const refusal: fc.Arbitrary<Refusal> = fc.record({
  at: fraction,
  code: fc.constantFrom(...refusals),
  sticky: fc.boolean(),
  short: fc.option(fc.nat({ max: 600 }), { nil: undefined }),
})
