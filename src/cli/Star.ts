/** `annals star FILE` and `annals unstar FILE` */
import * as Effect from "effect/Effect"
import { readHeader } from "../tree/Header.ts"
import { type ChangeInput, change } from "./Change.ts"
import { needsTree } from "./Kind.ts"

const INSTEAD = "A ledger session has no star; a title can tell it from others: annals title FILE TEXT"

const turned = (on: boolean) => (input: ChangeInput) =>
  Effect.andThen(
    needsTree(input.file, input.format, INSTEAD),
    change(input, ({ header }) =>
      Effect.succeed({
        command: readHeader(header ?? {}).starred === on ? undefined : { do: "star", on },
        members: { starred: on },
        words: on ? "starred" : "not starred",
      }),
    ),
  )

export const star = turned(true)
export const unstar = turned(false)
