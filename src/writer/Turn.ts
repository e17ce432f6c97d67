/**
 * Whose turn it is to write to a file: the thread's, part after part, or at the exit of the process the host's, for good.
 *
 * Shared words, since at the exit no message arrives any more: one says that the host has taken over, the others count the parts that the
 * thread has begun and not told the end of. Files share a word when their numbers are so far apart; then one is waited for as if it were
 * the other. A part that was sent and not begun is not waited for: a thread that is only starting, or has ended, would never begin it.
 */

const HOST = 0
const WORDS = 255

/** In shared memory. Each thread has one of its own. */
export type Turn = Int32Array

export const makeTurn = (): Turn => new Int32Array(new SharedArrayBuffer(4 * (1 + WORDS)))

const wordOf = (file: number): number => 1 + (file % WORDS)

/** Before a part, in the thread. False when the host has taken over: then nothing may be written. */
export const begin = (turn: Turn, file: number): boolean => {
  // First counted, then looked: whoever takes over in between sees the part or is seen.
  Atomics.add(turn, wordOf(file), 1)
  if (Atomics.load(turn, HOST) === 0) return true
  end(turn, file)
  return false
}

/** In the thread, once the outcome of a part is on its way to the host. */
export const end = (turn: Turn, file: number): void => {
  Atomics.sub(turn, wordOf(file), 1)
  Atomics.notify(turn, wordOf(file))
}

/** In the host, at its exit: no part is begun from now on. */
export const takeOver = (turn: Turn): void => void Atomics.store(turn, HOST, 1)

/** In the host: whether a part of the file is under way. */
export const isBusy = (turn: Turn, file: number): boolean => Atomics.load(turn, wordOf(file)) > 0

/** Blocks while as many parts of the file are under way as now, at most for so many milliseconds. */
export const awaitEnd = (turn: Turn, file: number, milliseconds: number): void => {
  const parts = Atomics.load(turn, wordOf(file))
  if (parts > 0) Atomics.wait(turn, wordOf(file), parts, milliseconds)
}
