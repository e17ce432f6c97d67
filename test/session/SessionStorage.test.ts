import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { line, textOf } from "../../laws/arbitraries/lines.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { SessionStorage, StorageError } from "../../src/session/SessionStorage.ts"

const folder = mkdtempSync(join(tmpdir(), "annals-storage-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const clean = (text: string) => makeRedactor({ environment: {} }).cleanText(text).text

type Storage = Parameters<Parameters<typeof SessionStorage.use>[0]>[0]

const suite = (name: string, layer: Layer.Layer<SessionStorage>, root: string): void => {
  const run = <A, E>(body: (storage: Storage) => Effect.Effect<A, E, Scope.Scope>) =>
    Effect.flatMap(SessionStorage, body).pipe(Effect.scoped, Effect.provide(layer))
  const at = (file: string): string => `${root}/deep/er/${file}`

  describe(name, () => {
    it.live("makes directories, writes whole texts, and tells what a name stands for", () =>
      run((storage) =>
        Effect.gen(function* () {
          storage.ensureDirSync(`${root}/deep/er`)
          assert.isFalse(storage.existsSync(at("a.jsonl")))
          storage.writeTextSync(at("a.jsonl"), clean("one\n"))
          yield* storage.writeText(at("a.jsonl"), clean("another\n"))
          assert.equal(yield* storage.readText(at("a.jsonl")), "another\n")
          const stat = storage.statSync(at("a.jsonl"))
          assert.deepEqual([stat.isFile, stat.size, stat.nlink], [true, 8, 1])
          assert.isTrue(yield* storage.exists(at("a.jsonl")))
        }),
      ),
    )

    it.live("reads a beginning, and cuts no character in two", () =>
      run((storage) =>
        Effect.gen(function* () {
          storage.ensureDirSync(`${root}/deep/er`)
          storage.writeTextSync(at("prefix"), clean("aé🌿b"))
          const texts = []
          for (let bytes = 0; bytes <= 9; bytes++) texts.push(yield* storage.readTextPrefix(at("prefix"), bytes))
          assert.deepEqual(texts, ["", "a", "a", "aé", "aé", "aé", "aé", "aé🌿", "aé🌿b", "aé🌿b"])
        }),
      ),
    )

    it.live("lists, renames and removes", () =>
      run((storage) =>
        Effect.gen(function* () {
          const directory = `${root}/list`
          storage.ensureDirSync(directory)
          for (const file of ["b.jsonl", "a.jsonl", "c.txt", ".hidden.jsonl"])
            storage.writeTextSync(`${directory}/${file}`, clean(file))
          assert.deepEqual(storage.listFilesSync(directory, ".jsonl"), [`${directory}/a.jsonl`, `${directory}/b.jsonl`])
          yield* storage.rename(`${directory}/a.jsonl`, `${directory}/b.jsonl`)
          yield* storage.unlink(`${directory}/c.txt`)
          assert.deepEqual(storage.listFilesSync(directory), [`${directory}/b.jsonl`])
          assert.equal(yield* storage.readText(`${directory}/b.jsonl`), "a.jsonl")
        }),
      ),
    )

    it.live("fails with a typed error, thrown or not, for what is not there", () =>
      run((storage) =>
        Effect.gen(function* () {
          for (const operation of [storage.readText, storage.unlink, (path: string) => storage.rename(path, `${path}2`)]) {
            const error = yield* Effect.flip(operation(at("none")))
            assert.equal(error.reason._tag, "NotFound")
          }
          assert.throws(() => storage.statSync(at("none")), StorageError)
          assert.throws(() => storage.listFilesSync(`${root}/no such`), StorageError)
        }),
      ),
    )

    it.live("writes lines behind what is there, at a line boundary", () =>
      run((storage) =>
        Effect.gen(function* () {
          const path = `${root}/new/w.jsonl`
          const writer = yield* storage.openWriter(path)
          yield* writer.writeLine(line(1, 10))
          yield* writer.writeLine(line(2, 10))
          yield* writer.flush
          yield* writer.fsync
          assert.isUndefined(yield* writer.getError)
          yield* writer.close
          assert.equal((yield* Effect.flip(writer.writeLine(line(3, 10)))).reason._tag, "Closed")
          storage.writeTextSync(path, clean(`${textOf(line(1, 10))}\n{"torn`))
          const again = yield* storage.openWriter(path)
          yield* again.writeLine(line(4, 10))
          assert.equal(yield* storage.readText(path), `${textOf(line(1, 10))}\n${textOf(line(4, 10))}\n`)
        }),
      ),
    )

    it.live("begins with an empty file when it is told to", () =>
      run((storage) =>
        Effect.gen(function* () {
          const path = `${root}/new/v.jsonl`
          storage.ensureDirSync(`${root}/new`)
          storage.writeTextSync(path, clean("old\n"))
          const writer = yield* storage.openWriter(path, "w")
          assert.equal(yield* storage.readText(path), "")
          yield* writer.writeLine(line(1, 0))
          assert.equal(yield* storage.readText(path), `${textOf(line(1, 0))}\n`)
        }),
      ),
    )

    it.live("latches a writer whose file was replaced, and says so", () =>
      run((storage) =>
        Effect.gen(function* () {
          const path = `${root}/new/l.jsonl`
          const writer = yield* storage.openWriter(path)
          yield* writer.writeLine(line(1, 0))
          storage.writeTextSync(path, clean("somebody else\n"))
          const error = yield* Effect.flip(writer.writeLine(line(2, 0)))
          assert.equal(error.reason._tag, "Changed")
          assert.strictEqual(yield* writer.getError, error)
          assert.strictEqual(yield* Effect.flip(writer.writeLine(line(3, 0))), error)
          assert.equal(yield* storage.readText(path), "somebody else\n")
        }),
      ),
    )
  })
}

suite("storage in files", SessionStorage.layerFile, folder)
suite("storage in memory", SessionStorage.layerMemory, "/memory")

// A file system gives the number of a file that is gone to the next one, so a number alone does not tell a file from its successor.
it.live("a writer that has written nothing yet knows a file that was replaced, however often, by its like", () =>
  Effect.gen(function* () {
    const storage = yield* SessionStorage
    const path = join(folder, "replaced.jsonl")
    storage.writeTextSync(path, clean("x\n"))
    const writer = yield* storage.openWriter(path)
    for (let n = 0; n < 8; n++) storage.writeTextSync(path, clean("y\n"))
    const done = yield* Effect.flip(writer.writeLine(line(1, 10)))
    assert.equal(done.reason.code, "write.changed")
    assert.equal(yield* storage.readText(path), "y\n")
  }).pipe(Effect.scoped, Effect.provide(SessionStorage.layerFile)),
)
