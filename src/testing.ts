/**
 * Tools for tests of a host's own code: a disk in memory that can be made to refuse, to stop, and to lose what was not synced; and chaos
 * over any disk, the machine's own included. And an oracle that says where on a disk something stands that must not be there.
 */
export {
  type ChaosCall,
  type ChaosDisk,
  type ChaosEvent,
  type ChaosFault,
  type ChaosOptions,
  chaosDisk,
} from "./disk/ChaosDisk.ts"
export { type Chooser, everyChoice, listChooser, seededChooser } from "./disk/Chooser.ts"
export { nodeDisk } from "./disk/NodeDisk.ts"
export { type Call, type FaultOptions, SimulatedCrash, type Stop } from "./disk/Schedule.ts"
export { SimulatedDisk } from "./disk/SimulatedDisk.ts"
export type { Grain } from "./disk/SimulatedFile.ts"
export type { Step } from "./testing/Layers.ts"
export { type Canary, MIN_CANARY, type Spelling, WINDOW } from "./testing/Needles.ts"
export { type Found, filesBelow, MAX_SEARCHED_BYTES, Oracle, type Search, type Sighting, type Unread } from "./testing/Oracle.ts"
