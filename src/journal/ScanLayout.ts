/**
 * What stands where in the memory of the program of ScanProgram.ts, and what its functions give: what the program and who calls it must
 * agree on. Places and lengths are in bytes; up to SCANNED_DEPTH a byte for each open container.
 */

/** Levels of nesting for which there is room. */
export const SCANNED_DEPTH = 4_096
/** Of each member: where its key begins and ends, without quotes, and where its value begins and ends. */
export const MEMBERS_AT = 4_096
/** How many members there are. */
export const COUNT_AT = 5_120
/** Whether a byte of a string may be above 0x7f. */
export const HIGH_AT = 5_124
/** Whether a string begins with a prefix, or may. */
export const PREFIXED_AT = 5_128
/** The prefixes: of each, behind a 1 where there is one, its signs, and which of their bits count. */
export const PREFIX_AT = 5_136
export const MAX_PREFIXES = 2
export const PREFIX_BYTES = 48
export const PREFIX_SIGNS = 16
export const PREFIX_MASK = 32
/** Signs of the longest prefix. */
export const MAX_PREFIX = 16
/** Where the record ends behind the messages of a run, when a newline follows it; otherwise 0. */
export const END_AT = 5_232
/** Messages of the longest run, and bytes of a list that has a number for each. */
export const MAX_RUN = 1_024
const LIST_BYTES = 4 * MAX_RUN
/** Of each message of a run where its record ends; where its id ends among the ids, and what that hashes to; where its parent's id begins (see Packed.ts) and ends. */
export const ENDS_AT = 8_192
export const ID_ENDS_AT = ENDS_AT + LIST_BYTES
export const HASHES_AT = ID_ENDS_AT + LIST_BYTES
export const PARENTS_AT = HASHES_AT + LIST_BYTES
export const PARENT_ENDS_AT = PARENTS_AT + LIST_BYTES
/** The characters of all ids of a run, one behind the other. */
export const IDS_AT = PARENT_ENDS_AT + LIST_BYTES
/** Where text may stand. */
export const FIRST_TEXT = 98_304

/** Bytes behind the text that must be there: the NUL and what a block may reach over. */
export const SCAN_MARGIN = 128

export const NOT_GRAMMAR = 0
export const TOO_DEEP = 1
export const TOO_MANY_MEMBERS = 2
export const ESCAPED_KEY = 3
