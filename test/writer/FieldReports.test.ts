/** What has gone wrong for users when somebody else took the file away from its writer, as small as it could be made. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { line } from "../../laws/arbitraries/lines.ts"
import type { WriteError } from "../../src/writer/WriteError.ts"
import { Writer, type WriterFile } from "../../src/writer/Writer.ts"

const HEADER = '{"type":"session","version":5,"id":"s"}\n'

let folder = ""
let path = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "annals-taken-"))
  path = join(folder, "s.jsonl")
  writeFileSync(path, HEADER)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Appends a record, lets something happen, and appends five more. Gives the errors of those, and what is unsaved afterwards. */
const written = (meanwhile: () => void) => {
  const { dev, ino, size } = statSync(path, { bigint: true })
  const append = (file: WriterFile, n: number) => Effect.flatMap(file.append([line(n, 10)]), (seq) => file.reached(seq, "synced"))
  const story = Effect.gen(function* () {
    const file = yield* (yield* Writer).open({ path, identity: { device: dev, inode: ino }, length: Number(size) })
    yield* append(file, 1)
    meanwhile()
    const errors: Array<WriteError> = []
    for (let n = 2; n <= 6; n++) errors.push(yield* Effect.flip(append(file, n)))
    return { errors, recovery: yield* Effect.flip(file.recover), unsaved: (yield* file.unsaved).length }
  })
  return Effect.runPromise(Effect.scoped(story).pipe(Effect.provide(Writer.layer())))
}

describe("the file of a session that is at work", () => {
  it("was removed, every record went into a file without a name, and the end of the program said that all was well", async () => {
    const { errors, recovery, unsaved } = await written(() => rmSync(path))
    assert.deepEqual(
      errors.map(({ reason }) => reason.code),
      Array.from({ length: 5 }, () => "write.changed"),
    )
    assert.equal(new Set(errors).size, 1, "one failure, told each time")
    assert.deepEqual([recovery.reason.code, unsaved], ["write.changed", 1])
    assert.isFalse(existsSync(path), "no second file without a header")
  })

  it("was replaced by a link, and what came afterwards was appended to the file behind it", async () => {
    const other = join(folder, "other.jsonl")
    writeFileSync(other, "precious\n")
    const { errors } = await written(() => {
      renameSync(path, join(folder, "aside.jsonl"))
      symlinkSync(other, path)
    })
    assert.deepEqual([...new Set(errors.map(({ reason }) => reason.code))], ["write.changed"])
    assert.equal(readFileSync(other, "utf8"), "precious\n")
    assert.equal(readFileSync(join(folder, "aside.jsonl"), "utf8").split("\n").length, 3)
    assert.deepEqual(readdirSync(folder).sort(), ["aside.jsonl", "other.jsonl", "s.jsonl"])
  })
})
