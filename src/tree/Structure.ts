/** The members of a record by which records refer to each other. A redactor leaves ids of our own shape in them alone. */
export const STRUCTURAL_KEYS: ReadonlySet<string> = new Set([
  "id",
  "parentId",
  "entryId",
  "targetId",
  "fromId",
  "firstKeptEntryId",
])
