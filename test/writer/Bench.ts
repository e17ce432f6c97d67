/** Files with a header for tests of the writer over real files, and what is in them. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import { Writer, type WriterFile } from "../../src/writer/Writer.ts"

export const header = '{"type":"session","version":5,"id":"s"}\n'

/** Makes files in a folder that is removed behind the tests. */
export const makeFresh = (): ((name: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "annals-writer-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return (name) => {
    const path = join(folder, name)
    writeFileSync(path, header)
    return path
  }
}

export const startOf = (path: string) => {
  const { dev, ino, size } = statSync(path, { bigint: true })
  return { path, identity: { device: dev, inode: ino }, length: Number(size) }
}

/** The numbers of a file's records, in order. Throws when a line is not JSON, or the last one is cut. */
export const numbersIn = (path: string): ReadonlyArray<number> => {
  const lines = readFileSync(path, "utf8").split("\n")
  if (lines.pop() !== "") throw new Error(`${path} ends within a line`)
  return lines.slice(1).map((text) => (JSON.parse(text) as { data: { n: number } }).data.n)
}

export const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

/** A thread that comes to its end where a file beside the journal says. */
export const mortal = new URL("./mortal-worker.ts", import.meta.url)

export const withFile = <A, E>(
  path: string,
  use: (file: WriterFile) => Effect.Effect<A, E, Writer | Scope.Scope>,
  worker?: URL,
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(Writer, (writer) => Effect.flatMap(writer.open(startOf(path)), use))).pipe(
      Effect.provide(Writer.layer({ worker })),
    ),
  )
