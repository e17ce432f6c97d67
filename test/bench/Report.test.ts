import { assert, describe, it } from "vitest"
import { plot } from "./Plot.ts"
import { type Report, readReport } from "./Report.ts"
import { entryText, footText, headText, short } from "./Table.ts"
import { figure, judge, judgeRatio, notMeasured } from "./Verdict.ts"

const least = { target: "as fast", direction: "at-least", wanted: 4 } as const

const entry: Report["entries"][number] = {
  id: "P0",
  work: "nothing",
  includes: "all of it",
  rounds: 3,
  load: [0.25, 1],
  figures: [figure("ours", "ms", [1, 2, 3]), figure("theirs", "ms", [4, 5, 1_234.5])],
  verdicts: [judgeRatio(least, [4, 5, 6], [1, 2, 3], ""), judge(least, [8], ""), notMeasured(least, "no peer")],
  failures: ["theirs: out of memory"],
}

const report: Report = {
  version: 1,
  time: "2026-01-01T00:00:00.000Z",
  isQuick: true,
  seconds: 59.6,
  machine: { node: "v24.0.0", platform: "Linux", cores: 2, memory: 24 * 2 ** 30 },
  peers: [
    { name: "pi", version: "1.6.0", isHere: false, why: "no network" },
    { name: "SQLite", version: "3.53.0", isHere: true },
  ],
  entries: [entry],
  growth: [
    {
      name: "g",
      title: "Cost & more",
      x: "n",
      y: "ms",
      series: [
        {
          name: "a",
          points: [
            { x: 1, y: 0.5 },
            { x: 100, y: 40 },
          ],
        },
        {
          name: "b",
          points: [
            { x: 1, y: 0.6 },
            { x: 100, y: 42 },
          ],
        },
      ],
    },
  ],
}

describe("the report for machines", () => {
  it("is read as it was written", () => assert.deepEqual(readReport(JSON.parse(JSON.stringify(report))), report))

  it("holds no figure that JSON has none for", () => {
    const broken = { ...report, entries: [{ ...entry, figures: [figure("none", "ms", [])] }] }
    assert.throws(() => readReport(JSON.parse(JSON.stringify(broken))), /median/)
  })

  it("lacks no member, and knows no other outcome", () => {
    const { seconds: _, ...without } = report
    assert.throws(() => readReport(without), /seconds/)
    const verdicts = [{ ...least, outcome: "nearly" }]
    assert.throws(() => readReport({ ...report, entries: [{ ...entry, verdicts }] }), /outcome/)
    assert.throws(() => readReport({ ...report, version: 2 }), /version/)
  })
})

describe("the report for people", () => {
  const lines = entryText(entry).split("\n")
  const line = (start: string): string => lines.find((each) => each.trim().startsWith(start)) ?? ""

  it("has the median and the spread of each figure", () => {
    assert.match(line("ours"), /2 ms\s+1 – 3$/)
    assert.match(line("theirs"), /5 ms\s+4 – 1,230$/)
    assert.include(lines.join("\n"), "median of 3 rounds, then the lowest and the highest; load 0.3 → 1.0")
  })

  it("says of each target whether it was met, missed and by how much, or not measured and why", () => {
    assert.equal(line("✗"), "  ✗  as fast: 2.5 (2 – 4), wanted ≥ 4: MISSED by a factor of 1.6")
    assert.equal(line("✓"), "  ✓  as fast: 8 (8 – 8), wanted ≥ 4")
    assert.equal(line("?"), "  ?  as fast: not measured, no peer")
    assert.equal(line("!"), "  !  theirs: out of memory")
  })

  it("says which peer is missing, and counts at the end", () => {
    assert.include(headText(report), "pi 1.6.0: NOT HERE, no network")
    assert.equal(footText(report), "1 targets met, 1 missed, 1 not measured, in 60 s")
  })

  it("writes three digits that count", () =>
    assert.deepEqual([0, 0.00012, 0.0123456, 1, 12.345, 999.6, 1_234.5, 1_234_567].map(short), [
      "0",
      "0.0001",
      "0.0123",
      "1",
      "12.3",
      "1000",
      "1,230",
      "1,230,000",
    ]))
})

describe("a plot", () => {
  const svg = plot(report.growth[0] as Report["growth"][number])

  it("has a line and a name for each series, and colours for a light and a dark page", () => {
    assert.equal(svg.split("<path ").length - 1, 2)
    assert.match(svg, /prefers-color-scheme:dark/)
    assert.include(svg, "Cost &amp; more")
    assert.isBelow(svg.length, 5_000)
  })

  it("draws greater values further up and further right, inside the picture", () => {
    const [, x0 = "", y0 = "", x1 = "", y1 = ""] = /d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"/.exec(svg) ?? []
    assert.isBelow(Number(x0), Number(x1))
    assert.isAbove(Number(y0), Number(y1))
    for (const place of [x0, y0, x1, y1].map(Number)) assert.isTrue(place > 0 && place < 520)
  })

  it("keeps names apart whose lines end at one place", () => {
    const ends = [...svg.matchAll(/<text class="t\d" x="[\d.]+" y="([\d.]+)"/g)].map(([, y]) => Number(y))
    assert.isAtLeast(Math.abs((ends[0] ?? 0) - (ends[1] ?? 0)), 13)
  })
})
