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

const encoded = (text: string): string => btoa(text)

/** Encoded so many times: what is looked into and into. */
const encodedAgain =
  (text: string, times: number): Family["text"] =>
  (size) => {
    let found = text.repeat(Math.ceil(size / text.length / (4 / 3) ** times))
    for (let i = 0; i < times; i++) found = encoded(found)
    return found
  }

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
  { name: "base64 that stands for text", text: encodedAgain("words and words, line after line\n", 1) },
  { name: "lines as long as those of base64", text: repeated(`${"9f86d081".repeat(8)}\n`) },
  {
    name: "lines of base64, each a piece of its own",
    text: repeated(`${encoded("words and words, line after line, one more")}x\n`),
  },
  {
    name: "a line of base64 and one of none",
    text: repeated(`${encoded("words and words, line after line and behind it")}\n${"9f86d081".repeat(8)}\n`),
  },
  { name: "base64 of base64 of base64", text: encodedAgain("words and words, line after line\n", 3) },
  { name: "base64 of base64, deeper than it is followed", text: encodedAgain("words and words, line after line\n", 6) },
  { name: "base64 in lines", text: repeated(`${encoded("w".repeat(57))}\n`) },
  { name: "pieces of base64", text: repeated(`${encoded("words and words, line after line")}.`) },
  { name: "base64 of assignments", text: encodedAgain("token=", 1) },
  { name: "base64 that stops being text", text: repeated(`${encoded("some words and then \u0000\u0001\u0002\u0003\u0004")}/`) },
  { name: "paths of base64", text: repeated("d29yZHMg/") },
  { name: "hex", text: repeated("6162636465666768") },
  { name: "parts of known values", text: repeated("zq7Rz2KbX9mTw") },
  { name: "parts of a known value that repeats itself", text: repeated("k1k2k1k2k1k3") },
  { name: "parts of a known value joined", text: repeated("k1k2k1k2k1k2k1k2k3") },
  { name: "headers", text: repeated("Authorization: ") },
  { name: "headers without space", text: repeated("authorization:") },
  { name: "cookies", text: repeated("cookie: sid=") },
  { name: "cookies without end", text: repeated("a=b;sid=c;", "Cookie: ") },
  { name: "cookies in cookies", text: repeated(`cookie${":"}sid=abcdefg1;`) },
  { name: "commands", text: repeated("curl -u a:") },
  { name: "machines", text: repeated("machine a login b ") },
  { name: "ports", text: repeated("a:5432:b:c:") },
  { name: "signatures", text: repeated(`?sig${"="}aaaaaaaaaaaaaaaa&sv=`) },
  { name: "manifests", text: repeated(`kind: Secret\n${"data"}:\n  a: b1c2d3e4\n`) },
  { name: "kinds of manifests", text: repeated("kind: Secret\n") },
  { name: "manifests in braces", text: repeated('{"kind":"Secret","data":{"a":"b",') },
  { name: "quotes in a manifest", text: repeated('"\\', '{"kind": "Secret", "data": {"a": ') },
  { name: "machines and comments", text: repeated("machine a #\n") },
  { name: "ports without numbers", text: repeated("*:*:*:a:") },
  { name: "one-time keys", text: repeated(`otp${"auth"}://a?secret=`) },
  { name: "access key ids", text: repeated(`AK${"IA"}QZ7RKB2XM4TWLCV6 `) },
  { name: "marks", text: repeated("Q~+ACR.atlasv1.:AA-us1SK") },
  { name: "beginnings of numbers in base64", text: repeated("MTIzNDU2Nzg5MDEyMzQ1Njc4.") },
  { name: "hex and dashes", text: repeated("0123456789abcdef0123456789abcdef-") },
  { name: "characters that are not seen", text: repeated("g\u0000") },
  { name: "colours", text: repeated("\u001b[31m") },
  { name: "blocks of YAML", text: repeated("token: |\n  ") },
  { name: "templates", text: repeated("${", "token=") },
  { name: "other scripts", text: repeated("漢\ud83d") },
  { name: "addresses", text: repeated("http://a:http://a:") },
]
