/** What a host saw of a journal, and what every journal must therefore hold: the rules that all laws of journals judge by. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { JournalShape, Level } from "../src/journal/Journal.ts"
import type { CleanLine } from "../src/redaction/CleanLine.ts"
import type { WriteError } from "../src/writer/WriteError.ts"

const whole = (lines: ReadonlyArray<string>): string => lines.map((text) => `${text}\n`).join("")

/** Fails unless a content is a beginning of these lines and no shorter than the first `atLeast` of them. */
export const expectPrefix = (what: string, content: string, lines: ReadonlyArray<string>, atLeast: number, header = ""): void => {
  if (!(header + whole(lines)).startsWith(content))
    throw new Error(`${what}: holds bytes that were never handed over in this place`)
  if (content.length < (header + whole(lines.slice(0, atLeast))).length)
    throw new Error(`${what}: ${atLeast} lines were acknowledged, not all are there`)
}

/** Reads what is kept; at `synced` as it would be after the worst that can happen to what was not synced. */
export type Kept = (level: Level) => Effect.Effect<ReadonlyArray<string>>

export class JournalJudge {
  readonly #name: string
  readonly #journal: JournalShape
  readonly #kept: Kept | undefined
  readonly #complaints: Array<unknown> = []
  /** The text of every line that was accepted, in order. */
  readonly accepted: Array<string> = []
  /** How many lines were acknowledged at each level, at the most. */
  readonly acknowledged = { written: 0, synced: 0 }
  /** Numbers of synced lines in the order in which they were acknowledged. */
  readonly order: Array<number> = []
  failure: WriteError | undefined
  unsaved: ReadonlyArray<string> = []

  /** Without `kept`, whoever asks compares what is kept: when the medium is stopped, nobody could read it meanwhile. */
  constructor(name: string, journal: JournalShape, kept?: Kept) {
    this.#name = name
    this.#journal = journal
    this.#kept = kept
  }

  /** Hands lines over. Returns the number of the last one; undefined when they were refused, which must have a reason. */
  append(lines: ReadonlyArray<CleanLine>): Effect.Effect<number | undefined> {
    return Effect.gen({ self: this }, function* () {
      const latched = this.failure
      const exit = yield* Effect.exit(this.#journal.append(lines))
      if (Exit.isFailure(exit)) {
        if ((yield* this.#journal.failure) === undefined) this.complain("refused lines and tells no failure")
        return undefined
      }
      this.accepted.push(...lines.map(({ text }) => text))
      if (latched !== undefined) this.complain("took lines behind a failure, before it was recovered")
      if (exit.value !== this.accepted.length) this.complain(`line ${this.accepted.length} was accepted as number ${exit.value}`)
      return exit.value
    })
  }

  /** Waits until a line has reached a level. The caller does nothing else meanwhile: a line that failed leaves a failure to be told. */
  wait(seq: number, level: Level): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      if (yield* this.#reaches(seq, level)) return
      if ((yield* this.#journal.failure) === undefined) this.complain(`line ${seq} failed, and no failure is told`)
    })
  }

  /** Waits for both levels at once or for `written` alone, while the caller goes on. */
  watch(seq: number, asks: boolean): Effect.Effect<void> {
    const levels: ReadonlyArray<Level> = asks ? ["written", "synced"] : ["written"]
    return Effect.forEach(levels, (level) => this.#reaches(seq, level), { concurrency: "unbounded", discard: true })
  }

  /** Takes down an acknowledgement and judges what it says. */
  #reaches(seq: number, level: Level): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      if (Exit.isFailure(yield* Effect.exit(this.#journal.reached(seq, level)))) return false
      this.acknowledged[level] = Math.max(this.acknowledged[level], seq)
      if (level === "synced") this.order.push(seq)
      yield* this.expectKept(level, seq)
      return true
    })
  }

  /** Takes down what the journal tells now, which must not have changed since a failure. */
  look(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const before = this.failure
      this.failure = yield* this.#journal.failure
      this.unsaved = (yield* this.#journal.unsaved).map(({ text }) => text)
      if (before !== undefined && this.failure?.reason.code !== before.reason.code)
        this.complain(`the first failure was ${before.reason.code}, and now it tells ${this.failure?.reason.code ?? "none"}`)
      this.judgeUnsaved()
      yield* this.expectKept("synced", this.accepted.length - this.unsaved.length)
    })
  }

  /** Recovers; `mustSucceed` when nothing hinders it. Then everything accepted is kept once. Without a failure there is nothing to do. */
  recover(mustSucceed: boolean): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      const wasLatched = (yield* this.#journal.failure) !== undefined
      const exit = yield* Effect.exit(this.#journal.recover)
      const failure = yield* this.#journal.failure
      if (Exit.isSuccess(exit) && failure !== undefined) this.complain("is still latched behind a recovery")
      if (Exit.isFailure(exit) && failure === undefined) this.complain("failed to recover, and tells no failure")
      if (Exit.isFailure(exit) && mustSucceed) this.complain("a recovery failed that nothing hindered")
      this.failure = failure
      if (Exit.isFailure(exit)) return false
      if (wasLatched) yield* this.expectKept("written", this.accepted.length)
      return true
    })
  }

  /** Waits until everything accepted so far is synced. */
  flush(): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      const exit = yield* Effect.exit(this.#journal.flush)
      if (Exit.isSuccess(exit)) yield* this.expectKept("synced", this.accepted.length)
      return Exit.isSuccess(exit)
    })
  }

  /** Compares what is kept with what was accepted: of `atLeast` lines all must be there. */
  expectKept(level: Level, atLeast: number): Effect.Effect<void> {
    const kept = this.#kept
    if (kept === undefined) return Effect.void
    return Effect.map(kept(level), (lines) => {
      try {
        // Behind what was synced the worst that can happen leaves anything.
        const judged = level === "synced" ? lines.slice(0, atLeast) : lines
        expectPrefix(`${this.#name} as ${level}`, whole(judged), this.accepted, atLeast)
      } catch (complaint) {
        this.#complaints.push(complaint)
      }
    })
  }

  /** What is unsaved is the end of what was accepted, and nothing of it was acknowledged as synced. */
  judgeUnsaved(): void {
    const lost = this.accepted.length - this.unsaved.length
    if (this.accepted.slice(Math.max(0, lost)).join("\n") !== this.unsaved.join("\n"))
      this.complain("unsaved is not the end of what was accepted")
    if (lost >= 0 && this.acknowledged.synced > lost) this.complain("acknowledged lines are among the unsaved")
  }

  /** Acknowledgements come in the order of the lines. */
  judgeOrder(): void {
    if (this.order.some((seq, at) => at > 0 && seq < (this.order[at - 1] ?? 0)))
      this.complain(`acknowledged out of order: ${this.order.join(" ")}`)
  }

  complain(what: string): void {
    this.#complaints.push(new Error(`${this.#name}: ${what}`))
  }

  /** Throws the first complaint. */
  rule(): void {
    for (const complaint of this.#complaints) throw complaint
  }
}
