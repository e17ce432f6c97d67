import { describe, expect, test } from "vitest"
import { ALPHABETS } from "../../src/redaction/Alphabet.ts"
import { eachEncoded } from "../../src/redaction/Encoded.ts"
import { FORMATS } from "../../src/redaction/Formats.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { PORTION, Units } from "../../src/redaction/Units.ts"
import { drawn, redact, token } from "./Samples.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const pieces = (text: string) => {
  const found: Array<readonly [string, string]> = []
  const units = new Units()
  let done = 0
  for (let from = 0; from < text.length; from += PORTION) {
    units.read(text, from)
    done = eachEncoded(text, units, done, (piece) => found.push([text.slice(piece.start, piece.end), piece.text]))
  }
  return found
}

const words = "forty-two words that stand for nothing but themselves, line after line after line"

describe("base64 that stands for text", () => {
  test.each([
    ["alone", base64(words), base64(words)],
    ["in a sentence", `It is ${base64(words)}.`, base64(words)],
    [
      "in the other alphabet",
      `x=${Buffer.from("??>>~~".repeat(6)).toString("base64url")}&`,
      Buffer.from("??>>~~".repeat(6)).toString("base64url"),
    ],
  ])("is found: %s", (_, text, piece) => {
    expect(pieces(text)).toEqual([[piece, Buffer.from(piece, "base64").toString("latin1")]])
  })

  test("is found wherever a portion ends in it, down to the shortest", () => {
    const shortest = base64("twelve signs")
    expect(shortest.length).toBe(16)
    for (let before = PORTION - 20; before <= PORTION + 4; before++)
      expect(pieces(`${" ".repeat(before)}${shortest} `)).toEqual([[shortest, "twelve signs"]])
  })

  test("in lines is one piece", () => {
    const whole = base64(words.repeat(4))
    for (const lineEnd of ["\n", "\r\n", "\n    "]) {
      const lines = whole.match(/.{1,76}/g)?.join(lineEnd) ?? ""
      expect(pieces(`key:${lineEnd}${lines}\nnext`)).toEqual([[lines, words.repeat(4)]])
    }
  })

  test("in lines is one piece also behind digits that are no part of it", () => {
    const lines =
      base64(words.repeat(4))
        .match(/.{1,76}/g)
        ?.join("\n") ?? ""
    expect(pieces(`/w/${lines}\n`).map(([piece]) => piece)).toEqual([`/w/${lines}`])
  })

  test("is read in the characters of UTF-8", () => {
    const known = makeRedactor({ environment: { API_TOKEN: 'é-swördfish\n"7漢x' } })
    const json = base64(JSON.stringify({ text: 'é-swördfish\n"7漢x' }))
    expect(known.redactText(`x ${json}`).text).toBe("x [REDACTED:environment]")
  })

  test("behind digits that are no part of it is decoded all the same", () => {
    for (const before of ["a/", "path/to/", "abc/"]) expect(pieces(before + base64(words))[0]?.[1]).toContain(words.slice(4, 70))
  })

  test.each([
    ["a digest", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["a name", "thisIsALongIdentifierOfAProgramThatSomebodyWroteDown"],
    ["an image", Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * 7_919) >> 3)).toString("base64")],
    ["something short", base64("short text")],
  ])("is nothing else: %s", (_, text) => {
    expect(pieces(text)).toEqual([])
  })
})

test("of the address of an image the text among its bytes is read", () => {
  const picture = base64(`\u0000\u0001${words}\u0000\u0002short\u0003`)
  expect(pieces(`url(data:image/svg+xml;base64,${picture})`)).toEqual([[picture, words]])
})

describe("a secret in base64", () => {
  const secret = token("github-token", 36)

  test.each([
    ["with a user", base64(`deploy:${secret}`)],
    ["in a file of settings", base64(`# settings\nA=1\nGITHUB_TOKEN=${secret}\nB=2\n`)],
    ["twice", base64(base64(`x: ${secret}`))],
    ["three times", base64(base64(base64(`x: ${secret}`)))],
    ["in JSON", base64(JSON.stringify({ auth: { token: drawn(30) } }))],
    ["of a name and a value", base64(`DB_PASSWORD=${drawn(14)}\n`)],
  ])("goes: %s", (_, piece) => {
    expect(redact(`see ${piece} there`)).toMatch(/^see \[REDACTED:[a-z-]+\] there$/)
    expect(redact(JSON.stringify({ content: piece }))).toMatch(/^\{"content":"\[REDACTED:[a-z-]+\]"\}$/)
  })

  test.each(["set", "toolCall", "stop\nset", token("npm-token", 36)])(
    "in lines that end where a word stands on the next one: %s",
    (word) => {
      const unpadded = (text: string): string => base64(text).replaceAll("=", "")
      for (const more of ["", "\n", "\n!"])
        for (const text of [
          unpadded(secret.repeat(2) + more),
          unpadded(`x: ${secret}, y: ${secret}${more}`),
          unpadded(secret.padEnd(57, "z") + more),
        ]) {
          const after = redact(`stop\nother\n${text}\n${word}\nc1\n`)
          expect(after).not.toContain(text.slice(0, 20))
          expect(after).toContain("[REDACTED:github-token]")
          expect(after).toMatch(/\nc1\n$/)
        }
    },
  )

  describe.each([
    ["a line end", "\n"],
    ["a line end of two characters", "\r\n"],
    ["a line end and an indentation", "\n    "],
  ])("beside other digits on lines of their own, by %s", (_, lineEnd) => {
    const digest = "f0".repeat(32)
    const prose = base64(words.repeat(40)).replace(/=*$/, "x")
    test.each([
      ["below a digest", [digest, base64(secret)]],
      ["below many", [digest, digest, digest, base64(`x: ${secret}`)]],
      ["above one and a word", [base64(`x: ${secret}, hello wo`), digest, "set"]],
      ["above two of its length", [base64(`k ${secret} zzzzz`).slice(0, 64), digest, digest]],
      ["between two", [digest, base64(`k ${secret} zzzzz`).slice(0, 64), digest]],
      ["below long base64 that ends in the middle of a byte", [prose, base64(secret), "end"]],
    ])("%s", (_, lines) => {
      const after = redact(lines.join(lineEnd))
      expect(after).toContain("[REDACTED:github-token]")
      for (const line of lines.filter((line) => line.includes(base64(secret).slice(8, 40)))) expect(after).not.toContain(line)
    })
  })

  test("with its padding", () => {
    for (const more of ["", "!", "!!"]) expect(redact(`"${base64(secret + more)}"`)).toBe('"[REDACTED:github-token]"')
  })

  test.each(
    FORMATS.filter(({ body, keeps }) => ALPHABETS[body].includes("q") && keeps !== true).map(
      (format) => [format.prefixes[0] as string, format] as const,
    ),
  )("cut as short as it is told at all: %s", (prefix, { body, minimum }) => {
    const cut = `${prefix}q7${ALPHABETS[body].slice(0, 5)}${ALPHABETS[body].slice(-minimum)}`.slice(0, prefix.length + minimum)
    expect(redact(cut)).toContain("[REDACTED:")
    for (const text of [cut, `${cut}\n`])
      expect(redact(`It is ${base64(text)} there`)).toMatch(/^It is \[REDACTED:[a-z-]+\] there$/)
  })
})

describe("a known value", () => {
  const value = drawn(24)
  const known = makeRedactor({ environment: { A_KEY: value } })
  const isGone = (text: string): void => {
    const after = known.redactText(text).text
    expect(after).toContain("[REDACTED:environment]")
    expect(known.redactText(after).text).toBe(after)
  }

  test("goes in base64, wherever it begins and whatever is around it", () => {
    for (const before of [0, 1, 2])
      for (const alphabet of ["base64", "base64url"] as const) {
        const bytes = Buffer.concat([Buffer.alloc(before + 30, 0xf7), Buffer.from(value), Buffer.alloc(20, 0x01)])
        isGone(bytes.toString(alphabet))
      }
  })

  test("goes in hex, in either case", () => {
    for (const hex of [Buffer.from(value).toString("hex"), Buffer.from(value).toString("hex").toUpperCase()]) isGone(`0x${hex}00`)
  })

  test("goes in parts of twelve characters and more", () => {
    for (let start = 0; start + 12 <= value.length; start++) isGone(`…${value.slice(start, start + 12)}…`)
    const [a, b] = [value.slice(0, 12), value.slice(12)]
    expect(known.redactText(`${a}\n  ${b}`).text).toBe("[REDACTED:environment]\n  [REDACTED:environment]")
    expect(known.redactText(value.slice(0, 11)).text).toBe(value.slice(0, 11))
  })

  test("goes in parts also where letters beyond ASCII are in it", () => {
    const foreign = "qZ7ü漢Kw2ßRt9éLx4ØPm6ñVb"
    const redactor = makeRedactor({ environment: { A_KEY: foreign } })
    for (let start = 0; start + 12 <= foreign.length; start++)
      expect(redactor.redactText(`…${foreign.slice(start, start + 12)}…`).text).toBe("…[REDACTED:environment]…")
  })

  test("of fewer than twenty characters goes only whole", () => {
    const short = makeRedactor({ environment: { A_KEY: drawn(19) } })
    expect(short.redactText(drawn(18)).text).toBe(drawn(18))
  })

  test("leaves words alone that are parts of it", () => {
    const wordy = makeRedactor({
      environment: {
        A_KEY: `https://example.com/service/account-of-mine?key=${drawn(20)}`,
        B_KEY: `sk${"-ant-"}api03-${drawn(60)}`,
      },
    })
    for (const text of ["https://example.com/", "service/account-of-mine", `sk${"-ant-"}api03-`])
      expect(wordy.redactText(text).text).toBe(text)
    expect(wordy.redactText(drawn(60).slice(3, 33)).text).toBe("[REDACTED:environment]")
  })
})

test("base64 that was encoded once more is read from the right digit on, whatever digits of a path stand before it", () => {
  const missed: Array<string> = []
  for (let n = 0; n < 60; n++) {
    const key =
      token("aws-key-id", 16).slice(0, 4) +
      drawn(80)
        .toUpperCase()
        .replace(/[^A-Z2-7]/g, "")
        .slice(n % 24, (n % 24) + 16)
    const twice = btoa(`${btoa(`${key}\n`)}\n`)
    for (const path of ["", "/w/", "/ab/", "x/", "/home/me/"]) {
      const clean = makeRedactor({ environment: {} }).redactText(path + twice).text
      if (clean.includes(twice.slice(-20))) missed.push(path + key)
    }
  }
  expect(missed).toEqual([])
})
