/** What has been tried and what came of it, and the judge of every file. */

export interface Figures {
  /** States of a disk after a simulated crash that were recovered and judged. */
  crashTrials: number
  /** Those of them that are all there can be behind a call of a small workload. */
  states: number
  /** Cases of the laws about crashes, tears and damage. */
  lawCases: number
  /** Points at which a call was refused, or the process stopped, one for each run of a workload. */
  sweepPoints: number
  /** The same at real calls of the system. */
  callPoints: number
  kills: number
  /** Copies of a real file system at one moment of work on it, that were mounted and judged. */
  powerCuts: number
  /** How many of them on each file system, by its name and options. */
  powerCutsOn: Record<string, number>
  /** Records of the control that power cuts took, which no sync had covered: the cuts do cut. */
  unsyncedLost: number
  contended: number
  lost: number
  duplicates: number
  /** Files in which `JSON.parse` fails for a line, once a session was opened on them again. */
  unparsable: number
  tornRepaired: number
  nulRepaired: number
  /** Files with damage in the middle. */
  holesRepaired: number
  /** Bytes of torn ends that opening put into quarantine. */
  bytesPutAside: number
  /** Milliseconds until the next process has its first record synced. */
  slowestRecovery: number
  /** Milliseconds for a file of so many bytes with a torn end. */
  largeRecovery: { bytes: number; milliseconds: number } | undefined
}

/** How many failures are told in full. */
const MOST_TOLD = 20

export class Tally {
  readonly figures: Figures = {
    crashTrials: 0,
    states: 0,
    lawCases: 0,
    sweepPoints: 0,
    callPoints: 0,
    kills: 0,
    powerCuts: 0,
    powerCutsOn: {},
    unsyncedLost: 0,
    contended: 0,
    lost: 0,
    duplicates: 0,
    unparsable: 0,
    tornRepaired: 0,
    nulRepaired: 0,
    holesRepaired: 0,
    bytesPutAside: 0,
    slowestRecovery: 0,
    largeRecovery: undefined,
  }
  readonly failures: Array<string> = []
  /** What was not tried, and why. */
  readonly leftOut: Array<string> = []
  #failed = 0

  get failed(): number {
    return this.#failed
  }

  fail(where: string, what: string): void {
    this.#failed += 1
    if (this.failures.length < MOST_TOLD) this.failures.push(`${where}: ${what}`)
  }

  /**
   * Judges a file that was recovered: as a reader would that knows nothing but JSON lines. `sent` are the names of all records in the
   * order in which they were handed over, of which `acknowledged` must be there.
   */
  judge(where: string, text: string, sent: ReadonlyArray<string>, acknowledged: ReadonlyArray<string>): void {
    const names = namesIn(text)
    if (names === undefined) {
      this.figures.unparsable += 1
      this.fail(where, "a line is not JSON, or the last one is cut")
      return
    }
    const found = new Set(names)
    const lost = acknowledged.filter((name) => !found.has(name))
    this.figures.lost += lost.length
    if (lost.length > 0) this.fail(where, `acknowledged and lost: ${lost.join(" ")}`)
    const duplicates = names.length - found.size
    this.figures.duplicates += duplicates
    if (duplicates > 0)
      this.fail(
        where,
        `${duplicates} records are there twice: ${names.filter((name, at) => names.indexOf(name) !== at).join(" ")}`,
      )
    let at = -1
    for (const name of names) {
      const next = sent.indexOf(name)
      if (next < 0) this.fail(where, `${name} was never sent`)
      else if (next < at) this.fail(where, `${name} stands out of order`)
      at = Math.max(at, next)
    }
  }
}

/**
 * The names of a file's records, or undefined when it is not lines of JSON to its end. A line of blanks alone is no record and no damage,
 * for the format and for those that read it; a power cut may leave one of a record that was never acknowledged.
 */
const namesIn = (text: string): ReadonlyArray<string> | undefined => {
  const lines = text.split("\n")
  if (lines.pop() !== "") return undefined
  try {
    const full = lines.filter((line) => !/^[ \t\r]*$/.test(line))
    return full.flatMap((line) => (JSON.parse(line) as { data?: { name?: string } }).data?.name ?? [])
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
