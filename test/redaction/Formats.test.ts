import { describe, expect, test } from "vitest"
import { formatRows } from "../../laws/arbitraries/secrets.ts"
import { ALPHABETS } from "../../src/redaction/Alphabet.ts"
import { FORMATS } from "../../src/redaction/Formats.ts"
import { KINDS } from "../../src/redaction/Kinds.ts"
import { drawn, plain, redact, sample, token } from "./Samples.ts"

describe("the table", () => {
  test("kinds fit into a marker, and no prefix stands twice", () => {
    for (const kind of KINDS) expect(kind).toMatch(/^[a-z0-9-]{1,40}$/)
    const prefixes = FORMATS.flatMap((format) => format.prefixes)
    expect(prefixes.filter((prefix, i) => prefixes.indexOf(prefix) !== i)).toEqual([])
    for (const prefix of prefixes) expect(prefix.length).toBeGreaterThanOrEqual(3)
  })

  test("a whole one is at least as long as the least one", () => {
    for (const { kind, minimum, full } of FORMATS) expect([kind, full >= minimum]).toEqual([kind, true])
  })

  test.each(formatRows)("%s is found under its kind, in every form a vendor gives it", (kind, arbitrary) => {
    for (const { text } of sample(arbitrary, 20)) {
      expect(plain.redactText(`see ${text}\n`).findings.map((finding) => finding.kind)).toEqual([kind])
    }
  })
})

describe("a token", () => {
  const github = token("github-token", 36)

  test.each([
    ["alone", github, "[REDACTED:github-token]"],
    ["cut after eight characters", token("github-token", 8), "[REDACTED:github-token]"],
    ["cut after seven", token("github-token", 7), token("github-token", 7)],
    ["longer than today's", token("github-token", 200), "[REDACTED:github-token]"],
    ["after an underscore", `MY_${github}`, "MY_[REDACTED:github-token]"],
    ["after an escaped line end", `a\\n${github}\\n`, "a\\n[REDACTED:github-token]\\n"],
    ["after an escaped line end twice", `a\\\\n${github}`, "a\\\\n[REDACTED:github-token]"],
    ["after a colour", `\u001b[31m${github}\u001b[0m`, "\u001b[31m[REDACTED:github-token]\u001b[0m"],
    ["before a closing quote and bracket", `f("${github}")`, 'f("[REDACTED:github-token]")'],
    ["before a full stop", `It is ${github}. So`, "It is [REDACTED:github-token]. So"],
    ["right after a letter, when it is whole", `x${github}`, "x[REDACTED:github-token]"],
    ["right after a letter, when it is cut", `x${token("github-token", 12)}`, `x${token("github-token", 12)}`],
    ["right after another", github + token("stripe-key", 30), "[REDACTED:github-token]"],
    ["begun inside another", `${token("stripe-key", 12)}${token("digitalocean-token", 12)}`, "[REDACTED:stripe-key]"],
    ["cut, after a letter of another script", `\u5bc6\u94a5${token("github-token", 12)}`, "\u5bc6\u94a5[REDACTED:github-token]"],
    ["cut, after a curly quote", `\u201c${token("github-token", 12)}\u201d`, "\u201c[REDACTED:github-token]\u201d"],
  ])("%s", (_, text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  test("of parts is taken whole, over its dots", () => {
    const parts = `${token("openai-key", 20).replace("proj-", "sp-")}.${drawn(24)}`
    expect(redact(`key ${parts} end`)).toBe("key [REDACTED:openai-key] end")
  })

  test("with a wrong check sum is one as well", () => {
    const [last = ""] = github.slice(-1)
    const other = last === "a" ? "b" : "a"
    expect(redact(github.slice(0, -1) + other)).toBe("[REDACTED:github-token]")
  })

  test("of a longer prefix names the kind", () => {
    expect(redact(token("anthropic-key", 95))).toBe("[REDACTED:anthropic-key]")
    expect(redact(token("openrouter-key", 64))).toBe("[REDACTED:openrouter-key]")
  })

  test("after a scheme leaves the scheme", () => {
    expect(redact(`Authorization: Bearer ${drawn(40)}`)).toBe("Authorization: Bearer [REDACTED:bearer-token]")
  })

  test("in percent-encoding, and with escaped characters", () => {
    const slack = token("slack-token", 40)
    expect(redact(`?t=${slack.replaceAll("-", "%2D")}&x=1`)).toBe("?t=[REDACTED:slack-token]&x=1")
    expect(redact(`"${slack.replaceAll("-", "\\u002d")}"`)).toBe('"[REDACTED:slack-token]"')
  })
})

describe("what only looks like one", () => {
  test.each([
    "npm_config_registry and npm_lifecycle_event",
    "sk-circle-fade-dot sk-folding-cube sk-circle12",
    "task-ant-colony-simulation disk-proj-backup-2024",
    `sk${"-ant-"}your-key-here`,
    `gh${"p_"}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`,
    "ASIAPACIFICREGION",
    "gsk_renderer_new(gsk_transform)",
    "hvs.toString().toLowerCase()",
    "xai-provider-settings",
    "1//0---------------------------------------------------",
    "Bearer token authentication is required",
    "hf_hub_download",
    "eyJ is how it begins; eyJhbGciOi",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
  ])("%s", (text) => {
    expect(redact(text)).toBe(text)
  })

  test("inside encoded data", () => {
    const data = `${ALPHABETS.base64.slice(0, 60)}/AKIA${"AAAAQAKZRAAAAAAAA7AA"}${"Zz9".repeat(20)}`
    expect(redact(data)).toBe(data)
  })
})

describe("what a vendor's documentation shows for a token stays", () => {
  test.each([
    `${"AKI"}AIOSFODNN7EXAMPLE`,
    `sk-ant-api03-${"x".repeat(20)}`,
    `xoxb-${"X".repeat(12)}-${"X".repeat(12)}-${"X".repeat(24)}`,
    `https://hooks.slack.com/services/T${"0".repeat(8)}/B${"0".repeat(8)}/${"X".repeat(24)}`,
    `https://hooks.slack.com/services/T${"0".repeat(8)}/B${"0".repeat(8)}/XXX`,
    `glpat-${"x".repeat(20)}`,
  ])("%s", (text) => {
    expect(redact(`see ${text} there`)).toBe(`see ${text} there`)
  })
})
