/** Laws of leases, in a simulated world of processes, locks and evidence. */
import type { Law } from "./Law.ts"
import { lse1 } from "./leaseSubject.ts"
import { type Locks, SimulatedLeases } from "./SimulatedLeases.ts"

const locks: ReadonlyArray<Locks> = ["all", "none", "first"]

const reaches: ReadonlyArray<string> = [
  ...["acquire", "force", "take"].map((what) => `got by ${what}`),
  ...["acquire", "release"].map((what) => `killed within ${what}`),
  ...["locked", "owner-running", "owner-stopped", "owner-here", "owner-other-host", "owner-other-space"].map(
    (why) => `refused: ${why}`,
  ),
  ...["owner-unobservable", "evidence-unreadable"].map((why) => `refused: ${why}`),
  ...["unclaimed", "released", "lock-freed", "lock-alone", "owner-absent", "owner-reused", "owner-zombie"].map(
    (why) => `seen: ${why}`,
  ),
  ...["taken", "lock-replaced"].map((how) => `lost: ${how}`),
  ...["killed while holding", "stop while holding", "had after others were killed", "lease.offered", "lease.not_offered"],
  ...[
    "an offer taken",
    "handed over at death",
    "an offer set aside",
    "taken by force from one that lives unseen",
    "a release by one that has lost it",
  ],
]

export const laws: ReadonlyArray<Law> = [
  lse1({ world: (choice) => new SimulatedLeases(locks[choice % locks.length] ?? "all"), reaches, runs: 2000, deepRuns: 60_000 }),
]
