/**
 * Text and JSONL on its way through redaction, line by line, as a file or a pipe gives it.
 *
 * A line that is a JSON object or array is read as a record, keys and nested texts included; its bytes stay but for what was found. Lines
 * between such lines are text, and are looked at together, because a private key spans many. What one line teaches, the next ones know.
 * Memory: the longest stretch of text between two records, at most {@link MAX_TEXT_UNITS}.
 */
import * as Result from "effect/Result"
import { pointerOf } from "./Provenance.ts"
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

/** UTF-16 units of text that are looked at together at most. */
export const MAX_TEXT_UNITS = 16 << 20

const isRecordLike = (line: string): boolean => /^\s*[{[]/.test(line)

const utf8Length = (text: string): number => new TextEncoder().encode(text).length

export class LineCleaner {
  readonly #redactor: Redactor
  #line = 0
  #offset = 0
  /** Lines of text that wait for the one that ends their stretch. */
  #text = ""
  #textLine = 0
  #textOffset = 0
  #findings: Array<LineFinding> = []

  constructor(redactor: Redactor) {
    this.#redactor = redactor.follow()
  }

  /** Takes the next line with its end, if it has one, and its length in bytes. Returns what is clean by now. */
  push(line: string, bytes: number): string {
    this.#line++
    const offset = this.#offset
    this.#offset += bytes
    const body = line.endsWith("\n") ? line.slice(0, -1) : line
    const clean = isRecordLike(body) ? this.#redactor.cleanRaw(body) : undefined
    if (clean !== undefined && Result.isSuccess(clean)) {
      const before = this.#takeText()
      for (const { kind, path } of clean.success.findings)
        this.#findings.push({ kind, line: this.#line, offset, at: pointerOf(path) })
      return `${before}${clean.success.line.text}${line.slice(body.length)}`
    }
    const before = this.#text.length + line.length > MAX_TEXT_UNITS ? this.#takeText() : ""
    if (this.#text === "") {
      this.#textLine = this.#line
      this.#textOffset = offset
    }
    this.#text += line
    return before
  }

  /** What is left. */
  end(): string {
    return this.#takeText()
  }

  /** What was found since this was last asked, in order. */
  takeFindings(): ReadonlyArray<LineFinding> {
    const taken = this.#findings
    this.#findings = []
    return taken
  }

  #takeText(): string {
    if (this.#text === "") return ""
    const given = this.#text
    this.#text = ""
    const { text, findings } = this.#redactor.redactText(given)
    let at = 0
    let line = this.#textLine
    let offset = this.#textOffset
    for (const finding of findings) {
      const between = given.slice(at, finding.offset)
      line += between.split("\n").length - 1
      offset += utf8Length(between)
      at = finding.offset
      this.#findings.push({ kind: finding.kind, line, offset })
    }
    return text
  }
}
