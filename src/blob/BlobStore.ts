/**
 * Blobs: bytes that are kept once, under their own digest.
 *
 * What it guarantees: `get(put(bytes)) = bytes`; a blob that `put` has returned a reference to survives a power cut; a reference leads
 * into the folder and nowhere else (law BLB-1); a file that is there is never overwritten. Nothing is written before the first `put`.
 *
 * Bytes are kept as they are: whoever puts them answers for what is in them. A session asks the redactor first.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Files } from "../disk/Files.ts"
import { BlobError } from "./BlobError.ts"
import { BlobFolder, refOf } from "./BlobFolder.ts"
import type { BlobRef } from "./BlobRef.ts"

export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Keeps bytes. Fails with `Corrupt` when something else lies under their digest, with `Unwritten` or `Unreadable` for the disk. */
    readonly put: (bytes: Uint8Array) => Effect.Effect<BlobRef, BlobError>
    /** The bytes, their digest proven. Fails with `Missing`, `Corrupt` or `Unreadable`. */
    readonly get: (ref: BlobRef) => Effect.Effect<Uint8Array, BlobError>
  }
>()("annals/blob/BlobStore") {
  /** Blobs as files of a folder. It comes into being, mode 0700, with the first blob. */
  static readonly layerFile = (directory: string): Layer.Layer<BlobStore, never, Files> =>
    Layer.effect(
      BlobStore,
      Effect.map(Files, (disk) => {
        const folder = new BlobFolder(disk, directory)
        return BlobStore.of({
          put: (bytes) => Effect.suspend(() => Effect.fromResult(folder.put(bytes))),
          get: (ref) => Effect.suspend(() => Effect.fromResult(folder.get(ref))),
        })
      }),
    )

  /** Blobs that end with the process. */
  static readonly layerMemory: Layer.Layer<BlobStore> = Layer.sync(BlobStore, () => {
    const blobs = new Map<string, Uint8Array>()
    const missing = (ref: string) => new BlobError({ reason: { _tag: "Missing", code: "blob.missing", ref, path: "memory" } })
    return BlobStore.of({
      put: (bytes) =>
        Effect.sync(() => {
          const ref = refOf(bytes)
          blobs.set(ref, bytes.slice())
          return ref
        }),
      get: (ref) =>
        Effect.suspend(() => {
          const bytes = blobs.get(ref)
          return bytes === undefined ? Effect.fail(missing(ref)) : Effect.succeed(bytes.slice())
        }),
    })
  })
}
