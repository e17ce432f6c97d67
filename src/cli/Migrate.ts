/** `annals migrate FILE` */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import { type Migrated, TreeStore } from "../session/TreeStore.ts"
import { CURRENT_VERSION } from "../tree/Header.ts"
import { visible } from "../view/Escape.ts"
import { count } from "../view/Quantity.ts"
import { shellWord } from "../view/ShellWord.ts"
import type { Style } from "../view/Style.ts"
import { type Forced, needsTree } from "./Kind.ts"
import { load } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { sessions } from "./Sessions.ts"

export interface MigrateInput {
  readonly file: string
  readonly yes: boolean
  readonly json: boolean
  readonly format: Forced
}

type Plan = Omit<Migrated, "backup"> & { readonly backup?: string | undefined }

const jsonOf = ({ backup, ...plan }: Plan): object => ({ ...plan, ...(backup === undefined ? {} : { backup }) })

const textOf = ({ path, from, to, records, applied, backup }: Plan, style: Style): ReadonlyArray<string> => {
  const name = style.bold(visible(path))
  if (applied)
    return [
      `${style.green("✓")} ${name}: ${count(records, "record")} rewritten from version ${from} to version ${to}`,
      `  the old file, byte for byte: ${visible(basename(backup ?? ""))}`,
    ]
  if (from === to) return [`${style.green("✓")} ${name}: version ${to} already, nothing to do`]
  return [
    `${name}: ${count(records, "record")} of version ${from} would be rewritten to version ${to}`,
    `  entries keep their order, type, content and times; a backup of every byte is made beside the file first`,
    `  ${style.dim("next")}  annals migrate ${shellWord(path)} --yes`,
  ]
}

const carriedOut = (file: string) =>
  Effect.flatMap(TreeStore, (store) => store.migrate(file)).pipe(Effect.provide(sessions("synced")))

export const migrate = Effect.fnUntraced(function* ({ file, yes, json, format }: MigrateInput) {
  const { style } = yield* Output
  yield* needsTree(file, format, "A ledger session needs no migration: go on with it as it is, with annals append FILE")
  const { path, version, records } = yield* load(file)
  const plan: Plan = yes ? yield* carriedOut(file) : { path, from: version, to: CURRENT_VERSION, records, applied: false }
  yield* json ? printJson(jsonOf(plan)) : printLines(textOf(plan, style))
})
