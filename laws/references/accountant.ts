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

type ChildEntry = { readonly debit: number } | { readonly report: number }

class Office {
  readonly reported: Array<Entry> = []
  readonly unreported: Array<number> = []
  readonly reserved = new Map<string, number>()
  readonly settled: Array<string> = []
  isIncomplete = false
  readonly #children = new Map<string, Array<ChildEntry>>()
  readonly #answered: Array<string> = []

  /** Whether something may be paid for: what names no request always may, what names one only the first time. */
  #first(requestId: string | undefined): boolean {
    if (requestId === undefined) return true
    if (this.settled.includes(requestId)) return false
    this.settled.push(requestId)
    return true
  }

  #pay({ usage, usageReported }: Read, { costUsd, requestId }: Read): void {
    if (usageReported === false) this.isIncomplete = true
    else if (this.#first(requestId)) this.reported.push({ tokens: tokensOf(usage), usd: costUsd })
  }

  #enter(child: string, entry: ChildEntry): void {
    this.#children.set(child, [...(this.#children.get(child) ?? []), entry])
  }

  /** Pays for what a model said, unless it has been heard before. */
  #hear(said: Read, record: Read): void {
    if (!this.#answered.includes(record.requestId) && said !== undefined) this.#pay(said, record)
    if (record.requestId !== undefined) this.#answered.push(record.requestId)
  }

  #report(subagent: Read): void {
    if (subagent === undefined || !this.#first(subagent.requestId)) return
    this.reported.push({ tokens: tokensOf(subagent.usage), usd: subagent.costUsd })
    this.#enter(subagent.sessionId, { report: tokensOf(subagent.usage) })
    if (subagent.costIncomplete === true) this.isIncomplete = true
  }

  read(record: Read): void {
    switch (record.type) {
      case "assistant":
        this.#hear(record.response, record)
        break
      case "compaction":
        this.#hear(record.summary, record)
        break
      case "side_usage":
        this.#pay(record, record)
        break
      case "unreported":
        if (!this.#first(record.requestId)) break
        this.unreported.push(record.tokens)
        this.isIncomplete = true
        break
      case "reserve":
        if (!this.reserved.has(record.requestId)) this.reserved.set(record.requestId, record.tokens)
        break
      case "child_debit":
        if (this.#first(record.requestId)) this.#enter(record.childSessionId, { debit: record.tokens })
        break
      case "tool_results":
        for (const { subagent } of record.calls) this.#report(subagent)
    }
  }

  /** What each subagent still owes a report for. */
  get pending(): ReadonlyArray<readonly [string, number]> {
    const owing = [...this.#children].map(([child, book]): readonly [string, number] => {
      let owed = 0
      for (const entry of book) owed = "debit" in entry ? owed + entry.debit : Math.max(0, owed - entry.report)
      return [child, owed]
    })
    return owing.filter(([, owed]) => owed > 0).sort()
  }
}

/** What the records of a session come to. All of them must be usable. */
export const booksOf = (records: ReadonlyArray<JsonObject>): Books => {
  const office = new Office()
  for (const record of records) office.read(record)
  const { pending, reported, settled } = office
  const figures = { reported: sum(reported.map(({ tokens }) => tokens)), unreported: sum(office.unreported) }
  return {
    ...figures,
    pending,
    used: figures.reported + figures.unreported + sum(pending.map(([, owed]) => owed)),
    open: new Map([...office.reserved].filter(([requestId]) => !settled.includes(requestId))),
    usd: sum(reported.map(({ usd }) => usd ?? 0)),
    isPriced: reported.every(({ usd }) => usd !== undefined),
    isIncomplete: office.isIncomplete || pending.length > 0,
  }
}
