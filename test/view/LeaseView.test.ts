/** Everything that can be seen of a lease, in words: why it may be taken or not, and what there is to do. */
import { describe, expect, test } from "vitest"
import type { Ground, Obstacle } from "../../src/lease/Decision.ts"
import type { Inspection } from "../../src/lease/Taking.ts"
import { leaseLines } from "../../src/view/LeaseView.ts"
import { plain } from "../../src/view/Style.ts"

const grounds: { readonly [G in Ground]: RegExp } = {
  unclaimed: /nobody has held it yet/,
  released: /gave it back/,
  offered: /promised to you/,
  "lock-freed": /has ended without giving it back/,
  "lock-alone": /nobody holds the lock; .*cannot be understood/,
  "owner-absent": /process of its last writer is gone/,
  "owner-reused": /another one has its number/,
  "owner-zombie": /has ended/,
  "owner-rebooted": /machine was started anew/,
  "owner-ended-here": /given back/,
}

/** Why not, whether a person may force it, and what there is to do. */
const obstacles: { readonly [O in Obstacle]: readonly [why: RegExp, forcible: boolean, next: RegExp | undefined] } = {
  locked: [/at work: it holds the lock/, false, /wait .* or end that process/],
  "owner-here": [/this very process/, false, /close it there/],
  "owner-running": [/process of its writer runs/, false, /wait .* or end that process/],
  "owner-stopped": [/stopped, and can go on at any time/, false, /let that process go on .* or end it/],
  "owner-other-space": [/another container/, true, /--force --reason TEXT/],
  "owner-other-host": [/another machine/, true, /--force --reason TEXT/],
  "owner-unobservable": [/nobody can see from here/, true, /--force --reason TEXT/],
  "evidence-missing": [/no locks here.*missing/, true, /--force --reason TEXT/],
  "evidence-unreadable": [/no locks here.*cannot be understood/, true, /--force --reason TEXT/],
  "offered-elsewhere": [/kept for the writer to whom it was promised/, true, /--force --reason TEXT/],
  "not-offered": [/not promised to you/, false, undefined],
}

const owner = { pid: 4711, since: "2020-01-01T00:00:00.000Z", host: "box", self: false }

const linesOf = (decision: Inspection["decision"], more: Partial<Inspection> = {}): ReadonlyArray<string> =>
  leaseLines(
    { path: "/s.jsonl", decision, owner, offeredUntil: undefined, distrust: undefined, wasForced: false, ...more },
    plain,
  )

describe("a lease in words", () => {
  test.each(Object.entries(grounds))("is free: %s", (ground, why) => {
    const [title, reason] = linesOf({ may: true, ground: ground as Ground })
    expect(title).toBe("✓ /s.jsonl: free")
    expect(reason).toMatch(why)
  })

  test.each(Object.entries(obstacles))("cannot be taken: %s", (obstacle, [why, forcible, next]) => {
    const lines = linesOf({ may: false, obstacle: obstacle as Obstacle, forcible })
    expect(lines[0]).toBe("✗ /s.jsonl: cannot be taken")
    expect(lines[1]).toMatch(why)
    const told = lines.filter((line) => /^ {2}next/.test(line))
    expect(told).toHaveLength(next === undefined ? 0 : 1)
    if (next !== undefined) expect(told[0]).toMatch(next)
  })

  test("names its owner, and never takes an age for a reason", () => {
    const lines = linesOf({ may: false, obstacle: "locked", forcible: false })
    expect(lines).toContain("  held    process 4711 on box, since 2020-01-01T00:00:00.000Z")
    expect(lines.join("\n")).not.toMatch(/\b(?:old|stale|ago|expired)\b/)
  })

  test("shows who forced it, when, from whom and why", () => {
    const forced = {
      ...{ at: "2026-01-02T00:00:00.000Z", by: "me", reason: "it burnt\ndown", why: "owner-other-host" },
      from: { attempt: "a", pid: 1, host: "nas", since: "2026-01-01T00:00:00.000Z" },
    }
    const lines = linesOf({ may: true, ground: "released" }, { owner: { ...owner, forced } })
    expect(lines.at(-1)).toMatch(/^ {2}forced {2}2026-01-02T00:00:00\.000Z by me, from process 1 on nas: “it burnt.*down”$/)
  })
})

test("a place that others can change is none to write to, whoever holds the lease, and what to do is said", () => {
  const distrust = { _tag: "OpenToAll", place: "/open" } as const
  const free = linesOf({ may: true, ground: "released" }, { distrust }).join("\n")
  expect(free).toMatch(/✗ \/s.jsonl: cannot be taken/)
  expect(free).toMatch(/place {3}everybody may replace what lies in \/open\n/)
  expect(free).toMatch(/next {4}Take the place named above from the others/)
  const held = linesOf({ may: false, obstacle: "locked", forcible: false }, { distrust }).join("\n")
  expect(held).toMatch(/at work: it holds the lock[\s\S]*everybody may replace[\s\S]*wait until its writer closes it/)
})
