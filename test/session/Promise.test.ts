import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { Annals } from "../../src/promise.ts"

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
