import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, expect, test } from "vitest"
import { layerSubject, lse1 } from "../../laws/leaseSubject.ts"
import { Lease } from "../../src/lease/Lease.ts"
import { withLocks, withoutLocks } from "./Bench.ts"

const root = fs.mkdtempSync(join(tmpdir(), "annals-lease-law-"))
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

let made = 0
const path = (): string => join(root, `${++made}.jsonl`)

const holdsFor = async (layer: Layer.Layer<Lease>, runs: number) => lse1(layerSubject(layer, path)).check({ runs })

test("the law holds for the leases in memory and for those in files", async () => {
  await holdsFor(Lease.layerMemory, 200)
  await holdsFor(withLocks, 10)
  await holdsFor(withoutLocks, 10)
})

/** The leases in memory, but for what is changed of them. */
const changed = (change: (lease: Lease["Service"]) => Partial<Lease["Service"]>): Layer.Layer<Lease> =>
  Layer.effect(
    Lease,
    Effect.map(Lease, (lease) => ({ ...lease, ...change(lease) })),
  ).pipe(Layer.provide(Lease.layerMemory))

test.each<[string, Layer.Layer<Lease>, RegExp]>([
  [
    "lets everybody in",
    changed((lease) => ({ acquire: (_, options) => lease.acquire(path(), options) })),
    /taken from a writer|to whom it was promised/,
  ],
  [
    "gives nothing back",
    changed((lease) => ({
      acquire: (asked, options) => Effect.map(lease.acquire(asked, options), (held) => ({ ...held, release: Effect.void })),
    })),
    /nobody has was refused|said to be held/,
  ],
  [
    "says that what is held is free",
    changed((lease) => ({
      inspect: (asked) =>
        Effect.map(lease.inspect(asked), (seen) => ({ ...seen, decision: { may: true, ground: "unclaimed" } as const })),
    })),
    /said to be free/,
  ],
])("the law is broken by a layer that %s", async (_, layer, complaint) => {
  const failure = await holdsFor(layer, 300).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(String((failure as Error | undefined)?.cause ?? failure)).toMatch(complaint)
})
