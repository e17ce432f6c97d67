/** Ledger sessions on a simulated disk: everything but the thread, the kernel's lock and the real files. */
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

export const START = {
  model: "claude-sonnet-4-5",
  version: "1.0",
  limits: { maxSteps: 50, tokenBudget: 1_000_000, contextWindow: 200_000 },
}

export const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 }

export const answer = (...content: ReadonlyArray<object>): LedgerCommand =>
  ({ do: "assistant", step: 1, response: { content, stopReason: "end_turn", usage }, costUsd: 0.01 }) as never

export const say = (text: string): LedgerCommand => ({ do: "user", text })
export const text = (words: string) => ({ type: "text", text: words })
export const call = (id: string) => ({ type: "tool_use", id, name: "bash", input: {} })

export const records = (disk: SimulatedDisk, path: string): ReadonlyArray<Record<string, unknown>> =>
  (disk.text(path) ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

export const typesIn = (disk: SimulatedDisk, path: string) => records(disk, path).map(({ type }) => type)

export const session = (id: string, ...more: ReadonlyArray<object>): string =>
  [{ t: "2026-01-01T00:00:00.000Z", type: "start", sessionId: id, root: ROOT, model: "m" }, ...more]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("")

export const run = <A, E>(
  disk: SimulatedDisk,
  body: Effect.Effect<A, E, LedgerStore | LedgerFiles | Scope.Scope>,
  environment = {},
) => Effect.scoped(body).pipe(Effect.provide(ledgersOn(disk, { environment })))
