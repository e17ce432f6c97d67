import { describe, expect, test } from "vitest"
import { errorJson, reportOf } from "../../src/cli/Report.ts"
import { DiskFault } from "../../src/disk/Disk.ts"
import { ReadError } from "../../src/journal/Reader.ts"
import { LeaseError } from "../../src/lease/LeaseError.ts"
import { NotJson } from "../../src/redaction/NotJson.ts"
import { Rejected } from "../../src/session/DispatchError.ts"
import { FormatError } from "../../src/session/OpenError.ts"
import { unknownLeaf } from "../../src/tree/Rejection.ts"

const held = (path: string): LeaseError => {
  const owner = { pid: 42, since: "2026-01-01T00:00:00.000Z", host: "here", self: false }
  return new LeaseError({ reason: { _tag: "Held", code: "lease.held", path, owner, obstacle: "locked", forcible: false } })
}

describe("the report of an error", () => {
  test("has the code, the place and what follows from the code", () => {
    const reason = {
      _tag: "UnsupportedVersion",
      code: "format.unsupported_version",
      path: "/a b.jsonl",
      line: 1,
      offset: 0,
      version: 9,
    } as const
    expect(reportOf(new FormatError({ reason }))).toEqual({
      code: "format.unsupported_version",
      message: "/a b.jsonl: session version 9 is not one of 1 to 5",
      path: "/a b.jsonl",
      line: 1,
      offset: 0,
      safe: "No byte of the file was changed.",
      remedy: "Open the file with the program that wrote it, or with a newer version of this one.",
      exit: 6,
      facts: { version: 9 },
    })
  })

  test("names the file in the remedy as a shell takes it", () => {
    const ledger = (path: string) =>
      reportOf(new FormatError({ reason: { _tag: "IsLedger", code: "format.is_ledger", path } })).remedy
    expect(ledger("~/x.jsonl")).toContain("annals show ~/x.jsonl,")
    expect(ledger("/a b's.jsonl")).toContain("annals show '/a b'\\''s.jsonl',")
    expect(ledger("/$(touch x).jsonl")).toContain("annals show '/$(touch x).jsonl',")
  })

  test("tells programs who holds the lease", () => {
    expect(errorJson(reportOf(held("/s")))).toMatchObject({ code: "lease.held", path: "/s", owner: { pid: 42, self: false } })
  })

  test("takes the path of a reading error and not that of a value", () => {
    expect(reportOf(new ReadError({ path: "/s", reason: { _tag: "NotFound", code: "read.not_found" } }))).toMatchObject({
      path: "/s",
      exit: 3,
    })
    expect(reportOf(new NotJson({ path: "message.content", reason: "not-json", found: "undefined" }))).not.toHaveProperty("path")
  })

  test("takes a rejection for what it says", () => {
    expect(reportOf(new Rejected({ rejection: unknownLeaf("x") }))).toMatchObject({
      code: "tree.unknown_leaf",
      message: "The session has no entry x.",
      exit: 3,
    })
  })

  test("does not repeat what an unforeseen error says: it may quote a secret", () => {
    const quoting = (() => {
      try {
        return JSON.parse('{"password": hunter2hunter2')
      } catch (cause) {
        return cause
      }
    })()
    for (const error of [quoting, "hunter2hunter2", { message: "hunter2hunter2" }, undefined, null]) {
      const report = reportOf(error)
      expect(report).toMatchObject({ code: "internal.unexpected", exit: 1 })
      expect(JSON.stringify(report)).not.toContain("hunter2")
    }
  })

  test("says where in the program an unforeseen error arose, without a path of the machine", () => {
    expect(reportOf(new TypeError("x")).message).toMatch(/^An unexpected failure: TypeError at Report\.test\.ts:\d+$/)
  })

  test("says which operation of the disk failed", () => {
    expect(reportOf(new DiskFault("open", "/s", "EMFILE"))).toMatchObject({
      message: "The disk refused: open /s: EMFILE",
      exit: 1,
    })
  })

  test("cuts a message that goes on and on", () => {
    const reason = {
      _tag: "UnsupportedVersion",
      code: "format.unsupported_version",
      path: "/s",
      version: "v".repeat(9_999),
    } as const
    expect(reportOf(new FormatError({ reason })).message.length).toBe(500)
  })
})
