/** A host's way in: everything in one layer, with an environment that holds secrets as a real one does. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { NativePort } from "../../src/disk/NativePort.ts"
import { layer, type NodeOptions } from "../../src/node.ts"
import { Annals } from "../../src/promise.ts"
import type { TreeCommand } from "../../src/tree.ts"
import type { ThreadPortOptions } from "../../src/writer/ThreadPort.ts"

/** Values that redaction looks for in everything that is written. */
const environment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_PASSWORD"].map((name) => [
      name,
      createHash("sha256").update(name).digest("base64url"),
    ]),
  )

const options = (folder: string): NodeOptions => ({ environment: environment(), home: join(folder, "home") })

export const runtimeIn = (folder: string, writer?: ThreadPortOptions) =>
  ManagedRuntime.make(layer({ ...options(folder), writer }))

export const annalsIn = (folder: string, native?: NativePort): Annals => Annals.start({ ...options(folder), native })

/** The environment's values alone, for a redactor of one's own. */
export const secretsOfHost = environment

export const message = (text: string): TreeCommand => ({
  do: "message",
  message: { role: "user", content: [{ type: "text", text }], timestamp: 1_790_000_000_000 },
})
