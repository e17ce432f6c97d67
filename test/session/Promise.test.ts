import { appendFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { Annals, follow } from "../../src/promise.ts"

const home = mkdtempSync(join(tmpdir(), "annals-promise-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const secret = ["open", "sesame", "again"].join("-")

describe("annals by plain promises", () => {
  it("keeps a conversation and reads it back", async () => {
    const annals = Annals.start({ home, environment: { MY_API_KEY: secret } })
    const session = await annals.create({ cwd: "/work", title: "Parser tests" })
    const seen: Array<number> = []
    const changes = session.changes()[Symbol.asyncIterator]()
    const next = changes.next()
    await session.dispatch({ do: "message", message: { role: "user", content: `use ${secret}` } })
    const { value } = await next
    if (value !== undefined) seen.push(value.state.entries.length)
    assert.deepEqual(seen, [1])
    assert.equal(session.context().messages[0]?.["content"], `use ${secret}`)
    assert.deepEqual(session.unsaved, [])
    await session.close()

    const loaded = await annals.load(session.path)
    assert.equal(loaded.state.entries.length, 1)
    assert.deepEqual(loaded.damages, [])
    assert.notInclude(readFileSync(session.path, "utf8"), secret)
    assert.lengthOf(
      readdirSync(join(home, ".annals", "sessions")).filter((name) => name.endsWith(".jsonl")),
      1,
    )
    await annals.stop()
  })

  it("rejects with the typed error, and frees what it had taken", async () => {
    await using annals = Annals.start({ home, environment: {} })
    const path = join(home, "s.jsonl")
    await using first = await annals.create({ cwd: "/work", path })
    await first.dispatch({ do: "star", on: true })
    const refused = await annals.open(path).then(
      () => undefined,
      (error: unknown) => error as { _tag: string; reason: { code: string } },
    )
    assert.equal(refused?._tag, "LeaseError")
    assert.equal(refused?.reason.code, "lease.held")
    await first.close()
    await using second = await annals.open(path)
    await second.dispatch({ do: "star", on: false })
    assert.throws(() => second.context("no such entry"))
  })

  it("gives the context at the live leaf after each command, as one that is built anew, and from the file the same", async () => {
    await using annals = Annals.start({ home, environment: {} })
    await using session = await annals.create({ cwd: "/work", path: join(home, "context.jsonl") })
    const says = (content: string, role = "user") => session.dispatch({ do: "message", message: { role, content } })
    const first = (await says("one")).records.at(-1)?.["id"] as string
    const second = (await says("two", "assistant")).records.at(-1)?.["id"] as string
    const steps: ReadonlyArray<() => Promise<unknown>> = [
      () => says("three"),
      () => session.dispatch({ do: "label", target: first, label: "here" }),
      () => session.dispatch({ do: "compaction", summary: "so far", firstKeptEntryId: second, tokensBefore: 5 }),
      () => says("four"),
      () => session.dispatch({ do: "patchMessage", entryId: second, message: { role: "assistant", content: "patched" } }),
      () => session.dispatch({ do: "branch", to: first }),
      () => says("five"),
      () => session.dispatch({ do: "branch", to: null }),
      () => says("six"),
    ]
    for (const step of steps) {
      await step()
      const { state } = session
      assert.deepEqual(session.context(), session.context(state.leaf))
      assert.deepEqual((await annals.context(session.path)).context, session.context())
    }
    assert.deepEqual((await annals.context(session.path, second)).context, session.context(second))
    const refused = await annals.context(session.path, "no such entry").catch((error: unknown) => error as { _tag: string })
    assert.equal((refused as { _tag: string })._tag, "Rejected")
  })

  it("keeps ledger sessions of a project, and resumes the last one", async () => {
    const root = join(home, "project")
    await using annals = Annals.start({ home, environment: { MY_API_KEY: secret } })
    const ledgers = annals.ledgers(root)
    assert.isUndefined(await ledgers.latest())
    const session = await ledgers.create({ model: "m" })
    await session.dispatch({ do: "user", text: `use ${secret}` })
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
    const content = [{ type: "tool_use", id: "c1", name: "bash", input: {} }]
    await session.dispatch({ do: "assistant", step: 1, response: { content, stopReason: "tool_use", usage }, costUsd: 0 })
    session.recordFile("a.ts", "x")
    assert.equal(session.fileStatus("a.ts", "x"), "current")
    assert.isFalse(session.noteRead("a.ts", "x"))
    assert.isTrue(session.noteRead("a.ts", "x"))
    await session.close()
    assert.notInclude(readFileSync(session.path, "utf8"), secret)

    await using again = await ledgers.resume()
    assert.equal(again.id, session.id)
    assert.deepEqual(again.repairs, [{ kind: "open-call-closed", count: 1 }])
    assert.equal(again.fileStatus("a.ts", "x"), "unread")
    assert.equal(again.messages.length, 3)
    await again.ensureOnDisk()
    assert.equal((await ledgers.read(again.id)).state.conversation.length, 3)
    await again.close()
    const child = await ledgers.createChild(again.id, "explore-c1", { model: "m" })
    await child.dispatch({ do: "user", text: "task" })
    await child.close()
    assert.equal((await ledgers.list()).sessions.length, 1)
    assert.equal(await ledgers.setTitle(again.id, "Keys"), "Keys")
    const copy = await ledgers.fork(again.id)
    assert.equal((await ledgers.remove(again.id)).children.length, 1)
    assert.equal(await ledgers.latest(), copy.id)
  })
})

/** The descriptors of this process that lead to a file. */
const descriptorsOf = (path: string): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  }).length

describe("following by plain promises", () => {
  it("tells what another one writes, in order, and closes the file when it is left", async () => {
    await using annals = Annals.start({ home, environment: {} })
    const path = join(home, "followed.jsonl")
    const texts: Array<string> = []
    const reading = (async () => {
      for await (const item of follow(path, { every: 1 })) {
        assert.equal(item._tag, "Record")
        if (item._tag === "Record") texts.push(String(item.record.value["type"]))
        if (texts.length === 3) break
      }
    })()
    await using session = await annals.create({ cwd: "/work", path, persist: "immediately" })
    await session.dispatch({ do: "message", message: { role: "user", content: "one" } })
    await session.dispatch({ do: "message", message: { role: "user", content: "two" } })
    await reading
    assert.deepEqual(texts, ["session", "message", "message"])
    await session.close()
    if (process.platform === "linux") assert.equal(descriptorsOf(path), 0)
  })

  it("ends when its writer has closed the file, with everything that it wrote", async () => {
    const path = join(home, "closed.jsonl")
    appendFileSync(path, '{"a":1}\n{"b":2}')
    const tags: Array<string> = []
    for await (const item of follow(path, { until: Promise.resolve(), every: 1 })) tags.push(item._tag)
    assert.deepEqual(tags, ["Record", "Record"])
  })

  it("ends at once when it is told to, also while it waits", async () => {
    const path = join(home, "waits.jsonl")
    appendFileSync(path, '{"a":1}\n')
    const given = new AbortController()
    const items: Array<unknown> = []
    // It would look again in an hour.
    for await (const item of follow(path, { every: 3_600_000, signal: given.signal })) {
      items.push(item)
      setImmediate(() => given.abort())
    }
    assert.lengthOf(items, 1)
    if (process.platform === "linux") assert.equal(descriptorsOf(path), 0)
    for await (const item of follow(path, { signal: AbortSignal.abort() })) items.push(item)
    assert.isAtMost(items.length, 2)
  })

  it("looks when it is told that it is worth it", async () => {
    const path = join(home, "hinted.jsonl")
    appendFileSync(path, '{"a":1}\n')
    let ring = (): void => undefined
    const options = {
      every: 3_600_000,
      hint: () =>
        new Promise<void>((resolve) => {
          ring = resolve
        }),
    }
    const reading = follow(path, options)[Symbol.asyncIterator]()
    assert.equal((await reading.next()).value?._tag, "Record")
    const next = reading.next()
    const ringing = setInterval(() => ring(), 1)
    appendFileSync(path, '{"b":2}\n')
    const { value } = await next
    clearInterval(ringing)
    assert.equal(value?._tag === "Record" ? value.record.raw : "", '{"b":2}')
    await reading.return?.()
  })

  it("rejects with the typed error", async () => {
    const failed = await follow(home)
      [Symbol.asyncIterator]()
      .next()
      .then(
        () => undefined,
        (error: unknown) => error as { _tag: string; reason: { code: string } },
      )
    assert.equal(failed?._tag, "ReadError")
    assert.equal(failed?.reason.code, "read.not_a_file")
  })
})
