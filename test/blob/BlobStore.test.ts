import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { BlobError } from "../../src/blob/BlobError.ts"
import { BlobFolder, refOf } from "../../src/blob/BlobFolder.ts"
import { type BlobRef, digestOf } from "../../src/blob/BlobRef.ts"
import { BlobStore } from "../../src/blob/BlobStore.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { Files } from "../../src/disk/Files.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { bind } from "../journal/disks.ts"

const FOLDER = "/home/me/.annals/blobs"
const bytes = new TextEncoder().encode("some bytes")
const path = `${FOLDER}/${digestOf(refOf(bytes))}`

const on = (disk: SimulatedDisk) => BlobStore.layerFile(FOLDER).pipe(Layer.provide(Files.layerOf(disk)))

const put = Effect.flatMap(BlobStore, (store) => store.put(bytes))
const get = Effect.flatMap(BlobStore, (store) => store.get(refOf(bytes)))
const code = (error: BlobError): string => error.reason.code

describe("a store of blobs in a folder", () => {
  it.effect("gives back what it was given, under the digest, once", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      const ref = yield* put
      assert.equal(ref, "blob:sha256:0d22cdcc10e6d049dbe1af5123d50873fdfc1a4f58306e58cb6241be9472014d")
      assert.deepEqual(yield* get, bytes)
      const inode = disk.lstat(path)?.inode
      assert.equal(yield* put, ref)
      assert.equal(disk.lstat(path)?.inode, inode)
      assert.deepEqual(
        disk.paths().filter((name) => name.startsWith(`${FOLDER}/`)),
        [path],
      )
    }).pipe(Effect.provide(on(disk)))
  })

  it.effect("writes nothing before the first blob", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      assert.equal(code(yield* Effect.flip(get)), "blob.missing")
      assert.deepEqual(disk.paths(), [])
    }).pipe(Effect.provide(on(disk)))
  })

  it.effect("never overwrites a file with other bytes, and says what it is", () => {
    const disk = new SimulatedDisk({ [path]: "same size." })
    return Effect.gen(function* () {
      assert.equal(code(yield* Effect.flip(put)), "blob.corrupt")
      assert.equal(code(yield* Effect.flip(get)), "blob.corrupt")
      assert.equal(disk.text(path), "same size.")
      assert.deepEqual(
        disk.paths().filter((name) => name.startsWith(`${FOLDER}/`)),
        [path],
      )
    }).pipe(Effect.provide(on(disk)))
  })

  for (const content of ["", "some byte", "some bytes and more"]) {
    it.effect(`takes a file of ${content.length} other bytes for no blob`, () => {
      const disk = new SimulatedDisk({ [path]: content })
      return Effect.gen(function* () {
        assert.equal(code(yield* Effect.flip(get)), "blob.corrupt")
      }).pipe(Effect.provide(on(disk)))
    })
  }

  it.effect("survives a power cut as soon as it has returned", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      yield* Effect.provide(put, on(disk))
      const left = disk.crash((options) => options - 1)
      assert.deepEqual(yield* Effect.provide(get, on(left)), bytes)
    })
  })

  for (const operation of ["makeDirectory", "open", "write", "sync", "link", "syncDirectory"] as const) {
    it.effect(`acknowledges nothing when the disk refuses ${operation}, and leaves nothing half done`, () => {
      const disk = new SimulatedDisk()
      disk.fail((call) => call.operation === operation, "ENOSPC", {})
      return Effect.gen(function* () {
        const error = yield* Effect.flip(put)
        assert.equal(code(error), "blob.unwritten")
        assert.include(error.message, "ENOSPC")
        assert.deepEqual(
          disk.paths().filter((name) => name.endsWith(".tmp")),
          [],
        )
      }).pipe(Effect.provide(on(disk)))
    })
  }

  it.effect("does not trust a directory again whose sync has failed", () => {
    const disk = new SimulatedDisk({ [`${FOLDER}/keep`]: "" })
    let syncs = 0
    disk.fail((call) => call.operation === "syncDirectory" && call.path === FOLDER && ++syncs === 1, "EIO", {})
    return Effect.gen(function* () {
      assert.equal(code(yield* Effect.flip(put)), "blob.unwritten")
      assert.equal(code(yield* Effect.flip(put)), "blob.unwritten")
    }).pipe(Effect.provide(on(disk)))
  })

  it.effect("tells an unreadable blob from a missing one", () => {
    const disk = new SimulatedDisk({ [path]: bytes })
    disk.fail((call) => call.operation === "read", "EIO", { sticky: true })
    return Effect.gen(function* () {
      assert.equal(code(yield* Effect.flip(get)), "blob.unreadable")
    }).pipe(Effect.provide(on(disk)))
  })

  it.effect("looks at nothing for a reference that a cast has let in", () => {
    const disk = new SimulatedDisk({ "/home/me/.annals/secret": "x" })
    return Effect.gen(function* () {
      const store = yield* BlobStore
      assert.equal(code(yield* Effect.flip(store.get("blob:sha256:../secret" as BlobRef))), "blob.missing")
    }).pipe(Effect.provide(on(disk)))
  })

  it.effect("keeps files and folders to their owner on a real disk, and follows no link", () => {
    const home = mkdtempSync(join(tmpdir(), "annals-blobs-"))
    const folder = join(home, "store", "blobs")
    return Effect.gen(function* () {
      const store = yield* BlobStore
      const ref = yield* store.put(bytes)
      assert.deepEqual(yield* store.get(ref), bytes)
      assert.deepEqual(readdirSync(folder), [digestOf(ref)])
      assert.equal(statSync(folder).mode & 0o777, 0o700)
      assert.equal(statSync(join(folder, digestOf(ref))).mode & 0o777, 0o600)
      rmSync(join(folder, digestOf(ref)))
      symlinkSync(join(home, "elsewhere"), join(folder, digestOf(ref)))
      writeFileSync(join(home, "elsewhere"), bytes)
      assert.equal(code(yield* Effect.flip(store.put(bytes))), "blob.unreadable")
    }).pipe(
      Effect.provide(BlobStore.layerFile(folder).pipe(Layer.provide(Files.layer))),
      Effect.ensuring(Effect.sync(() => rmSync(home, { recursive: true }))),
    )
  })
})

describe("a temporary that a dead process has left", () => {
  const other = refOf(new TextEncoder().encode("other bytes"))
  const temporary = (ref: BlobRef, n = 1): string => `${FOLDER}/.${digestOf(ref)}.${n.toString(16).padStart(16, "0")}.tmp`
  const names = (disk: SimulatedDisk) => disk.paths().filter((name) => name.startsWith(`${FOLDER}/`))

  it.effect("is removed with the first blob of a process, when its own blob is there", () => {
    const there = `${FOLDER}/${digestOf(other)}`
    const disk = new SimulatedDisk({ [temporary(other)]: "other", [temporary(other, 2)]: "", [there]: "other bytes" })
    return Effect.gen(function* () {
      yield* put
      assert.deepEqual(names(disk), [path, there].sort())
    }).pipe(Effect.provide(on(disk)))
  })

  it.effect("is removed once the same bytes are put, and stays until then: its writer may be at work", () => {
    const disk = new SimulatedDisk({ [temporary(other)]: "other", [temporary(refOf(bytes))]: "some" })
    return Effect.gen(function* () {
      const store = yield* BlobStore
      yield* put
      assert.deepEqual(names(disk), [temporary(other), path].sort())
      yield* store.put(new TextEncoder().encode("other bytes"))
      assert.deepEqual(names(disk), [`${FOLDER}/${digestOf(other)}`, path].sort())
    }).pipe(Effect.provide(on(disk)))
  })

  it.effect("is told from other files by its whole name", () => {
    const strange = [
      `${temporary(refOf(bytes))}x`,
      temporary(refOf(bytes)).replace("/blobs/.", "/blobs/"),
      `${FOLDER}/.${digestOf(refOf(bytes))}.tmp`,
      `${FOLDER}/.notes.0000000000000001.tmp`,
    ].sort()
    const disk = new SimulatedDisk(Object.fromEntries(strange.map((name) => [name, ""])))
    return Effect.gen(function* () {
      yield* put
      assert.deepEqual(names(disk), [...strange, path].sort())
    }).pipe(Effect.provide(on(disk)))
  })

  for (const operation of ["list", "unlink"] as const) {
    it.effect(`stays without harm when the disk refuses ${operation}`, () => {
      const disk = new SimulatedDisk({ [temporary(refOf(bytes))]: "some", [path]: bytes })
      disk.fail((call) => call.operation === operation, "EACCES", { sticky: true })
      return Effect.gen(function* () {
        assert.equal(yield* put, refOf(bytes))
        assert.deepEqual(names(disk), [temporary(refOf(bytes)), path].sort())
      }).pipe(Effect.provide(on(disk)))
    })
  }

  it.effect("may be of a process that lives: then it keeps its blob all the same, whenever the other one sweeps", () =>
    Effect.sync(() => {
      let moments = 0
      let isDone = false
      while (!isDone) {
        const disk = new SimulatedDisk({ [`${FOLDER}/keep`]: "" })
        let call = 0
        const event = (): void => {
          if (call++ === moments) Result.getOrThrow(new BlobFolder(disk, FOLDER).put(bytes))
        }
        const slow = new BlobFolder(before(disk, event), FOLDER)
        assert.deepEqual(slow.put(bytes), Result.succeed(refOf(bytes)), `before call ${moments}`)
        assert.deepEqual(slow.put(new Uint8Array()), Result.succeed(refOf(new Uint8Array())), "the folder is not given up")
        assert.deepEqual(disk.bytes(path), bytes)
        assert.deepEqual(
          names(disk).filter((name) => name.endsWith(".tmp")),
          [],
        )
        isDone = call <= moments
        moments++
      }
      assert.isAbove(moments, 10)
    }),
  )
})

/** The same disk, with something that happens before each call. */
const before = (disk: Disk, event: () => void): Disk => {
  const watched = <A extends ReadonlyArray<unknown>, B>(operation: (...given: A) => B) => {
    return (...given: A): B => {
      event()
      return operation(...given)
    }
  }
  const bound = bind(disk)
  return {
    ...bound,
    open: watched(bound.open),
    write: watched(bound.write),
    sync: watched(bound.sync),
    stat: watched(bound.stat),
    lstat: watched(bound.lstat),
    link: watched(bound.link),
    unlink: watched(bound.unlink),
    syncDirectory: watched(bound.syncDirectory),
  }
}

describe("a store of blobs in memory", () => {
  it.effect("gives back what it was given, and not the array", () =>
    Effect.gen(function* () {
      const store = yield* BlobStore
      const mine = bytes.slice()
      const ref = yield* store.put(mine)
      mine.fill(0)
      assert.deepEqual(yield* store.get(ref), bytes)
      assert.equal(code(yield* Effect.flip(store.get(refOf(mine)))), "blob.missing")
    }).pipe(Effect.provide(BlobStore.layerMemory)),
  )
})
