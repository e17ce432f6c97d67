/** A search for texts in every file of a folder and in every name, in each form in which bytes could carry them. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

export interface Needle {
  readonly kind: string
  readonly text: string
}

export interface Found {
  readonly kind: string
  readonly form: string
  /** The file, relative to the folder. */
  readonly file: string
}

export interface SearchResult {
  readonly files: number
  readonly bytes: number
  /** Forms that were looked for, over all texts. */
  readonly forms: number
  readonly found: ReadonlyArray<Found>
}

interface Form {
  readonly kind: string
  readonly form: string
  readonly bytes: Buffer
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Base64 of a text that begins `skip` bytes into a group of three: the part that does not depend on what stands around it. */
const base64 = (text: string, skip: number, encoding: "base64" | "base64url"): string => {
  const bytes = Buffer.from(text).subarray(skip)
  return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString(encoding)
}

const formsOf = ({ kind, text }: Needle): ReadonlyArray<Form> => {
  const texts: ReadonlyArray<readonly [form: string, text: string]> = [
    ["raw", text],
    ["JSON", escaped(text)],
    ["JSON in JSON", escaped(escaped(text))],
    ["URL", encodeURIComponent(text)],
    ["hex", Buffer.from(text).toString("hex")],
    ["UTF-16", Buffer.from(text, "utf16le").toString("latin1")],
    ...[0, 1, 2].flatMap((skip) => [
      ["base64", base64(text, skip, "base64")] as const,
      ["base64url", base64(text, skip, "base64url")] as const,
    ]),
  ]
  // Of several forms that are written alike the first names it.
  const distinct = new Map(texts.toReversed().map(([form, written]) => [written, form]))
  return [...distinct].map(([written, form]) => ({
    kind,
    form,
    bytes: Buffer.from(written, form === "UTF-16" ? "latin1" : "utf8"),
  }))
}

/** Searches a folder and everything under it. */
export const search = (folder: string, needles: ReadonlyArray<Needle>): SearchResult => {
  const forms = needles.flatMap(formsOf)
  const found: Array<Found> = []
  let files = 0
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const file = relative(folder, path)
    const contents = [Buffer.from(file), ...(entry.isFile() ? [readFileSync(path)] : [])]
    files += entry.isFile() ? 1 : 0
    bytes += contents.reduce((sum, content) => sum + content.length, 0)
    for (const { kind, form, bytes: wanted } of forms) {
      if (contents.some((content) => content.includes(wanted))) found.push({ kind, form, file })
    }
  }
  return { files, bytes, forms: forms.length, found }
}
