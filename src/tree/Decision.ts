/**
 * What a command writes: the records, or why there are none.
 *
 * A record has exactly the members of its type, in this order: type, id, parentId, timestamp, then the rest. A command that would
 * change nothing (the star that it has, the leaf that it has) writes nothing. Pure: time and ids come from the stamp.
 */
import * as Result from "effect/Result"
import { freshEntryId, uuidV7 } from "../model/Ids.ts"
import { type JsonObject, own, ownString } from "../model/Json.ts"
import { isoTime, type Stamp } from "../model/Stamp.ts"
import { type Fields, parseCommand, type TreeCommand } from "./Command.ts"
import { CURRENT_VERSION, sanitiseTitle } from "./Header.ts"
import { title } from "./Overview.ts"
import {
  alreadyStarted,
  invalidCommand,
  migrationRequired,
  notAMessage,
  notStarted,
  type TreeRejection,
  unknownLeaf,
  unknownTarget,
  userTitle,
} from "./Rejection.ts"
import { has, recordOf, type TreeState } from "./State.ts"

type Decided = Result.Result<ReadonlyArray<JsonObject>, TreeRejection>

const written = (...records: ReadonlyArray<JsonObject>): Decided => Result.succeed(records)

/** Where an entry attaches, and what makes its id. */
interface Place {
  readonly state: TreeState
  readonly stamp: Stamp
}

type Members = Readonly<Record<string, unknown>>

/** The members that have a value, as JSON: the command they come from has been checked. */
const defined = (members: Members): JsonObject => withDefined({}, members)

/**
 * Adds the members that have a value to an object of our own. Their names are those of the command's fields, and so none is `__proto__`.
 * What it may be given is the whole command: the name of that is no member.
 */
const withDefined = (into: Record<string, unknown>, members: Members): JsonObject => {
  for (const key of Object.keys(members)) {
    const value = members[key]
    if (value !== undefined && key !== "do") into[key] = value
  }
  return into as JsonObject
}

/** An entry below the leaf, or below another parent: one that stands, or the entry before it in the same decision. */
const entry = ({ state, stamp }: Place, type: string, members: Members, parentId: string | null = state.leaf): JsonObject => {
  const id = freshEntryId(stamp.entropy, (candidate) => has(state, candidate) || candidate === parentId)
  return withDefined({ type, id, parentId, timestamp: isoTime(stamp) }, members)
}

const headerPatch = (patch: JsonObject): JsonObject => ({ type: "header_patch", patch })

const start = ({ state, stamp }: Place, fields: Fields<"start">): Decided => {
  if (state.header !== undefined) return Result.fail(alreadyStarted)
  const name = fields.title === undefined ? "" : sanitiseTitle(fields.title)
  return written(
    defined({
      type: "session",
      version: CURRENT_VERSION,
      id: fields.id ?? uuidV7(stamp.at, stamp.entropy),
      timestamp: fields.timestamp ?? isoTime(stamp),
      cwd: fields.cwd,
      title: name === "" ? undefined : name,
      titleSource: name === "" ? undefined : (fields.titleSource ?? "auto"),
      starredPatchVersion: 1,
      parentSession: fields.parentSession,
    }),
  )
}

const branch = ({ state }: Place, { to }: Fields<"branch">): Decided => {
  if (to !== null && !has(state, to)) return Result.fail(unknownLeaf(to))
  return to === state.leaf ? written() : written(headerPatch({ leafId: to }))
}

const branchWithSummary = (place: Place, { to, ...rest }: Fields<"branchWithSummary">): Decided =>
  to !== null && !has(place.state, to)
    ? Result.fail(unknownLeaf(to))
    : written(entry(place, "branch_summary", { fromId: to ?? "root", ...rest }, to))

const compaction = (place: Place, fields: Fields<"compaction">): Decided =>
  has(place.state, fields.firstKeptEntryId)
    ? written(entry(place, "compaction", fields))
    : Result.fail(unknownTarget("firstKeptEntryId", fields.firstKeptEntryId))

const label = (place: Place, fields: Fields<"label">): Decided =>
  has(place.state, fields.target)
    ? written(entry(place, "label", { targetId: fields.target, label: fields.label === "" ? undefined : fields.label }))
    : Result.fail(unknownTarget("target", fields.target))

/** The star, repeated beside other members of the header, so that a reader from the end finds it. */
const checkpoint = ({ header }: TreeState): JsonObject => {
  const starred = own(header ?? {}, "starred")
  return typeof starred === "boolean" ? { starred } : {}
}

/** A title of the user stays for ever against automatic ones. */
const retitle = ({ state }: Place, fields: Fields<"title">): Decided => {
  const name = sanitiseTitle(fields.title)
  if (name === "") return Result.fail(invalidCommand("title", "must not be empty"))
  if (fields.source === "auto" && title(state)?.source === "user") return Result.fail(userTitle)
  return written(headerPatch({ title: name, titleSource: fields.source, ...checkpoint(state) }))
}

const move = ({ state }: Place, { cwd }: Fields<"cwd">): Decided =>
  own(state.header ?? {}, "cwd") === cwd ? written() : written(headerPatch({ cwd, ...checkpoint(state) }))

const star = ({ state }: Place, { on }: Fields<"star">): Decided =>
  (own(state.header ?? {}, "starred") === true) === on ? written() : written(headerPatch({ starred: on }))

const tools = (place: Place, { mcp, builtin }: Fields<"tools">): Decided => {
  const both = mcp !== undefined && builtin !== undefined
  const mutationCorrelationId = both ? uuidV7(place.stamp.at, place.stamp.entropy) : undefined
  if (mcp === undefined) return written(entry(place, "discovered_builtin_tool_selection", { selectedToolNames: builtin }))
  const first = entry(place, "mcp_tool_selection", { selectedToolNames: mcp, mutationCorrelationId })
  if (builtin === undefined) return written(first)
  const members = { selectedToolNames: builtin, mutationCorrelationId }
  return written(first, entry(place, "discovered_builtin_tool_selection", members, ownString(first, "id")))
}

const patchMessage = ({ state }: Place, { entryId, message }: Fields<"patchMessage">): Decided => {
  const target = recordOf(state, entryId)
  if (target === undefined) return Result.fail(unknownTarget("entryId", entryId))
  if (own(target, "type") !== "message") return Result.fail(notAMessage(entryId))
  return written({ type: "entry_patch", entryId, patch: { message } })
}

const handlers: { readonly [N in TreeCommand["do"]]: (place: Place, fields: Fields<N>) => Decided } = {
  start,
  message: (place, fields) => written(entry(place, "message", fields)),
  patchMessage,
  branch,
  branchWithSummary,
  compaction,
  model: (place, fields) => written(entry(place, "model_change", fields)),
  thinking: (place, { level }) => written(entry(place, "thinking_level_change", { thinkingLevel: level })),
  serviceTier: (place, { tier }) => written(entry(place, "service_tier_change", { serviceTier: tier })),
  label,
  title: retitle,
  star,
  cwd: move,
  modelChain: (place, fields) => written(entry(place, "configured_model_chain", fields)),
  custom: (place, fields) => written(entry(place, "custom", fields)),
  customMessage: (place, fields) =>
    written(entry(place, "custom_message", { ...fields, attribution: fields.attribution ?? "agent" })),
  mode: (place, fields) => written(entry(place, "mode_change", fields)),
  mcpTools: (place, { names }) => tools(place, { mcp: names }),
  builtinTools: (place, { names }) => tools(place, { builtin: names }),
  tools,
  ttsr: (place, { rules, records, messageCount }) =>
    written(
      entry(place, "ttsr_injection", {
        injectedRules: rules,
        injectedRuleRecords: records,
        ttsrMessageCount: messageCount,
      }),
    ),
  init: (place, fields) => written(entry(place, "session_init", fields)),
}

const carryOut = <C extends TreeCommand>(place: Place, command: C): Decided => {
  const handler = handlers[command.do] as (place: Place, fields: object) => Decided
  return handler(place, command)
}

/** The records that a command writes in a state, or why it may not. */
export const decide = (state: TreeState, command: TreeCommand, stamp: Stamp): Decided => {
  const parsed = parseCommand(command)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  if (parsed.success.do !== "start") {
    if (state.header === undefined) return Result.fail(notStarted)
    if (state.unsupported !== undefined) return Result.fail(state.unsupported)
    if (state.version !== CURRENT_VERSION) return Result.fail(migrationRequired(state.version))
  }
  return carryOut({ state, stamp }, parsed.success)
}
