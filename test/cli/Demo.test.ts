import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { MARKER } from "../../src/cli/demo/Conversation.ts"
import { Course } from "../../src/cli/demo/Course.ts"
import { noSecret, replayEqualsLive, sourceUnchanged } from "../../src/cli/demo/Proofs.ts"
import { search } from "../../src/cli/demo/Search.ts"
import { freshSecrets } from "../../src/cli/demo/Secrets.ts"
import { digestOf, type Stage } from "../../src/cli/demo/Stage.ts"
import { folder, gluedSession, json, spawned } from "./Cli.ts"

const digest = "797bb1ea5676064d"

describe("annals demo", () => {
  test("proves every step, leaves nothing behind, and leaves its source as it was", async () => {
    const temporary = folder()
    const { exit, out, notes } = await spawned(["demo", "--json"], { environment: { TMPDIR: temporary } })
    const { ok, steps } = json(out) as { ok: boolean; steps: ReadonlyArray<{ name: string; ok: boolean; detail: string }> }
    expect(steps.filter((step) => !step.ok)).toEqual([])
    expect({ exit, ok, notes, steps: steps.length }).toEqual({ exit: 0, ok: true, notes: "", steps: 9 })
    expect(readdirSync(temporary)).toEqual([])
    expect(digestOf(gluedSession).startsWith(digest)).toBe(true)
    expect(readFileSync(gluedSession).length).toBe(946_067)
  })

  test("keeps its folder when it is asked to, and says where it is", async () => {
    const temporary = folder()
    const { exit, out } = await spawned(["demo", "--keep"], { environment: { TMPDIR: temporary } })
    expect(exit).toBe(0)
    const [kept = ""] = readdirSync(temporary)
    expect(out).toContain(join(temporary, kept))
    expect(existsSync(join(temporary, kept, "session.jsonl.v1.bak"))).toBe(true)
    expect((await spawned(["verify", join(temporary, kept, "session.jsonl")])).exit).toBe(0)
    expect(out.match(/^✓ \d {2}/gm)).toHaveLength(9)
  })
})

const stageIn = (place: string): Stage => ({
  self: process.pid,
  folder: place,
  source: gluedSession,
  file: join(place, "session.jsonl"),
  digest: digestOf(gluedSession),
  secrets: freshSecrets(),
  acknowledged: [],
  comparisons: [],
})

describe("a proof that fails is told as failed", () => {
  test("a secret in a file, in a name, and in forms that hide it", () => {
    const secret = "s3cr3t/+value with ümlaut"
    const needles = [{ kind: "planted", text: secret }]
    const forms: ReadonlyArray<readonly [string, string | Buffer]> = [
      ["raw", `a${secret}b`],
      ["JSON", JSON.stringify({ a: `${secret}"` })],
      ["JSON in JSON", JSON.stringify(JSON.stringify(`"${secret}`))],
      ["URL", `https://x/?q=${encodeURIComponent(secret)}`],
      ["hex", Buffer.from(secret).toString("hex")],
      ["UTF-16", Buffer.from(secret, "utf16le")],
      ...["", "x", "xy"].map((before) => ["base64", Buffer.from(`${before}${secret}zz`).toString("base64")] as const),
      ...["", "x", "xy"].map((before) => ["base64url", Buffer.from(`${before}${secret}zz`).toString("base64url")] as const),
    ]
    for (const [form, content] of forms) {
      const place = folder()
      writeFileSync(join(place, "file"), content)
      expect({ form, found: search(place, needles).found.length > 0 }).toEqual({ form, found: true })
    }
    const named = folder()
    writeFileSync(join(named, "token-abcdefgh"), "")
    expect(search(named, [{ kind: "name", text: "abcdefgh" }]).found).toMatchObject([{ form: "raw", file: "token-abcdefgh" }])
    expect(search(named, [{ kind: "name", text: "not there" }]).found).toEqual([])
  })

  test("each of the fresh secrets, planted", async () => {
    const place = folder()
    const stage = stageIn(place)
    writeFileSync(stage.file, MARKER)
    expect((await Effect.runPromise(noSecret(stage))).ok).toBe(true)
    for (const { parts } of Object.values(stage.secrets)) {
      for (const part of parts) {
        writeFileSync(stage.file, `${MARKER} ${part}`)
        expect((await Effect.runPromise(noSecret(stage))).ok).toBe(false)
      }
    }
  })

  test("a search that does not find what is there", async () => {
    const stage = stageIn(folder())
    writeFileSync(stage.file, "nothing")
    expect((await Effect.runPromise(noSecret(stage))).ok).toBe(false)
  })

  test("another source, and another state", async () => {
    const stage = stageIn(folder())
    expect((await Effect.runPromise(sourceUnchanged(stage))).ok).toBe(true)
    expect((await Effect.runPromise(sourceUnchanged({ ...stage, digest: "other" }))).ok).toBe(false)
    const same = { when: "now", live: "{}", replayed: "{}" }
    const compare = (comparisons: Stage["comparisons"]) => Effect.runPromise(replayEqualsLive({ ...stage, comparisons }))
    expect((await compare([same, same])).ok).toBe(true)
    expect((await compare([same, { ...same, live: "{1}" }])).ok).toBe(false)
    expect((await compare([])).ok).toBe(false)
  })

  test("and the course stops there", async () => {
    const shown: Array<boolean> = []
    const course = new Course(({ ok }) => Effect.sync(() => void shown.push(ok)))
    const result = (ok: boolean) => Effect.succeed({ ok, detail: [] })
    await Effect.runPromise(course.step("one", result(true)))
    await Effect.runPromise(course.step("two", Effect.die(new Error("secret words"))))
    await Effect.runPromise(course.step("three", result(true)))
    expect({ ok: course.ok, shown }).toEqual({ ok: false, shown: [true, false] })
    expect(JSON.stringify(course.steps)).not.toContain("secret words")
  })
})

test("two sets of secrets have nothing in common", () => {
  const [one, two] = [freshSecrets(), freshSecrets()]
  const parts = new Set(Object.values(one).flatMap((secret) => secret.parts))
  expect(Object.values(two).flatMap((secret) => secret.parts.filter((part) => parts.has(part)))).toEqual([])
})
