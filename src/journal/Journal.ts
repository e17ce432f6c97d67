/**
 * A journal takes clean lines in order and says how far they have come.
 *
 * What every journal guarantees, a host's own too (law JRN-6): lines are kept in the order of `append`, each once; a level that was
 * reached for line k was reached for all before it; after the first failure nothing more is taken until `recover` succeeds, and the
 * lines that were accepted stay readable through `unsaved`. A file in the writer's care is one; a list in memory is another.
 */
import * as Context from "effect/Context"
import type { WriterFile } from "../writer/Writer.ts"

export type { Level } from "../writer/FileQueue.ts"

/** The operations of a journal, each as it is told for a file in the writer's care. */
export type JournalShape = WriterFile

export class Journal extends Context.Service<Journal, JournalShape>()("annals/journal/Journal") {}
