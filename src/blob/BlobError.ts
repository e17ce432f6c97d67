/** Why a blob could not be read or kept. Nothing that was there has been changed. */
import * as Data from "effect/Data"

export type BlobReason =
  /** There is no blob with this digest. */
  | { readonly _tag: "Missing"; readonly code: "blob.missing"; readonly ref: string; readonly path: string }
  /** What lies under the digest has other bytes. It is left as it is. */
  | { readonly _tag: "Corrupt"; readonly code: "blob.corrupt"; readonly ref: string; readonly path: string }
  /** The system does not let it be read: permissions, a link, a fault of the disk. */
  | {
      readonly _tag: "Unreadable"
      readonly code: "blob.unreadable"
      readonly ref: string
      readonly path: string
      readonly system: string
      readonly operation: string
    }
  /** The disk refused to take it, or to confirm that it will stay. */
  | {
      readonly _tag: "Unwritten"
      readonly code: "blob.unwritten"
      readonly ref: string
      readonly path: string
      readonly system: string
      readonly operation: string
    }

const describe = (reason: BlobReason): string => {
  switch (reason._tag) {
    case "Missing":
      return `${reason.path}: there is no such blob`
    case "Corrupt":
      return `${reason.path}: its bytes are not those that its name promises`
    case "Unreadable":
      return `${reason.path}: cannot be read (${reason.operation}: ${reason.system})`
    case "Unwritten":
      return `${reason.path}: not kept (${reason.operation}: ${reason.system})`
  }
}

export class BlobError extends Data.TaggedError("BlobError")<{ readonly reason: BlobReason }> {
  override get message(): string {
    return describe(this.reason)
  }
}
