/**
 * The whole state of a session as JSON text, in pieces: for a program on one line, for a person an item of a list a line.
 *
 * The same text for equal states: the members stand in the order in which they are given, those of a record in the record's.
 */
import type { JsonArray, JsonObject } from "../model/Json.ts"
import { toText } from "../model/JsonText.ts"
import { jsonLine } from "./Escape.ts"

function* listed(values: JsonArray): Generator<string> {
  for (const [index, value] of values.entries()) yield `${index === 0 ? "" : ","}${toText(value)}`
}

/** One value on one line. */
export function* statePieces(state: JsonObject): Generator<string> {
  let lead = "{"
  for (const [name, value] of Object.entries(state)) {
    yield `${lead}${JSON.stringify(name)}:`
    lead = ","
    if (!Array.isArray(value)) yield toText(value)
    else {
      yield "["
      yield* listed(value)
      yield "]"
    }
  }
  yield "}"
}

/** The same value laid out: a member a line, an item of a list a line, so that two states can be compared line by line. */
export function* stateLines(state: JsonObject): Generator<string> {
  const members = Object.entries(state)
  yield "{"
  for (const [index, [name, value]] of members.entries()) {
    const head = `  ${JSON.stringify(name)}: `
    const end = index < members.length - 1 ? "," : ""
    if (!Array.isArray(value) || value.length === 0) yield `${head}${jsonLine(toText(value))}${end}`
    else {
      yield `${head}[`
      for (const [at, item] of value.entries()) yield `    ${jsonLine(toText(item))}${at < value.length - 1 ? "," : ""}`
      yield `  ]${end}`
    }
  }
  yield "}"
}
