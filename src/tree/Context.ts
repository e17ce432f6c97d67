/**
 * The context: what the model would see at a leaf (law CTX-1).
 *
 * A path says two things: its messages (ContextMessages.ts) and its settings (PathSettings.ts). The last compaction replaces all messages
 * that came before by its summary and by what it keeps, so nothing above that is looked at for them (ContextStart.ts).
 *
 * Messages are what the session holds: summaries are plain, without the sentences that introduce them to a provider (Wording.ts).
 */
import * as Result from "effect/Result"
import type { Json, JsonObject } from "../model/Json.ts"
import { lastPosition, type Sequence, toArray } from "../model/Sequence.ts"
import { messagesOf } from "./ContextMessages.ts"
import { contextStart } from "./ContextStart.ts"
import { type PathSettings, settingsAt } from "./PathSettings.ts"
import { type TreeRejection, unknownLeaf } from "./Rejection.ts"
import { initialSettings, type ModelChain, type Settings } from "./Settings.ts"
import { recordAt, type TreeState } from "./State.ts"

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

/** What a path says, in a form to which more can be put. */
export interface ContextFold {
  readonly messages: Sequence<JsonObject>
  readonly settings: Settings
}

/** What a path says. */
export interface Said extends PathSettings {
  readonly messages: ReadonlyArray<JsonObject>
}

const NOTHING: Said = { messages: [], settings: initialSettings, missing: undefined }

/** What the path to a leaf says. */
export const saidAt = (state: TreeState, leaf: string | null): Result.Result<Said, TreeRejection> => {
  if (leaf === null) return Result.succeed(NOTHING)
  const position = lastPosition(state.entries, leaf)
  if (position < 0) return Result.fail(unknownLeaf(leaf))
  const { positions, cut } = contextStart(state, position)
  const records = positions.map((position) => recordAt(state, position) ?? {})
  return Result.succeed({ messages: messagesOf(records, cut), ...settingsAt(state, position) })
}

/** Every role with a model and without a configured chain has a chain of that one model. */
const chainsOf = ({ models, chains }: Settings): Readonly<Record<string, ModelChain>> => {
  const all = new Map(chains)
  for (const [role, model] of models) {
    if (!all.has(role)) all.set(role, { role, entries: [model], origin: "legacy_session", explicitHead: true })
  }
  return Object.fromEntries(all)
}

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

/** The context that a fold amounts to. O(messages), to copy their list. */
export const contextOf = ({ messages, settings }: ContextFold): SessionContext => contextIn(toArray(messages), settings)

/**
 * The context at a leaf, by default the live one; null is the empty context. An unknown id is a rejection, never another branch.
 *
 * Costs what the context holds and the entries of the path that set something, however long the path is; in odd sessions the path: see
 * {@link contextStart} and {@link settingsAt}.
 */
export const buildSessionContext = (
  state: TreeState,
  leaf: string | null = state.leaf,
): Result.Result<SessionContext, TreeRejection> =>
  Result.map(saidAt(state, leaf), ({ messages, settings }) => contextIn(messages, settings))
