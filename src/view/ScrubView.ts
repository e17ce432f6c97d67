/** Secrets that are to be taken out of a file that is there, or were, for people. */
import type { Scrubbed, ScrubbedFile, ScrubReport } from "../session/Scrub.ts"
import { visible } from "./Escape.ts"
import { findingLines, findingSentence } from "./FindingView.ts"
import { count } from "./Quantity.ts"
import { shellWord } from "./ShellWord.ts"
import type { Style } from "./Style.ts"

export interface ScrubViewOptions {
  readonly path: string
  readonly report: ScrubReport
  /** Undefined for a plan. */
  readonly done: Scrubbed | undefined
  /** A path as somebody types it. */
  readonly nameOf: (path: string) => string
}

const WORDS: { readonly [What in ScrubbedFile["what"]]: string } = {
  session: "",
  copy: " (put aside of it)",
  leftover: " (left by an attempt that was cut off)",
}

/** What happens, or happened, to a file in which something was found. */
const fateOf = ({ what }: ScrubbedFile, isDone: boolean, isPlan: boolean): string => {
  if (isPlan)
    return what === "session"
      ? "would be written without it"
      : `stays as it is, but with --copies is ${what === "copy" ? "written without it" : "removed"}`
  if (!isDone) return "still holds it"
  return what === "leftover" ? "removed" : "written without it, and searched: nothing is left"
}

const fileLines = (file: ScrubbedFile, { done, nameOf }: ScrubViewOptions, style: Style): ReadonlyArray<string> => {
  const isDone = done?.done.includes(file.path) === true
  const sign = done === undefined ? style.yellow("!") : isDone ? style.green("✓") : style.red("✗")
  return [
    `${sign} ${style.bold(visible(nameOf(file.path)))}${WORDS[file.what]}: ${findingSentence(file.findings)}; ${fateOf(file, isDone, done === undefined)}`,
    ...(done === undefined || !isDone ? findingLines(file.findings).map((line) => `    ${line}`) : []),
  ]
}

/** The lines of a plan, or of what became of it. */
export const scrubLines = (options: ScrubViewOptions, style: Style): ReadonlyArray<string> => {
  const { path, report, done, nameOf } = options
  if (report.files.length === 0 && report.blobs.length === 0)
    return [`${style.green("✓")} ${style.bold(visible(path))}: no secret found`]
  const copies = report.files.filter(({ what }) => what !== "session").length
  const flag = copies > 0 ? " --copies" : ""
  return [
    ...report.files.flatMap((file) => fileLines(file, options, style)),
    ...report.blobs.map(
      (blob) =>
        `${style.red("✗")} ${style.bold(visible(nameOf(blob.path)))}: a blob with a secret in it; blobs are never changed`,
    ),
    ...(done === undefined
      ? [`  ${style.dim("next")}  annals redact ${shellWord(path)} --write --yes${flag}`]
      : done.left.length > 0
        ? [
            `  ${count(done.left.length, "file")} still ${done.left.length === 1 ? "holds" : "hold"} secrets${copies > 0 ? ": with --copies they are written too" : ""}`,
          ]
        : []),
  ]
}
