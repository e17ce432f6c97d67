/**
 * Images between a session's state and its file: the state holds them as they are, the file holds references to blobs.
 *
 * On the way out ({@link shaping}) an image is put into the store before the line that refers to it is handed to the journal. Secrets that
 * stand among its bytes as text are taken out of it first, in the state too, so that the state is what a reload shows. It stays in the line
 * when the store refuses it, which is told as a warning, when decoding and encoding would not give the very same text, and when a secret
 * cannot be taken out of it: redaction of the line then takes out all of it.
 *
 * On the way in ({@link resolveState}) references are replaced by what they stand for. One that leads to nothing stays where it is and is
 * reported; reading goes on.
 */
import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type { BlobError } from "../blob/BlobError.ts"
import { getBlob } from "../blob/BlobFolder.ts"
import { type BlobRef, parseBlobRef } from "../blob/BlobRef.ts"
import type { Disk } from "../disk/Disk.ts"
import { decodeStrictly } from "../journal/Encoding.ts"
import type { JsonObject } from "../model/Json.ts"
import { MIN_BLOB_UNITS } from "../model/Limits.ts"
import { append, at, empty, type Sequence, toArray } from "../model/Sequence.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { base64Of, type Form, type Image, imagesIn, mapImages, mapReferences, referencesIn } from "../tree/Images.ts"
import { isSmall, kept as keptOf } from "../tree/Sizes.ts"
import type { TreeState } from "../tree/State.ts"
import type { TreeRecord } from "../tree/TreeModel.ts"
import { cleanBytes, isClean } from "./CleanBytes.ts"
import type { ShapedRecord } from "./Session.ts"

/** Finds the bytes of a blob. */
export type Lookup = (ref: BlobRef) => Effect.Effect<Uint8Array, BlobError>

/** Keeps bytes and says how to refer to them. */
export type Put = (bytes: Uint8Array) => Effect.Effect<BlobRef, BlobError>

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

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** The text that stands for bytes at a place, or undefined when these bytes can not stand there. */
const textOf = (form: Form, bytes: Uint8Array): string | undefined => {
  if (form === "base64") return asBuffer(bytes).toString("base64")
  const text = decodeStrictly(bytes)
  return text === undefined || base64Of({ form, text }) === undefined ? undefined : text
}

/** An image that is worth a blob, without secrets: what stands in its place, and the bytes of the blob. */
interface CleanImage {
  readonly text: string
  readonly bytes: Uint8Array
}

/** Undefined for an image that stays where it is: it is small, is not what its bytes would be written as, or holds a secret for good. */
const cleanImage = (redactor: Redactor, image: Image): CleanImage | undefined => {
  const base64 = base64Of(image)
  if (base64 === undefined || base64.length < MIN_BLOB_UNITS) return undefined
  const bytes = Buffer.from(base64, "base64")
  if (bytes.toString("base64") !== base64) return undefined
  const clean = cleanBytes(redactor, bytes)
  if (clean === undefined) return undefined
  const before = image.text.slice(0, image.text.length - base64.length)
  const text = clean === bytes ? image.text : `${before}${asBuffer(clean).toString("base64")}`
  if (redactor.redactText(text).findings.length > 0) return undefined
  return { text, bytes: image.form === "base64" ? clean : new TextEncoder().encode(text) }
}

/** The images of a record that are worth a blob, by what stands in their places. Each is looked at once. */
const cleanImages = (redactor: Redactor, record: JsonObject): ReadonlyMap<string, CleanImage> => {
  const found = new Map<string, CleanImage>()
  const seen = new Set<string>()
  for (const image of imagesIn(record)) {
    if (seen.has(image.text)) continue
    seen.add(image.text)
    const clean = cleanImage(redactor, image)
    if (clean !== undefined) found.set(image.text, clean)
  }
  return found
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

/**
 * A warning that an image stays in its line. To stderr unless the host has a logger of its own: what a host says on stdout may be a
 * protocol.
 */
const warning = ({ reason, message }: BlobError): Effect.Effect<void> =>
  Effect.logWarning(`An image stays in its line. ${message}`).pipe(
    Effect.annotateLogs({ code: reason.code }),
    Effect.provideService(References.LogToStderr, true),
  )

/**
 * What becomes of each record of a session. References that a host hands over are what they stand for, so that the live state is what a
 * reload shows. Without `put` images stay in their lines. Never fails.
 */
export const shaping = (
  redactor: Redactor,
  lookup: Lookup | undefined,
  put: Put | undefined,
): ((record: TreeRecord) => Effect.Effect<ShapedRecord<TreeRecord>>) => {
  const redact = (value: JsonObject): JsonObject => redactor.redactValue(value).value as JsonObject
  const told = new Set<string>()
  /** Once for each blob: an image may be said many times. */
  const tell = ({ failure }: Result.Failure<BlobRef, BlobError>): Effect.Effect<void> => {
    const { ref } = failure.reason
    if (told.has(ref)) return Effect.void
    told.add(ref)
    return warning(failure)
  }
  const written = Effect.fnUntraced(function* (record: JsonObject, images: Iterable<CleanImage>, put: Put) {
    const refs = new Map<string, string>()
    for (const { text, bytes } of images) {
      const ref = yield* Effect.result(put(bytes))
      if (Result.isSuccess(ref)) refs.set(text, ref.success)
      else yield* tell(ref)
    }
    return refs.size === 0 ? record : mapImages(record, ({ text }) => refs.get(text) ?? text)
  })
  const shaped = Effect.fnUntraced(function* (record: JsonObject) {
    const given = lookup === undefined ? record : withTexts(record, yield* resolved(referencesIn(record), lookup))
    const images = cleanImages(redactor, given)
    const clean = images.size === 0 ? given : mapImages(given, ({ text }) => images.get(text)?.text ?? text)
    const kept = keptOf(clean, redact)
    const withRefs = put === undefined || images.size === 0 ? Effect.succeed(kept) : written(kept, images.values(), put)
    return { kept, written: withRefs }
  })
  return (record) => (isSmall(record) ? Effect.succeed({ kept: record, written: Effect.succeed(record) }) : shaped(record))
}

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
    const { id, parentId, type, index, source } = entry
    return record === entry.record ? entry : { id, parentId, type, index, record, source }
  })
  const patches = mapSequence(state.patches, (patch) => {
    const { message } = withTexts({ message: patch.message }, texts)
    return message === patch.message ? patch : { ...patch, message: message as JsonObject }
  })
  return { state: { ...state, entries, patches }, problems }
})

/**
 * Keeps what references stand for in another store too, for a copy that goes where the first one is not looked at. What is not to be had,
 * and what holds a secret, is left out: the copy then refers to nothing there, and reading it says so. Fails when the store refuses.
 */
export const copyBlobs = (
  redactor: Redactor,
  refs: Iterable<BlobRef>,
  lookup: Lookup,
  put: Put,
): Effect.Effect<void, BlobError> =>
  Effect.forEach(
    refs,
    (ref) =>
      Effect.flatMap(Effect.result(lookup(ref)), (bytes) =>
        Result.isSuccess(bytes) && isClean(redactor, bytes.success) ? put(bytes.success) : Effect.void,
      ),
    { discard: true },
  )
