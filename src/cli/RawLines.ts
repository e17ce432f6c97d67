/**
 * The lines of a file or a pipe as they are, each with its end and its length in bytes. What is not UTF-8 reads as U+FFFD.
 *
 * A line of text need not have come to its end: its parts are given as they come, so that nothing waits for a newline. A line that may be a
 * record is given whole, unless it is longer than {@link MOST_LINE_BYTES}: then it is taken for text. Memory: so much, and a chunk.
 */
import type { Disk } from "../disk/Disk.ts"
import { attempt } from "../journal/Reader.ts"

const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a

/** Bytes of the longest line that is waited for. */
const MOST_LINE_BYTES = 64 << 20

export interface RawLine {
  /** A line with its end, or a part of one. */
  readonly text: string
  readonly bytes: number
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d

/** Whether a line that begins with these bytes may be a record. */
const mayBeRecord = (bytes: Uint8Array): boolean => {
  const first = bytes.find((byte) => !isBlank(byte))
  return first === undefined || first === 0x7b || first === 0x5b
}

/** Cuts bytes into lines as they come. */
export class RawLines {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  #pieces: Array<Uint8Array> = []
  #length = 0
  /** A part of the line under way was given. */
  #isMid = false

  /** The lines that a chunk ends, and what it has of a line of text. The chunk must not change afterwards. */
  push(chunk: Uint8Array): ReadonlyArray<RawLine> {
    const lines: Array<RawLine> = []
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at + 1))
      lines.push(this.#take(false))
      from = at + 1
    }
    if (from < chunk.length) this.#add(chunk.subarray(from))
    const isGiven = this.#length > 0 && (this.#isMid || this.#length > MOST_LINE_BYTES || !mayBeRecord(this.#pieces[0] ?? chunk))
    if (isGiven) lines.push(this.#take(true))
    return lines
  }

  /** The last line, when it has no end. */
  end(): ReadonlyArray<RawLine> {
    const isOver = this.#length === 0 && !this.#isMid
    return isOver ? [] : [this.#take(false)].filter(({ text }) => text !== "")
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  #take(isPart: boolean): RawLine {
    const [first] = this.#pieces
    const line = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#length = 0
    this.#isMid = isPart
    return { text: this.#decoder.decode(line, { stream: isPart }), bytes: line.length }
  }
}

/** The bytes of a file, in chunks. @throws ReadError */
export function* chunksOf(disk: Disk, path: string): Generator<Uint8Array> {
  const handle = attempt(path, () => disk.open(path, "read"))
  try {
    for (let position = 0; ; ) {
      const chunk = new Uint8Array(CHUNK_BYTES)
      const count = attempt(path, () => disk.read(handle, chunk, position))
      if (count === 0) return
      position += count
      yield chunk.subarray(0, count)
    }
  } finally {
    disk.close(handle)
  }
}
