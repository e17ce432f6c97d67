import { describe, expect, test } from "vitest"
import { MARKS } from "../../src/redaction/Marks.ts"
import { drawn, redact } from "./Samples.ts"

const hex = (length: number): string => "a1b2c3d4e5f60718".repeat(20).slice(0, length)
const digits = (length: number): string => "1745263809".repeat(3).slice(0, length)

const SAMPLES: ReadonlyArray<readonly [kind: string, secret: string]> = [
  ["azure-client-secret", `${drawn(2)}z8${"Q~"}${drawn(34)}`],
  ["azure-registry-key", `${drawn(42)}${"+AC"}R${drawn(6)}`],
  ["azure-devops-token", `${drawn(76)}${"AZ"}DO${drawn(4)}`],
  ["azure-key", `${drawn(52)}JQQJ${"99"}${drawn(26)}`],
  ["terraform-token", `${drawn(14)}.atlas${"v1."}${drawn(64)}`],
  ["airtable-token", `pa${"t"}${drawn(14)}.${hex(64)}`],
  ["discord-token", `${Buffer.from(digits(18)).toString("base64url")}.${drawn(6)}.${drawn(27)}`],
  ["telegram-token", `${digits(10)}:A${"A"}${drawn(33)}`],
  ["twilio-key", `S${"K"}${hex(32)}`],
  ["mailchimp-key", `${hex(32)}-us${"12"}`],
  ["mailgun-key", `${hex(32)}-${hex(8)}-${hex(8)}`],
  ["square-token", `EA${"AA"}${drawn(60)}`],
  ["password-hash", `${"$"}1${"$"}${drawn(8)}${"$"}${drawn(22)}`],
  ["password-hash", `{SSHA}${Buffer.from(drawn(28)).toString("base64")}`],
  ["vault-token", `s.${drawn(24)}`],
  ["newrelic-key", `${hex(36)}NR${"AL"}`],
  ["onepassword-token", `A3${"-"}A1B2C3-D4E5F6-G7H8I-J9K1L-M2N3P-Q4R5S`],
  ["cloudflare-token", `v1.0${"-"}${hex(24)}-${hex(146)}`],
]

test("every row of the table has an example", () => {
  expect(SAMPLES.map(([kind]) => kind)).toEqual(MARKS.map(({ kind }) => kind))
})

describe("a secret with a mark in it", () => {
  test.each(SAMPLES)("%s", (kind, secret) => {
    expect(redact(`see ${secret} there`)).toBe(`see [REDACTED:${kind}] there`)
    expect(redact(JSON.stringify({ text: `"${secret}"` }))).toBe(JSON.stringify({ text: `"[REDACTED:${kind}]"` }))
  })
})

test("a token of Square is found cut", () => {
  expect(redact(`see EA${"AA"}${drawn(30)}\n`)).toBe("see [REDACTED:square-token]\n")
})

describe("what only has the mark", () => {
  test.each([
    "a Q~ b",
    "const x = y+ACROSS",
    "pattern.0123456789abcdef",
    "path.12345678.abcdef",
    "MTU size NTFS ODT Mz. x",
    "12:AAAA bbbb",
    "SK1 SKIP SKabcdef",
    "eu-us1 us-us2",
    "0a1b2c3d-0000-7000-8000-0a1b2c3d4e5f",
    "this.properties.something, s.length and b.abcdefghijklmnopqrstuvwx",
    "v1.0-beta v1.0-rc.1",
    "A3-paper",
    `EAAAAGAAAAB3${"A".repeat(20)}b1`,
    `data:application/octet-stream;base64,EAAA${drawn(30)}+${drawn(30)}`,
    "EAAAlpha is a name, and so is EAAAndSoOnAndOnForever",
  ])("stays: %s", (text) => {
    expect(redact(text)).toBe(text)
  })
})
