/**
 * Members of a record itself that its readers live by: ids, types and times. They stay when they have the form that this library gives
 * them, even if a known value happens to be the same characters. In any other form they are searched like every string.
 */

/** 8 lower-case hex digits, a UUID, or a local time and 4 hex digits. */
const ID = /^(?:[0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{8}-\d{6}-[0-9a-f]{4})$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const TYPE = /^[a-z]{1,32}(?:_[a-z]{1,32}){0,7}$/

const isTime = (key: string): boolean => key === "timestamp" || key === "t"

/** Whether a string member of a record stays. `ids` are the keys that hold ids. */
export const isStructural = (key: string, value: string, ids: ReadonlySet<string>): boolean => {
  if (key === "type") return TYPE.test(value)
  return isTime(key) ? TIME.test(value) : ids.has(key) && ID.test(value)
}

/** Whether a record's own key stays. */
export const isStructuralKey = (key: string, ids: ReadonlySet<string>): boolean => key === "type" || isTime(key) || ids.has(key)
