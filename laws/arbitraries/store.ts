/** A whole store on a simulated disk: everything but the thread, the kernel's lock and the real files. */
import * as Layer from "effect/Layer"
import { BlobStore } from "../../src/blob/BlobStore.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { DiskFault } from "../../src/disk/Disk.ts"
import { Files } from "../../src/disk/Files.ts"
import { Lease } from "../../src/lease/Lease.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import { toText } from "../../src/model/JsonText.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import type { Redactor } from "../../src/redaction/Redactor.ts"
import { blobDirectory } from "../../src/session/Place.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import { recordAt, type TreeState } from "../../src/tree/State.ts"
import { labels } from "../../src/tree/Tree.ts"
import { Writer } from "../../src/writer/Writer.ts"
import { stamps } from "./stamps.ts"

export const FOLDER = "/store"
export const HOME = "/home/law"

export interface StoreOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly durability?: "written" | "synced"
  readonly heldFileBytes?: number
}

/** Where the store keeps its blobs, unless its environment says otherwise. */
export const BLOBS = blobDirectory(HOME, {})

export const storeOn = (disk: Disk, options: StoreOptions = {}): Layer.Layer<TreeStore | Redaction | BlobStore> => {
  const environment = options.environment ?? {}
  return TreeStore.layer({ home: HOME, environment, stamp: stamps(), heldFileBytes: options.heldFileBytes }).pipe(
    Layer.provide(Layer.mergeAll(Writer.layerInline(disk, { durability: options.durability }), Lease.layerMemory)),
    Layer.provideMerge(BlobStore.layerFile(blobDirectory(HOME, environment))),
    Layer.provide(Files.layerOf(disk)),
    Layer.provideMerge(Redaction.layer({ environment })),
  )
}

/** A disk that refuses whatever would change a byte, a name or a time. */
export const readOnly = (disk: Disk): Disk => {
  const refuse = (operation: keyof Disk) => (): never => {
    throw new DiskFault(operation, "", "EROFS")
  }
  return {
    ...readingOf(disk),
    open: (path, mode) => (mode === "read" ? disk.open(path, mode) : refuse("open")()),
    write: refuse("write"),
    truncate: refuse("truncate"),
    sync: refuse("sync"),
    makeDirectory: refuse("makeDirectory"),
    link: refuse("link"),
    rename: refuse("rename"),
    unlink: refuse("unlink"),
    removeDirectory: refuse("removeDirectory"),
    setMode: refuse("setMode"),
    setModified: refuse("setModified"),
    syncDirectory: refuse("syncDirectory"),
  }
}

const readingOf = (disk: Disk): Pick<Disk, "close" | "read" | "stat" | "lstat" | "list"> => ({
  close: (handle) => disk.close(handle),
  read: (handle, into, position) => disk.read(handle, into, position),
  stat: (handle) => disk.stat(handle),
  lstat: (path) => disk.lstat(path),
  list: (path) => disk.list(path),
})

/** What the redactor makes of one record. */
export const seenThrough = (redactor: Redactor, record: JsonObject): JsonObject => {
  const clean = redactor.cleanRecord(record)
  if (clean._tag === "Failure") throw clean.failure
  return JSON.parse(clean.success.line.text) as JsonObject
}

/** A state as somebody sees it who may only see what is written: equal for the live session and for the replay of its file. */
export const written = (redactor: Redactor, state: TreeState): string =>
  toText({
    header: seenThrough(redactor, state.header ?? {}),
    leaf: state.leaf,
    entries: Array.from({ length: state.entries.length }, (_, position) =>
      seenThrough(redactor, recordAt(state, position) ?? {}),
    ),
    labels: Object.fromEntries([...labels(state)].map(([id, label]) => [id, redactor.redactText(label).text])),
  })
