/**
 * Images on their way from a session's state to its file: the state holds them as they are, the file holds references to blobs.
 *
 * An image is put into the store before the line that refers to it is handed to the journal. Secrets that stand among its bytes as text
 * are taken out of it first, in the state too, so that the state is what a reload shows. It stays in the line when the store refuses it,
 * which is told as a warning, when decoding and encoding would not give the very same text, and when a secret cannot be taken out of it:
 * redaction of the line then takes out all of it. The way back is BlobReferences.ts.
 */
import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type { BlobError } from "../blob/BlobError.ts"
import type { BlobRef } from "../blob/BlobRef.ts"
import type { JsonObject } from "../model/Json.ts"
import { MIN_BLOB_UNITS } from "../model/Limits.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { base64Of, type Image, imagesIn, mapImages } from "../tree/Images.ts"
import { isSmall, kept as keptOf } from "../tree/Sizes.ts"
import type { TreeRecord } from "../tree/TreeModel.ts"
import { type Lookup, resolveRecord } from "./BlobReferences.ts"
import { cleanBytes, isClean } from "./CleanBytes.ts"
import type { ShapedRecord } from "./Session.ts"

/** Keeps bytes and says how to refer to them. */
export type Put = (bytes: Uint8Array) => Effect.Effect<BlobRef, BlobError>

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

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
    const given = lookup === undefined ? record : yield* resolveRecord(record, lookup)
    const images = cleanImages(redactor, given)
    const clean = images.size === 0 ? given : mapImages(given, ({ text }) => images.get(text)?.text ?? text)
    const kept = keptOf(clean, redact)
    const withRefs = put === undefined || images.size === 0 ? Effect.succeed(kept) : written(kept, images.values(), put)
    return { kept, written: withRefs }
  })
  return (record) => (isSmall(record) ? Effect.succeed({ kept: record, written: Effect.succeed(record) }) : shaped(record))
}

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
