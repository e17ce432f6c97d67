import { describe, expect, it } from "vitest"
import { bytesOf } from "../../laws/arbitraries/bytes.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { digests } from "../../src/journal/Digests.ts"
import { CHAIN_START, INTEGRITY, sealOf } from "../../src/journal/Integrity.ts"
import { readJournal } from "../../src/journal/Reader.ts"

const path = "/home/session.jsonl"

/** Lines of records as a writer leaves them. */
const seal = (texts: ReadonlyArray<string>, from = CHAIN_START): ReadonlyArray<string> => {
  let state = from
  return texts.map((text) => {
    const made = sealOf(digests, state, text)
    state = made.state
    return made.member === undefined ? text : `${text.slice(0, -1)}${made.member}}`
  })
}

const header = `{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/","integrity":"${INTEGRITY}"}`
const record = (id: string): string => `{"type":"message","id":"${id}","parentId":null,"timestamp":"t","n":"é🌿"}`
const patch = '{"type":"header_patch","patch":{"title":"x"}}'
const texts = [header, record("a"), record("b"), patch, record("c"), record("d")]
const lines = seal(texts)

const see = (given: ReadonlyArray<string> | Uint8Array) => {
  const bytes = given instanceof Uint8Array ? given : bytesOf(given.map((line) => `${line}\n`).join(""))
  const reading = readJournal(new SimulatedDisk({ [path]: bytes }), path)
  const raws: Array<string> = []
  const damages: Array<string> = []
  for (;;) {
    const next = reading.next()
    if (next.done) return { raws, damages, summary: next.value }
    if (next.value._tag === "Record") raws.push(next.value.record.raw)
    if (next.value._tag === "Damage") {
      const { kind, line, length } = next.value.damage
      damages.push(`${kind} ${line}+${length}`)
    }
  }
}

const size = (line: string | undefined): number => bytesOf(line ?? "").length

describe("records with seals", () => {
  it("are JSON for every other reader, and are read without their seals", () => {
    expect(lines.map((line) => JSON.parse(line)).map(({ _c, ...rest }) => JSON.stringify(rest))).toEqual(texts)
    const { raws, damages, summary } = see(lines)
    expect(raws).toEqual(texts)
    expect(damages).toEqual([])
    expect(summary.chain?.records).toBe(6)
  })

  it("have the seal that the format says", () => {
    expect(sealOf(digests, CHAIN_START, '{"a":1}')).toEqual({
      member: ',"_c":"1-c0045bd5b64fe89f-a8620b3c"',
      state: { records: 1, chain: "c0045bd5b64fe89f" },
    })
  })

  it("have none where a reader would refuse it, and where there is no member to put it behind", () => {
    expect(lines[3]).toBe(patch)
    for (const text of ["{}", "[]", patch, '{"type":"entry_patch","entryId":"a","patch":{"message":{}}}'])
      expect(sealOf(digests, CHAIN_START, text).member).toBeUndefined()
  })

  it("whose seal is not right, in a line that is JSON, are read and told as edited", () => {
    const edited = lines.with(2, (lines[2] ?? "").replace("é", "e"))
    expect(see(edited)).toMatchObject({
      raws: texts.with(2, record("b").replace("é", "e")),
      damages: [`edited 3+${size(edited[2])}`],
    })
    const digit = lines.with(
      2,
      (lines[2] ?? "").replace(/.("\})$/, (end) => (end.startsWith("0") ? `1"}` : `0"}`)),
    )
    expect(see(digit)).toMatchObject({ raws: texts, damages: [`edited 3+${size(digit[2])}`] })
  })

  it("whose seal is right cannot be read all the same when the line is not JSON", () => {
    const forged = sealOf(digests, CHAIN_START, '{"type":"x","t":,}').member
    expect(see([`{"type":"x","t":,${forged}}`]).damages[0]).toMatch(/^not-json 1\+/)
  })

  it("that stand there twice are told as such, and those that are gone are told by the gap", () => {
    expect(see([...lines, lines[5] ?? ""])).toMatchObject({
      raws: [...texts, record("d")],
      damages: [`repeated-line 7+${size(lines[5])}`],
    })
    expect(see(lines.toSpliced(1, 2)).damages).toEqual(["lost-records 3+0"])
    expect(see(lines.toSpliced(3, 1)).damages).toEqual(["lost-records 4+0"])
    expect(see(lines.slice(1)).damages).toEqual(["lost-records 1+0"])
  })

  it("that changed their places, or share a number with another, are told by their numbers", () => {
    const [a = "", b = ""] = [lines[1], lines[2]]
    expect(see(lines.with(1, b).with(2, a)).damages).toEqual(["lost-records 2+0", `out-of-order 3+${size(a)}`])
    const other = seal([record("z")], { records: 5, chain: "0123456789abcdef" })[0] ?? ""
    expect(see([...lines, other])).toMatchObject({ raws: [...texts, record("z")], damages: [`out-of-order 7+${size(other)}`] })
  })

  it("cover the lines before them that have none", () => {
    const edited = lines.with(3, patch.replace("x", "y"))
    expect(see(edited).damages).toEqual([`chain-broken 4+${size(patch) + 1}`])
    expect(see(lines.toSpliced(3, 0, patch)).damages).toHaveLength(1)
    expect(see(lines.with(0, header.replace("/", "/x"))).damages).toHaveLength(1)
    expect(see(lines.with(0, header)).damages).toEqual([])
  })

  it("go on behind what other programs have appended", () => {
    const foreign = [...lines, record("f"), record("g")]
    const { damages, summary } = see(foreign)
    expect(damages).toEqual([])
    const more = [...foreign, ...seal([record("h")], summary.chain)]
    expect(see(more).damages).toEqual([])
    expect(see(more.with(6, record("e"))).damages).toHaveLength(1)
  })

  it("are not told as lost where damage is told already", () => {
    const bytes = bytesOf(lines.map((line) => `${line}\n`).join(""))
    bytes.fill(0, size(lines[0]) + 20, size(lines[0]) + size(lines[1]) + 30)
    expect(see(bytes).damages.map((damage) => damage.split(" ")[0])).toEqual(["not-json", "nul-run", "not-json"])
    expect(see(lines.with(1, (lines[1] ?? "").replace(":", ";"))).damages).toHaveLength(1)
  })

  it("may be torn off at the end: that is a torn tail and nothing else", () => {
    expect(see(bytesOf(`${lines.slice(0, 2).join("\n")}\n${(lines[2] ?? "").slice(0, 40)}`)).damages).toEqual(["torn-tail 3+40"])
  })
})

describe("files without seals", () => {
  it("give no alarm, whatever is done to them", () => {
    expect(see([...texts, ...texts].toSpliced(2, 1)).damages).toEqual([])
    const likeOne = '{"type":"x","t":"t","_c":"00000000"}'
    expect(see([likeOne])).toMatchObject({ raws: [likeOne], damages: [], summary: { chain: undefined } })
  })

  it("are not looked at beyond their beginning, so the chain is not known", () => {
    expect(see(Array.from({ length: 100 }, (_, n) => record(`${n}`))).summary.chain).toBeUndefined()
    // But for a session that is told to have them, and was copied from one without.
    const copied = see([header, ...Array.from({ length: 100 }, (_, n) => record(`${n}`))])
    expect(copied.summary.chain?.records).toBe(101)
  })
})
