/**
 * The laws for hosts: what a law is, the laws that judge a thing the caller brings, and all laws of this library.
 */
export { type Family, families } from "./all.ts"
export { type JournalSubject, type JournalWorld, journalOnDisk, jrn6 } from "./journalSubject.ts"
export { type Budget, Coverage, judge, type Law, NeverReached, parameters } from "./Law.ts"
export type { LeaseProcess, LeaseService, LeaseWorld, ProcessKind } from "./LeaseWorld.ts"
export { type LeaseSubject, layerSubject, lse1 } from "./leaseSubject.ts"
export { type DiskSubject, dsk2 } from "./port.ts"
export { neverWritten, type RedactorFactory, redactionLaws } from "./redaction.ts"
export { expectOpenCodec, rpl2, type Subject } from "./replay.ts"
export { inMemory, type OpenSession, rpl1, type SessionSubject } from "./sessionSubject.ts"
export { type StorageSubject, stg1 } from "./storageSubject.ts"
