import { describe, expect, test } from "vitest"
import { knownValues } from "../../src/redaction/Environment.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"

const value = "q7Rz2KbX9mTw"

describe("a name", () => {
  test.each([
    "API_KEY",
    "api_key",
    "GITHUB_TOKEN",
    "MySecretThing",
    "DB_PASSWORD",
    "SMTP_PASSWD",
    "AWS_CREDENTIAL_FILE_TEXT",
    "MONKEY",
  ])("%s makes a value a secret", (name) => {
    expect(knownValues({ [name]: value }).environment).toEqual([value])
  })

  test.each(["HOME", "EDITOR", "PASS", "AUTH", "PWD"])("%s does not", (name) => {
    expect(knownValues({ [name]: value })).toMatchObject({ environment: [], skipped: [] })
  })

  test.each([
    "KEYBOARD_LAYOUT",
    "TOKENIZERS_PARALLELISM",
    "SSL_KEY_PATH",
    "SSL_KEY_FILE",
    "GNOME_KEYRING_CONTROL",
    "PASSWORD_STORE_DIR",
    "MAX_TOKENS",
    "DAILY_TOKEN_LIMIT",
  ])("%s is known to hold none, which is reported", (name) => {
    expect(knownValues({ [name]: value })).toMatchObject({ environment: [], skipped: [{ name, reason: "name" }] })
  })
})

describe("a value", () => {
  test.each([
    ["seven77", "short"],
    ["/home/dev/keys/id_rsa", "place"],
    ["~/.config/keys", "place"],
    ["C:\\Users\\me\\keys", "place"],
    ["https://example.com/oauth2/token", "place"],
    ["db.internal:5432", "place"],
    ["vault.example.com", "place"],
    ["127.0.0.1:8200", "place"],
    ["v12.34.56-beta.1", "place"],
    ["/srv/special-place", "place"],
    ["12345678901", "ordinary"],
    ["localhost", "place"],
    ["production", "ordinary"],
    ["UNDEFINED", "ordinary"],
    ["REDACTED", "marker"],
    ["github-token", "marker"],
    ["abcdefghijklmno", "weak"],
    ["aaaaaaaa11111111", "weak"],
  ])("%s is not looked for everywhere: %s", (text, reason) => {
    const found = knownValues({ X_TOKEN: text, HOME: "/srv/special-place" })
    expect(found.environment).toEqual([])
    expect(found.skipped).toEqual([{ name: "X_TOKEN", reason }])
  })

  test.each([
    "abcdefghijklmnop",
    "hunter2hunter2",
    "123456789012",
    "/aB3kd9+xQz7LmNp2Rst5Uvw8Yz1",
    "https://dev:hunter2@example.com",
    "https://example.com/hook?token=1",
    "https://hooks.example.com/services/T0123456789ABCDEF0123",
    "correct-horse-9",
  ])("%s is", (text) => {
    expect(knownValues({ X_TOKEN: text })).toMatchObject({ environment: [text], skipped: [] })
  })

  test("is looked for without the quotes and spaces around it", () => {
    expect(knownValues({ A_KEY: `  "${value}"\n` }).environment).toEqual([value])
    expect(knownValues({ A_KEY: `'${value}',` }).environment).toEqual([value])
  })

  test("that is empty or missing is nothing to report", () => {
    expect(knownValues({ A_KEY: "", B_KEY: undefined, C_KEY: "  " }).skipped).toEqual([])
  })

  test("of two variables is one", () => {
    expect(knownValues({ A_KEY: value, B_KEY: value }).environment).toEqual([value])
  })
})

test("a weak value goes beside a secret name and nowhere else", () => {
  const redactor = makeRedactor({ environment: { DB_PASSWORD: "butterfly" } })
  expect(redactor.redactText("a butterfly; password=butterfly").text).toBe("a butterfly; password=[REDACTED:password]")
  expect(redactor.redactValue({ text: "butterfly", api_key: "butterfly" }).value).toEqual({
    text: "butterfly",
    api_key: "[REDACTED:credential]",
  })
})

test("what is skipped is said by name, never by value", () => {
  const { skipped } = makeRedactor({ environment: { A_TOKEN: "production", B_KEY: value } })
  expect(skipped).toEqual([{ name: "A_TOKEN", reason: "ordinary" }])
  expect(JSON.stringify(skipped)).not.toContain("production")
})
