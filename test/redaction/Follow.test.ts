import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { makeRedactor, type Redactor } from "../../src/redaction/Redactor.ts"
import { drawn, plain, token } from "./Samples.ts"

const line = (redactor: Redactor, record: Json): string => Result.getOrThrow(redactor.cleanRecord(record)).line.text

const result = (toolCallId: string, ...texts: ReadonlyArray<string>): JsonObject => ({
  type: "message",
  message: { role: "toolResult", toolCallId, toolName: "read", content: texts.map((text) => ({ type: "text", text })) },
})

const call = (id: string, path: string): JsonObject => ({
  type: "message",
  message: { role: "assistant", content: [{ type: "toolCall", id, name: "read", arguments: { path } }] },
})

const textsOf = (redactor: Redactor, record: JsonObject): ReadonlyArray<string> =>
  (JSON.parse(line(redactor, record)) as { message: { content: ReadonlyArray<{ text: string }> } }).message.content.map(
    ({ text }) => text,
  )

const secret = token("github-token", 36)
const [first, second] = [secret.slice(0, 20), secret.slice(20)]
const M = "[REDACTED:github-token]"

describe("neighbouring text blocks", () => {
  test("are looked at joined: a secret goes from both sides of a border", () => {
    expect(textsOf(plain, result("c", `see ${first}`, `${second} there`))).toEqual([`see ${M}`, `${M} there`])
    expect(textsOf(plain, result("c", "api_key=", `${drawn(24)}\n`))).toEqual(["api_key=", "[REDACTED:credential]\n"])
    expect(textsOf(plain, result("c", first.slice(0, 3), first.slice(3), second))).toEqual([M, M, M])
  })

  test("stay when a whole secret stands at the end of one, and words at the beginning of the next", () => {
    expect(textsOf(plain, result("c", `see ${secret}`, "Hello there"))).toEqual([`see ${M}`, "Hello there"])
  })

  test("give the rest of a key also where it has no number, and reads like a word that nobody can pronounce", () => {
    for (const [kind, rest] of [
      ["age-key", "UFVFSLMFUPEUH"],
      ["openai-key", "Uiblqwvfbagqzgz"],
    ] as const) {
      const texts = textsOf(plain, result("c", `see ${token(kind, 24)}`, `${rest} there`))
      expect(texts).toEqual([`see [REDACTED:${kind}]`, `[REDACTED:${kind}] there`])
    }
    const lower = token("openai-key", 24)
    expect(textsOf(plain, result("c", `see ${lower}`, "Unfortunately, there"))[1]).toBe("Unfortunately, there")
  })

  test("that are apart are not joined", () => {
    const record = {
      message: { role: "user", content: [{ type: "text", text: first }, { type: "image" }, { type: "text", text: second }] },
    }
    expect(line(plain, record)).toContain(second)
  })

  test("come out as they are when nothing is in them, and settled when something is", () => {
    const clean = result("c", "a = 1\n", "b = 2\n")
    expect(plain.redactValue(clean).value).toBe(clean)
    const once = plain.redactValue(result("c", `token=${drawn(9)}`, drawn(20), "x")).value
    expect(plain.redactValue(once).value).toBe(once)
  })
})

describe("a redactor that follows a session", () => {
  test("covers the second half of a secret that two results of one call were cut in", () => {
    const following = plain.follow()
    expect(textsOf(following, result("c1", `see ${first}`))).toEqual([`see ${M}`])
    expect(textsOf(following, result("c1", `${second} there`))).toEqual([`${M} there`])
    expect(textsOf(plain, result("c1", `${second} there`))).toEqual([`${second} there`])
  })

  test("covers lines of a key in the next page of a file, and not in another file", () => {
    const key = [
      "-----BEGIN PRIVATE KEY-----",
      ...Array.from({ length: 6 }, (_, i) => `${i}${drawn(63)}`),
      "-----END PRIVATE KEY-----",
      "",
    ]
    const pages = [key.slice(0, 3), key.slice(3, 5), key.slice(5)].map((lines) => `${lines.join("\n")}\n`)
    const following = plain.follow()
    const seen: Array<string> = []
    for (const [i, page] of pages.entries()) {
      line(following, call(`c${i}`, "/keys/a.pem"))
      seen.push(...textsOf(following, result(`c${i}`, page)))
    }
    expect(seen.join("")).not.toContain(drawn(12))
    line(following, call("other", "/keys/b.txt"))
    expect(textsOf(following, result("other", `${key[3]}\n`))).toEqual([`${key[3]}\n`])
  })

  test("covers the rest of a key that was cut within the sign of a line end", () => {
    const key = ["-----BEGIN PRIVATE KEY-----", ...Array.from({ length: 6 }, (_, i) => `${i}${drawn(63)}`), ""].join("\\n")
    const at = key.indexOf("\\n3") + 1
    const following = plain.follow()
    const [before = ""] = textsOf(following, result("c1", `"key": "${key.slice(0, at)}`))
    const [after = ""] = textsOf(following, result("c1", `${key.slice(at)}",\n`))
    expect([before, after].join("|")).not.toContain(drawn(12))
    expect(after.endsWith('",\n')).toBe(true)
  })

  test.each([0, 1, 2, 5, 7, 9, 14, 30])("covers the rest of a key that was cut %i characters into a line", (length) => {
    const lines = Array.from({ length: 9 }, (_, i) => `${i}${drawn(63)}`)
    const key = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n")
    const at = key.indexOf("\n4") + 1 + length
    const following = plain.follow()
    const [before = ""] = textsOf(following, result("c1", `see\n${key.slice(0, at)}`))
    const [after = ""] = textsOf(following, result("c1", `${key.slice(at)}that was it\n`))
    expect([before, after].join("|")).not.toContain(drawn(12))
    expect(before.startsWith("see\n")).toBe(true)
    expect(after.endsWith("that was it\n")).toBe(true)
  })

  test("follows the output of commands, results of a ledger, and streams of extensions", () => {
    const shell = (output: string) => ({ type: "message", message: { role: "bashExecution", command: "sed", output } })
    const results = (content: string) => ({
      type: "tool_results",
      message: { role: "user", content: [{ type: "tool_result", toolUseId: "c1", content }] },
    })
    const stream = (chunk: string) => ({ type: "custom", customType: "log", data: { chunk } })
    for (const make of [shell, results, stream]) {
      const following = plain.follow()
      expect(line(following, make(first))).toBe(JSON.stringify(make(M)))
      expect(line(following, make(`${second}\n`))).toBe(JSON.stringify(make(`${M}\n`)))
    }
  })

  test("covers a secret that comes in small pieces from where it can be told", () => {
    const following = plain.follow()
    const stream = (chunk: string) => ({ type: "custom", customType: "log", data: { chunk } })
    const written = secret.match(/.{1,4}/g)?.map((chunk) => line(following, stream(chunk))) ?? []
    expect(written.filter((text) => text.includes(M)).length).toBeGreaterThan(6)
  })

  test("gives the same line for a record that comes again", () => {
    const following = plain.follow()
    const records = [result("c1", `see ${first}`), result("c1", `${second} there, and ${drawn(70)}`)]
    const once = records.map((record) => line(following, record))
    expect(records.map((record) => line(following, record))).toEqual(once)
    expect(line(following, JSON.parse(JSON.stringify(records[1])) as Json)).toBe(once[1])
  })

  test("learns what a name gave away, everywhere in the record and in later ones", () => {
    const value = drawn(22)
    const following = plain.follow()
    const record = { text: `it is ${value}`, command: `export API_TOKEN=${value}`, [value]: 1 }
    expect(line(following, record)).not.toContain(value)
    const spellings = [value, Buffer.from(value).toString("base64"), Buffer.from(value).toString("hex"), value.slice(4, 18)]
    for (const spelling of spellings) expect(line(following, { later: spelling })).not.toContain(spelling.slice(0, 12))
    expect(line(following, { later: value })).toBe('{"later":"[REDACTED:credential]"}')
    expect(line(plain, { later: value })).toContain(value)
    expect(line(plain.follow(), { later: value })).toContain(value)
  })

  test.each([
    ["words", "correct-horse-battery-staple"],
    ["a number", "1234567890123456"],
    ["something short", drawn(15)],
    ["an id", "0a1b2c3d-0000-7000-8000-0a1b2c3d4e5f"],
    ["few characters", "a1a1a1a1a1a1a1a1a1"],
  ])("learns no %s", (_, value) => {
    const following = plain.follow()
    line(following, { password: value, text: `password: "${value}"` })
    expect(following.redactText(`see ${value}`).text).toBe(`see ${value}`)
  })
})

describe("a secret that is named later", () => {
  test("goes from then on, here and in all that follow, and keys that were clean are looked at again", () => {
    const redactor = makeRedactor({ environment: {} })
    const following = redactor.follow()
    const value = drawn(24)
    const record = { [value]: value }
    expect(line(following, record)).toBe(JSON.stringify(record))
    expect(redactor.addSecret(value)).toBeUndefined()
    for (const one of [redactor, following, redactor.follow()])
      expect(line(one, record)).toBe('{"[REDACTED:registered]":"[REDACTED:registered]"}')
    expect(redactor.addSecret(value)).toBeUndefined()
    expect(redactor.redactText(`<${value}>`).text).toBe("<[REDACTED:registered]>")
  })

  test("that cannot be looked for is told by its name", () => {
    const redactor = makeRedactor({ environment: { A_KEY: "short" } })
    expect(redactor.addSecret("short", "session password")).toBe("short")
    expect(redactor.addSecret("REDACTED")).toBe("marker")
    expect(redactor.follow().skipped).toEqual([
      { name: "A_KEY", reason: "short" },
      { name: "session password", reason: "short" },
      { name: "addSecret[1]", reason: "marker" },
    ])
  })
})

test("what is not seen does not hide a secret", () => {
  const hidden = [
    Array.from(secret).join("\u0000"),
    `${secret.slice(0, 9)}\u200b${secret.slice(9)}`,
    `${secret.slice(0, 9)}\u001b[31m${secret.slice(9)}\u001b[0m`,
  ]
  for (const text of hidden) {
    expect(plain.redactText(`see ${text}\n`).text).toMatch(/^see \[REDACTED:github-token\](?:\u001b\[0m)?\n$/)
    expect(plain.redactText(JSON.stringify({ text })).text).not.toContain(secret.slice(20))
  }
})

describe("a hash of a password", () => {
  const hash = `$argon2id$${drawn(9)},${drawn(8)}=${drawn(11)}$${drawn(24)}`
  const cut = `see ${hash.slice(0, 31)}`

  test("that is named is known by its parts also where a comma stands in them", () => {
    const named = makeRedactor({ environment: {}, secrets: [hash] })
    expect(named.redactText(cut).text).toBe("see $argon2id$[REDACTED:registered]")
  })

  test("that was cut is known so to whoever goes on with the memory", () => {
    const following = plain.follow()
    for (const text of [cut, hash.slice(31)]) line(following, result("c1", text))
    expect(textsOf(following.follow(), result("c2", cut))).toEqual(["see $argon2id$[REDACTED:password-hash]"])
  })
})
