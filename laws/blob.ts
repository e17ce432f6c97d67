/** Laws of blobs: what a store of them promises, and what a session makes of it. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { getBlob, refOf } from "../src/blob/BlobFolder.ts"
import { type BlobRef, digestOf, formatBlobRef, parseBlobRef } from "../src/blob/BlobRef.ts"
import { BlobStore } from "../src/blob/BlobStore.ts"
import type { Disk } from "../src/disk/Disk.ts"
import { Files } from "../src/disk/Files.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { JsonObject } from "../src/model/Json.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import { imagesIn } from "../src/tree/Images.ts"
import { bytesFrom, pictured } from "./arbitraries/images.ts"
import { BLOBS, FOLDER, readOnly, storeOn } from "./arbitraries/store.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at])

const storeIn = (disk: Disk): Layer.Layer<BlobStore> => BlobStore.layerFile(BLOBS).pipe(Layer.provide(Files.layerOf(disk)))

/** Puts all blobs by a process of its own, and says which references it was given before it died or was refused. */
const putAll = (disk: Disk, blobs: ReadonlyArray<Uint8Array>): Promise<ReadonlyArray<BlobRef>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* BlobStore
      const refs: Array<BlobRef> = []
      for (const bytes of blobs) {
        const exit = yield* Effect.exit(store.put(bytes))
        if (Exit.isSuccess(exit)) refs.push(exit.value)
      }
      return refs
    }).pipe(Effect.provide(storeIn(disk))),
  )

const blobs = fc.array(
  fc.tuple(fc.nat({ max: 3 }), fc.constantFrom(0, 1, 511, 512, 4_097, 9_000)).map(([seed, length]) => bytesFrom(seed, length)),
  { minLength: 1, maxLength: 4 },
)

/** Texts that try to name something else than a blob of the folder. */
const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "blob:sha256:../../etc/passwd",
    `blob:sha256:${"../".repeat(21)}x`,
    `blob:sha256:/${"a".repeat(63)}`,
    `blob:sha256:${"A".repeat(64)}`,
    `blob:sha256:${"a".repeat(63)}`,
    `blob:sha256:${"a".repeat(65)}`,
    `blob:sha256:${"a".repeat(64)}\n`,
    `blob:sha256:${"a".repeat(63)}\u0000`,
    `BLOB:sha256:${"a".repeat(64)}`,
    `blob:sha512:${"a".repeat(64)}`,
  ),
  fc.tuple(fc.constantFrom("..", "/", "\\", "%2e", ".", "g", "é"), fc.nat({ max: 60 })).map(([bad, at]) => {
    const digits = "0123456789abcdef".repeat(4)
    return `blob:sha256:${(digits.slice(0, at) + bad + digits.slice(at)).slice(0, 64)}`
  }),
)

/** A text that is no reference is refused, also when a cast hands it to a store, which then looks at nothing outside its folder. */
const staysInside = (text: string): void => {
  const touched: Array<string> = []
  const disk = new SimulatedDisk({ "/etc/passwd": "root", [`${BLOBS}/keep`]: "" })
  const watched: Disk = {
    ...readOnly(disk),
    open: (path, mode) => {
      touched.push(path)
      return disk.open(path, mode)
    },
  }
  const isReference = /^blob:sha256:[0-9a-f]{64}$(?!\n)/.test(text)
  const ref = parseBlobRef(text)
  if ((ref !== undefined) !== isReference) throw new Error(`${JSON.stringify(text)} is taken for what it is not`)
  if (ref !== undefined && formatBlobRef(digestOf(ref)) !== text) throw new Error("a reference is not what it was made of")
  if (Result.isSuccess(getBlob(watched, BLOBS, text as BlobRef))) throw new Error(`${JSON.stringify(text)} leads to something`)
  const outside = touched.find((path) => !/^[0-9a-f]{64}$/.test(path.slice(BLOBS.length + 1)) || !path.startsWith(`${BLOBS}/`))
  if (outside !== undefined) throw new Error(`${JSON.stringify(text)} leads to ${outside}`)
}

/** What is on a disk for each blob: all of it or nothing, and for those that were acknowledged all of it. */
const judge = (disk: Disk, given: ReadonlyArray<Uint8Array>, acknowledged: ReadonlyArray<BlobRef>): void => {
  for (const bytes of given) {
    const ref = refOf(bytes)
    const found = getBlob(disk, BLOBS, ref)
    if (Result.isSuccess(found) ? !same(found.success, bytes) : found.failure.reason._tag !== "Missing")
      throw new Error(`${ref} holds other bytes`)
    if (Result.isFailure(found) && acknowledged.includes(ref)) throw new Error(`${ref} was acknowledged and is gone`)
  }
}

const keeping = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(
    blobs,
    fc.nat({ max: 999 }),
    fc.constantFrom("before" as const, "after" as const, 3, 600),
    fc.boolean(),
    fc.infiniteStream(fc.nat()),
    hostile,
    async (given, where, when, goesOn, choices, text) => {
      staysInside(text)
      const rehearsal = new SimulatedDisk()
      const all = await putAll(rehearsal, given)
      if (all.length !== given.length) throw new Error("a healthy disk refuses")
      judge(rehearsal, given, all)
      const disk = new SimulatedDisk()
      disk.crashAt(1 + Math.floor((where * rehearsal.operations) / 1_000), when)
      const first = await putAll(disk, given)
      if (goesOn) disk.kill()
      const second = goesOn ? await putAll(disk, given) : []
      const image = disk.crash((n) => choices.next().value % n)
      judge(image, given, [...first, ...second])
      coverage.hit("acknowledged before the cut", first.length > 0)
      coverage.hit("cut before anything was acknowledged", first.length === 0)
      coverage.hit("a second process went on", second.length === given.length)
      coverage.hit(
        "a temporary was left",
        image.paths().some((path) => path.endsWith(".tmp")),
      )
      if ((await putAll(image, given)).length !== given.length) throw new Error("the folder takes nothing after the cut")
      judge(image, given, all)
      const left = image.paths().find((path) => path.endsWith(".tmp"))
      if (left !== undefined) throw new Error(`${left} is left although its blob is there`)
    },
  )
  await fc.assert(property, parameters(budget))
  coverage.demand(budget, [
    "acknowledged before the cut",
    "cut before anything was acknowledged",
    "a second process went on",
    "a temporary was left",
  ])
}

const PATH = `${FOLDER}/session.jsonl`

/** A session whose messages hold images, as far as it comes. Says how many commands were acknowledged. */
const converse = (disk: SimulatedDisk, messages: ReadonlyArray<JsonObject>): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const open = yield* Effect.exit(Effect.flatMap(TreeStore, (store) => store.create({ cwd: "/w", path: PATH })))
      if (Exit.isFailure(open)) return 0
      let count = 0
      for (const message of messages) {
        const exit = yield* Effect.exit(open.value.session.dispatch({ do: "message", message: { role: "user", ...message } }))
        if (Exit.isSuccess(exit)) count++
      }
      return count
    }).pipe(Effect.scoped, Effect.provide(storeOn(disk, { environment: {} }))),
  )

/** The references in the whole lines of the session's file. */
const referred = (disk: SimulatedDisk): ReadonlyArray<BlobRef> => {
  const lines = (disk.text(PATH) ?? "").split("\n").slice(0, -1)
  return lines.flatMap((line) => {
    // A line in which a cut left a hole is no record.
    const record = Result.try(() => JSON.parse(line) as JsonObject)
    return Result.isFailure(record) ? [] : imagesIn(record.success).flatMap(({ text }) => parseBlobRef(text) ?? [])
  })
}

const before = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(
    fc.array(pictured, { minLength: 1, maxLength: 3 }),
    fc.nat({ max: 999 }),
    fc.constantFrom("before" as const, "after" as const, 3, 600),
    fc.infiniteStream(fc.nat()),
    async (messages, where, when, choices) => {
      const rehearsal = new SimulatedDisk()
      await converse(rehearsal, messages)
      const disk = new SimulatedDisk()
      disk.crashAt(1 + Math.floor((where * rehearsal.operations) / 1_000), when)
      await converse(disk, messages)
      const image = disk.crash((n) => choices.next().value % n)
      const refs = referred(image)
      for (const ref of refs)
        if (Result.isFailure(getBlob(image, BLOBS, ref))) throw new Error(`a line refers to ${ref}, which the cut has taken`)
      coverage.hit("a line with a reference is left", refs.length > 0)
      coverage.hit(
        "a blob without a line is left",
        refs.length === 0 && image.paths().some((path) => path.startsWith(`${BLOBS}/`)),
      )
    },
  )
  await fc.assert(property, parameters(budget))
  coverage.demand(budget, ["a line with a reference is left", "a blob without a line is left"], 100)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "BLB-1",
    sentence:
      "What is got is what was put; a blob that was acknowledged survives a power cut at any step, whole, and so it does when the process died and another one went on; no reference leads out of the folder.",
    runs: 300,
    deepRuns: 15_000,
    check: keeping,
  },
  {
    id: "BLB-2",
    sentence: "Wherever the power is cut, no line that is left in a session refers to a blob that is not.",
    runs: 100,
    deepRuns: 8_000,
    check: before,
  },
]
