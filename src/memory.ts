/** Sessions that leave no trace, and journals in memory for tests. */
export { layer, type MemoryJournal, make } from "./journal/MemoryJournal.ts"
export { type MemoryLedger, type MemoryLedgerOptions, makeMemoryLedger } from "./session/MemoryLedger.ts"
export { type MemorySession, startInMemory } from "./session/MemorySession.ts"
export { type MemoryTree, type MemoryTreeOptions, makeMemoryTree } from "./session/MemoryTree.ts"
