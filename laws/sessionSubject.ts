/**
 * The law of sessions, for a session of any model: a host can hold its own to it.
 *
 * A function of what is to be judged; `laws/session.ts` lists it for the sessions of a tree on a disk. {@link inMemory} opens a session of
 * a host's model over a journal in memory.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { make as makeJournal } from "../src/journal/MemoryJournal.ts"
import type { Json } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import { replay, type SessionModel } from "../src/model/Model.ts"
import { makeRedactor, type Redactor } from "../src/redaction/Redactor.ts"
import { make as makeSession, type Session } from "../src/session/Session.ts"
import { stamps } from "./arbitraries/stamps.ts"
import type { Law } from "./Law.ts"
import { Coverage, parameters } from "./Law.ts"
import { demand, read, same } from "./Reading.ts"

/** A session that has just been opened. */
export interface OpenSession<State, Command, Rec, Rejection, E = never> {
  readonly session: Session<State, Command, Rec, Rejection, E>
  /** The state that the journal amounts to, read and decoded anew. Fails for a journal that cannot be read whole. */
  readonly replayed: Effect.Effect<State, unknown>
}

export interface SessionSubject<State, Command, Rec, Rejection, E = never> {
  /** A new session, another one each time. Its scope is closed when it has been judged. */
  readonly open: Effect.Effect<OpenSession<State, Command, Rec, Rejection, E>, unknown, Scope.Scope>
  /** What is dispatched, one by one, each made of the state that it comes to. Those that are refused belong to it. */
  readonly commands: fc.Arbitrary<ReadonlyArray<(state: State) => Command>>
  /**
   * Equal states give equal JSON; states that a host could tell apart do not. Of what redaction takes out it shows what redaction leaves:
   * the live state has it, and the replay does not.
   */
  readonly observe: (state: State) => Json
  /** The classes of cases that a state belongs to, and those that an ordinary run must reach. */
  readonly classes?: ((state: State) => ReadonlyArray<string>) | undefined
  readonly reaches?: ReadonlyArray<string> | undefined
  readonly runs?: number | undefined
  /** Of a deep run. Twenty times `runs` when absent. */
  readonly deepRuns?: number | undefined
}

const judged = <State, Command, Rec, Rejection, E>(
  { open, observe, classes }: SessionSubject<State, Command, Rec, Rejection, E>,
  commands: ReadonlyArray<(state: State) => Command>,
  coverage: Coverage,
) =>
  Effect.gen(function* () {
    const { session, replayed } = yield* Effect.orDie(open)
    let isWritten = false
    for (const command of commands) {
      const before = yield* session.state
      const done = yield* Effect.result(session.dispatch(command(before), "synced"))
      const live = yield* session.state
      const isDone = Result.isSuccess(done) && done.success.seq > 0
      coverage.hit("refused", Result.isFailure(done))
      if (!isDone) demand(live === before, "a command that wrote nothing changed the state")
      isWritten ||= isDone
      // Nothing that was refused may be in the journal either, but a session that has written nothing need not have one.
      if (!isWritten) continue
      same(
        toText(observe(yield* Effect.orDie(replayed))),
        toText(observe(live)),
        "the replay of the journal is not the live state",
      )
      coverage.hit("a prefix compared")
      for (const name of classes?.(live) ?? []) coverage.hit(name)
    }
  })

/** Law RPL-1 for a session of any model. Cost: a session for each case, and a replay for each command. */
export const rpl1 = <State, Command, Rec, Rejection, E = never>(
  subject: SessionSubject<State, Command, Rec, Rejection, E>,
): Law => ({
  id: "RPL-1",
  sentence:
    "For any sequence of commands, the replay of the journal equals the live state seen through redaction, after every command.",
  runs: subject.runs ?? 100,
  deepRuns: subject.deepRuns,
  check: async (budget) => {
    const coverage = new Coverage()
    const holds = (commands: ReadonlyArray<(state: State) => Command>): Promise<void> =>
      Effect.runPromise(Effect.scoped(judged(subject, commands, coverage)))
    await fc.assert(fc.asyncProperty(subject.commands, holds), parameters(budget))
    coverage.demand(budget, ["a prefix compared", ...(subject.reaches ?? [])])
  },
})

/** Opens a session of a model over a journal in memory. The redactor knows formats and names, and no environment, unless one is given. */
export const inMemory = <State, Command, Rec, Rejection>(
  model: SessionModel<State, Command, Rec, Rejection>,
  redactor: Redactor = makeRedactor({ environment: {} }),
): Effect.Effect<OpenSession<State, Command, Rec, Rejection>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* makeJournal
    const session = yield* makeSession({
      model,
      redactor,
      state: model.initial,
      stamp: stamps(),
      open: Effect.succeed({ journal }),
    })
    const replayed = Effect.map(journal.lines, (lines) => {
      const bytes = new TextEncoder().encode(lines.map(({ text }) => `${text}\n`).join(""))
      const { records, damages } = read([bytes])
      same(damages, [], "the journal is damaged")
      return replay(
        model,
        records.map(({ value }) => model.codec.decode(value)),
      )
    })
    return { session, replayed }
  })
