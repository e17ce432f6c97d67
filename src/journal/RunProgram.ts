/**
 * The program that passes plain messages, one behind the other, as functions of the scanner's module.
 *
 * A **plain message** is a record with a newline behind it that nothing needs to be asked about: it has an outline; its `type` is
 * "message", its `message` an object, its `timestamp` a string; its `id`, and its `parentId` unless that is null, is a string of 1 to
 * MAX_PLAIN_UNITS characters of ASCII without an escape; it has no `_c`, and no string in it begins with a prefix. Of several members under one
 * key the last counts.
 *
 *     messages(from, maxDepth) → how many stand from `from` on, up to MAX_RUN, with what ScanLayout.ts says noted of each
 *
 * Where it ends before, END_AT tells whether a record with an outline stands behind them, which is then the one whose members are noted.
 */

import { FIRST_HASH, HASH_FACTOR, HASH_MIXER, HASH_SHIFTS, MAX_PLAIN_UNITS, NO_PARENT, PARENT_BEFORE } from "../model/Packed.ts"
import type { Code, Local } from "./Assembly.ts"
import * as wasm from "./Assembly.ts"
import {
  COUNT_AT,
  END_AT,
  ENDS_AT,
  FIRST_TEXT,
  HASHES_AT,
  HIGH_AT,
  ID_ENDS_AT,
  IDS_AT,
  MAX_RUN,
  MEMBERS_AT,
  PARENT_ENDS_AT,
  PARENTS_AT,
  PREFIXED_AT,
} from "./ScanLayout.ts"

const { i32, all, add, sub, and, or, eq, ne, lt, gt, ge, load8, load32, store32, when, give, loop, goIf, code, word } = wasm

const [KEY_FROM, KEY_TO, VALUE_FROM, VALUE_TO] = [MEMBERS_AT, MEMBERS_AT + 4, MEMBERS_AT + 8, MEMBERS_AT + 12]

/** Whether a text of at least two characters stands at `at`, four at a time; the last four may have been looked at. */
const spells = (at: Code, text: string): Code => {
  if (text.length < 4) return eq(and(load32(at), i32(0xffff)), i32(word(`${text}\0\0`)))
  const places = Array.from({ length: Math.ceil(text.length / 4) }, (_, n) => Math.min(4 * n, text.length - 4))
  return places.map((place) => eq(load32(at, place), i32(word(text.slice(place, place + 4))))).reduce((a, b) => and(a, b))
}

/** Whether the string with its quotes at `[from, to)` is one that an id may be. */
const isShort = wasm.func({ parameters: 2, locals: [wasm.I32], exportedAs: undefined }, (...held) => {
  const [from, to, byte] = held as unknown as readonly [Local, Local, Local]
  return all(
    when(ne(load8(from.get), i32(code('"'))), give(i32(0))),
    from.set(add(from.get, i32(1))),
    to.set(sub(to.get, i32(1))),
    when(gt(sub(sub(to.get, from.get), i32(1)), i32(MAX_PLAIN_UNITS - 1)), give(i32(0))),
    loop((next) =>
      all(
        byte.set(load8(from.get)),
        when(or(gt(byte.get, i32(0x7f)), eq(byte.get, i32(code("\\")))), give(i32(0))),
        from.set(add(from.get, i32(1))),
        goIf(next, lt(from.get, to.get)),
      ),
    ),
    i32(1),
  )
})

/** The places of the functions that are called, in the module. */
interface Called {
  readonly scan: number
  readonly isUtf8: number
  readonly isShort: number
  readonly isSame: number
  readonly keepId: number
}

/** Of the last member under each key, 16 times its number, counted from 1; 0 for none. */
interface Named {
  readonly type: Local
  readonly id: Local
  readonly parentId: Local
  readonly timestamp: Local
  readonly message: Local
  readonly _c: Local
}

/** Finds the members by their keys. `member` goes over them; `from` and `length` are used for a moment. */
const find = (named: Named, member: Local, from: Local, length: Local): Code =>
  all(
    ...Object.values(named).map((each) => each.set(i32(0))),
    member.set(i32(0)),
    loop((next) =>
      all(
        from.set(load32(member.get, KEY_FROM)),
        length.set(sub(load32(member.get, KEY_TO), from.get)),
        member.set(add(member.get, i32(16))),
        ...Object.entries(named).map(([key, each]) =>
          when(eq(length.get, i32(key.length)), when(spells(from.get, key), each.set(member.get))),
        ),
        goIf(next, lt(member.get, wasm.shiftLeft(load32(i32(0), COUNT_AT), i32(4)))),
      ),
    ),
  )

const valueFrom = (member: Local): Code => load32(sub(member.get, i32(16)), VALUE_FROM)
const valueTo = (member: Local): Code => load32(sub(member.get, i32(16)), VALUE_TO)

const begins = (member: Local, sign: string): Code => eq(load8(valueFrom(member)), i32(code(sign)))

/** Leaves the function, with what has been counted, unless a condition holds. */
const need = (condition: Code, count: Local): Code => when(wasm.isZero(condition), give(count.get))

/** Passes the record that begins at `at`, if it has an outline and a newline behind it. */
const prove = (called: Called, at: Local, maxDepth: Local, end: Local, count: Local): Code =>
  all(
    store32(i32(0), i32(0), END_AT),
    end.set(wasm.call(called.scan, at.get, maxDepth.get)),
    need(ge(end.get, i32(FIRST_TEXT)), count),
    need(eq(load8(end.get), i32(code("\n"))), count),
    when(load32(i32(0), HIGH_AT), need(wasm.call(called.isUtf8, at.get, end.get), count)),
    store32(i32(0), end.get, END_AT),
  )

/** Leaves the function unless the record that was proven is a plain message. */
const judge = (called: Called, { type, id, parentId, timestamp, message, _c }: Named, count: Local): Code =>
  all(
    need(and(wasm.isZero(load32(i32(0), PREFIXED_AT)), wasm.isZero(_c.get)), count),
    ...[type, id, parentId, timestamp, message].map((member) => need(member.get, count)),
    need(eq(sub(valueTo(type), valueFrom(type)), i32('"message"'.length)), count),
    need(spells(valueFrom(type), '"message"'), count),
    need(and(begins(message, "{"), begins(timestamp, '"')), count),
    need(wasm.call(called.isShort, valueFrom(id), valueTo(id)), count),
    when(wasm.isZero(begins(parentId, "n")), need(wasm.call(called.isShort, valueFrom(parentId), valueTo(parentId)), count)),
  )

/** Whether `length` bytes, at least one, are the same in two places. */
const isSame = wasm.func({ parameters: 3, locals: [], exportedAs: undefined }, (...held) => {
  const [a, b, length] = held as Required<Readonly<[Local, Local, Local]>>
  return all(
    loop((next) =>
      all(
        when(ne(load8(a.get), load8(b.get)), give(i32(0))),
        a.set(add(a.get, i32(1))),
        b.set(add(b.get, i32(1))),
        goIf(next, length.tee(sub(length.get, i32(1)))),
      ),
    ),
    i32(1),
  )
})

/** Puts an id behind the others, at `into`, and notes its hash, that of KeyTable.ts. Returns where it ends there. */
const keepId = wasm.func({ parameters: 4, locals: [wasm.I32, wasm.I32], exportedAs: undefined }, (...held) => {
  const [from, to, into, mark, hash, byte] = held as Required<Readonly<[Local, Local, Local, Local, Local, Local]>>
  const mix = (by: number): Code => hash.set(wasm.xor(hash.get, wasm.shiftRight(hash.get, i32(by))))
  return all(
    hash.set(i32(FIRST_HASH)),
    loop((next) =>
      all(
        wasm.store8(into.get, byte.tee(load8(from.get))),
        hash.set(wasm.multiply(wasm.xor(hash.get, byte.get), i32(HASH_FACTOR))),
        into.set(add(into.get, i32(1))),
        from.set(add(from.get, i32(1))),
        goIf(next, lt(from.get, to.get)),
      ),
    ),
    mix(HASH_SHIFTS[0]),
    hash.set(wasm.multiply(hash.get, i32(HASH_MIXER))),
    mix(HASH_SHIFTS[1]),
    store32(mark.get, hash.get, HASHES_AT),
    into.get,
  )
})

/** The functions that only `messages` calls, in the order of the module. */
export const helpers: ReadonlyArray<wasm.Func> = [isShort, isSame, keepId]

/** Where the characters of an id or of a parent's id stand. */
const textFrom = (member: Local): Code => add(valueFrom(member), i32(1))
const textTo = (member: Local): Code => sub(valueTo(member), i32(1))

interface Kept {
  /** Four times the number of the message. */
  readonly mark: Local
  /** Where the last id that is kept begins and ends. */
  readonly from: Local
  readonly to: Local
}

/** Notes the parent of a message: one that is that before it by its place. `length` is used for a moment. */
const keepParent = (called: Called, parentId: Local, { mark, from, to }: Kept, length: Local): Code =>
  all(
    store32(mark.get, i32(NO_PARENT), PARENTS_AT),
    when(
      begins(parentId, '"'),
      all(
        store32(mark.get, textFrom(parentId), PARENTS_AT),
        store32(mark.get, textTo(parentId), PARENT_ENDS_AT),
        length.set(sub(textTo(parentId), textFrom(parentId))),
        when(
          and(ne(mark.get, i32(0)), eq(length.get, sub(to.get, from.get))),
          when(
            wasm.call(called.isSame, from.get, textFrom(parentId), length.get),
            store32(mark.get, i32(PARENT_BEFORE), PARENTS_AT),
          ),
        ),
      ),
    ),
  )

export const messages = (called: Called): wasm.Func =>
  wasm.func({ parameters: 2, locals: Array<typeof wasm.I32>(13).fill(wasm.I32), exportedAs: "messages" }, (...held) => {
    const [at, maxDepth, end, count, mark, lastFrom, lastTo, member, place, type, id, parentId, timestamp, message, _c] =
      held as Required<
        Readonly<[Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local, Local]>
      >
    const named: Named = { type, id, parentId, timestamp, message, _c }
    const kept: Kept = { mark, from: lastFrom, to: lastTo }
    return all(
      lastTo.set(i32(IDS_AT)),
      loop((next) =>
        all(
          prove(called, at, maxDepth, end, count),
          need(load32(i32(0), COUNT_AT), count),
          find(named, member, place, at),
          judge(called, named, count),
          keepParent(called, parentId, kept, place),
          lastFrom.set(lastTo.get),
          lastTo.set(wasm.call(called.keepId, textFrom(id), textTo(id), lastFrom.get, mark.get)),
          store32(mark.get, lastTo.get, ID_ENDS_AT),
          store32(mark.get, end.get, ENDS_AT),
          mark.set(add(mark.get, i32(4))),
          count.set(add(count.get, i32(1))),
          at.set(add(end.get, i32(1))),
          goIf(next, lt(count.get, i32(MAX_RUN))),
        ),
      ),
      count.get,
    )
  })
