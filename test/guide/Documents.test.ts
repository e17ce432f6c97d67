/** The documents against the code: what can be looked up is looked up, and what they say is not done is not done. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { assert, describe, it } from "vitest"
import type { Law } from "../../laws/Law.ts"
import { hasMarker, makeRedactor } from "../../src/index.ts"
import { repairNames } from "../../src/journal/Repair.ts"
import { quarantineName } from "../../src/journal/TailWork.ts"
import { lockPathOf } from "../../src/lease/KernelLock.ts"
import * as Limits from "../../src/model/Limits.ts"
import { FORMATS } from "../../src/redaction/Formats.ts"
import { ENVIRONMENT, KINDS, REGISTERED } from "../../src/redaction/Kinds.ts"
import { damageWords } from "../../src/view/DamageView.ts"

const root = new URL("../../", import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, root), "utf8")

const DOCUMENTS = [
  ...["architecture", "format", "guarantees", "performance", "security"].map((name) => `docs/${name}.md`),
  ...readdirSync(new URL("docs/guide/", root)).map((name) => `docs/guide/${name}`),
  "CHANGELOG.md",
]

/** The tables of a document as rows of cells. */
const rowsOf = (document: string): ReadonlyArray<ReadonlyArray<string>> =>
  text(document)
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .slice(1, -1)
        .split(" |")
        .map((cell) => cell.trim()),
    )

const firstCells = (document: string): ReadonlyArray<string> => rowsOf(document).map(([cell = ""]) => cell)

describe("docs/format.md", () => {
  const document = text("docs/format.md")

  it("names every kind of damage once", () => {
    const kinds = Object.keys(damageWords).map((kind) => `\`${kind}\``)
    assert.deepEqual(
      firstCells("docs/format.md").filter((cell) => kinds.includes(cell)),
      kinds,
    )
  })

  it("names the files beside a session as the code does", () => {
    const { backup, quarantine, temporary } = repairNames("/s/NAME", 0, "UUID")
    const time = "1970-01-01T00-00-00-000Z"
    const names = [backup, quarantine, temporary, quarantineName("/s/NAME", 1, 2), posix.basename(lockPathOf("/s/NAME"))]
    for (const name of names) {
      const written = name.replace(time, "TIME").replace("-1-2", "-FROM-TO")
      assert.include(document, `\`${written}\``)
    }
    const sources = [
      "src/session/TreeOpening.ts",
      "src/session/TreeRoom.ts",
      "src/lease/EvidenceFile.ts",
      "src/writer/WriterCore.ts",
      "src/journal/TailWork.ts",
    ].map(text)
    for (const ending of [".migration.tmp", ".recovery.tmp", ".bak"]) {
      assert.include(document, `${ending}\``)
      assert.isTrue(
        sources.some((source) => source.includes(ending)),
        ending,
      )
    }
  })

  it("has the limits of the code", () => {
    const grouped = (value: number): string => value.toLocaleString("en-US")
    assert.include(document, `${grouped(Limits.MAX_LINE_BYTES)} bytes (256 MiB)`)
    assert.include(document, `${grouped(Limits.MAX_DEPTH)} levels`)
    assert.include(document, `${grouped(Limits.MAX_RECORDS_PER_LINE)} records`)
    assert.include(document, `${grouped(Limits.MAX_SPREAD_LINES)} lines and ${Limits.MAX_SPREAD_BYTES >> 20} MiB`)
  })
})

/** What stands for a secret: drawn, so that no literal here looks like one. */
const drawn = (length: number): string => Array.from({ length }, (_, n) => "Zk7Qm2Xw9Lp4Rt8Vb3"[(n * 7) % 18]).join("")

describe("docs/security.md", () => {
  const document = text("docs/security.md")

  it("has every format with its prefixes and least lengths, and every kind of marker", () => {
    const byKind = new Map<string, Array<string>>()
    for (const { kind, prefixes, minimum } of FORMATS) {
      const cells = byKind.get(kind) ?? []
      byKind.set(kind, [...cells, ...prefixes.map((prefix) => `\`${prefix}\` ${minimum}`)])
    }
    const rows = [...byKind].map(([kind, cells]) => `| \`${kind}\` | ${cells.join(", ")} |`)
    const listed = document.split("\n").filter((line) => byKind.has(/^\| `([a-z-]+)` \|/.exec(line)?.[1] ?? ""))
    assert.deepEqual(listed, rows)
    for (const kind of KINDS) assert.include(document, `\`${kind}\``)
  })

  it("says what is not redacted, and it is not", () => {
    const value = drawn(18)
    const redactor = makeRedactor({ environment: { API_TOKEN: value, APP_SECRET: "summertime", DB_PASSWORD: "postgres" } })
    const stays = (given: string): void => assert.equal(redactor.redactText(given).text, given)
    stays(Buffer.from([...value].toReversed().join("")).toString("base64"))
    stays(value.slice(0, 9))
    stays(`${value.slice(0, 9)}\n${value.slice(9)}`)
    stays([...value].join(" "))
    stays(value.toUpperCase())
    const listed = document.slice(document.indexOf("## 3."), document.indexOf("**Weak environment values.**"))
    const examples = [...listed.matchAll(/ \| `([^`]*)` \|$/gm)].map(([, example = ""]) => example)
    assert.isAbove(examples.length, 5)
    for (const example of examples) stays(example)
    stays("Authorization: Digest username=Mufasa")
    stays("Cookie: theme=dark; session=short")
    stays("curl -u me:swordfish example.com")
    stays("it is postgres, and it is summertime")
  })

  it("says what is redacted, and it is", () => {
    const value = drawn(18)
    const redactor = makeRedactor({ environment: { API_TOKEN: value, APP_SECRET: "summertime" }, secrets: [drawn(12)] })
    const becomes = (given: string, wanted: string): void => assert.equal(redactor.redactText(given).text, wanted)
    becomes(`x ${value} y`, `x [REDACTED:${ENVIRONMENT}] y`)
    becomes(JSON.stringify({ a: value }), `{"a":"[REDACTED:${ENVIRONMENT}]"}`)
    becomes(`%${value.charCodeAt(0).toString(16)}${value.slice(1)}`, `[REDACTED:${ENVIRONMENT}]`)
    becomes(Buffer.from(value).toString("hex"), `[REDACTED:${ENVIRONMENT}]`)
    assert.notInclude(
      redactor.redactText(Buffer.from(`me:${value}`).toString("base64")).text,
      Buffer.from(value).toString("base64"),
    )
    becomes(`${drawn(12)}.`, `[REDACTED:${REGISTERED}].`)
    becomes("password=summertime", "password=[REDACTED:password]")
    becomes("pin: 4711", "pin: [REDACTED:password]")
    assert.isTrue(hasMarker(redactor.redactText(value).text))
    assert.isTrue(hasMarker("[REDACTED]"))
  })

  it("reports values that cannot be protected as it says", () => {
    const environment = {
      SOME_KEY_PATH: "/etc/keys/file",
      SHORT_KEY: "abc123",
      HOST_TOKEN: "/usr/bin/thing",
      DB_PASSWORD: "postgres",
      MARK_SECRET: "[REDACTED:password]",
      APP_SECRET: "summertime",
    }
    const { skipped } = makeRedactor({ environment })
    const reasons = skipped.map(({ reason }) => reason)
    assert.deepEqual(reasons, ["name", "short", "place", "ordinary", "marker", "weak"])
    const cells = firstCells("docs/security.md")
    assert.deepEqual(
      cells.filter((cell) => reasons.some((reason) => cell === `\`${reason}\``)),
      reasons.map((reason) => `\`${reason}\``),
    )
  })
})

/** The id of every law. */
const lawIds = async (): Promise<ReadonlyArray<string>> => {
  const files = readdirSync(new URL("laws/", root)).filter((name) => name.endsWith(".ts") && name !== "main.ts")
  const ids = new Set<string>()
  for (const file of files) {
    const module: { readonly laws?: ReadonlyArray<Law> } = await import(new URL(`laws/${file}`, root).href)
    for (const { id } of module.laws ?? []) ids.add(id)
  }
  return [...ids].sort()
}

const lawsCitedIn = (document: string): ReadonlyArray<string> =>
  [...new Set([...document.matchAll(/\b[A-Z]{3}-\d+\b/g)].map(([id]) => id))].sort()

/** Fails for a test that a document names and that is not there. */
const expectTests = (document: string): void => {
  const cited = [...document.matchAll(/`(test\/[A-Za-z/]+\.test\.ts)`(?:: "([^"]+)")?/g)]
  assert.isAbove(cited.length, 15)
  for (const [, path = "", title = ""] of cited) assert.include(text(path), title, path)
}

describe.each(["0015-weak-points-of-the-tree-format", "0016-weak-points-of-the-ledger"])("docs/adr/%s.md", (name) => {
  const document = text(`docs/adr/${name}.md`)

  it("names laws and tests that exist", async () => {
    assert.includeMembers([...(await lawIds())], [...lawsCitedIn(document)])
    expectTests(document)
  })
})

describe("docs/guarantees.md", () => {
  const document = text("docs/guarantees.md")

  it("names laws that exist, and every one of them", async () => {
    assert.deepEqual(lawsCitedIn(document), await lawIds())
  })

  it("names tests that exist, by their titles", () => expectTests(document))

  it("has the limits of the code", () => {
    assert.include(document, `A queue of ${Limits.MAX_QUEUED_BYTES >> 20} MiB for each file`)
    assert.include(document, `at most ${Limits.EXIT_WAIT_MS / 1_000} seconds`)
    assert.include(document, `${Limits.MAX_LINE_BYTES >> 20} MiB`)
  })

  it("names every code of a failed write", () => {
    const codes = [...text("src/writer/WriteError.ts").matchAll(/code: "(write\.[a-z_]+)"/g)].map(([, code]) => code)
    for (const code of codes.filter((code) => code !== "write.closed")) assert.include(document, `\`${code}\``)
  })
})

describe("docs/architecture.md", () => {
  it("names folders and files that exist", () => {
    const document = text("docs/architecture.md")
    const paths = [...document.matchAll(/`((?:src|workers|laws|test)\/[\w./]*)`/g)].map(([, path = ""]) => path)
    assert.isAbove(paths.length, 12)
    for (const path of paths) assert.isTrue(existsSync(new URL(path, root)), path)
    const folders = readdirSync(new URL("src/", root), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { name } of folders) assert.include(document, `\`src/${name}/\``)
  })

  it("has the limits of the code", () => {
    const document = text("docs/architecture.md")
    const batch = `up to ${Limits.MAX_BATCH_BYTES >> 20} MiB and ${Limits.MAX_BATCH_RECORDS.toLocaleString("en-US")} records`
    assert.include(document.replace(/\s+/g, " "), batch)
  })
})

describe("links", () => {
  /** The anchor of a heading. */
  const anchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .trim()
      .replace(/\s/g, "-")

  for (const document of DOCUMENTS) {
    it(`of ${document} lead somewhere`, () => {
      for (const [, target = ""] of text(document).matchAll(/\]\(([^)]+)\)/g)) {
        const [file = "", place] = target.split("#")
        const path = posix.normalize(posix.join(posix.dirname(document), file))
        assert.isTrue(existsSync(new URL(path, root)), target)
        if (place === undefined) continue
        const headings = [...text(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchor(heading))
        assert.include(headings, place, target)
      }
    })
  }
})
