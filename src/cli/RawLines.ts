/** The lines of a file or a pipe as they are, each with its end and its length in bytes. What is not UTF-8 reads as U+FFFD. */
import type { Disk } from "../disk/Disk.ts"
import { attempt } from "../journal/Reader.ts"

const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a

export interface RawLine {
  readonly text: string
  readonly bytes: number
}

/** Cuts bytes into lines as they come. */
export class RawLines {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  #pieces: Array<Uint8Array> = []

  /** The lines that a chunk ends. The chunk must not change afterwards. */
  push(chunk: Uint8Array): ReadonlyArray<RawLine> {
    const lines: Array<RawLine> = []
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#pieces.push(chunk.subarray(from, at + 1))
      lines.push(this.#take())
      from = at + 1
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from))
    return lines
  }

  /** The last line, when it has no end. */
  end(): ReadonlyArray<RawLine> {
    return this.#pieces.length > 0 ? [this.#take()] : []
  }

  #take(): RawLine {
    const [first] = this.#pieces
    const line = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces)
    this.#pieces = []
    return { text: this.#decoder.decode(line), bytes: line.length }
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
