/** What the steps of the demo share: where they work, and what one step leaves for the next. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { JsonObject } from "../../model/Json.ts"
import type { Secrets } from "./Secrets.ts"

/** An acknowledgement that the killed process gave. */
export interface Acknowledged {
  readonly n: number
  readonly id: string
}

export interface Stage {
  /** The id of this process. */
  readonly self: number
  readonly folder: string
  /** The bundled session, which is only read. */
  readonly source: string
  /** Its copy in the folder, which the demo goes on with. */
  readonly file: string
  /** The digest of the bundled session at the beginning. */
  readonly digest: string
  readonly secrets: Secrets
  readonly acknowledged: Array<Acknowledged>
  /** Live states and what their files replayed to, as JSON text, by when they were compared. */
  readonly comparisons: Array<{ readonly when: string; readonly live: string; readonly replayed: string }>
}

/** What a step has to say. */
export interface StepResult {
  /** Whether what it claims was proven. */
  readonly ok: boolean
  /** What it did and what that proves, a few lines. */
  readonly detail: ReadonlyArray<string>
}

/** The SHA-256 digest of a file as hex. */
export const digestOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

/** JSON text that is the same for equal values, whatever the order of their keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member as JsonObject).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : member,
  )
