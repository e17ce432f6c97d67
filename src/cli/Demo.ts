/** `annals demo` */
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Files } from "../disk/Files.ts"
import { visible } from "../view/Escape.ts"
import { duration } from "../view/Quantity.ts"
import { stepLines } from "../view/StepView.ts"
import type { Style } from "../view/Style.ts"
import { Course } from "./demo/Course.ts"
import { goOn, open, refuseOther } from "./demo/GoingOn.ts"
import { killIt, resumeIt } from "./demo/Killing.ts"
import { noSecret, replayEqualsLive, sourceUnchanged } from "./demo/Proofs.ts"
import { knowIt, readIt } from "./demo/Reading.ts"
import { freshSecrets, VARIABLE } from "./demo/Secrets.ts"
import { bundledSession } from "./demo/Source.ts"
import { digestOf, type Stage } from "./demo/Stage.ts"
import { Ended } from "./Ended.ts"
import { Host } from "./Host.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { redaction, sessions } from "./Sessions.ts"

export interface DemoInput {
  readonly json: boolean
  readonly keep: boolean
}

/** Not every claim could be proven. */
class Unproven extends Data.TaggedError("Unproven")<{ readonly path: string; readonly message: string }> {
  readonly code = "demo.unproven"
}

/** The steps of the whole course. */
const STEPS = 9

/** A fresh folder with a copy of the bundled session in it. */
const setUp = (temporary: string, self: number): Stage => {
  const folder = mkdtempSync(join(temporary, "annals-demo-"))
  const file = join(folder, "session.jsonl")
  copyFileSync(bundledSession, file)
  chmodSync(file, 0o600)
  const digest = digestOf(bundledSession)
  return { self, folder, source: bundledSession, file, digest, secrets: freshSecrets(), acknowledged: [], comparisons: [] }
}

/** The stage, whose folder goes away at the end unless it is to be kept or something in it could not be proven. */
const stage = (course: Course, keep: boolean) =>
  Effect.flatMap(Host, ({ temporary, pid }) =>
    Effect.acquireRelease(
      Effect.sync(() => setUp(temporary, pid)),
      ({ folder }) =>
        Effect.sync(() => {
          if (!keep && course.ok) rmSync(folder, { recursive: true, force: true })
        }),
    ),
  )

/** Both steps with the session open in this process. The lease ends with them. */
const inThisProcess = (on: Stage, course: Course) =>
  Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* Effect.cached(open(on))
      yield* course.step(
        "Go on with it, after a migration with consent",
        Effect.flatMap(opened, (tree) => goOn(on, tree)),
      )
      yield* course.step(
        "Let nobody else write meanwhile",
        Effect.flatMap(opened, (tree) => refuseOther(on, tree)),
      )
    }),
  )

const runAll = Effect.fnUntraced(function* (on: Stage, course: Course) {
  yield* course.step("Read a damaged session", readIt(on))
  yield* course.step("Know what it is", knowIt(on))
  yield* inThisProcess(on, course)
  yield* course.step("Kill a writer in the middle", killIt(on))
  yield* course.step("Resume", resumeIt(on))
  yield* course.step("Find no secret anywhere", noSecret(on))
  yield* course.step("Leave the source as it was", sourceUnchanged(on))
  yield* course.step("Replay equals what was live", replayEqualsLive(on))
})

const nextLines = (style: Style): ReadonlyArray<string> => [
  "Now on sessions of your own. These change nothing:",
  "",
  `  npm run -s annals -- verify ~/.pi/agent/sessions/*/*.jsonl   ${style.dim("is every byte well?")}`,
  `  npm run -s annals -- show FILE                               ${style.dim("what is this session?")}`,
  `  npm run -s annals -- tree FILE                               ${style.dim("where did it branch?")}`,
  `  npm run -s annals -- context FILE                            ${style.dim("what would the model see?")}`,
  "",
  style.dim("Installed, each is annals COMMAND …; annals --help names them all."),
]

const closing = (course: Course, { folder }: Stage, keep: boolean, style: Style): ReadonlyArray<string> => {
  const sum = `${course.steps.length} of ${STEPS} steps proven in ${duration(course.took)}`
  const kept = keep ? `The folder is kept: ${visible(folder)}` : "The folder is removed."
  return [`${style.green("✓")} ${style.bold(sum)}. ${kept}`, "", ...nextLines(style)]
}

/** A secret of the environment is among the demo's: in this process and in those that it starts. */
const withSecret = (host: typeof Host.Service, { secrets }: Stage): Layer.Layer<Host> =>
  Layer.succeed(Host, { ...host, environment: { ...host.environment, [VARIABLE]: secrets.environment.text } })

/** What programs get. */
const jsonOf = ({ steps, ok }: Course): object => ({
  steps: steps.map(({ name, ok, detail, took }) => ({ name, ok, detail: detail.join("; "), ms: took })),
  ok,
})

export const demo = ({ json, keep }: DemoInput) =>
  Effect.gen(function* () {
    const output = yield* Output
    const { style, columns } = output
    const print = (lines: ReadonlyArray<string>) =>
      json ? Effect.void : Effect.provideService(printLines(lines), Output, output)
    const course = new Course((step, number) => print(stepLines(step, number, style, columns)))
    const on = yield* stage(course, keep)
    const host = withSecret(yield* Host, on)
    yield* print([`${style.bold("annals demo")}  ${style.dim(`in ${visible(on.folder)}, offline`)}`, ""])
    const services = Layer.mergeAll(sessions("synced"), redaction, Files.layer).pipe(Layer.provideMerge(host))
    yield* runAll(on, course).pipe(Effect.provide(services))
    if (json) yield* printJson(jsonOf(course))
    if (course.ok) return yield* print(closing(course, on, keep, style))
    if (json) return yield* new Ended({ exit: 1 })
    const message = `Step ${course.steps.length} of ${STEPS} could not be proven; the folder is kept: ${on.folder}`
    return yield* new Unproven({ path: on.folder, message })
  }).pipe(Effect.scoped)
