/**
 * The format of a session file, told from its first records: which model reads it, and which agent wrote it.
 *
 * A ledger record has a string `t`, a tree's header has type `session`. The agents of the tree's lineage share versions 1 to 3, so
 * there the records decide: each agent has types and members that no other one writes. Without any, version 1 to 3 is taken for pi,
 * the agent that began with them.
 */
import { type Json, type JsonObject, own, ownString } from "../model/Json.ts"
import { isHeader, isTitleSlot } from "./Header.ts"

export type Format =
  | { readonly _tag: "Tree"; readonly dialect: Dialect /** As the header has it, 1 when absent. */; readonly version: Json }
  | { readonly _tag: "Ledger" }
  | { readonly _tag: "Unknown" }

export type Dialect = "gjc" | "pi" | "oh-my-pi"

const OMP_TYPES: ReadonlySet<string> = new Set(["title_change", "model_usage", "credential_pin", "reset_boundary"])
const PI_TYPES: ReadonlySet<string> = new Set(["session_info", "context_edit", "usage"])
const GJC_TYPES: ReadonlySet<string> = new Set([
  "header_patch",
  "entry_patch",
  "configured_model_chain",
  "discovered_builtin_tool_selection",
])

/** The agent that alone writes such a record; undefined for a record that several write. */
const signature = (record: JsonObject): Dialect | undefined => {
  const type = ownString(record, "type") ?? ""
  if (OMP_TYPES.has(type)) return "oh-my-pi"
  if (PI_TYPES.has(type)) return "pi"
  if (GJC_TYPES.has(type)) return "gjc"
  if (type !== "model_change") return undefined
  if (own(record, "modelId") !== undefined) return "pi"
  return own(record, "resolvedModelIsFallback") === undefined ? undefined : "oh-my-pi"
}

const dialectOf = (header: JsonObject | undefined, slot: boolean, first: ReadonlyArray<JsonObject>): Dialect => {
  if (slot) return "oh-my-pi"
  const version = own(header ?? {}, "version")
  if (version !== undefined && version !== 1 && version !== 2 && version !== 3) return "gjc"
  return first.map(signature).find((dialect) => dialect !== undefined) ?? "pi"
}

const isEntryLike = (record: JsonObject): boolean =>
  ownString(record, "type") !== undefined && own(record, "id") !== undefined && own(record, "parentId") !== undefined

/** The format of a file that begins with these records. More records make the dialect surer; the model needs the first two. */
export const detectFormat = (first: ReadonlyArray<JsonObject>): Format => {
  const ledger = first.find((record) => ownString(record, "t") !== undefined && ownString(record, "type") !== undefined)
  const header = first.find(isHeader)
  if (header === undefined && ledger !== undefined) return { _tag: "Ledger" }
  const slot = first[0] !== undefined && isTitleSlot(first[0])
  if (header !== undefined) {
    return { _tag: "Tree", dialect: dialectOf(header, slot, first), version: own(header, "version") ?? 1 }
  }
  if (!slot && !first.some(isEntryLike)) return { _tag: "Unknown" }
  return { _tag: "Tree", dialect: dialectOf(undefined, slot, first), version: 5 }
}
