/** What must stand beside a file for its writer to go on: the evidence that the right to write is still its own. Plain data. */
export interface Guard {
  /** The name that must be there, as a regular file. */
  readonly present: string
  /** The inode that the name must stand for; undefined where any will do. */
  readonly inode?: bigint | undefined
  /** The name under which somebody else would have put evidence. */
  readonly absent?: string | undefined
}
