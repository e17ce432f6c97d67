/** What one more record costs in a session of many, and what the context costs after it. */
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { TreeStore } from "../../../src/session/TreeStore.ts"
import { buildSessionContext, contextOf, follow, initialLiveContext } from "../../../src/tree.ts"
import { draw } from "../Draw.ts"
import { message, runtimeIn } from "../Host.ts"
import type { PiModule } from "../PiModule.ts"
import { median } from "../Statistics.ts"
import { computed, runTask } from "../Task.ts"
import { wording } from "../Wording.ts"

export interface GrownInput {
  readonly path: string
  readonly pi?: string
  /** Appends that are measured, all at once: what a thread computes is counted in steps of some milliseconds. */
  readonly appends: number
  /** Contexts that are measured, each after an append. */
  readonly contexts: number
}

export interface GrownOutput {
  /** Microseconds that the host's thread computes for one append, up to its acceptance. */
  readonly append: number
  /** Milliseconds of the context after an append. */
  readonly context: number
  /** The same with the fold kept from one state to the next. 0 where there is no such thing. */
  readonly followed: number
}

/** Before anything is measured: what the compiler has to learn, and the opening of the file. */
const WARM = 2_000

/** Microseconds of one, or 0 of none. */
const each = (milliseconds: number, count: number): number => (count === 0 ? 0 : (milliseconds / count) * 1_000)

const { prose } = wording(draw("grown"))
const text = (): string => prose(100)

const ours = (input: GrownInput) =>
  Effect.gen(function* () {
    const store = yield* TreeStore
    const { session } = yield* store.open(input.path)
    const append = Effect.suspend(() => session.dispatch(message(text()), "accepted"))
    for (let n = 0; n < WARM; n++) yield* append
    yield* session.flush
    const since = computed()
    for (let n = 0; n < input.appends; n++) yield* append
    const spent = computed() - since
    yield* session.flush
    const [contexts, followed]: [Array<number>, Array<number>] = [[], []]
    let live = follow(initialLiveContext, yield* session.state)
    for (let n = 0; n < input.contexts; n++) {
      yield* append
      const state = yield* session.state
      const since = performance.now()
      buildSessionContext(state)
      const between = performance.now()
      live = follow(live, state)
      contextOf(live.fold)
      contexts.push(between - since)
      followed.push(performance.now() - between)
    }
    return { append: each(spent, input.appends), context: median(contexts), followed: median(followed) }
  })

const pis = async (input: GrownInput): Promise<GrownOutput> => {
  const { SessionManager } = (await import(input.pi ?? "")) as PiModule
  const session = SessionManager.open(input.path)
  const append = (): string =>
    session.appendMessage({ role: "user", content: [{ type: "text", text: text() }], timestamp: 1_790_000_000_000 })
  for (let n = 0; n < WARM; n++) append()
  const since = computed()
  for (let n = 0; n < input.appends; n++) append()
  const spent = computed() - since
  const contexts: Array<number> = []
  for (let n = 0; n < input.contexts; n++) {
    append()
    const since = performance.now()
    session.buildSessionContext()
    contexts.push(performance.now() - since)
  }
  return { append: each(spent, input.appends), context: median(contexts), followed: 0 }
}

await runTask<GrownInput, GrownOutput>((input) =>
  input.pi === undefined ? runtimeIn(dirname(input.path)).runPromise(Effect.scoped(ours(input))) : pis(input),
)
