/** `annals label FILE ID [TEXT]` */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { labelOf } from "../tree/Tree.ts"
import { oneLine, visible } from "../view/Escape.ts"
import { type ChangeInput, change } from "./Change.ts"
import { entryIdOf } from "./EntryId.ts"
import { needsTree } from "./Kind.ts"

export interface LabelInput extends ChangeInput {
  readonly id: string
  /** Absent or empty to clear the label. */
  readonly text: Option.Option<string>
}

const INSTEAD = "A ledger session has no entries to label; a title can tell it from others: annals title FILE TEXT"

const labelled = (input: LabelInput) =>
  change(input, (state, clean) =>
    Effect.map(entryIdOf(state, input.id, { path: input.file, unknown: "tree.unknown_target" }), (target) => {
      const text = clean(Option.getOrElse(input.text, () => ""))
      const wanted = text === "" ? {} : { label: text }
      return {
        command: (labelOf(state, target) ?? "") === text ? undefined : { do: "label", target, ...wanted },
        members: { target, ...wanted },
        words: `${visible(target)} has ${text === "" ? "no label" : `the label “${oneLine(text)}”`}`,
      }
    }),
  )

export const label = (input: LabelInput) => Effect.andThen(needsTree(input.file, input.format, INSTEAD), labelled(input))
