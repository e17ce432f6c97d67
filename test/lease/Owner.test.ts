import { expect, test } from "vitest"
import { decodeOwner, encodeOwner, isSameProcess, type Owner, startTicksOf } from "../../src/lease/Owner.ts"

const owner: Owner = {
  v: 1,
  attempt: "a",
  pid: 7,
  startTicks: "100",
  bootId: "b",
  pidNs: "pid:[1]",
  host: "h",
  isolate: "i",
  since: "2026-01-01T00:00:00.000Z",
}

test("evidence comes back as it was written, released or not", () => {
  for (const each of [
    owner,
    { ...owner, released: "2026-01-02T00:00:00.000Z" },
    { ...owner, startTicks: null, bootId: null, pidNs: null },
  ]) {
    expect(decodeOwner(encodeOwner(each))).toEqual(each)
  }
})

test("evidence that is torn, of a later version or not evidence at all tells nothing", () => {
  const whole = encodeOwner(owner)
  for (let cut = 0; cut < whole.length - 2; cut++) expect(decodeOwner(whole.slice(0, cut))).toBeUndefined()
  for (const other of [
    { v: 2 },
    { pid: "7" },
    { pid: 0 },
    { pid: 1.5 },
    { host: null },
    { attempt: undefined },
    { since: 3 },
    { isolate: [] },
  ]) {
    expect(decodeOwner(JSON.stringify({ ...owner, ...other }))).toBeUndefined()
  }
  for (const text of ["null", "[]", "1", '"owner"', "\0"]) expect(decodeOwner(text)).toBeUndefined()
})

test("the start of a process is read behind its name, whatever the name", () => {
  const fields = Array.from({ length: 30 }, (_, at) => `${at + 4}`).join(" ")
  for (const name of ["node", "a) R 1 (b", "a b", ")", "", "new\nline"])
    expect(startTicksOf(`1 (${name}) S ${fields}\n`)).toBe("22")
  for (const stat of ["", "1 (node) S 4 5", "no brackets ".repeat(30)]) expect(startTicksOf(stat)).toBeNull()
})

test("a process is the same by its isolate, or by everything that is known of it", () => {
  expect(isSameProcess(owner, { ...owner, isolate: "other" })).toBe(true)
  expect(isSameProcess(owner, { ...owner, pid: 8, startTicks: "200" })).toBe(true)
  for (const other of [{ pid: 8 }, { startTicks: "101" }, { bootId: "c" }, { pidNs: "pid:[2]" }, { startTicks: null }]) {
    expect(isSameProcess(owner, { ...owner, isolate: "other", ...other })).toBe(false)
  }
  const unknown = { ...owner, startTicks: null, bootId: null, pidNs: null }
  expect(isSameProcess(unknown, { ...unknown, isolate: "other" })).toBe(false)
})
