/**
 * An entry: a record that is a node of the tree.
 *
 *     {"type":"…","id":"…","parentId":"…"|null,"timestamp":"…", …the members of its type}
 *
 * Valid if and only if `id` and `timestamp` are strings, `parentId` is a string or null, and the members of its type are as in
 * {@link ENTRY_SHAPES}. Reading is lenient: an invalid entry keeps its place in the tree, and only what it lacks has no effect.
 * Types that are not in the table (those of pi and oh-my-pi, and those of the future) are entries too, kept as they are.
 */
import { type JsonObject, ownString } from "../model/Json.ts"
import { type Flaw, flaw, type Shape, type Shaped } from "../model/Shape.ts"

const toolSelection = { selectedToolNames: "list of strings", mutationCorrelationId: "string?" } as const satisfies Shape

/** The members of each known type beyond `type`, `id`, `parentId` and `timestamp`. */
export const ENTRY_SHAPES = {
  message: { message: "object" },
  model_change: {
    model: "string",
    role: "string?",
    previousModel: "string?",
    reason: "string?",
    thinkingLevel: "string or null?",
  },
  thinking_level_change: { thinkingLevel: "string or null?" },
  service_tier_change: { serviceTier: "tier?" },
  compaction: {
    summary: "string",
    shortSummary: "string?",
    firstKeptEntryId: "string?",
    tokensBefore: "number",
    details: "anything?",
    preserveData: "anything?",
    fromExtension: "boolean?",
  },
  branch_summary: { fromId: "string", summary: "string", details: "anything?", fromExtension: "boolean?" },
  custom: { customType: "string", data: "anything?" },
  custom_message: {
    customType: "string",
    content: "content",
    display: "boolean",
    details: "anything?",
    attribution: "string?",
  },
  label: { targetId: "string", label: "string or null?" },
  ttsr_injection: { injectedRules: "list of strings", injectedRuleRecords: "list?", ttsrMessageCount: "number?" },
  mcp_tool_selection: { ...toolSelection, selectedDiscoveredBuiltinToolNames: "list of strings?" },
  discovered_builtin_tool_selection: toolSelection,
  session_init: {
    systemPrompt: "string",
    task: "string",
    tools: "list of strings",
    outputSchema: "anything?",
    forkContext: "anything?",
  },
  mode_change: { mode: "string", data: "anything?" },
  configured_model_chain: {
    role: "string",
    entries: "list of strings",
    origin: "string?",
    identity: "anything?",
    explicitHead: "boolean?",
    cleared: "boolean?",
  },
} as const satisfies Readonly<Record<string, Shape>>

export type EntryType = keyof typeof ENTRY_SHAPES

/** A valid entry of a known type. */
export type EntryOf<T extends EntryType> = JsonObject & {
  readonly type: T
  readonly id: string
  readonly parentId: string | null
  readonly timestamp: string
} & Shaped<(typeof ENTRY_SHAPES)[T]>

export type KnownEntry = { readonly [T in EntryType]: EntryOf<T> }[EntryType]

/** pi writes a change of the model with these two members instead of `model`. */
const PI_MODEL_CHANGE = { provider: "string", modelId: "string" } as const satisfies Shape

const BASE = { id: "string", parentId: "string or null", timestamp: "string" } as const satisfies Shape

/** Types that are never entries, wherever they stand. */
const NOT_ENTRIES: ReadonlySet<string> = new Set(["session", "header_patch", "entry_patch"])

/** oh-my-pi writes these beside the conversation: the next entry does not attach to them. */
const BESIDE: ReadonlySet<string> = new Set(["model_usage"])

export const isKnownType = (type: string): type is EntryType => Object.hasOwn(ENTRY_SHAPES, type)

/**
 * True for a record that is a node of the tree. From version 2 on a record of an unknown type must have an id to be one: without
 * id and parent it is no part of the tree that its writer knew, but a note beside it, as patches are.
 */
export const isEntry = (record: JsonObject, version: number): boolean => {
  const type = ownString(record, "type")
  if (type === undefined || NOT_ENTRIES.has(type)) return false
  return version === 1 || isKnownType(type) || ownString(record, "id") !== undefined
}

/** True for an entry that the live leaf moves to. */
export const movesLeaf = (record: JsonObject): boolean => !BESIDE.has(ownString(record, "type") ?? "")

/** The first member that an entry lacks or has of the wrong kind; undefined for a valid entry and for one of an unknown type. */
export const entryFlaw = (record: JsonObject): Flaw | undefined => {
  const type = ownString(record, "type") ?? ""
  const found = flaw(record, BASE)
  if (found !== undefined || !isKnownType(type)) return found
  if (type === "model_change" && flaw(record, PI_MODEL_CHANGE) === undefined) return undefined
  return flaw(record, ENTRY_SHAPES[type])
}

/** True for a valid entry of one of the known types. Narrow it further by its `type`. */
export const isKnownEntry = (record: JsonObject): record is KnownEntry => {
  const type = ownString(record, "type") ?? ""
  return isKnownType(type) && flaw(record, BASE) === undefined && flaw(record, ENTRY_SHAPES[type]) === undefined
}
