/**
 * Which turn a message belongs to, by what it says: everything that is said bears the number of its step, and the steps between one snapshot
 * and the next are a turn. Results belong to the turn of the answer that they stand behind.
 */

import type { Message } from "../../src/ledger/Record.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import { stepOf } from "../arbitraries/ledger.ts"

interface Point {
  readonly turn: number
  readonly contextTokens: number
  /** Whether the messages of the turn are still those that were said. */
  isAttached: boolean
}

/** Follows the records of a session and knows which turns can be undone. */
export class Turns {
  #turn = 0
  readonly #turnOfStep = new Map<number, number>()
  #points: Array<Point> = []
  #undone: Array<Point> = []

  /** The turn that an undo would take back. */
  get last(): Point | undefined {
    return this.#points.at(-1)
  }

  /** The turn that a redo would put back. */
  get next(): Point | undefined {
    return this.#undone.at(-1)
  }

  get points(): number {
    return this.#points.length
  }

  /** Reads a record. `size` is the context's before it, `grew` tells whether it put a message into the conversation. */
  read(record: JsonObject, size: number, grew: boolean): void {
    const step = stepOf(record)
    if (step !== undefined && record["type"] !== "snapshot" && !this.#turnOfStep.has(step)) this.#turnOfStep.set(step, this.#turn)
    if (grew || record["type"] === "user" || record["type"] === "snapshot") this.#undone = []
    switch (record["type"]) {
      case "snapshot":
        this.#turn++
        this.#points = [...this.#points, { turn: this.#turn, contextTokens: size, isAttached: true }].slice(-50)
        break
      case "undo":
        this.#undone.push(...this.#points.splice(-1))
        break
      case "redo":
        this.#points.push(...this.#undone.splice(-1))
        break
      case "compaction":
        for (const point of [...this.#points, ...this.#undone]) point.isAttached = false
    }
  }

  /** The turn of each message. A message that says nothing of itself belongs to that of the one before it. */
  of(messages: ReadonlyArray<Message>): ReadonlyArray<number> {
    let before = 0
    return messages.map((message) => {
      const isResult = message.content.some((block) => block["type"] === "tool_result")
      const step = isResult ? undefined : stepOf(message)
      if (step !== undefined) before = this.#turnOfStep.get(step) ?? 0
      return before
    })
  }
}
