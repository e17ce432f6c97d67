/** What a follower tells, a line for each item: for a person, or as JSON. */
import type { FollowItem } from "../journal/Follower.ts"
import type { JournalRecord } from "../journal/Line.ts"
import { toText } from "../model/JsonText.ts"
import { damageWords } from "./DamageView.ts"
import { jsonLine, oneLine } from "./Escape.ts"
import { previewEntry } from "./Preview.ts"
import { bytes, integer } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import { cut, fill, fillLeft } from "./Width.ts"

/** UTF-16 units of a record that are looked at when nothing tells what is in it. */
const ENOUGH = 400

const LINE_COLUMNS = 7
const KIND_COLUMNS = 12

const REPLACED = {
  "other-file": "another file has the name now; what is new in it follows",
  cut: "lines were taken back; what comes in their place follows",
  rewritten: "lines were written over; what is new follows",
} as const

/** The item on one line: where it stands, what kind it is, how it begins. */
export const followLine = (item: FollowItem, { style, columns }: { readonly style: Style; readonly columns: number }): string => {
  if (item._tag === "Removed") return style.yellow("! the file was removed")
  if (item._tag === "Replaced") return style.yellow(`! ${REPLACED[item.how]}`)
  const lead = (line: number): string => style.dim(fillLeft(integer(line), LINE_COLUMNS))
  if (item._tag === "Damage") {
    const { line, length, kind } = item.damage
    return `${lead(line)}  ${style.red(fill(kind, KIND_COLUMNS))}  ${bytes(length)}: ${damageWords[kind]}`
  }
  const { value, raw, line } = item.record
  const preview = previewEntry(value)
  const kind = cut(preview.kind, KIND_COLUMNS)
  const said = preview.text === "" ? oneLine(raw.slice(0, ENOUGH)) : preview.text
  const text = cut(said, Math.max(20, columns - LINE_COLUMNS - KIND_COLUMNS - 4))
  return `${lead(line)}  ${fill(kind, KIND_COLUMNS)}  ${preview.failed ? style.red(text) : text}`.trimEnd()
}

/** A record's own text, unless its spacing has more than blanks: that could not be written out. */
const textOf = ({ raw, value }: JournalRecord): string => (/[\t\r\n]/.test(raw) ? toText(value) : raw)

/** The item as JSON on one line; a record in the text that it has, numbers included. */
export const followJson = (item: FollowItem): string => {
  switch (item._tag) {
    case "Removed":
      return '{"removed":true}'
    case "Replaced":
      return JSON.stringify({ replaced: item.how })
    case "Damage":
      return JSON.stringify({ damage: item.damage })
    case "Record": {
      const { line, offset, length } = item.record
      return jsonLine(`{"line":${line},"offset":${offset},"length":${length},"record":${textOf(item.record)}}`)
    }
  }
}
