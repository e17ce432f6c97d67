/** `annals fork FILE` and `annals branch-out FILE --leaf ID`: a new session from another one, which is only read. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Forked, TreeStore } from "../session/TreeStore.ts"
import { visible } from "../view/Escape.ts"
import { shellWord } from "../view/ShellWord.ts"
import { entryIdOf } from "./EntryId.ts"
import { type Forced, load, noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { sessions } from "./Sessions.ts"

export interface ForkInput {
  readonly file: string
  /** Where the new session goes; by default into our own store. */
  readonly to: Option.Option<string>
  readonly json: boolean
  readonly format: Forced
}

export interface BranchOutInput extends ForkInput {
  readonly leaf: string
}

const loadWhole = Effect.fnUntraced(function* ({ file, format }: ForkInput) {
  const loaded = yield* load(file, format)
  yield* noteDamage(loaded)
  return loaded
})

const told = Effect.fnUntraced(function* ({ id, path }: Forked, what: string, json: boolean) {
  if (json) return yield* printJson({ id, path })
  const { style } = yield* Output
  yield* printLines([
    `${style.green("✓")} ${style.bold(visible(path))}: a new session with ${what}`,
    `  ${style.dim("next")}  annals append ${shellWord(path)}`,
  ])
})

const target = ({ to }: ForkInput): { readonly path: string | undefined } => ({ path: Option.getOrUndefined(to) })

/** A new session with all branches. */
export const fork = Effect.fnUntraced(
  function* (input: ForkInput) {
    yield* loadWhole(input)
    const forked = yield* (yield* TreeStore).fork(input.file, target(input))
    yield* told(forked, `everything that ${visible(input.file)} holds`, input.json)
  },
  Effect.provide(sessions("synced")),
)

/** A new session with the path from the root to one entry. */
export const branchOut = Effect.fnUntraced(
  function* (input: BranchOutInput) {
    const { file } = input
    const { state } = yield* loadWhole(input)
    const leaf = yield* entryIdOf(state, input.leaf, { path: file, unknown: "tree.unknown_leaf" })
    const forked = yield* (yield* TreeStore).branchOut(file, leaf, target(input))
    yield* told(forked, `the path to ${visible(leaf)} of ${visible(file)}`, input.json)
  },
  Effect.provide(sessions("synced")),
)
