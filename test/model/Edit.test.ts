import { describe, expect, test } from "vitest"
import { apply, type Edit, type MemberEdit } from "../../src/model/Edit.ts"
import { applyToText, hasDuplicateKeys } from "../../src/model/EditText.ts"
import type { Json } from "../../src/model/Json.ts"

const set = (value: Json): Edit => ({ _tag: "Set", value })
const change = (value: Edit, key?: string): MemberEdit => ({ _tag: "Change", value, ...(key === undefined ? {} : { key }) })
const remove: MemberEdit = { _tag: "Remove" }
const object = (members: Record<string, MemberEdit>, add?: ReadonlyArray<readonly [string, Json]>): Edit => ({
  _tag: "Object",
  members: new Map(Object.entries(members)),
  ...(add === undefined ? {} : { add }),
})
const array = (items: Record<number, Edit>): Edit => ({
  _tag: "Array",
  items: new Map(Object.entries(items).map(([index, edit]) => [Number(index), edit])),
})

/** The text after the edit, once it is sure that the value agrees. */
const edited = (raw: string, edit: Edit): string | undefined => {
  const text = applyToText(raw, edit)
  if (text !== undefined) expect(JSON.parse(text)).toStrictEqual(apply(JSON.parse(raw) as Json, edit))
  return text
}

describe("an edit", () => {
  test.each<readonly [string, string, Edit, string]>([
    ["sets the value itself, and leaves the spacing around it", " 1.0 ", set("x"), ' "x" '],
    ["sets a member", '{ "a" : 1.0 , "b":-0 }', object({ a: change(set([1])) }), '{ "a" : [1] , "b":-0 }'],
    ["renames a member", '{"a":1e999,"b":2}', object({ a: { _tag: "Change", key: "c" } }), '{"c":1e999,"b":2}'],
    ["finds a member by what its key stands for", '{"\\u0061":1,"b":2}', object({ a: change(set(3)) }), '{"\\u0061":3,"b":2}'],
    ["removes the first member", '{"a":1, "b":2}', object({ a: remove }), '{"b":2}'],
    ["removes the last", '{"a":1, "b":2 }', object({ b: remove }), '{"a":1 }'],
    ["removes one in the middle", '{"a":1, "b":2, "c":3}', object({ b: remove }), '{"a":1, "c":3}'],
    ["removes the first two", '{ "a":1, "b":2, "c":3 }', object({ a: remove, b: remove }), '{ "c":3 }'],
    ["removes all", '{ "a":1, "b":2 }', object({ a: remove, b: remove }), "{  }"],
    ["adds to an empty object", "{ }", object({}, [["a", 1]]), '{"a":1 }'],
    ["adds behind what stays", '{"a":1, "b":2 }', object({ b: remove }, [["c", 3]]), '{"a":1,"c":3 }'],
    [
      "adds when nothing stays",
      '{ "a":1 }',
      object({ a: remove }, [
        ["c", 3],
        ["d", 4],
      ]),
      '{ "c":3,"d":4 }',
    ],
    ["adds in the place of one that is there", '{"a":1,"b":2}', object({}, [["a", 3]]), '{"a":3,"b":2}'],
    [
      "adds in the place of one that gets the name",
      '{"a":1,"b":2}',
      object({ a: change(set(9), "c") }, [["c", 3]]),
      '{"c":3,"b":2}',
    ],
    [
      "adds one twice: the later counts",
      "{}",
      object({}, [
        ["a", 1],
        ["a", 2],
      ]),
      '{"a":2}',
    ],
    ["sets an element", "[ 1.0 ,2, 3 ]", array({ 1: set("x") }), '[ 1.0 ,"x", 3 ]'],
    [
      "reaches deep",
      '[{"a":[ 0 ,{"b" : -0}]}]',
      array({ 0: object({ a: change(array({ 1: object({ b: change(set(1)) }) })) }) }),
      '[{"a":[ 0 ,{"b" : 1}]}]',
    ],
    [
      "takes __proto__ for a member",
      '{"__proto__":{"a":1},"b":2}',
      object({ __proto__x: remove, b: change(set(3)) }, [["__proto__", 5]]),
      '{"__proto__":5,"b":3}',
    ],
    [
      "leaves brackets and commas in strings alone",
      '{"a":"},{]","b":"\\\\\\"","c":1}',
      object({ c: change(set(2)) }),
      '{"a":"},{]","b":"\\\\\\"","c":2}',
    ],
    [
      "writes values that JSON.stringify would bend",
      "[0,0]",
      array({ 0: set(-0), 1: set(Number.POSITIVE_INFINITY) }),
      "[-0,1e999]",
    ],
    [
      "passes over what is not there",
      '{"a":[1]}',
      object({ b: remove, c: change(set(1)), a: change(array({ 7: set(2) })) }),
      '{"a":[1]}',
    ],
    [
      "passes over what is something else",
      '{"a":[1],"b":{},"c":1}',
      object({ a: change(object({ x: remove })), b: change(array({ 0: set(1) })), c: change(object({}, [["x", 1]])) }),
      '{"a":[1],"b":{},"c":1}',
    ],
  ])("%s", (_, raw, edit, expected) => {
    expect(edited(raw, edit)).toBe(expected)
  })

  test.each<readonly [string, string, Edit]>([
    ["text that is not JSON", '{"a":1', object({ a: remove })],
    ["two values", "1 2", set(0)],
    ["a key that stands twice where it reaches", '{"a":1,"b":2,"\\u0061":3}', object({ b: remove })],
    ["a new key that is taken", '{"a":1,"b":2}', object({ a: { _tag: "Change", key: "b" } })],
    [
      "two new keys that are the same",
      '{"a":1,"b":2}',
      object({ a: { _tag: "Change", key: "c" }, b: { _tag: "Change", key: "c" } }),
    ],
  ])("is not made to %s", (_, raw, edit) => {
    expect(applyToText(raw, edit)).toBeUndefined()
  })

  test("is made beside a key that stands twice where it does not reach", () => {
    expect(applyToText('{"a":{"x":1,"x":2},"b":1}', object({ b: change(set(2)) }))).toBe('{"a":{"x":1,"x":2},"b":2}')
  })

  test("may give a key to another member when the one that had it goes or gets another", () => {
    expect(edited('{"a":1,"b":2}', object({ a: { _tag: "Change", key: "b" }, b: remove }))).toBe('{"b":1}')
    expect(edited('{"a":1,"b":2}', object({ a: { _tag: "Change", key: "b" }, b: { _tag: "Change", key: "a" } }))).toBe(
      '{"b":1,"a":2}',
    )
  })

  test("does not change the value it is made to, and shares what it does not touch", () => {
    const value = { a: { deep: [1] }, b: { c: 1 } }
    const copy = structuredClone(value)
    const result = apply(value, object({ b: change(object({ c: change(set(2)) })) })) as typeof value
    expect(value).toStrictEqual(copy)
    expect(result).toStrictEqual({ a: { deep: [1] }, b: { c: 2 } })
    expect(result.a).toBe(value.a)
  })

  test("of two members that end up with one key leaves the later one", () => {
    const edit = object({ a: change(object({ x: change(set(9)) }), "b") })
    expect(apply({ a: { x: 1 }, b: { x: 2 } }, edit)).toStrictEqual({ b: { x: 2 } })
  })

  test("reaches 100,000 levels down", () => {
    const depth = 100_000
    const raw = `${'[{"a":'.repeat(depth / 2)} 1.0 ${"}]".repeat(depth / 2)}`
    let edit: Edit = set("x")
    for (let i = 0; i < depth / 2; i++) edit = array({ 0: object({ a: change(edit) }) })
    const text = applyToText(raw, edit)
    expect(text).toBe(raw.replace("1.0", '"x"'))
    let inner = apply(JSON.parse(raw) as Json, edit)
    for (let i = 0; i < depth / 2; i++) inner = (inner as ReadonlyArray<{ readonly a: Json }>)[0]?.a ?? null
    expect(inner).toBe("x")
  })
})

describe("keys that stand twice", () => {
  test.each([
    ['{"a":1,"a":2}', true],
    ['{"a":1,"\\u0061":2}', true],
    ['[0,{"x":[{"b":{},"b":1}]}]', true],
    ['{"__proto__":1,"__proto__":2}', true],
    ['{"a":{"a":{"a":1}},"b":["a","a"]}', false],
    ['[{"a":1},{"a":2}]', false],
    ['{"a":"a","b":"a"}', false],
    ['{"a":"\\"a\\":1","b":{}}', false],
    ['{"":1,"":2}', true],
    ["[]", false],
    ['"a"', false],
    ['{"a":1,"a":2', false],
    ["", false],
  ])("%s: %s", (raw, expected) => {
    expect(hasDuplicateKeys(raw)).toBe(expected)
  })

  test("are found in any depth", () => {
    const depth = 100_000
    expect(hasDuplicateKeys(`${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`)).toBe(false)
    expect(hasDuplicateKeys(`${'{"a":['.repeat(depth)}{"b":1,"b":1}${"]}".repeat(depth)}`)).toBe(true)
  })
})
