/**
 * The laws of the fold, for any model: a host can hold its own model to them.
 *
 * They are functions of what is to be judged, so this file lists no laws of its own; `laws/tree.ts` and `laws/ledger.ts` do.
 */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import type { SessionModel } from "../src/model/Model.ts"
import { replay } from "../src/model/Model.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

/** A model, records to fold, and everything that can be told from a state. */
export interface Subject<State, Command, Rec, Rejection> {
  /** What the model is of, as in "tree". */
  readonly name: string
  readonly model: SessionModel<State, Command, Rec, Rejection>
  /** Records as a file may hold them, the broken ones included. */
  readonly records: fc.Arbitrary<ReadonlyArray<Rec>>
  /** Equal states give equal JSON; states that a host could tell apart do not. */
  readonly observe: (state: State) => Json
  readonly runs?: number
  /** Of a deep run. Twenty times `runs` when absent. */
  readonly deepRuns?: number
}

const frozen = <A>(value: A): A => {
  const open: Array<unknown> = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    open.push(...Object.values(next))
  }
  return value
}

const expectSame = (what: string, actual: string, expected: string): void => {
  if (actual !== expected) throw new Error(`${what}\n  is     ${actual}\n  not    ${expected}`)
}

/** Every state from the first to the last, and what could be told from each when it was made. */
const unfold = <S, C, R, E>(
  { model, observe }: Subject<S, C, R, E>,
  records: ReadonlyArray<R>,
  from: S,
): { readonly states: ReadonlyArray<S>; readonly seen: ReadonlyArray<string> } => {
  const states = [from]
  const seen = [toText(observe(from))]
  let state = from
  for (const record of records) {
    state = model.evolve(Object.freeze(state), frozen(record))
    states.push(state)
    seen.push(toText(observe(state)))
  }
  return { states, seen }
}

const fold = <S, C, R, E>(subject: Subject<S, C, R, E>, budget: Budget): void => {
  const { model, observe, records } = subject
  const coverage = new Coverage()
  const property = fc.property(records, fc.nat(), fc.nat(), (all, cutAt, forkAt) => {
    const { states, seen } = unfold(subject, all, model.initial)
    const whole = seen.at(-1) ?? ""
    const cut = cutAt % (all.length + 1)
    const rest = replay(model, all.slice(cut), replay(model, all.slice(0, cut)))
    expectSame("the fold of the rest over the first part", toText(observe(rest)), whole)
    // A state that other records were read after keeps its answers, and so do the states that came after it.
    const fork = forkAt % (all.length + 1)
    const forked = states[fork] ?? model.initial
    expectSame("a second fold from a state", toText(observe(replay(model, all.slice(fork), forked))), whole)
    replay(model, all, forked)
    states.forEach((state, n) => {
      expectSame(`the state after ${n} records, looked at later`, toText(observe(state)), seen[n] ?? "")
    })
    coverage.hit("no records", all.length === 0)
    coverage.hit("cut in the middle", cut > 0 && cut < all.length)
    coverage.hit("records after a fork", fork < all.length - 1)
  })
  fc.assert(property, parameters(budget))
  coverage.demand(budget, ["no records", "cut in the middle", "records after a fork"], 300)
}

/** RPL-2 for a model: the fold can be cut anywhere, is total, and leaves every state that it was given as it was. */
export const rpl2 = <S, C, R, E>(subject: Subject<S, C, R, E>): Law => ({
  id: "RPL-2",
  sentence: `For the ${subject.name}: replay(xs ++ ys) = fold(replay xs, ys); evolve is total and never mutates the state it was given.`,
  runs: subject.runs ?? 300,
  deepRuns: subject.deepRuns,
  check: (budget) => fold(subject, budget),
})

/** Throws unless the codec gives back every member of every object as it came, in the order in which it came. */
export const expectOpenCodec = <S, C, R, E>({ codec }: SessionModel<S, C, R, E>, json: JsonObject): void => {
  expectSame("the record that went through the codec", toText(codec.encode(codec.decode(json))), toText(json))
}
