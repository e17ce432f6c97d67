/**
 * One file verified: every byte read, every damage found, whatever the file holds.
 *
 * A session is judged by its bytes and by its records. Of a version that is not known and of a file that is no session, only the bytes can
 * be judged.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Disk } from "../disk/Disk.ts"
import { Files } from "../disk/Files.ts"
import type { Damage } from "../journal/Damage.ts"
import { type Missing, missingBy, readHighWater } from "../journal/HighWater.ts"
import type { ReadError, ReadSummary } from "../journal/Reader.ts"
import { readToEnd } from "../journal/RecordStream.ts"
import type { BlobProblem } from "../session/BlobReferences.ts"
import type { LoadedLedger } from "../session/LedgerLoad.ts"
import type { FormatError } from "../session/OpenError.ts"
import { type VerifiedTree, verifyTree } from "../session/TreeVerification.ts"
import { type Forced, kindOf } from "./Kind.ts"
import { lazily } from "./Lazily.ts"
import { lookupOf, progressOf } from "./Loading.ts"
import { Output } from "./Output.ts"

export interface Verification {
  readonly path: string
  readonly format: "tree" | "ledger" | "unknown"
  /** The agent whose way of writing it is. */
  readonly dialect?: string
  /** What the header says. Null where there is no version. */
  readonly version: unknown
  readonly records: number
  readonly entries: number
  readonly bytes: number
  readonly damage: ReadonlyArray<Damage>
  /** What is gone from its end of what was acknowledged, by its mark. Absent when nothing is known to be. */
  readonly missing?: Missing
  /** References to images that lead to nothing. No damage of this file, and absent when there are none. */
  readonly blobs?: ReadonlyArray<BlobProblem>
  /** Why the file is no session that can be used, although its bytes could be read. */
  readonly refusal?: FormatError
  readonly ok: boolean
}

/** A verification with what is gone from the end of the file. */
const withMissing = (disk: Disk, found: Verification, summary: ReadSummary): Verification => {
  const missing = missingBy(readHighWater(disk, found.path), summary)
  return missing === undefined ? found : { ...found, missing, ok: false }
}

const ofTree = (found: VerifiedTree): Verification => {
  const { path, dialect, version, hasHeader, entries, records, bytes, damages, blobs } = found
  return {
    path,
    format: hasHeader ? "tree" : "unknown",
    ...(hasHeader ? { dialect } : {}),
    version: hasHeader ? version : null,
    records,
    entries,
    bytes,
    damage: damages,
    ...(blobs.length === 0 ? {} : { blobs }),
    ok: damages.length === 0,
  }
}

const ofLedger = ({ path, state, records, bytes, damages }: LoadedLedger): Verification => ({
  path,
  format: "ledger",
  version: null,
  records,
  entries: state.conversation.length,
  bytes,
  damage: damages,
  ok: damages.length === 0,
})

const ofBytes = (path: string, refusal: FormatError): Effect.Effect<Verification, ReadError, Files | Output> =>
  Effect.gen(function* () {
    const damage: Array<Damage> = []
    const onProgress = progressOf(yield* Output, path)
    const disk = yield* Files
    const summary = yield* readToEnd(
      disk,
      path,
      (item) => {
        if (item._tag === "Damage") damage.push(item.damage)
      },
      { onProgress },
    )
    const { reason } = refusal
    const found: Verification = {
      path,
      format: reason._tag === "UnsupportedVersion" ? "tree" : "unknown",
      version: reason._tag === "UnsupportedVersion" ? reason.version : null,
      records: summary.records,
      entries: 0,
      bytes: summary.bytes,
      damage,
      refusal,
      ok: false,
    }
    return withMissing(disk, found, summary)
  })

/** Verifies a file as what it is, or as what it is said to be. Changes no byte. */
export const verifyFile = Effect.fnUntraced(function* (path: string, format: Forced) {
  const disk = yield* Files
  if ((yield* kindOf(path, format)) === "ledger") {
    const ledger = yield* lazily(
      () => import("./LedgerLoading.ts"),
      ({ loadLedgerFile }) => loadLedgerFile(path, format),
    )
    return withMissing(disk, ofLedger(ledger), ledger.summary)
  }
  const options = { lookup: yield* lookupOf(path), onProgress: progressOf(yield* Output, path) }
  const tree = Effect.map(verifyTree(disk, path, options), (found) => withMissing(disk, ofTree(found), found.summary))
  if (Option.isSome(format)) return yield* tree
  return yield* Effect.catchTag(tree, "FormatError", (refusal) => ofBytes(path, refusal))
})
