/** A lease for people: who holds it, since when, and why it can or cannot be taken. */
import type { Ground, Obstacle } from "../lease/Decision.ts"
import { distrustText } from "../lease/LeaseError.ts"
import type { Forced } from "../lease/Owner.ts"
import type { Inspection } from "../lease/Taking.ts"
import { failureOf } from "../model/Failure.ts"
import { oneLine, visible } from "./Escape.ts"
import { shellWord } from "./ShellWord.ts"
import type { Style } from "./Style.ts"

export interface LeaseViewOptions extends Inspection {
  /** Whether it has just been taken by force and given back. */
  readonly wasForced: boolean
}

const GROUNDS: { readonly [G in Ground]: string } = {
  unclaimed: "nobody has held it yet",
  released: "its last writer gave it back",
  offered: "it was promised to you",
  "lock-freed": "its last writer has ended without giving it back",
  "lock-alone": "nobody holds the lock; the evidence beside it cannot be understood",
  "owner-absent": "the process of its last writer is gone",
  "owner-reused": "the process of its last writer is gone, and another one has its number",
  "owner-zombie": "the process of its last writer has ended",
  "owner-rebooted": "the machine was started anew since",
  "owner-ended-here": "it was given back",
}

const OBSTACLES: { readonly [O in Obstacle]: string } = {
  locked: "its writer is at work: it holds the lock",
  "owner-here": "another part of this very process holds it",
  "owner-running": "the process of its writer runs",
  "owner-stopped": "its process is stopped, and can go on at any time",
  "owner-other-space": "its process lives in another container and cannot be seen from here",
  "owner-other-host": "its process belongs to another machine and cannot be seen from here",
  "owner-unobservable": "nobody can see from here whether its process runs",
  "evidence-missing": "there are no locks here, and the evidence of its writer is missing",
  "evidence-unreadable": "there are no locks here, and the evidence of its writer cannot be understood",
  "offered-elsewhere": "it is kept for the writer to whom it was promised",
  "not-offered": "it was not promised to you",
}

/** What there is to do where no force helps: whoever is seen at work is asked, not overruled. */
const ENDS: { readonly [O in Obstacle]?: string } = {
  locked: "wait until its writer closes it, or end that process",
  "owner-here": "close it there",
  "owner-running": "wait until its writer closes it, or end that process",
  "owner-stopped": "let that process go on and close it, or end it",
}

const nextOf = ({ decision, distrust, path }: LeaseViewOptions): string | undefined => {
  if (decision.may) return distrust === undefined ? undefined : failureOf("lease.unsafe").remedy
  return decision.forcible
    ? `when you are sure that it does not write any more: annals lock ${shellWord(path)} --force --reason TEXT`
    : ENDS[decision.obstacle]
}

const whoOf = ({ owner }: Inspection): string => {
  if (owner === undefined) return "nobody knows by whom"
  const { pid, host, since, released } = owner
  return `process ${pid} on ${oneLine(host)}, since ${oneLine(since)}${released === undefined ? "" : `, until ${oneLine(released)}`}`
}

const forcedLines = ({ at, by, reason, from }: Forced, style: Style): ReadonlyArray<string> => {
  const who = by === "" ? "somebody" : oneLine(by)
  const whom = from === null ? "a writer that nobody knows" : `process ${from.pid} on ${oneLine(from.host)}`
  return [`  ${style.dim("forced")}  ${oneLine(at)} by ${who}, from ${whom}: “${oneLine(reason)}”`]
}

/** The lines of a lease. */
export const leaseLines = (seen: LeaseViewOptions, style: Style): ReadonlyArray<string> => {
  const { path, decision, distrust, owner, offeredUntil, wasForced } = seen
  const name = style.bold(visible(path))
  const title = wasForced
    ? `${style.green("✓")} ${name}: taken by force and given back; it is free now`
    : decision.may && distrust === undefined
      ? `${style.green("✓")} ${name}: free`
      : `${style.red("✗")} ${name}: cannot be taken`
  const why = decision.may ? GROUNDS[decision.ground] : OBSTACLES[decision.obstacle]
  const next = nextOf(seen)
  const isHeld = owner?.released === undefined && !decision.may && decision.obstacle !== "offered-elsewhere"
  return [
    title,
    ...(wasForced ? [] : [`  ${style.dim("why   ")}  ${why}`]),
    ...(owner === undefined && decision.may ? [] : [`  ${style.dim(isHeld ? "held  " : "last  ")}  ${whoOf(seen)}`]),
    ...(distrust === undefined ? [] : [`  ${style.dim("place ")}  ${oneLine(distrustText(distrust))}`]),
    ...(offeredUntil === undefined ? [] : [`  ${style.dim("kept  ")}  until ${oneLine(offeredUntil)}`]),
    ...(owner?.forced === undefined ? [] : forcedLines(owner.forced, style)),
    ...(next === undefined ? [] : [`  ${style.dim("next  ")}  ${next}`]),
  ]
}
