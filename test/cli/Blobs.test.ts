import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cli, folder, json } from "./Cli.ts"

const data = Buffer.from(Uint8Array.from({ length: 900 }, (_, at) => (at * 7) % 251)).toString("base64")

/** A session with an image in it, and the store whose folder of blobs holds the image. */
const pictured = async () => {
  const store = folder()
  const path = join(folder(), "session.jsonl")
  const environment = { ANNALS_HOME: store }
  const message = { role: "user", content: [{ type: "image", mimeType: "image/png", data }] }
  const { exit } = await cli(["append", path, "--create", "--cwd", "/w"], {
    environment,
    input: `${JSON.stringify({ do: "message", message })}\n`,
  })
  expect(exit).toBe(0)
  return { store, path, environment }
}

test("an image is shown as it is, although it lies in the store", async () => {
  const { store, path, environment } = await pictured()
  expect(readdirSync(join(store, "blobs"))).toHaveLength(1)
  const { out, notes } = await cli(["context", path, "--json"], { environment })
  expect(notes).toBe("")
  expect(out).toContain(data)
})

test("an image that is gone is a note of show and of verify, and no damage", async () => {
  const { store, path, environment } = await pictured()
  rmSync(join(store, "blobs"), { recursive: true })
  for (const command of ["show", "verify"]) {
    const { exit, notes } = await cli([command, path], { environment })
    expect(exit).toBe(0)
    expect(notes).toMatch(/1 image not to be had: blob:sha256:[0-9a-f]{12}… of entry [0-9a-f]{8} is missing/)
  }
  const { out } = await cli(["verify", path, "--json"], { environment })
  expect(json(out)).toMatchObject({ files: [{ ok: true, blobs: [{ reason: "missing" }] }] })
})
