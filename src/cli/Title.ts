/** `annals title FILE TEXT` */
import * as Effect from "effect/Effect"
import { sanitiseTitle } from "../tree/Header.ts"
import { title as titleOf } from "../tree/Overview.ts"
import { oneLine } from "../view/Escape.ts"
import { type ChangeInput, change } from "./Change.ts"

export interface TitleInput extends ChangeInput {
  readonly text: string
}

export const title = (input: TitleInput) =>
  change(input, (state, clean) => {
    const name = clean(sanitiseTitle(input.text))
    const now = titleOf(state)
    return Effect.succeed({
      command: now?.title === name && now.source === "user" ? undefined : { do: "title", title: name, source: "user" },
      members: { title: name, titleSource: "user" },
      words: `the title is “${oneLine(name)}”`,
    })
  })
