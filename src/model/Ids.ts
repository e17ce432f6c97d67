/**
 * Fresh ids from a stamp's entropy. Pure: the same entropy and the same set of taken ids give the same id.
 */

/** One round of a 32-bit mixer with full avalanche: a bijection on unsigned 32-bit integers. */
const mix = (input: number): number => {
  let x = input >>> 0
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad)
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97)
  return (x ^ (x >>> 15)) >>> 0
}

/** A 32-bit FNV-1a digest of a string's UTF-16 units. For spreading ids, not for security. */
export const digest32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193)
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193)
  }
  return hash >>> 0
}

const hex8 = (n: number): string => n.toString(16).padStart(8, "0")

/**
 * An id of 8 hex digits that `taken` does not hold. Steps through all 2^32 ids in an order given by the entropy, so it always
 * ends unless every id is taken. Cost: one look-up, more only after a collision.
 */
export const freshEntryId = (entropy: string, taken: (id: string) => boolean): string => {
  const start = mix(digest32(entropy))
  for (let n = 0; ; n++) {
    const id = hex8(mix((start + Math.imul(n, 0x9e3779b1)) >>> 0))
    if (!taken(id)) return id
  }
}

/**
 * The id of the record at `index` in a file whose records have none. Injective in the index for one session, and the same each
 * time the file is read, so that two openings of one file show the same ids (law MIG-2).
 */
export const positionalEntryId = (sessionId: string, index: number): string =>
  hex8(mix((digest32(sessionId) + Math.imul(index, 0x9e3779b1)) >>> 0))

/** A UUID version 7 from a stamp: 48 bits of time, then 74 bits of the entropy, which must hold at least 20 hex digits. */
export const uuidV7 = (at: number, entropy: string): string => {
  const time = Math.max(0, Math.floor(at)).toString(16).padStart(12, "0").slice(-12)
  const variant = ((Number.parseInt(entropy.slice(3, 4), 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${entropy.slice(0, 3)}-${variant}${entropy.slice(4, 7)}-${entropy.slice(7, 19)}`
}
