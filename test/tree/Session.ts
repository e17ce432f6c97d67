/** Small helpers of the tree tests: records in, state out. */
import { readFileSync } from "node:fs"
import * as Result from "effect/Result"
import type { JsonObject } from "../../src/model/Json.ts"
import { replay } from "../../src/model/Model.ts"
import { toArray } from "../../src/model/Sequence.ts"
import { buildSessionContext, type SessionContext } from "../../src/tree/Context.ts"
import { begin, rewriteLines, type SourceRecord } from "../../src/tree/Rewrite.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { path } from "../../src/tree/Tree.ts"
import { treeModel } from "../../src/tree/TreeModel.ts"

export const TIME = "2026-01-01T00:00:00.000Z"
export const MILLIS = Date.parse(TIME)

export const header = (version?: unknown, more: JsonObject = {}): JsonObject =>
  ({ type: "session", ...(version === undefined ? {} : { version }), id: "S", timestamp: TIME, cwd: "/w", ...more }) as JsonObject

export const entry = (type: string, id: string, parentId: string | null, more: JsonObject = {}): JsonObject => ({
  type,
  id,
  parentId,
  timestamp: TIME,
  ...more,
})

export const user = (id: string, parentId: string | null, content: string): JsonObject =>
  entry("message", id, parentId, { message: { role: "user", content } })

export const assistant = (id: string, parentId: string | null, content: string, model = "m2"): JsonObject =>
  entry("message", id, parentId, { message: { role: "assistant", provider: "p", model, content } })

export const stateOf = (...records: ReadonlyArray<JsonObject>): TreeState => replay(treeModel, records)

export const contextAt = (state: TreeState, leaf?: string | null): SessionContext =>
  Result.getOrThrow(buildSessionContext(state, leaf === undefined ? state.leaf : leaf))

/** The contents of the messages at a leaf; a summary's text for a summary. */
export const said = (state: TreeState, leaf?: string | null): ReadonlyArray<unknown> =>
  contextAt(state, leaf).messages.map((message) => message["content"] ?? message["summary"])

export const ids = (state: TreeState): ReadonlyArray<string> => toArray(state.entries).map((entry) => entry.id)

export const pathOf = (state: TreeState, leaf: string | null): ReadonlyArray<string> => {
  const all = ids(state)
  return Result.getOrThrow(path(state, leaf)).positions.map((position) => all[position] ?? "")
}

export const source = (record: JsonObject): SourceRecord => ({ value: record, raw: JSON.stringify(record) })

/** The lines of the rewritten session. */
export const rewrite = (records: ReadonlyArray<SourceRecord>): ReadonlyArray<string> => {
  const state = stateOf(...records.map((record) => record.value))
  return [...rewriteLines(Result.getOrThrow(begin(state)), records)]
}

/** The records of a fixture whose lines are all whole. */
export const fixture = (name: string): ReadonlyArray<SourceRecord> =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((raw) => ({ raw, value: JSON.parse(raw) as JsonObject }))
