import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { Lease } from "../../src/lease/Lease.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { planScrub, type ScrubOptions, scrub } from "../../src/session/Scrub.ts"
import { drawn, token } from "../redaction/Samples.ts"

const PATH = "/home/session.jsonl"
const secret = token("github-token", 36)
const HEADER = JSON.stringify({ type: "session", version: 5, id: "s1", timestamp: "2026-11-01T08:00:00.000Z", cwd: "/w" })

const message = (id: string, content: unknown, role = "user"): string =>
  JSON.stringify({ type: "message", id, parentId: null, timestamp: "2026-11-01T08:00:00.000Z", message: { role, content } })

const result = (id: string, text: string): string =>
  JSON.stringify({
    type: "message",
    id,
    parentId: null,
    timestamp: "2026-11-01T08:00:00.000Z",
    message: { role: "toolResult", toolCallId: "c1", toolName: "read", content: [{ type: "text", text }] },
  })

const fileOf = (...lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

const room = (disk: SimulatedDisk) => Effect.map(Lease, (lease) => ({ disk, redactor: makeRedactor({ environment: {} }), lease }))

const scrubbed = (disk: SimulatedDisk, options: ScrubOptions = {}, path = PATH) =>
  Effect.flatMap(room(disk), (given) => scrub(given, path, options)).pipe(Effect.scoped, Effect.provide(Lease.layerMemory))

const planned = (disk: SimulatedDisk, options: ScrubOptions = {}) =>
  Effect.flatMap(room(disk), (given) => planScrub(given, PATH, options)).pipe(Effect.provide(Lease.layerMemory))

describe("a scrub", () => {
  it.effect("takes out what is found, marks the entry, and keeps every other byte", () => {
    const clean = `{ "type":"custom", "id":"00000002","parentId":null,"customType":"x","data":1.0 }`
    const disk = new SimulatedDisk({ [PATH]: fileOf(HEADER, message("00000001", `see ${secret}`), clean) })
    return Effect.gen(function* () {
      const { done, left, files } = yield* scrubbed(disk)
      assert.deepStrictEqual({ done, left }, { done: [PATH], left: [] })
      assert.deepStrictEqual(
        files.map(({ findings }) => findings),
        [[{ kind: "github-token", line: 2, offset: HEADER.length + 1, at: "/message/content" }]],
      )
      const [header, entry = "", last] = (disk.text(PATH) ?? "").split("\n")
      assert.deepStrictEqual([header, last], [HEADER, clean])
      assert.include(entry, '"content":"see [REDACTED:github-token]"')
      assert.include(entry, '"redacted":[{"kind":"github-token","at":"/message/content"}]')
    })
  })

  it.effect("does not touch a file in which nothing is found", () => {
    const disk = new SimulatedDisk({ [PATH]: fileOf(HEADER, message("00000001", "nothing")) })
    const before = disk.lstat(PATH)
    return Effect.gen(function* () {
      const { done, files } = yield* scrubbed(disk)
      assert.deepStrictEqual({ done, files }, { done: [], files: [] })
      assert.deepStrictEqual(disk.lstat(PATH), before)
      assert.deepStrictEqual(disk.paths(), ["/home", PATH])
    })
  })

  it.effect("takes both sides of a secret that was cut over two records, and what a later name gives away", () => {
    const value = drawn(24)
    const disk = new SimulatedDisk({
      [PATH]: fileOf(
        HEADER,
        result("00000001", `see ${secret.slice(0, 9)}`),
        result("00000002", secret.slice(9)),
        message("00000003", `it is ${value}`),
        message("00000004", `api_key = "${value}"`),
      ),
    })
    return Effect.gen(function* () {
      yield* scrubbed(disk)
      assert.notInclude(disk.text(PATH) ?? "", secret.slice(9))
      assert.notInclude(disk.text(PATH) ?? "", value)
    })
  })

  it.effect("tells copies and leaves them, and with consent writes copies and removes leftovers", () => {
    const copies = {
      [`${PATH}.v3.bak`]: fileOf(message("00000001", secret)),
      [`${PATH}.2026-11-02T08-00-00-000Z.quarantine`]: fileOf(JSON.stringify({ text: `{"a":"${secret}` })),
      [`${PATH}.quarantine-4-90`]: `{"a":"${secret}`,
      "/home/.session.jsonl.scrub.tmp": fileOf(HEADER, message("00000001", secret)),
    }
    const other = { "/home/session.jsonl.mine": secret, "/home/.session.jsonl.owner.1.json": "{}" }
    const disk = new SimulatedDisk({ [PATH]: fileOf(HEADER, message("00000001", secret)), ...copies, ...other })
    return Effect.gen(function* () {
      const plan = yield* planned(disk)
      assert.deepStrictEqual(plan.files.map(({ path }) => path).toSorted(), [PATH, ...Object.keys(copies)].toSorted())
      const first = yield* scrubbed(disk)
      assert.deepStrictEqual(first.done, [PATH])
      assert.include(first.left, `${PATH}.v3.bak`)
      const second = yield* scrubbed(disk, { copies: true })
      assert.deepStrictEqual(second.left, [])
      for (const path of Object.keys(copies)) assert.notInclude(disk.text(path) ?? "", secret)
      assert.isUndefined(disk.text("/home/.session.jsonl.scrub.tmp"))
      for (const [path, text] of Object.entries(other)) assert.strictEqual(disk.text(path), text)
    })
  })

  it.effect("tells a blob with a secret in it, and leaves it", () => {
    const bytes = `text in an image: ${secret} and more`
    const digest = "0".repeat(64)
    const disk = new SimulatedDisk({
      [PATH]: fileOf(HEADER, message("00000001", `blob:sha256:${digest}`)),
      [`/blobs/${digest}`]: bytes,
    })
    return Effect.gen(function* () {
      // Its name is not its digest, so it is not one that anybody reads.
      assert.deepStrictEqual((yield* planned(disk, { blobFolders: ["/blobs"] })).blobs, [])
      const { createHash } = yield* Effect.promise(() => import("node:crypto"))
      const real = createHash("sha256").update(bytes).digest("hex")
      disk.put(`/blobs/${real}`, bytes)
      disk.put(PATH, fileOf(HEADER, message("00000001", `blob:sha256:${real}`)))
      const { blobs } = yield* planned(disk, { blobFolders: ["/blobs"] })
      assert.deepStrictEqual(blobs, [{ ref: `blob:sha256:${real}`, path: `/blobs/${real}` }])
      assert.deepStrictEqual((yield* scrubbed(disk, { blobFolders: ["/blobs"] })).left, [`/blobs/${real}`])
      assert.strictEqual(disk.text(`/blobs/${real}`), bytes)
    })
  })

  it.effect("refuses what is no session and no JSONL, and UTF-16", () => {
    const disk = new SimulatedDisk({
      "/home/.env": `TOKEN=${secret}\n`,
      "/home/credentials.json": `{"token":"${secret}"}`,
      "/home/notes.jsonl": `not a record\n{"a":"${secret}"}\n`,
      "/home/wide.jsonl": `\ufeff${secret}`.replace(/./gsu, (char) => `${char}\0`),
    })
    return Effect.gen(function* () {
      for (const path of disk.paths().slice(1)) {
        const before = disk.text(path)
        const error = yield* Effect.flip(scrubbed(disk, {}, path))
        assert.strictEqual("code" in error ? error.code : "", "scrub.refused", path)
        assert.strictEqual(disk.text(path), before)
      }
    })
  })

  it.effect("takes JSONL of any program by its name", () => {
    const path = "/home/other.jsonl"
    const disk = new SimulatedDisk({ [path]: fileOf(`{"any":"${secret}"}`) })
    return Effect.gen(function* () {
      yield* scrubbed(disk, {}, path)
      assert.strictEqual(disk.text(path), '{"any":"[REDACTED:github-token]"}\n')
    })
  })

  it.effect("is refused while somebody else holds the lease, and when the file changes meanwhile", () => {
    const disk = new SimulatedDisk({ [PATH]: fileOf(HEADER, message("00000001", secret)) })
    return Effect.gen(function* () {
      const lease = yield* Lease
      const given = { disk, redactor: makeRedactor({ environment: {} }), lease }
      const held = yield* lease.acquire(PATH)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(scrub(given, PATH))))._tag, "LeaseError")
      yield* held.release
      const rename = disk.rename
      const racing = Object.assign(Object.create(disk) as SimulatedDisk, {
        stat: (handle: Parameters<typeof disk.stat>[0]) => {
          const stat = disk.stat(handle)
          if (handle.path.endsWith(".tmp")) disk.put(PATH, fileOf(HEADER))
          return stat
        },
        rename,
      })
      const error = yield* Effect.flip(Effect.scoped(scrub({ ...given, disk: racing }, PATH)))
      assert.strictEqual("code" in error ? error.code : "", "scrub.changed")
      assert.strictEqual(disk.text(PATH), fileOf(HEADER))
    }).pipe(Effect.scoped, Effect.provide(Lease.layerMemory))
  })
})
