/**
 * Tools for tests of a host's own code: a disk in memory that can be made to refuse, to stop, and to lose what was not synced.
 */
export { type Chooser, everyChoice, listChooser, seededChooser } from "./disk/Chooser.ts"
export { type Call, type FaultOptions, SimulatedCrash, type Stop } from "./disk/Schedule.ts"
export { SimulatedDisk } from "./disk/SimulatedDisk.ts"
export type { Grain } from "./disk/SimulatedFile.ts"
