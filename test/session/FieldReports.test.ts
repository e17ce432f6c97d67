/** What has gone wrong for users with signed thinking and with images, as small as it could be made, in sessions on a disk. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { bytesFrom } from "../../laws/arbitraries/images.ts"
import { BLOBS, FOLDER, storeOn } from "../../laws/arbitraries/store.ts"
import { refOf } from "../../src/blob/BlobFolder.ts"
import { digestOf } from "../../src/blob/BlobRef.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { SEAL_BYTES } from "../../src/journal/Integrity.ts"
import { applyRepair, repairNames } from "../../src/journal/Repair.ts"
import type { JsonArray, JsonObject } from "../../src/model/Json.ts"
import { toArray } from "../../src/model/Sequence.ts"
import { loadTree } from "../../src/session/Load.ts"
import { planTreeRepair } from "../../src/session/RepairFile.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import { toProviderMessages } from "../../src/tree/ProviderView.ts"
import { recordAt, type TreeState } from "../../src/tree/State.ts"
import { answer, asked, call, text } from "../tree/Calls.ts"

const PATH = `${FOLDER}/session.jsonl`
const TIME = "2026-01-01T00:00:00.000Z"

const say = (message: JsonObject): TreeCommand => ({ do: "message", message })
const base64 = (seed: number, length: number): string => Buffer.from(bytesFrom(seed, length)).toString("base64")

const run = <A, E>(disk: SimulatedDisk, body: Effect.Effect<A, E, TreeStore | Scope.Scope>) =>
  body.pipe(Effect.scoped, Effect.provide(storeOn(disk)))

/** A session of these commands, closed, and what a load of it gives. */
const session = (commands: ReadonlyArray<TreeCommand>, path = PATH) =>
  Effect.gen(function* () {
    const store = yield* TreeStore
    const { session } = yield* store.create({ cwd: "/w", path })
    for (const command of commands) yield* session.dispatch(command)
    yield* session.close
    return { store, ...(yield* store.load(path)) }
  })

const contextOf = (state: TreeState): ReadonlyArray<JsonObject> => Result.getOrThrow(buildSessionContext(state)).messages

const blocksIn = (messages: ReadonlyArray<JsonObject>) => messages.flatMap(({ content }) => content as JsonArray)

const file = (...records: ReadonlyArray<JsonObject>): string => records.map((record) => `${JSON.stringify(record)}\n`).join("")
const header: JsonObject = { type: "session", version: 5, id: "s", timestamp: TIME, cwd: "/w" }
const entry = (id: string, parentId: string | null, message: JsonObject): JsonObject => ({
  type: "message",
  id,
  parentId,
  timestamp: TIME,
  message,
})

describe("signed thinking", () => {
  const signature = base64(1, 600)
  const thinking = (more: JsonObject): JsonObject => ({ type: "thinking", thinking: "hm", ...more })
  const said = (model: string, ...content: JsonArray): JsonObject => ({ role: "assistant", provider: "p", model, content })
  const sentTo = (wanted: string, provider = "p") => ({
    sendsBack: (origin: { provider: string | undefined; model: string | undefined }) =>
      origin.provider === provider && origin.model === wanted,
  })

  it.effect("came back with its text blanked or its signature changed, and every later request was refused", () => {
    const disk = new SimulatedDisk()
    const made = said("m", { type: "thinking", thinking: "", signature }, thinking({ thinkingSignature: signature }), call("x"))
    return run(
      disk,
      Effect.gen(function* () {
        const { store, state } = yield* session([say(asked("go")), say(made), say(answer("x"))])
        assert.equal((disk.text(PATH) ?? "").split(signature).length - 1, 2)
        assert.deepEqual(contextOf(state)[1], made)
        const view = toProviderMessages(contextOf(state), sentTo("m"))
        assert.equal(view.messages[1], contextOf(state)[1])
        const again = yield* store.open(PATH)
        yield* again.session.dispatch(say(asked("on")))
        assert.deepEqual(contextOf((yield* store.load(PATH)).state)[1], made)
      }),
    )
  })

  it.effect("stood beside thinking that nobody had signed, which no provider took back", () => {
    const disk = new SimulatedDisk()
    const short = thinking({ thinkingSignature: "EsoBCkgIARABGAIiQHhp" })
    const unsigned = [thinking({}), thinking({ signature: "" }), thinking({ thinkingSignature: " " })]
    return run(
      disk,
      Effect.gen(function* () {
        const { state } = yield* session([say(said("m", ...unsigned, short, text("so"))), say(said("m", ...unsigned))])
        const before = disk.text(PATH)
        const view = toProviderMessages(contextOf(state), sentTo("m"))
        assert.deepEqual(blocksIn(view.messages), [short, text("so")])
        assert.deepEqual(view.repairs, [
          { _tag: "NotSentBack", at: 0, count: 3 },
          { _tag: "NotSentBack", at: 1, count: 3 },
          { _tag: "EmptyMessage", at: 1, role: "assistant" },
        ])
        assert.equal(disk.text(PATH), before)
        for (const block of unsigned) assert.include(before, JSON.stringify(block))
      }),
    )
  })

  it.effect("of one model was replayed to the next one, which refused the session from then on", () => {
    const disk = new SimulatedDisk()
    const [old, fresh] = [thinking({ thinkingSignature: signature }), thinking({ thinkingSignature: base64(2, 600) })]
    const hidden = { type: "redacted_thinking", data: base64(3, 600) }
    const commands = [
      say(said("a", old, hidden, text("one"), { ...call("x"), thoughtSignature: signature })),
      say(answer("x")),
      { do: "model", model: "p/b" } as const,
      say(asked("and?")),
      say(said("b", fresh, text("two"))),
    ]
    return run(
      disk,
      Effect.gen(function* () {
        const { state } = yield* session(commands)
        const messages = contextOf(state)
        const bs = toProviderMessages(messages, sentTo("b"))
        assert.deepEqual(blocksIn([bs.messages[0] ?? {}]), [text("one"), call("x")])
        assert.deepEqual(blocksIn([bs.messages[3] ?? {}]), [fresh, text("two")])
        assert.deepEqual(bs.repairs, [{ _tag: "NotSentBack", at: 0, count: 3 }])
        assert.deepEqual(toProviderMessages(messages, sentTo("a")).messages.slice(0, 3), messages.slice(0, 3))
        const elsewhere = toProviderMessages(messages, sentTo("a", "the same model on another platform"))
        assert.isFalse(JSON.stringify(elsewhere.messages).includes("ignature"))
        for (const kept of [old, hidden]) assert.include(disk.text(PATH), JSON.stringify(kept))
      }),
    )
  })

  it.effect("had the name of another vendor's field for a signature, and was sent on as if it were one", () => {
    const disk = new SimulatedDisk()
    const reasoned = thinking({ thinkingSignature: "reasoning_content" })
    return run(
      disk,
      Effect.gen(function* () {
        const { state } = yield* session([say({ ...said("a", reasoned, text("so")), provider: "other" })])
        assert.deepEqual(blocksIn(toProviderMessages(contextOf(state), sentTo("m")).messages), [text("so")])
        assert.deepEqual(blocksIn(toProviderMessages(contextOf(state), sentTo("a", "other")).messages), [reasoned, text("so")])
      }),
    )
  })

  it.effect("was encrypted for an organisation that the user had left: nothing old could be gone on with", () => {
    const disk = new SimulatedDisk()
    const items = [{ type: "reasoning", encrypted_content: base64(4, 600), summary: [] }]
    const made = {
      ...said("m", text("so"), { type: "reasoning", encrypted_content: base64(4, 600) }),
      providerPayload: { type: "openaiResponsesHistory", provider: "p", items },
    }
    return run(
      disk,
      Effect.gen(function* () {
        const { store, state } = yield* session([say(asked("go")), say(made)])
        assert.deepEqual(contextOf(state)[1], made)
        const nobody = toProviderMessages(contextOf(state), { sendsBack: () => false })
        assert.deepEqual(nobody.messages[1], said("m", text("so")))
        assert.deepEqual(nobody.repairs, [{ _tag: "NotSentBack", at: 1, count: 2 }])
        const again = yield* store.open(PATH)
        assert.notProperty(contextOf(yield* again.session.state)[1], "providerPayload")
        yield* again.session.dispatch(say(asked("on")))
        assert.include(disk.text(PATH), items[0]?.encrypted_content ?? "")
      }),
    )
  })

  it.effect("held by chance what looks like a key, and redaction rewrote it", () => {
    const disk = new SimulatedDisk()
    const chance = [`AK${"IA"}${"ABCDEFGHIJKLMNOP"}`, `s${"k-"}${"proj0123456789abcdefghij"}`]
    const signed = chance.map((word) => thinking({ thinkingSignature: `${base64(5, 30)}/${word}/${base64(6, 30)}` }))
    return run(
      disk,
      Effect.gen(function* () {
        const { state } = yield* session([say(said("m", ...signed)), say(asked(`see ${chance[0]} here`))])
        assert.deepEqual(contextOf(state)[0], said("m", ...signed))
        const [, spoken = ""] = (disk.text(PATH) ?? "").split("\n").slice(1)
        assert.notInclude(spoken, chance[0] ?? "")
        assert.include(spoken, "[REDACTED")
      }),
    )
  })
})

describe("images", () => {
  const image = (data: string): JsonObject => ({ type: "image", mimeType: "image/png", data })
  const show = (...content: JsonArray): TreeCommand => say(asked(content))
  const data = base64(7, 60_000)
  const ref = refOf(Buffer.from(data, "base64"))
  const blobPath = `${BLOBS}/${digestOf(ref)}`
  const blobs = (disk: SimulatedDisk) => disk.paths().filter((path) => path.startsWith(`${BLOBS}/`))
  const size = (disk: SimulatedDisk, path = PATH): number => disk.bytes(path)?.length ?? 0

  it.effect("were copied at every compaction and into every fork, until the disk was full", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const { session: live } = yield* store.create({ cwd: "/w", path: PATH })
        yield* live.dispatch(show(image(data)))
        const [first] = toArray((yield* live.state).entries)
        const before = size(disk)
        for (let n = 0; n < 50; n++)
          yield* live.dispatch({ do: "compaction", summary: `${n}`, firstKeptEntryId: first?.id ?? "", tokensBefore: 1 })
        yield* live.close
        assert.isBelow(size(disk) - before, 50 * 400)
        for (let n = 0; n < 5; n++) {
          const { path } = yield* store.fork(PATH)
          // In our own store each record has a seal.
          assert.isBelow(size(disk, path), size(disk) + 52 * SEAL_BYTES + 1_000)
          assert.deepEqual(contextOf((yield* store.load(path)).state).at(-1), asked([image(data)]))
        }
        assert.deepEqual(blobs(disk), [blobPath])
      }),
    )
  })

  it.effect("stood twice on one line, in the message and in the raw result", () => {
    const disk = new SimulatedDisk()
    const message = { ...answer("x", [image(data)]), details: { raw: { content: [image(data)] } } }
    return run(
      disk,
      Effect.gen(function* () {
        const { state, stored } = yield* session([say(message)])
        assert.deepEqual(blobs(disk), [blobPath])
        assert.equal(JSON.stringify(recordAt(stored, 0)).split(ref).length - 1, 2)
        assert.deepEqual(recordAt(state, 0)?.["message"], message)
      }),
    )
  })

  it.effect("made a line that was written twenty times over, and the file was mostly copies", () => {
    const line = entry("a", null, asked([image(data)]))
    const disk = new SimulatedDisk({ [PATH]: file(header, ...Array.from({ length: 20 }, () => line)) })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const loaded = yield* store.load(PATH)
        assert.deepEqual(
          loaded.damages.map(({ kind }) => kind),
          Array.from({ length: 19 }, () => "duplicate-record"),
        )
        assert.deepEqual(contextOf(loaded.state), [asked([image(data)])])
        const plan = planTreeRepair(disk, PATH)
        const report = Result.getOrThrow(applyRepair(disk, plan, repairNames(PATH, 0, "once")))
        const repaired = yield* store.load(PATH)
        assert.deepEqual(repaired.damages, [])
        assert.deepEqual(toArray(repaired.state.entries), toArray(loaded.state.entries))
        assert.equal(size(disk), file(header, line).length)
        assert.isAbove(size(disk, `${FOLDER}/${report.quarantine}`), 19 * data.length)
      }),
    )
  })

  it.effect("made a session too large to be opened, and even its text could not be read", () => {
    const lines = Array.from({ length: 76 }, (_, n) =>
      entry(`e${n}`, n === 0 ? null : `e${n - 1}`, asked([text(`${n}`), image(base64(n, 60_000))])),
    )
    const disk = new SimulatedDisk({ [PATH]: file(header, ...lines) })
    return run(
      disk,
      Effect.gen(function* () {
        const loaded = yield* (yield* TreeStore).load(PATH)
        assert.deepEqual(loaded.damages, [])
        assert.deepEqual(
          contextOf(loaded.state).map(({ content }) => (content as ReadonlyArray<JsonObject>)[0]),
          lines.map((_, n) => text(`${n}`)),
        )
        const path = `${FOLDER}/ours.jsonl`
        yield* session(
          lines.map(({ message }) => say(message as JsonObject)),
          path,
        )
        assert.isBelow(size(disk, path), 76 * 500)
        disk.fail((call) => call.path.startsWith(BLOBS), "EIO", { sticky: true })
        const texts = yield* loadTree(disk, path)
        assert.lengthOf(contextOf(texts.state), 76)
        assert.deepEqual(texts.blobs, [])
      }),
    )
  })

  it.effect("were too many for one of them to be that large, and nothing could take it out of the conversation", () => {
    const disk = new SimulatedDisk()
    const pictures = Array.from({ length: 21 }, (_, n) => image(base64(n, 3_000)))
    const gone = text("[an image of 2162x322 was here]")
    return run(
      disk,
      Effect.gen(function* () {
        const { store, state } = yield* session(pictures.map((each) => show(each)))
        const { session: live } = yield* store.open(PATH)
        const before = disk.text(PATH) ?? ""
        const entryId = toArray(state.entries)[7]?.id ?? ""
        yield* live.dispatch({ do: "patchMessage", entryId, message: asked([gone]) })
        const shown = contextOf((yield* store.load(PATH)).state)
        assert.deepEqual(blocksIn(shown), pictures.with(7, gone))
        assert.isTrue(
          (disk.text(PATH) ?? "").startsWith(before),
          "what was there is there, and the removal is a record of its own",
        )
        assert.lengthOf(blobs(disk), 21)
      }),
    )
  })
  it.effect("stood under a member that nobody had thought of, and the model was given the reference instead", () => {
    const disk = new SimulatedDisk({ [blobPath]: Buffer.from(data, "base64") })
    const framed = (shown: string): JsonObject => answer("x", [{ type: "video", frames: [image(shown)] }, text(ref)])
    const fresh = base64(8, 3_000)
    disk.put(PATH, file(header, entry("a", null, framed(ref))))
    return run(
      disk,
      Effect.gen(function* () {
        const { state, stored, blobs: problems } = yield* (yield* TreeStore).load(PATH)
        assert.deepEqual(recordAt(state, 0)?.["message"], framed(data))
        assert.deepEqual(recordAt(stored, 0)?.["message"], framed(ref))
        assert.deepEqual(problems, [])
        disk.unlink(blobPath)
        const gone = yield* (yield* TreeStore).load(PATH)
        assert.deepEqual(gone.blobs, [{ ref, reason: "missing", entryId: "a" }])
        const ours = yield* session([say(framed(fresh))], `${FOLDER}/ours.jsonl`)
        assert.deepEqual(recordAt(ours.stored, 0)?.["message"], framed(fresh))
      }),
    )
  })

  for (const [what, content] of [
    ["had gone", undefined],
    ["was another file", bytesFrom(9, 60_000)],
    ["was cut", bytesFrom(7, 59_999)],
  ] as const) {
    it.effect(`could not be had because the blob ${what}, and reading, copying and going on ended in an exception`, () => {
      const disk = new SimulatedDisk(content === undefined ? {} : { [blobPath]: content })
      disk.put(PATH, file(header, entry("a", null, asked([image(ref), text("and?")]))))
      return run(
        disk,
        Effect.gen(function* () {
          const store = yield* TreeStore
          const loaded = yield* store.load(PATH)
          const reason = content === undefined ? "missing" : "corrupt"
          assert.deepEqual([loaded.path, loaded.blobs], [PATH, [{ ref, reason, entryId: "a" }]])
          assert.deepEqual(contextOf(loaded.state), [asked([image(ref), text("and?")])])
          const copies = [yield* store.fork(PATH), yield* store.branchOut(PATH, "a")]
          for (const { path } of copies) assert.include(disk.text(path), ref)
          const { session: live } = yield* store.open(PATH)
          yield* live.dispatch(say(asked("on")))
          assert.include(disk.text(PATH), ref)
          disk.put(blobPath, bytesFrom(7, 60_000))
          assert.deepEqual(contextOf((yield* store.load(PATH)).state)[0], asked([image(data), text("and?")]))
        }),
      )
    })
  }

  it.effect("a store that refused images made files grow, and nobody was told", () => {
    const disk = new SimulatedDisk({ [blobPath]: "something else" })
    const logged: Array<ReadonlyArray<unknown>> = []
    const logger = Logger.make(({ message, logLevel, fiber }) => {
      const { code } = fiber.getRef(References.CurrentLogAnnotations)
      const isOffStdout = fiber.getRef(References.LogToStderr)
      logged.push([logLevel, code, isOffStdout, String(message).includes(blobPath)])
    })
    return run(
      disk,
      Effect.gen(function* () {
        const { state } = yield* session([show(image(data), image(data)), show(image(data))])
        assert.deepEqual(contextOf(state), [asked([image(data), image(data)]), asked([image(data)])])
        assert.deepEqual(logged, [["Warn", "blob.corrupt", true, true]], "once for each image")
        disk.fail((call) => call.operation === "link" && call.path.startsWith(BLOBS), "ENOSPC", {})
        const other = show(image(base64(10, 3_000)))
        yield* session([other, other], `${FOLDER}/other.jsonl`)
        assert.deepEqual(logged.slice(1), [["Warn", "blob.unwritten", true, false]])
      }),
    ).pipe(Effect.provide(Logger.layer([logger])))
  })
})
