/**
 * The tree session once more, written from the description of the format alone: slow, plain, and sharing nothing with `src/tree`.
 * Laws compare the two. Whole files at a time, arrays and scans, no state that grows.
 */
import { positionalEntryId } from "../../src/model/Ids.ts"

/** A record as JSON.parse gives it. */
// biome-ignore lint/suspicious/noExplicitAny: the reference is written as the description is, without types
type Rec = any

export interface ReferenceEntry {
  readonly id: string
  readonly parentId: string | null
  readonly record: Rec
}

export interface ReferenceSession {
  readonly header: Rec | undefined
  readonly version: number
  readonly entries: ReadonlyArray<ReferenceEntry>
  readonly leaf: string | null
}

const KNOWN = [
  "message",
  "model_change",
  "thinking_level_change",
  "service_tier_change",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "label",
  "ttsr_injection",
  "mcp_tool_selection",
  "discovered_builtin_tool_selection",
  "session_init",
  "mode_change",
  "configured_model_chain",
]

const has = (object: Rec, key: string): boolean => Object.hasOwn(object, key)
const str = (value: unknown): value is string => typeof value === "string"
const obj = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)
const get = (object: Rec, key: string): Rec => (has(object, key) ? object[key] : undefined)

/** The digest by which a made-up header is told is not the reference's business: only v1 ids under a lost header depend on it. */
export type MadeUpId = (firstEntry: Rec) => string

const isNode = (record: Rec, version: number): boolean => {
  const type = get(record, "type")
  if (!str(type) || ["session", "header_patch", "entry_patch"].includes(type)) return false
  return version === 1 || KNOWN.includes(type) || str(get(record, "id"))
}

/** Cuts the records into what stands before the header, the header, and the rest. A header that is lost is made up. */
const open = (
  records: ReadonlyArray<Rec>,
  madeUpId: MadeUpId,
): { header: Rec; version: number; body: ReadonlyArray<Rec> } | undefined => {
  for (let i = 0; i < records.length; i++) {
    const record = records[i]
    const type = get(record, "type")
    const slot = records.slice(0, i).find((earlier) => get(earlier, "type") === "title" && str(get(earlier, "title")))
    const titled = (header: Rec): Rec => {
      if (slot === undefined || get(slot, "title") === "") return header
      const source = get(slot, "source")
      return { ...header, title: get(slot, "title"), ...(source === "auto" || source === "user" ? { titleSource: source } : {}) }
    }
    if (type === "session") {
      const version = has(record, "version") ? record.version : 1
      return {
        header: titled({ ...record, id: str(get(record, "id")) ? record.id : madeUpId(record) }),
        version,
        body: records.slice(i + 1),
      }
    }
    if (!str(type) || type === "header_patch" || type === "entry_patch") continue
    const hasId = str(get(record, "id"))
    if (!hasId && !KNOWN.includes(type)) continue
    if (type === "title" && str(get(record, "title")) && slot === undefined) continue
    return { header: titled({ id: madeUpId(record) }), version: hasId ? 5 : 1, body: records.slice(i) }
  }
  return undefined
}

/** The members that a header patch may have, and the values they may have. */
const headerPatchMembers = (exists: (id: string) => boolean): Record<string, (value: Rec) => boolean> => ({
  title: str,
  titleSource: (value) => value === "auto" || value === "user",
  cwd: str,
  starred: (value) => typeof value === "boolean",
  leafId: (value) => value === null || (str(value) && exists(value)),
})

/** The session of a whole file. */
export const referenceSession = (records: ReadonlyArray<Rec>, madeUpId: MadeUpId): ReferenceSession => {
  const opened = open(records, madeUpId)
  if (opened === undefined) return { header: undefined, version: 5, entries: [], leaf: null }
  const { version, body } = opened
  let { header } = opened
  const entries: Array<{ id: string; parentId: string | null; record: Rec; source: Rec; index: number }> = []
  let leaf: string | null = null
  const named = (id: string) => entries.filter((entry) => entry.id === id).at(-1)

  body.forEach((source, n) => {
    const index = n + 1
    const type = get(source, "type")
    if (type === "header_patch" && version >= 4) {
      const patch = get(source, "patch")
      if (!Object.keys(source).every((key) => key === "type" || key === "patch") || !obj(patch)) return
      const good = headerPatchMembers((id) => named(id) !== undefined)
      if (!Object.keys(patch).every((key) => has(good, key) && good[key]?.(patch[key]))) return
      for (const key of Object.keys(patch)) if (key !== "leafId") header = { ...header, [key]: patch[key] }
      if (has(patch, "leafId")) leaf = patch.leafId
      return
    }
    if (type === "entry_patch" && version >= 4) {
      const patch = get(source, "patch")
      if (!Object.keys(source).every((key) => ["type", "entryId", "patch"].includes(key)) || !obj(patch)) return
      if (Object.keys(patch).join() !== "message" || !obj(patch.message) || !str(get(source, "entryId"))) return
      const target = named(source.entryId)
      if (target !== undefined && target.record.type === "message") target.record = { ...target.record, message: patch.message }
      return
    }
    if (!isNode(source, version)) return
    const given = get(source, "id")
    const holder = str(given) ? named(given) : undefined
    if (holder !== undefined && JSON.stringify(holder.source) === JSON.stringify(source)) return

    const needsId = !str(given) || (version === 1 && holder !== undefined)
    let id: string = needsId ? positionalEntryId(header.id, index) : given
    for (let k = 1; needsId && named(id) !== undefined; k++) id = positionalEntryId(`${header.id}#${k}`, index)
    let record = { ...source, id }
    if (version === 1) {
      record = { ...record, parentId: entries.at(-1)?.id ?? null }
      const at = get(source, "firstKeptEntryIndex")
      if (type === "compaction" && Number.isInteger(at) && at > 0 && at < 2 ** 53 && !has(source, "firstKeptEntryId")) {
        const kept =
          at === index ? id : at > index ? positionalEntryId(header.id, at) : entries.find((entry) => entry.index === at)?.id
        if (kept !== undefined) {
          delete record.firstKeptEntryIndex
          record.firstKeptEntryId = kept
        }
      }
    }
    if (version < 3 && type === "message" && obj(get(record, "message")) && get(record.message, "role") === "hookMessage") {
      record.message = { ...record.message, role: "custom" }
    }
    const parentId = str(get(record, "parentId")) ? record.parentId : null
    entries.push({ id, parentId, record, source, index })
    if (type !== "model_usage") leaf = id
  })
  return { header, version, entries, leaf }
}

/** The entries on the way from the root, or from where the way begins, down to a leaf. */
export const referencePath = (entries: ReadonlyArray<ReferenceEntry>, leaf: string | null): ReadonlyArray<ReferenceEntry> => {
  const way: Array<ReferenceEntry> = []
  let id = leaf
  while (id !== null) {
    const wanted = id
    const entry = entries.filter((candidate) => candidate.id === wanted).at(-1)
    if (entry === undefined || way.includes(entry)) break
    way.unshift(entry)
    id = entry.parentId
  }
  return way
}

const pick = (record: Rec, names: ReadonlyArray<string>): Rec => {
  const found: Rec = {}
  for (const name of names) if (has(record, name)) found[name] = record[name]
  return found
}

const millis = (record: Rec): number | null => {
  const time = new Date(str(get(record, "timestamp")) ? record.timestamp : Number.NaN).getTime()
  return Number.isNaN(time) ? null : time
}

/** The one message that an entry makes by itself, or none. */
const emittedBy = (record: Rec): Rec => {
  if (record.type === "message" && obj(get(record, "message"))) return record.message
  if (record.type === "custom_message" && (str(get(record, "content")) || Array.isArray(get(record, "content")))) {
    return {
      role: "custom",
      ...pick(record, ["customType", "content", "display", "details", "attribution"]),
      timestamp: millis(record),
    }
  }
  if (record.type === "branch_summary" && str(get(record, "summary")) && record.summary !== "") {
    return { role: "branchSummary", ...pick(record, ["summary", "fromId"]), timestamp: millis(record) }
  }
  return undefined
}

/** What pi calls an edit that can be done: its replacement is null, or has a content that a message may have. */
const isEdit = (record: Rec): boolean => {
  const replacement = get(record, "replacement")
  if (record.type !== "context_edit" || !str(get(record, "targetId"))) return false
  return (
    replacement === null || (obj(replacement) && (str(get(replacement, "content")) || Array.isArray(get(replacement, "content"))))
  )
}

/** The messages of the given entries of a path, each as the last edit that follows it on the path leaves it. */
const emitted = (way: ReadonlyArray<Rec>, records: ReadonlyArray<Rec>): Array<Rec> => {
  const messages: Array<Rec> = []
  for (const record of records) {
    const message = emittedBy(record)
    if (message === undefined) continue
    const editable =
      record.type === "custom_message" ||
      (record.type === "message" && ["user", "assistant", "toolResult"].includes(get(message, "role")))
    const edits = way.slice(way.indexOf(record)).filter((later) => isEdit(later) && later.targetId === get(record, "id"))
    const edit = editable ? edits.at(-1) : undefined
    if (edit === undefined) messages.push(message)
    else if (edit.replacement !== null) messages.push({ ...message, content: edit.replacement.content })
  }
  return messages
}

/** What stands behind the last reset of the context. */
const sinceReset = (records: ReadonlyArray<Rec>): ReadonlyArray<Rec> =>
  records.slice(records.findLastIndex((record) => record.type === "reset_boundary") + 1)

const referenceMessages = (way: ReadonlyArray<Rec>): Array<Rec> => {
  const k = way.findLastIndex((record) => record.type === "compaction" && str(get(record, "summary")))
  const after = way.slice(k + 1)
  const compaction = way[k]
  if (compaction === undefined || after.some((record) => record.type === "reset_boundary")) return emitted(way, sinceReset(after))
  const remote = obj(get(compaction, "preserveData")) ? get(compaction.preserveData, "openaiRemoteCompaction") : undefined
  const isRemote =
    obj(remote) && str(get(remote, "provider")) && remote.provider !== "" && Array.isArray(get(remote, "replacementHistory"))
  const summary = {
    role: "compactionSummary",
    ...pick(compaction, ["summary", "shortSummary", "tokensBefore"]),
    ...(isRemote
      ? { providerPayload: { type: "openaiResponsesHistory", provider: remote.provider, items: remote.replacementHistory } }
      : {}),
    timestamp: millis(compaction),
  }
  const given = get(compaction, "systemMessage")
  const system = obj(given) && get(given, "role") === "system" ? [given] : []
  const from = way.slice(0, k).findIndex((record) => record.id === get(compaction, "firstKeptEntryId"))
  const tail = get(compaction, "retainedTail")
  const listed = from < 0 ? [] : emitted(way, sinceReset(way.slice(from, k)))
  const kept = isRemote ? [] : Array.isArray(tail) ? tail.filter(obj) : listed
  const said = system.length === 0 ? kept : kept.filter((message) => get(message, "role") !== "system")
  return [...system, summary, ...said, ...emitted(way, after)]
}

const strings = (value: unknown): boolean => Array.isArray(value) && value.every(str)
const lastWhere = (records: ReadonlyArray<Rec>, test: (record: Rec) => boolean): Rec => records.filter(test).at(-1)

/** A change of the model as GJC writes it, or as pi does, in two parts. */
const changedModel = (record: Rec): string => {
  if (str(get(record, "model"))) return record.model
  const parts = [get(record, "provider"), get(record, "modelId")]
  return parts.every((part) => str(part) && part !== "") ? parts.join("/") : ""
}

const referenceModels = (records: ReadonlyArray<Rec>): Map<string, string> => {
  const changes = records.filter((record) => record.type === "model_change" && changedModel(record) !== "")
  const models = new Map<string, string>()
  const answers = records.filter(
    (record) =>
      record.type === "message" &&
      obj(get(record, "message")) &&
      get(record.message, "role") === "assistant" &&
      str(get(record.message, "provider")) &&
      str(get(record.message, "model")),
  )
  const role = (record: Rec): string => (str(get(record, "role")) ? record.role : "default")
  const chosen = changes.some((record) => role(record) === "default")
  const answer = answers.at(-1)?.message
  if (!chosen && answer !== undefined) models.set("default", `${answer.provider}/${answer.model}`)
  for (const record of changes) models.set(role(record), changedModel(record))
  return models
}

const referenceChains = (records: ReadonlyArray<Rec>, models: ReadonlyMap<string, string>): Rec => {
  const chains = new Map<string, Rec>()
  for (const record of records.filter((candidate) => candidate.type === "configured_model_chain")) {
    const role = get(record, "role")
    if (!str(role) || role === "") continue
    if (get(record, "cleared") === true) {
      chains.delete(role)
      continue
    }
    const listed = get(record, "entries")
    const entries = Array.isArray(listed) ? listed.filter((item) => str(item) && item !== "") : []
    if (entries.length === 0) continue
    const origin = str(get(record, "origin")) ? record.origin : "session"
    chains.set(role, { role, entries, origin, ...pick(record, ["identity"]), explicitHead: get(record, "explicitHead") === true })
  }
  for (const [role, model] of models) {
    if (!chains.has(role)) chains.set(role, { role, entries: [model], origin: "legacy_session", explicitHead: true })
  }
  return Object.fromEntries(chains)
}

const referenceRules = (records: ReadonlyArray<Rec>): Map<string, Rec> => {
  const rules = new Map<string, Rec>()
  for (const record of records.filter((candidate) => candidate.type === "ttsr_injection")) {
    const names = get(record, "injectedRules")
    for (const name of Array.isArray(names) ? names.filter(str) : [])
      if (!rules.has(name)) rules.set(name, { name, lastInjectedAt: 0 })
    const rich = get(record, "injectedRuleRecords")
    for (const rule of Array.isArray(rich) ? rich.filter((item) => obj(item) && str(get(item, "name"))) : [])
      rules.set(rule.name, rule)
  }
  return rules
}

/** What buildSessionContext returns at a leaf that the session has, or at null. */
export const referenceContext = (entries: ReadonlyArray<ReferenceEntry>, leaf: string | null): Rec => {
  const records = referencePath(entries, leaf).map((entry) => entry.record)
  const of = (type: string): ReadonlyArray<Rec> => records.filter((record) => record.type === type)
  const levels = of("thinking_level_change").filter((record) => get(record, "thinkingLevel") == null || str(record.thinkingLevel))
  const tiers = of("service_tier_change").filter((record) => {
    const tier = get(record, "serviceTier")
    return tier == null || str(tier) || obj(tier)
  })
  const tier = get(tiers.at(-1) ?? {}, "serviceTier")
  const mode = of("mode_change")
    .filter((record) => str(get(record, "mode")))
    .at(-1)
  const mcp = lastWhere(of("mcp_tool_selection"), (record) => strings(get(record, "selectedToolNames")))
  const builtin = lastWhere(
    records,
    (record) =>
      (record.type === "discovered_builtin_tool_selection" && strings(get(record, "selectedToolNames"))) ||
      (record.type === "mcp_tool_selection" && strings(get(record, "selectedDiscoveredBuiltinToolNames"))),
  )
  const counts = of("ttsr_injection").filter((record) => Number.isFinite(get(record, "ttsrMessageCount")))
  const rules = referenceRules(records)
  const models = referenceModels(records)
  return {
    messages: referenceMessages(records),
    thinkingLevel: get(levels.at(-1) ?? {}, "thinkingLevel") ?? "off",
    ...(tier == null ? {} : { serviceTier: tier }),
    models: Object.fromEntries(models),
    configuredModelChains: referenceChains(records, models),
    injectedTtsrRules: [...rules.keys()],
    injectedTtsrRuleRecords: [...rules.values()],
    ttsrMessageCount: counts.at(-1)?.ttsrMessageCount ?? 0,
    selectedMCPToolNames: mcp?.selectedToolNames ?? [],
    ...(builtin === undefined
      ? {}
      : {
          selectedDiscoveredBuiltinToolNames:
            builtin.type === "mcp_tool_selection" ? builtin.selectedDiscoveredBuiltinToolNames : builtin.selectedToolNames,
        }),
    hasPersistedMCPToolSelection: mcp !== undefined,
    hasPersistedDiscoveredBuiltinToolSelection: builtin !== undefined,
    mode: mode?.mode ?? "none",
    ...(mode !== undefined && has(mode, "data") ? { modeData: mode.data } : {}),
  }
}
