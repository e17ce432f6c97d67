/** The law that no secret reaches a disk, judged by an oracle that reads every byte and every name on it, in every spelling. */
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { carriers, KINDS, SAID_IN } from "./arbitraries/canaries.ts"
import { POSITIONS } from "./arbitraries/secrets.ts"
import { DEED_NAMES } from "./FunnelDeeds.ts"
import { Game, LEDGER_NAMES, processes, TREE_NAMES } from "./FunnelGame.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

/** Everything that is on a disk: the names, and the bytes of every file. */
export const everythingOn = (disk: SimulatedDisk): string =>
  disk
    .paths()
    .map((path) => {
      const bytes = disk.bytes(path)
      return `${path}\n${bytes === undefined ? "" : new TextDecoder().decode(bytes)}`
    })
    .join("\n")

const CLASSES: ReadonlyArray<string> = [
  ...DEED_NAMES,
  ...TREE_NAMES.filter((name) => name !== "start").map((name) => `tree: ${name}`),
  ...LEDGER_NAMES.filter((name) => name !== "start").map((name) => `ledger: ${name}`),
  ...KINDS,
  ...SAID_IN,
  ...POSITIONS.map(({ name }) => name),
  ...["close", "kill", "cut", "stopped"],
]

const neverStored = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  await fc.assert(
    fc.asyncProperty(carriers, processes, async (given, all) => {
      const game = new Game(given, coverage)
      let disk = new SimulatedDisk()
      for (const process of all) disk = await game.play(disk, process)
    }),
    parameters(budget),
  )
  coverage.demand(budget, CLASSES, 150)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "SEC-5",
    sentence:
      "Whatever a host says in any command, title, path, id or image of a tree or a ledger, and whatever it then does with the store (copies, exports, migrations, repairs, removals, failed writes, recovery, kills and power cuts at any step), no byte and no name on the disk holds a secret, in any spelling, after any step.",
    runs: 150,
    deepRuns: 5_000,
    check: neverStored,
  },
]
