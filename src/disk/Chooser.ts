/**
 * Who decides what a simulated power cut takes.
 *
 * A chooser is asked again and again for one of n options and answers with its index. Option 0 is always the mildest one (nothing
 * is lost), so that a failing case shrinks towards the fewest losses.
 */
export type Chooser = (options: number) => number

/** A chooser that answers from a seed: the same seed, the same answers. */
export const seededChooser = (seed: number): Chooser => {
  let state = seed >>> 0
  return (options) => {
    state = (state + 0x9e3779b9) >>> 0
    let x = state
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad)
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97)
    return ((x ^ (x >>> 15)) >>> 0) % options
  }
}

/** A chooser that answers from a list of numbers, each taken modulo the number of options, and with 0 when the list has ended. */
export const listChooser = (answers: ReadonlyArray<number>): Chooser => {
  let at = 0
  return (options) => Math.abs(answers[at++] ?? 0) % options
}

/**
 * Calls `visit` once for every possible sequence of answers, the mildest first, until all have been tried or `limit` calls were
 * made. `visit` must ask the same questions after the same answers. Returns how many calls were made and whether they were all.
 */
export const everyChoice = (
  limit: number,
  visit: (choose: Chooser) => void,
): { readonly visits: number; readonly complete: boolean } => {
  const answers: Array<number> = []
  const widths: Array<number> = []
  for (let visits = 0; ; visits++) {
    if (visits === limit) return { visits, complete: false }
    let at = 0
    visit((options) => {
      if (at === answers.length) {
        answers.push(0)
        widths.push(options)
      }
      return answers[at++] ?? 0
    })
    // The next sequence in odometer order: drop the wheels that have gone round, turn the last one that has not.
    while (answers.length > 0 && (answers[answers.length - 1] ?? 0) + 1 >= (widths[widths.length - 1] ?? 1)) {
      answers.pop()
      widths.pop()
    }
    const last = answers.pop()
    if (last === undefined) return { visits: visits + 1, complete: true }
    answers.push(last + 1)
  }
}
