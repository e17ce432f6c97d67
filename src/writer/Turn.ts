/**
 * Whose turn it is to write: the thread's, for one batch after the other, or at the exit of the process the host's, for good.
 *
 * One shared word, since at the exit no message arrives any more. A batch that was sent and not begun is not waited for: a thread that is
 * only starting, or has ended, would never begin it.
 */

const FREE = 0
const THREAD = 1
const HOST = 2
/** As `FREE`, but a sync of the last batch has failed, and the host may not have heard of it. */
const DOUBTFUL = 3

/** In shared memory. */
export type Turn = Int32Array

export const makeTurn = (): Turn => new Int32Array(new SharedArrayBuffer(4))

/** Before a batch, in the thread. False when the host has taken over: then nothing may be written. */
export const begin = (turn: Turn): boolean => {
  const before = Atomics.compareExchange(turn, 0, FREE, THREAD)
  return before === FREE || (before === DOUBTFUL && Atomics.compareExchange(turn, 0, DOUBTFUL, THREAD) === DOUBTFUL)
}

/** Behind a batch, in the thread. */
export const end = (turn: Turn, isDoubtful: boolean): void => {
  Atomics.store(turn, 0, isDoubtful ? DOUBTFUL : FREE)
  Atomics.notify(turn, 0)
}

/** In the host, once the thread is known to have ended. */
export const giveUp = (turn: Turn): void => {
  Atomics.compareExchange(turn, 0, THREAD, FREE)
}

/** In the host, once it has heard what became of the last batch. */
export const heard = (turn: Turn): void => {
  Atomics.compareExchange(turn, 0, DOUBTFUL, FREE)
}

export type Taken = "busy" | "free" | "doubtful"

/** In the host, at its exit: no batch is begun from now on. `busy`, and nothing is changed, while one is under way. */
export const takeOver = (turn: Turn): Taken => {
  for (;;) {
    const now = Atomics.load(turn, 0)
    if (now === THREAD) return "busy"
    if (Atomics.compareExchange(turn, 0, now, HOST) === now) return now === DOUBTFUL ? "doubtful" : "free"
  }
}

/** Blocks until the batch under way has ended, or for so many milliseconds. */
export const awaitEnd = (turn: Turn, milliseconds: number): void => void Atomics.wait(turn, 0, THREAD, milliseconds)
