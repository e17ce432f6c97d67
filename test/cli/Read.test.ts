import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, gluedSession, json, jsonLines } from "./Cli.ts"

const written = (name: string, content: string | Uint8Array): string => {
  const path = join(folder(), name)
  writeFileSync(path, content)
  return path
}

const linear = (entries: number): string => {
  const lines = [JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" })]
  for (let n = 0; n < entries; n++) {
    const message = { role: n % 3 === 0 ? "user" : "assistant", content: `entry ${n}` }
    const parentId = n === 0 ? null : `e${n - 1}`
    lines.push(JSON.stringify({ type: "message", id: `e${n}`, parentId, timestamp: "2026-01-01T00:00:01.000Z", message }))
  }
  return `${lines.join("\n")}\n`
}

describe("verify", () => {
  test("finds a file without damage well", async () => {
    const path = copyOf("pi/v3-all-records.jsonl")
    const { exit, out, notes } = await cli(["verify", path, "--json"])
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(json(out)).toEqual({
      schemaVersion: 1,
      files: [{ path, format: "tree", dialect: "pi", version: 3, records: 31, entries: 30, bytes: 8840, damage: [], ok: true }],
    })
  })

  test("exits 5 for damage and says where it is", async () => {
    const { exit, out } = await cli(["verify", gluedSession, "--json"])
    expect(exit).toBe(5)
    expect(json(out)["files"]).toMatchObject([
      { version: 1, records: 464, entries: 463, damage: [{ line: 440, offset: 918_180, kind: "glued" }], ok: false },
    ])
  })

  test("reads a ledger session", async () => {
    const { exit, out } = await cli(["verify", copyOf("garuda/20260923-210000-torn.jsonl"), "--json"])
    expect(exit).toBe(5)
    expect(json(out)["files"]).toMatchObject([
      {
        format: "ledger",
        version: null,
        records: 21,
        entries: 5,
        damage: [{ line: 22, offset: 4_994, length: 32, kind: "torn-tail" }],
      },
    ])
  })

  test("goes on with the other files when one cannot be read, and exits with its code", async () => {
    const good = copyOf("gjc/v5.jsonl")
    const missing = join(folder(), "none.jsonl")
    const { exit, out } = await cli(["verify", missing, good, "--json"])
    expect(exit).toBe(3)
    expect(json(out)).toMatchObject({
      files: [
        { path: missing, ok: false, error: { code: "read.not_found" } },
        { path: good, ok: true },
      ],
      error: { code: "read.not_found", path: missing },
    })
  })

  test("refuses a version that it does not know, having read its bytes", async () => {
    const path = written("v999.jsonl", '{"type":"session","version":999,"id":"x","timestamp":"t","cwd":"/"}\n')
    const { exit, out } = await cli(["verify", path, "--json"])
    expect(exit).toBe(6)
    expect(json(out)["files"]).toMatchObject([
      { format: "tree", version: 999, records: 1, ok: false, error: { code: "format.unsupported_version", line: 1, offset: 0 } },
    ])
  })

  test("refuses a file that is no session", async () => {
    const { exit, out, notes } = await cli(["verify", written("other.jsonl", '{"a":1}\n{"b":2}\n')])
    expect(exit).toBe(6)
    expect(out).toContain("no session")
    expect(notes).toContain("format.not_a_session")
  })

  test("prints one value a line with --jsonl", async () => {
    const { out } = await cli(["verify", copyOf("gjc/v5.jsonl"), copyOf("pi/v3-fork.jsonl"), "--jsonl"])
    expect(jsonLines(out).map(({ records, ok }) => ({ records, ok }))).toEqual([
      { records: 27, ok: true },
      { records: 8, ok: true },
    ])
  })

  test("shows files below each other and names the next step", async () => {
    const { out, notes } = await cli(["verify", gluedSession, copyOf("gjc/v5.jsonl")])
    expect(out).toContain("line 440  byte 918,180  1.1 KB  glued")
    expect(out).toContain("2 files, 1 with damage")
    expect(notes).toContain("annals repair")
  })

  test("offers no repair for what a repair leaves alone", async () => {
    const path = copyOf("pi/v3-fork.jsonl")
    appendFileSync(
      path,
      '{"type":"custom","customType":"x","id":"zz","parentId":"gone","timestamp":"2026-01-01T00:00:00.000Z"}\n',
    )
    const { exit, out, notes } = await cli(["verify", path])
    expect(exit).toBe(5)
    expect(out).toContain("orphan")
    expect(notes).not.toContain("annals repair")
  })

  test("reads as it is told to", async () => {
    const path = copyOf("gjc/v5.jsonl")
    expect(json((await cli(["verify", path, "--format", "ledger", "--json"])).out)["files"]).toMatchObject([
      { format: "ledger", records: 27, entries: 0 },
    ])
    const ledger = await cli(["verify", copyOf("garuda/20260923-201500-a1b2.jsonl"), "--format", "tree", "--json"])
    expect(ledger.exit).toBe(6)
  })
})

describe("show", () => {
  test("says what a session is", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const { exit, out, notes } = await cli(["show", path])
    const gone = "1 image not to be had: blob:sha256:48c187767ddd… of entry 62ebe796 is missing"
    expect({ exit, notes }).toEqual({ exit: 0, notes: `! ${path}: ${gone}\n` })
    expect(out).toContain("Mine\n")
    expect(out).toContain("  format   gjc, version 5\n")
    expect(out).toContain("  entries  24 in 27 records\n")
    expect(out).toContain("10 messages: 5 assistant, 4 user, 1 toolResult\n")
    expect(out).toContain("  labels   b0d6daf4  good\n")
  })

  test("gives the same to a program", async () => {
    const path = copyOf("omp/v3-title-slot.jsonl")
    const { out } = await cli(["show", path, "--json"])
    expect(json(out)).toMatchObject({
      path,
      format: "tree",
      dialect: "oh-my-pi",
      version: 3,
      title: "User name",
      titleSource: "user",
      model: "anthropic/claude-sonnet-4-5",
      counts: { records: 30, byRole: { user: 5, assistant: 6, toolResult: 1 } },
      labels: { "6cabd6a1": "good" },
      damage: [],
    })
  })

  test("notes damage beside the value, not in it", async () => {
    const { exit, out, notes } = await cli(["show", gluedSession, "--json"])
    expect(exit).toBe(0)
    expect(json(out)["damage"]).toHaveLength(1)
    expect(notes).toContain("1 damage: 1 glued")
  })

  test("names tool calls without a result", async () => {
    const { out } = await cli(["show", "test/fixtures/pi/v1-two-compactions.jsonl"])
    expect(out).toMatch(/ {2}open +bash {2}toolu_\w+ {2}has no result yet\n/)
    expect(out).toContain("… and 2 more")
  })

  test("says of a file of garbage that it has damage, not that it is empty", async () => {
    const { out } = await cli(["show", written("x.jsonl", "garbage\n")])
    expect(out).toContain("not-json")
    expect(out).toContain("0 in 0 records")
  })
})

describe("tree", () => {
  test("draws branches beside the way to the leaf", async () => {
    const { out } = await cli(["tree", copyOf("gjc/v5.jsonl")])
    expect(out).toBe(`╭ 8358dbec  model       anthropic/claude-sonnet-4-5
┊ 4 entries: 1 model, 1 thinking, 1 tier, 1 models
│ 62ebe796  user        add a test [image]
├─╮ f0e37b16  assistant   → bash ls
│ │ f032d37e  tool        bash: a.ts
│ │ b0d6daf4  assistant   Found it. [good]
│ ├─╮ 2006cd3b  user        second way
│ │ ╰ f5fbd866  assistant   ok
│ ┊ 6 entries: 1 mode, 1 rules, 1 mcp tools, 1 tools, 1 label, 1 custom
│ ╰ 36a48639  custom      ext: ctx
│ e6377e81  summary     left first way
│ 6f27e12d  user        third
│ 572868e6  assistant   fine
│ 6d3d0da8  compaction  short
│ c5c795b9  user        after
╰ c28142e2  assistant   yes (aborted) ◀ leaf
`)
  })

  test("does not indent a session without branches, and folds none of its prompts away", async () => {
    const { out } = await cli(["tree", written("linear.jsonl", linear(3_000))])
    const lines = out.trimEnd().split("\n")
    expect(Math.max(...lines.map((line) => line.search(/[a-z0-9]/)))).toBe(2)
    expect(lines.filter((line) => line.includes("user"))).toHaveLength(1_000)
  })

  test("shows every entry with --all", async () => {
    const { out } = await cli(["tree", copyOf("gjc/v5.jsonl"), "--all"])
    expect(out.trimEnd().split("\n")).toHaveLength(24)
  })

  test("nests as JSON as deep as the session is long", async () => {
    const { exit, out } = await cli(["tree", written("linear.jsonl", linear(20_000)), "--json"])
    expect(exit).toBe(0)
    let [node] = json(out)["roots"] as Array<{ id: string; role?: string; children: Array<never> }>
    let depth = 0
    for (; node !== undefined; [node] = node.children) depth++
    expect(depth).toBe(20_000)
  })

  test("gives one entry a line with --jsonl", async () => {
    const { out } = await cli(["tree", copyOf("pi/v3-fork.jsonl"), "--jsonl"])
    expect(jsonLines(out)[3]).toEqual({ id: "085d9324", type: "message", role: "user", parentId: "43d0ad13" })
  })

  test("writes out what a terminal would obey", async () => {
    const message = { role: "user", content: "red \u001b[31m and \u202ereversed\u2028\u0007" }
    const record = { type: "message", id: "\u001b]0;x", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", message }
    const path = written("evil.jsonl", `${linear(0)}${JSON.stringify(record)}\n`)
    for (const command of ["tree", "context", "show"]) {
      const { out } = await cli([command, path])
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/)
    }
    expect((await cli(["tree", path])).out).toContain("red \\x1b[31m and \\u202ereversed")
  })
})

describe("context", () => {
  test("gives exactly what the tree gives", async () => {
    const { out } = await cli(["context", copyOf("gjc/v5.jsonl"), "--json"])
    const value = json(out)
    expect(Object.keys(value)).toEqual([
      "schemaVersion",
      "messages",
      "thinkingLevel",
      "serviceTier",
      "models",
      "configuredModelChains",
      "injectedTtsrRules",
      "injectedTtsrRuleRecords",
      "ttsrMessageCount",
      "selectedMCPToolNames",
      "hasPersistedMCPToolSelection",
      "hasPersistedDiscoveredBuiltinToolSelection",
      "mode",
    ])
    expect((value["messages"] as ReadonlyArray<{ role: string }>).map(({ role }) => role)).toEqual([
      "compactionSummary",
      "user",
      "assistant",
      "user",
      "assistant",
    ])
  })

  test("goes to another entry, and to none", async () => {
    const path = copyOf("gjc/v5.jsonl")
    expect(jsonLines((await cli(["context", path, "--leaf", "f5fbd866", "--jsonl"])).out).at(-1)).toMatchObject({
      role: "assistant",
      content: [{ text: "ok" }],
    })
    expect((await cli(["context", path, "--leaf", "none", "--jsonl"])).out).toBe("")
  })

  test("exits 3 for an entry that is not there", async () => {
    const { exit, out, notes } = await cli(["context", copyOf("gjc/v5.jsonl"), "--leaf", "nowhere"])
    expect({ exit, out }).toEqual({ exit: 3, out: "" })
    expect(notes).toContain("tree.unknown_leaf")
  })

  test("cuts long messages unless it is told not to", async () => {
    const path = "test/fixtures/pi/v1-two-compactions.jsonl"
    const short = (await cli(["context", path])).out
    const full = (await cli(["context", path, "--full"])).out
    expect(short).toMatch(/… \d+ more lines/)
    expect(full).not.toMatch(/^ {2}… \d+ more lines/m)
    expect(full.length).toBeGreaterThan(4 * short.length)
  })
})

test("reading changes no byte, no time and no name (law MIG-3)", async () => {
  for (const fixture of ["pi/v3-all-records.jsonl", gluedSession, "garuda/20260923-210000-torn.jsonl"]) {
    const path = copyOf(fixture)
    const before = { bytes: readFileSync(path), time: statSync(path, { bigint: true }).mtimeNs }
    for (const command of ["verify", "show", "tree", "context", "replay", "repair", "migrate"]) await cli([command, path])
    expect(readFileSync(path).equals(before.bytes)).toBe(true)
    expect(statSync(path, { bigint: true }).mtimeNs).toBe(before.time)
    expect(readdirSync(dirname(path))).toHaveLength(1)
  }
})
