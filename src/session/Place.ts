/**
 * Whose directory a session file lies in. A file in another agent's own directory is never rewritten in place: that agent may be
 * running, and may not read what a newer version writes.
 */

export type Holder =
  /** Our own store. */
  | "annals"
  /** The directory of the agent of that name. */
  | "gjc"
  | "pi"
  | "oh-my-pi"
  | "garuda"
  | "claude-code"
  | "codex"
  /** Nobody's: a project, a temporary folder, a copy that somebody made. */
  | "nobody"

/** The directories by which agents are known, wherever the home directory is. */
const byName: ReadonlyMap<string, Holder> = new Map([
  [".annals", "annals"],
  [".gjc", "gjc"],
  [".pi", "pi"],
  [".omp", "oh-my-pi"],
  [".garuda", "garuda"],
  [".claude", "claude-code"],
  [".codex", "codex"],
])

/** Variables by which a user moves such a directory elsewhere, and whose it then is. */
const byVariable: ReadonlyArray<readonly [variable: string, holder: Holder]> = [
  ["ANNALS_HOME", "annals"],
  ["GJC_CODING_AGENT_DIR", "gjc"],
  ["PI_CODING_AGENT_DIR", "pi"],
  ["CLAUDE_CONFIG_DIR", "claude-code"],
  ["CODEX_HOME", "codex"],
]

const parts = (path: string): ReadonlyArray<string> => path.split(/[\\/]/)

const isInside = (path: string, directory: string): boolean => {
  const inner = parts(path)
  const outer = parts(directory).filter((part, index) => part !== "" || index === 0)
  return outer.length > 1 && outer.every((part, index) => inner[index] === part)
}

/**
 * The holder of an absolute, resolved path. A directory named by a variable of the environment comes first; else the innermost
 * directory with a known name decides.
 */
export const holderOf = (path: string, environment: Readonly<Record<string, string | undefined>>): Holder => {
  for (const [variable, holder] of byVariable) {
    const directory = environment[variable]
    if (directory !== undefined && directory !== "" && isInside(path, directory)) return holder
  }
  for (const part of parts(path).slice(0, -1).reverse()) {
    const holder = byName.get(part)
    if (holder !== undefined) return holder
  }
  return "nobody"
}

/** Whether the user says that nobody else is where sessions lie: `ANNALS_UNSAFE_PLACES=allow`. */
export const allowsUnsafePlaces = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment["ANNALS_UNSAFE_PLACES"] === "allow"

/** The directory of everything of our own: `$ANNALS_HOME`, else `.annals` in the home directory. */
const ownDirectory = (home: string, environment: Readonly<Record<string, string | undefined>>): string => {
  const root = environment["ANNALS_HOME"]
  return root === undefined || root === "" ? `${home}/.annals` : root.replace(/[\\/]+$/, "")
}

/** The directory of our own sessions: `$ANNALS_HOME/sessions`, else `.annals/sessions` in the home directory. */
export const storeDirectory = (home: string, environment: Readonly<Record<string, string | undefined>>): string =>
  `${ownDirectory(home, environment)}/sessions`

/** The directory of our own blobs, beside that of our own sessions. */
export const blobDirectory = (home: string, environment: Readonly<Record<string, string | undefined>>): string =>
  `${ownDirectory(home, environment)}/blobs`

/** The agents that keep images in a folder of blobs: by the variable that moves their directory, and by the directory's own name. */
const withBlobs: ReadonlyArray<readonly [variable: string, name: string]> = [
  ["GJC_CODING_AGENT_DIR", ".gjc"],
  ["PI_CODING_AGENT_DIR", ".omp"],
]

/** The blob folders of the agent in whose directory a session lies: none for our own sessions and for those that lie elsewhere. */
export const foreignBlobs = (path: string, environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  withBlobs.flatMap(([variable, name]) => {
    const moved = environment[variable]
    if (moved !== undefined && moved !== "" && isInside(path, moved)) return [`${moved.replace(/[\\/]+$/, "")}/blobs`]
    const at = parts(path).slice(0, -1).lastIndexOf(name)
    return at < 0
      ? []
      : [
          `${parts(path)
            .slice(0, at + 1)
            .join("/")}/agent/blobs`,
        ]
  })
