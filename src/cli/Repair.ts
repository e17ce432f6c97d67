/** `annals repair FILE` */
import { randomUUID } from "node:crypto"
import { dirname, join, resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Disk } from "../disk/Disk.ts"
import { Files } from "../disk/Files.ts"
import { ReadError } from "../journal/Reader.ts"
import { readToEnd } from "../journal/RecordStream.ts"
import { applyRepair, RepairError, type RepairReport, repairNames } from "../journal/Repair.ts"
import { Planner, type RepairPlan } from "../journal/RepairPlan.ts"
import { Lease } from "../lease/Lease.ts"
import { loadTree } from "../session/Load.ts"
import type { FormatError } from "../session/OpenError.ts"
import { planTreeRepair } from "../session/RepairFile.ts"
import { repairLines } from "../view/RepairView.ts"
import type { Forced, Kind } from "./Kind.ts"
import { progressOf } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { leases } from "./Sessions.ts"

export interface RepairInput {
  readonly file: string
  readonly yes: boolean
  readonly json: boolean
  readonly format: Forced
}

/** Which kind of session it is. A file that is none, or of a version that is not known, is not repaired. */
const kindOf = (path: string, format: Forced): Effect.Effect<Kind, ReadError | FormatError, Files | Output> =>
  Effect.gen(function* () {
    const forced = Option.getOrUndefined(format)
    if (forced !== undefined) return forced
    const onProgress = progressOf(yield* Output, path)
    return yield* loadTree(yield* Files, path, { onProgress }).pipe(
      Effect.as<Kind>("tree"),
      Effect.catchTag("FormatError", (error) =>
        error.reason._tag === "IsLedger" ? Effect.succeed<Kind>("ledger") : Effect.fail(error),
      ),
    )
  })

/** A plan for the bytes alone. */
const planBytes = (disk: Disk, path: string): Effect.Effect<RepairPlan, ReadError> =>
  Effect.suspend(() => {
    const planner = new Planner()
    return Effect.map(
      readToEnd(disk, path, (item) => planner.take(item)),
      (summary) => planner.finish(summary),
    )
  })

const planTree = (disk: Disk, path: string): Effect.Effect<RepairPlan, ReadError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(planTreeRepair(disk, path))
    } catch (cause) {
      return cause instanceof ReadError ? Effect.fail(cause) : Effect.die(cause)
    }
  })

const planOf = (disk: Disk, path: string, kind: Kind): Effect.Effect<RepairPlan, ReadError | RepairError> =>
  Effect.flatMap(kind === "tree" ? planTree(disk, path) : planBytes(disk, path), (plan) => {
    const why = plan.refusal
    return why === undefined
      ? Effect.succeed(plan)
      : Effect.fail(new RepairError({ path, reason: { _tag: "Refused", code: "repair.refused", why } }))
  })

/** Makes the plan and carries it out, nobody else writing meanwhile. */
const carryOut = Effect.fnUntraced(function* (disk: Disk, path: string, kind: Kind) {
  yield* (yield* Lease).acquire(path)
  const plan = yield* planOf(disk, path, kind)
  const names = repairNames(path, yield* Clock.currentTimeMillis, randomUUID())
  return { plan, report: yield* Effect.fromResult(applyRepair(disk, plan, names)) }
})

const jsonOf = ({ actions }: RepairPlan, path: string, { applied, backup, quarantine }: RepairReport): object => {
  const beside = (name: string): string => join(dirname(path), name)
  return {
    path,
    plan: actions.map(({ action, line, offset, length, kind }) => ({ action, line, offset, length, kind })),
    applied,
    ...(backup === undefined ? {} : { backup: beside(backup) }),
    ...(quarantine === undefined ? {} : { quarantine: beside(quarantine) }),
  }
}

const PLANNED: RepairReport = { applied: false, backup: undefined, quarantine: undefined }

export const repair = (input: RepairInput) =>
  Effect.gen(function* () {
    const { style } = yield* Output
    const disk = yield* Files
    const path = resolve(input.file)
    const kind = yield* kindOf(path, input.format)
    const { plan, report } = input.yes
      ? yield* carryOut(disk, path, kind)
      : { plan: yield* planOf(disk, path, kind), report: PLANNED }
    yield* input.json
      ? printJson(jsonOf(plan, input.file, report))
      : printLines(repairLines({ path: input.file, plan, report }, style))
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(Files.layer, leases)))
