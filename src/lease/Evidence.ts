import type { Owner } from "./Owner.ts"

/** What the evidence of a session says: nothing, somebody, or that it cannot be understood. */
export type Evidence =
  /** Neither evidence nor a lock: nobody was here yet. */
  | { readonly _tag: "None" }
  /** A lock without evidence: somebody is just taking it, or was cut off while doing so, or the evidence was removed. */
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Unreadable"; readonly how: Unreadable }
  | { readonly _tag: "Owner"; readonly owner: Owner }

export type Unreadable =
  /** Cut, of a later version, or nothing that we write. */
  | "torn"
  | "empty"
  | "oversized"
  /** A link, a directory or anything else that is no file. */
  | "not-a-file"
  /** The system does not let us read it. */
  | "denied"

/** The owner that evidence names, whether it holds the lease still or not. */
export const ownerOf = (evidence: Evidence): Owner | undefined => (evidence._tag === "Owner" ? evidence.owner : undefined)
