/**
 * The context: what the model would see at a leaf (law CTX-1).
 *
 * A fold along the path. Without a compaction every entry of the path that makes a message makes it; a compaction replaces all that
 * came before by its summary and by the entries from `firstKeptEntryId` on. So the last compaction of a path is the one in force,
 * and one more entry at the leaf costs O(1), or O(kept) for a compaction.
 *
 * Messages are what the session holds: summaries are plain, without the sentences that introduce them to a provider (Wording.ts).
 */
import * as Result from "effect/Result"
import { type Json, type JsonArray, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { append, at, empty, type Sequence, toArray } from "../model/Sequence.ts"
import type { TreeRejection } from "./Rejection.ts"
import { initialSettings, type ModelChain, type Settings, settle } from "./Settings.ts"
import type { TreeState } from "./State.ts"
import { path, records } from "./Tree.ts"

/** What `buildSessionContext` gives. Members that have no value are absent. */
export interface SessionContext {
  readonly messages: ReadonlyArray<JsonObject>
  readonly thinkingLevel: string
  readonly serviceTier?: Json
  readonly models: Readonly<Record<string, string>>
  readonly configuredModelChains: Readonly<Record<string, ModelChain>>
  readonly injectedTtsrRules: ReadonlyArray<string>
  readonly injectedTtsrRuleRecords: ReadonlyArray<JsonObject>
  readonly ttsrMessageCount: number
  readonly selectedMCPToolNames: ReadonlyArray<string>
  readonly selectedDiscoveredBuiltinToolNames?: ReadonlyArray<string>
  readonly hasPersistedMCPToolSelection: boolean
  readonly hasPersistedDiscoveredBuiltinToolSelection: boolean
  readonly mode: string
  readonly modeData?: Json
}

/** The fold's value: the path so far, the messages it makes, the settings it leaves. */
export interface ContextFold {
  readonly path: Sequence<JsonObject>
  readonly messages: Sequence<JsonObject>
  readonly settings: Settings
}

export const emptyFold: ContextFold = { path: empty(), messages: empty(), settings: initialSettings }

/** The named members that the record has, in this order. */
const picked = (record: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(
    names.flatMap((name): Array<[string, Json]> => {
      const value = own(record, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Milliseconds since the epoch, or null when the entry's time cannot be read. */
const time = (record: JsonObject): number | null => {
  const at = Date.parse(ownString(record, "timestamp") ?? "")
  return Number.isNaN(at) ? null : at
}

/** The message that an entry makes, or undefined for none. */
const messageOf = (record: JsonObject): JsonObject | undefined => {
  switch (own(record, "type")) {
    case "message":
      return ownObject(record, "message")
    case "custom_message": {
      const content = own(record, "content")
      if (typeof content !== "string" && !Array.isArray(content)) return undefined
      const members = picked(record, ["customType", "content", "display", "details", "attribution"])
      return { role: "custom", ...members, timestamp: time(record) }
    }
    case "branch_summary": {
      if ((ownString(record, "summary") ?? "") === "") return undefined
      return { role: "branchSummary", ...picked(record, ["summary", "fromId"]), timestamp: time(record) }
    }
    default:
      return undefined
  }
}

/** A history that a provider has compacted on its side. It stands for the messages that would be kept. */
const providerPayload = (record: JsonObject): JsonObject | undefined => {
  const remote = ownObject(ownObject(record, "preserveData") ?? {}, "openaiRemoteCompaction")
  if (remote === undefined) return undefined
  const provider = ownString(remote, "provider")
  const items = own(remote, "replacementHistory")
  if (provider === undefined || provider === "" || !Array.isArray(items)) return undefined
  return { type: "openaiResponsesHistory", provider, items: items as JsonArray }
}

/** The messages from a compaction on: its summary and what it keeps of the path before it. */
const compacted = (before: Sequence<JsonObject>, record: JsonObject): Sequence<JsonObject> => {
  const payload = providerPayload(record)
  const summary = {
    role: "compactionSummary",
    ...picked(record, ["summary", "shortSummary", "tokensBefore"]),
    ...(payload === undefined ? {} : { providerPayload: payload }),
    timestamp: time(record),
  }
  const messages = append(empty<JsonObject>(), summary)
  const firstKept = ownString(record, "firstKeptEntryId")
  if (payload !== undefined || firstKept === undefined) return messages
  let from = before.length - 1
  while (from >= 0 && own(at(before, from) ?? {}, "id") !== firstKept) from--
  return from < 0 ? messages : toArray(before).slice(from).reduce(withMessage, messages)
}

const withMessage = (messages: Sequence<JsonObject>, record: JsonObject): Sequence<JsonObject> => {
  const message = messageOf(record)
  return message === undefined ? messages : append(messages, message)
}

/** The fold after one more record of the path. A compaction without a summary, as a cut write leaves it, is none. */
export const extend = (fold: ContextFold, record: JsonObject): ContextFold => {
  const isCompaction = own(record, "type") === "compaction" && ownString(record, "summary") !== undefined
  return {
    path: append(fold.path, record),
    messages: isCompaction ? compacted(fold.path, record) : withMessage(fold.messages, record),
    settings: settle(fold.settings, record),
  }
}

/** Every role with a model and without a configured chain has a chain of that one model. */
const chainsOf = ({ models, chains }: Settings): Readonly<Record<string, ModelChain>> => {
  const all = new Map(chains)
  for (const [role, model] of models) {
    if (!all.has(role)) all.set(role, { role, entries: [model], origin: "legacy_session", explicitHead: true })
  }
  return Object.fromEntries(all)
}

/** The context that a fold amounts to. O(messages). */
export const contextOf = ({ messages, settings }: ContextFold): SessionContext => ({
  messages: toArray(messages),
  thinkingLevel: settings.thinkingLevel,
  ...(settings.serviceTier === undefined ? {} : { serviceTier: settings.serviceTier }),
  models: Object.fromEntries(settings.models),
  configuredModelChains: chainsOf(settings),
  injectedTtsrRules: [...settings.rules.keys()],
  injectedTtsrRuleRecords: [...settings.rules.values()],
  ttsrMessageCount: settings.ttsrMessageCount,
  selectedMCPToolNames: settings.mcpTools ?? [],
  ...(settings.builtinTools === undefined ? {} : { selectedDiscoveredBuiltinToolNames: settings.builtinTools }),
  hasPersistedMCPToolSelection: settings.mcpTools !== undefined,
  hasPersistedDiscoveredBuiltinToolSelection: settings.builtinTools !== undefined,
  mode: settings.mode,
  ...(settings.modeData === undefined ? {} : { modeData: settings.modeData }),
})

/** The context at a leaf, by default the live one; null is the empty context. An unknown id is a rejection, never another branch. */
export const buildSessionContext = (
  state: TreeState,
  leaf: string | null = state.leaf,
): Result.Result<SessionContext, TreeRejection> =>
  Result.map(path(state, leaf), (found) => contextOf(records(state, found).reduce(extend, emptyFold)))
