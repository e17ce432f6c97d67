/**
 * The plan of the house as data: who may import whom, and which files may touch the world.
 */

/** Floors from the ground up. A folder may import from its own floor and from those below; cycles are forbidden everywhere. */
export const floors: ReadonlyArray<ReadonlyArray<string>> = [
  ["src/model/"],
  ["src/tree/", "src/ledger/", "src/redaction/"],
  ["src/disk/", "src/journal/", "src/writer/", "src/lease/", "src/blob/"],
  ["src/session/"],
  ["src/scope/", "src/retirement/", "src/catalog/", "src/history/"],
  ["src/bridge/", "src/view/", "src/testing/"],
  ["src/cli/"],
  // Entries of the package and of its threads: they gather, and nothing gathers them.
  ["src/", "workers/"],
  ["laws/"],
  ["test/"],
]

/** Below their folder's floor: files that two floors agree on, and that may import no higher than this floor (an index of `floors`). */
export const lowered: ReadonlyArray<readonly [path: string, floor: number]> = [
  ["src/writer/Batch.ts", 1],
  ["src/writer/Protocol.ts", 1],
  ["src/journal/Damage.ts", 1],
  ["src/blob/BlobRef.ts", 1],
]

/** Leaves: nothing outside their own folder imports them, apart from what is named here. */
export const leaves: ReadonlyArray<readonly [folder: string, except: ReadonlyArray<string>]> = [
  ["src/bridge/", ["src/cli/", "src/index.ts"]],
  ["src/view/", ["src/cli/", "src/index.ts"]],
  ["src/testing/", ["src/testing.ts", "laws/"]],
  ["src/cli/", []],
]

/** What a writer thread may load, directly and through others: it knows no session and no secret. */
export const threads: ReadonlyArray<{
  readonly path: string
  readonly direct: ReadonlyArray<string>
  readonly through: ReadonlyArray<string>
}> = [
  { path: "workers/writer.ts", direct: ["src/writer/", "src/disk/"], through: ["src/writer/", "src/disk/", "src/model/"] },
  { path: "workers/sync.ts", direct: ["src/disk/"], through: ["src/disk/"] },
]

/** Ways to touch the world. Every file in src, workers and laws is pure unless the table below grants it one. */
export type Grant =
  /** Imports modules of Node. */
  | "node"
  /** Reads the clock other than through Effect's Clock. */
  | "clock"
  /** Draws random numbers. */
  | "random"
  /** Uses the process: its arguments, streams, signals, exit hooks. */
  | "process"
  /** Reads the process's environment, or ends the process. */
  | "host"
  /** Writes to the console. */
  | "console"
  /** Runs effects. */
  | "run"

/** Places to which nothing may ever be granted. */
export const pure: ReadonlyArray<string> = [
  "src/model/",
  "src/tree/",
  "src/ledger/",
  "src/redaction/",
  "src/view/",
  ...["Disk", "Chooser", "NativePort", "Schedule", "WriteAll", "SimulatedDisk", "SimulatedFile", "SimulatedDirectory"].map(
    (name) => `src/disk/${name}.ts`,
  ),
  ...[
    "Assembly",
    "Damage",
    "Decoder",
    "Encoding",
    "Grammar",
    "Integrity",
    "Joiner",
    "Line",
    "LongText",
    "Outline",
    "Run",
    "RunProgram",
    "Salvage",
    "Scan",
    "ScanLayout",
    "ScanProgram",
    "Seen",
    "Splitter",
    "Utf8Program",
  ].map((name) => `src/journal/${name}.ts`),
  ...["Batch", "Protocol"].map((name) => `src/writer/${name}.ts`),
  ...["Decision", "Evidence", "Locks", "NativeLocks", "Observation", "Owner", "Taking"].map((name) => `src/lease/${name}.ts`),
  "src/blob/BlobRef.ts",
  "src/blob/BlobError.ts",
]

/** Who may touch the world, by file or folder, and how. The shorter, the better. */
export const grants: ReadonlyArray<readonly [place: string, grants: ReadonlyArray<Grant>]> = [
  ["src/disk/NodeDisk.ts", ["node"]],
  ["src/disk/SyncThread.ts", ["node", "clock"]],
  ["src/disk/KoffiPort.ts", ["node", "process"]],
  ["src/disk/Atomic.ts", ["node"]],
  ["src/disk/Trust.ts", ["node"]],
  ["src/disk/Changes.ts", ["node"]],
  ["src/disk/Directory.ts", ["node"]],
  ...["Digests", "HighWater", "Reader", "Repair", "TailWork"].map((name) => [`src/journal/${name}.ts`, ["node"]] as const),
  ["src/writer/WriterCore.ts", ["node"]],
  ["src/writer/ThreadPort.ts", ["node", "process", "clock"]],
  ...["KernelLock", "SqliteLocks"].map((name) => [`src/lease/${name}.ts`, ["node"]] as const),
  // Asking the kernel for a process is a signal that does nothing.
  ["src/lease/ThisProcess.ts", ["node", "random", "process", "host"]],
  ["src/lease/Lease.ts", ["node", "random"]],
  ["src/lease/FileSite.ts", ["node", "random"]],
  ...["EvidenceFile", "MemorySite"].map((name) => [`src/lease/${name}.ts`, ["node"]] as const),
  ["src/blob/BlobFolder.ts", ["node", "random"]],
  ["src/session/", ["node", "random"]],
  ["src/testing/Layers.ts", ["node"]],
  // The default ways of a host: its home folder and its environment.
  ["src/node.ts", ["node", "host"]],
  ["src/promise.ts", ["node", "run"]],
  ["src/cli/", ["node", "clock", "random", "process", "host", "console", "run"]],
  ["workers/", ["node"]],
  ["laws/", ["node", "process", "run"]],
  ["laws/main.ts", ["host", "console", "clock"]],
  // Children get the environment and one variable more.
  ["laws/processes/Appenders.ts", ["host"]],
]

/** No file is longer, and no function outside the tests. */
export const MAX_FILE_LINES = 500
export const MAX_FUNCTION_LINES = 59
