/** A growth as a small picture, readable on a light and on a dark page. Pure. */
import type { Growth } from "./Report.ts"
import { short } from "./Table.ts"

const WIDTH = 520
const HEIGHT = 300
const LEFT = 62
const RIGHT = 150
const TOP = 34
const BOTTOM = 46

/** Colours that are told apart on both pages and by people who do not see all of them, and dashes for print. */
const LINES = [
  { light: "#0b62c4", dark: "#6cb2ff", dash: "" },
  { light: "#b45309", dark: "#f5b04c", dash: "7 4" },
  { light: "#0f766e", dark: "#4fd1c0", dash: "2 3" },
  { light: "#9d174d", dark: "#f58cba", dash: "9 3 2 3" },
] as const

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

interface Axis {
  readonly at: (value: number) => number
  readonly ticks: ReadonlyArray<number>
}

/** A logarithmic axis from the lowest to the highest value, at whole powers of ten where there are two of them. */
const axis = (values: ReadonlyArray<number>, from: number, to: number): Axis => {
  const known = values.filter((value) => value > 0)
  const [low, high] = [Math.log10(Math.min(...known)), Math.log10(Math.max(...known))]
  const [bottom, top] = [Math.floor(low + 1e-9), Math.max(Math.ceil(high - 1e-9), Math.floor(low + 1e-9) + 1)]
  const at = (value: number): number => from + ((Math.log10(value) - bottom) / (top - bottom)) * (to - from)
  return { at, ticks: Array.from({ length: top - bottom + 1 }, (_, n) => 10 ** (bottom + n)) }
}

const style = (count: number): string => {
  const colours = (page: "light" | "dark"): string =>
    LINES.slice(0, count)
      .map((line, n) => `.s${n}{stroke:${line[page]}}.t${n}{fill:${line[page]}}`)
      .join("")
  return [
    "text{font:11px system-ui,sans-serif;fill:#24292f}.h{font-weight:600;font-size:12px}",
    ".g{stroke:#d0d7de;stroke-width:1}path{fill:none;stroke-width:2}",
    colours("light"),
    `@media(prefers-color-scheme:dark){text{fill:#e6edf3}.g{stroke:#3d444d}${colours("dark")}}`,
  ].join("")
}

/** Where the names of the lines stand: at their ends, pushed apart so that none covers another. */
const places = (wanted: ReadonlyArray<number>): ReadonlyArray<number> => {
  const order = wanted.map((_, n) => n).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
  const found = [...wanted]
  let free = 0
  for (const n of order) {
    found[n] = Math.max(wanted[n] ?? 0, free)
    free = (found[n] ?? 0) + 14
  }
  return found
}

export const plot = ({ title, x, y, series }: Growth): string => {
  const points = series.flatMap((each) => each.points)
  const across = axis(
    points.map((point) => point.x),
    LEFT,
    WIDTH - RIGHT,
  )
  const up = axis(
    points.map((point) => point.y),
    HEIGHT - BOTTOM,
    TOP,
  )
  const fixed = (value: number): string => value.toFixed(1)
  const grid = [
    ...up.ticks.map((tick) => {
      const at = fixed(up.at(tick))
      const line = `<line class="g" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>`
      return `${line}<text x="${LEFT - 6}" y="${fixed(up.at(tick) + 4)}" text-anchor="end">${short(tick)}</text>`
    }),
    ...[...new Set(points.map((point) => point.x))].map(
      (value) => `<text x="${fixed(across.at(value))}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${short(value)}</text>`,
    ),
  ]
  const ends = places(series.map(({ points: of }) => up.at(of.at(-1)?.y ?? 1) + 4))
  const lines = series.map(({ name, points: of }, n) => {
    const path = of.map((point, k) => `${k === 0 ? "M" : "L"}${fixed(across.at(point.x))} ${fixed(up.at(point.y))}`).join("")
    const { dash } = LINES[n % LINES.length] ?? LINES[0]
    const end = across.at(of.at(-1)?.x ?? 1)
    const drawn = `<path class="s${n}" d="${path}"${dash === "" ? "" : ` stroke-dasharray="${dash}"`}/>`
    return `${drawn}<text class="t${n}" x="${fixed(end + 6)}" y="${fixed(ends[n] ?? 0)}">${escaped(name)}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style(series.length)}</style>`,
    `<text class="h" x="${LEFT}" y="16">${escaped(title)}</text>`,
    `<text x="${LEFT - 56}" y="16">${escaped(y)}</text>`,
    ...grid,
    ...lines,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(x)}</text>`,
    "</svg>",
    "",
  ].join("\n")
}
