/**
 * A small assembler: WebAssembly modules written down as TypeScript.
 *
 * A piece of code is a function that puts its bytes behind others, and is told how many blocks it stands in, so that a branch names the
 * block it leaves and not a number. Only what the scanner of records needs is here. Whether a module is valid the engine says when it is compiled.
 *
 * The form is that of the WebAssembly core specification, version 2 (binary format, vector instructions). Pure.
 */

export type Code = (out: Array<number>, depth: number) => void

/** A block that can be branched to: by the depth of its inside. */
export interface Label {
  readonly depth: number
}

export const I32 = 0x7f
export const I64 = 0x7e
export const V128 = 0x7b
export type ValueType = typeof I32 | typeof I64 | typeof V128

const EMPTY_BLOCK = 0x40

/** LEB128 of a whole number from 0. */
const unsigned = (value: number): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) | 0x80)
  }
}

/** LEB128 of a whole number with its sign. */
const signed = (value: bigint): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn)
    if (rest >= -64n && rest < 64n) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

export const code = (character: string): number => character.charCodeAt(0)
/** Four characters of ASCII as the number that a load of their bytes gives. */
export const word = (four: string): number => [...four].reduceRight((value, each) => (value << 8) | code(each), 0)

/** Pieces one behind the other. */
export const all =
  (...parts: ReadonlyArray<Code>): Code =>
  (out, depth) => {
    for (const part of parts) part(out, depth)
  }

const bytes =
  (...given: ReadonlyArray<number>): Code =>
  (out) =>
    void out.push(...given)

export const i32 = (value: number): Code => bytes(0x41, ...signed(BigInt.asIntN(32, BigInt(value))))
export const i64 = (value: bigint): Code => bytes(0x42, ...signed(BigInt.asIntN(64, value)))

const unary =
  (...opcode: ReadonlyArray<number>) =>
  (a: Code): Code =>
    all(a, bytes(...opcode))

const binary =
  (...opcode: ReadonlyArray<number>) =>
  (a: Code, b: Code): Code =>
    all(a, b, bytes(...opcode))

/** A load or store of a number of bytes that need not be aligned, at an address plus a constant. */
const access = (opcode: ReadonlyArray<number>, offset: number): Code => bytes(...opcode, 0, ...unsigned(offset))
const load =
  (...opcode: ReadonlyArray<number>) =>
  (address: Code, offset = 0): Code =>
    all(address, access(opcode, offset))
const store =
  (...opcode: ReadonlyArray<number>) =>
  (address: Code, value: Code, offset = 0): Code =>
    all(address, value, access(opcode, offset))

export const load8 = load(0x2d)
export const load32 = load(0x28)
export const store8 = store(0x3a)
export const store32 = store(0x36)

export const isZero = unary(0x45)
export const eq = binary(0x46)
export const ne = binary(0x47)
/** Less than and the like, of numbers without sign. */
export const lt = binary(0x49)
export const gt = binary(0x4b)
export const ge = binary(0x4f)
export const add = binary(0x6a)
export const sub = binary(0x6b)
export const multiply = binary(0x6c)
export const and = binary(0x71)
export const or = binary(0x72)
export const xor = binary(0x73)
export const shiftLeft = binary(0x74)
/** With zeros from the left. */
export const shiftRight = binary(0x76)
export const zeros = unary(0x68)

export const isZero64 = unary(0x50)
export const ne64 = binary(0x52)
export const sub64 = binary(0x7d)
export const and64 = binary(0x83)
export const or64 = binary(0x84)
export const xor64 = binary(0x85)
export const shiftLeft64 = binary(0x86)
export const shiftRight64 = binary(0x88)
/** Zero bits below the lowest one. */
export const zeros64 = unary(0x7a)
export const toI32 = unary(0xa7)
export const toI64 = unary(0xad)

const vector = (opcode: number): ReadonlyArray<number> => [0xfd, ...unsigned(opcode)]

export const load16x8 = load(...vector(0x00))
/** Sixteen bytes that are the same one. */
export const splat = (byte: number): Code => all(i32(byte), bytes(...vector(0x0f)))
/** Sixteen bytes. */
export const lanes = (given: ReadonlyArray<number>): Code => bytes(...vector(0x0c), ...given)
/** Of each byte of `b`, below 16, the byte of `a` at that place; 0 for another one. */
export const swizzle = binary(...vector(0x0e))
/** From two vectors, the sixteen bytes from place `from` on. */
export const joined = (a: Code, b: Code, from: number): Code =>
  all(a, b, bytes(...vector(0x0d), ...Array.from({ length: 16 }, (_, n) => n + from)))
/** All ones where the bytes are equal. */
export const equalBytes = binary(...vector(0x23))
/** All ones where a byte is less, without sign. */
export const lessBytes = binary(...vector(0x26))
export const andBytes = binary(...vector(0x4e))
export const orBytes = binary(...vector(0x50))
export const xorBytes = binary(...vector(0x51))
/** Whether any bit is set. */
export const anyBit = unary(...vector(0x53))
/** The highest bit of each byte, as the bits of a number. */
export const highBits = unary(...vector(0x64))
/** Each byte shifted right by so many bits, zeros behind. */
export const shiftBytes = (a: Code, by: number): Code => all(a, i32(by), bytes(...vector(0x6d)))
/** Differences of bytes, 0 where they would be less. */
export const lessenBytes = binary(...vector(0x73))

/** A number that a function holds. */
export interface Local {
  readonly get: Code
  readonly set: (value: Code) => Code
  /** Sets it and gives the value. */
  readonly tee: (value: Code) => Code
}

const local = (index: number): Local => ({
  get: bytes(0x20, ...unsigned(index)),
  set: (value) => all(value, bytes(0x21, ...unsigned(index))),
  tee: (value) => all(value, bytes(0x22, ...unsigned(index))),
})

const enclosed =
  (opcode: number) =>
  (inside: (label: Label) => Code): Code =>
  (out, depth) => {
    out.push(opcode, EMPTY_BLOCK)
    inside({ depth: depth + 1 })(out, depth + 1)
    out.push(0x0b)
  }

/** Code that a branch to its label leaves. */
export const block = enclosed(0x02)
/** Code that a branch to its label begins anew; without one it is left at its end. */
export const loop = enclosed(0x03)

const branch =
  (opcode: number) =>
  (label: Label): Code =>
  (out, depth) =>
    void out.push(opcode, ...unsigned(depth - label.depth))

export const go = branch(0x0c)
export const goIf = (label: Label, condition: Code): Code => all(condition, branch(0x0d)(label))
/** The lesser of two numbers without sign. Each is worked out twice. */
export const least = (a: Code, b: Code): Code => all(a, b, lt(a, b), bytes(0x1b))

/** To the label at the place that a number says; the last one for any other number. */
export const goTable =
  (labels: ReadonlyArray<Label>, number: Code): Code =>
  (out, depth) => {
    number(out, depth)
    out.push(0x0e, ...unsigned(labels.length - 1), ...labels.flatMap((label) => unsigned(depth - label.depth)))
  }

export const when =
  (condition: Code, then: Code, otherwise?: Code): Code =>
  (out, depth) => {
    condition(out, depth)
    out.push(0x04, EMPTY_BLOCK)
    then(out, depth + 1)
    if (otherwise !== undefined) {
      out.push(0x05)
      otherwise(out, depth + 1)
    }
    out.push(0x0b)
  }

export const give = (value: Code): Code => all(value, bytes(0x0f))

/** A function of a module; all parameters are I32, and so is the result. */
export interface Func {
  readonly parameters: number
  readonly locals: ReadonlyArray<ValueType>
  readonly body: Code
  readonly exportedAs: string | undefined
}

/** `build` gets the parameters and then the locals, of the types that are named. */
export const func = (
  { parameters, locals, exportedAs }: Omit<Func, "body">,
  build: (...held: ReadonlyArray<Local>) => Code,
): Func => {
  const held = Array.from({ length: parameters + locals.length }, (_, index) => local(index))
  return { parameters, locals, exportedAs, body: build(...held) }
}

/** Calls the function at a place among those of the module. */
export const call = (index: number, ...given: ReadonlyArray<Code>): Code => all(...given, bytes(0x10, ...unsigned(index)))

const text = (given: string): ReadonlyArray<number> => [
  ...unsigned(given.length),
  ...[...given].map((character) => character.charCodeAt(0)),
]

const list = (items: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => [...unsigned(items.length), ...items.flat()]

const section = (id: number, content: ReadonlyArray<number>): ReadonlyArray<number> => [
  id,
  ...unsigned(content.length),
  ...content,
]

const bodyOf = ({ locals, body }: Func): ReadonlyArray<number> => {
  const content = [...list(locals.map((type) => [1, type]))]
  body(content, 0)
  content.push(0x0b)
  return [...unsigned(content.length), ...content]
}

/** The bytes of a module that has these functions and, imported as `host.memory`, at least so many pages of 64 KiB. */
export const moduleOf = (pages: number, functions: ReadonlyArray<Func>): Uint8Array<ArrayBuffer> => {
  const exports = functions.flatMap(({ exportedAs }, index) =>
    exportedAs === undefined ? [] : [[...text(exportedAs), 0x00, ...unsigned(index)]],
  )
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, list(functions.map(({ parameters }) => [0x60, ...list(Array(parameters).fill([I32])), 1, I32]))),
    ...section(2, list([[...text("host"), ...text("memory"), 0x02, 0x00, ...unsigned(pages)]])),
    ...section(3, list(functions.map((_, index) => unsigned(index)))),
    ...section(7, list(exports)),
    ...section(10, list(functions.map(bodyOf))),
  ])
}
