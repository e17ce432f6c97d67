import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Disk } from "../../src/disk/Disk.ts"
import { Lease } from "../../src/lease/Lease.ts"
import type { LedgerFiles } from "../../src/session/LedgerFiles.ts"
import type { LedgerStore } from "../../src/session/LedgerStore.ts"
import { type LedgerOptions, ledgersOn, ROOT, SESSIONS } from "./Ledger.ts"

export const START = { model: "m" }
export const SECRET = ["correct", "horse", "battery"].join("-")
export const SECRETS = { environment: { API_TOKEN: SECRET } }

export const run = <A, E>(
  disk: Disk,
  body: Effect.Effect<A, E, LedgerStore | LedgerFiles | Scope.Scope>,
  options: LedgerOptions = {},
) => Effect.scoped(body).pipe(Effect.provide(ledgersOn(disk, options)))

export const lines = (...records: ReadonlyArray<object>): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("")

export const started = (id: string, ...more: ReadonlyArray<object>): string =>
  lines({ t: "2026-01-01T00:00:00.000Z", type: "start", sessionId: id, root: ROOT, model: "m" }, ...more)

export const said = (words: string) => ({
  t: "2026-01-02T00:00:00.000Z",
  type: "user",
  message: { role: "user", content: [{ type: "text", text: words }] },
})

export const say = (text: string) => ({ do: "user", text }) as const

export const at = (name: string): string => `${SESSIONS}/${name}`

/** The code of the reason with which something fails. */
export const codeOf = (effect: Effect.Effect<unknown, { readonly _tag: string; readonly reason?: unknown }>) =>
  Effect.map(Effect.flip(effect), ({ _tag, reason }) => (reason as { readonly code?: string } | undefined)?.code ?? _tag)

/** A lease before which somebody else comes. */
export const leaseAfter = (intrude: (path: string) => void): Layer.Layer<Lease> =>
  Layer.effect(
    Lease,
    Effect.map(Lease, (lease) => ({
      ...lease,
      acquire: (path: string) =>
        Effect.andThen(
          Effect.sync(() => intrude(path)),
          lease.acquire(path),
        ),
    })),
  ).pipe(Layer.provide(Lease.layerMemory))
