/** A removal for people: what would go, or what is gone. */
import { oneLine, visible } from "./Escape.ts"
import { bytes, count } from "./Quantity.ts"
import type { SheetOptions } from "./Sheet.ts"
import { few } from "./Sheet.ts"
import { shellWord } from "./ShellWord.ts"
import { cut } from "./Width.ts"

export interface RemovalSource {
  readonly path: string
  readonly state: "planned" | "removed"
  readonly children: ReadonlyArray<string>
  /** What was put aside of the session and of its subagents'. */
  readonly aside: ReadonlyArray<string>
  readonly title: string
  readonly turns: number
  readonly bytes: number
}

/** The lines of a removal. */
export const removalLines = (source: RemovalSource, { style, columns }: SheetOptions): ReadonlyArray<string> => {
  const { path, state, children, aside, title, turns, bytes: size } = source
  const name = style.bold(visible(path))
  const beside = [
    ...(children.length === 0 ? [] : [`${count(children.length, "session")} of its subagents`]),
    ...(aside.length === 0 ? [] : [`${count(aside.length, "file")} put aside of it`]),
  ]
  const all = beside.length === 2 ? `, ${beside.join(" and ")}` : beside.map((one) => ` and ${one}`).join("")
  if (state === "removed") return [`${style.green("✓")} ${name}${all}: removed`]
  const what = `  ${cut(title === "" ? "(no title)" : oneLine(title), columns - 40)}${style.dim(`, ${count(turns, "prompt")}, ${bytes(size)}`)}`
  return [
    `${name}${all} would be removed; nothing was changed`,
    what,
    ...few([...children, ...aside]).map((child) => `  ${visible(child)}`),
    `  ${style.dim("next")}  annals rm ${shellWord(path)} --yes   ${style.dim("(cannot be undone)")}`,
  ]
}
