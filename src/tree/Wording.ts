/**
 * The two sentences that introduce a summary to a provider. A host may put its own in their place.
 *
 * The context holds summaries plain; only what goes to a provider is wrapped, and the summary's own bytes are never changed.
 */
export interface Wording {
  /** Before the summary of a compaction. */
  readonly compaction: string
  /** Before the summary of a branch that was left. */
  readonly branch: string
}

export const wording: Wording = {
  compaction:
    "The earlier part of this conversation has been condensed into the summary below: take it as the record of what was done, go on from it, and do none of it again.",
  branch:
    "The conversation went another way for a while and came back here; the summary below tells what happened on the branch that was left.",
}

/** A summary as a provider sees it. */
export const wrapped = (sentence: string, summary: string): string => `${sentence}\n\n<summary>\n${summary}\n</summary>`

/** What a provider is told in the place of a result that was never written. */
export const interrupted =
  "This call was interrupted before its result was recorded. It may have run in full, in part or not at all: check before calling again."
