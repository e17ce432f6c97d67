/** Why secrets could not be taken out of a file that is there. The file is as it was unless the reason says something else. */
import * as Data from "effect/Data"
import type { DiskFault } from "../disk/Disk.ts"

export type ScrubReason =
  /** No file that is written in place: no session and no JSONL by its name, or UTF-16. */
  | { readonly _tag: "Refused"; readonly code: "scrub.refused"; readonly why: "utf-16" | "not-records" }
  /** The file is not the one that was read. It is as its other writer left it. */
  | { readonly _tag: "Changed"; readonly code: "scrub.changed" }
  /** The disk refused. The file is as it was. */
  | { readonly _tag: "Unwritten"; readonly code: "scrub.unwritten"; readonly fault: DiskFault }
  /** The file was replaced, but the disk could not promise to keep it so: a power cut may bring back the old one. */
  | { readonly _tag: "Uncertain"; readonly code: "scrub.uncertain"; readonly fault: DiskFault }
  /** The new file is in place, and the search that followed found something in it all the same. */
  | { readonly _tag: "Left"; readonly code: "scrub.left"; readonly findings: number }

const describe = (reason: ScrubReason): string => {
  switch (reason._tag) {
    case "Refused":
      return reason.why === "utf-16" ? "is UTF-16 and not written" : "is no session and no JSONL, and not written in place"
    case "Changed":
      return "changed since it was read; nothing was done"
    case "Unwritten":
      return `not written (${reason.fault.message}); the file is as it was`
    case "Uncertain":
      return `written, but perhaps not for good (${reason.fault.message})`
    case "Left":
      return `written, and still not without findings (${reason.findings})`
  }
}

export class ScrubError extends Data.TaggedError("ScrubError")<{ readonly path: string; readonly reason: ScrubReason }> {
  get code(): ScrubReason["code"] {
    return this.reason.code
  }

  override get message(): string {
    return `${this.path}: ${describe(this.reason)}`
  }
}
