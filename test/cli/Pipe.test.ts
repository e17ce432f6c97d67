import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { describe, expect, test } from "vitest"
import { writtenInTree } from "../../src/cli/Acknowledgement.ts"
import { OutputClosed } from "../../src/cli/Output.ts"
import { type PipeOptions, pipe } from "../../src/cli/Pipe.ts"
import { PrepareError } from "../../src/session/OpenError.ts"
import type { Receipt } from "../../src/session/Receipt.ts"
import { parseCommand, type TreeCommand } from "../../src/tree/Command.ts"
import type { TreeRejection } from "../../src/tree/Rejection.ts"
import type { TreeRecord } from "../../src/tree/TreeModel.ts"
import { WriteError } from "../../src/writer/WriteError.ts"

type Options = PipeOptions<TreeCommand, TreeRejection>

const full = new WriteError({
  reason: { _tag: "NotWritten", code: "write.not_written", path: "/s", offset: 9, system: "ENOSPC", operation: "write" },
})

const changed = new PrepareError({ reason: { _tag: "Changed", code: "open.changed", path: "/s" } })

const line = (n: number): string => `${JSON.stringify({ do: "custom", customType: String(n) })}\n`

const record = (n: number): TreeRecord => ({ type: "custom", id: `id${n}`, parentId: null, timestamp: "t", customType: "x" })

/** A session that takes commands and reaches levels when the test says so. */
const session = (
  reached: (n: number) => Effect.Effect<void, WriteError>,
  accept?: (n: number) => Effect.Effect<void, WriteError | PrepareError>,
) => {
  const state = { dispatched: 0 }
  const dispatch: Options["session"]["dispatch"] = () =>
    Effect.suspend(() => {
      const n = ++state.dispatched
      const receipt: Receipt<TreeRecord> = { seq: n, records: [record(n)], reached: () => reached(n) }
      return Effect.as(accept?.(n) ?? Effect.void, receipt)
    })
  return { state, session: { dispatch } }
}

async function* input(count: number, open = false): AsyncGenerator<Uint8Array> {
  for (let n = 1; n <= count; n++) yield new TextEncoder().encode(line(n))
  if (open) await new Promise(() => {})
}

const collected = () => {
  const answers: Array<{ n: number; error?: { code: string } }> = []
  const write = (text: string): Effect.Effect<void> =>
    Effect.sync(() => {
      answers.push(JSON.parse(text) as { n: number })
    })
  return { answers, write }
}

const settle = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Lets every fiber go on until nothing moves any more. */
const quiet = Effect.forEach(Array.from({ length: 2_000 }), () => settle, { discard: true })

const options = (over: Partial<Options> & Pick<Options, "session">): Options => ({
  path: "/s",
  level: "synced",
  parse: parseCommand,
  written: writtenInTree,
  input: input(0),
  write: () => Effect.void,
  ...over,
})

describe("the pipe", () => {
  test("answers in the order of the input, each as soon as its level is reached", async () => {
    const { answers, write } = collected()
    const gates = await Effect.runPromise(Effect.all([1, 2, 3].map(() => Deferred.make<void>())))
    const { session: fake } = session((n) => Deferred.await(gates[n - 1] as Deferred.Deferred<void>))
    await Effect.runPromise(
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(pipe(options({ session: fake, input: input(3), write })))
        const open = (n: number) => Deferred.succeed(gates[n - 1] as Deferred.Deferred<void>, undefined)
        yield* Effect.andThen(open(2), quiet)
        expect(answers).toEqual([])
        yield* Effect.andThen(open(1), quiet)
        expect(answers.map(({ n }) => n)).toEqual([1, 2])
        yield* open(3)
        expect(yield* Fiber.join(running)).toEqual({ carriedOut: 3, rejected: 0 })
      }),
    )
    expect(answers).toMatchObject([{ n: 1, ids: ["id1"], level: "synced" }, { n: 2 }, { n: 3 }])
  })

  test("does not wait for a level when accepted is enough", async () => {
    const { answers, write } = collected()
    const { session: fake } = session(() => Effect.never)
    await Effect.runPromise(pipe(options({ session: fake, input: input(2), write, level: "accepted" })))
    expect(answers).toMatchObject([{ n: 1, level: "accepted" }, { n: 2 }])
  })

  test("reads no further while a few hundred commands wait for their answer", async () => {
    const gate = await Effect.runPromise(Deferred.make<void>())
    const { session: fake, state } = session(() => Effect.void)
    await Effect.runPromise(
      Effect.gen(function* () {
        const write = () => Deferred.await(gate)
        const running = yield* Effect.forkChild(pipe(options({ session: fake, input: input(5_000), write })))
        yield* quiet
        const taken = state.dispatched
        expect(taken).toBeGreaterThan(100)
        expect(taken).toBeLessThan(1_000)
        yield* quiet
        expect(state.dispatched).toBe(taken)
        yield* Deferred.succeed(gate, undefined)
        expect(yield* Fiber.join(running)).toEqual({ carriedOut: 5_000, rejected: 0 })
      }),
    )
  })

  test("answers every command on its way with the failure of a write, and ends with it", async () => {
    const { answers, write } = collected()
    const gate = await Effect.runPromise(Deferred.make<void, WriteError>())
    const { session: fake } = session((n) => (n < 3 ? Effect.void : Deferred.await(gate)))
    const exit = await Effect.runPromise(
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(pipe(options({ session: fake, input: input(10, true), write })))
        yield* quiet
        yield* Deferred.fail(gate, full)
        return yield* Fiber.await(running)
      }),
    )
    expect(answers.map(({ n, error }) => [n, error?.code])).toEqual([
      [1, undefined],
      [2, undefined],
      ...[3, 4, 5, 6, 7, 8, 9, 10].map((n) => [n, "write.not_written"]),
    ])
    expect(exit).toEqual(Exit.fail(full))
  })

  test("ends with a journal that cannot be opened, the command answered", async () => {
    const { answers, write } = collected()
    const { session: fake, state } = session(
      () => Effect.void,
      () => Effect.fail(changed),
    )
    const exit = await Effect.runPromise(Effect.exit(pipe(options({ session: fake, input: input(5, true), write }))))
    expect(exit).toEqual(Exit.fail(changed))
    expect(answers.map(({ n, error }) => [n, error?.code])).toEqual([[1, "open.changed"]])
    expect(state.dispatched).toBe(1)
  })

  test("ends when nobody reads the answers", async () => {
    const { session: fake } = session(() => Effect.void)
    const write = () => Effect.fail(new OutputClosed())
    const exit = await Effect.runPromise(Effect.flip(pipe(options({ session: fake, input: input(3, true), write }))))
    expect(exit).toMatchObject({ _tag: "AnswersClosed", code: "output.closed", path: "/s" })
  })

  test("interrupted, answers what it has handed over", async () => {
    const { answers, write } = collected()
    const gate = await Effect.runPromise(Deferred.make<void>())
    const { session: fake } = session(() => Deferred.await(gate))
    const exit = await Effect.runPromise(
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(pipe(options({ session: fake, input: input(4, true), write })))
        yield* quiet
        const ending = yield* Effect.forkChild(Fiber.interrupt(running))
        yield* quiet
        expect(answers).toEqual([])
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(ending)
        return yield* Fiber.await(running)
      }),
    )
    expect(answers.map(({ n }) => n)).toEqual([1, 2, 3, 4])
    expect(Exit.hasInterrupts(exit)).toBe(true)
  })

  test("ends with an input that cannot be read", async () => {
    const { answers, write } = collected()
    const { session: fake } = session(() => Effect.void)
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(line(1))
      throw Object.assign(new Error("secret words"), { code: "EIO" })
    }
    const error = await Effect.runPromise(Effect.flip(pipe(options({ session: fake, input: broken(), write }))))
    expect(error).toMatchObject({ code: "input.unreadable", message: "The standard input cannot be read (EIO)" })
    expect(answers.map(({ n }) => n)).toEqual([1])
  })

  test("does not hang when answering meets a defect", async () => {
    const { session: fake } = session(() => Effect.die(new Error("bug")))
    const exit = await Effect.runPromise(Effect.exit(pipe(options({ session: fake, input: input(2_000, true) }))))
    expect(Exit.hasDies(exit)).toBe(true)
  })
})
