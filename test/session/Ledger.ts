/** Ledger sessions on a simulated disk: everything but the thread, the kernel's lock and the real files. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Disk } from "../../src/disk/Disk.ts"
import { Files } from "../../src/disk/Files.ts"
import { Lease } from "../../src/lease/Lease.ts"
import type { Stamp } from "../../src/model/Stamp.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import { LedgerFiles } from "../../src/session/LedgerFiles.ts"
import { LedgerStore, ledgerDirectory } from "../../src/session/LedgerStore.ts"
import { Writer } from "../../src/writer/Writer.ts"

export const ROOT = "/home/dev/project"
export const SESSIONS = ledgerDirectory(ROOT)

/** 20 November 2023, 08:00:00 UTC, one second later with each stamp. */
export const stamps = (): Effect.Effect<Stamp> => {
  let n = 0
  return Effect.sync(() => ({ at: 1_700_467_200_000 + 1_000 * n, entropy: (++n).toString(16).padStart(32, "0") }))
}

export interface LedgerOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly stamp?: Effect.Effect<Stamp>
  readonly lease?: Layer.Layer<Lease>
}

export const ledgersOn = (disk: Disk, options: LedgerOptions = {}) =>
  LedgerStore.layer({ root: ROOT }).pipe(
    Layer.provideMerge(LedgerFiles.layer({ stamp: options.stamp ?? stamps() })),
    Layer.provide(Layer.mergeAll(Writer.layerInline(disk), options.lease ?? Lease.layerMemory, Files.layerOf(disk))),
    Layer.provideMerge(Redaction.layer({ environment: options.environment ?? {} })),
  )
