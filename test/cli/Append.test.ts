import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, gluedSession, json, jsonLines } from "./Cli.ts"

const user = (content: string): string => JSON.stringify({ do: "message", message: { role: "user", content } })

const fresh = (): string => join(folder(), "new.jsonl")

const records = (path: string): ReadonlyArray<Record<string, unknown>> => jsonLines(readFileSync(path, "utf8"))

describe("acknowledgements", () => {
  test("come one for each command, in order, with the ids that were written", async () => {
    const path = fresh()
    const input = `${[user("one"), '{"do":"star","on":true}', '{"do":"tools","mcp":["a"],"builtin":["b"]}'].join("\n")}\n`
    const { exit, out, notes } = await cli(["append", path, "--create", "--cwd", "/w"], { input })
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    const [header, message, star, mcp, builtin] = records(path)
    expect(header).toMatchObject({ type: "session", version: 5, cwd: "/w" })
    expect(star).toEqual({ type: "header_patch", patch: { starred: true } })
    expect(jsonLines(out)).toEqual([
      { n: 1, ids: [message?.["id"]], level: "synced" },
      { n: 2, ids: [], level: "synced" },
      { n: 3, ids: [mcp?.["id"], builtin?.["id"]], level: "synced" },
    ])
  })

  test("say why a command was rejected, and the rest goes on", async () => {
    const path = fresh()
    const bad = [
      "not json",
      new Uint8Array([0x22, 0xff, 0x22]),
      '{"do":"message","message":{"role":"us\u0000er"}}',
      '{"do":"nonsense"}',
      '{"do":"branch","to":"nowhere"}',
      "[1]",
    ]
    const input = [user("first"), ...bad, user("last")].flatMap((line) => [line, "\n"])
    const { exit, out, notes } = await cli(["append", path, "--create", "--cwd", "."], { input })
    expect(exit).toBe(0)
    expect(jsonLines(out).map(({ n, error }) => [n, (error as { code: string } | undefined)?.code])).toEqual([
      [1, undefined],
      [2, "input.not_json"],
      [3, "input.not_utf8"],
      [4, "input.not_json"],
      [5, "tree.invalid_command"],
      [6, "tree.unknown_leaf"],
      [7, "tree.invalid_command"],
      [8, undefined],
    ])
    expect(records(path)).toHaveLength(3)
    expect(notes).toContain("6 commands rejected, 2 carried out")
    for (const { error } of jsonLines(out)) {
      if (error !== undefined) expect(Object.keys(error as object)).toEqual(["code", "message", "remedy"])
    }
  })

  test("do not quote the line that could not be read", async () => {
    const { out, notes } = await cli(["append", fresh(), "--create", "--cwd", "."], { input: '{"key": hunter2hunter2' })
    expect(`${out}${notes}`).not.toContain("hunter2")
  })

  test("name the level that was asked for", async () => {
    for (const level of ["accepted", "written", "synced"]) {
      const path = fresh()
      const { out } = await cli(["append", path, "--create", "--cwd", ".", "--level", level], { input: user("x") })
      expect(jsonLines(out)[0]).toMatchObject({ n: 1, level })
      expect(records(path)).toHaveLength(2)
    }
  })

  test("are the same with --json and --jsonl", async () => {
    for (const flag of ["--json", "--jsonl"]) {
      const { out } = await cli(["append", fresh(), "--create", "--cwd", ".", flag], { input: user("x") })
      expect(jsonLines(out)).toMatchObject([{ n: 1, level: "synced" }])
    }
  })
})

describe("lines of the input", () => {
  test("may end with CR LF, be blank, lack the last newline, and begin with a byte order mark", async () => {
    const path = fresh()
    const input = `\ufeff${user("a")}\r\n\r\n  \n${user("b")}`
    const { out } = await cli(["append", path, "--create", "--cwd", "."], { input })
    expect(jsonLines(out).map(({ n }) => n)).toEqual([1, 4])
    expect(records(path).slice(1)).toMatchObject([{ message: { content: "a" } }, { message: { content: "b" } }])
  })

  test("may be cut into chunks anywhere, inside a character too", async () => {
    const path = fresh()
    const bytes = new TextEncoder().encode(`${user("zwölf 🌿 Boxkämpfer")}\n${user("日本")}\n`)
    const input = Array.from(bytes, (byte) => new Uint8Array([byte]))
    await cli(["append", path, "--create", "--cwd", "."], { input })
    expect(records(path).slice(1)).toMatchObject([
      { message: { content: "zwölf 🌿 Boxkämpfer" } },
      { message: { content: "日本" } },
    ])
  })

  test("may be 60 MB long, and not longer than 64 MiB", async () => {
    const path = fresh()
    const large = user("x".repeat(60_000_000))
    const input = [`${large}\n`, user("y".repeat(65 << 20)), "\n", user("after")]
    const { out } = await cli(["append", path, "--create", "--cwd", "."], { input })
    expect(jsonLines(out)).toMatchObject([{ n: 1, level: "synced" }, { n: 2, error: { code: "input.too_long" } }, { n: 3 }])
    expect(records(path)).toHaveLength(3)
    // It is taken, and then cut as every text that is too long.
    const content = `${"x".repeat(500_000 - 47)}\n\n[Session persistence truncated large content]`
    expect(records(path)[1]).toMatchObject({ message: { content } })
  })
})

describe("a new session", () => {
  test("begins with the first command, never over a file that has content", async () => {
    const path = fresh()
    const none = await cli(["append", path, "--create", "--cwd", "."], { input: "" })
    expect(none).toMatchObject({ exit: 0, out: "" })
    expect(existsSync(path)).toBe(false)
    writeFileSync(path, "mine\n")
    const { exit, out } = await cli(["append", path, "--create", "--cwd", ".", "--json"], { input: user("x") })
    expect({ exit, error: json(out)["error"] }).toMatchObject({ exit: 6, error: { code: "open.exists", path } })
    expect(readFileSync(path, "utf8")).toBe("mine\n")
  })

  test("never goes into a session that exists, and its input is then not read", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const before = readFileSync(path)
    const { exit, out, notes } = await cli(["append", path, "--create", "--cwd", "."], { input: user("x") })
    expect({ exit, out }).toEqual({ exit: 6, out: "" })
    expect(notes).toContain(`next  Choose another name, or go on with what is there: annals append ${path}\n`)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dirname(path))).toEqual(["v5.jsonl"])
  })

  test("may begin in an empty file, but only when it is said to", async () => {
    const path = fresh()
    writeFileSync(path, "")
    expect(await cli(["append", path], { input: user("x") })).toMatchObject({ exit: 2, out: "" })
    expect(readFileSync(path).length).toBe(0)
    expect((await cli(["append", path, "--create", "--cwd", "/w"], { input: user("x") })).exit).toBe(0)
    expect(records(path)).toMatchObject([{ type: "session", cwd: "/w" }, { type: "message" }])
  })

  test("needs a working directory, and nothing else does", async () => {
    for (const flags of [["--create"], ["--cwd", "."], ["--create", "--cwd", ".", "--migrate"]]) {
      const { exit, notes } = await cli(["append", fresh(), ...flags], { input: user("x") })
      expect({ exit, usage: notes.includes("usage.invalid") }).toEqual({ exit: 2, usage: true })
    }
  })
})

describe("an older file", () => {
  test("is not touched without consent", async () => {
    const path = copyOf(gluedSession)
    const before = readFileSync(path)
    const { exit, out, notes } = await cli(["append", path], { input: user("x") })
    expect({ exit, out }).toEqual({ exit: 6, out: "" })
    expect(notes).toContain("consent.migration_needed")
    expect(notes).toContain("--migrate")
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dirname(path))).toEqual(["session.jsonl"])
  })

  test("is rewritten with consent by the first command that is carried out, with a backup of every byte", async () => {
    const path = copyOf("pi/v3-fork.jsonl")
    const before = readFileSync(path)
    await cli(["append", path, "--migrate"], { input: '{"do":"nonsense"}\n' })
    expect(readFileSync(path).equals(before)).toBe(true)
    const { exit, notes } = await cli(["append", path, "--migrate"], { input: user("x") })
    expect(exit).toBe(0)
    expect(notes).toContain(".v3.bak")
    expect(readFileSync(`${path}.v3.bak`).equals(before)).toBe(true)
    expect(records(path)[0]).toMatchObject({ version: 5 })
    expect((await cli(["verify", path])).exit).toBe(0)
  })

  test("of another agent's own directory goes on in our store", async () => {
    const home = folder()
    const directory = join(home, ".pi", "agent", "sessions")
    mkdirSync(directory, { recursive: true })
    const path = join(directory, "s.jsonl")
    writeFileSync(path, readFileSync("test/fixtures/pi/v3-fork.jsonl"))
    const store = join(home, "store")
    const before = readFileSync(path)
    const { exit, notes } = await cli(["append", path, "--migrate"], { input: user("x"), environment: { ANNALS_HOME: store } })
    expect(exit).toBe(0)
    expect(notes).toContain("stays as it is")
    expect(readFileSync(path).equals(before)).toBe(true)
    const [name] = readdirSync(join(store, "sessions")).filter((file) => file.endsWith(".jsonl") && !file.startsWith("."))
    expect(records(join(store, "sessions", name ?? "")).at(-1)).toMatchObject({ message: { content: "x" } })
  })

  test("of an unknown version is refused with every byte in place", async () => {
    const path = fresh()
    const text = '{"type":"session","version":999,"id":"x","timestamp":"t","cwd":"/"}\n'
    writeFileSync(path, text)
    for (const args of [
      ["append", path, "--migrate"],
      ["migrate", path, "--yes"],
      ["repair", path, "--yes"],
      ["show", path],
    ]) {
      const { exit, out } = await cli([...args, "--json"], { input: user("x") })
      expect({ exit, code: (json(out)["error"] as { code: string }).code }).toEqual({
        exit: 6,
        code: "format.unsupported_version",
      })
    }
    expect(readFileSync(path, "utf8")).toBe(text)
    expect(readdirSync(dirname(path))).toEqual(["new.jsonl"])
  })
})

test("a torn tail is told of, put aside, and the command goes behind the last whole record", async () => {
  const path = copyOf("gjc/v5.jsonl")
  const whole = readFileSync(path, "utf8")
  writeFileSync(path, `${whole}{"type":"mess`)
  const { exit, notes } = await cli(["append", path], { input: user("x") })
  expect(exit).toBe(0)
  expect(notes).toContain("13 bytes")
  const after = readFileSync(path, "utf8")
  expect(after.startsWith(whole)).toBe(true)
  expect(jsonLines(after)).toHaveLength(28)
  const quarantine = readdirSync(dirname(path)).find((name) => name.includes("quarantine")) ?? ""
  expect(readFileSync(join(dirname(path), quarantine), "utf8")).toBe('{"type":"mess')
})

test("no secret of the environment or of a known format reaches the file", async () => {
  const path = fresh()
  const token = `${["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_")}`
  const value = "vB7nQ2xT9kLm4Wz8Rp"
  const input = `${user(`${token} ${value}`)}\n${JSON.stringify({ do: "title", title: `with ${token}`, source: "user" })}\n`
  await cli(["append", path, "--create", "--cwd", "."], { input, environment: { DEPLOY_TOKEN: value } })
  for (const name of readdirSync(dirname(path))) {
    const content = `${name} ${readFileSync(join(dirname(path), name), "latin1")}`
    expect(content).not.toContain(token)
    expect(content).not.toContain(value)
  }
  expect(readFileSync(path, "utf8")).toContain("[REDACTED")
})
