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
import { at, iterate, replaced } from "../model/Sequence.ts"
import { base64Of, type Form, type Image, mapReferences, referencesIn } from "../tree/Images.ts"
import type { Entry, PatchedMessage, TreeState } from "../tree/State.ts"

/** Finds the bytes of a blob. */
export type Lookup = (ref: BlobRef) => Effect.Effect<Uint8Array, BlobError>

/** A reference that leads to nothing that can be used. */
export interface BlobProblem {
  readonly ref: string
  readonly reason: "missing" | "corrupt" | "unreadable"
  /** The entry that holds the reference. */
  readonly entryId: string
}

/** A reference, the entry that holds it, and where that stands: the entry itself, or a patch of it. */
export interface PlacedReference {
  readonly image: Image
  readonly entryId: string
  readonly within: "entries" | "patches"
  readonly position: number
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
  references: ReadonlyArray<PlacedReference>,
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

/** The references in an entry. */
export const referencesInEntry = ({ id: entryId, record }: Entry, position: number): ReadonlyArray<PlacedReference> =>
  referencesIn(record).map((image) => ({ image, entryId, within: "entries", position }))

/** The references in a patch, by the state whose entry it patches. */
export const referencesInPatch = (
  { entries }: TreeState,
  { position: patched, message }: PatchedMessage,
  position: number,
): ReadonlyArray<PlacedReference> =>
  referencesIn({ message }).map((image) => ({ image, entryId: at(entries, patched)?.id ?? "", within: "patches", position }))

/** Every place of a state that holds a reference: in its entries, then in their patches. */
const references = (state: TreeState): ReadonlyArray<PlacedReference> => {
  const found: Array<PlacedReference> = []
  let position = 0
  for (const entry of iterate(state.entries)) found.push(...referencesInEntry(entry, position++))
  position = 0
  for (const patch of iterate(state.patches)) found.push(...referencesInPatch(state, patch, position++))
  return found
}

/** The references of a state, each once. */
export const referencesOf = (state: TreeState): ReadonlySet<BlobRef> =>
  new Set(references(state).flatMap(({ image }) => parseBlobRef(image.text) ?? []))

const withTextsAt = <A>(
  places: ReadonlyArray<PlacedReference>,
  within: PlacedReference["within"],
  change: (position: number) => A | undefined,
): ReadonlyMap<number, A> => {
  const changed = new Map<number, A>()
  for (const place of places) {
    if (place.within !== within || changed.has(place.position)) continue
    const item = change(place.position)
    if (item !== undefined) changed.set(place.position, item)
  }
  return changed
}

/**
 * The state with what its references stand for. The given state is not changed: it is what the file holds, and what a rewrite must go by.
 * The same reference when there is nothing to replace. Cost: the records with references, and each blob once; they stay in memory.
 *
 * `places`: all references of the state, where they are known. Without it all records are walked.
 */
export const resolveState = Effect.fnUntraced(function* (
  state: TreeState,
  lookup: Lookup,
  places: ReadonlyArray<PlacedReference> = references(state),
): Effect.fn.Return<ResolvedState, never> {
  if (places.length === 0) return { state, problems: [] }
  const texts = yield* resolved(
    places.map(({ image }) => image),
    lookup,
  )
  const problems = places.flatMap(({ image, entryId }): ReadonlyArray<BlobProblem> => {
    const text = texts.get(keyOf(image))
    return text === undefined || Result.isSuccess(text) ? [] : [{ ref: image.text, reason: text.failure, entryId }]
  })
  const entries = withTextsAt(places, "entries", (position): Entry | undefined => {
    const entry = at(state.entries, position)
    if (entry === undefined) return undefined
    const { id, parentId, type, index, parent, stop, source } = entry
    const record = withTexts(entry.record, texts)
    return record === entry.record ? undefined : { id, parentId, type, index, parent, stop, record, source }
  })
  const patches = withTextsAt(places, "patches", (position): PatchedMessage | undefined => {
    const patch = at(state.patches, position)
    const { message } = patch === undefined ? {} : withTexts({ message: patch.message }, texts)
    return patch === undefined || message === patch.message ? undefined : { ...patch, message: message as JsonObject }
  })
  const changed = { entries: replaced(state.entries, entries), patches: replaced(state.patches, patches) }
  return { state: entries.size + patches.size === 0 ? state : { ...state, ...changed }, problems }
})
