import koffi from "koffi"

/** Tag, rights and id of an entry of an access list, as Linux keeps them. */
const entry = (tag: number, rights: number, id = 0xffff_ffff): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(tag, 0)
  bytes.writeUInt16LE(rights, 2)
  bytes.writeUInt32LE(id, 4)
  return bytes
}

/** Lets a user read and write a file by a list of further rights. False where the file system has none. */
export const grantTo = (path: string, user: number): boolean => {
  const version = Buffer.from([2, 0, 0, 0])
  // The owner, the user, the owner's group, the mask, everybody.
  const list = Buffer.concat([version, entry(1, 6), entry(2, 6, user), entry(4, 0), entry(16, 6), entry(32, 0)])
  const set = koffi
    .load(null)
    .func("int setxattr(const char *path, const char *name, const uint8_t *value, uintptr_t size, int flags)")
  return set(path, "system.posix_acl_access", list, list.length, 0) === 0
}
