/**
 * Disks in files: file systems on loop devices, copied in an instant. Linux, as root.
 *
 * Everything lies in one folder, and everything that was mounted is unmounted again, also when the process is asked to end.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"

export interface FileSystem {
  readonly name: string
  readonly make: ReadonlyArray<string>
  readonly options: string
}

export const fileSystems: ReadonlyArray<FileSystem> = [
  { name: "ext4", make: ["mkfs.ext4", "-q", "-F"], options: "data=ordered,commit=1" },
  { name: "ext4", make: ["mkfs.ext4", "-q", "-F"], options: "data=writeback,commit=1" },
  { name: "xfs", make: ["mkfs.xfs", "-q", "-f"], options: "defaults" },
  { name: "btrfs", make: ["mkfs.btrfs", "-q", "-f"], options: "commit=1" },
]

const run = (command: string, ...args: ReadonlyArray<string>): void => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")}: ${error?.message ?? stderr.trim()}`)
}

const isThere = (command: string): boolean => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0

const innerBytes = 400 << 20
const outerBytes = 6 * (1 << 30)

export class Mounts {
  readonly #folder: string
  readonly #mounted: Array<string> = []
  readonly #signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  readonly #onSignal = (): void => {
    this.close()
    process.exit(130)
  }

  /** The file that stands for the disk whose power is cut. */
  readonly disk: string

  /** Makes the file system that the disks lie on, one that can copy a file in an instant. */
  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder)
    for (const signal of this.#signals) process.on(signal, this.#onSignal)
    this.disk = join(folder, "outer", "disk.img")
    const outer = join(folder, "outer.img")
    try {
      this.#empty(outer, outerBytes)
      run("mkfs.btrfs", "-q", "-f", outer)
      this.mount(outer, "outer", "defaults")
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  /** Why disks in files cannot be had here; undefined when they can, as far as that can be seen without trying. */
  static hindrance(): string | undefined {
    if (process.platform !== "linux") return "only on Linux"
    if (process.getuid?.() !== 0) return "only for root"
    const missing = ["mount", "umount", "cp", "mkfs.btrfs"].filter((command) => !isThere(command))
    return missing.length > 0 ? `${missing.join(", ")} not found` : undefined
  }

  static canMake({ make: [command = ""] }: FileSystem): boolean {
    return isThere(command)
  }

  /** A new file system on the disk. */
  format({ make: [command = "", ...args] }: FileSystem): void {
    this.#empty(this.disk, innerBytes)
    run(command, ...args, this.disk)
  }

  /** Mounts a disk below the folder and returns where. */
  mount(image: string, name: string, options: string): string {
    const target = join(this.#folder, name)
    mkdirSync(target, { recursive: true })
    run("mount", "-o", `loop,${options}`, image, target)
    this.#mounted.push(target)
    return target
  }

  unmount(target: string): void {
    run("umount", target)
    this.#mounted.splice(this.#mounted.indexOf(target), 1)
  }

  /** The disk as it is at this moment, in a file of its own. */
  cut(image: string, name: string): string {
    const copy = join(this.#folder, "outer", name)
    run("cp", "--reflink=always", image, copy)
    return copy
  }

  remove(image: string): void {
    rmSync(image, { force: true })
  }

  /** Unmounts all, the last one first, and removes the folder. */
  close(): void {
    for (const signal of this.#signals) process.off(signal, this.#onSignal)
    for (const target of this.#mounted.splice(0).reverse()) spawnSync("umount", ["-l", target])
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #empty(path: string, bytes: number): void {
    rmSync(path, { force: true })
    writeFileSync(path, "")
    truncateSync(path, bytes)
  }
}
