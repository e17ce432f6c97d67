/**
 * The program that proves a stretch of bytes to be one record, as a WebAssembly module: the grammar of Grammar.ts, sixteen bytes at a
 * time where they are those of a string.
 *
 *     scan(from, maxDepth) → where the record ends that begins at `from` with its brace, or a reason below FIRST_TEXT
 *     isUtf8(from, to)     → 1 or 0
 *     messages(from, maxDepth): see RunProgram.ts
 *
 * **What it needs.** Behind the text stands a NUL, which no JSON contains and at which everything here stops, so that nothing else asks
 * where the text ends; and 64 more bytes, which may be looked at and decide nothing.
 *
 * **A string** is looked at 64 bytes at a time. Of each such block four numbers of 64 bits are made, a bit for each byte: which are
 * quotes, backslashes, control characters; and from the backslashes, which bytes are escaped. Of a row of backslashes every second one is,
 * and what follows a row of odd length: adding to the bits of rows carries through to their end, which tells odd from even without a loop.
 * A carry goes from block to block. The first quote that is not escaped ends the string. Up to there no control character may stand,
 * and each escaped byte must be one of `"\/bfnrtu`, which two tables for its halves decide for sixteen bytes at once. Behind a `u` four
 * digits are looked at one by one. So text with many escapes costs no branch for each.
 *
 * **Outside of strings** one byte at a time, in three places: a key, a value, what follows a value. `open` has a byte for each container.
 *
 * **UTF-8** is asked for only when a byte above 0x7f was seen (Utf8Program.ts).
 */

import type { Code, Local } from "./Assembly.ts"
import * as wasm from "./Assembly.ts"
import { MAX_MEMBERS } from "./Grammar.ts"
import { helpers, messages } from "./RunProgram.ts"
import {
  COUNT_AT,
  ESCAPED_KEY,
  HIGH_AT,
  MAX_PREFIX,
  MAX_PREFIXES,
  MEMBERS_AT,
  NOT_GRAMMAR,
  PREFIX_AT,
  PREFIX_BYTES,
  PREFIX_MASK,
  PREFIX_SIGNS,
  PREFIXED_AT,
  TOO_DEEP,
  TOO_MANY_MEMBERS,
} from "./ScanLayout.ts"
import { isUtf8 } from "./Utf8Program.ts"

/** The places of the functions in the module. */
const [HEX, STRING, NUMBER, SCAN, IS_UTF8, IS_SHORT, IS_SAME, KEEP_ID] = [0, 1, 2, 3, 4, 5, 6, 7]

const { i32, i64, all, add, sub, and, or, eq, ne, lt, load8, when, give, block, loop, go, goIf, code, word } = wasm

const fail = (reason: number): Code => give(i32(reason))
const step = (at: Local, by = 1): Code => at.set(add(at.get, i32(by)))

/** Whether a byte lies between two others, both included. */
const within = (byte: Code, low: string, high: string): Code => lt(sub(byte, i32(code(low))), i32(code(high) - code(low) + 1))

/** Whether four hexadecimal digits stand at `at`. */
const hex = wasm.func({ parameters: 1, locals: [wasm.I32, wasm.I32], exportedAs: undefined }, (...[at, n, byte]) => {
  const [AT, N, BYTE] = [at as Local, n as Local, byte as Local]
  return all(
    loop((next) =>
      all(
        BYTE.set(load8(add(AT.get, N.get))),
        when(wasm.isZero(or(within(BYTE.get, "0", "9"), within(or(BYTE.get, i32(0x20)), "a", "f"))), fail(0)),
        step(N),
        goIf(next, lt(N.get, i32(4))),
      ),
    ),
    i32(1),
  )
})

/** Bits of all bytes of a block that `test` finds, from its four vectors. */
const bitsOf = (vectors: ReadonlyArray<Local>, test: (vector: Code) => Code): Code =>
  vectors
    .map((vector, n) => wasm.shiftLeft64(wasm.toI64(wasm.highBits(test(vector.get))), i64(BigInt(16 * n))))
    .reduce((a, b) => wasm.or64(a, b))

const isByte =
  (character: string) =>
  (vector: Code): Code =>
    wasm.equalBytes(vector, wasm.splat(code(character)))

const isControl = (vector: Code): Code => wasm.lessBytes(vector, wasm.splat(0x20))

/**
 * Bytes that may be escaped, by two tables: a bit for each high half that one of them has, and of each low half the bits of the high
 * halves that it stands with. What is found is not zero; bytes above 0x7f have no bit.
 */
const ESCAPABLE = '"\\/bfnrtu'
const HALVES = [...new Set([...ESCAPABLE].map((each) => code(each) >> 4))]
const BY_HIGH = Array.from({ length: 16 }, (_, half) => (HALVES.includes(half) ? 1 << HALVES.indexOf(half) : 0))
const BY_LOW = Array.from({ length: 16 }, (_, half) =>
  [...ESCAPABLE].filter((each) => (code(each) & 15) === half).reduce((bits, each) => bits | (BY_HIGH[code(each) >> 4] ?? 0), 0),
)

const isNotEscapable = (vector: Code): Code =>
  wasm.equalBytes(
    wasm.andBytes(
      wasm.swizzle(wasm.lanes(BY_HIGH), wasm.shiftBytes(vector, 4)),
      wasm.swizzle(wasm.lanes(BY_LOW), wasm.andBytes(vector, wasm.splat(0x0f))),
    ),
    wasm.splat(0),
  )

const ODD = i64(0xaaaa_aaaa_aaaa_aaaan)

/**
 * Which bytes of a block are escaped, from its backslashes: those that are one place behind an odd count of them. `carried`: 1 when the
 * first byte is escaped by the block before; then it is set for the next one.
 */
const escapedBits = (backslashes: Local, carried: Local, escaped: Local, ends: Local): Code =>
  all(
    // A backslash that is itself escaped begins no row.
    ends.set(wasm.and64(backslashes.get, wasm.xor64(carried.get, i64(-1n)))),
    ends.set(wasm.xor64(wasm.sub64(wasm.or64(wasm.shiftLeft64(ends.get, i64(1n)), ODD), ends.get), ODD)),
    escaped.set(wasm.xor64(ends.get, wasm.or64(backslashes.get, carried.get))),
    carried.set(wasm.shiftRight64(wasm.and64(ends.get, backslashes.get), i64(63n))),
  )

/** To behind the quote that closes the string whose first character stands at `at`; 0 when it is none. */
const string = wasm.func(
  {
    parameters: 1,
    locals: [...Array<typeof wasm.V128>(5).fill(wasm.V128), ...Array<typeof wasm.I64>(6).fill(wasm.I64), wasm.I32],
    exportedAs: undefined,
  },
  (...held) => {
    const [at, a, b, c, d, high, quotes, backslashes, carried, escaped, ends, bad, signs] = held as Required<
      Readonly<[Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local]>
    >
    const four = [a, b, c, d]
    const below = wasm.sub64(wasm.and64(ends.get, wasm.sub64(i64(0n), ends.get)), i64(1n))
    return all(
      // A short string without anything special in it, as most are.
      a.set(wasm.load16x8(at.get)),
      signs.set(wasm.highBits(wasm.orBytes(wasm.orBytes(isByte('"')(a.get), isByte("\\")(a.get)), isControl(a.get)))),
      when(
        signs.get,
        all(
          signs.set(add(at.get, wasm.zeros(signs.get))),
          when(
            eq(load8(signs.get), i32(code('"'))),
            all(
              wasm.store32(i32(0), or(wasm.load32(i32(0), HIGH_AT), wasm.highBits(a.get)), HIGH_AT),
              give(add(signs.get, i32(1))),
            ),
          ),
        ),
      ),
      loop((next) =>
        all(
          ...four.map((vector, n) => vector.set(wasm.load16x8(at.get, 16 * n))),
          high.set(four.reduce((sum, vector) => wasm.orBytes(sum, vector.get), high.get)),
          quotes.set(bitsOf(four, isByte('"'))),
          backslashes.set(bitsOf(four, isByte("\\"))),
          bad.set(bitsOf(four, isControl)),
          escaped.set(carried.get),
          when(
            wasm.ne64(wasm.or64(backslashes.get, carried.get), i64(0n)),
            all(
              escapedBits(backslashes, carried, escaped, ends),
              bad.set(wasm.or64(bad.get, wasm.and64(escaped.get, bitsOf(four, isNotEscapable)))),
            ),
          ),
          // From here on `ends` are the quotes that end the string, and only what stands before the first of them counts.
          ends.set(wasm.and64(quotes.get, wasm.xor64(escaped.get, i64(-1n)))),
          when(wasm.ne64(wasm.and64(bad.get, below), i64(0n)), fail(0)),
          unicodeEscapes(at, four, escaped, below, backslashes),
          when(
            wasm.ne64(ends.get, i64(0n)),
            all(
              wasm.store32(i32(0), or(wasm.load32(i32(0), HIGH_AT), wasm.highBits(high.get)), HIGH_AT),
              give(add(add(at.get, wasm.toI32(wasm.zeros64(ends.get))), i32(1))),
            ),
          ),
          step(at, 64),
          go(next),
        ),
      ),
      i32(0),
    )
  },
)

/** Looks behind each escaped `u` for its four digits. `left` is used for what is left to look at. */
const unicodeEscapes = (at: Local, four: ReadonlyArray<Local>, escaped: Local, below: Code, left: Local): Code =>
  when(
    wasm.ne64(escaped.get, i64(0n)),
    all(
      left.set(wasm.and64(wasm.and64(escaped.get, below), bitsOf(four, isByte("u")))),
      block((done) =>
        loop((next) =>
          all(
            goIf(done, wasm.isZero64(left.get)),
            when(wasm.isZero(wasm.call(HEX, add(add(at.get, wasm.toI32(wasm.zeros64(left.get))), i32(1)))), fail(0)),
            left.set(wasm.and64(left.get, wasm.sub64(left.get, i64(1n)))),
            go(next),
          ),
        ),
      ),
    ),
  )

/** Passes digits. */
const digits = (at: Local): Code =>
  block((done) => loop((next) => all(goIf(done, wasm.isZero(within(load8(at.get), "0", "9"))), step(at), go(next))))

/** To behind the number at `at`; 0 when it is none. */
const number = wasm.func({ parameters: 1, locals: [wasm.I32], exportedAs: undefined }, (...held) => {
  const [at, from] = held as readonly [Local, Local]
  const some = all(from.set(at.get), digits(at), when(eq(at.get, from.get), fail(0)))
  return all(
    when(eq(load8(at.get), i32(code("-"))), step(at)),
    some,
    // A zero stands alone.
    when(and(eq(load8(from.get), i32(code("0"))), wasm.gt(sub(at.get, from.get), i32(1))), fail(0)),
    when(eq(load8(at.get), i32(code("."))), all(step(at), some)),
    when(
      eq(or(load8(at.get), i32(0x20)), i32(code("e"))),
      all(step(at), when(or(eq(load8(at.get), i32(code("+"))), eq(load8(at.get), i32(code("-")))), step(at)), some),
    ),
    at.get,
  )
})

const OPENED = 0
const KEY = 1
const VALUE = 2
const AFTER = 3

/** Passes blanks and sets `byte` to what stands behind them. A newline is none: it ends every stretch. */
const skip = (at: Local, byte: Local): Code =>
  block((done) =>
    loop((next) =>
      all(
        byte.set(load8(at.get)),
        goIf(done, wasm.gt(byte.get, i32(0x20))),
        goIf(done, and(and(ne(byte.get, i32(0x20)), ne(byte.get, i32(0x09))), ne(byte.get, i32(0x0d)))),
        step(at),
        go(next),
      ),
    ),
  )

/** Notes whether a prefix stands at `at`, or the part of one and behind it an escape. `other`: the first sign that is another. */
const comparePrefix = (at: Local, other: Local, place: number): Code => {
  const counting = wasm.andBytes(wasm.load16x8(at.get), wasm.load16x8(i32(0), place + PREFIX_MASK))
  const equal = wasm.highBits(wasm.equalBytes(counting, wasm.load16x8(i32(0), place + PREFIX_SIGNS)))
  const isEscape = and(
    eq(load8(add(at.get, other.get)), i32(code("\\"))),
    eq(load8(add(add(at.get, other.get), i32(1))), i32(code("u"))),
  )
  return all(
    other.set(wasm.zeros(sub(i32((1 << 17) - 1), equal))),
    wasm.store32(
      i32(0),
      or(wasm.load32(i32(0), PREFIXED_AT), and(wasm.load32(i32(0), place), or(eq(other.get, i32(MAX_PREFIX)), isEscape))),
      PREFIXED_AT,
    ),
  )
}

/** Passes the string whose quote stands at `at`. `place` is used for a moment. */
const passString = (at: Local, place: Local): Code =>
  all(
    step(at),
    ...Array.from({ length: MAX_PREFIXES }, (_, n) => comparePrefix(at, place, PREFIX_AT + n * PREFIX_BYTES)),
    when(wasm.isZero(at.tee(wasm.call(STRING, at.get))), fail(NOT_GRAMMAR)),
  )

const SCAN_LOCALS = Array<typeof wasm.I32>(7).fill(wasm.I32)

interface Walk {
  readonly at: Local
  readonly depth: Local
  readonly state: Local
  readonly byte: Local
  /** Where the last key begins. */
  readonly from: Local
  /** A place in a key, for a moment. */
  readonly place: Local
  /** Where the last member is noted. */
  readonly member: Local
}

/** Passes a key and its colon. A member of the record is noted. */
const key = ({ at, depth, byte, from, place, member }: Walk): Code =>
  all(
    skip(at, byte),
    when(ne(byte.get, i32(code('"'))), fail(NOT_GRAMMAR)),
    from.set(add(at.get, i32(1))),
    passString(at, place),
    place.set(at.get),
    skip(at, byte),
    when(ne(byte.get, i32(code(":"))), fail(NOT_GRAMMAR)),
    step(at),
    when(
      wasm.isZero(depth.get),
      all(
        skip(at, byte),
        when(eq(wasm.load32(i32(0), COUNT_AT), i32(MAX_MEMBERS)), fail(TOO_MANY_MEMBERS)),
        wasm.store32(i32(0), add(wasm.load32(i32(0), COUNT_AT), i32(1)), COUNT_AT),
        step(member, 16),
        wasm.store32(member.get, from.get, MEMBERS_AT),
        wasm.store32(member.get, sub(place.get, i32(1)), MEMBERS_AT + 4),
        wasm.store32(member.get, at.get, MEMBERS_AT + 8),
        loop((next) =>
          all(when(eq(load8(from.get), i32(code("\\"))), fail(ESCAPED_KEY)), step(from), goIf(next, lt(from.get, place.get))),
        ),
      ),
    ),
  )

/** Notes where the value of a member of the record ends. */
const noteEnd = ({ at, depth, member }: Walk): Code =>
  when(wasm.isZero(depth.get), wasm.store32(member.get, at.get, MEMBERS_AT + 12))

const literal = ({ at, byte }: Walk, text: string): Code =>
  // What begins it is known; the four bytes at its end are the rest.
  when(
    eq(byte.get, i32(code(text.charAt(0)))),
    all(when(ne(wasm.load32(at.get, text.length - 4), i32(word(text.slice(-4)))), fail(NOT_GRAMMAR)), step(at, text.length)),
  )

/** Passes a value, or the sign that opens a container, which goes on at `again`. */
const value = (walk: Walk, maxDepth: Local, again: wasm.Label): Code => {
  const { at, depth, state, byte, place } = walk
  return all(
    skip(at, byte),
    when(
      eq(byte.get, i32(code('"'))),
      passString(at, place),
      all(
        when(
          eq(or(byte.get, i32(0x20)), i32(code("{"))),
          all(
            step(depth),
            when(wasm.ge(depth.get, maxDepth.get), fail(TOO_DEEP)),
            // What closes it is two places behind what opens it.
            wasm.store8(depth.get, add(byte.get, i32(2))),
            step(at),
            state.set(i32(OPENED)),
            go(again),
          ),
        ),
        block((done) =>
          all(
            ...["true", "false", "null"].map((text) =>
              all(literal(walk, text), goIf(done, eq(byte.get, i32(code(text.charAt(0)))))),
            ),
            when(wasm.isZero(at.tee(wasm.call(NUMBER, at.get))), fail(NOT_GRAMMAR)),
          ),
        ),
      ),
    ),
    noteEnd(walk),
  )
}

/** Passes a comma or what closes the container; at the end of the record gives where that is. */
const after = (walk: Walk, again: wasm.Label): Code => {
  const { at, depth, state, byte } = walk
  return all(
    skip(at, byte),
    step(at),
    when(
      eq(byte.get, i32(code(","))),
      all(state.set(i32(KEY)), when(eq(load8(depth.get), i32(code("]"))), state.set(i32(VALUE))), go(again)),
    ),
    when(ne(byte.get, load8(depth.get)), fail(NOT_GRAMMAR)),
    when(wasm.isZero(depth.get), give(at.get)),
    depth.set(sub(depth.get, i32(1))),
    noteEnd(walk),
    state.set(i32(AFTER)),
    go(again),
  )
}

const scan = wasm.func({ parameters: 2, locals: SCAN_LOCALS, exportedAs: "scan" }, (...held) => {
  const [start, maxDepth, at, depth, state, byte, from, place, member] = held as Required<
    Readonly<[Local, Local, Local, Local, Local, Local, Local, Local, Local]>
  >
  const walk: Walk = { at, depth, state, byte, from, place, member }
  return all(
    ...[COUNT_AT, HIGH_AT, PREFIXED_AT].map((place) => wasm.store32(i32(0), i32(0), place)),
    when(ne(load8(start.get), i32(code("{"))), fail(NOT_GRAMMAR)),
    wasm.store8(i32(0), i32(code("}"))),
    at.set(add(start.get, i32(1))),
    member.set(i32(-16)),
    loop((again) =>
      all(
        block((toAfter) =>
          all(
            block((toValue) =>
              all(
                block((toKey) =>
                  all(
                    block((toOpened) => wasm.goTable([toOpened, toKey, toValue, toAfter], state.get)),
                    skip(at, byte),
                    goIf(toAfter, eq(byte.get, load8(depth.get))),
                    goIf(toValue, eq(load8(depth.get), i32(code("]")))),
                  ),
                ),
                key(walk),
              ),
            ),
            value(walk, maxDepth, again),
          ),
        ),
        after(walk, again),
      ),
    ),
    i32(0),
  )
})

/** The module. It imports its memory as `host.memory`. */
export const scanModule = (): Uint8Array<ArrayBuffer> =>
  wasm.moduleOf(1, [
    ...[hex, string, number, scan, isUtf8],
    ...helpers,
    messages({ scan: SCAN, isUtf8: IS_UTF8, isShort: IS_SHORT, isSame: IS_SAME, keepId: KEEP_ID }),
  ])
