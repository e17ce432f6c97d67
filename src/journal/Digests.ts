/** The digests of the platform. */
import { hash } from "node:crypto"
import { crc32 } from "node:zlib"
import type { Digests } from "./Integrity.ts"

export const digests: Digests = { crc32: (text) => crc32(text), sha256: (text) => hash("sha256", text, "hex") }
