/** `annals lock FILE` */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Files } from "../disk/Files.ts"
import { ReadError } from "../journal/Reader.ts"
import { Lease } from "../lease/Lease.ts"
import { distrustText } from "../lease/LeaseError.ts"
import type { Inspection } from "../lease/Taking.ts"
import { failureOf } from "../model/Failure.ts"
import { leaseLines } from "../view/LeaseView.ts"
import { Ended } from "./Ended.ts"
import { Host } from "./Host.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { leases } from "./Sessions.ts"
import { UsageError } from "./Usage.ts"

export interface LockInput {
  readonly file: string
  readonly force: boolean
  readonly reason: Option.Option<string>
  readonly json: boolean
}

const BUSY = 4
const UNSAFE = failureOf("lease.unsafe").exit

/** A session that is not there has no lease. */
const existing = Effect.fnUntraced(function* (file: string) {
  const stat = (yield* Files).lstat(file)
  if (stat === undefined) return yield* new ReadError({ path: file, reason: { _tag: "NotFound", code: "read.not_found" } })
  if (stat.kind !== "file") return yield* new ReadError({ path: file, reason: { _tag: "NotAFile", code: "read.not_a_file" } })
})

/** The reason of a force. One does not go without the other. */
const reasonOf = ({ force, reason }: LockInput): Effect.Effect<string | undefined, UsageError> => {
  const text = Option.getOrUndefined(reason)?.trim()
  if (force === (text !== undefined && text !== "")) return Effect.succeed(force ? text : undefined)
  const message = force ? "--force needs a reason, which is written down: --reason TEXT" : "--reason goes with --force"
  return Effect.fail(new UsageError({ message, command: "annals lock" }))
}

/** Takes a lease by force and gives it back: what stood in the way is set aside for whoever comes next. */
const forced = Effect.fnUntraced(function* (path: string, reason: string) {
  const { environment } = yield* Host
  const by = environment["USER"] ?? environment["USERNAME"] ?? ""
  const lease = yield* Lease
  yield* Effect.scoped(lease.acquire(path, { force: { reason, by } }))
  return yield* lease.inspect(path)
})

const jsonOf = ({ decision, distrust, owner, offeredUntil }: Inspection, path: string, wasForced: boolean): object => ({
  path,
  free: decision.may && distrust === undefined,
  why: decision.may ? decision.ground : decision.obstacle,
  forcible: !decision.may && decision.forcible,
  forced: wasForced,
  ...(distrust === undefined ? {} : { unsafe: { why: distrustText(distrust), place: distrust.place } }),
  ...(owner === undefined ? {} : { owner }),
  ...(offeredUntil === undefined ? {} : { offeredUntil }),
})

export const lock = Effect.fnUntraced(function* (input: LockInput) {
  const { file, json } = input
  const reason = yield* reasonOf(input)
  yield* existing(file)
  const path = resolve(file)
  const { style } = yield* Output
  const found = yield* (yield* Lease).inspect(path)
  const isForced = reason !== undefined && !found.decision.may && found.decision.forcible
  const seen = isForced ? yield* forced(path, reason) : found
  yield* json
    ? printJson(jsonOf(seen, file, isForced))
    : printLines(leaseLines({ ...seen, path: file, wasForced: isForced }, style))
  if (seen.decision.may && seen.distrust !== undefined) return yield* new Ended({ exit: UNSAFE })
  if (!seen.decision.may) return yield* new Ended({ exit: BUSY })
}, Effect.provide(leases))
