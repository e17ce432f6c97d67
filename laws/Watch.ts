/** Looks at disks again and again, and at each stretch of bytes once. */
import type { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { Found, Oracle, Sighting } from "../src/testing/Oracle.ts"

/** Contents of one name that are remembered: a disk and the images of its power cuts have few at a time. */
const KEPT = 8

export class Watch {
  readonly #oracle: Oracle
  /** Names that were clean, each with the bytes that were. */
  readonly #clean = new Map<string, Array<Uint8Array>>()

  constructor(oracle: Oracle) {
    this.#oracle = oracle
  }

  /** What is to be seen on a disk, in names and in files, the bytes of some left out. Cost: a comparison for what was seen before. */
  look(disk: SimulatedDisk, except: ReadonlySet<string>): ReadonlyArray<Sighting> {
    const { sightings, unread } = this.#oracle.searchFiles(this.#changed(disk, except))
    if (unread.length > 0) throw new Error(`not searched: ${JSON.stringify(unread)}`)
    return sightings
  }

  *#changed(disk: SimulatedDisk, except: ReadonlySet<string>): Generator<Found> {
    for (const path of disk.paths()) {
      const bytes = except.has(path) ? undefined : disk.bytes(path)
      const known = this.#clean.get(path) ?? []
      if (known.some((before) => before.length === (bytes?.length ?? 0) && Buffer.compare(before, bytes ?? before) === 0))
        continue
      this.#clean.set(path, [bytes ?? new Uint8Array(), ...known].slice(0, KEPT))
      yield { path, bytes }
    }
  }
}
