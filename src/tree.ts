/** The tree session: its model, its commands, the context at a leaf, and what can be told from a state. All of it pure. */
export { type Fields, parseCommand, type TreeCommand } from "./tree/Command.ts"
export { buildSessionContext, contextOf, type SessionContext } from "./tree/Context.ts"
export type { EntryOf, EntryType, KnownEntry } from "./tree/Entry.ts"
export { type Dialect, detectFormat, type Format } from "./tree/Format.ts"
export { CURRENT_VERSION, checkVersion, type Header, readHeader, type UnsupportedVersion, type Version } from "./tree/Header.ts"
export { follow, initialLiveContext, type LiveContext } from "./tree/LiveContext.ts"
export type { Origin, SendsBack } from "./tree/Origin.ts"
export { counts, type OpenToolCall, openToolCalls, stateJson, title, type UsageTotals, usage } from "./tree/Overview.ts"
export { providerMessage, providerMessages } from "./tree/ProviderMessages.ts"
export { type ProviderRepair, type ProviderView, type ProviderViewOptions, toProviderMessages } from "./tree/ProviderView.ts"
export { inspect } from "./tree/Reading.ts"
export type { TreeRejection } from "./tree/Rejection.ts"
export { begin, end, type Rewriting, rewriteLines, type SourceRecord, step } from "./tree/Rewrite.ts"
export { sanitised } from "./tree/Sanitising.ts"
export { siblingResult } from "./tree/SiblingResult.ts"
export type { Entry, TreeState } from "./tree/State.ts"
export { recordAt, recordOf } from "./tree/State.ts"
export {
  children,
  type Forest,
  forest,
  labels,
  leaves,
  nodes,
  type Path,
  path,
  records,
  roots,
  type TreeNode,
} from "./tree/Tree.ts"
export { type TreeRecord, treeModel } from "./tree/TreeModel.ts"
export { interrupted, type Wording, wording } from "./tree/Wording.ts"
