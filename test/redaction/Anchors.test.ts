import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatTable, literal, standsAt, Table } from "../../src/redaction/Anchors.ts"
import { MARKS } from "../../src/redaction/Marks.ts"
import { Units } from "../../src/redaction/Units.ts"

const read = (text: string): Units => {
  const units = new Units()
  units.read(text, 0)
  return units
}

/** What the rest of a mark looks like, without the look-around that a generator has no use for. */
const restOf = (pattern: RegExp): RegExp => new RegExp(`^${pattern.source.replace(/\(\?[=!][^)]*\)/g, "")}$`)

test.each(MARKS.filter(({ body }) => body !== undefined))(
  "a $kind is asked for no more behind its fixed characters than every secret of its form has",
  ({ kind, texts, rest }) => {
    const table = formatTable()
    const text = fc
      .tuple(fc.constantFrom(...texts), fc.stringMatching(restOf(rest)))
      .map(([fixed, form]) => fixed + form.slice(fixed.length))
    fc.assert(
      fc.property(text, (secret) => {
        expect(table.anchorsAt(secret, 0).some((anchor) => anchor.kind === kind && standsAt(anchor, secret, 0))).toBe(true)
      }),
    )
  },
)

describe("a table", () => {
  test("notes every place where an anchor stands, whatever stands around it", () => {
    const table = formatTable()
    const values = ["zq7Rz2KbX9mT", "é漢字-ünï", "=:=:=:=:"]
    for (const value of values) table.add(literal(value, "environment", 0))
    const starts = [...MARKS.flatMap(({ texts }) => texts), "sk-ant-", "ghp_", "eyJ", "BEGIN ", "://", ...values]
    const around = fc.string({
      unit: fc.constantFrom("a", " ", "\n", "s", "k", "-", "é", "漢", ":", "=", "\\", "\0"),
      maxLength: 12,
    })
    let standing = 0
    fc.assert(
      fc.property(around, fc.constantFrom(...starts), around, (before, start, after) => {
        const text = before + start + after
        const units = read(text)
        const { count } = table.noteBeginnings(units)
        const noted = new Set(Array.from(units.noted.subarray(0, count)).filter((note) => note >> 15 === 1))
        for (let at = 0; at < text.length - 1; at++) {
          if (!table.anchorsAt(text, at).some((anchor) => standsAt(anchor, text, at))) continue
          expect(noted.has((1 << 15) | (at + 1)) || noted.has((3 << 14) | (at + 1))).toBe(true)
          standing++
        }
      }),
    )
    expect(standing).toBeGreaterThan(20)
  })

  test("notes every separator, and none when it was made without them", () => {
    const text = "a:b=c é: =="
    const separators = (table: Table) => {
      const units = read(text)
      const { count } = table.noteBeginnings(units)
      return Array.from(units.noted.subarray(0, count), (note) => (note & 0x4000 ? note & 0x3fff : -1)).filter((at) => at >= 0)
    }
    expect(separators(new Table(true))).toEqual([1, 3, 7, 9, 10])
    expect(separators(new Table(false))).toEqual([])
  })

  test("that was made from another knows what that one knew and shares nothing of what is added", () => {
    const first = new Table(false)
    first.add(literal("zq7Rz2KbX9mT", "environment", 0))
    const second = new Table(false, first)
    second.add(literal("zq8Rz2KbX9mT", "environment", 0))
    const kinds = (table: Table, text: string) => table.anchorsAt(text, 0).filter((anchor) => standsAt(anchor, text, 0)).length
    expect([kinds(first, "zq7Rz2KbX9mT"), kinds(first, "zq8Rz2KbX9mT")]).toEqual([1, 0])
    expect([kinds(second, "zq7Rz2KbX9mT"), kinds(second, "zq8Rz2KbX9mT")]).toEqual([1, 1])
  })
})
