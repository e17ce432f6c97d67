/**
 * Whether a text that comes in pieces may still turn out to be one JSON object or array, which redaction reads by its members.
 *
 * It never says no to what is JSON so far. It may say yes to some of what is none: numbers and words are not looked at closely.
 */
import { isSpaceCode } from "./HoldBack.ts"

type Wanted = "start" | "value" | "first item" | "key" | "first key" | "colon" | "end of member" | "nothing"

const IN_NUMBER_OR_WORD = /[-+.0-9eEa-z]/

export class JsonPrefix {
  readonly #open: Array<"{" | "["> = []
  #wanted: Wanted = "start"
  #isIn: "string" | "escape" | "word" | undefined
  #isOpen = true

  /** Whether nothing has come yet that JSON could not have there. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Takes the next piece. */
  push(piece: string): void {
    for (let at = 0; at < piece.length && this.#isOpen; at++) this.#isOpen = this.#take(piece[at] as string)
  }

  #take(sign: string): boolean {
    if (this.#isIn === "escape") this.#isIn = "string"
    else if (this.#isIn === "string") {
      if (sign === "\\") this.#isIn = "escape"
      else if (sign === '"') this.#endToken()
      // Nothing but a line end shows as cheaply that this is no string of JSON.
      else return sign >= " "
    } else if (this.#isIn === "word") {
      if (IN_NUMBER_OR_WORD.test(sign)) return true
      this.#endToken()
      return this.#take(sign)
    } else if (!isSpaceCode(sign.charCodeAt(0))) return this.#sign(sign)
    return true
  }

  #endToken(): void {
    this.#isIn = undefined
    this.#wanted = this.#wanted === "key" || this.#wanted === "first key" ? "colon" : "end of member"
  }

  #sign(sign: string): boolean {
    const wanted = this.#wanted
    switch (sign) {
      case "{":
      case "[":
        if (wanted !== "start" && wanted !== "value" && wanted !== "first item") return false
        this.#open.push(sign)
        this.#wanted = sign === "{" ? "first key" : "first item"
        return true
      case "}":
      case "]":
        return this.#close(sign === "}" ? "{" : "[")
      case ",":
        this.#wanted = this.#open.at(-1) === "{" ? "key" : "value"
        return wanted === "end of member" && this.#open.length > 0
      case ":":
        this.#wanted = "value"
        return wanted === "colon"
      case '"':
        this.#isIn = "string"
        return wanted !== "start" && wanted !== "colon" && wanted !== "end of member" && wanted !== "nothing"
      default:
        this.#isIn = "word"
        return (wanted === "value" || wanted === "first item") && IN_NUMBER_OR_WORD.test(sign)
    }
  }

  #close(opened: "{" | "["): boolean {
    const isFirst = this.#wanted === (opened === "{" ? "first key" : "first item")
    if (this.#open.at(-1) !== opened || (!isFirst && this.#wanted !== "end of member")) return false
    this.#open.pop()
    this.#wanted = this.#open.length === 0 ? "nothing" : "end of member"
    return true
  }
}
