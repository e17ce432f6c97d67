/** `annals fork FILE` and `annals branch-out FILE --leaf ID`: a new session from another one, which is only read. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LedgerFiles } from "../session/LedgerFiles.ts"
import { type Forked, TreeStore } from "../session/TreeStore.ts"
import { visible } from "../view/Escape.ts"
import { integer } from "../view/Quantity.ts"
import { shellWord } from "../view/ShellWord.ts"
import { childrenOf } from "./Children.ts"
import { entryIdOf } from "./EntryId.ts"
import { type Forced, kindOf, needsTree } from "./Kind.ts"
import { loadLedgerFile } from "./LedgerLoading.ts"
import { load, noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { isStored, ledgersAtRest, sessions } from "./Sessions.ts"

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

const loadWhole = Effect.fnUntraced(function* (file: string) {
  const loaded = yield* load(file)
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

const everything = (file: string): string => `everything that ${visible(file)} holds`

const forkTree = Effect.fnUntraced(
  function* (input: ForkInput) {
    yield* loadWhole(input.file)
    const forked = yield* (yield* TreeStore).fork(input.file, target(input))
    yield* told(forked, everything(input.file), input.json)
  },
  Effect.provide(sessions("synced")),
)

const forkLedger = Effect.fnUntraced(function* (input: ForkInput) {
  const { file, format, json } = input
  const { note, noteStyle } = yield* Output
  const files = yield* LedgerFiles
  yield* noteDamage(yield* loadLedgerFile(file, format))
  const forked = yield* files.fork(file, target(input).path, { isStored: isStored(target(input).path ?? file) })
  yield* told(forked, everything(file), json)
  const children = yield* childrenOf(file)
  if (children.length > 0)
    yield* note(noteStyle.dim(`The sessions of its subagents (${integer(children.length)}) stay with ${visible(file)}.`))
}, Effect.provide(ledgersAtRest))

/** A new session with everything that another one holds. */
export const fork = Effect.fnUntraced(function* (input: ForkInput) {
  yield* (yield* kindOf(input.file, input.format)) === "ledger" ? forkLedger(input) : forkTree(input)
})

const BRANCH_OUT_INSTEAD =
  "A ledger session has one conversation: copy it whole with annals fork FILE, or see it as it was with annals replay FILE --at N"

/** A new session with the path from the root to one entry. */
export const branchOut = Effect.fnUntraced(
  function* (input: BranchOutInput) {
    const { file } = input
    yield* needsTree(file, input.format, BRANCH_OUT_INSTEAD)
    const { state } = yield* loadWhole(file)
    const leaf = yield* entryIdOf(state, input.leaf, { path: file, unknown: "tree.unknown_leaf" })
    const forked = yield* (yield* TreeStore).branchOut(file, leaf, target(input))
    yield* told(forked, `the path to ${visible(leaf)} of ${visible(file)}`, input.json)
  },
  Effect.provide(sessions("synced")),
)
