/** The disk as a service: real files unless a host or a law provides another one. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Disk } from "./Disk.ts"
import { nodeDisk } from "./NodeDisk.ts"

export class Files extends Context.Service<Files, Disk>()("annals/disk/Files") {
  /** Real files. */
  static readonly layer: Layer.Layer<Files> = Layer.succeed(Files, nodeDisk)
  /** Any other disk. */
  static readonly layerOf = (disk: Disk): Layer.Layer<Files> => Layer.succeed(Files, disk)
}
