/** `annals title FILE TEXT` */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Redaction } from "../redaction/Redaction.ts"
import { LedgerFiles } from "../session/LedgerFiles.ts"
import { sanitiseTitle } from "../tree/Header.ts"
import { title as titleOf } from "../tree/Overview.ts"
import { oneLine, visible } from "../view/Escape.ts"
import { type ChangeInput, change } from "./Change.ts"
import { kindOf } from "./Kind.ts"
import { loadLedgerFile } from "./LedgerLoading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { isStored, ledgers, redaction } from "./Sessions.ts"

export interface TitleInput extends ChangeInput {
  readonly text: string
}

const titleTree = (input: TitleInput) =>
  change(input, (state, clean) => {
    const name = clean(sanitiseTitle(input.text))
    const now = titleOf(state)
    return Effect.succeed({
      command: now?.title === name && now.source === "user" ? undefined : { do: "title", title: name, source: "user" },
      members: { title: name, titleSource: "user" },
      words: `the title is “${oneLine(name)}”`,
    })
  })

const titleLedger = ({ file, text, json, format }: TitleInput) =>
  Effect.gen(function* () {
    const { style } = yield* Output
    const { redactText } = yield* Redaction
    const { state } = yield* loadLedgerFile(file, format)
    const title = yield* (yield* LedgerFiles).setTitle(file, redactText(text).text, { isStored: isStored(file) })
    const changed = state.title !== title
    if (json) return yield* printJson({ id: state.start?.sessionId ?? null, path: file, changed, ids: [], title })
    const end = changed ? "" : ", as before; nothing was written"
    yield* printLines([`${style.green("✓")} ${style.bold(visible(file))}: the title is “${oneLine(title)}”${end}`])
  }).pipe(Effect.provide(Layer.merge(ledgers("synced"), redaction)))

export const title = Effect.fnUntraced(function* (input: TitleInput) {
  yield* (yield* kindOf(input.file, input.format)) === "ledger" ? titleLedger(input) : titleTree(input)
})
