import { generateKeyPairSync } from "node:crypto"
import { describe, expect, test } from "vitest"
import { hole, redact } from "./Samples.ts"

const pkcs8 = { type: "pkcs8", format: "pem" } as const
const spki = { type: "spki", format: "pem" } as const

const keys: ReadonlyArray<readonly [name: string, pem: string]> = [
  [
    "RSA, PKCS#8",
    generateKeyPairSync("rsa", { modulusLength: 1024, privateKeyEncoding: pkcs8, publicKeyEncoding: spki }).privateKey,
  ],
  [
    "RSA, PKCS#1",
    generateKeyPairSync("rsa", {
      modulusLength: 1024,
      privateKeyEncoding: { type: "pkcs1", format: "pem" },
      publicKeyEncoding: spki,
    }).privateKey,
  ],
  [
    "RSA, encrypted, with headers",
    generateKeyPairSync("rsa", {
      modulusLength: 1024,
      privateKeyEncoding: { type: "pkcs1", format: "pem", cipher: "aes-128-cbc", passphrase: "p" },
      publicKeyEncoding: spki,
    }).privateKey,
  ],
  [
    "EC, SEC1",
    generateKeyPairSync("ec", {
      namedCurve: "P-256",
      privateKeyEncoding: { type: "sec1", format: "pem" },
      publicKeyEncoding: spki,
    }).privateKey,
  ],
  ["Ed25519", generateKeyPairSync("ed25519", { privateKeyEncoding: pkcs8, publicKeyEncoding: spki }).privateKey],
]

/** Pieces of a key's body as they stand in a line. */
const bodyOf = (pem: string): ReadonlyArray<string> =>
  pem.split("\n").filter((line) => !line.startsWith("-----") && !line.includes(":") && line.length >= 12)

const MARKER = "[REDACTED:private-key]"

describe.each(keys)("%s", (_, pem) => {
  const lines = pem.trimEnd().split("\n")

  test.each<readonly [string, string, string]>([
    ["alone", pem, `${MARKER}\n`],
    ["in text", `before\n${pem}after`, `before\n${MARKER}\nafter`],
    ["with CRLF", pem.replaceAll("\n", "\r\n"), `${MARKER}\r\n`],
    ["with line ends as two characters", `KEY="${pem.trimEnd().replaceAll("\n", "\\n")}"`, `KEY="${MARKER}"`],
    ["the same, escaped again", pem.trimEnd().replaceAll("\n", "\\\\n"), MARKER],
    ["indented", `key: |\n  ${lines.join("\n  ")}\nnext: 1`, `key: |\n  ${MARKER}\nnext: 1`],
    ["as a program joins it", lines.map((line) => `"${line}\\n"`).join(" +\n  "), `"${MARKER}\\n"`],
    ["numbered", lines.map((line, i) => `${i + 1}\t${line}`).join("\n"), `1\t${MARKER}`],
    ["numbered with arrows", lines.map((line, i) => `     ${i + 1}→${line}`).join("\n"), `     1→${MARKER}`],
    ["added in a diff", lines.map((line) => `+${line}`).join("\n"), `+${MARKER}`],
    ["quoted in a mail", lines.map((line) => `> ${line}`).join("\n"), `> ${MARKER}`],
    [
      "without its end",
      `${lines.slice(0, -1).join("\n")}\nThen something else happened`,
      `${MARKER}\nThen something else happened`,
    ],
    [
      "cut in the first line",
      pem.slice(0, (pem.indexOf("\n\n") > 0 ? pem.indexOf("\n\n") + 2 : pem.indexOf("\n") + 1) + 30),
      MARKER,
    ],
  ])("%s", (_name, text, expected) => {
    const result = redact(text)
    for (const piece of bodyOf(pem)) expect(result).not.toContain(piece)
    expect(result).toBe(expected)
  })

  test("inside JSON in a string", () => {
    const result = redact(JSON.stringify({ file: pem, n: 1 }))
    expect(JSON.parse(result)).toEqual({ file: `${MARKER}\n`, n: 1 })
  })
})

test.each(["pkI/FE+IMg==", "ZDVTTURazlly", "TiPktgzEV/WSig==", "GYsmgvvMpy/bdnk="])(
  "the last line goes with a key without its end, also when it reads like names: %s",
  (last) => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024, privateKeyEncoding: pkcs8, publicKeyEncoding: spki })
    const lines = privateKey.split("\n").slice(0, 5)
    for (const rest of ["\nThen something else happened", "", '"}', "\nFinished\n"])
      expect(redact(`${lines.join("\n")}\n${last}${rest}`)).toBe(`${MARKER}${rest}`)
  },
)

test("a PGP block goes, its headers and its check sum included", () => {
  const body = generateKeyPairSync("rsa", { modulusLength: 1024, privateKeyEncoding: pkcs8, publicKeyEncoding: spki })
    .privateKey.split("\n")
    .slice(1, 5)
  const block = ["-----BEGIN PGP PRIVATE KEY BLOCK-----", "Version: GnuPG v2", "Comment: a key", "", ...body, "=aB3x"]
  expect(redact(`${block.join("\n")}\n-----END PGP PRIVATE KEY BLOCK-----\nrest`)).toBe(`${MARKER}\nrest`)
  expect(redact(`${block.slice(0, -1).join("\n")}\nrest of it`)).toBe(`${MARKER}\nrest of it`)
})

test("a public key and a certificate request stay", () => {
  const { publicKey } = generateKeyPairSync("ed25519", { privateKeyEncoding: pkcs8, publicKeyEncoding: spki })
  expect(redact(publicKey)).toBe(publicKey)
})

test.each([
  'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) return parse(text)',
  `-----BEGIN PRIVATE KEY-----\\n${hole("body")}\\n-----END PRIVATE KEY-----`,
  '"-----BEGIN PRIVATE KEY-----\\n" + pkcs8Base64 + "\\n-----END PRIVATE KEY-----"',
  "A file that begins with -----BEGIN RSA PRIVATE KEY----- holds a key.",
  "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----",
  "BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
])("code and prose about keys stay: %s", (text) => {
  expect(redact(text)).toBe(text)
})
