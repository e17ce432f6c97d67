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

const withModel = (settings: Settings, role: string, model: string): ReadonlyMap<string, string> =>
  settings.models.get(role) === model ? settings.models : new Map(settings.models).set(role, model)

/** The model that a `model_change` names. pi writes provider and id apart. */
const modelIn = (record: JsonObject): string | undefined => {
  const model = ownString(record, "model")
  if (model !== undefined) return model === "" ? undefined : model
  const provider = ownString(record, "provider") || undefined
  const id = ownString(record, "modelId") || undefined
  return provider === undefined || id === undefined ? undefined : `${provider}/${id}`
}

const modelChange = (settings: Settings, record: JsonObject): Settings => {
  const model = modelIn(record)
  if (model === undefined) return settings
  const role = ownString(record, "role") ?? "default"
  return {
    ...settings,
    models: withModel(settings, role, model),
    defaultChosen: settings.defaultChosen || role === "default",
  }
}

const message = (settings: Settings, record: JsonObject): Settings => {
  if (settings.defaultChosen) return settings
  const content = ownObject(record, "message")
  if (content === undefined || own(content, "role") !== "assistant") return settings
  const provider = ownString(content, "provider")
  const model = ownString(content, "model")
  if (provider === undefined || model === undefined) return settings
  return { ...settings, models: withModel(settings, "default", `${provider}/${model}`) }
}

const thinking = (settings: Settings, record: JsonObject): Settings => {
  const level = own(record, "thinkingLevel") ?? "off"
  return typeof level === "string" ? { ...settings, thinkingLevel: level } : settings
}

const serviceTier = (settings: Settings, record: JsonObject): Settings => {
  const tier = own(record, "serviceTier") ?? null
  const { serviceTier: _, ...rest } = settings
  if (tier === null) return rest
  return typeof tier === "string" || isObject(tier) ? { ...rest, serviceTier: tier } : settings
}

const mode = (settings: Settings, record: JsonObject): Settings => {
  const name = ownString(record, "mode")
  if (name === undefined) return settings
  const { modeData: _, ...rest } = settings
  const data = own(record, "data")
  return { ...rest, mode: name, ...(data === undefined ? {} : { modeData: data }) }
}

/** A bare name keeps the record that it has; a rich record replaces it, at the place of the name's first injection. */
const rules = (settings: Settings, record: JsonObject): Settings => {
  const found = new Map(settings.rules)
  const names = own(record, "injectedRules")
  if (Array.isArray(names)) {
    for (const name of names) {
      if (typeof name === "string" && !found.has(name)) found.set(name, { name, lastInjectedAt: 0 })
    }
  }
  const rich = own(record, "injectedRuleRecords")
  if (Array.isArray(rich)) {
    for (const rule of rich) {
      const name = isObject(rule) ? ownString(rule, "name") : undefined
      if (isObject(rule) && name !== undefined) found.set(name, rule)
    }
  }
  const count = own(record, "ttsrMessageCount")
  return { ...settings, rules: found, ttsrMessageCount: Number.isFinite(count) ? Number(count) : settings.ttsrMessageCount }
}

/** Version 4 kept the selection of built-in tools in the record of the MCP tools. */
const mcpTools = (settings: Settings, record: JsonObject): Settings => {
  const names = own(record, "selectedToolNames")
  const builtin = own(record, "selectedDiscoveredBuiltinToolNames")
  return {
    ...settings,
    ...(isStrings(names) ? { mcpTools: names } : {}),
    ...(isStrings(builtin) ? { builtinTools: builtin } : {}),
  }
}

const builtinTools = (settings: Settings, record: JsonObject): Settings => {
  const names = own(record, "selectedToolNames")
  return isStrings(names) ? { ...settings, builtinTools: names } : settings
}

const chain = (settings: Settings, record: JsonObject): Settings => {
  const role = ownString(record, "role")
  if (role === undefined || role === "") return settings
  const chains = new Map(settings.chains)
  if (own(record, "cleared") === true) {
    chains.delete(role)
    return { ...settings, chains }
  }
  const listed = own(record, "entries")
  const entries = Array.isArray(listed) ? listed.filter((item): item is string => typeof item === "string" && item !== "") : []
  if (entries.length === 0) return settings
  const identity = own(record, "identity")
  chains.set(role, {
    role,
    entries,
    origin: ownString(record, "origin") ?? "session",
    ...(identity === undefined ? {} : { identity }),
    explicitHead: own(record, "explicitHead") === true,
  })
  return { ...settings, chains }
}

const steps: ReadonlyMap<string, (settings: Settings, record: JsonObject) => Settings> = new Map([
  ["message", message],
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
export const sets = (type: string): boolean => type !== "message" && steps.has(type)

/** The settings after one more record of the path. Types without a part in them change nothing. */
export const settle = (settings: Settings, record: JsonObject): Settings =>
  steps.get(ownString(record, "type") ?? "")?.(settings, record) ?? settings
