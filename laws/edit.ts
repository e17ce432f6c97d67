/** The law of edits: made to a value and made to its text they agree, and the text keeps every byte that the edit does not touch. */
import * as fc from "fast-check"
import { apply, type Edit } from "../src/model/Edit.ts"
import { applyToText, hasDuplicateKeys } from "../src/model/EditText.ts"
import { isObject, type Json, type JsonArray } from "../src/model/Json.ts"
import { parseJson } from "../src/model/JsonParse.ts"
import { toText } from "../src/model/JsonText.ts"
import { editOf, type RawValue, rawValue, tapeOf, textOf } from "./arbitraries/rawJson.ts"
import { Coverage, type Law, parameters } from "./Law.ts"

/** Whether two values are the same JSON: `-0` is not `0`, and the order of members does not matter. */
const sameJson = (a: Json, b: Json): boolean => {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && (a as JsonArray).every((item, i) => sameJson(item, b[i] as Json))
  if (!isObject(a) || !isObject(b)) return Object.is(a, b)
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] as Json, b[key] as Json))
  )
}

/** Whether two members have one key, told from the tree and not from the text. */
const repeatsKey = (raw: RawValue): boolean => {
  if (raw._tag === "Scalar") return false
  if (raw._tag === "Array") return raw.items.some(repeatsKey)
  return (
    new Set(raw.members.map(({ key }) => key)).size < raw.members.length || raw.members.some(({ value }) => repeatsKey(value))
  )
}

/** Whether an object that the edit reaches into has two members of one key, before or after. */
const isAmbiguous = (raw: RawValue, edit: Edit): boolean => {
  if (raw._tag === "Array" && edit._tag === "Array") {
    return raw.items.some((item, i) => {
      const inner = edit.items.get(i)
      return inner !== undefined && isAmbiguous(item, inner)
    })
  }
  if (raw._tag !== "Object" || edit._tag !== "Object") return false
  const changes = raw.members.map(({ key }) => edit.members.get(key))
  const wanted = raw.members.flatMap(({ key }, i) => {
    const change = changes[i]
    return change?._tag === "Remove" ? [] : [change?.key ?? key]
  })
  const added = new Map(edit.add)
  return (
    new Set(raw.members.map(({ key }) => key)).size < raw.members.length ||
    new Set(wanted).size < wanted.length ||
    raw.members.some(({ key, value }, i) => {
      const change = changes[i]
      if (change?._tag !== "Change" || change.value === undefined || added.has(change.key ?? key)) return false
      return isAmbiguous(value, change.value)
    })
  )
}

const demand = (holds: boolean, what: string, ...values: ReadonlyArray<unknown>): void => {
  if (!holds) throw new Error([what, ...values].join(" / "))
}

const editing: Law = {
  id: "EDT-1",
  sentence:
    "An edit made to JSON text and the same edit made to its value agree, parse(applyToText(raw, e)) = apply(parse(raw), e), and no byte changes that the edit does not touch.",
  runs: 4_000,
  deepRuns: 200_000,
  check: (budget) => {
    const coverage = new Coverage()
    fc.assert(
      fc.property(rawValue, fc.array(fc.nat(1_000), { minLength: 1, maxLength: 40 }), (raw, numbers) => {
        const text = textOf(raw)
        const { edit, expected } = editOf(raw, tapeOf(numbers), toText)
        const value = parseJson(text)
        const before = toText(value)
        const result = applyToText(text, edit)
        const applied = apply(value, edit)
        demand(toText(value) === before, "the value was changed", text)
        demand(hasDuplicateKeys(text) === repeatsKey(raw), "duplicate keys", text)
        coverage.hit("refused", result === undefined)
        coverage.hit("repeated key", repeatsKey(raw))
        demand((result === undefined) === isAmbiguous(raw, edit), "refused or not", text)
        if (result === undefined) return
        demand(sameJson(parseJson(result), applied), "they disagree", text, result, toText(applied))
        if (expected !== undefined) demand(result === expected, "other bytes changed", text, result, expected)
        coverage.hit("members come or go", expected === undefined)
        coverage.hit("only values and keys change", expected !== undefined && text !== expected)
        for (const token of ["-0", "1e999", "9007199254740993", "1.0"]) coverage.hit(token, expected?.includes(token))
      }),
      parameters(budget),
    )
    const classes = [
      "refused",
      "repeated key",
      "members come or go",
      "only values and keys change",
      "-0",
      "1e999",
      "9007199254740993",
      "1.0",
    ]
    coverage.demand(budget, classes, 1_000)
  },
}

export const laws: ReadonlyArray<Law> = [editing]
