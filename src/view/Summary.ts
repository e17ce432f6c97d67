/** What `show` says of a tree session, as a value: the same for people and for programs. */
import * as Result from "effect/Result"
import type { Damage } from "../journal/Damage.ts"
import { type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { iterate } from "../model/Sequence.ts"
import { buildSessionContext, type SessionContext } from "../tree/Context.ts"
import type { Dialect } from "../tree/Format.ts"
import { readHeader } from "../tree/Header.ts"
import { counts, type OpenToolCall, openToolCalls, title, usage } from "../tree/Overview.ts"
import { recordAt, type TreeState } from "../tree/State.ts"
import { labels, leaves, roots } from "../tree/Tree.ts"

/** A session file as it was read. */
export interface SummarySource {
  readonly path: string
  readonly dialect: Dialect
  readonly version: number
  readonly state: TreeState
  readonly damages: ReadonlyArray<Damage>
  readonly records: number
  readonly bytes: number
}

export interface Summary {
  readonly path: string
  readonly format: "tree"
  /** The agent whose file it is. */
  readonly dialect: Dialect
  readonly version: number
  readonly id: string
  /** Null when the session has none. */
  readonly title: string | null
  readonly titleSource?: "auto" | "user"
  readonly starred: boolean
  readonly cwd: string | null
  readonly parentSession?: string
  /** ISO 8601, as the header has it. */
  readonly created: string | null
  /** The latest time of an entry. */
  readonly modified: string | null
  /** The model in force at the leaf, as `provider/id`. */
  readonly model: string | null
  readonly thinkingLevel: string
  readonly bytes: number
  readonly counts: {
    readonly records: number
    readonly entries: number
    readonly messages: number
    readonly roots: number
    /** Entries that nothing attaches to. */
    readonly branches: number
    readonly byType: Readonly<Record<string, number>>
    readonly byRole: Readonly<Record<string, number>>
  }
  readonly leaf: string | null
  readonly labels: Readonly<Record<string, string>>
  /** What the model would see at the leaf. `tokens` is what the last answer there said that it was given and gave. */
  readonly context: { readonly messages: number; readonly bytes: number; readonly tokens?: number }
  readonly openToolCalls: ReadonlyArray<OpenToolCall>
  readonly usage: { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number }
  /** In US dollars. Without `usd` nothing is known; with `incomplete` it is a minimum. */
  readonly cost: { readonly usd?: number; readonly incomplete: boolean }
  readonly damage: ReadonlyArray<Damage>
}

const byRole = (state: TreeState): Readonly<Record<string, number>> => {
  const found = new Map<string, number>()
  for (let position = 0; position < state.entries.length; position++) {
    const record = recordAt(state, position) ?? {}
    const role = own(record, "type") === "message" ? ownString(ownObject(record, "message") ?? {}, "role") : undefined
    if (role !== undefined) found.set(role, (found.get(role) ?? 0) + 1)
  }
  return Object.fromEntries(found)
}

const lastTime = (state: TreeState): string | null => {
  let latest: string | null = null
  let at = Number.NEGATIVE_INFINITY
  for (const { record } of iterate(state.entries)) {
    const timestamp = ownString(record, "timestamp") ?? ""
    const time = Date.parse(timestamp)
    if (time > at) [latest, at] = [timestamp, time]
  }
  return latest
}

const tokensOf = (message: JsonObject): number => {
  const used = own(message, "role") === "assistant" ? ownObject(message, "usage") : undefined
  const parts = ["input", "output", "cacheRead", "cacheWrite"].map((name) => own(used ?? {}, name))
  return parts.reduce<number>((total, part) => total + (typeof part === "number" && part > 0 ? part : 0), 0)
}

/** The tokens that the last answer of a context counted; undefined when none says. */
const lastCount = (messages: ReadonlyArray<JsonObject>): number | undefined => {
  const sum = messages.map(tokensOf).findLast((tokens) => tokens > 0)
  return sum !== undefined && Number.isFinite(sum) ? sum : undefined
}

/** Bytes of messages as JSON. */
export const bytesOf = (messages: ReadonlyArray<JsonObject>): number =>
  messages.reduce((sum, message) => sum + new TextEncoder().encode(JSON.stringify(message)).length, 0)

const sizeOf = ({ messages }: SessionContext): Summary["context"] => {
  const tokens = lastCount(messages)
  return { messages: messages.length, bytes: bytesOf(messages), ...(tokens === undefined ? {} : { tokens }) }
}

const countsOf = (state: TreeState, records: number): Summary["counts"] => {
  const byType = counts(state)
  return {
    records,
    entries: state.entries.length,
    messages: byType.get("message") ?? 0,
    roots: roots(state).length,
    branches: leaves(state).length,
    byType: Object.fromEntries(byType),
    byRole: byRole(state),
  }
}

const spent = (state: TreeState): Pick<Summary, "usage" | "cost"> => {
  const { cost, incomplete, ...tokens } = usage(state)
  return { usage: tokens, cost: { ...(cost === 0 && incomplete ? {} : { usd: cost }), incomplete } }
}

/** The summary of a session that was read. O(entries + bytes of the context). */
export const summarise = ({ path, dialect, version, state, damages, records, bytes }: SummarySource): Summary => {
  const header = readHeader(state.header ?? {})
  const name = title(state)
  const context = Result.getOrUndefined(buildSessionContext(state))
  return {
    path,
    format: "tree",
    dialect,
    version,
    id: header.id,
    title: name?.title ?? null,
    ...(name === undefined ? {} : { titleSource: name.source }),
    starred: header.starred,
    cwd: header.cwd ?? null,
    ...(header.parentSession === undefined ? {} : { parentSession: header.parentSession }),
    created: header.timestamp ?? null,
    modified: lastTime(state),
    model: context?.models["default"] ?? null,
    thinkingLevel: context?.thinkingLevel ?? "off",
    bytes,
    counts: countsOf(state, records),
    leaf: state.leaf,
    labels: Object.fromEntries(labels(state)),
    context: context === undefined ? { messages: 0, bytes: 0 } : sizeOf(context),
    openToolCalls: Result.getOrElse(openToolCalls(state), () => []),
    ...spent(state),
    damage: damages,
  }
}
