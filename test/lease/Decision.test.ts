import { describe, expect, test } from "vitest"
import { type Case, decide, MAX_OFFER_MILLIS } from "../../src/lease/Decision.ts"
import type { Evidence, Unreadable } from "../../src/lease/Evidence.ts"
import type { Observation } from "../../src/lease/Observation.ts"
import type { Owner } from "../../src/lease/Owner.ts"

const now = Date.parse("2026-01-01T12:00:00.000Z")

const base: Owner = {
  v: 1,
  attempt: "a",
  pid: 7,
  startTicks: "100",
  bootId: "b",
  pidNs: "pid:[1]",
  timeNs: "time:[1]",
  machine: "m",
  host: "h",
  isolate: "i",
  since: "1999-01-01T00:00:00.000Z",
  lock: "12",
}

const of = (owner: Partial<Owner>): Evidence => ({ _tag: "Owner", owner: { ...base, ...owner } })

const asked = (given: Partial<Case>): Case => ({
  lock: "ours",
  lockFile: "12",
  evidence: of({}),
  observation: undefined,
  offer: undefined,
  now,
  ...given,
})

const taken = (given: Partial<Case>) => {
  const decision = decide(asked(given))
  return decision.may ? decision.ground : `not: ${decision.obstacle}`
}

const refused = (given: Partial<Case>) => {
  const decision = decide(asked(given))
  return decision.may ? `may: ${decision.ground}` : [decision.obstacle, decision.forcible]
}

const everything: ReadonlyArray<Observation> = [
  ...(["absent", "reused", "zombie", "rebooted", "ended-here", "held-here", "stopped", "running"] as const),
  ...(["other-space", "other-host", "unobservable"] as const),
]

describe("the kernel's lock", () => {
  test("ours: the owner that held it is gone, whatever is seen of its process", () => {
    for (const observation of everything) expect(taken({ observation })).toBe("lock-freed")
    // Evidence of an owner that does not say which lock it held.
    const { lock: _, ...silent } = base
    expect(taken({ evidence: { _tag: "Owner", owner: silent }, observation: "running" })).toBe("lock-freed")
  })

  test("busy: never, whatever the evidence says, and no person may force it", () => {
    const evidences: ReadonlyArray<Evidence> = [
      { _tag: "None" },
      { _tag: "Missing" },
      { _tag: "Unreadable", how: "torn" },
      of({}),
      of({ released: "r" }),
    ]
    for (const evidence of evidences)
      for (const observation of everything)
        expect(refused({ lock: "busy", evidence, observation, offer: "o" })).toEqual(["locked", false])
  })

  test("ours, and the owner held the lock of another file, or none: what is seen of it decides", () => {
    for (const lock of ["13", null]) {
      expect(taken({ evidence: of({ lock }), observation: "absent" })).toBe("owner-absent")
      expect(refused({ evidence: of({ lock }), observation: "running" })).toEqual(["owner-running", false])
      expect(refused({ evidence: of({ lock }), observation: "other-host" })).toEqual(["owner-other-host", true])
      expect(refused({ evidence: of({ lock }), observation: undefined })).toEqual(["owner-unobservable", true])
    }
  })

  test("ours, and the evidence is missing, or cannot be understood", () => {
    expect(taken({ evidence: { _tag: "Missing" } })).toBe("unclaimed")
    for (const how of ["torn", "empty", "oversized", "not-a-file", "denied"] as const)
      expect(taken({ evidence: { _tag: "Unreadable", how } })).toBe("lock-alone")
  })
})

describe("without locks", () => {
  const none = { lock: "none", lockFile: undefined } as const

  test.each<[Observation, string]>([
    ["absent", "owner-absent"],
    ["reused", "owner-reused"],
    ["zombie", "owner-zombie"],
    ["rebooted", "owner-rebooted"],
    ["ended-here", "owner-ended-here"],
  ])("an owner that is %s is proven gone", (observation, ground) => {
    expect(taken({ ...none, observation })).toBe(ground)
  })

  test.each<[Observation, string, boolean]>([
    ["running", "owner-running", false],
    ["stopped", "owner-stopped", false],
    ["held-here", "owner-here", false],
    ["other-space", "owner-other-space", true],
    ["other-host", "owner-other-host", true],
    ["unobservable", "owner-unobservable", true],
  ])("an owner that is %s keeps its lease, however old it is", (observation, obstacle, forcible) => {
    expect(refused({ ...none, observation })).toEqual([obstacle, forcible])
    expect(refused({ ...none, observation, now: now + 1e12 })).toEqual([obstacle, forcible])
    expect(refused({ ...none, observation, now: 0 })).toEqual([obstacle, forcible])
  })

  test("nobody was there, or the last one gave it back", () => {
    expect(taken({ ...none, evidence: { _tag: "None" } })).toBe("unclaimed")
    expect(taken({ ...none, evidence: of({ released: "r" }) })).toBe("released")
  })

  test.each<[string, Evidence, string]>([
    ["gone while a lock lies there", { _tag: "Missing" }, "evidence-missing"],
    ...(["torn", "empty", "oversized", "not-a-file", "denied"] as const).map((how: Unreadable): [string, Evidence, string] => [
      how,
      { _tag: "Unreadable", how },
      "evidence-unreadable",
    ]),
  ])("evidence that is %s tells nothing, so its owner may live", (_, evidence, obstacle) => {
    expect(refused({ ...none, evidence })).toEqual([obstacle, true])
  })
})

describe("an offer", () => {
  const until = (millis: number) => ({ attempt: "next", until: new Date(now + millis).toISOString() })
  const standing = of({ released: "r", offer: until(1000) })

  test("keeps others away until its moment, also after its maker's death", () => {
    expect(refused({ evidence: standing })).toEqual(["offered-elsewhere", true])
    expect(refused({ evidence: of({ offer: until(1000) }) })).toEqual(["offered-elsewhere", true])
    expect(taken({ evidence: of({ released: "r", offer: until(0) }) })).toBe("released")
  })

  test("is taken by the one to whom it was made, also late, and not while its maker holds the lease", () => {
    expect(taken({ evidence: standing, offer: "next" })).toBe("offered")
    expect(taken({ evidence: standing, offer: "next", lock: "none", lockFile: undefined })).toBe("offered")
    expect(taken({ evidence: of({ released: "r", offer: until(-1e9) }), offer: "next" })).toBe("offered")
    expect(refused({ evidence: of({ offer: until(1000) }), offer: "next", lock: "busy" })).toEqual(["locked", false])
    expect(refused({ evidence: of({ offer: until(1), lock: null }), offer: "next", observation: "stopped" })).toEqual([
      "owner-stopped",
      false,
    ])
  })

  test("that nobody made gives nothing, not even what is free", () => {
    const evidences: ReadonlyArray<Evidence> = [
      { _tag: "None" },
      { _tag: "Missing" },
      { _tag: "Unreadable", how: "torn" },
      standing,
      of({ released: "r" }),
      of({ attempt: "other" }),
    ]
    for (const evidence of evidences) expect(refused({ evidence, offer: "other" })).toEqual(["not-offered", false])
  })

  test("does not keep a session for longer than any offer may, so a clock that was set back harms nobody", () => {
    expect(refused({ evidence: of({ released: "r", offer: until(MAX_OFFER_MILLIS) }) })).toEqual(["offered-elsewhere", true])
    expect(taken({ evidence: of({ released: "r", offer: until(MAX_OFFER_MILLIS + 1) }) })).toBe("released")
    expect(taken({ evidence: of({ released: "r", offer: { attempt: "next", until: "soon" } }) })).toBe("released")
  })
})
