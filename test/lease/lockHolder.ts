/** A process that takes the lock of the file named by its second argument, in the way named by the first, says so, and holds it. */
import * as sqlite from "node:sqlite"
import * as Result from "effect/Result"
import { loadNative } from "../../src/disk/KoffiPort.ts"
import { nativeLocks } from "../../src/lease/NativeLocks.ts"
import { sqliteLocks } from "../../src/lease/SqliteLocks.ts"

const [way, path = ""] = process.argv.slice(2)
const locks = way === "native" ? nativeLocks(await loadNative()) : sqliteLocks(sqlite)
const taken = locks.take(path)
process.stdout.write(`${Result.isSuccess(taken) ? "held" : taken.failure._tag}\n`)
process.stdin.resume()
