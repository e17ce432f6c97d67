/** Kubernetes secrets in all the forms that tools print them in: every value goes, whatever it is called, and nothing beside them does. */
import { describe, expect, test } from "vitest"
import { hole, plain, redact } from "./Samples.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const words = base64("correct horse battery")
const long = base64("x y ".repeat(3_000))
const M = "[REDACTED:kubernetes-secret]"

describe("as lines", () => {
  test.each([
    ["data", `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  config: ${words}\n  n: ${base64("12")}\n`, 2],
    ["the kind last", `apiVersion: v1\ndata:\n  config: ${words}\nkind: Secret\nmetadata:\n  name: x\n`, 1],
    ["the kind far behind", `data:\n  config: ${long}\nkind: Secret\n`, 1],
    ["clear text", 'kind: Secret\nstringData:\n  config: plainwords\n  b: "two words here"\n', 2],
    ["words of another language", "kind: Secret\nstringData:\n  config: пароль\n", 1],
    ["one sign", "kind: Secret\nstringData:\n  debug: '1'\n", 1],
    [
      "a block and more",
      'kind: Secret\nstringData:\n  config.yaml: |\n    user: me\n\n    # more\n    greeting: hello\n  b: "x y"\ntype: Opaque\n',
      2,
    ],
    ["a folded block", `kind: Secret\ndata:\n  config: >-\n    ${words.slice(0, 12)}\n    ${words.slice(12)}\n`, 1],
    [
      "a value over two lines",
      `kind: Secret\ndata:\n  config: ${words.slice(0, 12)}\n    ${words.slice(12)}\n  b: ${words}\n`,
      2,
    ],
    ["a kind in quotes", `kind: "Secret"\ndata:\n  'config': '${words}'\n`, 1],
    ["spaces and comments", `kind:   Secret # it is\ndata: # here\n  # of\n  config:  ${words} # c\n\n  b: ${words}\n`, 2],
    ["line ends of Windows", `kind: Secret\r\ndata:\r\n  config: ${words}\r\n`, 1],
    ["a flow", `kind: Secret\ndata: {config: ${words}, b: "${words}"}\n`, 2],
    ["deeper", "  spec:\n    template:\n      kind: Secret\n      stringData:\n        config: plainwords\n", 1],
    ["a diff", `+kind: Secret\n+data:\n+  config: ${words}\n`, 1],
    ["what a diff takes away", `-kind: Secret\n-data:\n-  config: ${words}\n`, 1],
    ["numbered lines", `     1\tkind: Secret\n     2\tdata:\n     3\t  config: ${words}\n`, 1],
    ["lines with arrows", `  9→kind: Secret\n 10→data:\n 11→  config: ${words}\n`, 1],
    ["a string of code", `apply("kind: Secret\ndata:\n  config: ${words}")`, 1],
  ])("%s", (_, text, count) => {
    const after = redact(text)
    expect(after.split(M)).toHaveLength(count + 1)
    for (const part of [words.slice(0, 12), words.slice(-12), "plainwords", "two words", "hello", "x y", long.slice(100, 120)])
      expect(after).not.toContain(part)
    expect(redact(after)).toBe(after)
    const escaped = JSON.parse(plain.redactText(JSON.stringify({ a: JSON.stringify({ text }) })).text) as { a: string }
    expect((JSON.parse(escaped.a) as { text: string }).text).toBe(after)
  })

  test("in a list with others, which stay", () => {
    const item = (kind: string, value: string): string =>
      `- apiVersion: v1\n  data:\n    config: ${value}\n  kind: ${kind}\n  metadata:\n    name: x\n`
    const list = (value: string): string =>
      `items:\n${item("ConfigMap", words)}${item("Secret", value)}${item("ConfigMap", words)}kind: List\n`
    expect(redact(list(words))).toBe(list(M))
  })

  test("among other documents, which stay, also without a line between them", () => {
    const document = (kind: string, value: string): string => `kind: ${kind}\ndata:\n  config: ${value}\n`
    for (const between of ["---\n", "```\n", ""]) {
      const all = (value: string): string =>
        [document("ConfigMap", words), document("Secret", value), document("ConfigMap", words)].join(between)
      expect(redact(all(words))).toBe(all(M))
    }
  })
})

describe("in braces", () => {
  test.each([
    ["JSON", JSON.stringify({ apiVersion: "v1", kind: "Secret", data: { config: words, n: base64("12") } }), 2],
    ["JSON in lines", JSON.stringify({ apiVersion: "v1", data: { config: words }, kind: "Secret" }, null, 2), 1],
    ["JSON in a text", `$ kubectl get secret x -o json\n${JSON.stringify({ data: { c: words }, kind: "Secret" }, null, 4)}\n`, 1],
    ["JSON on a line", `it's ${JSON.stringify({ kind: "Secret", stringData: { config: "plain words", z: "abcd" } })} {`, 2],
    ["an annotation", `  last-applied: |\n    {"data":{"config":"${words}"},"kind":"Secret"}\n`, 1],
    ["a flow", `{kind: Secret, data: {config: ${words}, "b": "${words}"}}`, 2],
    ["code", `create({ kind: "Secret", data: { config: "${words}", mode: "plain" } })`, 1],
  ])("%s", (_, text, count) => {
    const after = redact(text)
    expect(after.split(M)).toHaveLength(count + 1)
    for (const part of [words, "plain words", "abcd"]) expect(after).not.toContain(part)
    expect(redact(after)).toBe(after)
  })

  test("as a value", () => {
    const value = (config: string, n: string) => ({
      items: [
        { kind: "Secret", data: { config, n }, metadata: { name: "x", labels: { app: "something" } } },
        { kind: "ConfigMap", data: { config: words } },
      ],
    })
    const after = plain.redactValue(value(words, "1"))
    expect(after.value).toEqual(value(M, M))
    expect(after.findings.map(({ path }) => path.join("."))).toEqual(["items.0.data.config", "items.0.data.n"])
    expect(plain.redactValue(after.value).value).toBe(after.value)
  })

  test("however deep and however many", () => {
    const text = `${"{".repeat(100_000)}"kind": "Secret"${"}".repeat(100_000)} {"kind": "Secret", "data": {"a": "${words}"}}`
    expect(redact(text)).toBe(text.replace(words, M))
  })
})

describe("stays", () => {
  test.each([
    `kind: ConfigMap\ndata:\n  config: ${words}\n`,
    "kind: SecretStore\nspec:\n  data:\n    config: abcdefgh\n",
    "kind: ExternalSecret\nspec:\n  data:\n  - secretKey: abcdefgh\n    remoteRef:\n      key: path-to-it\n",
    "kind: SealedSecret\nspec:\n  template:\n    data:\n      config: abcdefgh\n",
    "subjects:\n- kind: Secret\n  name: some-name\ndata:\n  a: b\n",
    "involvedObject:\n  kind: Secret\n  name: some-name\n",
    "kind: Secret\nmetadata:\n  name: my-secret\n  labels:\n    app: longword\ntype: Opaque\ndata: {}\n",
    `kind: Secret\nstringData:\n  a: {{ .Values.a | quote }}\n  b: $(REF)\n  c: ${hole("REF")}\n  d: <your-value>\n  e: ""\n`,
    "kind: Secret\nstringData:\n  config: |\n    {{ .Values.config }}\n",
    JSON.stringify({ kind: "ConfigMap", data: { config: words } }),
    JSON.stringify({ kind: "Secret", metadata: { name: "long-name", labels: { app: "longword" } }, type: "Opaque" }, null, 2),
    JSON.stringify({ kind: "Secret", data: "not an object" }),
    "text about kind: Secret and data: nothing here",
    'interface A { kind: "Secret", data: { config: string } }',
    'interface A {\n  kind: "Secret"\n  data: {\n    config: string\n  }\n}\n',
    'const x = { kind: "Secret", data: { config: value, other: this.config.value, mode: "plain" } }',
  ])("%s", (text) => {
    expect(redact(text)).toBe(text)
  })
})
