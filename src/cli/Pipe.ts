/**
 * The journal as a pipe: commands in, acknowledgements out, both in the order of the input.
 *
 * Two fibers with a bounded queue between them. One reads a line, hands its command to the session and goes on; the other waits until
 * the records have reached the level and answers. So many commands share one sync, and neither a slow disk nor a slow reader of the
 * answers lets memory grow: the queue fills, and the input is not read.
 *
 * What ends it: the end of the input; an interruption; the reader of the answers going away; the journal's first failure. Whichever it
 * is, the input is read no further, every command that was handed over is answered, unless nobody reads the answers, and then it ends.
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type { JsonObject } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import type { NotJson } from "../redaction/NotJson.ts"
import { Rejected } from "../session/DispatchError.ts"
import type { PrepareError } from "../session/OpenError.ts"
import type { Receipt, ReceiptLevel } from "../session/Receipt.ts"
import type { Session } from "../session/Session.ts"
import type { WriteError } from "../writer/WriteError.ts"
import { errorLine, reachedLine } from "./Acknowledgement.ts"
import { type InputError, type InputLine, type InputProblem, readLines } from "./InputLines.ts"
import type { OutputClosed } from "./Output.ts"

/** A line of the input that holds no command. */
class BadLine extends Data.TaggedError("BadLine")<{ readonly code: InputProblem; readonly message: string }> {}

/** The answers can no longer be written. */
export class AnswersClosed extends Data.TaggedError("AnswersClosed")<{ readonly path: string; readonly message: string }> {
  readonly code = "output.closed"
}

/** What ends the pipe before its input ends. */
export type PipeError = WriteError | PrepareError | InputError | AnswersClosed

type Rejection<R> = BadLine | Rejected<R> | NotJson

/** A command on its way: what is known of it when it was handed over. */
interface Pending<R> {
  readonly n: number
  readonly outcome: Result.Result<Receipt<JsonObject, PrepareError>, Rejection<R> | WriteError | PrepareError>
}

/** Commands that may wait for their answer. */
const IN_FLIGHT = 512

const PROBLEMS: { readonly [P in InputProblem]: string } = {
  "input.not_utf8": "is not UTF-8",
  "input.not_json": "is not JSON",
  "input.too_long": "is too long",
}

const badLine = (n: number, code: InputProblem): BadLine =>
  new BadLine({ code, message: `Line ${n} of the input ${PROBLEMS[code]}.` })

/** The command on a line. What the parser says is not repeated: it quotes the line. */
const commandOf = <C, R>(
  parse: PipeOptions<C, R>["parse"],
  { n, text, problem }: InputLine,
): Result.Result<C, BadLine | Rejected<R>> => {
  if (problem !== undefined) return Result.fail(badLine(n, problem))
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return Result.fail(badLine(n, "input.not_json"))
  }
  return Result.mapError(parse(value), (rejection) => new Rejected({ rejection }))
}

/** `C` is a command of the session's model, `R` why one is not carried out. */
export interface PipeOptions<C, R> {
  /** Where the records go. */
  readonly path: string
  readonly session: Pick<Session<unknown, C, JsonObject, R, PrepareError>, "dispatch">
  /** The command that a value from outside is. */
  readonly parse: (value: unknown) => Result.Result<C, R>
  /** What is answered of the records of a command. */
  readonly written: (records: ReadonlyArray<JsonObject>) => JsonObject
  readonly level: ReceiptLevel
  readonly input: AsyncIterable<Uint8Array>
  readonly write: (text: string) => Effect.Effect<void, OutputClosed>
}

/** What went through a pipe. */
export interface PipeTotals {
  readonly carriedOut: number
  readonly rejected: number
}

/** Hands the command on a line over to the session. Fails when the session can take no more; the line is pending all the same. */
const handOver = <C, R>(options: PipeOptions<C, R>, queue: Queue.Queue<Pending<R>, Cause.Done>, line: InputLine) =>
  Effect.gen(function* () {
    const { n } = line
    const command = commandOf(options.parse, line)
    if (Result.isFailure(command)) {
      yield* Queue.offer(queue, { n, outcome: Result.fail(command.failure) })
      return
    }
    const outcome = yield* Effect.result(options.session.dispatch(command.success, "accepted"))
    yield* Queue.offer(queue, { n, outcome })
    if (Result.isFailure(outcome) && isFatal(outcome.failure)) yield* Effect.fail(outcome.failure)
  })

/** Answers what is pending, in order, until the queue has ended. */
class Answers<C, R> {
  carriedOut = 0
  rejected = 0
  failure: PipeError | undefined
  readonly #options: PipeOptions<C, R>
  readonly #stop: Deferred.Deferred<never, PipeError>

  constructor(options: PipeOptions<C, R>, stop: Deferred.Deferred<never, PipeError>) {
    this.#options = options
    this.#stop = stop
  }

  answer({ n, outcome }: Pending<R>): Effect.Effect<void> {
    if (this.failure instanceof AnswersClosed) return Effect.void
    const { path, level, written, write } = this.#options
    const settled = Result.isFailure(outcome) ? Effect.fail(outcome.failure) : reached(outcome.success, level)
    return Effect.matchEffect(settled, {
      onFailure: (error) => {
        if (isFatal(error)) return Effect.andThen(this.#fail(error), write(errorLine(n, error)))
        this.rejected++
        return write(errorLine(n, error))
      },
      onSuccess: (receipt) => {
        this.carriedOut++
        return write(reachedLine(n, written(receipt.records), level))
      },
    }).pipe(
      Effect.catch(() =>
        this.#fail(new AnswersClosed({ path, message: `Nobody reads the answers from line ${n} of the input on.` })),
      ),
    )
  }

  #fail(error: PipeError): Effect.Effect<void> {
    this.failure ??= error
    return Effect.asVoid(Deferred.fail(this.#stop, error))
  }
}

const isFatal = <R>(error: Rejection<R> | WriteError | PrepareError): error is WriteError | PrepareError =>
  error._tag === "WriteError" || error._tag === "PrepareError"

const reached = (
  receipt: Receipt<JsonObject, PrepareError>,
  level: ReceiptLevel,
): Effect.Effect<Receipt<JsonObject, PrepareError>, WriteError | PrepareError> =>
  level === "accepted" ? Effect.succeed(receipt) : Effect.as(receipt.reached(level), receipt)

/** Runs the pipe to its end. Interrupted, it answers what it has handed over and then is interrupted. */
export const pipe = <C, R>(options: PipeOptions<C, R>): Effect.Effect<PipeTotals, PipeError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const queue = yield* Queue.bounded<Pending<R>, Cause.Done>(IN_FLIGHT)
      const stop = yield* Deferred.make<never, PipeError>()
      const answers = new Answers(options, stop)
      const answering = yield* Queue.take(queue).pipe(
        Effect.flatMap((pending) => answers.answer(pending)),
        Effect.forever,
        Effect.catchTag("Done", () => Effect.void),
        // A defect here must not leave the other fiber waiting for room in the queue.
        Effect.catchCause((cause) => Effect.asVoid(Deferred.failCause(stop, cause))),
        Effect.forkChild,
      )
      const reading = readLines(options.input, (line) => handOver(options, queue, line))
      const read = yield* Effect.exit(restore(Effect.raceFirst(reading, Deferred.await(stop))))
      yield* Queue.end(queue)
      yield* Fiber.join(answering)
      if (answers.failure !== undefined) return yield* Effect.fail(answers.failure)
      if (Exit.isFailure(read)) return yield* Effect.failCause(read.cause)
      return { carriedOut: answers.carriedOut, rejected: answers.rejected }
    }),
  )
