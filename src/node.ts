/**
 * Everything a host on Node needs, in one layer: tree and ledger sessions in files, one writer thread, locks, redaction by the process's
 * environment. The ledger sessions of a project are `LedgerStore.layer({ root })` on top of it.
 *
 *     const runtime = ManagedRuntime.make(Node.layer())
 *     await runtime.runPromise(Effect.scoped(Effect.flatMap(TreeStore, (store) => store.open(path))))
 *
 * This file is the only one of the library that looks at the process it runs in, and only where the caller leaves it the choice.
 */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { env } from "node:process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BlobStore } from "./blob/BlobStore.ts"
import { Files } from "./disk/Files.ts"
import type { NativePort } from "./disk/NativePort.ts"
import { nodeDisk } from "./disk/NodeDisk.ts"
import { Lease } from "./lease/Lease.ts"
import { nativeLocks } from "./lease/NativeLocks.ts"
import { Redaction } from "./redaction/Redaction.ts"
import { lookupInFolders } from "./session/BlobReferences.ts"
import { readContext } from "./session/ContextReading.ts"
import { LedgerFiles } from "./session/LedgerFiles.ts"
import type { LoadOptions } from "./session/Load.ts"
import { allowsUnsafePlaces, blobDirectory, foreignBlobs } from "./session/Place.ts"
import { systemStamp } from "./session/SystemStamp.ts"
import { TreeStore } from "./session/TreeStore.ts"
import type { ThreadPortOptions } from "./writer/ThreadPort.ts"
import { Writer, type WriterOptions } from "./writer/Writer.ts"

export interface NodeOptions {
  /** Names and values that may be secrets, and where agents keep their sessions. Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /** Further values that must never be written. */
  readonly secrets?: ReadonlyArray<string> | undefined
  /** Default: the home directory of the user. */
  readonly home?: string | undefined
  readonly writer?: (WriterOptions & ThreadPortOptions) | undefined
  /**
   * Bytes of the largest file whose records an open session holds in memory. Default: 4 MiB. Those of a larger one are read when they are
   * asked for; see `OpenTree.session`.
   */
  readonly heldFileBytes?: number | undefined
  /** Locks sessions by the kernel's own calls, from `loadNative()` of `annals/native`. Default: by SQLite, which needs nothing. */
  readonly native?: NativePort | undefined
  /**
   * Writes also where other users could put something else in a session's place, or where the file has a second name. Default: only if
   * `ANNALS_UNSAFE_PLACES` in the environment is `allow`.
   */
  readonly unsafePlaces?: boolean | undefined
}

export const layer = (
  options: NodeOptions = {},
): Layer.Layer<TreeStore | LedgerFiles | Writer | Lease | Redaction | BlobStore | Files> => {
  const environment = options.environment ?? env
  const redaction = Redaction.layer({ environment, secrets: options.secrets ?? [] })
  const locks = options.native && nativeLocks(options.native)
  const unsafePlaces = options.unsafePlaces ?? allowsUnsafePlaces(environment)
  const lease = Layer.unwrap(
    Effect.map(Redaction, (redactor) =>
      Lease.layerFile({ clean: (text) => redactor.redactText(text).text, locks, unsafePlaces }),
    ),
  )
  const home = options.home ?? homedir()
  const { heldFileBytes } = options
  return Layer.merge(
    TreeStore.layer({ home, environment, stamp: systemStamp, heldFileBytes }),
    LedgerFiles.layer({ stamp: systemStamp }),
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Writer.layer(options.writer), lease, BlobStore.layerFile(blobDirectory(home, environment))),
    ),
    Layer.provideMerge(Files.layer),
    Layer.provideMerge(redaction),
  )
}

/**
 * What the model would see at a leaf of a session's file, by default the live one, without the session in memory. The file is passed once,
 * and only those of its records are read that have a part in the context. Starts no thread, takes no lock, changes no byte.
 */
export const contextOfFile = (
  path: string,
  leaf?: string | null,
  options: Pick<NodeOptions, "environment" | "home"> & Pick<LoadOptions, "onProgress"> = {},
) => {
  const environment = options.environment ?? env
  const file = resolve(path)
  const folders = [blobDirectory(options.home ?? homedir(), environment), ...foreignBlobs(file, environment)] as const
  const lookup = lookupInFolders(nodeDisk, folders)
  return readContext(nodeDisk, file, { lookup, onProgress: options.onProgress }, (state) =>
    Effect.succeed(leaf === undefined ? state.leaf : leaf),
  )
}
