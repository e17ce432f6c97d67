import { generateKeyPairSync } from "node:crypto"
import { describe, expect, test } from "vitest"
import { LineCleaner } from "../../src/redaction/LineCleaner.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"

const SECRET = ["kk", "Lm29", "qrZ7", "Px41", "vw"].join("")

const cleaned = (text: string, secrets: ReadonlyArray<string> = [SECRET]) => {
  const cleaner = new LineCleaner(makeRedactor({ environment: {}, secrets }))
  let clean = ""
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) clean += cleaner.push(line, Buffer.byteLength(line))
  clean += cleaner.end()
  return { clean, findings: cleaner.takeFindings() }
}

describe("lines on their way through redaction", () => {
  test("stay byte for byte when nothing is found in them", () => {
    for (const text of ["", "\n", "a", "a\nb", '{"n":1.0, "x" : -0}\n\n{"a":1}', "é\r\n{}\r\n[1]\n", "{not json}\n{"])
      expect(cleaned(text)).toEqual({ clean: text, findings: [] })
  })

  test("are records where they are JSON, with the place in them", () => {
    const { clean, findings } = cleaned(`é\n{"n":1.0,"a":{"b":["x ${SECRET}"]}}\n`)
    expect(clean).toBe('é\n{"n":1.0,"a":{"b":["x [REDACTED:registered]"]}}\n')
    expect(findings).toEqual([{ kind: "registered", line: 2, offset: 3, at: "/a/b/0" }])
  })

  test("are text between records, found by line and byte", () => {
    const { clean, findings } = cleaned(`{}\né ${SECRET}\nmore ${SECRET}\n{}\n${SECRET}`)
    expect(clean).not.toContain(SECRET)
    expect(findings.map(({ line, offset }) => [line, offset])).toEqual([
      [2, 6],
      [3, 6 + SECRET.length + 1 + 5],
      [5, 6 + 2 * SECRET.length + 1 + 5 + 1 + 3],
    ])
  })

  test("are given on as they come: parts of a line of text, a record whole", () => {
    const cleaner = new LineCleaner(makeRedactor({ environment: {}, secrets: [SECRET] }))
    const push = (piece: string) => cleaner.push(piece, piece.length) + cleaner.flush()
    expect(["one tw", "o three\n", `{"a":"${SECRET}"}\n`, SECRET.slice(0, 5), `${SECRET.slice(5)} end\n`].map(push)).toEqual([
      "one ",
      "two three\n",
      '{"a":"[REDACTED:registered]"}\n',
      "",
      "[REDACTED:registered] end\n",
    ])
    expect(cleaner.end()).toBe("")
    expect(cleaner.takeFindings()).toEqual([
      { kind: "registered", line: 2, offset: 14, at: "/a" },
      { kind: "registered", line: 3, offset: 14 + SECRET.length + 9 },
    ])
  })

  test("know what a cleaner before them has learned", () => {
    const value = `${SECRET}9`
    const first = new LineCleaner(makeRedactor({ environment: {} }))
    first.push(`it is ${value}\n`, 1)
    first.push(`api_key = "${value}"\n`, 1)
    first.end()
    const second = new LineCleaner(first.redactor)
    expect(second.push(`it is ${value}\n`, 1) + second.end()).not.toContain(value)
  })

  test("are looked at together, because a private key spans many", () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 })
    const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString()
    const { clean, findings } = cleaned(`before\n${pem}after\n{"a":1}\n`, [])
    expect(clean).toMatch(/^before\n\[REDACTED:[a-z-]+\]\nafter\n\{"a":1\}\n$/)
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({ line: 2, offset: 7 })
  })
})
