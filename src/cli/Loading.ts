/** A session read for a command: with progress for a large file, and with a note when there is damage. */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { Files } from "../disk/Files.ts"
import type { ReadError } from "../journal/Reader.ts"
import { type Lookup, lookupInFolders } from "../session/BlobReferences.ts"
import { type LoadedTree, loadTree } from "../session/Load.ts"
import type { FormatError } from "../session/OpenError.ts"
import { blobDirectory, foreignBlobs } from "../session/Place.ts"
import { blobSentence } from "../view/BlobView.ts"
import { damageSentence } from "../view/DamageView.ts"
import { visible } from "../view/Escape.ts"
import { bytes } from "../view/Quantity.ts"
import { Host } from "./Host.ts"
import { Output } from "./Output.ts"

/** Bytes from which a file is worth a progress. */
const LARGE_BYTES = 16 << 20

/** Shows how far the reading of a file is. */
export const progressOf =
  (output: { readonly progress: (text: string) => void }, path: string) =>
  (done: number, total: number): void => {
    if (total < LARGE_BYTES) return
    output.progress(done >= total ? "" : `${visible(path)}: ${Math.floor((100 * done) / total)} % of ${bytes(total)}`)
  }

/** Says in a note that a session has damage. */
export const noteDamage = ({ path, damages }: Pick<LoadedTree, "path" | "damages">): Effect.Effect<void, never, Output> =>
  Effect.flatMap(Output, ({ note, noteStyle }) =>
    damages.length === 0
      ? Effect.void
      : note(`${noteStyle.yellow("!")} ${visible(path)}: ${damageSentence(damages)}; annals verify tells where`),
  )

/** Says in a note that images of a session are not to be had. */
export const noteBlobs = ({ path, blobs }: Pick<LoadedTree, "path" | "blobs">): Effect.Effect<void, never, Output> =>
  Effect.flatMap(Output, ({ note, noteStyle }) =>
    blobs.length === 0 ? Effect.void : note(`${noteStyle.yellow("!")} ${visible(path)}: ${blobSentence(blobs)}`),
  )

/** Finds the images of a session: in our own folder of blobs, and in that of the agent in whose directory it lies. */
export const lookupOf = (path: string): Effect.Effect<Lookup, never, Files | Host> =>
  Effect.gen(function* () {
    const { home, environment, directory } = yield* Host
    const foreign = foreignBlobs(resolve(directory, path), environment)
    return lookupInFolders(yield* Files, [blobDirectory(home, environment), ...foreign])
  })

/** Reads a tree session, its images with it. What is not to be had of them is said in a note. Changes no byte. */
export const load = (path: string): Effect.Effect<LoadedTree, ReadError | FormatError, Files | Host | Output> =>
  Effect.gen(function* () {
    const options = { lookup: yield* lookupOf(path), onProgress: progressOf(yield* Output, path) }
    const loaded = yield* loadTree(yield* Files, path, options)
    yield* noteBlobs(loaded)
    return loaded
  })
