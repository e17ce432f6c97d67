/**
 * Who holds a session, or held it last: the evidence beside the lock.
 *
 * One JSON object in `.NAME.owner.json`. Valid if and only if it is an object with `v` 1, a string `attempt`, a whole positive
 * `pid`, strings `host`, `isolate` and `since`, and, where present, strings `startTicks`, `bootId`, `pidNs` and `released`.
 * It is for people, and for file systems without locks; who may write is decided by the kernel's lock alone.
 */

export interface Owner {
  readonly v: 1
  /** Names one acquisition, a UUID. */
  readonly attempt: string
  readonly pid: number
  /** When the process started, in clock ticks since the boot; null where it cannot be observed. */
  readonly startTicks: string | null
  /** Names one boot of the machine; null where it cannot be observed. */
  readonly bootId: string | null
  /** The space of process ids in which `pid` is meant; null where there is only one or it cannot be observed. */
  readonly pidNs: string | null
  /** The machine's name, redacted. */
  readonly host: string
  /** Names one copy of this library in one thread, a UUID. */
  readonly isolate: string
  /** When the lease was taken, in ISO 8601. */
  readonly since: string
  /** When it was given back, in ISO 8601. */
  readonly released?: string | undefined
}

/** The facts by which a process is told from others. */
export type Identity = Pick<Owner, "pid" | "startTicks" | "bootId" | "pidNs" | "host" | "isolate">

/** The evidence as one line with its newline. */
export const encodeOwner = (owner: Owner): string => `${JSON.stringify(owner)}\n`

const isText = (value: unknown): value is string => typeof value === "string"
const orNull = (value: unknown): string | null => (isText(value) ? value : null)

/** Reads evidence. Undefined for anything that is not valid, also for a later version: then nothing is known of the owner. */
export const decodeOwner = (text: string): Owner | undefined => {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof found !== "object" || found === null) return undefined
  const { v, attempt, pid, startTicks, bootId, pidNs, host, isolate, since, released } = found as Record<string, unknown>
  if (v !== 1 || typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  if (!isText(attempt) || !isText(host) || !isText(isolate) || !isText(since)) return undefined
  return {
    ...{ v, attempt, pid, startTicks: orNull(startTicks), bootId: orNull(bootId), pidNs: orNull(pidNs), host, isolate, since },
    ...(isText(released) ? { released } : {}),
  }
}

/** Whether two descriptions are of one process. Numbers alone prove nothing: every container has a process 1. */
export const isSameProcess = (a: Identity, b: Identity): boolean =>
  a.isolate === b.isolate ||
  (a.pid === b.pid && known(a.startTicks, b.startTicks) && known(a.bootId, b.bootId) && known(a.pidNs, b.pidNs))

const known = (a: string | null, b: string | null): boolean => a !== null && a === b

/**
 * When a process started, from the text of `/proc/PID/stat`: the 22nd field. A program's name stands in brackets before the others
 * and may itself hold brackets and spaces, so the count begins after the last bracket.
 */
export const startTicksOf = (stat: string): string | null => {
  const fields = stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .split(/\s+/)
  const ticks = fields[19]
  return stat.includes(")") && ticks !== undefined && /^\d+$/.test(ticks) ? ticks : null
}
