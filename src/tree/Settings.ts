/**
 * What a path says beside its messages: models, thinking level, service tier, mode, tools and rules in force at its end.
 *
 * A fold over the records of a path from its upper end to the leaf. A compaction does not cut it: what was set before still holds.
 */
import { isObject, type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { isStrings } from "../model/Shape.ts"

/** The models to try for a role, in order. */
export type ModelChain = {
  readonly role: string
  readonly entries: ReadonlyArray<string>
  /** `legacy_session` when no chain was configured and it was made from the model in force. */
  readonly origin: string
  readonly identity?: Json
  readonly explicitHead: boolean
}

export interface Settings {
  readonly thinkingLevel: string
  /** Absent for none. oh-my-pi has an object here, a tier for each provider. */
  readonly serviceTier?: Json
  /** Model by role, as `provider/id`. */
  readonly models: ReadonlyMap<string, string>
  /** True once a `model_change` has set the default model: an answer from another model then no longer changes it. */
  readonly defaultChosen: boolean
  readonly chains: ReadonlyMap<string, ModelChain>
  /** Names in the order of their first injection, each with its latest record. */
  readonly rules: ReadonlyMap<string, JsonObject>
  readonly ttsrMessageCount: number
  /** Absent when no selection was ever written. An empty list is a selection. */
  readonly mcpTools?: ReadonlyArray<string>
  readonly builtinTools?: ReadonlyArray<string>
  readonly mode: string
  readonly modeData?: Json
}

export const initialSettings: Settings = {
  thinkingLevel: "off",
  models: new Map(),
  defaultChosen: false,
  chains: new Map(),
  rules: new Map(),
  ttsrMessageCount: 0,
  mode: "none",
}

/** Settings on their way through some records. */
type Draft = {
  -readonly [K in keyof Settings]: Settings[K] extends ReadonlyMap<string, infer V> ? Map<string, V> : Settings[K]
}

type Step = (draft: Draft, record: JsonObject) => void

/** The model that a `model_change` names. pi writes provider and id apart. */
const modelIn = (record: JsonObject): string | undefined => {
  const model = ownString(record, "model")
  if (model !== undefined) return model === "" ? undefined : model
  const provider = ownString(record, "provider") || undefined
  const id = ownString(record, "modelId") || undefined
  return provider === undefined || id === undefined ? undefined : `${provider}/${id}`
}

const modelChange: Step = (draft, record) => {
  const model = modelIn(record)
  if (model === undefined) return
  const role = ownString(record, "role") ?? "default"
  draft.models.set(role, model)
  draft.defaultChosen ||= role === "default"
}

/** The model that an answer names as its own, or undefined for every other record. */
const modelSaid = (record: JsonObject): string | undefined => {
  const content = own(record, "type") === "message" ? ownObject(record, "message") : undefined
  if (content === undefined || own(content, "role") !== "assistant") return undefined
  const provider = ownString(content, "provider")
  const model = ownString(content, "model")
  return provider === undefined || model === undefined ? undefined : `${provider}/${model}`
}

const message: Step = (draft, record) => {
  const model = draft.defaultChosen ? undefined : modelSaid(record)
  if (model !== undefined) draft.models.set("default", model)
}

const thinking: Step = (draft, record) => {
  const level = own(record, "thinkingLevel") ?? "off"
  if (typeof level === "string") draft.thinkingLevel = level
}

const serviceTier: Step = (draft, record) => {
  const tier = own(record, "serviceTier") ?? null
  if (tier === null) delete draft.serviceTier
  else if (typeof tier === "string" || isObject(tier)) draft.serviceTier = tier
}

const mode: Step = (draft, record) => {
  const name = ownString(record, "mode")
  if (name === undefined) return
  const data = own(record, "data")
  draft.mode = name
  if (data === undefined) delete draft.modeData
  else draft.modeData = data
}

/** A bare name keeps the record that it has; a rich record replaces it, at the place of the name's first injection. */
const rules: Step = (draft, record) => {
  const names = own(record, "injectedRules")
  if (Array.isArray(names)) {
    for (const name of names) {
      if (typeof name === "string" && !draft.rules.has(name)) draft.rules.set(name, { name, lastInjectedAt: 0 })
    }
  }
  const rich = own(record, "injectedRuleRecords")
  if (Array.isArray(rich)) {
    for (const rule of rich) {
      const name = isObject(rule) ? ownString(rule, "name") : undefined
      if (isObject(rule) && name !== undefined) draft.rules.set(name, rule)
    }
  }
  const count = own(record, "ttsrMessageCount")
  if (Number.isFinite(count)) draft.ttsrMessageCount = Number(count)
}

/** Version 4 kept the selection of built-in tools in the record of the MCP tools. */
const mcpTools: Step = (draft, record) => {
  const names = own(record, "selectedToolNames")
  const builtin = own(record, "selectedDiscoveredBuiltinToolNames")
  if (isStrings(names)) draft.mcpTools = names
  if (isStrings(builtin)) draft.builtinTools = builtin
}

const builtinTools: Step = (draft, record) => {
  const names = own(record, "selectedToolNames")
  if (isStrings(names)) draft.builtinTools = names
}

const chain: Step = ({ chains }, record) => {
  const role = ownString(record, "role")
  if (role === undefined || role === "") return
  if (own(record, "cleared") === true) {
    chains.delete(role)
    return
  }
  const listed = own(record, "entries")
  const entries = Array.isArray(listed) ? listed.filter((item): item is string => typeof item === "string" && item !== "") : []
  if (entries.length === 0) return
  const identity = own(record, "identity")
  chains.set(role, {
    role,
    entries,
    origin: ownString(record, "origin") ?? "session",
    ...(identity === undefined ? {} : { identity }),
    explicitHead: own(record, "explicitHead") === true,
  })
}

/** By type. A message is looked at for the model that it names. */
const steps: ReadonlyMap<string, Step> = new Map([
  ["model_change", modelChange],
  ["thinking_level_change", thinking],
  ["service_tier_change", serviceTier],
  ["mode_change", mode],
  ["ttsr_injection", rules],
  ["mcp_tool_selection", mcpTools],
  ["discovered_builtin_tool_selection", builtinTools],
  ["configured_model_chain", chain],
])

/** True for the types that set something and are no messages. */
export const sets = (type: string): boolean => steps.has(type)

/** True for the records that have a part in the settings. */
export const isSetter = (record: JsonObject): boolean => sets(ownString(record, "type") ?? "") || modelSaid(record) !== undefined

/**
 * The settings after more records of the path, from the upper one down; the same value when none has a part in them. Cost: the settings
 * once, and each record.
 */
export const settle = (settings: Settings, records: ReadonlyArray<JsonObject>): Settings => {
  const setters = records.filter(isSetter)
  if (setters.length === 0) return settings
  const [models, chains, all] = [new Map(settings.models), new Map(settings.chains), new Map(settings.rules)]
  const draft: Draft = { ...settings, models, chains, rules: all }
  for (const record of setters) (steps.get(ownString(record, "type") ?? "") ?? message)(draft, record)
  return draft
}
