/** What every part of the torture is given. */
import type { Chooser } from "../../src/disk/Chooser.ts"
import type { Tally } from "./Tally.ts"

export interface Torture {
  readonly isQuick: boolean
  readonly seed: number
  readonly tally: Tally
  /** Answers from the seed; each part has one of its own. */
  readonly choose: Chooser
  /** A folder for files, which is removed at the end. */
  readonly folder: string
  readonly say: (text: string) => void
}
