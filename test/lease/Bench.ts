import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { Lease } from "../../src/lease/Lease.ts"
import type { LeaseReason } from "../../src/lease/LeaseError.ts"
import type { AcquireOptions, Inspection, LeaseHeld } from "../../src/lease/Taking.ts"
import { noLocks } from "./noLocks.ts"

export const withLocks = Lease.layerFile({ clean: (text) => text.replaceAll("hunter2", "<secret>") })
export const withoutLocks = Lease.layerFile({ clean: (text) => text.replaceAll("hunter2", "<secret>"), locks: noLocks })

/** One directory with one session, and everybody who asks for its lease in a test. */
export class Bench {
  readonly root = fs.mkdtempSync(join(tmpdir(), "annals-lease-"))
  readonly path = join(this.root, "s.jsonl")
  readonly lock = join(this.root, ".s.jsonl.lock")
  readonly #children: Array<ChildProcess> = []
  readonly #scopes: Array<Scope.Closeable> = []

  async take(layer: Layer.Layer<Lease>, options: AcquireOptions = {}): Promise<LeaseHeld | LeaseReason> {
    const scope = Scope.makeUnsafe()
    this.#scopes.push(scope)
    const asked = Lease.use((lease) => lease.acquire(this.path, options)).pipe(Scope.provide(scope), Effect.provide(layer))
    const result = await Effect.runPromise(Effect.result(asked))
    return Result.isSuccess(result) ? result.success : result.failure.reason
  }

  async mustTake(layer: Layer.Layer<Lease>, options: AcquireOptions = {}): Promise<LeaseHeld> {
    const taken = await this.take(layer, options)
    if ("attempt" in taken) return taken
    throw new Error(`not taken: ${JSON.stringify(taken)}`)
  }

  inspect(layer: Layer.Layer<Lease>): Promise<Inspection> {
    return Effect.runPromise(Lease.use((lease) => lease.inspect(this.path)).pipe(Effect.provide(layer)))
  }

  /** Starts another process that takes the lease, and says what became of it. `before` goes in front of its command. */
  async another(
    args: ReadonlyArray<string> = [],
    before: ReadonlyArray<string> = [],
  ): Promise<{ readonly child: ChildProcess; readonly said: Record<string, unknown> }> {
    const script = fileURLToPath(new URL("./holder.ts", import.meta.url))
    const [command = "", ...rest] = [...before, process.execPath, script, this.path, ...args]
    const child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] })
    this.#children.push(child)
    if (child.stdout === null) throw new Error("no output")
    const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    return { child, said: JSON.parse(String(line.value)) }
  }

  /** The names of the evidence, and what one that counts says. */
  get names(): ReadonlyArray<string> {
    return fs.readdirSync(this.root).sort()
  }

  get evidence(): Record<string, unknown> {
    const name = this.names.filter((each) => each.startsWith(".s.jsonl.owner.")).at(-1) ?? "none"
    return JSON.parse(fs.readFileSync(join(this.root, name), "utf8"))
  }

  putEvidence(number: number, text: string): void {
    fs.writeFileSync(join(this.root, `.s.jsonl.owner.${number}.json`), text)
  }

  async clear(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL")
    for (const scope of this.#scopes) await Effect.runPromise(Scope.close(scope, Exit.void))
    fs.rmSync(this.root, { recursive: true, force: true })
  }
}

/** Waits until a killed process has ended. */
export const killed = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })
