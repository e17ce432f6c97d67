/** New ledger sessions: from nothing, for a subagent, or with the history of another one. */
import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { createFile } from "../disk/Atomic.ts"
import { ensurePrivateDirectory } from "../disk/Directory.ts"
import { INTEGRITY } from "../journal/Integrity.ts"
import { readJournal } from "../journal/Reader.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { LedgerCommand } from "../ledger/Command.ts"
import { ledgerModel } from "../ledger/LedgerModel.ts"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import { childName, freshSessionId } from "../ledger/SessionId.ts"
import type { Edit } from "../model/Edit.ts"
import { type JsonObject, ownString } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { edited as membersEdited } from "../model/Members.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { Rejected } from "./DispatchError.ts"
import { edited } from "./EditedLine.ts"
import type { LoadedLedger } from "./LedgerLoad.ts"
import {
  childFolder,
  ENDING,
  type LedgerCreateOptions,
  type LedgerOpenOptions,
  nameOf,
  type OpenLedger,
  openAs,
  ownRecords,
  refuseLinks,
} from "./LedgerRoom.ts"
import { markedLine } from "./MarkedLine.ts"
import { onDisk, sweep, temporaryNameOf, unchangedSource } from "./OnDisk.ts"
import type { PrepareError } from "./OpenError.ts"
import { claim, publish, type Room } from "./Room.ts"
import { newJournal } from "./SealedJournal.ts"
import { declaring, firstLines, Sealer } from "./Sealing.ts"

type StartFields = LedgerCommand & { readonly do: "start" }

/** What a new session is about: its root, its model, and what else its start record says. */
export type LedgerStart = Omit<StartFields, "do" | "sessionId">

/** How many ids are tried when others take them at the same moment. */
const MAX_ATTEMPTS = 100

/** Whether somebody else has the name, or is about to. */
const isTaken = ({ reason }: PrepareError | LeaseError): boolean => reason._tag === "Exists" || reason._tag === "Held"

/** Takes an id that nobody has in a directory, and its lease. */
export const claimId = Effect.fnUntraced(function* (
  room: Room,
  directory: string,
  options: LedgerOpenOptions,
): Effect.fn.Return<{ readonly id: string; readonly path: string }, PrepareError | LeaseError, Scope.Scope> {
  yield* refuseLinks(room, directory, options)
  const stamp = yield* room.stamp
  for (let attempt = 0; ; attempt++) {
    const id = freshSessionId(stamp, attempt)
    const path = join(directory, `${id}${ENDING}`)
    const claimed = yield* Effect.result(claim(room, path))
    if (Result.isSuccess(claimed)) return { id, path }
    if (attempt >= MAX_ATTEMPTS || !isTaken(claimed.failure)) return yield* claimed.failure
  }
})

/** A session that begins with its start record. The caller has claimed the path. Its file comes into being with the first command. */
export const startLedger = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  sessionId: string,
  start: LedgerStart,
  { isStored, integrity }: LedgerCreateOptions,
): Effect.fn.Return<OpenLedger, PrepareError | Rejected<LedgerRejection>, Scope.Scope> {
  const decided = ledgerModel.decide(ledgerModel.initial, { do: "start", sessionId, ...start }, yield* room.stamp)
  if (Result.isFailure(decided)) return yield* new Rejected({ rejection: decided.failure })
  const { records, lines: clean } = ownRecords(room, declaring(decided.success, integrity))
  const { lines, chain } = firstLines(clean, integrity)
  const bytes = new TextEncoder().encode(lines.map(({ text }) => `${text}\n`).join(""))
  const prepare = Effect.gen(function* () {
    if (isStored === true) yield* onDisk(path, () => ensurePrivateDirectory(room.disk, dirname(path)))
    const file = yield* publish(room, path, bytes)
    return { journal: yield* newJournal(room, path, file, chain) }
  })
  return yield* openAs(room, { path, state: records.reduce(ledgerModel.evolve, ledgerModel.initial), prepare })
})

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/**
 * The name of a subagent's session. Of an id that holds a secret, whole or in part, nothing is in it but a digest of what redaction leaves:
 * a digest of the secret itself would tell whoever guesses it that he is right (law SEC-14).
 */
const nameOfChild = (redactor: Redactor, id: string): string => {
  const name = childName(id, sha256)
  const isClean = redactor.redactText(id).findings.length === 0 && redactor.redactText(name).findings.length === 0
  return isClean ? name : `subagent-${sha256(redactor.redactText(id).text).slice(0, 12)}`
}

/** The file of a subagent's session, in the folder of its parent. */
const childPath = (redactor: Redactor, parent: string, id: string): string =>
  join(childFolder(parent), `${nameOfChild(redactor, id)}${ENDING}`)

/** A session for a subagent, kept with its parent. */
export const startChild = Effect.fnUntraced(function* (
  room: Room,
  parent: string,
  id: string,
  start: LedgerStart,
  options: LedgerCreateOptions,
): Effect.fn.Return<OpenLedger, PrepareError | LeaseError | Rejected<LedgerRejection>, Scope.Scope> {
  const path = childPath(room.redactor, parent, id)
  yield* refuseLinks(room, dirname(path), options)
  yield* claim(room, path)
  return yield* startLedger(room, path, id === "" ? nameOf(path) : id, start, options)
})

/** Says whose session a record of a copy is: that of the copy, where it was that of the source. */
const renamed = (record: JsonObject, from: string | undefined, to: string): Edit | undefined =>
  from !== undefined && ownString(record, "sessionId") === from ? membersEdited(record, { sessionId: to }) : undefined

/** The line of a record in a copy, without what redaction finds in it, and with the mark of that. Every other byte stays. */
const copied = (room: Room, follower: Redactor, raw: string, from: string | undefined, to: string): CleanLine => {
  const change = renamed(parseJson(raw) as JsonObject, from, to)
  const { line, findings } = Result.getOrThrow(follower.cleanRaw(change === undefined ? raw : edited(raw, change)))
  return markedLine(room.redactor, line, findings)
}

/** The text of each record of a session. */
function* recordTexts({ disk }: Room, path: string): Generator<string> {
  for (const item of readJournal(disk, path)) if (item._tag === "Record") yield item.record.raw
}

/** A redactor that has learned from all records of the source and follows the copy from its beginning. */
const following = (room: Room, path: string): Redactor => {
  const reader = room.redactor.follow()
  for (const raw of recordTexts(room, path)) reader.cleanRaw(raw)
  return reader.follow()
}

/**
 * A new session with everything that another one holds, without the secrets that it holds, those cut over two records of one source
 * included (law SEC-11), and with seals made anew when it has them. The source is only read. Its subagents' sessions stay with it.
 */
export const forkLedger = Effect.fnUntraced(function* (
  room: Room,
  loaded: LoadedLedger,
  target: { readonly id: string; readonly path: string },
  { isStored }: LedgerOpenOptions,
): Effect.fn.Return<void, PrepareError> {
  const source = loaded.path
  const from = loaded.state.start?.sessionId
  const encoder = new TextEncoder()
  yield* onDisk(target.path, () => {
    unchangedSource(room.disk, source, loaded.summary.identity)
    if (isStored === true) ensurePrivateDirectory(room.disk, dirname(target.path))
    const temporaryName = temporaryNameOf(target.path)
    sweep(room.disk, join(dirname(target.path), temporaryName))
    const follower = following(room, source)
    const sealer = Sealer.of(loaded.summary.chain === undefined ? undefined : INTEGRITY)
    return createFile(
      room.disk,
      target.path,
      (put) => {
        for (const raw of recordTexts(room, source))
          put(encoder.encode(`${sealer.seal(copied(room, follower, raw, from, target.id)).text}\n`))
      },
      { temporaryName },
    )
  })
})
