/** What leases of files share, and what they must not. */
import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import { fileSites } from "../../src/lease/FileSite.ts"
import type { Locks } from "../../src/lease/Locks.ts"
import { type System, system } from "../../src/lease/ThisProcess.ts"

const locks: Locks = { take: () => Result.fail({ _tag: "Busy" }), isFree: () => Result.succeed(true) }
const clean = (text: string): string => text

describe("the site of leases", () => {
  test("is one for as long as the process is in the same place, and says of it what is true now", () => {
    let space = "pid:[1]"
    const changing: System = { ...system, link: (path) => (path === "/proc/self/ns/pid" ? space : system.link(path)) }
    const siteBy = fileSites({ clean, system: changing })
    const first = siteBy(locks)
    expect(siteBy(locks)).toBe(first)
    space = "pid:[2]"
    expect(siteBy(locks).self).toEqual({ ...first.self, pidNs: "pid:[2]" })
    space = "pid:[1]"
    expect(siteBy(locks).self).toEqual(first.self)
  })

  test("is another one for other locks", () => {
    const siteBy = fileSites({ clean })
    expect(siteBy({ ...locks })).not.toBe(siteBy(locks))
  })
})
