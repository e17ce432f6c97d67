import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, expect, test } from "vitest"
import { stg1 } from "../../laws/storageSubject.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { SessionStorage, type SessionStorageWriter } from "../../src/session/SessionStorage.ts"

const root = mkdtempSync(join(tmpdir(), "annals-storage-law-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let made = 0

const verdict = async (layer: Layer.Layer<SessionStorage>, folder: string, runs: number, seed?: number): Promise<string> => {
  try {
    await stg1({ layer, folder: () => `${folder}/${made++}` }).check({ runs, seed })
    return "it holds"
  } catch (broken) {
    return String(broken instanceof Error ? (broken.cause ?? broken) : broken)
  }
}

test("the law holds for the storage in files", async () => {
  expect(await verdict(SessionStorage.layerFile, root, 25)).toBe("it holds")
})

type Storage = SessionStorage["Service"]

/** The storage in memory, but for what is changed of it. */
const changed = (change: (storage: Storage) => Partial<Storage>): Layer.Layer<SessionStorage> =>
  Layer.effect(
    SessionStorage,
    Effect.map(SessionStorage, (storage) => ({ ...storage, ...change(storage) })),
  ).pipe(Layer.provide(SessionStorage.layerMemory))

const changedWriter = (change: (writer: SessionStorageWriter) => Partial<SessionStorageWriter>) =>
  changed(({ openWriter }) => ({
    openWriter: (path, flags) => Effect.map(openWriter(path, flags), (writer) => ({ ...writer, ...change(writer) })),
  }))

const redactor = makeRedactor({ environment: {} })

/** A copy of a text under another name, as no rename is. */
const copy = ({ readText, writeText, unlink }: Storage, from: string, to: string, isMoved: boolean) =>
  Effect.gen(function* () {
    const text = yield* readText(from)
    if (from === to) return
    yield* writeText(to, redactor.cleanText(text).text)
    if (isMoved) yield* unlink(from)
  })

test.each<[string, Layer.Layer<SessionStorage>, RegExp]>([
  ["renames by making a copy", changed((storage) => ({ rename: (from, to) => copy(storage, from, to, false) })), /rename|exists/],
  ["renames by a copy and a removal", changed((storage) => ({ rename: (from, to) => copy(storage, from, to, true) })), /rename/],
  [
    "makes what is not there when it renames",
    changed(({ rename }) => ({ rename: (from, to) => Effect.ignore(rename(from, to)) })),
    /rename did something where nothing is/,
  ],
  ["removes nothing", changed(({ exists }) => ({ unlink: (path) => Effect.asVoid(exists(path)) })), /unlink|exists/],
  [
    "lists hidden files and others",
    changed(({ listFilesSync }) => ({ listFilesSync: (directory) => listFilesSync(directory) })),
    /the list of/,
  ],
  [
    "lists in no order",
    changed(({ listFilesSync }) => ({ listFilesSync: (at, suffix) => listFilesSync(at, suffix).toReversed() })),
    /the list of/,
  ],
  [
    "cuts characters in two",
    changed(({ readText }) => ({
      readTextPrefix: (path, bytes) =>
        Effect.map(readText(path), (text) => new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes))),
    })),
    /readTextPrefix/,
  ],
  [
    "counts characters for bytes",
    changed(({ statSync, readText }) => ({
      statSync: (path) => ({ ...statSync(path), size: Effect.runSync(Effect.orDie(readText(path))).length }),
    })),
    /statSync/,
  ],
  [
    "begins anew when it should go on",
    changed(({ openWriter }) => ({ openWriter: (path) => openWriter(path, "w") })),
    /exists|readText|statSync|rename/,
  ],
  [
    "goes on when it should begin anew",
    changed(({ openWriter }) => ({ openWriter: (path) => openWriter(path) })),
    /readText|statSync/,
  ],
  ["drops a line", changedWriter(() => ({ writeLine: () => Effect.void })), /readText|statSync|closed/],
  [
    "swallows the failure of a line",
    changedWriter(({ writeLine }) => ({ writeLine: (line) => Effect.ignore(writeLine(line)) })),
    /a line was taken by a writer that is closed|a line went to a file that was replaced/,
  ],
  ["tells no failure", changedWriter(() => ({ getError: Effect.succeed(undefined) })), /not by getError/],
  ["takes lines when it is closed", changedWriter(() => ({ close: Effect.void })), /by a writer that is closed/],
  ["calls synced what it could not write", changedWriter(() => ({ fsync: Effect.void })), /fsync succeeded behind a failure/],
])("the law is broken by a storage that %s", async (_, layer, complaint) => {
  expect(await verdict(layer, "/memory", 300, 1)).toMatch(complaint)
})
