/** Texts that make a careless search look at the same characters again and again, each of about the size asked for. */

interface Family {
  readonly name: string
  readonly text: (size: number) => string
}

const repeated =
  (unit: string, start = "", end = ""): Family["text"] =>
  (size) =>
    start + unit.repeat(Math.ceil(size / unit.length)) + end

const TOKEN = `gh${"p_"}`
/** A line that looks like one of a key. */
const LINE = `${"MIIEvQIBADANBgkq".repeat(3)}\n`
const MODEL = `sk${"-"}`

export const adversarial: ReadonlyArray<Family> = [
  { name: "one letter", text: repeated("a") },
  { name: "words without end", text: repeated("a-") },
  { name: "dots", text: repeated("abcdefgh.") },
  { name: "prefix after prefix", text: repeated(TOKEN) },
  { name: "weak prefix after weak prefix", text: repeated(MODEL) },
  { name: "prefixes joined by dots", text: repeated(`${TOKEN}abcdefg1.`) },
  { name: "headers of tokens", text: repeated("eyJ") },
  { name: "headers of tokens apart", text: repeated("eyJ-", "", ".x") },
  { name: "headers of tokens and a part", text: repeated("eyJabcdefgh-", "", ".abcdefghijkl") },
  { name: "parts of tokens", text: repeated("eyJabcdefgh.") },
  { name: "beginnings of keys", text: repeated("-----BEGIN PRIVATE KEY-----") },
  {
    name: "beginnings of keys and lines",
    text: repeated(`-----BEGIN PRIVATE KEY-----\n${LINE}`),
  },
  {
    name: "a key without end",
    text: repeated(LINE, "-----BEGIN RSA PRIVATE KEY-----\n"),
  },
  { name: "a key of line ends", text: repeated("\n", "-----BEGIN RSA PRIVATE KEY-----") },
  { name: "headers in keys", text: repeated("Version: -----BEGIN PRIVATE KEY-----\n") },
  { name: "dashes", text: repeated("-") },
  { name: "assignments without space", text: repeated("token=") },
  { name: "assignments without space, in lines", text: repeated(`${"token=".repeat(80)}\n`) },
  { name: "assignments in brackets", text: repeated("token=)", "", "))))))") },
  { name: "assignments of markers", text: repeated("token=[REDACTED]") },
  { name: "assignments and parameters", text: repeated("token=a1&b") },
  { name: "separators", text: repeated(":=") },
  { name: "names of separators", text: repeated("password : ") },
  { name: "spaces before separators", text: repeated(" ", "password", "= 12345678") },
  { name: "one long name", text: repeated("password", "", "=hunter2hunter2") },
  { name: "quotes that open", text: repeated('token="') },
  { name: "quotes of two kinds", text: repeated(`token="'`) },
  { name: "a quote that does not close", text: repeated("token='x ") },
  { name: "backslashes", text: repeated("\\") },
  { name: "backslashes before quotes", text: repeated('\\\\"') },
  { name: "nested JSON", text: (size) => JSON.stringify(JSON.stringify(JSON.stringify({ password: '"'.repeat(size >> 3) }))) },
  { name: "Unicode escapes", text: repeated("\\u0061") },
  { name: "percent signs", text: repeated("%") },
  { name: "percent-encoding", text: repeated("%25%2D") },
  { name: "percent-encoding cut", text: repeated("%F0%9F%8C") },
  { name: "known values", text: repeated("abcdefgh1234") },
  { name: "known values that overlap", text: repeated("1234abcd5678") },
  { name: "beginnings of known values", text: repeated("aaaabbb") },
  { name: "markers", text: repeated("[REDACTED]") },
  { name: "beginnings of markers", text: repeated("[REDACTED:") },
  { name: "known values and markers", text: repeated("abcdefgh1234[REDACTED]") },
  { name: "base64", text: repeated("QUtJQStBS0lBL0FLSUE/") },
  { name: "templates", text: repeated("${", "token=") },
  { name: "other scripts", text: repeated("漢\ud83d") },
  { name: "addresses", text: repeated("http://a:http://a:") },
]
