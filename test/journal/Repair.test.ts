import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Result from "effect/Result"
import { describe, expect, onTestFinished, test } from "vitest"
import { bytesOf, concat } from "../../laws/arbitraries/bytes.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { readJournal } from "../../src/journal/Reader.ts"
import { applyRepair, repairNames } from "../../src/journal/Repair.ts"
import { Planner, planRepair } from "../../src/journal/RepairPlan.ts"
import { bind } from "./disks.ts"

const path = "/home/session.jsonl"
const names = repairNames(path, Date.UTC(2026, 10, 30, 17, 5), "attempt-1")

const planFor = (disk: Disk, name = path) => planRepair(readJournal(disk, name))

const planOf = (text: string | Uint8Array) => {
  const { actions, refusal } = planFor(new SimulatedDisk({ [path]: text }))
  return (
    refusal ?? actions.map(({ action, kind, line, offset, length }) => `${action} ${kind} line ${line} at ${offset}+${length}`)
  )
}

/** Repairs a file and gives it, and the lines of its quarantine. */
const repair = (bytes: string | Uint8Array) => {
  const disk = new SimulatedDisk({ [path]: bytes })
  const report = Result.getOrThrow(applyRepair(disk, planFor(disk), names))
  const quarantine = report.quarantine === undefined ? "" : disk.text(`/home/${report.quarantine}`)
  const lines = (quarantine ?? "").split("\n").slice(0, -1)
  return { disk, report, text: disk.text(path), quarantine: lines.map((line) => JSON.parse(line) as unknown) }
}

describe("the plan", () => {
  test.each(["", "{}\n", "\ufeff{}\r\n\r\n{}\n", "\n \n"])("%j needs nothing", (text) => expect(planOf(text)).toEqual([]))

  test("names each place once, in file order", () => {
    const text = `{}\noops\n{}{}\n{"cut{"type":"x","t":"y"}\n\0\0\n${"null\n".repeat(2)}{}{"torn`
    expect(planOf(text)).toEqual([
      "quarantine not-json line 2 at 3+5",
      "split glued line 3 at 10+0",
      "quarantine glued line 4 at 13+5",
      "quarantine nul-run line 5 at 39+3",
      "quarantine not-object line 6 at 42+5",
      "quarantine not-object line 7 at 47+5",
      "quarantine torn-tail line 8 at 54+6",
      "add-newline no-newline line 8 at 60+0",
    ])
  })

  test("a line of which nothing is kept goes with its newline and the blank lines behind it", () => {
    expect(planOf("{}\n oops \r\n\n\n{}\n")).toEqual(["quarantine not-json line 2 at 3+10"])
    expect(planOf("{}\noops\n\n")).toEqual(["quarantine not-json line 2 at 3+6"])
    expect(planOf("{}oops\n\n{}\n")).toEqual(["quarantine not-json line 1 at 2+4"])
  })

  test("only the newline is added to a last record that lacks it", () => {
    expect(planOf("{}\n{}")).toEqual(["add-newline no-newline line 2 at 5+0"])
    expect(planOf("{}\n{}\0")).toEqual(["quarantine nul-run line 2 at 5+1", "add-newline no-newline line 2 at 6+0"])
    expect(planOf('{}\n{"a')).toEqual(["quarantine torn-tail line 2 at 3+3"])
    expect(planOf("{}\noops\0")).toEqual(["quarantine torn-tail line 2 at 3+4", "quarantine nul-run line 2 at 7+1"])
  })

  test("nothing is planned for a file in which nothing can be read, or in UTF-16", () => {
    for (const text of ["oops\n", "\0\0{", '{"torn', "null\n[]\n"]) expect(planOf(text)).toBe("no-records")
    expect(planOf(new Uint8Array(Buffer.from('{"a":1}\n', "utf16le")))).toBe("utf-16")
  })
})

describe("records without effect", () => {
  /** A plan that takes out the records with the member `drop`. */
  const withoutDropped = (text: string | Uint8Array) => {
    const disk = new SimulatedDisk({ [path]: text })
    const planner = new Planner()
    const reading = readJournal(disk, path)
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) {
        const plan = planner.finish(next.value)
        Result.getOrThrow(applyRepair(disk, plan, names))
        return {
          actions: plan.actions.map(({ action, offset, length }) => `${action} ${offset}+${length}`),
          text: disk.text(path),
        }
      }
      const isDropped = next.value._tag === "Record" && "drop" in next.value.record.value
      planner.take(next.value, isDropped ? "duplicate-record" : undefined)
    }
  }

  test("go with their line, or leave the line to what else stands on it", () => {
    expect(withoutDropped('{}\n{"drop":1}\n\n{}\n')).toEqual({ actions: ["quarantine 3+12"], text: "{}\n{}\n" })
    expect(withoutDropped('{}{"drop":1}{}\n').text).toBe("{}\n{}\n")
    expect(withoutDropped('{}\n{"drop":1}').text).toBe("{}\n")
    expect(withoutDropped('{}\n {"drop":1}').text).toBe("{}\n \n")
    expect(withoutDropped('{}{"drop":1}').text).toBe("{}\n")
  })

  test("are not mended before they go", () => {
    const bad = concat([bytesOf('{}\n{"drop":"'), new Uint8Array([0xff]), bytesOf('"}\n{}\n')])
    expect(withoutDropped(bad)).toEqual({ actions: ["quarantine 3+13"], text: "{}\n{}\n" })
    const spread = '{}\n{"type":"x","t":"a\nb","drop":1}\n{}\n'
    expect(withoutDropped(spread)).toEqual({ actions: ["quarantine 3+32"], text: "{}\n{}\n" })
  })
})

describe("the repaired file", () => {
  test("keeps good lines byte for byte: spacing, CRLF, blank lines, byte order mark, big numbers", () => {
    const good = '\ufeff {"a": 1.0, "n":9007199254740993}\r\n\n{"z":-0}\t\n'
    const { disk } = repair(`${good}oops\n{"b":1e999}`)
    expect(Buffer.from(disk.bytes(path) ?? []).toString()).toBe(`${good}{"b":1e999}\n`)
  })

  test("has split what was glued, and the quarantine holds what was cut", () => {
    const { text, quarantine, report } = repair('{"a":1}{"b":2}\n{"cut":"é{"type":"x","t":"y"}\n')
    expect(text).toBe('{"a":1}\n{"b":2}\n{"type":"x","t":"y"}\n')
    expect(quarantine).toEqual([{ action: "quarantine", offset: 15, length: 10, line: 2, kind: "glued", text: '{"cut":"é' }])
    expect(report).toEqual({
      applied: true,
      backup: "session.jsonl.2026-11-30T17-05-00-000Z.backup",
      quarantine: "session.jsonl.2026-11-30T17-05-00-000Z.quarantine",
    })
  })

  test("a record that was not UTF-8 is written as it was read, its bad bytes are kept aside", () => {
    const bytes = concat([bytesOf('{"a":"'), new Uint8Array([0xff, 0x41, 0xc3]), bytesOf('"}\n')])
    const { text, quarantine } = repair(bytes)
    expect(text).toBe('{"a":"\ufffdA\ufffd"}\n')
    expect(quarantine).toEqual([{ action: "replace", offset: 6, length: 3, line: 1, kind: "not-utf8", base64: "/0HD" }])
  })

  test("a record that was spread over lines stands on one", () => {
    const spread = '{"type":"x","t":"a\r\nb\nc"}'
    const { text, quarantine } = repair(`{}\n${spread}\n`)
    expect(text).toBe('{}\n{"type":"x","t":"a\\r\\nb\\nc"}\n')
    expect(quarantine).toMatchObject([{ action: "replace", kind: "raw-newline", text: spread }])
  })

  test("a run of NULs is noted by its length alone, what is blank behind it by its bytes", () => {
    const { text, quarantine } = repair(concat([bytesOf("{}\n"), new Uint8Array(1_000_000), bytesOf("\n\n{}\n")]))
    expect(text).toBe("{}\n{}\n")
    expect(quarantine).toEqual([
      { action: "quarantine", offset: 3, length: 1_000_000, line: 2, kind: "nul-run" },
      { action: "quarantine", offset: 1_000_003, length: 2, line: 2, kind: "nul-run", text: "\n\n" },
    ])
  })

  test("a long stretch takes several lines of the quarantine", () => {
    const { quarantine } = repair(`{}\n${"é".repeat(500_000)}\n`)
    expect(quarantine.length).toBeGreaterThan(4)
    const pieces = quarantine as ReadonlyArray<{ readonly length: number; readonly text?: string; readonly base64?: string }>
    expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(1_000_001)
    const bytes = pieces.map(({ text, base64 }) => (text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text)))
    expect(Buffer.concat(bytes).toString()).toBe(`${"é".repeat(500_000)}\n`)
  })

  test("the old file stays as the backup; all three are for their owner alone", () => {
    const { disk, report } = repair("{}\noops\n")
    expect(disk.text(`/home/${report.backup}`)).toBe("{}\noops\n")
    const files = disk.paths().filter((name) => name.startsWith("/home/"))
    expect(files).toEqual([path, `${path}.2026-11-30T17-05-00-000Z.backup`, `${path}.2026-11-30T17-05-00-000Z.quarantine`])
    expect(files.filter((name) => name.endsWith(".jsonl"))).toEqual([path])
    expect(disk.lstat(path)?.mode).toBe(0o600)
    expect(disk.handles).toBe(0)
  })

  test("a second repair does nothing and makes no file", () => {
    const { disk } = repair("{}\noops\n{}")
    const before = disk.paths()
    const again = repairNames(path, 1, "attempt-2")
    expect(applyRepair(disk, planFor(disk), again)).toEqual(
      Result.succeed({ applied: false, backup: undefined, quarantine: undefined }),
    )
    expect(disk.paths()).toEqual(before)
  })

  test("without anything to keep aside there is no quarantine", () => {
    const { disk, report, text } = repair("{}{}")
    expect([text, report.quarantine]).toEqual(["{}\n{}\n", undefined])
    expect(disk.paths().filter((name) => name.includes("quarantine"))).toEqual([])
  })
})

describe("what is refused", () => {
  const reasonOf = (disk: Disk, plan = planFor(disk)) => {
    const result = applyRepair(disk, plan, names)
    return Result.isFailure(result) ? result.failure : undefined
  }

  test("a plan that says so", () => {
    const disk = new SimulatedDisk({ [path]: "oops\n" })
    expect(reasonOf(disk)).toMatchObject({ _tag: "RepairError", path, code: "repair.refused", reason: { why: "no-records" } })
    expect(disk.paths().filter((name) => name.startsWith("/home/"))).toEqual([path])
  })

  test("a file that changed since it was read, or is gone", () => {
    const disk = new SimulatedDisk({ [path]: "{}\noops\n" })
    const plan = planFor(disk)
    const handle = disk.open(path, "append")
    disk.write(handle, bytesOf("{}\n"))
    disk.close(handle)
    expect(reasonOf(disk, plan)?.code).toBe("repair.changed")
    expect(disk.text(path)).toBe("{}\noops\n{}\n")
    disk.unlink(path)
    expect(reasonOf(disk, plan)?.code).toBe("repair.changed")
  })

  test("a file that changes while the repaired one is written", () => {
    const disk = new SimulatedDisk({ [path]: "{}\noops\n" })
    const late: Disk = {
      ...bind(disk),
      sync: (handle) => {
        disk.sync(handle)
        const journal = disk.open(path, "append")
        disk.write(journal, bytesOf("{}\n"))
        disk.close(journal)
      },
    }
    expect(reasonOf(late)?.code).toBe("repair.changed")
    expect(disk.text(path)).toBe("{}\noops\n{}\n")
  })

  test("a name that belongs to something else; it is not replaced", () => {
    for (const taken of [names.backup, names.quarantine, names.temporary]) {
      const disk = new SimulatedDisk({ [path]: "{}\noops\n", [`/home/${taken}`]: "mine" })
      expect(reasonOf(disk)).toMatchObject({ code: "repair.taken", reason: { name: taken } })
      expect(disk.text(`/home/${taken}`)).toBe("mine")
      expect(disk.text(path)).toBe("{}\noops\n")
    }
  })

  test("a quarantine that is almost the one of an earlier attempt is something else", () => {
    const { disk, report } = repair("{}\noops\n")
    const written = disk.text(`/home/${report.quarantine}`) ?? ""
    for (const other of [written.slice(0, -1), `${written}\n`, written.replace("oops", "Oops"), ""]) {
      const again = new SimulatedDisk({ [path]: "{}\noops\n", [`/home/${names.quarantine}`]: other })
      expect(reasonOf(again)?.code).toBe("repair.taken")
    }
    const same = new SimulatedDisk({ [path]: "{}\noops\n", [`/home/${names.quarantine}`]: written })
    expect(reasonOf(same)).toBeUndefined()
  })

  test("a full disk at any step leaves the file as it was, or repaired and not known to last", () => {
    const text = "{}\noops\n{}{}\n"
    const count = new SimulatedDisk({ [path]: text })
    const first = planFor(count)
    const from = count.operations
    applyRepair(count, first, names)
    let refusals = 0
    for (let step = from + 1; step <= count.operations; step++) {
      const disk = new SimulatedDisk({ [path]: text })
      const plan = planFor(disk)
      disk.fail(step, "ENOSPC")
      const error = reasonOf(disk, plan)
      if (error === undefined) continue
      refusals++
      expect(["repair.unwritten", "repair.uncertain"]).toContain(error.code)
      expect(disk.text(path)).toBe(error.code === "repair.uncertain" ? "{}\n{}\n{}\n" : text)
      expect(error.message).toContain("ENOSPC")
    }
    expect(refusals).toBeGreaterThan(10)
  })
})

test("on the disk of the machine", () => {
  const folder = fs.mkdtempSync(join(tmpdir(), "annals-repair-"))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "session.jsonl")
  const line = `{"type":"x","t":"${"y".repeat(5_000)}"}\n`
  fs.writeFileSync(file, `${line.repeat(500)}oops\n${line.repeat(500)}{"torn`)
  const report = Result.getOrThrow(applyRepair(nodeDisk, planFor(nodeDisk, file), repairNames(file, 0, "one")))
  expect(fs.readFileSync(file, "utf8")).toBe(line.repeat(1_000))
  expect(fs.readFileSync(join(folder, report.backup ?? ""), "utf8")).toHaveLength(1_000 * line.length + 5 + 6)
  expect(fs.readdirSync(folder).sort()).toEqual(["session.jsonl", report.backup, report.quarantine].sort())
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(planFor(nodeDisk, file).actions).toEqual([])
})
