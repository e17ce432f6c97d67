/**
 * Annals: sessions of coding agents as append-only journals, written by an isolated thread, free of secrets, and replayed into exactly
 * the state the host had.
 *
 * Subpaths: `annals/node` (all of it in one layer, for Node), `annals/promise` (without Effect), `annals/tree` and `annals/ledger`
 * (the models of both kinds of session and their views), `annals/memory` (sessions that leave no trace), `annals/laws` and `annals/testing` (for a host's own tests).
 */
export { BlobError, type BlobReason } from "./blob/BlobError.ts"
export { type BlobRef, parseBlobRef } from "./blob/BlobRef.ts"
export { BlobStore } from "./blob/BlobStore.ts"
export { changesIn } from "./disk/Changes.ts"
export type { Disk, FileStat, Handle, OpenMode } from "./disk/Disk.ts"
export { DiskFault } from "./disk/Disk.ts"
export { Files } from "./disk/Files.ts"
export type { Damage, DamageKind } from "./journal/Damage.ts"
export { type FollowOptions, follow } from "./journal/Follow.ts"
export type { FollowItem, Removed, Replaced } from "./journal/Follower.ts"
export { type HighWater, type Missing, missingBy, readHighWater } from "./journal/HighWater.ts"
export { Journal, type JournalShape, type Level } from "./journal/Journal.ts"
export type { JournalRecord } from "./journal/Line.ts"
export { ReadError, type ReadReason, readJournal } from "./journal/Reader.ts"
export { items, records } from "./journal/RecordStream.ts"
export {
  applyRepair,
  RepairError,
  type RepairNames,
  type RepairReason,
  type RepairReport,
  repairNames,
} from "./journal/Repair.ts"
export { planRepair, type RepairAction, type RepairPlan } from "./journal/RepairPlan.ts"
export type { Decision, Ground, Obstacle } from "./lease/Decision.ts"
export { Lease } from "./lease/Lease.ts"
export { type Holder, LeaseError, type LeaseReason } from "./lease/LeaseError.ts"
export type { Forced, Offer } from "./lease/Owner.ts"
export type { AcquireOptions, Force, Inspection, LeaseHeld, OfferOptions } from "./lease/Taking.ts"
export { type Failure, type FailureCode, failureOf } from "./model/Failure.ts"
export type { Json, JsonArray, JsonObject } from "./model/Json.ts"
export { type Codec, replay, type SessionModel } from "./model/Model.ts"
export type { Stamp } from "./model/Stamp.ts"
export { type CleanLine, type CleanText, isCleanLine, isCleanText } from "./redaction/CleanLine.ts"
export { hasMarker } from "./redaction/Marker.ts"
export { NotJson } from "./redaction/NotJson.ts"
export { Redaction } from "./redaction/Redaction.ts"
export type { RedactionStream, StreamFinding } from "./redaction/RedactionStream.ts"
export { makeRedactor, type Redactor, type RedactorOptions } from "./redaction/Redactor.ts"
export { redacted } from "./redaction/TextStream.ts"
export { type BlobProblem, type Lookup, lookupInFolders } from "./session/BlobReferences.ts"
export { type ReadContext, readContext } from "./session/ContextReading.ts"
export { Rejected } from "./session/DispatchError.ts"
export type { KnownFiles } from "./session/KnownFiles.ts"
export type { LedgerStart } from "./session/LedgerCreation.ts"
export type { LedgerExportOptions } from "./session/LedgerExport.ts"
export { type ForkedLedger, LedgerFiles, type LedgerFilesOptions } from "./session/LedgerFiles.ts"
export { type LedgerLoadOptions, type LoadedLedger, loadLedger } from "./session/LedgerLoad.ts"
export type { LedgerOpenError, LedgerOpenOptions, ResumeOptions } from "./session/LedgerOpening.ts"
export type { Removal } from "./session/LedgerRemoval.ts"
export type { LedgerCreateOptions, LedgerSession, OpenLedger } from "./session/LedgerRoom.ts"
export type { LeftOut, Shelf, Shelved } from "./session/LedgerShelf.ts"
export { type LedgerList, LedgerStore, type LedgerStoreOptions, type ListedLedger } from "./session/LedgerStore.ts"
export { LedgerStoreError, type LedgerStoreReason } from "./session/LedgerStoreError.ts"
export { type LoadedTree, type LoadOptions, loadTree } from "./session/Load.ts"
export {
  ConsentError,
  type ConsentReason,
  FormatError,
  type FormatReason,
  PrepareError,
  type PrepareReason,
} from "./session/OpenError.ts"
export type { Receipt, ReceiptLevel } from "./session/Receipt.ts"
export { planTreeRepair } from "./session/RepairFile.ts"
export {
  planScrub,
  type Scrubbed,
  type ScrubbedFile,
  type ScrubOptions,
  type ScrubReport,
  type ScrubRoom,
  scrub,
} from "./session/Scrub.ts"
export { ScrubError, type ScrubReason } from "./session/ScrubError.ts"
export type { Integrity, IntegrityChoice } from "./session/Sealing.ts"
export {
  type Change,
  make as makeSession,
  type Opened,
  type Session,
  type SessionOptions,
  type ShapedRecord,
} from "./session/Session.ts"
export {
  SessionStorage,
  type SessionStorageWriter,
  StorageError,
  type StorageReason,
  type StorageStat,
  type WriterFlags,
} from "./session/SessionStorage.ts"
export { systemStamp } from "./session/SystemStamp.ts"
export {
  type CreateOptions,
  type Forked,
  type ForkOptions,
  type Migrated,
  type Migration,
  type NewOptions,
  type OpenError,
  type OpenOptions,
  type OpenTree,
  type TreeSession,
  TreeStore,
  type TreeStoreOptions,
} from "./session/TreeStore.ts"
export { WriteError, type WriteReason } from "./writer/WriteError.ts"
export { Writer, type WriterFile, type WriterOptions } from "./writer/Writer.ts"
