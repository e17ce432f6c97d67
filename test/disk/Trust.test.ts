import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { FileStat } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { distrust } from "../../src/disk/Trust.ts"
import { Lease } from "../../src/lease/Lease.ts"

const ME = 1000
const OTHER = 1234

interface Node {
  readonly uid?: number
  readonly mode?: number
  readonly kind?: FileStat["kind"]
  readonly links?: number
  readonly inode?: bigint
}

/** A disk on which exactly these names exist. */
const diskOf = (nodes: Readonly<Record<string, Node>>): Parameters<typeof distrust>[0] => ({
  lstat: (path) => {
    const node = nodes[path]
    if (node === undefined) return undefined
    const { uid = ME, mode = 0o700, kind = "directory", links = 1, inode = 1n } = node
    return { kind, uid, mode, links, inode, device: 1n, size: 0, modified: 0n }
  },
  list: (path) =>
    Object.keys(nodes)
      .filter((name) => name.startsWith(`${path}/`))
      .map((name) => name.slice(path.length + 1)),
})

const root: Readonly<Record<string, Node>> = { "/": { uid: 0, mode: 0o755 }, "/home": { uid: 0, mode: 0o755 } }
const file: Node = { kind: "file", mode: 0o600, inode: 7n }
const ask = (nodes: Readonly<Record<string, Node>>, user = ME, path = "/home/me/s.jsonl") =>
  distrust(diskOf({ ...root, ...nodes }), path, user)

describe("a name that only its user can change", () => {
  test.each<[string, Readonly<Record<string, Node>>]>([
    ["in the user's directory", { "/home/me": {}, "/home/me/s.jsonl": file }],
    ["of a file that is not there", { "/home/me": {} }],
    ["in a directory that is not there", {}],
    ["in a directory of a group", { "/home/me": { mode: 0o775 }, "/home/me/s.jsonl": file }],
    ["in the administrator's directory", { "/home/me": { uid: 0 }, "/home/me/s.jsonl": { ...file, uid: 0 } }],
    ["of an owner without a number here", { "/home/me": { uid: 65_534 }, "/home/me/s.jsonl": file }],
    ["where everybody keeps names of his own", { "/home/me": { uid: 0, mode: 0o1777 }, "/home/me/s.jsonl": file }],
    [
      "where there are no owners",
      { "/home/me": { uid: -1, mode: 0o777 }, "/home/me/s.jsonl": { ...file, uid: -1, mode: 0o666 } },
    ],
    ["behind a link of the user", { "/home/me": { kind: "symlink", mode: 0o777 }, "/home/me/.": {}, "/home/me/s.jsonl": file }],
    ["behind a link to nothing", { "/home/me": { kind: "symlink" } }],
    [
      "with a second name that a rewrite has given it",
      { "/home/me": {}, "/home/me/s.jsonl": { ...file, links: 2 }, "/home/me/s.jsonl.1.backup": { ...file, links: 2 } },
    ],
  ])("%s", (_, nodes) => {
    expect(ask(nodes)).toBeUndefined()
  })
})

describe("a name that somebody else can change", () => {
  const mine = { "/home/me": {}, "/home/me/s.jsonl": file }
  test.each<[string, Readonly<Record<string, Node>>, ReturnType<typeof distrust>]>([
    ["in a directory of another", { ...mine, "/home/me": { uid: OTHER } }, { _tag: "OtherOwner", place: "/home/me", uid: OTHER }],
    ["far below one", { ...mine, "/home": { uid: OTHER } }, { _tag: "OtherOwner", place: "/home", uid: OTHER }],
    ["open to everybody", { ...mine, "/home/me": { mode: 0o777 } }, { _tag: "OpenToAll", place: "/home/me" }],
    [
      "behind a link of another",
      { ...mine, "/home/me": { kind: "symlink", uid: OTHER }, "/home/me/.": {} },
      { _tag: "OtherOwner", place: "/home/me", uid: OTHER },
    ],
    [
      "behind a link to an open directory",
      { ...mine, "/home/me": { kind: "symlink" }, "/home/me/.": { mode: 0o777 } },
      { _tag: "OpenToAll", place: "/home/me" },
    ],
    [
      "that is another's file",
      { ...mine, "/home/me/s.jsonl": { ...file, uid: OTHER } },
      { _tag: "OtherOwner", place: "/home/me/s.jsonl", uid: OTHER },
    ],
    [
      "with a second name elsewhere",
      { ...mine, "/home/me/s.jsonl": { ...file, links: 2 } },
      { _tag: "OtherName", place: "/home/me/s.jsonl", links: 2 },
    ],
    [
      "with a second name beside it that is nothing of ours",
      { ...mine, "/home/me/s.jsonl": { ...file, links: 2 }, "/home/me/copy.jsonl": { ...file, links: 2 } },
      { _tag: "OtherName", place: "/home/me/s.jsonl", links: 2 },
    ],
  ])("%s", (_, nodes, found) => {
    expect(ask(nodes)).toEqual(found)
  })

  test("the administrator may write to the places of others, and not to those that are open", () => {
    const theirs = { "/home/me": { uid: OTHER }, "/home/me/s.jsonl": { ...file, uid: OTHER } }
    expect(ask(theirs, 0)).toBeUndefined()
    expect(ask({ ...theirs, "/home/me": { uid: OTHER, mode: 0o777 } }, 0)).toMatchObject({ _tag: "OpenToAll" })
  })
})

describe("the lease of a real file", () => {
  let folder = ""
  beforeEach(() => {
    folder = fs.mkdtempSync(join(tmpdir(), "annals-trust-"))
  })
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

  const take = async (path: string, unsafePlaces?: boolean) => {
    const asked = Lease.use((lease) => lease.acquire(path)).pipe(
      Effect.scoped,
      Effect.provide(Lease.layerFile({ clean: (text) => text, unsafePlaces })),
      Effect.result,
    )
    const result = await Effect.runPromise(asked)
    return Result.isSuccess(result) ? "taken" : result.failure.reason
  }

  test("is refused in a directory that is open to everybody, and nothing is made there", async () => {
    const open = join(folder, "open")
    fs.mkdirSync(open)
    fs.chmodSync(open, 0o777)
    const path = join(open, "s.jsonl")
    expect(await take(path)).toEqual({
      ...{ _tag: "Unsafe", code: "lease.unsafe", path },
      distrust: { _tag: "OpenToAll", place: open },
    })
    expect(fs.readdirSync(open)).toEqual([])
    expect(await take(path, true)).toBe("taken")
    fs.chmodSync(open, 0o1777)
    expect(await take(path)).toBe("taken")
  })

  test("is refused for a file with a second name elsewhere, not for one that a rewrite has left beside it", async () => {
    const path = join(folder, "s.jsonl")
    fs.writeFileSync(path, "{}\n")
    fs.linkSync(path, join(folder, "s.jsonl.20260101T000000.backup"))
    expect(await take(path)).toBe("taken")
    fs.linkSync(path, join(folder, "snapshot"))
    expect(await take(path)).toMatchObject({ code: "lease.unsafe", distrust: { _tag: "OtherName", links: 3 } })
    expect(distrust(nodeDisk, path, 0)).toMatchObject({ _tag: "OtherName" })
  })

  test("is given behind a link of one's own", async () => {
    fs.mkdirSync(join(folder, "real"))
    fs.symlinkSync(join(folder, "real"), join(folder, "link"))
    expect(await take(join(folder, "link", "s.jsonl"))).toBe("taken")
  })
})
