/** What the functions of every store work with, and what all ways to an open session share, whatever its model. */
import { dirname, join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { createFile } from "../disk/Atomic.ts"
import { ensureDirectory } from "../disk/Directory.ts"
import type { Disk } from "../disk/Disk.ts"
import { demandGuard } from "../disk/Guard.ts"
import type { Identity } from "../journal/Reader.ts"
import type { Lease } from "../lease/Lease.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { JsonObject } from "../model/Json.ts"
import type { Stamp } from "../model/Stamp.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import type { WriteError } from "../writer/WriteError.ts"
import type { Writer } from "../writer/Writer.ts"
import { onDisk, sweep, temporaryNameOf } from "./OnDisk.ts"
import { PrepareError } from "./OpenError.ts"

export interface Room {
  /** A clock reading and fresh randomness. */
  readonly stamp: Effect.Effect<Stamp>
  readonly disk: Disk
  readonly writer: Context.Service.Shape<typeof Writer>
  readonly lease: Context.Service.Shape<typeof Lease>
  readonly redactor: Redactor
}

interface Closable {
  readonly session: { readonly close: Effect.Effect<void, WriteError> }
}

/** The lease goes with the session: closing the session gives it back, without waiting for the caller's scope. */
export const closable = <A extends Closable, E>(work: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const release = Scope.close(scope, Exit.void)
    const open = yield* work.pipe(
      Scope.provide(scope),
      Effect.onError(() => release),
    )
    return { ...open, session: { ...open.session, close: Effect.ensuring(open.session.close, release) } }
  })

/** A preparation that has left the file uncertain is not tried again: the same error is told each time. */
export const onceUncertain = <A, R>(prepare: Effect.Effect<A, PrepareError, R>): Effect.Effect<A, PrepareError, R> => {
  let told: PrepareError | undefined
  return Effect.suspend(() =>
    told !== undefined
      ? Effect.fail(told)
      : Effect.tapError(prepare, (error) =>
          Effect.sync(() => {
            if (error.reason._tag === "Uncertain") told = error
          }),
        ),
  )
}

/** The writer's end of a file that is ready for the first append. Before each batch it looks whether the lease is still held. */
export const journalOf = (room: Room, path: string, file: { device: bigint; inode: bigint }, length: number) =>
  room.writer.open({ path, identity: { device: file.device, inode: file.inode }, length, guard: room.lease.held(path)?.guard })

/** A preparation that changes nothing when the lease was lost since it was taken. */
export const whileHeld = <A, R>(
  room: Room,
  path: string,
  prepare: Effect.Effect<A, PrepareError, R>,
): Effect.Effect<A, PrepareError, R> =>
  Effect.andThen(
    onDisk(path, () => demandGuard(room.disk, room.lease.held(path)?.guard)),
    prepare,
  )

/** The lines of records that the session itself makes; they are JSON, so anything else is a bug. */
export const cleanLines = (room: Room, records: ReadonlyArray<JsonObject>): Effect.Effect<ReadonlyArray<CleanLine>> =>
  Effect.orDie(
    Effect.forEach(records, (record) => Effect.map(Effect.fromResult(room.redactor.cleanRecord(record)), ({ line }) => line)),
  )

/** Makes a file with its first lines, whole or not at all. The caller holds the lease of its name. */
export const publish = (room: Room, path: string, bytes: Uint8Array) => {
  const temporaryName = temporaryNameOf(path)
  return onDisk(path, () => {
    sweep(room.disk, join(dirname(path), temporaryName))
    return createFile(room.disk, path, (put) => put(bytes), { temporaryName })
  })
}

/** Takes a name that nothing has, and its lease. */
export const claim = Effect.fnUntraced(function* (
  room: Room,
  path: string,
): Effect.fn.Return<void, PrepareError | LeaseError, Scope.Scope> {
  const isFree = onDisk(path, () => room.disk.lstat(path) === undefined)
  const exists = new PrepareError({ reason: { _tag: "Exists", code: "open.exists", path } })
  if (!(yield* isFree)) return yield* exists
  yield* onDisk(path, () => ensureDirectory(room.disk, dirname(path)))
  const held = yield* room.lease.acquire(path)
  // Whoever had the lease until now may have made the file.
  if (yield* isFree) return
  yield* held.release
  return yield* exists
})

/** Whether the file under a name is still the one that was read. */
export const isUnchanged = (room: Room, path: string, read: Identity): Effect.Effect<boolean, PrepareError> =>
  Effect.map(
    onDisk(path, () => room.disk.lstat(path)),
    (now) => now?.inode === read.inode && now.size === read.size && now.modified === read.modified,
  )
