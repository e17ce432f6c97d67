/**
 * Session files of a size and a shape, as agents leave them: the sizes of messages have the percentiles of the transcripts in the
 * fixtures; a session branches, is compacted when its context is full, and holds images and now and then a record of many megabytes.
 * The same options give the same bytes.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { type Draw, draw } from "./Draw.ts"
import { type Wording, wording } from "./Wording.ts"

export interface TranscriptOptions {
  readonly seed: string
  /** Whose way of writing it is: pi's version 3 or our version 5. */
  readonly dialect: "pi" | "annals"
  /** Ends with the first entry that reaches one of them. */
  readonly bytes?: number | undefined
  readonly entries?: number | undefined
  /** `realistic`: as in the fixtures. `small`: each message about a hundred characters, and nothing large. */
  readonly sizes?: "realistic" | "small" | undefined
  /**
   * `usual`: whenever about 600 KB of messages stand since the last one. `none`. `end`: one, so many entries before the last one, which
   * keeps 20: then the context has the same size however long the session is.
   */
  readonly compactions?: "usual" | "none" | { readonly end: number } | undefined
}

export interface Shape {
  readonly bytes: number
  readonly entries: number
  readonly branches: number
  readonly compactions: number
  readonly images: number
  readonly giants: number
}

/** Lengths of a text by share: between two points on a line of logarithms. */
type Percentiles = ReadonlyArray<readonly [share: number, length: number]>

/** Measured on `test/fixtures/pi/v1-two-compactions.jsonl`, less what the rest of a record takes. */
const LENGTHS = {
  user: [
    [0, 4],
    [0.1, 10],
    [0.5, 80],
    [0.9, 380],
    [0.99, 2_300],
    [1, 8_000],
  ],
  answer: [
    [0, 40],
    [0.1, 130],
    [0.5, 800],
    [0.9, 2_300],
    [0.99, 9_000],
    [1, 20_000],
  ],
  call: [
    [0, 30],
    [0.1, 120],
    [0.5, 250],
    [0.9, 2_000],
    [0.99, 25_000],
    [1, 57_000],
  ],
  result: [
    [0, 2],
    [0.1, 40],
    [0.5, 880],
    [0.9, 4_800],
    [0.99, 50_000],
    [1, 116_000],
  ],
} as const satisfies Record<string, Percentiles>

const SMALL: Percentiles = [
  [0, 40],
  [1, 160],
]

const lengthAt = (points: Percentiles, share: number): number => {
  const at = Math.max(
    points.findIndex(([each]) => each >= share),
    1,
  )
  const [[low, from] = [0, 1], [high, to] = [1, 1]] = [points[at - 1], points[at]]
  return Math.round(from * (to / from) ** ((share - low) / (high - low)))
}

const CONTEXT_BYTES = 600_000
const BRANCH = 1 / 150
const IMAGE = 1 / 40
const GIANT_BYTES = 8_000_000
/** Bytes of a session for each giant record in it. */
const GIANT_EVERY = 60_000_000
const START = 1_790_000_000_000

type Json = { readonly [name: string]: unknown }

class Transcript {
  readonly #options: TranscriptOptions
  readonly #draw: Draw
  readonly #words: Wording
  readonly #recent: Array<string> = []
  #leaf: string | null = null
  #count = 0
  #calls = 0
  #bytes = 0
  #sinceCompaction = 0
  #sinceGiant = 0
  #branches = 0
  #compactions = 0
  #images = 0
  #giants = 0

  constructor(options: TranscriptOptions) {
    this.#options = options
    this.#draw = draw(options.seed)
    this.#words = wording(this.#draw)
  }

  get shape(): Shape {
    return {
      bytes: this.#bytes,
      entries: this.#count,
      branches: this.#branches,
      compactions: this.#compactions,
      images: this.#images,
      giants: this.#giants,
    }
  }

  get #isDone(): boolean {
    const { bytes = Number.POSITIVE_INFINITY, entries = Number.POSITIVE_INFINITY } = this.#options
    return this.#bytes >= bytes || this.#count >= entries
  }

  #line(record: Json): string {
    const line = `${JSON.stringify(record)}\n`
    const size = Buffer.byteLength(line)
    this.#bytes += size
    this.#sinceCompaction += size
    this.#sinceGiant += size
    return line
  }

  #time(): number {
    return START + this.#count * 1_000
  }

  #entry(type: string, members: Json, parentId = this.#leaf): string {
    this.#count += 1
    // A bijection of the count, so that no id comes twice.
    const id = (Math.imul(this.#count, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0")
    const line = this.#line({ type, id, parentId, timestamp: new Date(this.#time()).toISOString(), ...members })
    this.#leaf = id
    this.#recent.push(id)
    if (this.#recent.length > 64) this.#recent.shift()
    return line
  }

  #message(message: Json): string {
    return this.#entry("message", { message: { ...message, timestamp: this.#time() } })
  }

  #length(kind: keyof typeof LENGTHS): number {
    return lengthAt(this.#options.sizes === "small" ? SMALL : LENGTHS[kind], this.#draw.unit())
  }

  #user(): string {
    const content: Array<Json> = [{ type: "text", text: this.#words.prose(this.#length("user")) }]
    if (this.#options.sizes !== "small" && this.#draw.chance(IMAGE)) {
      this.#images += 1
      const data = this.#words.image(4 * (5_000 + this.#draw.below(45_000)))
      content.push({ type: "image", data, mimeType: "image/png" })
    }
    return this.#message({ role: "user", content })
  }

  #assistant(content: ReadonlyArray<Json>, stopReason: string): string {
    const [input, output] = [500 + this.#draw.below(9_000), 20 + this.#draw.below(900)]
    const usage = {
      input,
      output,
      cacheRead: 40_000,
      cacheWrite: 0,
      totalTokens: input + output + 40_000,
      cost: cost(input, output),
    }
    const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" }
    return this.#message({ role: "assistant", content, ...model, usage, stopReason })
  }

  *#call(): Generator<string> {
    const id = `call_${++this.#calls}`
    const name = this.#draw.pick(["bash", "read", "edit", "grep"])
    const call = {
      type: "toolCall",
      id,
      name,
      arguments: { path: "src/reader.ts", command: this.#words.code(this.#length("call")) },
    }
    const thinking = {
      type: "thinking",
      thinking: this.#words.prose(this.#length("answer")),
      thinkingSignature: this.#words.image(400),
    }
    yield this.#assistant(this.#draw.chance(0.15) ? [thinking, call] : [call], "toolUse")
    const text = this.#words.code(this.#length("result"))
    yield this.#message({ role: "toolResult", toolCallId: id, toolName: name, content: [{ type: "text", text }], isError: false })
  }

  #model(): string {
    const model = this.#draw.pick(["claude-sonnet-4-5", "claude-opus-4-5"])
    return this.#entry(
      "model_change",
      this.#options.dialect === "pi" ? { provider: "anthropic", modelId: model } : { model: `anthropic/${model}` },
    )
  }

  /** A turn: what the user says, some calls, an answer. */
  *#turn(): Generator<string> {
    yield this.#user()
    while (this.#draw.chance(0.8)) yield* this.#call()
    yield this.#assistant([{ type: "text", text: this.#words.prose(this.#length("answer")) }], "stop")
    if (this.#draw.chance(0.05))
      yield this.#entry("thinking_level_change", { thinkingLevel: this.#draw.pick(["low", "medium", "high"]) })
    if (this.#draw.chance(0.01)) yield this.#model()
  }

  /** Leaves the path for an earlier entry of it, with a word about what was left behind. */
  #branch(): string {
    const back = 1 + this.#draw.below(Math.min(this.#recent.length - 1, 40))
    const to = this.#recent.splice(-back)[0]
    const from = this.#leaf
    this.#branches += 1
    return this.#entry("branch_summary", { fromId: from, summary: this.#words.prose(300) }, this.#recent.at(-1) ?? to ?? null)
  }

  #compaction(): string {
    this.#compactions += 1
    const kept = this.#recent.at(-20) ?? this.#recent[0]
    const line = this.#entry("compaction", {
      summary: this.#words.prose(4_000),
      firstKeptEntryId: kept,
      tokensBefore: Math.round(this.#sinceCompaction / 4),
      details: { readFiles: ["src/reader.ts"], modifiedFiles: [] },
    })
    this.#sinceCompaction = 0
    this.#recent.length = 0
    this.#recent.push(this.#leaf ?? "")
    return line
  }

  get #isCompactionDue(): boolean {
    const { compactions = "usual", entries = Number.POSITIVE_INFINITY } = this.#options
    if (compactions === "none") return false
    if (compactions === "usual") return this.#sinceCompaction >= CONTEXT_BYTES
    return this.#compactions === 0 && this.#count >= entries - compactions.end
  }

  *lines(): Generator<string> {
    const version = this.#options.dialect === "pi" ? 3 : 5
    const id = "01a22ca9-7cc9-77a1-9384-58fddb8eb959"
    yield this.#line({ type: "session", version, id, timestamp: new Date(START).toISOString(), cwd: "/home/dev/project" })
    yield this.#model()
    while (!this.#isDone) {
      for (const line of this.#turn()) {
        yield line
        if (this.#isDone) return
      }
      if (this.#options.sizes !== "small" && this.#sinceGiant >= GIANT_EVERY) {
        this.#giants += 1
        this.#sinceGiant = 0
        const output = this.#words.code(GIANT_BYTES)
        yield this.#message({
          role: "bashExecution",
          command: "npm test",
          output,
          exitCode: 0,
          cancelled: false,
          truncated: false,
        })
      }
      if (this.#draw.chance(BRANCH * 6) && this.#recent.length > 8) yield this.#branch()
      if (this.#isCompactionDue) yield this.#compaction()
    }
  }
}

const cost = (input: number, output: number): Json => {
  const [ofInput, ofOutput] = [(input * 3) / 1e6, (output * 15) / 1e6]
  return { input: ofInput, output: ofOutput, cacheRead: 0.012, cacheWrite: 0, total: ofInput + ofOutput + 0.012 }
}

/** The lines of a transcript, each with its newline, one after the other; the result is its shape. */
export function* transcript(options: TranscriptOptions): Generator<string, Shape> {
  const made = new Transcript(options)
  yield* made.lines()
  return made.shape
}

/** Writes a transcript to a new file, about a megabyte at a time. */
export const writeTranscript = (path: string, options: TranscriptOptions): Shape => {
  const file = openSync(path, "wx", 0o600)
  try {
    const lines = transcript(options)
    let waiting: Array<string> = []
    let size = 0
    for (;;) {
      const next = lines.next()
      if (!next.done) size += next.value.length
      if (!next.done) waiting.push(next.value)
      if (next.done || size >= 1 << 20) {
        writeSync(file, waiting.join(""))
        waiting = []
        size = 0
      }
      if (next.done) return next.value
    }
  } finally {
    closeSync(file)
  }
}
