import { crc32 } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import { bytesOf } from "../../laws/arbitraries/bytes.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { SimulatedCrash } from "../../src/disk/Schedule.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { type ReadSummary, readJournal } from "../../src/journal/Reader.ts"
import { planRepair } from "../../src/journal/RepairPlan.ts"
import { planTail } from "../../src/journal/Tail.ts"
import { carryOutTail, quarantineName } from "../../src/journal/TailWork.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { loadTree } from "../../src/session/Load.ts"
import { rewriteInPlace } from "../../src/session/RewriteFile.ts"
import { bind } from "./disks.ts"

/** Files as disks, editors and other programs have left them, and what is done to them: nothing that could lose a byte. */

const path = "/home/s.jsonl"
const header = '{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/"}'
const one = '{"type":"message","id":"a1","parentId":null,"timestamp":"t","message":{"role":"user","content":"é🌿"}}'
const two = '{"type":"message","id":"b2","parentId":"a1","timestamp":"t","message":{"role":"user","content":"}{"}}'
const nul = (length: number): Uint8Array => new Uint8Array(length)

const readAll = (disk: Disk): ReadSummary => {
  const reading = readJournal(disk, path)
  for (;;) {
    const next = reading.next()
    if (next.done) return next.value
  }
}

describe("before the first append", () => {
  const carryOut = (disk: Disk, { identity, ...summary }: ReadSummary, isSession = true) =>
    carryOutTail(disk, path, identity, planTail(summary, isSession))

  const quarantine = (from: number, to: number): string => `/home/${quarantineName(path, from, to)}`

  test("a header alone gets its newline", () => {
    const disk = new SimulatedDisk({ [path]: header })
    expect(carryOut(disk, readAll(disk))).toEqual({ length: header.length + 1, quarantine: undefined })
    expect(disk.text(path)).toBe(`${header}\n`)
  })

  test("a torn tail goes into quarantine, also behind lines that end with CRLF", () => {
    const torn = one.slice(0, 70)
    const disk = new SimulatedDisk({ [path]: `${header}\r\n${torn}` })
    const from = header.length + 2
    const to = from + bytesOf(torn).length
    expect(carryOut(disk, readAll(disk))).toEqual({ length: from, quarantine: quarantine(from, to) })
    expect(disk.text(path)).toBe(`${header}\r\n`)
    expect(disk.text(quarantine(from, to))).toBe(torn)
  })

  test("a file of nothing but NULs is left as it is, and may be repaired: then a note says what was there", () => {
    const disk = new SimulatedDisk({ [path]: nul(413) })
    const summary = readAll(disk)
    expect(() => carryOut(disk, summary, false)).toThrowError(expect.objectContaining({ code: "ENOTSESSION" }))
    expect(disk.bytes(path)).toEqual(nul(413))
    expect(planRepair(readJournal(disk, path)).actions).toMatchObject([{ action: "quarantine", kind: "nul-run", length: 413 }])
  })

  const torn = one.slice(0, 30)
  const summed = (name: string): string => `${name}.${crc32(torn).toString(16).padStart(8, "0")}.quarantine`

  test("a torn tail goes under another name when its quarantine is taken by other bytes or by a folder", () => {
    const text = `${header}\n${torn}`
    const name = quarantine(header.length + 1, text.length)
    for (const taken of [{ [name]: "other bytes" }, { [name]: one.slice(0, 29) }, { [`${name}/file`]: "" }]) {
      const disk = new SimulatedDisk({ [path]: text, ...taken })
      expect(carryOut(disk, readAll(disk))).toEqual({ length: header.length + 1, quarantine: summed(name) })
      expect([disk.text(path), disk.text(summed(name))]).toEqual([`${header}\n`, torn])
      for (const [kept, bytes] of Object.entries(taken)) expect(disk.text(kept)).toBe(bytes)
    }
  })

  test("nothing is cut off when its quarantine is taken by other bytes or by a folder, under either name", () => {
    const text = `${header}\n${torn}`
    const name = quarantine(header.length + 1, text.length)
    const other = summed(name)
    for (const taken of [{ [other]: "other bytes" }, { [other]: one.slice(0, 29) }, { [`${other}/file`]: "" }]) {
      const disk = new SimulatedDisk({ [path]: text, [name]: "other bytes", ...taken })
      expect(() => carryOut(disk, readAll(disk))).toThrowError(expect.objectContaining({ code: "EEXIST" }))
      expect(disk.text(path)).toBe(text)
      expect(disk.handles).toBe(0)
    }
  })

  test("a quarantine that a process has left is durable before its bytes are cut off, also when that process had not made it so", () => {
    const text = `${header}\n${torn}`
    const name = quarantine(header.length + 1, text.length)
    const count = new SimulatedDisk({ [path]: text })
    const summary = readAll(count)
    const before = count.operations
    carryOut(count, summary)
    for (let step = 1; step <= count.operations - before; step++) {
      const disk = new SimulatedDisk({ [path]: text })
      const read = readAll(disk)
      disk.crashAt(disk.operations + step)
      expect(() => carryOut(disk, read)).toThrow(SimulatedCrash)
      disk.kill()
      carryOut(disk, readAll(disk))
      const cut = disk.crash((options) => options - 1)
      expect([cut.text(path), cut.text(name)]).toEqual([`${header}\n`, torn])
    }
  })

  test("nothing is cut off that is not in quarantine, whichever operation the disk refuses", () => {
    const text = `${header}\n${one.slice(0, 30)}`
    const name = quarantine(header.length + 1, text.length)
    const count = new SimulatedDisk({ [path]: text })
    const summary = readAll(count)
    const before = count.operations
    carryOut(count, summary)
    const steps = count.operations - before
    expect(steps).toBeGreaterThan(10)
    for (const code of ["ENOSPC", "EDQUOT", "EIO"]) {
      for (let step = 1; step <= steps; step++) {
        const disk = new SimulatedDisk({ [path]: text })
        const read = readAll(disk)
        disk.fail(disk.operations + step, code)
        try {
          carryOut(disk, read)
        } catch (cause) {
          expect(cause).toMatchObject({ code })
        }
        if (disk.text(path) !== text) expect([disk.text(path), disk.text(name)]).toEqual([`${header}\n`, one.slice(0, 30)])
        disk.heal()
        carryOut(disk, readAll(disk))
        expect([disk.text(path), disk.text(name)]).toEqual([`${header}\n`, one.slice(0, 30)])
      }
    }
  })

  test("nothing is done to a file that has grown, got shorter or become another one since it was read", () => {
    const text = `${header}\n${one.slice(0, 30)}`
    for (const now of [`${text}x`, header, text]) {
      const disk = new SimulatedDisk({ [path]: text })
      const summary = readAll(disk)
      disk.put(path, now)
      expect(() => carryOut(disk, summary)).toThrowError(expect.objectContaining({ code: "ECHANGED" }))
      expect(disk.text(path)).toBe(now)
    }
  })
})

describe("a migration", () => {
  const old = `{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}\n${one}\n${two}\n`
  /** Something happens before the rewrite reads, or when all is written and about to get its name. */
  const migrate = async (disk: SimulatedDisk, when: "read" | "sync", event: () => void) => {
    const loaded = await Effect.runPromise(loadTree(disk, path))
    const redactor = makeRedactor({ environment: {} })
    const whole = bind(disk)
    const shaken: Disk = {
      ...whole,
      [when]: (...args: Parameters<Disk["read"]>) => {
        event()
        return when === "read" ? whole.read(...args) : whole.sync(args[0])
      },
    }
    return Effect.runPromise(Effect.result(rewriteInPlace(shaken, loaded, redactor, { backup: "s.bak", temporary: ".s.tmp" })))
  }

  test.each(["grown", "been cut", "been changed"])("is given up when its source has %s, and the source is kept", async (what) => {
    const now = what === "grown" ? `${old}${one}\n` : what === "been cut" ? old.slice(0, -9) : old.replace("}{", "other")
    for (const when of ["read", "sync"] as const) {
      const disk = new SimulatedDisk({ [path]: old })
      const done = await migrate(disk, when, () => disk.put(path, now))
      expect(Result.isFailure(done) && done.failure.reason._tag).toBe("Changed")
      expect(disk.text(path)).toBe(now)
      expect(disk.paths().filter((name) => name !== path)).toEqual(["/home"])
      expect(disk.handles).toBe(0)
    }
  })

  test("is carried out when nothing comes between, and keeps its source aside", async () => {
    const disk = new SimulatedDisk({ [path]: old })
    const done = await migrate(disk, "read", () => {})
    expect(Result.isSuccess(done)).toBe(true)
    expect(disk.text("/home/s.bak")).toBe(old)
    expect(disk.text(path)).toContain('"version":5')
  })
})
