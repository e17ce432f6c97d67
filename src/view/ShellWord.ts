/** A path in a command line that is shown, so that it can be copied into a shell. */
import { visible } from "./Escape.ts"

/** The word as a shell takes it: as it is, or in quotes. */
export const shellWord = (word: string): string =>
  visible(/^[\w./@%+=:,~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
