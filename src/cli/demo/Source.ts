/** The session that comes with the program: a real one in its shape, its words replaced by filler. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** Beside this file in a checkout, in the sources of an installed package; for the compiled file, and for the command in one piece. */
const places = ["./session.jsonl", "../../../../src/cli/demo/session.jsonl", "../../../src/cli/demo/session.jsonl"]

const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path))

export const bundledSession: string = found ?? fileURLToPath(new URL("./session.jsonl", import.meta.url))
