/**
 * A reference to a blob: what a record holds in the place of bytes that lie in a blob store.
 *
 *     blob:sha256:<64 lower-case hex digits>
 *
 * Valid if and only if it is exactly that. The digits are the SHA-256 of the blob's bytes and the name of its file, so a valid reference
 * names a file of the blob folder and can name nothing else (law BLB-1).
 */

declare const brand: unique symbol

/** A string that {@link parseBlobRef} has accepted. */
export type BlobRef = string & { readonly [brand]: "BlobRef" }

/** What every reference begins with. */
export const BLOB_PREFIX = "blob:sha256:"

const REFERENCE = /^blob:sha256:[0-9a-f]{64}$/

/** The reference that a text is, or undefined when it is none. */
export const parseBlobRef = (text: string): BlobRef | undefined =>
  // `$` alone would let a newline pass.
  text.length === BLOB_PREFIX.length + 64 && REFERENCE.test(text) ? (text as BlobRef) : undefined

/** The reference to the blob with a digest, which is 64 lower-case hex digits. */
export const formatBlobRef = (digest: string): BlobRef => {
  const ref = parseBlobRef(`${BLOB_PREFIX}${digest}`)
  if (ref === undefined) throw new TypeError("A digest is 64 lower-case hex digits.")
  return ref
}

/** The digest in a reference: the name of the blob's file. */
export const digestOf = (ref: BlobRef): string => ref.slice(BLOB_PREFIX.length)
