import { type Identity, type Owner, statFieldsOf } from "./Owner.ts"

/**
 * What can be seen of the process that evidence names, from here. Only what proves the end of that very process counts as its end;
 * whatever cannot be seen may be alive.
 */
export type Observation =
  /** There is no process of that number in its own space of numbers. */
  | "absent"
  /** The number belongs to a process that started at another time. */
  | "reused"
  /** It has ended, and nobody has collected it yet: it cannot write any more. */
  | "zombie"
  /** The machine was started anew since. */
  | "rebooted"
  /** It is this isolate, which does not hold it any more. */
  | "ended-here"
  /** It is this isolate, which holds it. */
  | "held-here"
  | "stopped"
  | "running"
  /** It lives in another space of process numbers of this machine, such as another container. */
  | "other-space"
  | "other-host"
  /** There may be such a process, and nothing tells whether it is the one. */
  | "unobservable"

/** The system's table of processes, as far as one process may see it. */
export interface ProcessTable {
  /** Asks the kernel for a process of a number: `denied` is one of another user. */
  readonly probe: (pid: number) => "exists" | "denied" | "absent"
  /** The text of `/proc/PID/stat`, undefined when it is hidden or not there. */
  readonly stat: (pid: number) => string | undefined
}

/** The first space of process numbers of a Linux machine; its number is fixed in the kernel. In no container is it this one. */
const FIRST_SPACE = "pid:[4026531836]"

const ended: ReadonlySet<string> = new Set(["Z", "X", "x"])
const stopped: ReadonlySet<string> = new Set(["T", "t"])

/** Looks for the owner's process. `holds` says whether this isolate holds the lease of an attempt. Cost: some system calls. */
export const observe = (owner: Owner, self: Identity, table: ProcessTable, holds: (attempt: string) => boolean): Observation => {
  if (owner.isolate === self.isolate) return holds(owner.attempt) ? "held-here" : "ended-here"
  const elsewhere = elsewhereOf(owner, self)
  if (elsewhere !== undefined) return elsewhere
  // Whoever cannot see itself looks at the numbers of another space, or at nothing.
  if (self.startTicks === null) return "unobservable"
  return observeProcess(owner, self, table)
}

/** Why the owner's number says nothing here. */
const elsewhereOf = (owner: Owner, self: Identity): Observation | undefined => {
  if (owner.host !== self.host) return "other-host"
  if (owner.bootId === null || self.bootId === null) return "unobservable"
  if (owner.bootId !== self.bootId) {
    // Another machine has another boot as well, and containers of one image may share the id and the name of a machine.
    const isOurs = owner.machine !== null && owner.machine === self.machine
    const isOutside = owner.pidNs === FIRST_SPACE && self.pidNs === FIRST_SPACE
    return isOurs && isOutside ? "rebooted" : "other-host"
  }
  if (owner.pidNs === null || self.pidNs === null) return "unobservable"
  return owner.pidNs === self.pidNs ? undefined : "other-space"
}

const observeProcess = (owner: Owner, self: Identity, table: ProcessTable): Observation => {
  const { pid } = owner
  if (table.probe(pid) === "absent") return "absent"
  const text = table.stat(pid)
  const stat = text === undefined ? undefined : statFieldsOf(text)
  // It may have ended between the two looks. A missing entry alone is no proof: entries can be hidden.
  if (stat === undefined) return table.probe(pid) === "absent" ? "absent" : "unobservable"
  if (owner.startTicks === null || owner.timeNs !== self.timeNs) return "unobservable"
  if (stat.startTicks !== owner.startTicks) return "reused"
  if (ended.has(stat.state)) return "zombie"
  return stopped.has(stat.state) ? "stopped" : "running"
}
