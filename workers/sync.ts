/**
 * The entry of a thread that syncs files of the process by their descriptors, one after the other. It waits for the disk in the place of
 * the threads that everybody shares.
 */
import { fdatasyncSync } from "node:fs"
import { parentPort } from "node:worker_threads"
import type { SyncAnswer } from "../src/disk/SyncThread.ts"

const say = (answer: SyncAnswer): void => parentPort?.postMessage(answer)

parentPort?.on("message", (descriptor: number) => {
  try {
    fdatasyncSync(descriptor)
    say({ ended: true })
  } catch (cause) {
    say({ ended: true, code: cause instanceof Error && "code" in cause ? String(cause.code) : "EUNKNOWN" })
  }
})

say({ ended: false })
