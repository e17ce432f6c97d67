/**
 * The accountant of a ledger session, as the description of the format has it: a book for each request and each subagent, and sums at the
 * end. It reads the records from the first to the last and keeps no running total.
 */
import type { JsonObject } from "../../src/model/Json.ts"

// biome-ignore lint/suspicious/noExplicitAny: the accountant reads records as the description has them, without types
type Read = any

/** What happened to money and tokens, one entry for each thing that was paid for. */
interface Entry {
  readonly tokens: number
  /** Undefined: no price. */
  readonly usd: number | undefined
}

export interface Books {
  readonly reported: number
  readonly unreported: number
  /** By subagent, sorted. */
  readonly pending: ReadonlyArray<readonly [string, number]>
  readonly used: number
  /** Requests that were reserved and never settled, with their tokens. */
  readonly open: ReadonlyMap<string, number>
  readonly usd: number
  readonly isPriced: boolean
  readonly isIncomplete: boolean
}

const tokensOf = (usage: Read): number => usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** What the records of a session come to. All of them must be usable. */
export const booksOf = (records: ReadonlyArray<JsonObject>): Books => {
  const reported: Array<Entry> = []
  const unreported: Array<number> = []
  const children = new Map<string, Array<{ readonly debit: number } | { readonly report: number }>>()
  const reserved = new Map<string, number>()
  const settled: Array<string> = []
  const answered: Array<string> = []
  let isIncomplete = false

  /** Whether something may be paid for: what names no request always may, what names one only the first time. */
  const first = (requestId: string | undefined): boolean => {
    if (requestId === undefined) return true
    if (settled.includes(requestId)) return false
    settled.push(requestId)
    return true
  }
  const pay = (usage: Read, isReported: boolean, usd: number | undefined, requestId: string | undefined): void => {
    if (!isReported) isIncomplete = true
    else if (first(requestId)) reported.push({ tokens: tokensOf(usage), usd })
  }
  const bookOf = (child: string) => {
    const book = children.get(child) ?? []
    children.set(child, book)
    return book
  }

  for (const record of records as ReadonlyArray<Read>) {
    const isAgain = answered.includes(record.requestId)
    switch (record.type) {
      case "assistant":
        if (!isAgain) pay(record.response.usage, record.response.usageReported !== false, record.costUsd, record.requestId)
        break
      case "compaction":
        if (!isAgain && record.summary !== undefined)
          pay(record.summary.usage, record.summary.usageReported !== false, record.costUsd, record.requestId)
        break
      case "side_usage":
        pay(record.usage, record.usageReported !== false, record.costUsd, record.requestId)
        break
      case "unreported":
        if (first(record.requestId)) {
          unreported.push(record.tokens)
          isIncomplete = true
        }
        break
      case "reserve":
        if (!reserved.has(record.requestId)) reserved.set(record.requestId, record.tokens)
        break
      case "child_debit":
        if (first(record.requestId)) bookOf(record.childSessionId).push({ debit: record.tokens })
        break
      case "tool_results":
        for (const { subagent } of record.calls) {
          if (subagent === undefined || !first(subagent.requestId)) continue
          reported.push({ tokens: tokensOf(subagent.usage), usd: subagent.costUsd })
          bookOf(subagent.sessionId).push({ report: tokensOf(subagent.usage) })
          if (subagent.costIncomplete === true) isIncomplete = true
        }
    }
    if (["assistant", "compaction"].includes(record.type) && record.requestId !== undefined) answered.push(record.requestId)
  }

  const pending: Array<[string, number]> = []
  for (const [child, book] of children) {
    let owed = 0
    for (const entry of book) owed = "debit" in entry ? owed + entry.debit : Math.max(0, owed - entry.report)
    if (owed > 0) pending.push([child, owed])
  }
  const figures = { reported: sum(reported.map(({ tokens }) => tokens)), unreported: sum(unreported) }
  return {
    ...figures,
    pending: [...pending].sort(),
    used: figures.reported + figures.unreported + sum(pending.map(([, owed]) => owed)),
    open: new Map([...reserved].filter(([requestId]) => !settled.includes(requestId))),
    usd: sum(reported.map(({ usd }) => usd ?? 0)),
    isPriced: reported.every(({ usd }) => usd !== undefined),
    isIncomplete: isIncomplete || pending.length > 0,
  }
}
