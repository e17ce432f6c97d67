/** What holds no secret and must stay byte for byte: a redaction here would destroy code, or what a provider must get back. */
import { createHash, randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import { plain } from "./Samples.ts"

const root = new URL("../../", import.meta.url)

const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

const below = (folder: string, ending: RegExp): ReadonlyArray<string> =>
  readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => ending.test(path))

const silent = (text: string): void => {
  const { findings, text: after } = plain.redactText(text)
  expect(findings.map(({ kind, offset }) => [kind, text.slice(Math.max(0, offset - 40), offset + 40)])).toEqual([])
  expect(after).toBe(text)
}

describe("this project's own source", () => {
  test.each([
    ...below("src", /\.ts$/),
    ...below("laws", /\.ts$/),
    ...below("workers", /\.ts$/),
    ...below("docs", /\.md$/),
    "README.md",
    "CHANGELOG.md",
    "package.json",
    "package-lock.json",
  ])("%s", (path) => silent(read(path)))
})

/** Source of others that is about secrets, encodings and parsers, and code that was made small. */
const OTHERS: ReadonlyArray<readonly [folder: string, ending: RegExp]> = [
  ["node_modules/effect/src", /\.ts$/],
  ["node_modules/fast-check", /\.(?:js|ts|md|json)$/],
  ["node_modules/piscina", /\.(?:js|ts|md|json|yml)$/],
  ["node_modules/vite/dist", /\.(?:js|ts)$/],
  ["node_modules/undici/lib", /\.js$/],
]

test.each(OTHERS)("source in %s", (folder, ending) => {
  const paths = below(folder, ending)
  expect(paths.length).toBeGreaterThan(5)
  for (const path of paths) silent(read(path))
})

test("this project's source, read in pages as records of one session", () => {
  const following = plain.follow()
  for (const path of below("src", /\.ts$/))
    for (const page of read(path).match(/[\s\S]{1,3000}/g) ?? []) {
      const content = [page.slice(0, 1_000), page.slice(1_000)].map((text) => ({ type: "text", text }))
      const record = { type: "message", message: { role: "toolResult", toolCallId: path, toolName: "read", content } }
      expect(following.redactValue(record).findings).toEqual([])
    }
})

test.each(below("test/fixtures", /\.jsonl$/))("every record of %s", (path) => {
  for (const line of read(path).split("\n")) {
    if (line.trim() === "") continue
    const cleaned = plain.cleanRaw(line)
    if (Result.isSuccess(cleaned)) expect([cleaned.success.line.text, cleaned.success.findings]).toEqual([line, []])
    else silent(line)
  }
})

const digest = (algorithm: string, encoding: "hex" | "base64"): string => createHash(algorithm).update("annals").digest(encoding)

const image = Buffer.from(Array.from({ length: 40_000 }, (_, i) => (Math.imul(i + 1, 2654435761) >>> 13) & 255)).toString(
  "base64",
)

describe("what looks drawn and is none", () => {
  test.each([
    ["ids", `${"0a1b2c3d-0000-7000-8000-0a1b2c3d4e5f"} ${randomUUID()} 01ARZ3NDEKTSV4RRFFQ69G5FAV`],
    ["commits", `commit ${digest("sha1", "hex")}\nMerge: ${digest("sha1", "hex").slice(0, 7)} 1a2b3c4`],
    ["digests", `sha256:${digest("sha256", "hex")}  blob:sha256:${digest("sha256", "hex")}`],
    [
      "integrity",
      `"integrity": "sha512-${digest("sha512", "base64")}",\n  "resolved": "a/-/a-1.0.0.tgz#${digest("sha1", "hex")}"`,
    ],
    ["an image", `{"type":"image","data":"${image}","mimeType":"image/png"}`],
    ["an address of data", `url(data:font/woff2;base64,${image.slice(0, 4_000)})`],
    [
      "ids of providers",
      "toolu_01RjJbM2ZXMVJZ4gc1ueezPS msg_01XFDUDYJgAACzvnptvVoYEL req_011CSHoEeqs5C35K2UUqR7Fy call_9pw1qnYScqvGrCH58HWCvFH6",
    ],
    ["a public key", `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${image.slice(0, 43)} dev@example.com`],
    ["a hex dump", "00000000  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|"],
    ["class names", '<div class="sk-fading-circle sk-circle12 text-gray-500 hover:bg-blue-700">'],
    ["minified code", "function(e,t,n){var r=n(63600),i=e.token=t[0],o=r.key=i?5:a.b;return{tokens:i,pass:o}}"],
    ["a source map", `{"version":3,"sources":["a.ts"],"mappings":"${"AAAA,SAAS,CAAC;".repeat(200)}"}`],
    ["code about tokens", "const maxTokens = Math.min(options.maxTokens ?? 4096, limits.tokenBudget)"],
    [
      "a schema",
      '{"properties":{"password":{"type":"string","minLength":12},"apiKey":{"type":"string"}},"required":["password","apiKey"]}',
    ],
    ["usage", '{"inputTokens":1200,"outputTokens":60,"cacheReadTokens":123456789,"tokenBudget":20000000}'],
    ["prose", "Set the API key in your environment; the token is read once, and the password never leaves the process."],
    ["a pattern", "/(?:token|secret|password)\\s*[:=]\\s*[\"']?([A-Za-z0-9_-]{20,})[\"']?/gi"],
  ])("%s", (_, text) => silent(text))
})
