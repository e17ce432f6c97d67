/**
 * References to blobs on their way from a session's file to its state: what each stands for takes its place. One that leads to nothing
 * stays where it is and is reported; reading goes on.
 */
import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BlobError } from "../blob/BlobError.ts"
import { getBlob } from "../blob/BlobFolder.ts"
import { type BlobRef, parseBlobRef } from "../blob/BlobRef.ts"
import type { Disk } from "../disk/Disk.ts"
import { decodeStrictly } from "../journal/Encoding.ts"
import type { JsonObject } from "../model/Json.ts"
import { append, at, empty, type Sequence, toArray } from "../model/Sequence.ts"
import { base64Of, type Form, type Image, mapReferences, referencesIn } from "../tree/Images.ts"
import type { TreeState } from "../tree/State.ts"

/** Finds the bytes of a blob. */
export type Lookup = (ref: BlobRef) => Effect.Effect<Uint8Array, BlobError>

/** A reference that leads to nothing that can be used. */
export interface BlobProblem {
  readonly ref: string
  readonly reason: "missing" | "corrupt" | "unreadable"
  /** The entry that holds the reference. */
  readonly entryId: string
}

/** A lookup in one folder after another, changing nothing: the next one is asked when a blob is not in the one before. */
export const lookupIn =
  (disk: Disk, first: Lookup, others: ReadonlyArray<string>): Lookup =>
  (ref) =>
    others.reduce(
      (found, directory) =>
        Effect.catchIf(
          found,
          ({ reason }) => reason._tag === "Missing",
          () => Effect.suspend(() => Effect.fromResult(getBlob(disk, directory, ref))),
        ),
      first(ref),
    )

/** A lookup in folders alone. */
export const lookupInFolders = (disk: Disk, [first, ...others]: readonly [string, ...ReadonlyArray<string>]): Lookup =>
  lookupIn(disk, (ref) => Effect.suspend(() => Effect.fromResult(getBlob(disk, first, ref))), others)

/** The text that stands for bytes at a place, or undefined when these bytes can not stand there. */
const textOf = (form: Form, bytes: Uint8Array): string | undefined => {
  if (form === "base64") return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")
  const text = decodeStrictly(bytes)
  return text === undefined || base64Of({ form, text }) === undefined ? undefined : text
}

/** What a reference is known by: at a place of another form it would stand for another text. */
const keyOf = ({ form, text }: Image): string => `${form} ${text}`

/** The references of some images: what each stands for, or why nothing can. Each blob is read once. */
const resolved = Effect.fnUntraced(function* (images: Iterable<Image>, lookup: Lookup) {
  const texts = new Map<string, Result.Result<string, BlobProblem["reason"]>>()
  for (const image of images) {
    const ref = parseBlobRef(image.text)
    if (ref === undefined) continue
    const key = keyOf(image)
    if (texts.has(key)) continue
    const bytes = yield* Effect.result(lookup(ref))
    if (Result.isFailure(bytes)) {
      const { _tag } = bytes.failure.reason
      texts.set(key, Result.fail(_tag === "Missing" ? "missing" : _tag === "Corrupt" ? "corrupt" : "unreadable"))
      continue
    }
    const text = textOf(image.form, bytes.success)
    texts.set(key, text === undefined ? Result.fail("corrupt") : Result.succeed(text))
  }
  return texts
})

type Resolved = Effect.Success<ReturnType<typeof resolved>>

const withTexts = (record: JsonObject, texts: Resolved): JsonObject =>
  texts.size === 0
    ? record
    : mapReferences(record, (image) => {
        const text = texts.get(keyOf(image))
        return text !== undefined && Result.isSuccess(text) ? text.success : image.text
      })

/** A record with what its references stand for. Those that lead to nothing stay. */
export const resolveRecord = (record: JsonObject, lookup: Lookup): Effect.Effect<JsonObject> =>
  Effect.map(resolved(referencesIn(record), lookup), (texts) => withTexts(record, texts))

/** Those of some references that lead to nothing, in order. Each blob is read once, and none is kept. */
export const problemsOf = Effect.fnUntraced(function* (
  references: ReadonlyArray<{ readonly image: Image; readonly entryId: string }>,
  lookup: Lookup,
): Effect.fn.Return<ReadonlyArray<BlobProblem>> {
  const reasons = new Map<string, BlobProblem["reason"] | undefined>()
  const problems: Array<BlobProblem> = []
  for (const { image, entryId } of references) {
    const key = keyOf(image)
    if (!reasons.has(key)) {
      const found = (yield* resolved([image], lookup)).get(key)
      reasons.set(key, found !== undefined && Result.isFailure(found) ? found.failure : undefined)
    }
    const reason = reasons.get(key)
    if (reason !== undefined) problems.push({ ref: image.text, reason, entryId })
  }
  return problems
})

/** A state in which images are what they were, and the references that lead to nothing. */
export interface ResolvedState {
  readonly state: TreeState
  readonly problems: ReadonlyArray<BlobProblem>
}

/** The entry that a patch belongs to. */
const patchedId = (state: TreeState, position: number): string => at(state.entries, position)?.id ?? ""

/** Every place of a state that holds a reference: in its entries, then in their patches. */
function* references(state: TreeState): Generator<{ readonly image: Image; readonly entryId: string }> {
  for (const { id, record } of toArray(state.entries)) for (const image of referencesIn(record)) yield { image, entryId: id }
  for (const { position, message } of toArray(state.patches))
    for (const image of referencesIn({ message })) yield { image, entryId: patchedId(state, position) }
}

/** The references of a state, each once. */
export const referencesOf = (state: TreeState): ReadonlySet<BlobRef> =>
  new Set([...references(state)].flatMap(({ image }) => parseBlobRef(image.text) ?? []))

const mapSequence = <A>(sequence: Sequence<A>, change: (item: A) => A): Sequence<A> =>
  toArray(sequence).reduce((mapped, item) => append(mapped, change(item)), empty(sequence.keyOf))

/**
 * The state with what its references stand for. The given state is not changed: it is what the file holds, and what a rewrite must go by.
 * The same reference when there is nothing to replace. Cost: a walk over all records, and each blob once; they stay in memory.
 */
export const resolveState = Effect.fnUntraced(function* (
  state: TreeState,
  lookup: Lookup,
): Effect.fn.Return<ResolvedState, never> {
  const places = [...references(state)]
  if (places.length === 0) return { state, problems: [] }
  const texts = yield* resolved(
    places.map(({ image }) => image),
    lookup,
  )
  const problems = places.flatMap(({ image, entryId }): ReadonlyArray<BlobProblem> => {
    const text = texts.get(keyOf(image))
    return text === undefined || Result.isSuccess(text) ? [] : [{ ref: image.text, reason: text.failure, entryId }]
  })
  const entries = mapSequence(state.entries, (entry) => {
    const record = withTexts(entry.record, texts)
    const { id, parentId, type, index, stop, source } = entry
    return record === entry.record ? entry : { id, parentId, type, index, stop, record, source }
  })
  const patches = mapSequence(state.patches, (patch) => {
    const { message } = withTexts({ message: patch.message }, texts)
    return message === patch.message ? patch : { ...patch, message: message as JsonObject }
  })
  return { state: { ...state, entries, patches }, problems }
})
