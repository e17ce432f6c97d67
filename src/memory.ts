/** Sessions that leave no trace, and journals in memory for tests. */
export { layer, type MemoryJournal, make } from "./journal/MemoryJournal.ts"
export { type MemoryTree, type MemoryTreeOptions, makeMemoryTree } from "./session/MemoryTree.ts"
