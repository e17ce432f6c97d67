/** Texts as they stand in transcripts: slices of one pool, so that making a gigabyte of them is fast. Pure. */
import type { Draw } from "./Draw.ts"

const WORDS =
  "the file reads line by line and every record that is whole stays whole while a test names what it holds so we look at where it ends then run it again because that one was cut before its turn came".split(
    " ",
  ) as [string, ...Array<string>]

const NAMES = "entry offset buffer reader parse value state result index length chunk record session leaf path".split(" ") as [
  string,
  ...Array<string>,
]

const codeLine = (draw: Draw): string => {
  const [a, b, c] = [draw.pick(NAMES), draw.pick(NAMES), draw.pick(NAMES)]
  switch (draw.below(6)) {
    case 0:
      return `  const ${a} = ${b}.${c}(${draw.below(1_000)})`
    case 1:
      return `  if (${a} === undefined) return { ok: false, ${b}: "${c}" }`
    case 2:
      return `src/${a}/${b}.ts:${draw.below(400)}:${draw.below(80)} - ${draw.pick(WORDS)} ${draw.pick(WORDS)} '${c}'`
    case 3:
      return `\t"${a}": [${draw.below(100)}, ${draw.below(100)}, "${b}\\n"],`
    case 4:
      return `-rw-r--r-- 1 dev dev ${draw.below(100_000)} ${a}.${b}`
    default:
      return `export function ${a}(${b}: string): ${c} {`
  }
}

const sentence = (draw: Draw): string =>
  `${Array.from({ length: 6 + draw.below(14) }, () => draw.pick(WORDS)).join(" ")}${draw.chance(0.02) ? " — schön 漢字 🙂" : ""}. `

/** Characters of text that ends nowhere in particular. */
const filled = (length: number, next: () => string): string => {
  const parts: Array<string> = []
  for (let size = 0; size < length; ) {
    const part = next()
    parts.push(part)
    size += part.length
  }
  return parts.join("")
}

export interface Wording {
  /** Source code and what tools print. */
  readonly code: (length: number) => string
  readonly prose: (length: number) => string
  /** Base64, as an image has it. */
  readonly image: (length: number) => string
}

const POOL = 1 << 18

/** Slices of pools made from the draws, each when it is first needed. A slice does not end in half a character. */
export const wording = (draw: Draw): Wording => {
  const from = (next: () => string) => {
    let pool: string | undefined
    return (length: number): string => {
      pool ??= filled(POOL, next)
      if (length > POOL / 2)
        return pool
          .repeat(Math.ceil(length / pool.length))
          .slice(0, length)
          .toWellFormed()
      const start = draw.below(pool.length - length)
      return pool.slice(start, start + length).toWellFormed()
    }
  }
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  return {
    code: from(() => `${codeLine(draw)}\n`),
    prose: from(() => sentence(draw)),
    image: from(() => alphabet.charAt(draw.below(64))),
  }
}
