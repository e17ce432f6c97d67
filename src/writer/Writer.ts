/**
 * The writer: one machine for all the files of a host, in a thread of its own.
 *
 * What it guarantees: a file's records reach it in the order of `append`, each once; acknowledgements come in that order, and that
 * of record k means that all before it are there too (law WRT-1); records that queued while the last sync ran are written with one
 * call and synced with one (group commit); a failing file latches and does not fail another; the loss of the thread loses and
 * repeats nothing. Closing the scope drains every queue first.
 *
 * How it fails: {@link WriteError}, whose reason says what is known of the bytes. Interrupting a caller never takes back a record.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Disk } from "../disk/Disk.ts"
import { MAX_QUEUED_BYTES } from "../model/Limits.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import { FileQueue, type FileStart, type Level } from "./FileQueue.ts"
import { inlinePort } from "./InlinePort.ts"
import type { WriterPort } from "./Port.ts"
import { Pump } from "./Pump.ts"
import { type ThreadPort, type ThreadPortOptions, threadPort } from "./ThreadPort.ts"
import { WriteError } from "./WriteError.ts"

export interface WriterOptions {
  /**
   * `synced` (the default): every part is synced before it is acknowledged. `written`: a part is acknowledged as written when it is in
   * the system's hands, and synced on flush, on close, and when more than the queue's bound is unsynced.
   */
  readonly durability?: Level | undefined
  /** Bytes of one file's records that may be held in memory before `append` waits. Default: `MAX_QUEUED_BYTES`. */
  readonly queueBytes?: number | undefined
}

/** One file in the writer's care. */
export interface WriterFile {
  /**
   * Hands records over, all or none, and returns the number of the last one, counted from 1 over the file's life in this writer.
   * Waits while the queue is full; an interruption while waiting hands nothing over. Fails when the file has latched or is closed.
   */
  readonly append: (lines: ReadonlyArray<CleanLine>) => Effect.Effect<number, WriteError>
  /** Waits until record number `seq` and all before it have reached the level. */
  readonly reached: (seq: number, level: Level) => Effect.Effect<void, WriteError>
  /** Waits until everything accepted so far is synced. */
  readonly flush: Effect.Effect<void, WriteError>
  /** Records that are accepted and not known to be durable, in order. */
  readonly unsaved: Effect.Effect<ReadonlyArray<CleanLine>>
  /** The failure that latched the file, if any. */
  readonly failure: Effect.Effect<WriteError | undefined>
  /** After a failure: writes what is missing, exactly once, and lifts the latch. Succeeds at once when there was none. */
  readonly recover: Effect.Effect<void, WriteError>
}

export class Writer extends Context.Service<
  Writer,
  {
    /** Takes a file into care until the scope closes; then its queue is drained and its descriptor given back. */
    readonly open: (file: FileStart) => Effect.Effect<WriterFile, never, Scope.Scope>
    /** There will be something to write: starts the machine in the background, so that the first file does not wait for it. */
    readonly expect: Effect.Effect<void>
  }
>()("annals/writer/Writer") {
  /**
   * One thread over real files. It starts when something is expected or the first file is opened, which waits for it. That is a defect when
   * the thread cannot be started; nothing was accepted then. A host that only reads has no thread.
   */
  static readonly layer = (options: WriterOptions & ThreadPortOptions = {}): Layer.Layer<Writer> =>
    Layer.effect(
      Writer,
      Effect.flatMap(threadOf(options), (port) =>
        make(port, options, {
          ready: Effect.promise(port.start),
          expect: Effect.sync(port.startSoon),
        }),
      ),
    )

  /** The same machine on the host's own thread, over any disk. */
  static readonly layerInline = (disk: Disk, options: WriterOptions = {}): Layer.Layer<Writer> =>
    Layer.effect(
      Writer,
      Effect.suspend(() => make(inlinePort(disk), options)),
    )

  /** Any machine, behind a port. The port is the caller's to close. */
  static readonly layerOn = (port: WriterPort, options: WriterOptions = {}): Layer.Layer<Writer> =>
    Layer.effect(
      Writer,
      Effect.suspend(() => make(port, options)),
    )
}

const threadOf = (options: ThreadPortOptions): Effect.Effect<ThreadPort, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => threadPort(options)),
    (port) => Effect.promise(() => port.close()),
  )

/** How a machine begins. */
interface Machine {
  readonly ready: Effect.Effect<void>
  readonly expect: Effect.Effect<void>
}

const AT_ONCE: Machine = { ready: Effect.void, expect: Effect.void }

const make = (
  port: WriterPort,
  options: WriterOptions,
  machine: Machine = AT_ONCE,
): Effect.Effect<Context.Service.Shape<typeof Writer>> =>
  Effect.sync(() => {
    const pump = new Pump(port, { syncAlways: (options.durability ?? "synced") === "synced" })
    let files = 0
    return Writer.of({
      expect: machine.expect,
      open: (start) =>
        Effect.acquireRelease(
          Effect.map(machine.ready, () => {
            const queue = new FileQueue(++files, start, options.queueBytes ?? MAX_QUEUED_BYTES)
            pump.add(queue)
            return queue
          }),
          (queue) =>
            Effect.andThen(
              // A failure here is already known to every record that waits for it, and the records stay readable.
              Effect.ignore(flush(pump, queue)),
              Effect.sync(() => {
                queue.close()
                pump.remove(queue)
              }),
            ),
        ).pipe(Effect.map((queue) => file(pump, queue))),
    })
  })

const file = (pump: Pump, queue: FileQueue): WriterFile => ({
  append: (lines) => append(pump, queue, lines),
  reached: (seq, level) => reached(pump, queue, seq, level),
  flush: flush(pump, queue),
  unsaved: Effect.sync(() => queue.unsaved()),
  failure: Effect.sync(() => queue.failure),
  recover: Effect.callback<void, WriteError>((resume) => {
    if (queue.failure === undefined) return resume(Effect.void)
    if (queue.closed) return resume(Effect.fail(closed(queue)))
    queue.recover((failure) => resume(failure === undefined ? Effect.void : Effect.fail(failure)))
    pump.kick(queue)
  }),
})

const closed = (queue: FileQueue): WriteError =>
  new WriteError({ reason: { _tag: "Closed", code: "write.closed", path: queue.path } })

const append = (pump: Pump, queue: FileQueue, lines: ReadonlyArray<CleanLine>): Effect.Effect<number, WriteError> =>
  Effect.suspend(() => {
    if (queue.failure !== undefined) return Effect.fail(queue.failure)
    if (queue.closed) return Effect.fail(closed(queue))
    if (!queue.hasRoom) {
      const room = Effect.callback<void>((resume) => {
        const cancel = queue.whenRoom(() => resume(Effect.void))
        return Effect.sync(cancel)
      })
      // The only place where an interruption is let in: before the records are handed over.
      return Effect.andThen(Effect.interruptible(room), append(pump, queue, lines))
    }
    const seq = queue.accept(lines)
    pump.kick(queue)
    return Effect.succeed(seq)
  })

const reached = (pump: Pump, queue: FileQueue, seq: number, level: Level): Effect.Effect<void, WriteError> =>
  Effect.callback<void, WriteError>((resume) => {
    // Only somebody who waits for a sync asks for one: with every batch synced there is nothing to ask for.
    if (level === "synced") queue.wantSync()
    const cancel = queue.when(seq, level, (failure) => resume(failure === undefined ? Effect.void : Effect.fail(failure)))
    pump.kick(queue)
    return Effect.sync(cancel)
  })

const flush = (pump: Pump, queue: FileQueue): Effect.Effect<void, WriteError> =>
  Effect.suspend(() => reached(pump, queue, queue.acceptedSeq, "synced"))
