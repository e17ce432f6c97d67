/**
 * Says where on a disk something stands that must not be there: the judge of law SEC-5, and a host's own search of its store.
 *
 * It reads every name and every byte of every file below a folder: journals, temporaries, quarantine, evidence, locks, backups, blobs, and
 * whatever else lies there. A canary occurs where twelve of its characters stand in a row (all of a shorter one's): as they are, in UTF-16
 * of either byte order at any offset, in hex, in base64 and base64url wherever they begin in it, with the escapes of JSON up to three times,
 * percent-encoded, and in what gzip, zlib and zstd members, or pieces of base64, hold. It cannot see what was encrypted, turned round, or
 * compressed in another way.
 *
 * What it could not read it says: an answer without sightings means something only when `unread` is empty. A sighting names the canary and
 * never shows it.
 */
import { type Disk, DiskFault } from "../disk/Disk.ts"
import { base64Decoded, type Layer, percentDecoded, type Step, unescaped, unpacked } from "./Layers.ts"
import { type Canary, Needles, type Spelling } from "./Needles.ts"

/** A place where a canary occurs. */
export interface Sighting {
  readonly path: string
  readonly where: "name" | "bytes"
  /** The byte at which it begins, in the name or the file; of what was compressed, where that begins. */
  readonly offset: number
  /** How it is spelled, from the outside in: `["gzip", "json", "utf-8"]`. */
  readonly spelling: ReadonlyArray<Step | Spelling>
  /** The name of the canary. */
  readonly canary: string
}

/** Something that was not searched, and why: a code of the system, or what it is. */
export interface Unread {
  readonly path: string
  readonly why: string
}

export interface Search {
  readonly sightings: ReadonlyArray<Sighting>
  readonly unread: ReadonlyArray<Unread>
  /** Files and bytes that were searched. */
  readonly files: number
  readonly bytes: number
}

/** A name on a disk, and what it stands for: bytes, nothing more (a folder), or what could not be read. */
export interface Found {
  readonly path: string
  readonly bytes?: Uint8Array | undefined
  readonly why?: string | undefined
}

/** Bytes of the largest file that is searched, and of what one compressed member may hold. */
export const MAX_SEARCHED_BYTES = 512 << 20
const MAX_MEMBER_BYTES = 64 << 20

/** How often escapes are undone, and how deep base64 and compression are followed. */
const ESCAPES = 3
const DEPTH = 2

/** Bytes on the way down: how they were reached, and where they stood in the file. */
interface Place {
  readonly bytes: Uint8Array
  readonly steps: ReadonlyArray<Step>
  readonly at: (offset: number) => number
}

const within = (place: Place, layer: Layer): Place => ({
  bytes: layer.bytes,
  steps: [...place.steps, layer.step],
  at: (offset) => place.at(layer.before(offset)),
})

/** Is told a sighting, and the last byte of it. */
type Tell = (last: number, sighting: Omit<Sighting, "path" | "where">) => void
type Refuse = (why: string) => void

/** Searches a place with its escapes undone again and again, and percent-encoding undone at each of these depths. */
const readings = function* (place: Place): Generator<Place> {
  let escaped: Place | undefined = place
  for (let depth = 0; escaped !== undefined; depth++) {
    yield escaped
    const percent = percentDecoded(escaped.bytes)
    if (percent !== undefined) {
      const decoded = within(escaped, percent)
      yield decoded
      const [twice, inside] = [percentDecoded(decoded.bytes), unescaped(decoded.bytes)]
      if (twice !== undefined) yield within(decoded, twice)
      if (inside !== undefined) yield within(decoded, inside)
    }
    const next: Layer | undefined = depth < ESCAPES ? unescaped(escaped.bytes) : undefined
    escaped = next === undefined ? undefined : within(escaped, next)
  }
}

/** Where a canary was seen already, in strips of bytes: the same stretch is not told again in the spelling of another layer. */
class Seen {
  readonly #strips = new Set<string>()

  /** Takes a stretch. False when a part of it was taken before. */
  take(canary: string, first: number, last: number): boolean {
    const strips = Array.from({ length: (last >> 4) - (first >> 4) + 1 }, (_, i) => `${(first >> 4) + i} ${canary}`)
    const isNew = !strips.some((strip) => this.#strips.has(strip))
    for (const strip of strips) this.#strips.add(strip)
    return isNew
  }
}

/** Looks for some canaries. Cost of making one: a few microseconds for each of their characters. */
export class Oracle {
  readonly #needles: Needles

  /** @throws TypeError for a canary of fewer than eight characters. */
  constructor(canaries: Iterable<Canary>) {
    this.#needles = new Needles(canaries)
  }

  /** Where canaries occur in bytes. Each occurrence is told once, in the first spelling in which it is seen. */
  searchBytes(bytes: Uint8Array, path = ""): ReadonlyArray<Sighting> {
    return this.#search({ path, bytes }, "bytes", bytes, () => {})
  }

  /** Where canaries occur in some names and files. Cost: about 30 ns a byte; memory: a few times the largest file. */
  searchFiles(files: Iterable<Found>): Search {
    const sightings: Array<Sighting> = []
    const unread: Array<Unread> = []
    let [count, length] = [0, 0]
    for (const file of files) {
      const { path, bytes, why } = file
      const name = new TextEncoder().encode(path)
      // A folder's own name is told at the folder, and not again at all that lies in it.
      const own = new TextEncoder().encode(path.slice(0, path.lastIndexOf("/") + 1)).length
      const refuse: Refuse = (reason) => unread.push({ path, why: reason })
      for (const sighting of this.#search(file, "name", name, refuse, own)) sightings.push(sighting)
      if (why !== undefined) refuse(why)
      if (bytes === undefined) continue
      count++
      length += bytes.length
      sightings.push(...this.#search(file, "bytes", bytes, refuse))
    }
    return { sightings, unread, files: count, bytes: length }
  }

  /** Where canaries occur below a folder, its own name included. Changes nothing. Names are searched from the folder's own on. */
  searchDisk(disk: Disk, root: string): Search {
    return this.searchFiles(filesBelow(disk, root))
  }

  #search({ path }: Found, where: Sighting["where"], bytes: Uint8Array, refuse: Refuse, own = 0): ReadonlyArray<Sighting> {
    const found: Array<Sighting> = []
    const seen = new Seen()
    const tell: Tell = (last, sighting) => {
      if (seen.take(sighting.canary, sighting.offset, last)) found.push({ path, where, ...sighting })
    }
    this.#follow({ bytes, steps: [], at: (offset) => offset }, DEPTH, own, tell, refuse)
    return found
  }

  #follow(place: Place, depth: number, own: number, tell: Tell, refuse: Refuse): void {
    for (const { bytes, steps, at } of readings(place))
      this.#needles.find(bytes, ({ canary, spelling, start, end }) => {
        const last = at(end - 1)
        if (last >= own) tell(last, { offset: at(start), spelling: [...steps, spelling], canary: canary.name })
      })
    if (depth === 0) return
    const members = unpacked(place.bytes, MAX_MEMBER_BYTES, ({ step, at }) =>
      refuse(`the ${step} member at byte ${place.at(at)} is too large`),
    )
    for (const layer of [...members, ...base64Decoded(place.bytes)])
      this.#follow(within(place, layer), depth - 1, own, tell, refuse)
  }
}

const readFile = (disk: Disk, path: string): Found => {
  const handle = disk.open(path, "read")
  try {
    const { size } = disk.stat(handle)
    if (size > MAX_SEARCHED_BYTES) return { path, why: "too large" }
    const bytes = new Uint8Array(size)
    let length = 0
    while (length < size) {
      const count = disk.read(handle, bytes.subarray(length), length)
      if (count === 0) break
      length += count
    }
    return { path, bytes: bytes.subarray(0, length) }
  } finally {
    disk.close(handle)
  }
}

const found = (path: string, look: () => Found): Found => {
  try {
    return look()
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
    return { path, why: cause.code }
  }
}

/** Every name below a folder, and the bytes of every file. Links are not followed. What cannot be read comes with the reason. */
export function* filesBelow(disk: Disk, root: string): Generator<Found> {
  const todo = [root]
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    const here = path
    yield found(here, () => {
      const kind = disk.lstat(here)?.kind
      if (kind === undefined) return { path: here, why: "ENOENT" }
      if (kind === "file") return readFile(disk, here)
      if (kind !== "directory") return { path: here, why: `a ${kind}` }
      todo.push(...disk.list(here).map((name) => `${here === "/" ? "" : here}/${name}`))
      return { path: here }
    })
  }
}
