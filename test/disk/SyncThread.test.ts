/** A thread that syncs files of the process, and what becomes of its syncs when it is not there. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { DiskFault, type Handle } from "../../src/disk/Disk.ts"
import { nodeDisk, nodeSyncs } from "../../src/disk/NodeDisk.ts"
import type { Syncs } from "../../src/disk/Syncs.ts"
import { syncThread } from "../../src/disk/SyncThread.ts"

const folder = mkdtempSync(join(tmpdir(), "annals-sync-thread-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fresh = (name: string): Handle => nodeDisk.open(join(folder, name), "create")

const ended = (syncs: Syncs, handle: Handle): Promise<unknown> => new Promise((done) => syncs.start(handle, done))

const script = (name: string, text: string): URL => {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, text)
  return pathToFileURL(file)
}

/** A pool that must not be asked. */
const noPool: Syncs = { start: (_, done) => done(new Error("the pool was asked")) }

describe("a thread for syncs", () => {
  test("syncs one file after the other, and tells a refusal as the disk does", async () => {
    const thread = syncThread(noPool)
    const file = fresh("a")
    nodeDisk.write(file, new TextEncoder().encode("x"))
    expect(await ended(thread, file)).toBeUndefined()
    expect(await ended(thread, file)).toBeUndefined()
    nodeDisk.close(file)
    expect(await ended(thread, file)).toMatchObject({ operation: "sync", code: "EBADF", path: file.path })
    thread.close()
  })

  test("hands on the code that the thread was refused with", async () => {
    const file = fresh("b")
    const refusing = script(
      "refusing",
      `import { parentPort } from "node:worker_threads"
       parentPort.on("message", () => parentPort.postMessage({ ended: true, code: "EIO" }))
       parentPort.postMessage({ ended: false })`,
    )
    const thread = syncThread(noPool, refusing)
    const fault = await ended(thread, file)
    expect(fault).toBeInstanceOf(DiskFault)
    expect(fault).toMatchObject({ operation: "sync", code: "EIO", path: file.path })
    thread.close()
    nodeDisk.close(file)
  })

  test("that cannot be started leaves its syncs to the pool, those that wait and those that come", async () => {
    const file = fresh("c")
    const thread = syncThread(nodeSyncs, pathToFileURL(join(folder, "nowhere.mjs")))
    expect(await ended(thread, file)).toBeUndefined()
    expect(await ended(thread, file)).toBeUndefined()
    thread.close()
    nodeDisk.close(file)
  })

  test("that ends in the middle of a sync has told nobody how it went, so the sync has failed", async () => {
    const file = fresh("d")
    const mortal = script(
      "mortal",
      `import { parentPort } from "node:worker_threads"
       parentPort.on("message", () => process.exit(1))
       parentPort.postMessage({ ended: false })`,
    )
    const thread = syncThread(noPool, mortal)
    expect(await ended(thread, file)).toMatchObject({ operation: "sync", code: "ETHREADLOST" })
    nodeDisk.close(file)
  })
})
