/**
 * What the kernel can do and `node:fs` cannot, for hosts that install `koffi`: locks that belong to an open file. Linux only; nothing needs it.
 *
 *     const runtime = ManagedRuntime.make(Node.layer({ native: await loadNative() }))
 */
export { loadNative } from "./disk/KoffiPort.ts"
export {
  type AccessList,
  type ByteLock,
  type ByteRange,
  type NamePort,
  NativeError,
  type NativePort,
  plainPort,
} from "./disk/NativePort.ts"
export type { LockRefusal, Locks } from "./lease/Locks.ts"
export { nativeLocks } from "./lease/NativeLocks.ts"
