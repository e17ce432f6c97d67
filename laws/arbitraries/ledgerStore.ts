/** A store of ledger sessions on a simulated disk: everything but the thread, the kernel's lock and the real files. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Disk } from "../../src/disk/Disk.ts"
import { Files } from "../../src/disk/Files.ts"
import type { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { Lease } from "../../src/lease/Lease.ts"
import type { LedgerCommand } from "../../src/ledger/Command.ts"
import type { Stamp } from "../../src/model/Stamp.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import { LedgerFiles } from "../../src/session/LedgerFiles.ts"
import { LedgerStore, ledgerDirectory } from "../../src/session/LedgerStore.ts"
import { Writer } from "../../src/writer/Writer.ts"

export const ROOT = "/w"
export const SESSIONS = ledgerDirectory(ROOT)

/** Stamps a second apart: no two commands of a process get the same time or entropy. */
const stamps = (from: number): Effect.Effect<Stamp> => {
  let n = from
  return Effect.sync(() => ({ at: 1_800_000_000_000 + 1_000 * n, entropy: (++n).toString(16).padStart(32, "0") }))
}

export interface LedgerDiskOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly root?: string
  readonly stamp?: Effect.Effect<Stamp>
  /** Where the clock of the process begins, in seconds. */
  readonly from?: number
}

export type Ledgers = LedgerStore | LedgerFiles | Redaction

const ledgersOn = (disk: Disk, options: LedgerDiskOptions): Layer.Layer<Ledgers> =>
  LedgerStore.layer({ root: options.root ?? ROOT }).pipe(
    Layer.provideMerge(LedgerFiles.layer({ stamp: options.stamp ?? stamps(options.from ?? 0) })),
    Layer.provide(Layer.mergeAll(Writer.layerInline(disk), Lease.layerMemory, Files.layerOf(disk))),
    Layer.provideMerge(Redaction.layer({ environment: options.environment ?? {} })),
  )

/** What a process does with the store of a disk, from its start to its end. */
export const process = <A, E>(
  disk: Disk,
  body: Effect.Effect<A, E, Ledgers | Scope.Scope>,
  options: LedgerDiskOptions = {},
): Promise<A> => Effect.runPromise(Effect.scoped(body).pipe(Effect.provide(ledgersOn(disk, options))))

/** What a new session of these laws is about. */
export const ABOUT = { model: "m1", limits: { maxSteps: 50, tokenBudget: 1_000, contextWindow: 200 } }

export const say = (text: string): LedgerCommand => ({ do: "user", text })

/** The lines of a session. */
export const sessionLines = (id: string, ...more: ReadonlyArray<object>): string =>
  [{ t: "2026-01-01T00:00:00.000Z", type: "start", sessionId: id, root: ROOT, model: "m1", redactionMarks: true }, ...more]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("")

/** Everything that can be told of a disk without reading a session: names, bytes, modes, times. */
export const snapshotOf = (disk: SimulatedDisk): string =>
  JSON.stringify(
    disk.paths().map((path) => [path, disk.lstat(path), Buffer.from(disk.bytes(path) ?? []).toString("latin1")]),
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  )
