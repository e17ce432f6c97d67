/**
 * JSON text as a tree of tokens with everything that parsing and writing again would lose: odd spacing, `1.0`, `-0`, `1e999`, integers
 * beyond 2^53, needless escapes, `__proto__` as a key. And edits that fit it.
 */
import * as fc from "fast-check"
import type { Edit, MemberEdit } from "../../src/model/Edit.ts"
import type { Json } from "../../src/model/Json.ts"

export interface RawMember {
  readonly key: string
  /** From the key's opening quote to the colon and the spacing after it. */
  readonly keyToken: string
  readonly between: string
  readonly value: RawValue
}

export type RawValue =
  | { readonly _tag: "Scalar"; readonly token: string }
  | { readonly _tag: "Object"; readonly spaces: ReadonlyArray<string>; readonly members: ReadonlyArray<RawMember> }
  | { readonly _tag: "Array"; readonly spaces: ReadonlyArray<string>; readonly items: ReadonlyArray<RawValue> }

const space = fc.constantFrom("", "", "", " ", "\t", " \r\n ", "\n")

const NUMBERS = [
  "0",
  "-0",
  "1.0",
  "1e999",
  "-1e999",
  "9007199254740993",
  "1E+2",
  "0.10",
  "123456789012345678901234567890",
  "5e-324",
]

const escapedEverywhere = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")

const stringToken: fc.Arbitrary<readonly [value: string, token: string]> = fc
  .tuple(
    fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.string({ unit: "binary", maxLength: 3 }),
      fc.constantFrom('a"b', "\\", "}", "]", ",", "{", "\u2028"),
    ),
    fc.constantFrom("plain", "escaped", "slash"),
  )
  .map(([value, style]) => {
    const plain = JSON.stringify(value)
    if (style === "escaped") return [value, `"${escapedEverywhere(value)}"`]
    return [value, style === "slash" ? plain.replaceAll("/", "\\/") : plain]
  })

const keyToken: fc.Arbitrary<readonly [key: string, token: string]> = fc.oneof(
  fc.constantFrom("a", "b", "c", "__proto__", "constructor", "", "1").map((key) => [key, JSON.stringify(key)] as const),
  fc.constantFrom("a", "b", "__proto__").map((key) => [key, `"${escapedEverywhere(key)}"`] as const),
  stringToken,
)

const scalar: fc.Arbitrary<RawValue> = fc
  .oneof(
    fc.constantFrom(...NUMBERS, "true", "false", "null"),
    stringToken.map(([, token]) => token),
  )
  .map((token) => ({ _tag: "Scalar", token }))

const spaces = fc.array(space, { minLength: 12, maxLength: 12 })

/** Text of any JSON value. Now and then an object has two members of one key. */
export const rawValue: fc.Arbitrary<RawValue> = fc.letrec<{ value: RawValue }>((tie) => {
  const member = fc
    .record({ key: keyToken, between: space, value: tie("value") })
    .map(({ key: [key, token], between, value }): RawMember => ({ key, keyToken: token, between, value }))
  const distinct = fc.uniqueArray(member, { maxLength: 4, selector: ({ key }) => key })
  return {
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Object" as const), spaces, members: distinct }) },
      {
        weight: 1,
        arbitrary: fc.record({ _tag: fc.constant("Object" as const), spaces, members: fc.array(member, { maxLength: 3 }) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ _tag: fc.constant("Array" as const), spaces, items: fc.array(tie("value"), { maxLength: 4 }) }),
      },
    ),
  }
}).value

const joined = (open: string, parts: ReadonlyArray<string>, close: string, gaps: ReadonlyArray<string>): string =>
  `${open}${parts.map((part, i) => `${gaps[2 * i] ?? ""}${part}${gaps[2 * i + 1] ?? ""}`).join(",")}${parts.length === 0 ? (gaps[0] ?? "") : ""}${close}`

const memberText = ({ keyToken: token, between, value }: RawMember): string => `${token}${between}:${between}${textOf(value)}`

/** The text of a tree. */
export const textOf = (raw: RawValue): string => {
  if (raw._tag === "Scalar") return raw.token
  if (raw._tag === "Array") return joined("[", raw.items.map(textOf), "]", raw.spaces)
  return joined("{", raw.members.map(memberText), "}", raw.spaces)
}

/** Decisions, taken one after the other. */
export type Tape = (below: number) => number

export const tapeOf = (numbers: ReadonlyArray<number>): Tape => {
  let at = 0
  return (below) => (numbers[at++ % Math.max(1, numbers.length)] ?? 0) % below
}

const NEW_VALUES: ReadonlyArray<Json> = [
  null,
  "new",
  -0,
  1.5,
  Number.POSITIVE_INFINITY,
  [],
  { "": [1] },
  JSON.parse('{"__proto__":[1]}') as Json,
  "\ud800",
]

const newValue = (tape: Tape): Json => NEW_VALUES[tape(NEW_VALUES.length)] ?? null

/** The text with an edit that only sets values, written by hand from the tree. */
export interface Edited {
  readonly edit: Edit
  /** The text that must come out, or undefined when members come or go, so that spacing may. */
  readonly expected: string | undefined
}

const NEW_KEYS = ["x", "y", "a", "__proto__", "\ud800é"]

const memberEdit = (
  raw: RawMember,
  tape: Tape,
  toText: (value: Json) => string,
): readonly [MemberEdit | undefined, string | undefined] => {
  const choice = tape(8)
  if (choice === 0) return [{ _tag: "Remove" }, undefined]
  if (choice < 3) return [undefined, memberText(raw)]
  const key = choice === 3 ? NEW_KEYS[tape(NEW_KEYS.length)] : undefined
  const inner = tape(3) === 0 ? undefined : editOf(raw.value, tape, toText)
  const change: MemberEdit = {
    _tag: "Change",
    ...(key === undefined ? {} : { key }),
    ...(inner === undefined ? {} : { value: inner.edit }),
  }
  const value = inner === undefined ? textOf(raw.value) : inner.expected
  const token = key === undefined || key === raw.key ? raw.keyToken : JSON.stringify(key)
  return [change, value === undefined ? undefined : `${token}${raw.between}:${raw.between}${value}`]
}

/** An edit of the value, and what its text becomes. */
export const editOf = (raw: RawValue, tape: Tape, toText: (value: Json) => string): Edited => {
  if (raw._tag === "Scalar" || tape(6) === 0) {
    const value = newValue(tape)
    return { edit: { _tag: "Set", value }, expected: toText(value) }
  }
  if (raw._tag === "Array") {
    const edits = raw.items.map((item) => (tape(2) === 0 ? undefined : editOf(item, tape, toText)))
    const items = new Map(edits.flatMap((each, i) => (each === undefined ? [] : [[i, each.edit] as const])))
    if (tape(5) === 0) items.set(99, { _tag: "Set", value: "beyond" })
    const texts = raw.items.map((item, i) => (edits[i] === undefined ? textOf(item) : edits[i].expected))
    return { edit: { _tag: "Array", items }, expected: whole("[", texts, "]", raw.spaces) }
  }
  const members = new Map<string, MemberEdit>()
  const texts = raw.members.map((member) => {
    const [change, text] = memberEdit(member, tape, toText)
    if (change !== undefined && !members.has(member.key)) members.set(member.key, change)
    return text
  })
  if (tape(6) === 0) members.set("not there", { _tag: "Remove" })
  const adds = tape(3) === 0 ? [[NEW_KEYS[tape(NEW_KEYS.length)] ?? "", newValue(tape)] as const] : undefined
  return {
    edit: { _tag: "Object", members, ...(adds === undefined ? {} : { add: adds }) },
    expected: adds === undefined ? whole("{", texts, "}", raw.spaces) : undefined,
  }
}

const whole = (
  open: string,
  parts: ReadonlyArray<string | undefined>,
  close: string,
  gaps: ReadonlyArray<string>,
): string | undefined => (parts.includes(undefined) ? undefined : joined(open, parts as ReadonlyArray<string>, close, gaps))
