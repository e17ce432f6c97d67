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
import { parseJson } from "../model/JsonParse.ts"
import type { NotJson } from "../redaction/NotJson.ts"
import { Rejected } from "../session/DispatchError.ts"
import type { PrepareError } from "../session/OpenError.ts"
import type { Receipt, ReceiptLevel } from "../session/Receipt.ts"
import type { TreeSession } from "../session/TreeStore.ts"
import { parseCommand, type TreeCommand } from "../tree/Command.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { TreeRecord } from "../tree/TreeModel.ts"
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

type Rejection = BadLine | Rejected<TreeRejection> | NotJson

/** A command on its way: what is known of it when it was handed over. */
interface Pending {
  readonly n: number
  readonly outcome: Result.Result<Receipt<TreeRecord, PrepareError>, Rejection | WriteError | PrepareError>
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
const commandOf = ({ n, text, problem }: InputLine): Result.Result<TreeCommand, BadLine | TreeRejection> => {
  if (problem !== undefined) return Result.fail(badLine(n, problem))
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return Result.fail(badLine(n, "input.not_json"))
  }
  return parseCommand(value)
}

export interface PipeOptions {
  /** Where the records go. */
  readonly path: string
  readonly session: Pick<TreeSession, "dispatch">
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
const handOver = (options: PipeOptions, queue: Queue.Queue<Pending, Cause.Done>, line: InputLine) =>
  Effect.gen(function* () {
    const { n } = line
    const command = commandOf(line)
    if (Result.isFailure(command)) {
      const refusal = command.failure
      const error = refusal instanceof BadLine ? refusal : new Rejected({ rejection: refusal })
      yield* Queue.offer(queue, { n, outcome: Result.fail(error) })
      return
    }
    const outcome = yield* Effect.result(options.session.dispatch(command.success, "accepted"))
    yield* Queue.offer(queue, { n, outcome })
    if (Result.isFailure(outcome) && isFatal(outcome.failure)) yield* Effect.fail(outcome.failure)
  })

/** Answers what is pending, in order, until the queue has ended. */
class Answers {
  carriedOut = 0
  rejected = 0
  failure: PipeError | undefined
  readonly #options: PipeOptions
  readonly #stop: Deferred.Deferred<never, PipeError>

  constructor(options: PipeOptions, stop: Deferred.Deferred<never, PipeError>) {
    this.#options = options
    this.#stop = stop
  }

  answer({ n, outcome }: Pending): Effect.Effect<void> {
    if (this.failure instanceof AnswersClosed) return Effect.void
    const { path, level, write } = this.#options
    const settled = Result.isFailure(outcome) ? Effect.fail(outcome.failure) : reached(outcome.success, level)
    return Effect.matchEffect(settled, {
      onFailure: (error) => {
        if (isFatal(error)) return Effect.andThen(this.#fail(error), write(errorLine(n, error)))
        this.rejected++
        return write(errorLine(n, error))
      },
      onSuccess: (receipt) => {
        this.carriedOut++
        return write(reachedLine(n, receipt.records, level))
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

const isFatal = (error: Rejection | WriteError | PrepareError): error is WriteError | PrepareError =>
  error._tag === "WriteError" || error._tag === "PrepareError"

const reached = (
  receipt: Receipt<TreeRecord, PrepareError>,
  level: ReceiptLevel,
): Effect.Effect<Receipt<TreeRecord, PrepareError>, WriteError | PrepareError> =>
  level === "accepted" ? Effect.succeed(receipt) : Effect.as(receipt.reached(level), receipt)

/** Runs the pipe to its end. Interrupted, it answers what it has handed over and then is interrupted. */
export const pipe = (options: PipeOptions): Effect.Effect<PipeTotals, PipeError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const queue = yield* Queue.bounded<Pending, Cause.Done>(IN_FLIGHT)
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
