/** References to images that lead to nothing, in words. */
import { visible } from "./Escape.ts"
import { count } from "./Quantity.ts"

interface Problem {
  readonly ref: string
  readonly reason: "missing" | "corrupt" | "unreadable"
  readonly entryId: string
}

/** Problems that are named before the rest is only counted. */
const NAMED = 3

/** One sentence for a note: which images are not to be had, by entry and reference. */
export const blobSentence = (problems: ReadonlyArray<Problem>): string => {
  const named = problems
    .slice(0, NAMED)
    .map(({ ref, reason, entryId }) => `${ref.slice(0, 24)}… of entry ${visible(entryId)} is ${reason}`)
  const rest = problems.length - named.length
  return `${count(problems.length, "image")} not to be had: ${named.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`
}
