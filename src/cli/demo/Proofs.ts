/** The last steps: proofs over everything that lies in the folder by then. */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import { bytes, count, integer } from "../../view/Quantity.ts"
import { MARKER } from "./Conversation.ts"
import { search } from "./Search.ts"
import { digestOf, type Stage, type StepResult } from "./Stage.ts"

/** No secret in any byte or name; and the same search does find what is there. */
export const noSecret = (stage: Stage): Effect.Effect<StepResult> =>
  Effect.sync(() => {
    const needles = Object.values(stage.secrets).flatMap(({ kind, parts }) => parts.map((text) => ({ kind, text })))
    const { files, bytes: size, forms, found } = search(stage.folder, needles)
    const control = search(stage.folder, [{ kind: "marker", text: MARKER }]).found.length > 0
    const where = found.slice(0, 3).map(({ kind, form, file }) => `${kind} as ${form} in ${file}`)
    return {
      ok: found.length === 0 && control,
      detail: [
        `${count(files, "file")}, ${bytes(size)}, names included, searched for ${count(needles.length, "part")} of the secrets in ${integer(forms)} forms (raw, JSON, URL, hex, base64, …)`,
        found.length === 0 ? "none is there" : `FOUND: ${where.join("; ")}`,
        control
          ? "the same search finds a harmless word of the same conversation"
          : "the search did not find a word that is there",
      ],
    }
  })

/** The source is what it was. */
export const sourceUnchanged = ({ source, digest }: Stage): Effect.Effect<StepResult> =>
  Effect.sync(() => {
    const now = digestOf(source)
    return {
      ok: now === digest,
      detail: [`${basename(source)} has the digest it had at the beginning: sha-256 ${now.slice(0, 16)}…`],
    }
  })

/** What the files replay to is what the hosts had in memory. */
export const replayEqualsLive = ({ comparisons }: Stage): Effect.Effect<StepResult> =>
  Effect.sync(() => {
    const different = comparisons.filter(({ live, replayed }) => live !== replayed)
    const sizes = comparisons.map(({ when, live }) => `${when} (${bytes(live.length)} of state)`)
    return {
      ok: comparisons.length > 1 && different.length === 0,
      detail:
        different.length === 0
          ? [`compared twice, member by member, seen through redaction: ${sizes.join(" and ")}`]
          : different.map(({ when }) => `they differ ${when}`),
    }
  })
