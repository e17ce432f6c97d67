/** Sessions in files as the command line opens them: real files, one writer thread, leases among processes, no secret let through. */
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BlobStore } from "../blob/BlobStore.ts"
import { Files } from "../disk/Files.ts"
import type { Level } from "../journal/Journal.ts"
import { Lease } from "../lease/Lease.ts"
import { Redaction } from "../redaction/Redaction.ts"
import { LedgerFiles } from "../session/LedgerFiles.ts"
import { ledgerDirectory } from "../session/LedgerStore.ts"
import { allowsUnsafePlaces, blobDirectory } from "../session/Place.ts"
import { systemStamp } from "../session/SystemStamp.ts"
import { TreeStore } from "../session/TreeStore.ts"
import { Writer } from "../writer/Writer.ts"
import { Host } from "./Host.ts"

/** No secret of the host's environment passes. */
export const redaction: Layer.Layer<Redaction, never, Host> = Layer.unwrap(
  Effect.map(Host, ({ environment }) => Redaction.layer({ environment })),
)

/** Leases among all processes. */
export const leases: Layer.Layer<Lease, never, Host> = Layer.unwrap(
  Effect.gen(function* () {
    const { redactText } = yield* Redaction
    const { environment } = yield* Host
    return Lease.layerFile({ clean: (text) => redactText(text).text, unsafePlaces: allowsUnsafePlaces(environment) })
  }),
).pipe(Layer.provide(redaction))

/** Blobs in the folder of our own store. */
const blobs: Layer.Layer<BlobStore, never, Host> = Layer.unwrap(
  Effect.map(Host, ({ environment, home }) => BlobStore.layerFile(blobDirectory(home, environment))),
).pipe(Layer.provide(Files.layer))

/** Tree sessions. `durability`: how far every batch goes by itself; see the writer's options. */
export const sessions = (durability: Level): Layer.Layer<TreeStore, never, Host> =>
  Layer.unwrap(Effect.map(Host, ({ environment, home }) => TreeStore.layer({ home, environment, stamp: systemStamp }))).pipe(
    Layer.provide([leases, redaction, blobs, Files.layer, Writer.layer({ durability })]),
  )

const ledgersOver = (writer: Layer.Layer<Writer, never, Files>): Layer.Layer<LedgerFiles, never, Host | Files> =>
  LedgerFiles.layer({ stamp: systemStamp }).pipe(Layer.provide([leases, redaction, writer]))

/** Ledger sessions. */
export const ledgers = (durability: Level): Layer.Layer<LedgerFiles, never, Host | Files> =>
  ledgersOver(Writer.layer({ durability }))

/** Ledger sessions for what hands no record to the writer: listing, copying, removing. No thread is started for it. */
export const ledgersAtRest: Layer.Layer<LedgerFiles, never, Host | Files> = ledgersOver(
  Layer.unwrap(Effect.map(Files, (disk) => Writer.layerInline(disk))),
)

/** Whether a ledger's file lies where a project keeps its sessions: there nobody but the owner may read it. */
export const isStored = (file: string): boolean => {
  const directory = dirname(resolve(file))
  return directory === ledgerDirectory(resolve(directory, "../.."))
}
