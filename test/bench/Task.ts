/** The frame of a measured process: reads what to do from its arguments, and answers with one line of JSON. */
import { readFileSync } from "node:fs"
import process from "node:process"
import { setImmediate } from "node:timers/promises"

/** What every process says of itself besides its answer. */
export interface Spent {
  /** Bytes of memory at the most. */
  readonly peak: number
  /** Milliseconds of CPU, all threads. */
  readonly cpu: number
}

/**
 * The most memory that the process has had resident. Where the system has it, of this program alone: what `getrusage` says may be that of
 * the process which started it.
 */
export const peakMemory = (): number => {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8")) ?? []
    if (kilobytes !== undefined) return Number(kilobytes) * 1_024
  } catch {
    // No such system: the other way is all there is.
  }
  return process.resourceUsage().maxRSS * 1_024
}

export const spent = (): Spent => {
  const { user, system } = process.cpuUsage()
  return { peak: peakMemory(), cpu: (user + system) / 1_000 }
}

/** Runs a task. Ends the process, so that what the measured code leaves open does not keep it. */
export const runTask = async <Input, Output extends object>(task: (input: Input) => Output | Promise<Output>): Promise<void> => {
  const output = await task(JSON.parse(process.argv[2] ?? "{}") as Input)
  const answer = `${JSON.stringify({ ...output, ...spent() })}\n`
  process.stdout.write(answer, () => process.exit(0))
}

/** Milliseconds since the process began. */
export const now = (): number => performance.now()

/**
 * Milliseconds that this thread has computed. For work that waits for nothing: what else runs on the machine hardly touches it, where it
 * would double the time by the clock.
 */
export const computed = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A turn of the event loop. */
export const turn = (): Promise<void> => setImmediate()
