import { appendFileSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { afterAll, expect } from "vitest"
import { changesIn } from "../../src/disk/Changes.ts"

const folder = mkdtempSync(join(tmpdir(), "annals-changes-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("changes in a directory", () => {
  it.live("are told each time, also one that came while nobody waited", () =>
    Effect.gen(function* () {
      const change = yield* changesIn(folder)
      const waiting = yield* Effect.forkChild(change, { startImmediately: true })
      appendFileSync(join(folder, "a"), "1")
      yield* Fiber.join(waiting)
      renameSync(join(folder, "a"), join(folder, "b"))
      yield* change
    }),
  )

  it.live("are not told where there is nothing to watch, and waiting for them can be given up", () =>
    Effect.gen(function* () {
      const change = yield* changesIn(join(folder, "missing"))
      expect(yield* Effect.timeoutOption(change, 1)).toEqual(Option.none())
    }),
  )
})
