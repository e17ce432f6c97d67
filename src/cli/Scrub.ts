/** `annals redact FILE --write`: the secrets that a session holds already, taken out of its file. */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Files } from "../disk/Files.ts"
import { Lease } from "../lease/Lease.ts"
import { Redaction } from "../redaction/Redaction.ts"
import { blobDirectory, foreignBlobs } from "../session/Place.ts"
import { planScrub, type Scrubbed, type ScrubReport, scrub } from "../session/Scrub.ts"
import { scrubLines } from "../view/ScrubView.ts"
import { Ended } from "./Ended.ts"
import { Host } from "./Host.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { leases, redaction } from "./Sessions.ts"
import { typedPath } from "./TypedPath.ts"

export interface ScrubInput {
  readonly file: string
  readonly yes: boolean
  readonly copies: boolean
  readonly json: boolean
}

/** Something was done, and not all of it. */
const PARTIAL = 7

const jsonOf = (file: string, { files, blobs }: ScrubReport, done: Scrubbed | undefined): object => ({
  path: file,
  applied: done !== undefined,
  files,
  blobs,
  ...(done === undefined ? {} : { done: done.done, left: done.left }),
})

export const write = Effect.fnUntraced(
  function* ({ file, yes, copies, json }: ScrubInput) {
    const { style } = yield* Output
    const { environment, home, directory } = yield* Host
    const room = { disk: yield* Files, redactor: yield* Redaction, lease: yield* Lease }
    const path = resolve(directory, file)
    const blobFolders = [blobDirectory(home, environment), ...foreignBlobs(path, environment)]
    const done = yes ? yield* scrub(room, path, { copies, blobFolders }) : undefined
    const report = done ?? (yield* planScrub(room, path, { blobFolders }))
    const nameOf = (one: string): string => room.redactor.redactText(typedPath(directory, one)).text
    yield* json ? printJson(jsonOf(file, report, done)) : printLines(scrubLines({ path: file, report, done, nameOf }, style))
    if (done !== undefined && done.left.length > 0) return yield* new Ended({ exit: PARTIAL })
  },
  Effect.scoped,
  Effect.provide(Layer.mergeAll(redaction, leases)),
)
