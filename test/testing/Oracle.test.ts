import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import { Oracle, type Sighting } from "../../src/testing/Oracle.ts"
import { SimulatedDisk } from "../../src/testing.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const utf16 = (text: string): Buffer => Buffer.from(text, "utf16le")

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

const asUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")

const percent = (text: string): string => Array.from(utf8(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

const wrapped = (text: string): string => text.replace(/.{76}/g, "$&\n")

/** How a canary may stand in bytes, and the last words of how the oracle calls it, where there is but one. */
const SPELLINGS: ReadonlyArray<readonly [name: string, spell: (text: string) => Uint8Array | string]> = [
  ["utf-8", (text) => text],
  ["utf-16le", utf16],
  ["utf-16be", (text) => utf16(text).swap16()],
  ["json, utf-8", escaped],
  ["json, json, utf-8", (text) => escaped(escaped(`"${text}`))],
  ["json, json, json, utf-8", (text) => escaped(escaped(escaped(`"${text}`)))],
  ["json, utf-8", asUnits],
  ["json, json, utf-8", (text) => escaped(asUnits(text))],
  ["percent, utf-8", percent],
  ["percent, utf-8", (text) => percent(text).toUpperCase()],
  ["percent, percent, utf-8", (text) => encodeURIComponent(percent(text))],
  ["percent, json, utf-8", (text) => encodeURIComponent(escaped(`"${text}`))],
  ["json, percent, utf-8", (text) => escaped(`"${percent(text)}`).replaceAll("%", "\\u0025")],
  ["base64", (text) => `"${base64(utf8(text))}"`],
  ["base64", (text) => `"${base64(utf8(`x${text}`))}"`],
  ["base64", (text) => `"${base64(utf8(`xy${text}y`))}"`],
  ["base64", (text) => base64(utf8(`${"0".repeat(50)}${text}`)).replaceAll("=", "")],
  ["base64url", (text) => `"${Buffer.from(`>>>???${text}`).toString("base64url")}"`],
  ["hex", (text) => Buffer.from(text).toString("hex")],
  ["hex", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  ["gzip", (text) => gzipSync(text)],
  ["gzip, json", (text) => gzipSync(`{"a":"${escaped(text)}"}`)],
  ["zlib", (text) => deflateSync(utf16(text), { level: 9 })],
  ["zlib", (text) => deflateSync(text, { level: 1 })],
  ["zstd", (text) => zstdCompressSync(text)],
  ["base64, gzip", (text) => `"${base64(gzipSync(text))}"`],
  ["base64, gzip", (text) => `\n${wrapped(base64(gzipSync(text + "0123456789abcdefghijklmnopqrstuvwxyz".repeat(3))))}\n`],
  ["base64, gzip", (text) => JSON.stringify(wrapped(base64(gzipSync(text))))],
  ["base64, base64", (text) => `"${base64(utf8(base64(utf8(text))))}"`],
  ["base64, utf-16le", (text) => `"${base64(utf16(text))}"`],
  ["gzip, zlib", (text) => gzipSync(deflateSync(text))],
]

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_.:@"\\\n%é漢🌿 '

const secret = (from: number, to: number, unit = characters): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...unit), minLength: from, maxLength: to }).filter((text) => !/^\s|\s{9}/.test(text))

/** Text of all kinds, and text in which hardly twelve characters stand as they are. */
const anySecret = fc.oneof(secret(26, 60), secret(26, 60, 'ab1"\\\n>?'))

const canaryOf = (text: string) => ({ name: "planted", text })

/** A stretch between other bytes. */
const planted = (before: Uint8Array, what: Uint8Array | string, after: Uint8Array): Uint8Array =>
  Buffer.concat([before, typeof what === "string" ? utf8(what) : what, after])

const surroundings = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ maxLength: 200 }).map(utf8),
  fc.constantFrom("", '{"text":"', "aGVsbG8", "%", "\\", "/home/dev/", "\u0000").map(utf8),
)

const RUNS = { numRuns: 150 }

describe("a planted canary is found", () => {
  test.each(SPELLINGS.map(([name, spell], at) => [`${name} (${at})`, name, spell] as const))("as %s", (_, name, spell) => {
    let named = 0
    fc.assert(
      fc.property(surroundings, anySecret, surroundings, (before, text, after) => {
        const bytes = planted(before, spell(text), after)
        const sightings = new Oracle([canaryOf(text)]).searchBytes(bytes)
        assert.isNotEmpty(sightings)
        for (const { offset, canary, where } of sightings) {
          assert.deepStrictEqual([canary, where], ["planted", "bytes"])
          // A zero byte or a backslash before it may be read as a part of it.
          assert.isAtLeast(offset, before.length - 1)
          assert.isBelow(offset, bytes.length - after.length)
        }
        if (sightings.some(({ spelling }) => spelling.join(", ").startsWith(name))) named++
      }),
      RUNS,
    )
    // Text without a sign to escape, and base64 in which no digit differs between its alphabets, go by a simpler name.
    assert.isAbove(named, 5)
  })

  test("any twelve characters of it, and no eleven", () => {
    fc.assert(
      fc.property(
        surroundings,
        secret(40, 60, "abcdefghijklmnopqrstuvwxyz0123456789"),
        fc.nat(25),
        surroundings,
        (a, text, at, b) => {
          const oracle = new Oracle([canaryOf(text)])
          assert.isNotEmpty(oracle.searchBytes(planted(a, `#${text.slice(at, at + 12)}#`, b)))
          assert.isEmpty(oracle.searchBytes(utf8(`#${text.slice(at, at + 11)}#`)))
          for (const encoding of ["utf16le", "hex", "base64"] as const) {
            assert.isNotEmpty(
              oracle.searchBytes(
                planted(
                  a,
                  Buffer.from(`#${text.slice(at, at + 12)}#`, encoding === "utf16le" ? encoding : "utf8").toString(
                    encoding === "utf16le" ? "latin1" : encoding,
                  ),
                  b,
                ),
              ),
              encoding,
            )
          }
        },
      ),
      RUNS,
    )
  })

  test("all of one that is shorter, and not most of it", () => {
    const oracle = new Oracle([canaryOf("hunter2-x9")])
    assert.lengthOf(oracle.searchBytes(utf8('{"a":"hunter2-x9"}')), 1)
    assert.isEmpty(oracle.searchBytes(utf8('{"a":"hunter2-x"}')))
  })

  test("all of one that says less by itself, its prefix included", () => {
    const oracle = new Oracle([{ name: "cookie", text: "a-long-name-of-a-cookie=d7bFfEb51", open: 24 }])
    assert.isEmpty(oracle.searchBytes(utf8("a-long-name-of-a-cookie=d7bFfEb5")))
    assert.lengthOf(oracle.searchBytes(utf8("x a-long-name-of-a-cookie=d7bFfEb51 x")), 1)
  })

  test("each time, among others, and what says nothing is passed over", () => {
    const oracle = new Oracle([
      { name: "token", text: "ghx_0123456789abcdefghij", open: 4 },
      { name: "password", text: "swordfish-and-more" },
    ])
    const told = oracle.searchBytes(
      utf8(`ghx_ ${"-".repeat(40)}0123456789abcdefghij${" ".repeat(30)}swordfish-and-more, 0123456789abcdefghij`),
    )
    assert.deepStrictEqual(
      told.map(({ canary, offset }) => [canary, offset]),
      [
        ["token", 45],
        ["password", 95],
        ["token", 115],
      ],
    )
  })

  test("white space alone is not a part of it", () => {
    const key = `-----BEGIN KEY-----\n${" ".repeat(20)}abcdefghijklmnop\n`
    assert.isEmpty(new Oracle([canaryOf(key)]).searchBytes(utf8(" ".repeat(100))))
  })

  test("nothing is too short to ask for without being told", () => {
    assert.throws(() => new Oracle([canaryOf("hunter2")]), /fewer than 8/)
  })
})

test("nothing is found in bytes that are clean", () => {
  const clean = fc.oneof(
    fc.uint8Array({ maxLength: 4_000 }),
    fc.string({ unit: fc.constantFrom(...characters), maxLength: 4_000 }).map(utf8),
    fc.string({ maxLength: 2_000 }).map((text) => gzipSync(base64(utf8(text)))),
  )
  fc.assert(
    fc.property(fc.array(secret(14, 60), { minLength: 1, maxLength: 5 }), clean, (texts, bytes) => {
      const oracle = new Oracle(texts.map((text) => canaryOf(`${text}#not-there`)))
      assert.isEmpty(oracle.searchBytes(bytes))
    }),
    { numRuns: 400 },
  )
})

describe("on a disk", () => {
  const oracle = new Oracle([canaryOf("abcdefgh-12345678")])
  const brief = ({ path, where, offset, spelling }: Sighting) => [path, where, offset, spelling.join(" ")]

  test("every file, hidden ones too, and every name are read, each name once", () => {
    const disk = new SimulatedDisk({
      "/store/.a.tmp": "....abcdefgh-12345678",
      "/store/x/abcdefgh-12345678/b": "clean",
      "/store/x/c": gzipSync("abcdefgh-12345678"),
      "/store/x/abcdefgh%2D12345678.jsonl": "",
      "/other/d": "abcdefgh-12345678",
    })
    const { sightings, unread, files, bytes } = oracle.searchDisk(disk, "/store")
    assert.deepStrictEqual(sightings.map(brief).sort(), [
      ["/store/.a.tmp", "bytes", 4, "utf-8"],
      ["/store/x/abcdefgh%2D12345678.jsonl", "name", 9, "percent utf-8"],
      ["/store/x/abcdefgh-12345678", "name", 9, "utf-8"],
      ["/store/x/c", "bytes", 0, "gzip utf-8"],
    ])
    assert.deepStrictEqual([unread, files], [[], 4])
    assert.isAbove(bytes, 26)
  })

  test("what cannot be read is told", () => {
    const disk = new SimulatedDisk({ "/store/a": "x", "/store/b": "abcdefgh-12345678" })
    disk.fail((call) => call.operation === "open" && call.path === "/store/a", "EACCES")
    const { sightings, unread } = oracle.searchDisk(disk, "/store")
    assert.deepStrictEqual(unread, [{ path: "/store/a", why: "EACCES" }])
    assert.lengthOf(sightings, 1)
    assert.deepStrictEqual(oracle.searchDisk(disk, "/nowhere").unread, [{ path: "/nowhere", why: "ENOENT" }])
  })

  test("a member that is too large to be unpacked is told", () => {
    const bomb = gzipSync(Buffer.alloc(65 << 20))
    const { unread } = oracle.searchFiles([{ path: "/bomb", bytes: bomb }])
    assert.deepStrictEqual(unread, [{ path: "/bomb", why: "the gzip member at byte 0 is too large" }])
  })

  test("a member that is cut gives what there is", () => {
    const noise = Array.from({ length: 3_000 }, (_, i) => `${(i * 7_919) % 10_007}`).join("")
    for (const pack of [gzipSync, deflateSync]) {
      const whole = pack(`abcdefgh-12345678${noise}`)
      assert.lengthOf(oracle.searchBytes(whole.subarray(0, whole.length >> 1)), 1)
    }
  })
})
