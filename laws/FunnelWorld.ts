/**
 * A store of both kinds of sessions on a simulated disk, and everything that a host can do with it: what law SEC-5 plays with.
 *
 * Work is done by processes, one after the other. One ends by closing what it has open, by being killed, or by a power cut; the next one
 * goes on with the disk that is left.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { BlobStore } from "../src/blob/BlobStore.ts"
import { Files } from "../src/disk/Files.ts"
import type { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { Lease } from "../src/lease/Lease.ts"
import { toArray } from "../src/model/Sequence.ts"
import type { Stamp } from "../src/model/Stamp.ts"
import { Redaction } from "../src/redaction/Redaction.ts"
import { LedgerFiles } from "../src/session/LedgerFiles.ts"
import type { OpenLedger } from "../src/session/LedgerRoom.ts"
import { LedgerStore } from "../src/session/LedgerStore.ts"
import { PrepareError } from "../src/session/OpenError.ts"
import type { OpenTree } from "../src/session/TreeRoom.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import type { TreeState } from "../src/tree/State.ts"
import { WriteError } from "../src/writer/WriteError.ts"
import { Writer } from "../src/writer/Writer.ts"
import { ROOT } from "./arbitraries/ledgerStore.ts"
import { BLOBS, HOME } from "./arbitraries/store.ts"

export type Services = TreeStore | LedgerStore | LedgerFiles | Redaction | BlobStore | Scope.Scope

/** What a process has in its hands. */
export interface Hands {
  readonly disk: SimulatedDisk
  tree: OpenTree | undefined
  ledger: OpenLedger | undefined
}

/** The files of the sessions that there are, in the order in which they came. */
export interface Known {
  readonly trees: Array<string>
  readonly ledgers: Array<string>
  /** Files that other programs wrote, with secrets in them: the law does not look into these. */
  readonly foreign: Set<string>
}

const stamps = (from: number): Effect.Effect<Stamp> => {
  let n = from
  return Effect.sync(() => ({ at: 1_800_000_000_000 + 1_000 * n, entropy: (++n).toString(16).padStart(32, "0") }))
}

export interface Process {
  readonly environment: Readonly<Record<string, string>>
  /** Seconds that its clock begins at. */
  readonly from: number
}

const servicesOn = (disk: SimulatedDisk, { environment, from }: Process): Layer.Layer<Exclude<Services, Scope.Scope>> => {
  const stamp = stamps(from)
  return Layer.mergeAll(
    TreeStore.layer({ home: HOME, environment, stamp }),
    LedgerStore.layer({ root: ROOT }).pipe(Layer.provideMerge(LedgerFiles.layer({ stamp }))),
  ).pipe(
    Layer.provide(Layer.mergeAll(Writer.layerInline(disk), Lease.layerMemory)),
    Layer.provideMerge(BlobStore.layerFile(BLOBS)),
    Layer.provide(Files.layerOf(disk)),
    Layer.provideMerge(Redaction.layer({ environment })),
  )
}

/** Runs a process to its end, whatever becomes of it. `body` tells what went wrong by itself. */
export const run = (
  disk: SimulatedDisk,
  process: Process,
  body: (hands: Hands) => Effect.Effect<void, unknown, Services>,
): Promise<Exit.Exit<void, unknown>> =>
  Effect.runPromiseExit(
    Effect.scoped(Effect.suspend(() => body({ disk, tree: undefined, ledger: undefined }))).pipe(
      Effect.provide(servicesOn(disk, process)),
    ),
  )

/** Whether a defect is no more than that the process was stopped. */
const isStop = (defect: unknown): boolean => defect instanceof Error && /The process stopped at operation/.test(defect.message)

/** Whether a defect is a failure of the library that says what was refused. */
const isRefusal = (defect: unknown): boolean => defect instanceof PrepareError || defect instanceof WriteError

/** Carries something out: undefined when it was refused, or the process was stopped. A bug comes out. */
export const attempt = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, never, R> =>
  Effect.map(Effect.exit(work), (exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    const defects = exit.cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect)
    // What failed before the process was stopped while it cleared up behind that is told as a defect beside the stop.
    const bug = defects.find((defect) => !isStop(defect) && !(defects.some(isStop) && isRefusal(defect)))
    if (bug !== undefined) throw bug
    return undefined
  })

/** The last entry of a tree that is a message. */
export const lastMessage = ({ entries }: TreeState): string | undefined =>
  toArray(entries).findLast(({ record }) => record["type"] === "message")?.id
