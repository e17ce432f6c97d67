/**
 * Tree sessions in files: loading, opening for writing, creating, migrating.
 *
 * What it guarantees: loading and opening change no byte of a session. Opening for writing takes the lease first. The file changes with
 * the first command: its line boundary is proven then, a torn tail is put aside, and a due migration is carried out, with a backup and
 * with the caller's consent only. A file whose header cannot be read is never written to, and a new session never replaces a file.
 *
 * How it fails: see {@link OpenError}; each reason has a stable code.
 */
import { resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { BlobStore } from "../blob/BlobStore.ts"
import { Files } from "../disk/Files.ts"
import type { ReadError } from "../journal/Reader.ts"
import { Lease } from "../lease/Lease.ts"
import { Redaction } from "../redaction/Redaction.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { WriteError } from "../writer/WriteError.ts"
import { Writer } from "../writer/Writer.ts"
import type { Rejected } from "./DispatchError.ts"
import type { LoadedTree, LoadOptions } from "./Load.ts"
import type { FormatError } from "./OpenError.ts"
import { closable } from "./Room.ts"
import {
  branchOutTree,
  type CreateOptions,
  createTree,
  type Forked,
  type ForkOptions,
  forkTree,
  type NewOptions,
  newTree,
} from "./TreeCreation.ts"
import { type Migrated, migrateTree, type OpenError, type OpenOptions, openTree } from "./TreeOpening.ts"
import { loadIn, type OpenTree, type TreeRoom, type TreeStoreOptions } from "./TreeRoom.ts"

export type { CreateOptions, Forked, ForkOptions, NewOptions } from "./TreeCreation.ts"
export type { Migrated, OpenError, OpenOptions } from "./TreeOpening.ts"
export type { Migration, OpenTree, TreeSession, TreeStoreOptions } from "./TreeRoom.ts"

export class TreeStore extends Context.Service<
  TreeStore,
  {
    readonly load: (path: string, options?: LoadOptions) => Effect.Effect<LoadedTree, ReadError | FormatError>
    readonly open: (path: string, options?: OpenOptions) => Effect.Effect<OpenTree, OpenError, Scope.Scope>
    readonly create: (options: CreateOptions) => Effect.Effect<OpenTree, OpenError, Scope.Scope>
    /**
     * Goes on in a new session, with the one before as its parent, and closes that one. When the new one cannot be begun, the one before
     * stays open. When the last records of the one before cannot be made durable, this fails, and they are in its `unsaved`.
     */
    readonly newSession: (before: OpenTree, options?: NewOptions) => Effect.Effect<OpenTree, OpenError | WriteError, Scope.Scope>
    /** A new session with everything that another one holds, all its branches. The source is only read, of whatever version it is. */
    readonly fork: (source: string, options?: ForkOptions) => Effect.Effect<Forked, OpenError>
    /** A new session with one path of another one, labels included. Fails for a leaf that does not exist. */
    readonly branchOut: (
      source: string,
      leaf: string,
      options?: ForkOptions,
    ) => Effect.Effect<Forked, OpenError | Rejected<TreeRejection>>
    /** What `open` with consent would rewrite, carried out at once. */
    readonly migrate: (path: string) => Effect.Effect<Migrated, OpenError>
  }
>()("annals/session/TreeStore") {
  static readonly layer = (
    options: TreeStoreOptions,
  ): Layer.Layer<TreeStore, never, Files | Writer | Lease | Redaction | BlobStore> =>
    Layer.effect(
      TreeStore,
      Effect.gen(function* () {
        const room: TreeRoom = {
          ...options,
          disk: yield* Files,
          writer: yield* Writer,
          lease: yield* Lease,
          redactor: yield* Redaction,
          blobs: yield* BlobStore,
        }
        return TreeStore.of({
          load: (path, loading) => loadIn(room, resolve(path), loading),
          open: (path, opening) => closable(openTree(room, resolve(path), opening ?? {})),
          create: (creating) => closable(createTree(room, creating)),
          newSession: (before, creating) => closable(newTree(room, before, creating ?? {})),
          fork: (source, forking) => Effect.scoped(forkTree(room, resolve(source), forking ?? {})),
          branchOut: (source, leaf, forking) => Effect.scoped(branchOutTree(room, resolve(source), leaf, forking ?? {})),
          migrate: (path) => Effect.scoped(migrateTree(room, resolve(path))),
        })
      }),
    )
}
