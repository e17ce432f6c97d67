/**
 * Every failure a person can meet, by its stable code: what is safe, what to do, and how a command ends.
 *
 * Errors in the library carry a code; this table is the only place that says what follows from it. `docs/errors.md` repeats it.
 */

/** How a command ends: 1 unclassified, 2 usage, 3 not found or ambiguous, 4 busy, 5 integrity, 6 refused, 7 partial. */
export type ExitCode = 1 | 2 | 3 | 4 | 5 | 6 | 7

export interface Failure {
  readonly exit: ExitCode
  /** What is certain about the user's data although this happened. */
  readonly safe: string
  /** What to do next; `FILE` stands for the file in question, `COMMAND` for the command. */
  readonly remedy: string
}

const UNTOUCHED = "No byte of the file was changed."
const KEPT = "Every record acknowledged before is in the file; the unacknowledged ones may be missing from it."
const NOTHING_WRITTEN = "The command wrote nothing; the session is as it was."

const failures = {
  // ── The command line ──
  "usage.invalid": {
    exit: 2,
    safe: "Nothing was done.",
    remedy: "Run COMMAND --help to see what it takes.",
  },
  "output.closed": {
    exit: 1,
    safe: "Every acknowledged command is in the file, and the journal was closed cleanly.",
    remedy: "Keep the reader of the acknowledgements open; run annals show FILE to see what was written.",
  },
  "internal.unexpected": {
    exit: 1,
    safe: "Every acknowledged record is in its file; a file is only ever replaced whole.",
    remedy: "This is a defect of the program: please report it with the code and the place named above.",
  },
  "input.unreadable": { exit: 1, safe: KEPT, remedy: "Check what feeds the standard input, then send the rest again." },
  "input.not_utf8": { exit: 2, safe: NOTHING_WRITTEN, remedy: "Send the line as UTF-8." },
  "input.not_json": { exit: 2, safe: NOTHING_WRITTEN, remedy: "Send one JSON object on each line." },
  "input.too_long": { exit: 2, safe: NOTHING_WRITTEN, remedy: "Send a command of at most 64 MiB on one line." },
  "demo.unproven": {
    exit: 1,
    safe: "The demo works in a folder of its own and touches no session of yours.",
    remedy: "Look at the folder, which was kept, and report the step that failed.",
  },

  // ── Reading ──
  "read.not_found": { exit: 3, safe: "Nothing was changed.", remedy: "Check the path; a session file ends with .jsonl." },
  "read.not_a_file": {
    exit: 6,
    safe: "Nothing was changed.",
    remedy: "Name the session file itself; directories, symbolic links, pipes and devices are not followed.",
  },
  "read.unreadable": { exit: 6, safe: UNTOUCHED, remedy: "Check the permissions of the file and of its directory." },
  "read.changed": {
    exit: 4,
    safe: UNTOUCHED,
    remedy: "Another program cut or rewrote the file meanwhile: run the command again.",
  },
  "format.not_a_session": {
    exit: 6,
    safe: UNTOUCHED,
    remedy: "See what its bytes hold: annals verify FILE",
  },
  "format.unsupported_version": {
    exit: 6,
    safe: UNTOUCHED,
    remedy: "Open the file with the program that wrote it, or with a newer version of this one.",
  },
  "format.is_ledger": {
    exit: 6,
    safe: UNTOUCHED,
    remedy: "Read it as what it is, without --format tree: annals show FILE, annals context FILE, annals replay FILE",
  },
  "format.is_tree": {
    exit: 6,
    safe: UNTOUCHED,
    remedy: "Read it as what it is, without --format ledger: annals show FILE",
  },
  "format.bad_header": {
    exit: 5,
    safe: "No byte of the file was changed; its entries can still be read.",
    remedy: "Put a header back: annals repair FILE",
  },
  "format.empty": {
    exit: 2,
    safe: UNTOUCHED,
    remedy: "Say that a session shall begin in it: annals append FILE --create --cwd DIR",
  },

  // ── Consent and opening ──
  "consent.migration_needed": {
    exit: 6,
    safe: UNTOUCHED,
    remedy: "Agree to the rewrite, which makes a backup first: the same command with --migrate, or annals migrate FILE --yes",
  },
  "consent.foreign_directory": {
    exit: 6,
    safe: UNTOUCHED,
    remedy: "Copy the file elsewhere, or append with --migrate: that starts a fork in a store of its own.",
  },
  "open.changed": {
    exit: 4,
    safe: "Nothing was written.",
    remedy: "Another program wrote to the file meanwhile: run the command again.",
  },
  "open.exists": {
    exit: 6,
    safe: "The existing file was not touched.",
    remedy: "Choose another name, or go on with what is there: annals append FILE",
  },
  "open.refused": {
    exit: 1,
    safe: UNTOUCHED,
    remedy: "Check the space, the permissions and the health of the disk, then try again.",
  },
  "open.lease_lost": {
    exit: 4,
    safe: "Nothing was written.",
    remedy: "See who holds the session: annals lock FILE. Then open it again.",
  },
  "open.uncertain": {
    exit: 1,
    safe: "Every record that was in the file is in it; after a power cut the file may be as it was before. A backup, if any, lies beside it.",
    remedy: "Check the disk, then run annals verify FILE.",
  },

  // ── The storage operations of a host's own session manager ──
  "storage.not_found": { exit: 3, safe: "Nothing was changed.", remedy: "Check the path." },
  "storage.refused": {
    exit: 1,
    safe: "The file is as it was.",
    remedy: "Check the space, the permissions and the health of the disk, then try again.",
  },
  "storage.uncertain": {
    exit: 1,
    safe: "The file is whole: the old one or the new one.",
    remedy: "Check the disk, then read the file again.",
  },

  // ── Blobs ──
  "blob.missing": {
    exit: 3,
    safe: "The session is whole; it holds the reference to the image.",
    remedy: "Put the file of that name back into the folder of blobs, from a backup or from the machine the session comes from.",
  },
  "blob.corrupt": {
    exit: 5,
    safe: "The session is whole, and the file in the folder of blobs was not touched.",
    remedy: "Put the right file back into the folder of blobs; its SHA-256 is its name.",
  },
  "blob.unreadable": {
    exit: 6,
    safe: "The session is whole, and the file in the folder of blobs was not touched.",
    remedy: "Check the permissions of the folder of blobs and of the file.",
  },
  "blob.unwritten": {
    exit: 1,
    safe: "No record refers to the blob.",
    remedy: "Check the space, the permissions and the health of the disk, then try again with a new process.",
  },

  // ── The lease ──
  "lease.held": {
    exit: 4,
    safe: "Nothing was written; the other writer goes on undisturbed.",
    remedy: "Wait for the other writer to end, or end it; reading needs no lease. See who it is: annals lock FILE",
  },
  "lease.offered": {
    exit: 4,
    safe: "Nothing was written.",
    remedy: "Wait until the moment that is named, or take it by force: annals lock FILE --force --reason TEXT",
  },
  "lease.not_offered": {
    exit: 4,
    safe: "Nothing was written.",
    remedy: "Ask the writer that offered it for another offer, or open the session without one.",
  },
  "lease.lost": {
    exit: 4,
    safe: "What was acknowledged before is in the file; another writer may go on with it now.",
    remedy: "Write nothing more; see who holds the session: annals lock FILE. Then open it again.",
  },
  "lease.unsafe": {
    exit: 6,
    safe: "Nothing was written, here or elsewhere.",
    remedy:
      "Take the place named above from the others: chown or chmod o-w for a directory; for a file with two names cp it to a new one and rename that. Where nobody else is, set ANNALS_UNSAFE_PLACES=allow.",
  },
  "lease.unavailable": {
    exit: 6,
    safe: "Nothing was written.",
    remedy: "Use a directory that can be written to, and leave the place of the lock file free.",
  },
  "native.unavailable": {
    exit: 6,
    safe: "Nothing was done.",
    remedy: "Install the package koffi, on Linux; or leave the native port out: everything works without it.",
  },

  // ── Writing ──
  "write.not_written": {
    exit: 1,
    safe: KEPT,
    remedy: "Make room or mend the disk, then send the unacknowledged commands again.",
  },
  "write.torn": {
    exit: 1,
    safe: KEPT,
    remedy: "Make room or mend the disk, then send the unacknowledged commands again; the torn tail is put aside by itself.",
  },
  "write.uncertain": {
    exit: 1,
    safe: "Every record acknowledged as synced is in the file; what follows may be there or not.",
    remedy: "Mend the disk, run annals verify FILE, then send what is missing again.",
  },
  "write.changed": {
    exit: 1,
    safe: "Nothing was written over what the other program left.",
    remedy: "Another program replaced or wrote to the file: run annals verify FILE, then send the unacknowledged commands again.",
  },
  "write.lease_lost": {
    exit: 4,
    safe: "Every record acknowledged before is in the file, and nothing was written after the right to write was lost.",
    remedy: "See who holds the session: annals lock FILE. Then open it again and send the unacknowledged commands again.",
  },
  "write.thread_lost": { exit: 1, safe: KEPT, remedy: "Run annals verify FILE, then send the unacknowledged commands again." },
  "write.exit_loss": {
    exit: 1,
    safe: "Every acknowledged record is in the file; those that are named as lost were accepted only.",
    remedy: "Run annals verify FILE, then send the unacknowledged commands again.",
  },
  "write.closed": { exit: 1, safe: KEPT, remedy: "Open the session again." },
  "atomic.changed": { exit: 4, safe: "The file is as its other writer left it.", remedy: "Run the command again." },
  "atomic.taken": { exit: 6, safe: UNTOUCHED, remedy: "Move away the file that has the name, then run the command again." },
  "atomic.unwritten": {
    exit: 1,
    safe: UNTOUCHED,
    remedy: "Check the space and the health of the disk, then run the command again.",
  },
  "atomic.uncertain": {
    exit: 1,
    safe: "The file is whole: the old one or the new one.",
    remedy: "Check the disk, then run annals verify FILE.",
  },

  // ── Repair ──
  "repair.refused": {
    exit: 6,
    safe: UNTOUCHED,
    remedy: "The file may be no session at all: look at it with another tool. A UTF-16 file can be converted to UTF-8 first.",
  },
  "repair.changed": { exit: 4, safe: UNTOUCHED, remedy: "Another program wrote to the file meanwhile: run the command again." },
  "repair.taken": { exit: 6, safe: UNTOUCHED, remedy: "Move away the file that has the name, then run the command again." },
  "repair.unwritten": {
    exit: 1,
    safe: UNTOUCHED,
    remedy: "Check the space and the health of the disk, then run the command again.",
  },
  "repair.uncertain": {
    exit: 1,
    safe: "The file is whole: the old one or the repaired one. The backup lies beside it.",
    remedy: "Check the disk, then run annals verify FILE.",
  },

  // ── Secrets taken out in place ──
  "scrub.refused": {
    exit: 6,
    safe: UNTOUCHED,
    remedy:
      "Only sessions and JSONL are written in place, since another file may be the only place of what is secret in it: annals redact FILE > CLEAN",
  },
  "scrub.changed": { exit: 4, safe: UNTOUCHED, remedy: "Another program wrote to the file meanwhile: run the command again." },
  "scrub.unwritten": {
    exit: 1,
    safe: UNTOUCHED,
    remedy: "Check the space and the health of the disk, then run the command again.",
  },
  "scrub.uncertain": {
    exit: 1,
    safe: "The file is whole: the old one or the one without secrets.",
    remedy: "Check the disk, then run annals scan FILE.",
  },
  "scrub.left": {
    exit: 5,
    safe: "The file is whole, and holds no more than before.",
    remedy: "Run annals scan FILE to see where, and please report it: this is a defect of the program.",
  },

  // ── Removal ──
  "remove.partial": {
    exit: 7,
    safe: "The session's own file is there until everything else is gone.",
    remedy: "Mend what the disk refused, then carry the removal on: annals rm FILE --yes",
  },

  // ── Commands to a session ──
  "redaction.not_json": { exit: 2, safe: NOTHING_WRITTEN, remedy: "Send values that JSON can hold." },
  "ledger.invalid_command": {
    exit: 2,
    safe: NOTHING_WRITTEN,
    remedy: "Correct the field that is named and send the command again.",
  },
  "ledger.not_started": { exit: 2, safe: NOTHING_WRITTEN, remedy: "Start the session first." },
  "ledger.already_started": { exit: 6, safe: NOTHING_WRITTEN, remedy: "Resume the session, or start another one." },
  "ledger.root_mismatch": {
    exit: 6,
    safe: NOTHING_WRITTEN,
    remedy: "Resume the session in the directory that it belongs to, or start another one here.",
  },
  "ledger.unknown_call": {
    exit: 2,
    safe: NOTHING_WRITTEN,
    remedy: "Give one result for each call of the last answer, and none for others.",
  },
  "ledger.bad_id": {
    exit: 2,
    safe: "Nothing was done.",
    remedy: "Name a session by its id: letters, digits, dashes and underscores, at most 80.",
  },
  "ledger.no_session": { exit: 3, safe: "Nothing was done.", remedy: "Start a session first; there is none to resume here." },
  "ledger.unexpected": {
    exit: 6,
    safe: "Nothing was removed.",
    remedy: "Look at what else lies in the session's folder, move it away, then try again.",
  },
  "ledger.nothing_to_export": {
    exit: 3,
    safe: "Nothing was written.",
    remedy: "Nobody has said anything in the session yet: annals show FILE",
  },
  "ledger.unknown_time_zone": {
    exit: 2,
    safe: "Nothing was written.",
    remedy: "Give an IANA name, such as Europe/Berlin or UTC.",
  },
  "ledger.outside_root": {
    exit: 6,
    safe: "Nothing was written.",
    remedy: "Choose a place in the directory, without a link on the way.",
  },
  "tree.invalid_command": {
    exit: 2,
    safe: NOTHING_WRITTEN,
    remedy: "Correct the field that is named and send the command again.",
  },
  "tree.not_started": { exit: 2, safe: NOTHING_WRITTEN, remedy: "Start the session first." },
  "tree.already_started": { exit: 6, safe: NOTHING_WRITTEN, remedy: "Start another session, or go on with this one." },
  "tree.migration_required": { exit: 6, safe: NOTHING_WRITTEN, remedy: "Migrate it first: annals migrate FILE --yes" },
  "tree.unsupported_version": {
    exit: 6,
    safe: NOTHING_WRITTEN,
    remedy: "Open the file with the program that wrote it, or with a newer version of this one.",
  },
  "tree.unknown_leaf": { exit: 3, safe: NOTHING_WRITTEN, remedy: "Name an entry that annals tree FILE --all shows." },
  "tree.unknown_target": { exit: 3, safe: NOTHING_WRITTEN, remedy: "Name an entry that annals tree FILE --all shows." },
  "tree.ambiguous_id": {
    exit: 3,
    safe: NOTHING_WRITTEN,
    remedy: "Give more of the id; annals tree FILE --all shows all entries.",
  },
  "tree.not_a_message": { exit: 2, safe: NOTHING_WRITTEN, remedy: "Only an entry of type message has a message to replace." },
  "tree.user_title": { exit: 6, safe: NOTHING_WRITTEN, remedy: "Give the title with source user." },
} as const satisfies Readonly<Record<string, Failure>>

export type FailureCode = keyof typeof failures

/** The table, by code. */
export const table: Readonly<Record<FailureCode, Failure>> = failures

const isCode = (code: string): code is FailureCode => Object.hasOwn(failures, code)

/** What follows from a code; that of an unexpected failure for a code that is not in the table. */
export const failureOf = (code: string): Failure => failures[isCode(code) ? code : "internal.unexpected"]
