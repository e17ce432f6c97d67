/**
 * Every failure a person can meet, by its stable code: what is safe, what to do, and how a command ends.
 *
 * Errors in the library carry a code; this table is the only place that says what follows from it. `docs/errors.md` repeats it.
 */

/** How a command ends: 1 unclassified, 2 usage, 3 not found or ambiguous, 4 busy, 5 integrity, 6 refused, 7 partial. */
export type ExitCode = 1 | 2 | 3 | 4 | 5 | 6 | 7

export interface Failure {
  readonly exit: ExitCode
  /** What is certain about the user's data although this happened. */
  readonly safe: string
  /** What to do next; `FILE` stands for the file in question. */
  readonly remedy: string
}
