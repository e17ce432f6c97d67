import { expect, test } from "vitest"
import { decodeOwner, encodeOwner, isSameProcess, type Owner, statFieldsOf } from "../../src/lease/Owner.ts"

const owner: Owner = {
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

test("the state and the start of a process are read behind its name, whatever the name", () => {
  const fields = Array.from({ length: 30 }, (_, at) => `${at + 4}`).join(" ")
  for (const name of ["node", "a) R 1 (b", "a) R 1 ((", "a b", ")", "", "new\nline", "a) Z\n9 (", "ééééééé", "\u00e2\u0080"])
    expect(statFieldsOf(`1 (${name}) S ${fields}\n`)).toEqual({ state: "S", startTicks: "22" })
  for (const stat of ["", "1 (node) S 4 5", "no brackets ".repeat(30)]) expect(statFieldsOf(stat)).toBeUndefined()
})

test("what is not understood of an owner, an offer or a force is left out, and never the whole", () => {
  const offer = { attempt: "o", until: "2026-01-01T00:01:00.000Z" }
  const forced = {
    at: "t",
    by: "ada",
    reason: "r",
    why: "owner-other-host",
    from: { attempt: "f", pid: 3, host: "h", since: "s" },
  }
  const whole: Owner = { ...owner, lock: "12", offer, forced }
  expect(decodeOwner(encodeOwner(whole))).toEqual(whole)
  expect(decodeOwner(encodeOwner({ ...owner, lock: null }))).toEqual({ ...owner, lock: null })
  const strange = { lock: 7, offer: { attempt: 1, until: "u" }, forced: { at: "t" }, released: 9, later: true }
  expect(decodeOwner(JSON.stringify({ ...owner, ...strange }))).toEqual(owner)
  expect(decodeOwner(JSON.stringify({ ...owner, offer: null, forced: 3 }))).toEqual(owner)
  expect(decodeOwner(JSON.stringify({ ...owner, forced: { ...forced, from: { pid: 0 } } }))?.forced?.from).toBeNull()
  const { timeNs: _t, machine: _m, ...earlier } = owner
  expect(decodeOwner(JSON.stringify(earlier))).toEqual({ ...owner, timeNs: null, machine: null })
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
