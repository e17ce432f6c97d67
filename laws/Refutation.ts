/** What a law that does not hold is told by: its counter-example, what went wrong with it, and the command that shows it again. */
import type { Law } from "./Law.ts"

/** The counter-example, and below it what went wrong with it. */
export const explain = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause === undefined ? (cause.stack ?? cause.message) : `${cause.message}\n\n${explain(cause.cause)}`
}

/** The command that replays a failure, from the seed and the path that its message gives. */
export const replayCommand = (law: Law, message: string): string => {
  const seed = /seed: (-?\d+)/.exec(message)?.[1]
  const path = /path: "([\d:]+)"/.exec(message)?.[1]
  // With a sign of equality, for half of all seeds begin with a minus.
  const rest = `${seed === undefined ? "" : ` --seed=${seed}`}${path === undefined ? "" : ` --path=${path}`}`
  return `npm run laws -- --law ${law.id}${rest}`
}
