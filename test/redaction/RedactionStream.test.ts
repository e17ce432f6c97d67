import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, test } from "vitest"
import { TextStream } from "../../src/redaction/RedactionStream.ts"
import { makeRedactor, type Redactor } from "../../src/redaction/Redactor.ts"
import { Rules } from "../../src/redaction/Rules.ts"
import { redacted } from "../../src/redaction/TextStream.ts"
import { drawn, plain, token } from "./Samples.ts"

const secret = token("github-token", 36)
const M = "[REDACTED:github-token]"

/** What comes out after each piece, and at the end. */
const given = (pieces: ReadonlyArray<string>, redactor: Redactor = plain): ReadonlyArray<string> => {
  const stream = redactor.stream()
  return [...pieces.map((piece) => stream.push(piece)), stream.end()]
}

const small = (text: string, piece: number, limits: { readonly mostHeld: number; readonly reach: number }) => {
  const stream = new TextStream(new Rules({ environment: {} }), limits)
  let clean = ""
  let held = 0
  for (let at = 0; at < text.length; at += piece) {
    clean += stream.push(text.slice(at, at + piece))
    held = Math.max(held, at + piece - stream.position)
  }
  return { clean: clean + stream.end(), held, position: stream.position }
}

describe("a stream", () => {
  test("gives words as they end, and holds the last one", () => {
    expect(given(["All te", "sts pa", "ss", ".\n"])).toEqual(["All ", "tests ", "", "pass.\n", ""])
  })

  test("takes out a secret whatever it is cut into", () => {
    expect(given([...`see ${secret} there`]).join("")).toBe(`see ${M} there`)
    expect(given(["see ", secret.slice(0, 9), secret.slice(9), " there"])).toEqual(["see ", "", "", `${M} `, "there"])
  })

  test("holds a line in which a name gives away what follows, and no other", () => {
    const value = drawn(24)
    expect(given(["api_key: ", value.slice(0, 4), value.slice(4), "\n", "next ", "line"])).toEqual([
      "",
      "",
      "",
      "api_key: [REDACTED:credential]\n",
      "next ",
      "",
      "line",
    ])
  })

  test("holds a private key since its BEGIN, and lets a certificate go", () => {
    const lines = ["-----BEGIN PRIVATE KEY-----\n", `${drawn(64)}\n`, `${drawn(64)}\n`, "-----END PRIVATE KEY-----\n", "after\n"]
    expect(given(lines)).toEqual(["", "", "", "[REDACTED:private-key]\n", "after\n", ""])
    expect(given(["-----BEGIN CERTIFICATE-----\n", "MIIB\n"])[0]).toBe("-----BEGIN CERTIFICATE-----\n")
  })

  test("holds what may be one JSON value until it is none", () => {
    expect(given(['{"password":"correct horse', ' staple"', "}", "\n"])).toEqual([
      "",
      "",
      "",
      "",
      '{"password":"[REDACTED:password]"}\n',
    ])
    expect(given(["[INFO] ", "started "])).toEqual(["[INFO] ", "started ", ""])
  })

  test("tells findings with their places in the whole text", () => {
    const stream = plain.stream()
    stream.push(`one ${secret} two `)
    expect(stream.takeFindings()).toEqual([{ kind: "github-token", offset: 4 }])
    stream.push(`three ${secret}`)
    expect(stream.takeFindings()).toEqual([])
    stream.end()
    expect(stream.takeFindings()).toEqual([{ kind: "github-token", offset: `one ${secret} two three `.length }])
    expect(stream.position).toBe(`one ${secret} two three ${secret}`.length)
  })

  test("never gives half of a pair of surrogates, and keeps a half that was given alone", () => {
    expect(given(["a \ud83c", "\udf3f b "])).toEqual(["a ", "🌿 b ", ""])
    expect(given(["a \ud83c"]).join("")).toBe("a \ud83c")
  })

  test("knows what was named and learned by then", () => {
    const following = makeRedactor({ environment: {} }).follow()
    const value = drawn(24)
    expect(given([`api_key = "${value}"\n`, `it is ${value} `], following).join("")).toBe(
      'api_key = "[REDACTED:credential]"\nit is [REDACTED:credential] ',
    )
  })

  test("looks back no further than its reach, and holds no more than its limit", () => {
    const line = `a line of words, ${secret} and more\n`
    const text = line.repeat(400)
    expect(small(text, 7, { mostHeld: 4_096, reach: 512 }).clean).toBe(text.replaceAll(secret, M))
    const word = "ab.".repeat(10_000)
    const long = small(`${word} ${secret} end`, 100, { mostHeld: 4_096, reach: 512 })
    expect(long.clean).toBe(`${word} ${M} end`)
    expect(long.held).toBeLessThan(4_096 + 200)
  })

  test("lets nothing through of a token that is longer than the limit", () => {
    const body = `${drawn(40)}`.repeat(400)
    const { clean, position } = small(`see sk-ant-api03-${body} end`, 100, { mostHeld: 4_096, reach: 512 })
    expect(clean).toBe("see [REDACTED:anthropic-key] end")
    expect(position).toBe(`see sk-ant-api03-${body} end`.length)
  })

  test("takes all values named as secrets out of a JSON value that is too long to be held, and tokens wherever they stand", () => {
    const members = Array.from({ length: 300 }, (_, i) => `"k${i}":"${i % 50 === 0 ? secret : "some words"}"`)
    const { clean } = small(`{${members.join(",\n")}}`, 64, { mostHeld: 1_024, reach: 512 })
    expect(clean).not.toContain(secret.slice(8))
    expect(JSON.parse(clean)).toHaveProperty("k299", "some words")
  })

  test("is linear, letter by letter too", () => {
    const text = "const value = { a: 1, b: [2, 3] } // a line of code\n".repeat(200)
    const stream = plain.stream()
    let clean = ""
    for (const letter of text) clean += stream.push(letter)
    expect(clean + stream.end()).toBe(text)
  })
})

describe("a stream of Effect", () => {
  test("gives the clean text, and its end when the stream ends", async () => {
    const pieces = Stream.make("see ", secret.slice(0, 5), secret.slice(5), " there")
    expect(await Effect.runPromise(Stream.runCollect(redacted(plain)(pieces)))).toEqual(["see ", `${M} `, "there"])
  })

  test("can be run more than once", async () => {
    const clean = redacted(plain)(Stream.make(`a ${secret}`))
    const [one, two] = [await Effect.runPromise(Stream.runCollect(clean)), await Effect.runPromise(Stream.runCollect(clean))]
    expect(one).toEqual(two)
  })
})
