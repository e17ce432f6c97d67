import { hash, randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { geteuid, kill, pid } from "node:process"
import type { ProcessTable } from "./Observation.ts"
import { type Identity, statFieldsOf } from "./Owner.ts"

/** What this process can say of itself and see of others. What the system does not show is null. */

/** The places of the system that are looked at. Each throws when there is nothing to see. */
export interface System {
  readonly pid: number
  /** The text of a file. */
  readonly text: (path: string) => string
  /** What a link points at. */
  readonly link: (path: string) => string
  readonly hostname: () => string
  /** Asks for a process without doing anything to it; throws with the code `ESRCH` when there is none. */
  readonly signal: (pid: number) => void
}

/** The machine this runs on. A name that is no UTF-8 is read byte by byte, so that no byte of it is lost or joined. */
export const system: System = {
  pid,
  text: (path) => readFileSync(path, "latin1"),
  link: (path) => readlinkSync(path),
  hostname,
  signal: (other) => void kill(other, 0),
}

/** The user whose rights this process has; -1 where there are no numbers for users. */
export const effectiveUser = (): number => geteuid?.() ?? -1

/** One for each time this module is loaded: each thread, and each copy of the library. */
const isolate = randomUUID()

const observed = (read: () => string): string | null => {
  try {
    return read().trim()
  } catch {
    // No /proc on this system, or it is hidden from us.
    return null
  }
}

/** In a process space whose /proc belongs to another one, the numbers there are other processes' numbers. */
const startTicks = (from: System): string | null => {
  if (observed(() => from.link("/proc/self")) !== `${from.pid}`) return null
  const stat = observed(() => from.text("/proc/self/stat"))
  return stat === null ? null : (statFieldsOf(stat)?.startTicks ?? null)
}

/** The id of a machine is its own business: a digest of it tells machines apart as well. */
const machine = (from: System): string | null => {
  const id = observed(() => from.text("/etc/machine-id"))
  return id === null || !/^[0-9a-f]{32}$/.test(id) ? null : hash("sha256", `annals lease ${id}`).slice(0, 32)
}

/** The identity of this process. `clean` takes secrets out of the machine's name. */
export const thisProcess = (clean: (text: string) => string, from: System = system): Identity => ({
  pid: from.pid,
  startTicks: startTicks(from),
  bootId: observed(() => from.text("/proc/sys/kernel/random/boot_id")),
  pidNs: observed(() => from.link("/proc/self/ns/pid")),
  timeNs: observed(() => from.link("/proc/self/ns/time")),
  machine: machine(from),
  host: clean(from.hostname()),
  isolate,
})

const probe = (from: System, other: number): ReturnType<ProcessTable["probe"]> => {
  try {
    from.signal(other)
    return "exists"
  } catch (cause) {
    // Only this code is the kernel's word that there is none.
    return cause instanceof Error && "code" in cause && cause.code === "ESRCH" ? "absent" : "denied"
  }
}

/** The processes that this one may see. */
export const tableOf = (from: System = system): ProcessTable => ({
  probe: (other) => probe(from, other),
  stat: (other) => observed(() => from.text(`/proc/${other}/stat`)) ?? undefined,
})
