import { describe, expect, test } from "vitest"
import { type Observation, observe } from "../../src/lease/Observation.ts"
import type { Owner } from "../../src/lease/Owner.ts"
import { type System, tableOf, thisProcess } from "../../src/lease/ThisProcess.ts"

const boot = "0b8d2a3f-3c52-4b3e-9d5e-0d5a6a3f1c11"
const first = "pid:[4026531836]"

interface Process {
  readonly name?: string
  readonly state?: string
  readonly start?: string
  /** Its entry in /proc is not shown. */
  readonly isHidden?: boolean
  /** It belongs to another user. */
  readonly isForeign?: boolean
}

interface Machine {
  readonly pid?: number
  readonly host?: string
  readonly boot?: string | undefined
  readonly machineId?: string | undefined
  readonly space?: string | undefined
  readonly clocks?: string | undefined
  /** What /proc/self points at. */
  readonly self?: string
  readonly hasProc?: boolean
  readonly processes?: Readonly<Record<number, Process>>
}

const coded = (code: string): Error => Object.assign(new Error(code), { code })
const missing = <A>(value: A | undefined): A => {
  if (value === undefined) throw coded("ENOENT")
  return value
}

const statOf = (pid: number, { name = "node", state = "S", start = "100" }: Process): string =>
  `${pid} (${name}) ${state} ${Array.from({ length: 18 }, (_, at) => `${at}`).join(" ")} ${start} 9 9 9\n`

/** A machine as its processes see it. */
const systemOf = (machine: Machine): System => {
  const { pid = 10, processes = {}, hasProc = true } = machine
  const all: Readonly<Record<number, Process>> = { [pid]: { start: "50" }, ...processes }
  const given = <K extends keyof Machine>(key: K, otherwise: string): string | undefined =>
    key in machine ? (machine[key] as string | undefined) : otherwise
  const files: Readonly<Record<string, string | undefined>> = {
    "/proc/sys/kernel/random/boot_id": hasProc ? given("boot", `${boot}\n`) : undefined,
    "/etc/machine-id": given("machineId", `${"a1".repeat(16)}\n`),
  }
  const links: Readonly<Record<string, string | undefined>> = {
    "/proc/self": given("self", `${pid}`),
    "/proc/self/ns/pid": given("space", first),
    "/proc/self/ns/time": given("clocks", "time:[4026531834]"),
  }
  return {
    pid,
    hostname: () => machine.host ?? "box",
    link: (path) => missing(hasProc ? links[path] : undefined),
    text: (path) => {
      const other = /^\/proc\/(self|\d+)\/stat$/.exec(path)?.[1]
      if (other === undefined) return missing(files[path])
      const number = other === "self" ? pid : Number(other)
      const process = all[number]
      return missing(hasProc && process !== undefined && process.isHidden !== true ? statOf(number, process) : undefined)
    },
    signal: (other) => {
      const process = all[other]
      if (process === undefined) throw coded("ESRCH")
      if (process.isForeign === true) throw coded("EPERM")
    },
  }
}

const clean = (text: string): string => text

/** The evidence that a process of a machine leaves. */
const ownerOn = (machine: Machine): Owner => ({
  ...thisProcess(clean, systemOf(machine)),
  ...{ v: 1, attempt: "a", isolate: "another isolate", since: "2026-01-01T00:00:00.000Z" },
})

const seen = (owner: Owner, from: Machine): Observation => {
  const system = systemOf(from)
  return observe(owner, thisProcess(clean, system), tableOf(system), () => false)
}

/** The owner is process 7 and started at 100; what is seen of it when that number belongs to `process`, or to nobody. */
const owner = ownerOn({ pid: 7, processes: { 7: { start: "100" } } })
const with7 = (process?: Process, machine: Machine = {}): Observation =>
  seen(owner, { ...machine, processes: process === undefined ? {} : { 7: process } })

describe("on the same machine, in the same space", () => {
  test.each<[string, Process | undefined, Observation]>([
    ["no such process", undefined, "absent"],
    ["the process, at work", { state: "R" }, "running"],
    ["the process, asleep", { state: "S" }, "running"],
    ["the process, waiting for a disk", { state: "D" }, "running"],
    ["the process, stopped", { state: "T" }, "stopped"],
    ["the process, traced", { state: "t" }, "stopped"],
    ["the process, ended and not collected", { state: "Z" }, "zombie"],
    ["the process, just ending", { state: "X" }, "zombie"],
    ["another process of that number", { start: "101" }, "reused"],
    ["another process of that number, stopped", { start: "101", state: "T" }, "reused"],
    ["a process of another user whose entry is shown", { isForeign: true }, "running"],
    ["another process of another user", { isForeign: true, start: "101" }, "reused"],
    ["a process of another user whose entry is hidden", { isForeign: true, isHidden: true }, "unobservable"],
    ["a process whose entry is hidden", { isHidden: true }, "unobservable"],
    ["a name with a state and brackets in it", { name: "a) Z 1 (", state: "S" }, "running"],
    ["a name with a newline", { name: "a\n7 (b) Z", state: "T" }, "stopped"],
    ["a name of fifteen bytes that are no whole letters", { name: "ééééééé\u00c3", state: "Z" }, "zombie"],
  ])("%s", (_, process, expected) => {
    expect(with7(process)).toBe(expected)
  })

  test("a process that ends between two looks is absent", () => {
    const system = systemOf({})
    let asked = 0
    const table = { probe: () => (asked++ === 0 ? ("exists" as const) : ("absent" as const)), stat: () => undefined }
    expect(observe(owner, thisProcess(clean, system), table, () => false)).toBe("absent")
  })

  test("start times of other clocks cannot be compared", () => {
    expect(with7({ start: "101" }, { clocks: "time:[2]" })).toBe("unobservable")
    expect(with7(undefined, { clocks: "time:[2]" })).toBe("absent")
    expect(seen({ ...owner, startTicks: null }, { processes: { 7: { start: "101" } } })).toBe("unobservable")
  })
})

describe("where the numbers of processes say nothing", () => {
  test("without /proc, or with the /proc of another space, nobody is observable", () => {
    expect(with7(undefined, { hasProc: false })).toBe("unobservable")
    expect(with7(undefined, { self: "4711" })).toBe("unobservable")
    expect(seen(ownerOn({ pid: 7, hasProc: false }), {})).toBe("unobservable")
    expect(thisProcess(clean, systemOf({ hasProc: false }))).toMatchObject({ startTicks: null, bootId: null, pidNs: null })
    expect(thisProcess(clean, systemOf({ self: "4711" })).startTicks).toBeNull()
  })

  test("another space of this machine, although the number is free here", () => {
    expect(with7(undefined, { space: "pid:[4026532999]" })).toBe("other-space")
    expect(seen(ownerOn({ pid: 1, space: "pid:[2]" }), { pid: 1, space: "pid:[3]" })).toBe("other-space")
  })

  test("another host, by its name or by its boot", () => {
    expect(with7(undefined, { host: "else" })).toBe("other-host")
    expect(with7(undefined, { boot: "other", machineId: "b2".repeat(16) })).toBe("other-host")
    expect(with7(undefined, { boot: "other", machineId: undefined })).toBe("other-host")
    expect(seen(ownerOn({ pid: 7, machineId: "" }), { boot: "other", machineId: "" })).toBe("other-host")
  })

  test("another boot of this machine, and not of a container that shares its names with another one", () => {
    expect(with7({ state: "R" }, { boot: "other" })).toBe("rebooted")
    expect(seen(ownerOn({ pid: 1, space: "pid:[2]" }), { boot: "other", space: "pid:[2]" })).toBe("other-host")
    expect(with7(undefined, { boot: undefined })).toBe("unobservable")
    expect(seen({ ...owner, bootId: null }, {})).toBe("unobservable")
    expect(seen({ ...owner, pidNs: null }, {})).toBe("unobservable")
  })
})

describe("this process", () => {
  test("another isolate of it is alive for all that can be seen", () => {
    const system = systemOf({})
    const self = thisProcess(clean, system)
    const mine: Owner = { ...owner, ...self, isolate: "another isolate" }
    expect(observe(mine, self, tableOf(system), () => false)).toBe("running")
  })

  test("the same isolate knows what it holds", () => {
    const system = systemOf({})
    const self = thisProcess(clean, system)
    const mine: Owner = { ...owner, ...self }
    expect(observe(mine, self, tableOf(system), (attempt) => attempt === "a")).toBe("held-here")
    expect(observe(mine, self, tableOf(system), () => false)).toBe("ended-here")
  })

  test("an earlier process of the same number is not this one", () => {
    expect(seen(ownerOn({ pid: 10, processes: { 10: { start: "40" } } }), { pid: 10 })).toBe("reused")
  })

  test("the id of the machine is not told, a digest of it is, and nothing that is no id counts", () => {
    const { machine } = thisProcess(clean, systemOf({}))
    expect(machine).toMatch(/^[0-9a-f]{32}$/)
    expect(machine).not.toBe("a1".repeat(16))
    for (const machineId of [undefined, "", "uninitialized\n"])
      expect(thisProcess(clean, systemOf({ machineId })).machine).toBeNull()
  })

  test("the real one can see itself", () => {
    const self = thisProcess(clean)
    const mine: Owner = { ...owner, ...self, isolate: "another isolate" }
    expect(observe(mine, self, tableOf(), () => false)).toBe("running")
    expect(observe({ ...mine, startTicks: "1" }, self, tableOf(), () => false)).toBe("reused")
  })
})
