/**
 * Who holds a session, or held it last: the evidence beside the lock.
 *
 * One JSON object in a file of its own (see EvidenceFile). Valid if and only if it is an object with `v` 1, a string `attempt`, a
 * whole positive `pid`, strings `host`, `isolate` and `since`, and, where present, strings or null `startTicks`, `bootId`, `pidNs`,
 * `timeNs`, `machine` and `lock`, a string `released`, an `offer` with strings `attempt` and `until`, and a `forced` with strings
 * `at`, `by`, `reason` and `why` and a `from` of an attempt, a process and a host or null.
 *
 * Who may write is decided by the kernel's lock where there is one; evidence says who that is, and decides where there is none
 * (see Decision).
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
  /** The space of clocks in which `startTicks` is meant; null where there is only one. */
  readonly timeNs: string | null
  /** A digest of the machine's own id; null where it has none. */
  readonly machine: string | null
  /** The machine's name, redacted. */
  readonly host: string
  /** Names one copy of this library in one thread, a UUID. */
  readonly isolate: string
  /** When the lease was taken, in ISO 8601. */
  readonly since: string
  /** The inode of the file whose lock the owner holds; null when it holds none. Undefined in evidence that does not say: it held one. */
  readonly lock?: string | null | undefined
  /** To whom the lease goes next. */
  readonly offer?: Offer | undefined
  /** The last time that somebody took the lease against the evidence. It goes on from owner to owner. */
  readonly forced?: Forced | undefined
  /** When it was given back, in ISO 8601. */
  readonly released?: string | undefined
}

/** The lease goes to the one acquisition that is named here, and to nobody else until a moment has passed. */
export interface Offer {
  /** Names the acquisition that may take it. */
  readonly attempt: string
  /** ISO 8601. */
  readonly until: string
}

export interface Forced {
  /** ISO 8601. */
  readonly at: string
  /** Who did it, as told by whoever did. */
  readonly by: string
  /** Why, in that person's words. */
  readonly reason: string
  /** Why it could not be had otherwise: a reason of Decision. */
  readonly why: string
  /** From whom; null when the evidence did not say. */
  readonly from: Pick<Owner, "attempt" | "pid" | "host" | "since"> | null
}

/** The facts by which a process is told from others. */
export type Identity = Pick<Owner, "pid" | "startTicks" | "bootId" | "pidNs" | "timeNs" | "machine" | "host" | "isolate">

/** The evidence as one line with its newline. */
export const encodeOwner = (owner: Owner): string => `${JSON.stringify(owner)}\n`

type Members = Readonly<Record<string, unknown>>

const isText = (value: unknown): value is string => typeof value === "string"
const orNull = (value: unknown): string | null => (isText(value) ? value : null)
const isPid = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value > 0
const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null

const offerOf = (value: unknown): Offer | undefined => {
  if (!isMembers(value)) return undefined
  const { attempt, until } = value
  return isText(attempt) && isText(until) ? { attempt, until } : undefined
}

const fromOf = (value: unknown): Forced["from"] => {
  if (!isMembers(value)) return null
  const { attempt, pid, host, since } = value
  return isText(attempt) && isPid(pid) && isText(host) && isText(since) ? { attempt, pid, host, since } : null
}

const forcedOf = (value: unknown): Forced | undefined => {
  if (!isMembers(value)) return undefined
  const { at, by, reason, why, from } = value
  return isText(at) && isText(by) && isText(reason) && isText(why) ? { at, by, reason, why, from: fromOf(from) } : undefined
}

const optional = ({ lock, offer, forced, released }: Members): Partial<Owner> => {
  const [offered, force] = [offerOf(offer), forcedOf(forced)]
  return {
    ...(isText(lock) || lock === null ? { lock } : {}),
    ...(offered === undefined ? {} : { offer: offered }),
    ...(force === undefined ? {} : { forced: force }),
    ...(isText(released) ? { released } : {}),
  }
}

/** Reads evidence. Undefined for anything that is not valid, also for a later version: then nothing is known of the owner. */
export const decodeOwner = (text: string): Owner | undefined => {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isMembers(found)) return undefined
  const { v, attempt, pid, startTicks, bootId, pidNs, timeNs, machine, host, isolate, since } = found
  if (v !== 1 || !isPid(pid) || !isText(attempt) || !isText(host) || !isText(isolate) || !isText(since)) return undefined
  return {
    ...{ v, attempt, pid, startTicks: orNull(startTicks), bootId: orNull(bootId), pidNs: orNull(pidNs) },
    ...{ timeNs: orNull(timeNs), machine: orNull(machine), host, isolate, since },
    ...optional(found),
  }
}

/** Whether two descriptions are of one process. Numbers alone prove nothing: every container has a process 1. */
export const isSameProcess = (a: Identity, b: Identity): boolean =>
  a.isolate === b.isolate ||
  (a.pid === b.pid && known(a.startTicks, b.startTicks) && known(a.bootId, b.bootId) && known(a.pidNs, b.pidNs))

const known = (a: string | null, b: string | null): boolean => a !== null && a === b

/** What `/proc/PID/stat` says of a process. */
export interface StatFields {
  /** One letter, such as `R`, `S`, `T` or `Z`. */
  readonly state: string
  /** When it started, in clock ticks since the boot. */
  readonly startTicks: string
}

/**
 * Reads the text of `/proc/PID/stat`: the 3rd and the 22nd field. A program's name stands in brackets before them and may itself
 * hold brackets, spaces and newlines, so the count begins after the last bracket.
 */
export const statFieldsOf = (stat: string): StatFields | undefined => {
  const fields = stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .split(/\s+/)
  const [state, ticks] = [fields[0], fields[19]]
  if (!stat.includes(")") || state === undefined || ticks === undefined || !/^\d+$/.test(ticks)) return undefined
  return { state, startTicks: ticks }
}
