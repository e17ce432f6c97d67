/**
 * The context: what the model would see at a leaf (law CTX-1).
 *
 * A fold along the path. Without a compaction every entry of the path that makes a message makes it; a compaction replaces all that
 * came before by its summary and by the entries from `firstKeptEntryId` on. So the last compaction of a path is the one in force,
 * and one more entry at the leaf costs O(1), or O(kept) for a compaction.
 *
 * Two records of other agents take part in it: `reset_boundary` (oh-my-pi) begins the messages anew behind it, and `context_edit` (pi)
 * changes or takes away one message that stands above it on the path.
 *
 * Messages are what the session holds: summaries are plain, without the sentences that introduce them to a provider (Wording.ts).
 */
import * as Result from "effect/Result"
import { isObject, type Json, type JsonArray, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { append, at, empty, iterate, last, type Sequence } from "../model/Sequence.ts"
import { contextStart, isCompaction } from "./ContextStart.ts"
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

/** A message of the context, before edits. */
interface Made {
  readonly message: JsonObject
  /** The id by which an edit names it; absent when it cannot be edited. */
  readonly id?: string
  /** The position on the path of the entry that makes it. */
  readonly at: number
}

/** What a `context_edit` puts in the place of a message's content; null takes the message out of the context. */
interface ContextEdit {
  readonly targetId: string
  readonly content: Json
  readonly at: number
}

/** The fold's value: the path so far, the messages it makes and their edits, the settings it leaves. */
export interface ContextFold {
  readonly path: Sequence<JsonObject>
  readonly messages: Sequence<Made>
  readonly edits: Sequence<ContextEdit>
  readonly settings: Settings
}

export const emptyFold: ContextFold = {
  path: empty(),
  messages: empty(),
  edits: empty((edit) => edit.targetId),
  settings: initialSettings,
}

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

/** The roles whose messages pi allows to be edited. A custom message is an entry type of its own. */
const EDITABLE: ReadonlySet<Json | undefined> = new Set(["user", "assistant", "toolResult"])

const isEditable = (record: JsonObject, message: JsonObject): boolean =>
  own(record, "type") === "custom_message" || (own(record, "type") === "message" && EDITABLE.has(own(message, "role")))

/** The message that the entry at a position of the path makes. */
const made = (record: JsonObject, at: number): Made | undefined => {
  const message = messageOf(record)
  if (message === undefined) return undefined
  const id = ownString(record, "id")
  return id === undefined || !isEditable(record, message) ? { message, at } : { message, id, at }
}

const withMade = (messages: Sequence<Made>, found: Made | undefined): Sequence<Made> =>
  found === undefined ? messages : append(messages, found)

/** The edit that a record is, or undefined when it is none or says nothing that can be done. */
const editOf = (record: JsonObject, at: number): ContextEdit | undefined => {
  const targetId = own(record, "type") === "context_edit" ? ownString(record, "targetId") : undefined
  const replacement = own(record, "replacement")
  if (targetId === undefined) return undefined
  if (replacement === null) return { targetId, content: null, at }
  const content = isObject(replacement) ? own(replacement, "content") : undefined
  return typeof content === "string" || Array.isArray(content) ? { targetId, content, at } : undefined
}

const isReset = (record: JsonObject): boolean => own(record, "type") === "reset_boundary"

/** The system prompt that a compaction of pi carries. It stands for all system messages before it. */
const systemMessage = (record: JsonObject): JsonObject | undefined => {
  const message = ownObject(record, "systemMessage")
  return message !== undefined && own(message, "role") === "system" ? message : undefined
}

/** The messages that a compaction of pi carries along, in the place of the entries that it would keep. */
const retainedTail = (record: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  const tail = own(record, "retainedTail")
  return Array.isArray(tail) ? (tail as JsonArray).filter(isObject) : undefined
}

/** The position of the entry that a compaction keeps first; -1 when it is not on the path before. */
const firstKept = (before: Sequence<JsonObject>, record: JsonObject): number => {
  const id = ownString(record, "firstKeptEntryId")
  let from = id === undefined ? -1 : before.length - 1
  while (from >= 0 && own(at(before, from) ?? {}, "id") !== id) from--
  return from
}

/**
 * The messages from a compaction on: its summary and what it keeps. That is what it carries along, else the entries of the path before it
 * from the first kept one on, and of those none from before a reset.
 */
const compacted = (before: Sequence<JsonObject>, record: JsonObject): Sequence<Made> => {
  const payload = providerPayload(record)
  const system = systemMessage(record)
  const summary = {
    role: "compactionSummary",
    ...picked(record, ["summary", "shortSummary", "tokensBefore"]),
    ...(payload === undefined ? {} : { providerPayload: payload }),
    timestamp: time(record),
  }
  const tops = system === undefined ? [summary] : [system, summary]
  const top = tops.reduce((messages, message) => append(messages, { message, at: before.length }), empty<Made>())
  if (payload !== undefined) return top
  const isSuperseded = (message: JsonObject): boolean => system !== undefined && own(message, "role") === "system"
  const keep = (messages: Sequence<Made>, found: Made | undefined): Sequence<Made> =>
    found === undefined || isSuperseded(found.message) ? messages : append(messages, found)
  const tail = retainedTail(record)
  if (tail !== undefined) return tail.reduce((messages, message) => keep(messages, { message, at: before.length }), top)
  const from = firstKept(before, record)
  let messages = top
  for (let position = from; from >= 0 && position < before.length; position++) {
    const kept = at(before, position) ?? {}
    messages = isReset(kept) ? top : keep(messages, made(kept, position))
  }
  return messages
}

/** The fold after one more record of the path. */
export const extend = (fold: ContextFold, record: JsonObject): ContextFold => {
  const position = fold.path.length
  const edit = editOf(record, position)
  const messages = isReset(record) ? empty<Made>() : withMade(fold.messages, made(record, position))
  return {
    path: append(fold.path, record),
    messages: isCompaction(record) ? compacted(fold.path, record) : messages,
    edits: edit === undefined ? fold.edits : append(fold.edits, edit),
    settings: settle(fold.settings, record),
  }
}

/** The messages with their edits carried out: the last one below a message on the path counts. */
const edited = ({ messages, edits }: ContextFold): ReadonlyArray<JsonObject> => {
  const found: Array<JsonObject> = []
  for (const { message, id, at } of iterate(messages)) {
    const edit = id === undefined || edits.length === 0 ? undefined : last(edits, id)
    if (edit === undefined || edit.at < at) found.push(message)
    else if (edit.content !== null) found.push({ ...message, content: edit.content })
  }
  return found
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
export const contextOf = (fold: ContextFold): SessionContext => contextIn(edited(fold), fold.settings)

const contextIn = (messages: ReadonlyArray<JsonObject>, settings: Settings): SessionContext => ({
  messages,
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

/**
 * The context at a leaf, by default the live one; null is the empty context. An unknown id is a rejection, never another branch.
 *
 * O(length of the path), of which only those records are looked at that have a part in it.
 */
export const buildSessionContext = (
  state: TreeState,
  leaf: string | null = state.leaf,
): Result.Result<SessionContext, TreeRejection> =>
  Result.map(path(state, leaf), (found) => {
    const { place, settings } = contextStart(state, found)
    const rest = records(state, { ...found, positions: found.positions.slice(place) })
    return contextOf(rest.reduce(extend, { ...emptyFold, settings }))
  })
