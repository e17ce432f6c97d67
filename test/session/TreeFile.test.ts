/** Files that are read with their entries left in them: their contexts and verifications, and what is read for those. */
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { BlobError } from "../../src/blob/BlobError.ts"
import type { BlobRef } from "../../src/blob/BlobRef.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { readContext } from "../../src/session/ContextReading.ts"
import { loadTree } from "../../src/session/Load.ts"
import { useTreeFile } from "../../src/session/TreeFile.ts"
import { verifyTree } from "../../src/session/TreeVerification.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import { recordOf } from "../../src/tree/State.ts"

const PATH = "/s/session.jsonl"
const TIME = "2026-01-01T00:00:00.000Z"

const header = { type: "session", version: 5, id: "s", timestamp: TIME, cwd: "/w" }
const idOf = (n: number): string => n.toString(16).padStart(8, "0")
const entry = (n: number, members: object): object => ({
  type: "message",
  id: idOf(n),
  parentId: n === 1 ? null : idOf(n - 1),
  timestamp: TIME,
  ...members,
})
const said = (n: number, role = "user"): object =>
  entry(n, { message: { role, content: `text ${n}`, provider: "p", model: `m${n}` } })
const fileOf = (...records: ReadonlyArray<object>): string => records.map((record) => `${JSON.stringify(record)}\n`).join("")

/** A disk that counts the bytes of each read behind the first reading. */
const counting = (disk: Disk): { readonly disk: Disk; readonly places: Array<number> } => {
  const places: Array<number> = []
  return {
    places,
    disk: {
      ...disk,
      read: (handle, into, position) => {
        places.push(position)
        return disk.read(handle, into, position)
      },
    },
  }
}

describe("the context of a file", () => {
  const records = [
    header,
    entry(1, { type: "model_change", model: "p/first" }),
    said(2),
    said(3, "assistant"),
    said(4),
    entry(5, { type: "compaction", summary: "so far", firstKeptEntryId: idOf(4), tokensBefore: 9 }),
    said(6, "assistant"),
    { type: "entry_patch", entryId: idOf(6), patch: { message: { role: "assistant", content: "patched" } } },
    said(7),
  ]

  it("is that of the loaded session, at the live leaf and at any other", async () => {
    const disk = new SimulatedDisk({ [PATH]: fileOf(...records) })
    const { state } = await Effect.runPromise(loadTree(disk, PATH))
    for (const leaf of [undefined, null, idOf(2), idOf(6)]) {
      const found = await Effect.runPromise(
        readContext(disk, PATH, {}, ({ leaf: live }) => Effect.succeed(leaf === undefined ? live : leaf)),
      )
      assert.deepEqual(found.context, (buildSessionContext(state, leaf) as { readonly success: unknown }).success)
      assert.deepEqual(found.damages, [])
    }
  })

  it("reads no message again that a compaction has replaced", async () => {
    const text = fileOf(...records)
    const { disk, places } = counting(new SimulatedDisk({ [PATH]: text }))
    await Effect.runPromise(readContext(disk, PATH))
    const placeOf = (n: number): number => text.indexOf(`{"type":"message","id":"${idOf(n)}"`)
    assert.notInclude(places, placeOf(2))
    assert.notInclude(places, placeOf(3))
    assert.include(places, placeOf(4))
    assert.include(places, placeOf(7))
  })

  it("fails for a leaf that the session does not have, with the rejection", async () => {
    const disk = new SimulatedDisk({ [PATH]: fileOf(...records) })
    const error = await Effect.runPromise(Effect.flip(readContext(disk, PATH, {}, () => Effect.succeed("nobody"))))
    assert.equal(error._tag, "Rejected")
  })

  it("has the images that the file refers to, and tells of those of the context alone that are not to be had", async () => {
    const ref = (digit: string): string => `blob:sha256:${digit.repeat(64)}`
    const picture = (n: number, digit: string): object =>
      entry(n, { message: { role: "user", content: [{ type: "image", mimeType: "image/png", data: ref(digit) }] } })
    const disk = new SimulatedDisk({
      [PATH]: fileOf(
        header,
        picture(1, "a"),
        entry(2, { type: "compaction", summary: "", tokensBefore: 1 }),
        picture(3, "b"),
        picture(4, "c"),
      ),
    })
    const asked: Array<string> = []
    const lookup = (blob: BlobRef) => {
      asked.push(blob)
      return blob === ref("b")
        ? Effect.succeed(new TextEncoder().encode("picture"))
        : Effect.fail(new BlobError({ reason: { _tag: "Missing", code: "blob.missing", ref: blob, path: "/blobs" } }))
    }
    const { context, blobs } = await Effect.runPromise(readContext(disk, PATH, { lookup }))
    assert.deepEqual(blobs, [{ ref: ref("c"), reason: "missing", entryId: idOf(4) }])
    assert.include(JSON.stringify(context.messages), Buffer.from("picture").toString("base64"))
    assert.include(JSON.stringify(context.messages), ref("c"))
    assert.notInclude(asked, ref("a"))
    const verified = await Effect.runPromise(verifyTree(disk, PATH, { lookup }))
    assert.deepEqual(
      verified.blobs.map(({ entryId }) => entryId),
      [idOf(1), idOf(4)],
    )
  })
})

describe("a file that changes while its records are read", () => {
  const records = [header, said(1), said(2)]

  it("fails when a record is no record any more", async () => {
    const disk = new SimulatedDisk({ [PATH]: fileOf(...records) })
    const found = useTreeFile(disk, PATH, {}, ({ reading: { state } }) =>
      Effect.sync(() => {
        const handle = disk.open(PATH, "append")
        disk.truncate(handle, 120)
        disk.close(handle)
        return recordOf(state, idOf(2))
      }),
    )
    const error = await Effect.runPromise(Effect.flip(found))
    assert.equal(error._tag, "ReadError")
    assert.equal("code" in error ? error.code : undefined, "read.changed")
  })

  it("is as it was read when another file takes its name", async () => {
    const disk = new SimulatedDisk({ [PATH]: fileOf(...records), "/s/other.jsonl": fileOf(header) })
    const found = await Effect.runPromise(
      useTreeFile(disk, PATH, {}, ({ reading: { state } }) =>
        Effect.sync(() => {
          disk.rename("/s/other.jsonl", PATH)
          return recordOf(state, idOf(2))
        }),
      ),
    )
    assert.deepEqual(found, said(2) as typeof found)
  })
})

describe("a verification", () => {
  it("judges what must be compared by the record that stands in the file", async () => {
    const again = said(2)
    const other = { ...said(2), message: { role: "user", content: "other" } }
    const disk = new SimulatedDisk({
      [PATH]: fileOf(
        header,
        said(1),
        again,
        again,
        other,
        { ...said(9), parentId: "nobody" },
        {
          type: "entry_patch",
          entryId: "never",
          patch: { message: {} },
        },
      ),
    })
    const verified = await Effect.runPromise(verifyTree(disk, PATH))
    const loaded = await Effect.runPromise(loadTree(disk, PATH))
    assert.deepEqual(
      verified.damages.map(({ kind }) => kind),
      ["duplicate-record", "duplicate-id", "orphan", "unusable-patch"],
    )
    assert.deepEqual(verified.damages, loaded.damages)
    assert.equal(verified.entries, loaded.state.entries.length)
    assert.equal(verified.records, loaded.records)
  })

  it("fails as loading does for what is no session", async () => {
    const disk = new SimulatedDisk({ [PATH]: '{"type":"session","version":9,"id":"s"}\n', "/s/b": "{}\n" })
    for (const path of [PATH, "/s/b", "/s/none"]) {
      const [one, other] = [
        await Effect.runPromise(Effect.flip(verifyTree(disk, path))),
        await Effect.runPromise(Effect.flip(loadTree(disk, path))),
      ]
      assert.deepEqual(one, other)
    }
  })
})
