/** Leases by each way to lock, as processes of a test name them. */
import type * as Layer from "effect/Layer"
import { loadNative } from "../../src/disk/KoffiPort.ts"
import { Lease } from "../../src/lease/Lease.ts"
import type { Locks } from "../../src/lease/Locks.ts"
import { nativeLocks } from "../../src/lease/NativeLocks.ts"
import { noLocks } from "./noLocks.ts"

/** `locks` stands for those that are used when nobody chooses, `none` for a file system without any. */
export type Way = "locks" | "native" | "none"

const locksOf = async (way: string | undefined): Promise<Locks | undefined> => {
  if (way === "none") return noLocks
  return way === "native" ? nativeLocks(await loadNative()) : undefined
}

export const layerFor = async (way: string | undefined): Promise<Layer.Layer<Lease>> =>
  Lease.layerFile({ clean: (text) => text.replaceAll("hunter2", "<secret>"), locks: await locksOf(way) })
