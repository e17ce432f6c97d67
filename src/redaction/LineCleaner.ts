/**
 * Text and JSONL on its way through redaction, line by line, as a file or a pipe gives it.
 *
 * A line that is a JSON object or array is read as a record, keys and nested texts included; its bytes stay but for what was found. Lines
 * between such lines are one text, because a private key spans many. It goes through as a stream does: each word is given as soon as
 * nothing that follows could change it. What one line teaches, the next ones know. Memory: that of a stream, and one record.
 */
import * as Result from "effect/Result"
import { pointerOf } from "./Provenance.ts"
import type { RedactionStream } from "./RedactionStream.ts"
import type { Redactor } from "./Redactor.ts"

/** A secret that was taken out. Nothing of it is in here. */
export interface LineFinding {
  readonly kind: string
  /** Counted from 1. */
  readonly line: number
  /** The byte at which the secret begins in text, and the record in JSONL. */
  readonly offset: number
  /** Where in the record it stood: a JSON pointer. */
  readonly at?: string
}

/** UTF-16 units of lines that are given to a stream together: each time it looks back as well. */
const TOGETHER = 1 << 16

const isRecordLike = (line: string): boolean => /^\s*[{[]/.test(line)

const utf8Length = (text: string): number => new TextEncoder().encode(text).length

export class LineCleaner {
  /** Follows the lines. */
  readonly redactor: Redactor
  #line = 0
  #offset = 0
  /** The piece before has no line end. */
  #isMid = false
  /** The text under way since the last record. */
  #text: RedactionStream | undefined
  /** The lines of it that the stream has not been given. */
  #waiting = ""
  /** What of it was not given yet, and where that begins. */
  #raw = ""
  #rawStart = 0
  #rawLine = 0
  #rawOffset = 0
  #findings: Array<LineFinding> = []

  /** Knows what a redactor that follows has learned. */
  constructor(redactor: Redactor) {
    this.redactor = redactor.follow()
  }

  /** Takes the next line with its end, if it has one, or a part of a line of text, and its length in bytes. Returns what is clean by now. */
  push(line: string, bytes: number): string {
    const isBeginning = !this.#isMid
    const offset = this.#offset
    this.#isMid = !line.endsWith("\n")
    this.#offset += bytes
    if (isBeginning) this.#line++
    const body = this.#isMid ? line : line.slice(0, -1)
    const clean = isBeginning && isRecordLike(body) ? this.redactor.cleanRaw(body) : undefined
    if (clean !== undefined && Result.isSuccess(clean)) {
      const before = this.#endText()
      for (const { kind, path } of clean.success.findings)
        this.#findings.push({ kind, line: this.#line, offset, at: pointerOf(path) })
      return `${before}${clean.success.line.text}${line.slice(body.length)}`
    }
    if (this.#text === undefined) {
      this.#text = this.redactor.stream()
      this.#rawStart = 0
      this.#rawLine = this.#line
      this.#rawOffset = offset
    }
    this.#raw += line
    this.#waiting += line
    return this.#waiting.length < TOGETHER ? "" : this.flush()
  }

  /** What is clean of what was pushed so far. To be asked for when no more is at hand. */
  flush(): string {
    const waiting = this.#waiting
    this.#waiting = ""
    return this.#text === undefined || waiting === "" ? "" : this.#given(this.#text, this.#text.push(waiting))
  }

  /** What is left. */
  end(): string {
    return this.#endText()
  }

  /** What was found since this was last asked, in order. */
  takeFindings(): ReadonlyArray<LineFinding> {
    const taken = this.#findings
    this.#findings = []
    return taken
  }

  #endText(): string {
    const before = this.flush()
    const text = this.#text
    this.#text = undefined
    return text === undefined ? before : before + this.#given(text, text.end())
  }

  /** Says where what was found in a text stands, and forgets what was given of it. */
  #given(text: RedactionStream, given: string): string {
    for (const { kind, offset } of text.takeFindings()) {
      this.#forget(offset)
      this.#findings.push({ kind, line: this.#rawLine, offset: this.#rawOffset })
    }
    this.#forget(text.position)
    return given
  }

  #forget(until: number): void {
    const gone = this.#raw.slice(0, until - this.#rawStart)
    this.#raw = this.#raw.slice(gone.length)
    this.#rawStart += gone.length
    this.#rawLine += gone.split("\n").length - 1
    this.#rawOffset += utf8Length(gone)
  }
}
