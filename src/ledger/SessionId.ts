/**
 * The ids of ledger sessions, which are also the names of their files.
 *
 * An id is 1 to 80 letters, digits, dashes and underscores. One that is made here is `YYYYMMDD-HHMMSS-xxxx`: the time in UTC, so that
 * names sort by time whatever the clock of the place does, and four hex digits.
 */
import { digest32 } from "../model/Ids.ts"
import { isoTime, type Stamp } from "../model/Stamp.ts"

const ID = /^[A-Za-z0-9_-]{1,80}$/

/** Whether a text can be the id of a session. Nothing that can leave a directory can. */
export const isSessionId = (text: string): boolean => ID.test(text)

/** An id for a new session. `attempt` gives another one when the one before is taken. */
export const freshSessionId = (stamp: Stamp, attempt: number): string => {
  const [date = "", time = ""] = isoTime(stamp).split("T")
  const suffix = (digest32(`${stamp.entropy} ${attempt}`) & 0xffff).toString(16).padStart(4, "0")
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${suffix}`
}

/** The end of a name that was cleaned: twelve hex digits of the name's digest. */
const CLEANED = /-[0-9a-f]{12}$/

const MAX_CLEANED = 60

/**
 * The name of a subagent's session under its parent, from an id that a provider made up. What is a name already stays as it is. Anything
 * else is cleaned, cut, and told apart by a digest of the whole: two ids never share a file, as far as the digest tells them apart.
 */
export const childName = (id: string, digest: (text: string) => string): string =>
  isSessionId(id) && !CLEANED.test(id)
    ? id
    : `${id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_CLEANED)}-${digest(id).slice(0, 12)}`

/** The id of a subagent of a kind: `explore` for a search, `agent-NAME` for one of the host's own. */
export const childId = (kind: string, toolUseId: string): string => `${kind}-${toolUseId}`
