/** Why a command may not be carried out. A value, with a stable code, a sentence for people and what to do about it. */
import type { UnsupportedVersion } from "./Header.ts"

interface Said {
  readonly message: string
  readonly remedy: string
}

export type TreeRejection =
  | (Said & { readonly _tag: "NotStarted"; readonly code: "tree.not_started" })
  | (Said & { readonly _tag: "AlreadyStarted"; readonly code: "tree.already_started" })
  | (Said & { readonly _tag: "MigrationRequired"; readonly code: "tree.migration_required"; readonly version: number })
  | UnsupportedVersion
  | (Said & { readonly _tag: "UnknownLeaf"; readonly code: "tree.unknown_leaf"; readonly leaf: string })
  | (Said & {
      readonly _tag: "UnknownTarget"
      readonly code: "tree.unknown_target"
      readonly field: string
      readonly target: string
    })
  | (Said & { readonly _tag: "NotAMessage"; readonly code: "tree.not_a_message"; readonly target: string })
  | (Said & { readonly _tag: "UserTitle"; readonly code: "tree.user_title" })
  | (Said & {
      readonly _tag: "InvalidCommand"
      readonly code: "tree.invalid_command"
      readonly field: string
      readonly expected: string
    })

export const notStarted: TreeRejection = {
  _tag: "NotStarted",
  code: "tree.not_started",
  message: "The session has no header yet.",
  remedy: "Start it first.",
}

export const alreadyStarted: TreeRejection = {
  _tag: "AlreadyStarted",
  code: "tree.already_started",
  message: "The session has its header already.",
  remedy: "Start another session, or go on with this one.",
}

export const migrationRequired = (version: number): TreeRejection => ({
  _tag: "MigrationRequired",
  code: "tree.migration_required",
  version,
  message: `The session is of version ${version}; records of version 5 cannot be appended to it.`,
  remedy: "Migrate it first.",
})

export const unknownLeaf = (leaf: string): TreeRejection => ({
  _tag: "UnknownLeaf",
  code: "tree.unknown_leaf",
  leaf,
  message: `The session has no entry ${leaf}.`,
  remedy: "Name an entry that the tree shows, or none.",
})

export const unknownTarget = (field: string, target: string): TreeRejection => ({
  _tag: "UnknownTarget",
  code: "tree.unknown_target",
  field,
  target,
  message: `${field}: the session has no entry ${target}.`,
  remedy: "Name an entry that the tree shows.",
})

export const notAMessage = (target: string): TreeRejection => ({
  _tag: "NotAMessage",
  code: "tree.not_a_message",
  target,
  message: `The entry ${target} is not a message.`,
  remedy: "Only an entry of type message has a message to replace.",
})

export const userTitle: TreeRejection = {
  _tag: "UserTitle",
  code: "tree.user_title",
  message: "The title was given by the user; an automatic one does not replace it.",
  remedy: "Give the title with source user.",
}

/** A field of a command that is missing, of the wrong kind, or not known. */
export const invalidCommand = (field: string, expected: string): TreeRejection => ({
  _tag: "InvalidCommand",
  code: "tree.invalid_command",
  field,
  expected,
  message: `${field}: ${expected}.`,
  remedy: `Correct the field ${field} and send the command again.`,
})
