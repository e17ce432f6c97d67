/**
 * What a session has spent, as an algebra: reservations, settlements, debits of subagents and their reports (laws ACC-1, ACC-2).
 *
 * Tokens: used = reported usage + unreported reservations + pending child debits. A request is reserved, then settles once: to the usage
 * that the provider reported, or, when it reported none, to its whole reservation. A debit stands for spending of a subagent that no
 * report has brought to the parent yet; a report takes away what it includes.
 *
 * Cost: a known minimum. Spending whose amount is not known makes it incomplete; only a missing price makes it unknown.
 *
 * Every function is total and returns a new value. Cost: O(1), O(n) in the number of open requests or pending subagents where one changes.
 */
import { append, empty, lastPosition, type Sequence } from "../model/Sequence.ts"
import type { SubagentReport, Usage } from "./Record.ts"

export interface Cost {
  /** US dollars that are known to have been spent. */
  readonly knownUsd: number
  /** False once something was spent for which there is no price: then nobody knows the cost. */
  readonly isPriced: boolean
  /** True once something was spent whose amount was not reported. */
  readonly isIncomplete: boolean
}

export interface Accounting {
  /** As the providers reported it. */
  readonly usage: Usage
  /** Tokens of reservations whose usage nobody reported. */
  readonly unreportedTokens: number
  /** Reported tokens of subagents that no report has brought yet, by their session's id. Never 0. */
  readonly childDebits: ReadonlyMap<string, number>
  readonly cost: Cost
  /** Tokens set aside for requests that are under way. */
  readonly reservations: ReadonlyMap<string, number>
  /** The requests that were charged. */
  readonly settled: Sequence<string>
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

export const nothingSpent: Accounting = {
  usage: noUsage,
  unreportedTokens: 0,
  childDebits: new Map(),
  cost: { knownUsd: 0, isPriced: true, isIncomplete: false },
  reservations: new Map(),
  settled: empty((requestId) => requestId),
}

/** All tokens of a usage. Searches are no tokens. */
export const totalTokens = (usage: Usage): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens

/** The sum of two usages. `webSearches` is left out when there were none. */
export const addUsage = (a: Usage, b: Usage): Usage => {
  const webSearches = (a.webSearches ?? 0) + (b.webSearches ?? 0)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    ...(webSearches === 0 ? {} : { webSearches }),
  }
}

const addCost = (cost: Cost, costUsd: number | undefined): Cost =>
  costUsd === undefined ? { ...cost, isPriced: false } : { ...cost, knownUsd: cost.knownUsd + costUsd }

const without = <V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> => {
  if (!map.has(key)) return map
  const rest = new Map(map)
  rest.delete(key)
  return rest
}

const withValue = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> => new Map(map).set(key, value)

/** Whether a request was charged already. */
export const isSettled = (accounting: Accounting, requestId: string | undefined): boolean =>
  requestId !== undefined && lastPosition(accounting.settled, requestId) >= 0

/** Settles a request once: the charge is made only when it was not settled before. A charge without a request is always made. */
const settle = (
  before: Accounting,
  requestId: string | undefined,
  charge: (accounting: Accounting) => Accounting,
): Accounting => {
  if (requestId === undefined) return charge(before)
  if (isSettled(before, requestId)) return before
  const reservations = without(before.reservations, requestId)
  return charge({ ...before, reservations, settled: append(before.settled, requestId) })
}

/** Sets tokens aside for a request. A request that is known already keeps what it has. */
export const reserve = (accounting: Accounting, requestId: string, tokens: number): Accounting =>
  accounting.reservations.has(requestId) || isSettled(accounting, requestId)
    ? accounting
    : { ...accounting, reservations: withValue(accounting.reservations, requestId, tokens) }

/** What a request cost, as its provider said. */
export interface Charge {
  readonly usage: Usage
  /** False when the provider did not say: then the usage is an estimate and nothing is charged; the reservation stands for it. */
  readonly usageReported?: boolean | undefined
  /** Undefined when there is no price for it. */
  readonly costUsd?: number | undefined
  readonly requestId?: string | undefined
}

const incomplete = (accounting: Accounting): Accounting =>
  accounting.cost.isIncomplete ? accounting : { ...accounting, cost: { ...accounting.cost, isIncomplete: true } }

/** Charges what was reported for a request. When nothing was, the cost is incomplete and the request stays open. */
export const charge = (accounting: Accounting, { usage, usageReported, costUsd, requestId }: Charge): Accounting =>
  usageReported === false
    ? incomplete(accounting)
    : settle(accounting, requestId, (open) => ({
        ...open,
        usage: addUsage(open.usage, usage),
        cost: addCost(open.cost, costUsd),
      }))

/** Charges the whole reservation of a request that reported no complete usage. */
export const chargeUnreported = (accounting: Accounting, tokens: number, requestId?: string): Accounting =>
  settle(accounting, requestId, (open) => incomplete({ ...open, unreportedTokens: open.unreportedTokens + tokens }))

/** Notes what a subagent has spent, before it reports. */
export const debit = (accounting: Accounting, child: string, tokens: number, requestId?: string): Accounting =>
  settle(accounting, requestId, (open) =>
    tokens === 0
      ? open
      : { ...open, childDebits: withValue(open.childDebits, child, (open.childDebits.get(child) ?? 0) + tokens) },
  )

/** Charges what a subagent reports, and takes from its debit what the report includes. */
export const chargeReport = (accounting: Accounting, report: SubagentReport): Accounting =>
  settle(accounting, report.requestId, (open) => {
    const pending = (open.childDebits.get(report.sessionId) ?? 0) - totalTokens(report.usage)
    const charged = {
      ...open,
      usage: addUsage(open.usage, report.usage),
      cost: addCost(open.cost, report.costUsd),
      childDebits:
        pending > 0 ? withValue(open.childDebits, report.sessionId, pending) : without(open.childDebits, report.sessionId),
    }
    return report.costIncomplete === true ? incomplete(charged) : charged
  })

/** Tokens of subagents that no report has brought yet. */
export const pendingChildTokens = ({ childDebits }: Accounting): number =>
  [...childDebits.values()].reduce((sum, tokens) => sum + tokens, 0)

/** Tokens set aside for requests under way. */
export const reservedTokens = ({ reservations }: Accounting): number =>
  [...reservations.values()].reduce((sum, tokens) => sum + tokens, 0)

/** Tokens that count against the budget of the session (law ACC-1). What is only reserved is not used yet. */
export const usedTokens = (accounting: Accounting): number =>
  totalTokens(accounting.usage) + accounting.unreportedTokens + pendingChildTokens(accounting)

/** US dollars spent, at least; undefined when something has no price. Exact unless {@link isCostIncomplete}. */
export const costUsd = ({ cost }: Accounting): number | undefined => (cost.isPriced ? cost.knownUsd : undefined)

/** Whether the cost is a minimum only: something was spent that nobody has put a figure to. */
export const isCostIncomplete = (accounting: Accounting): boolean =>
  accounting.cost.isIncomplete || accounting.childDebits.size > 0

const dollars = (usd: number): string => `$${usd.toFixed(usd !== 0 && usd < 1 ? 4 : 2)}`

/** The cost for people: `$0.48`, `≥ $0.4800 (incomplete)` as a minimum, or `unknown`. */
export const costText = (accounting: Accounting): string => {
  const usd = costUsd(accounting)
  if (usd === undefined) return "unknown"
  return isCostIncomplete(accounting) ? `≥ ${dollars(usd)} (incomplete)` : dollars(usd)
}

/** Why the budget is used further than the reported usage says; undefined when it is not. */
export const budgetNote = (accounting: Accounting): string | undefined => {
  const pending = pendingChildTokens(accounting)
  const parts = [
    ...(accounting.unreportedTokens > 0
      ? [`${accounting.unreportedTokens} tokens reserved by requests that reported no usage`]
      : []),
    ...(pending > 0 ? [`${pending} tokens of subagents that have not reported yet`] : []),
  ]
  return parts.length === 0 ? undefined : `The budget also counts ${parts.join(" and ")}.`
}

/** What a million tokens cost, in US dollars, and a search. */
export interface Prices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** By default 0.01. */
  readonly webSearch?: number
}

/** The price of a usage in US dollars. The factor (0.5 for a batch) is on tokens only. */
export const priceOf = (usage: Usage, prices: Prices, factor = 1): number => {
  const tokens =
    usage.inputTokens * prices.input +
    usage.outputTokens * prices.output +
    usage.cacheReadTokens * prices.cacheRead +
    usage.cacheWriteTokens * prices.cacheWrite
  return (tokens / 1_000_000) * factor + (usage.webSearches ?? 0) * (prices.webSearch ?? 0.01)
}
