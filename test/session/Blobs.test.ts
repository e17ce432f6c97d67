import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { bytesFrom } from "../../laws/arbitraries/images.ts"
import { BLOBS, FOLDER, HOME, storeOn, written } from "../../laws/arbitraries/store.ts"
import { refOf } from "../../src/blob/BlobFolder.ts"
import { digestOf } from "../../src/blob/BlobRef.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import type { JsonArray, JsonObject } from "../../src/model/Json.ts"
import { toArray } from "../../src/model/Sequence.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import { planTreeRepair } from "../../src/session/RepairFile.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import { Oracle } from "../../src/testing.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import { NOTICE } from "../../src/tree/Sizes.ts"
import { recordAt, type TreeState } from "../../src/tree/State.ts"

const PATH = `${FOLDER}/session.jsonl`

const bytes = bytesFrom(1, 900)
const data = Buffer.from(bytes).toString("base64")
const ref = refOf(bytes)
const blobPath = `${BLOBS}/${digestOf(ref)}`

const image = (text: string): JsonObject => ({ type: "image", mimeType: "image/png", data: text })
const show = (...content: JsonArray): TreeCommand => ({ do: "message", message: { role: "user", content } })

const run = <A, E>(
  disk: SimulatedDisk,
  body: Effect.Effect<A, E, TreeStore | Redaction | Scope.Scope>,
  environment: Readonly<Record<string, string>> = {},
) => body.pipe(Effect.scoped, Effect.provide(storeOn(disk, { environment })))

/** A session of these commands, closed, and what a load of it then gives. */
const session = (commands: ReadonlyArray<TreeCommand>, path = PATH) =>
  Effect.gen(function* () {
    const store = yield* TreeStore
    const open = yield* store.create({ cwd: "/w", path })
    for (const command of commands) yield* open.session.dispatch(command)
    const live = yield* open.session.state
    yield* open.session.close
    const loaded = yield* store.load(path)
    const redactor = yield* Redaction
    assert.equal(written(redactor, loaded.state), written(redactor, live))
    return { store, live, loaded }
  })

/** The data of the first image of an entry. */
const shownIn = (state: TreeState, position = 0): unknown => {
  const message = recordAt(state, position)?.["message"] as { content: ReadonlyArray<{ data: string }> }
  return message.content.find((block) => "data" in block)?.data
}

const blobNames = (disk: SimulatedDisk): ReadonlyArray<string> => disk.paths().filter((path) => path.startsWith(`${BLOBS}/`))

describe("an image", () => {
  it.effect("lies in a blob, is whole in the live state, and is whole again after a load", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { live, loaded } = yield* session([show(image(data))])
        assert.equal(shownIn(live), data)
        assert.equal(shownIn(loaded.state), data)
        assert.equal(shownIn(loaded.stored), ref)
        assert.deepEqual(loaded.blobs, [])
        assert.notInclude(disk.text(PATH), data)
        assert.include(disk.text(PATH), `"data":"${ref}"`)
        assert.deepEqual(disk.bytes(blobPath), bytes)
      }),
    )
  })

  it.effect("stays in its line below 1,024 characters", () => {
    const disk = new SimulatedDisk()
    const short = Buffer.from(bytesFrom(2, 765)).toString("base64")
    const cut = data.slice(0, 1_023)
    const enough = Buffer.from(bytesFrom(2, 768)).toString("base64")
    return run(
      disk,
      Effect.gen(function* () {
        assert.deepEqual([short.length, cut.length, enough.length], [1_020, 1_023, 1_024])
        yield* session([show(image(short)), show(image(cut)), show(image(enough))])
        assert.include(disk.text(PATH), short)
        assert.include(disk.text(PATH), cut)
        assert.notInclude(disk.text(PATH), enough)
        assert.lengthOf(blobNames(disk), 1)
      }),
    )
  })

  it.effect("stays in its line when another base64 would come back", () => {
    const disk = new SimulatedDisk()
    const odd = [`${data.slice(0, 76)}\n${data.slice(76)}`, `${data}=`, data.replaceAll("+", "-").replaceAll("/", "_")]
    return run(
      disk,
      Effect.gen(function* () {
        const { loaded } = yield* session(odd.map((text) => show(image(text))))
        for (const [at, text] of odd.entries()) assert.equal(shownIn(loaded.state, at), text)
        assert.deepEqual(blobNames(disk), [])
      }),
    )
  })

  it.effect("in a data URL is a blob of the URL's text", () => {
    const disk = new SimulatedDisk()
    const url = `data:image/jpeg;base64,${data}`
    return run(
      disk,
      Effect.gen(function* () {
        const { loaded } = yield* session([
          show({ type: "input_image", image_url: url }, { type: "image_url", image_url: { url } }),
          show({ type: "input_image", image_url: `data:image/jpeg;base64,${data.slice(0, 1_020)}` }),
        ])
        const urlRef = refOf(new TextEncoder().encode(url))
        assert.equal((disk.text(PATH) ?? "").split(urlRef).length - 1, 2)
        assert.include(disk.text(PATH), data.slice(0, 1_020))
        assert.deepEqual(blobNames(disk), [`${BLOBS}/${digestOf(urlRef)}`])
        assert.equal(disk.text(`${BLOBS}/${digestOf(urlRef)}`), url)
        assert.include(JSON.stringify(recordAt(loaded.state, 0)), url)
      }),
    )
  })

  it.effect("said many times is kept once", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        yield* session(Array.from({ length: 50 }, () => show(image(data), { type: "tool_result", content: [image(data)] })))
        assert.deepEqual(blobNames(disk), [blobPath])
        assert.isBelow(disk.bytes(PATH)?.length ?? 0, 50 * data.length)
      }),
    )
  })

  it.effect("with a secret in its bytes does not bring it to light", () => {
    const disk = new SimulatedDisk()
    const secret = ["hunter2", "correct", "horse"].join("-")
    const metadata = Buffer.concat([bytes, Buffer.from(`Author ${secret} `), bytes]).toString("base64")
    return run(
      disk,
      Effect.gen(function* () {
        const { loaded } = yield* session([show(image(metadata))])
        const kept = Buffer.from(String(shownIn(loaded.state)), "base64")
        // The text that it stands in is written over, and nothing else of the picture.
        assert.lengthOf(blobNames(disk), 1)
        assert.lengthOf(kept, 2 * bytes.length + `Author ${secret} `.length)
        assert.isTrue(kept.subarray(0, 64).equals(bytes.subarray(0, 64)))
        assert.include(kept.toString("latin1"), "*".repeat(secret.length))
        assert.deepEqual(new Oracle([{ name: "secret", text: secret }]).searchDisk(disk, "/").sightings, [])
      }),
      { API_TOKEN: secret },
    )
  })

  it.effect("in another agent's session stays where that agent finds it", () => {
    const disk = new SimulatedDisk()
    const path = `${HOME}/.gjc/agent/sessions/one.jsonl`
    return run(
      disk,
      Effect.gen(function* () {
        yield* session([show(image(data))], path)
        assert.include(disk.text(path), data)
        assert.isFalse(disk.paths().some((name) => name.includes("/blobs/")))
      }),
    )
  })
})

describe("a blob that cannot be kept", () => {
  it.effect("leaves the image in its line: a corrupt file under its name is not overwritten", () => {
    const disk = new SimulatedDisk({ [blobPath]: "something else" })
    return run(
      disk,
      Effect.gen(function* () {
        const { loaded } = yield* session([show(image(data))])
        assert.equal(disk.text(blobPath), "something else")
        assert.include(disk.text(PATH), data)
        assert.deepEqual(loaded.blobs, [])
      }),
    )
  })

  it.effect("leaves the image in its line: the folder cannot be written to", () => {
    const disk = new SimulatedDisk()
    disk.fail((call) => call.path.startsWith(BLOBS) && call.operation === "makeDirectory", "EACCES", { sticky: true })
    return run(
      disk,
      Effect.gen(function* () {
        yield* session([show(image(data))])
        assert.include(disk.text(PATH), data)
      }),
    )
  })

  it.effect("is durable before the line that refers to it, wherever the power is cut", () =>
    Effect.gen(function* () {
      const dispatch = (disk: SimulatedDisk) =>
        Effect.exit(
          run(
            disk,
            Effect.flatMap(TreeStore, (store) => store.create({ cwd: "/w", path: PATH })).pipe(
              Effect.flatMap((open) => open.session.dispatch(show(image(data)))),
            ),
          ),
        )
      const rehearsal = new SimulatedDisk()
      yield* dispatch(rehearsal)
      let lines = 0
      for (let step = 1; step <= rehearsal.operations + 1; step++) {
        const disk = new SimulatedDisk()
        disk.crashAt(step)
        yield* dispatch(disk)
        for (const image of [disk.crash(() => 0), disk.crash((options) => options - 1)]) {
          if (!(image.text(PATH) ?? "").includes(ref)) continue
          lines++
          assert.deepEqual(image.bytes(blobPath), bytes, `cut at ${step}`)
        }
      }
      assert.isAbove(lines, 0)
    }),
  )
})

describe("a reference", () => {
  it.effect("that leads to nothing is reported, stays, and hinders nobody", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { store } = yield* session([show(image(data)), show({ type: "text", text: "and?" })])
        disk.unlink(blobPath)
        const loaded = yield* store.load(PATH)
        const entryId = toArray(loaded.state.entries)[0]?.id
        assert.deepEqual(loaded.blobs, [{ ref, reason: "missing", entryId: entryId ?? "" }])
        assert.deepEqual(loaded.damages, [])
        assert.equal(shownIn(loaded.state), ref)
        const before = disk.text(PATH) ?? ""
        const open = yield* store.open(PATH)
        yield* open.session.dispatch(show({ type: "text", text: "goes on" }))
        assert.isTrue((disk.text(PATH) ?? "").startsWith(before))
        disk.put(blobPath, bytes)
        assert.equal(shownIn((yield* store.load(PATH)).state), data)
      }),
    )
  })

  for (const [what, content] of [
    ["cut", bytes.subarray(0, 500)],
    ["empty", new Uint8Array()],
    ["changed", bytesFrom(9, 900)],
  ] as const) {
    it.effect(`to a blob that was ${what} is reported and stays`, () => {
      const disk = new SimulatedDisk()
      return run(
        disk,
        Effect.gen(function* () {
          const { store } = yield* session([show(image(data))])
          disk.put(blobPath, content)
          const loaded = yield* store.load(PATH)
          assert.deepEqual(
            loaded.blobs.map(({ reason }) => reason),
            ["corrupt"],
          )
          assert.equal(shownIn(loaded.state), ref)
          assert.deepEqual(disk.bytes(blobPath), content)
        }),
      )
    })
  }

  it.effect("in the place of an image URL leads to an image URL or to nothing", () => {
    const disk = new SimulatedDisk({ [blobPath]: bytes })
    const lines = [
      { type: "session", version: 5, id: "s", timestamp: "t", cwd: "/w" },
      { type: "message", id: "a", parentId: null, timestamp: "t", message: { role: "user", content: [{ image_url: ref }] } },
    ]
    disk.put(PATH, new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join("")))
    return run(
      disk,
      Effect.gen(function* () {
        const loaded = yield* (yield* TreeStore).load(PATH)
        assert.deepEqual(loaded.blobs, [{ ref, reason: "corrupt", entryId: "a" }])
        assert.include(JSON.stringify(recordAt(loaded.state, 0)), ref)
      }),
    )
  })

  it.effect("is one only in the place of an image: a text that reads like one is a text", () => {
    const disk = new SimulatedDisk({ [blobPath]: bytes })
    return run(
      disk,
      Effect.gen(function* () {
        const { loaded } = yield* session([
          show({ type: "text", text: ref }),
          { do: "custom", customType: "note", data: { data: ref, content: ref } },
          show(image("blob:sha256:../../../etc/passwd")),
        ])
        assert.deepEqual(loaded.blobs, [])
        assert.equal(loaded.state, loaded.stored)
        assert.notInclude(JSON.stringify(toArray(loaded.state.entries)), data)
      }),
    )
  })

  it.effect("that a host hands over is at once what a load would show", () => {
    const disk = new SimulatedDisk({ [blobPath]: bytes })
    return run(
      disk,
      Effect.gen(function* () {
        const { live } = yield* session([show(image(ref))])
        assert.equal(shownIn(live), data)
        assert.notInclude(disk.text(PATH), data)
      }),
    )
  })
})

describe("a rewrite", () => {
  const header = (version: number) => ({ type: "session", version, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" })
  const said = (id: string, parentId: string | null, text: string) => ({
    type: "message",
    id,
    parentId,
    timestamp: "2026-01-01T00:00:00.000Z",
    message: { role: "user", content: [image(text)] },
  })
  const file = (...lines: ReadonlyArray<JsonObject>): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("")

  it.effect("keeps references, those in patches too, and those that lead to nothing", () => {
    const other = Buffer.from(bytesFrom(3, 800))
    const gone = `blob:sha256:${"0".repeat(64)}`
    const patch = { type: "entry_patch", entryId: "b", patch: { message: { role: "user", content: [image(refOf(other))] } } }
    const disk = new SimulatedDisk({
      [PATH]: file(header(4), said("a", null, ref), said("b", "a", "QUJD"), said("c", "b", gone), patch),
      [blobPath]: bytes,
      [`${BLOBS}/${digestOf(refOf(other))}`]: other,
    })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const open = yield* store.open(PATH, { migrate: true })
        yield* open.session.dispatch({ do: "star", on: true })
        const text = disk.text(PATH) ?? ""
        assert.notInclude(text, "entry_patch")
        for (const each of [ref, refOf(other), gone]) assert.include(text, each)
        for (const each of [data, other.toString("base64")]) assert.notInclude(text, each)
        const live = yield* open.session.state
        const loaded = yield* store.load(PATH)
        assert.deepEqual(
          [0, 1, 2].map((at) => shownIn(live, at)),
          [data, other.toString("base64"), gone],
        )
        assert.deepEqual(buildSessionContext(loaded.state), buildSessionContext(live))
        assert.deepEqual(loaded.blobs, [{ ref: gone, reason: "missing", entryId: "c" }])
      }),
    )
  })

  it.effect("of a fork and of a branch keeps them as well", () => {
    const disk = new SimulatedDisk({ [PATH]: file(header(5), said("a", null, ref), said("b", "a", ref)), [blobPath]: bytes })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        for (const { path } of [yield* store.fork(PATH), yield* store.branchOut(PATH, "a")]) {
          assert.include(disk.text(path), ref)
          assert.notInclude(disk.text(path), data)
          assert.equal(shownIn((yield* store.load(path)).state), data)
        }
      }),
    )
  })

  it.effect("gives a header that is made up the id that reading shows", () => {
    const disk = new SimulatedDisk({ [PATH]: file(said("a", null, ref)), [blobPath]: bytes })
    return run(
      disk,
      Effect.gen(function* () {
        const loaded = yield* (yield* TreeStore).load(PATH)
        assert.include(
          JSON.stringify(planTreeRepair(disk, PATH), (_, value) => (typeof value === "bigint" ? 0 : value)),
          String(loaded.state.header?.["id"]),
        )
      }),
    )
  })

  it.effect("of another agent's session brings its images along, and leaves its folder alone", () => {
    const path = `${HOME}/.gjc/agent/sessions/v2-x/one.jsonl`
    const theirs = `${HOME}/.gjc/agent/blobs/${digestOf(ref)}`
    const disk = new SimulatedDisk({ [path]: file(header(4), said("a", null, ref)), [theirs]: bytes })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        assert.equal(shownIn((yield* store.load(path)).state), data)
        assert.deepEqual(blobNames(disk), [])
        const open = yield* store.open(path, { migrate: true })
        yield* open.session.dispatch({ do: "star", on: true })
        assert.equal(open.forkedFrom, path)
        assert.equal(shownIn(yield* open.session.state), data)
        assert.include(disk.text(open.path), ref)
        assert.deepEqual(disk.bytes(blobPath), bytes)
        disk.unlink(theirs)
        assert.equal(shownIn((yield* store.load(open.path)).state), data)
      }),
    )
  })

  it.effect("looks into another agent's folder for its own sessions only", () => {
    const disk = new SimulatedDisk({
      [PATH]: file(header(5), said("a", null, ref)),
      [`${HOME}/.gjc/agent/blobs/${digestOf(ref)}`]: bytes,
    })
    return run(
      disk,
      Effect.gen(function* () {
        const loaded = yield* (yield* TreeStore).load(PATH)
        assert.deepEqual(
          loaded.blobs.map(({ reason }) => reason),
          ["missing"],
        )
      }),
    )
  })
})

describe("a text of 600,000 characters", () => {
  it.effect("is cut in the state as in the file, and its lines are counted anew", () => {
    const disk = new SimulatedDisk()
    const content = "a line\n".repeat(90_000)
    return run(
      disk,
      Effect.gen(function* () {
        const { live, loaded } = yield* session([
          {
            do: "message",
            message: { role: "toolResult", content: [], details: { content, lineCount: 90_001, partialJson: "{" } },
          },
        ])
        const message = recordAt(loaded.state, 0)?.["message"]
        const details = (message as { details?: { content: string; lineCount: number } } | undefined)?.details ?? {
          content: "",
          lineCount: 0,
        }
        assert.equal(details.content.length, 500_000)
        assert.isTrue(details.content.endsWith(`\n\n${NOTICE}`))
        assert.equal(details.lineCount, details.content.split("\n").length)
        assert.notInclude(disk.text(PATH), "partialJson")
        assert.deepEqual(recordAt(live, 0), recordAt(loaded.state, 0))
      }),
    )
  })

  it.effect("is kept whole at 500,000", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { loaded } = yield* session([show({ type: "text", text: "x".repeat(500_000) })])
        assert.notInclude(disk.text(PATH), NOTICE)
        assert.include(JSON.stringify(recordAt(loaded.state, 0)), "x".repeat(500_000))
      }),
    )
  })
})
