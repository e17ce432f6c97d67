import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { pid } from "node:process"
import { type Identity, startTicksOf } from "./Owner.ts"

/** What this process can say of itself. What the system does not show is null. */

/** One for each time this module is loaded: each thread, and each copy of the library. */
const isolate = randomUUID()

const observe = (read: () => string): string | null => {
  try {
    return read().trim()
  } catch {
    // No /proc on this system, or it is hidden from us.
    return null
  }
}

/** In a process space whose /proc belongs to another one, the numbers there are other processes' numbers. */
const startTicks = (): string | null => {
  if (observe(() => readlinkSync("/proc/self")) !== `${pid}`) return null
  const stat = observe(() => readFileSync("/proc/self/stat", "utf8"))
  return stat === null ? null : startTicksOf(stat)
}

/** The identity of this process. `clean` takes secrets out of the machine's name. */
export const thisProcess = (clean: (text: string) => string): Identity => ({
  pid,
  startTicks: startTicks(),
  bootId: observe(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
  pidNs: observe(() => readlinkSync("/proc/self/ns/pid")),
  host: clean(hostname()),
  isolate,
})
