/**
 * The program that tells whether bytes are UTF-8, sixteen at a time, as a function of the scanner's module.
 *
 * By the tables of Keiser and Lemire ("Validating UTF-8 in less than one instruction per byte", 2020): three look-ups, by the halves of a
 * byte and the high half of the next, say what is wrong with the two.
 */
import type { Code, Local } from "./Assembly.ts"
import * as wasm from "./Assembly.ts"

const { i32, add, and, sub, when, give, loop, goIf, lt, all } = wasm

/** What may be wrong with two bytes that follow each other, a bit for each. */
const SHORT = 1
const LONG = 2
const OVERLONG_3 = 4
const LARGE = 8
const SURROGATE = 16
const OVERLONG_2 = 32
const LARGE_1000 = 64
const OVERLONG_4 = 64
const TWO_INNER = 128
const ANY = SHORT | LONG | TWO_INNER

const times = (count: number, bits: number): ReadonlyArray<number> => Array<number>(count).fill(bits)

/** By the high half of the first byte, by its low half, and by the high half of the second one. */
const FIRST_HIGH = [
  ...times(8, LONG),
  ...times(4, TWO_INNER),
  ...[SHORT | OVERLONG_2, SHORT, SHORT | OVERLONG_3 | SURROGATE, SHORT | LARGE | LARGE_1000 | OVERLONG_4],
]
const FIRST_LOW = [
  ...[ANY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4, ANY | OVERLONG_2, ANY, ANY, ANY | LARGE],
  ...times(8, ANY | LARGE | LARGE_1000),
  ...[ANY | LARGE | LARGE_1000 | SURROGATE, ANY | LARGE | LARGE_1000, ANY | LARGE | LARGE_1000],
]
const INNER = LONG | OVERLONG_2 | TWO_INNER
const SECOND_HIGH = [
  ...times(8, SHORT),
  ...[INNER | OVERLONG_3 | LARGE_1000 | OVERLONG_4, INNER | OVERLONG_3 | LARGE],
  ...times(2, INNER | SURROGATE | LARGE),
  ...times(4, SHORT),
]

/** What is wrong with the sixteen bytes of `now`, behind those of `before`. */
const wrong = (before: Local, now: Local): Code => {
  const behind = (count: number): Code => wasm.joined(before.get, now.get, 16 - count)
  const pairs = [
    wasm.swizzle(wasm.lanes(FIRST_HIGH), wasm.shiftBytes(behind(1), 4)),
    wasm.swizzle(wasm.lanes(FIRST_LOW), wasm.andBytes(behind(1), wasm.splat(0x0f))),
    wasm.swizzle(wasm.lanes(SECOND_HIGH), wasm.shiftBytes(now.get, 4)),
  ].reduce(wasm.andBytes)
  // Two inner bytes in a row are right, and needed, as the third of three and as the third and fourth of four.
  const needed = wasm.orBytes(
    wasm.lessenBytes(behind(2), wasm.splat(0xe0 - 0x80)),
    wasm.lessenBytes(behind(3), wasm.splat(0xf0 - 0x80)),
  )
  return wasm.xorBytes(wasm.andBytes(needed, wasm.splat(0x80)), pairs)
}

/** Whether a stretch that ends with a byte of ASCII is UTF-8. */
export const isUtf8 = wasm.func(
  { parameters: 2, locals: [wasm.V128, wasm.V128, wasm.V128, wasm.I32], exportedAs: "isUtf8" },
  (...held) => {
    const [at, to, before, now, found, seen] = held as Required<Readonly<[Local, Local, Local, Local, Local, Local]>>
    return all(
      loop((next) =>
        all(
          now.set(wasm.load16x8(at.get)),
          when(
            wasm.anyBit(wasm.andBytes(wasm.orBytes(before.get, now.get), wasm.splat(0x80))),
            all(
              found.set(wrong(before, now)),
              // A bit for each byte with something wrong, of those before the end.
              seen.set(and(sub(i32(0xffff), wasm.highBits(wasm.equalBytes(found.get, wasm.splat(0)))), before16(at, to))),
              when(seen.get, give(i32(0))),
            ),
          ),
          before.set(now.get),
          at.set(add(at.get, i32(16))),
          goIf(next, lt(at.get, to.get)),
        ),
      ),
      i32(1),
    )
  },
)

/** A bit for each of the sixteen bytes from `at` that stands before `to`. */
const before16 = (at: Local, to: Local): Code => sub(wasm.shiftLeft(i32(1), wasm.least(sub(to.get, at.get), i32(16))), i32(1))
