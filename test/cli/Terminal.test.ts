import { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { Output } from "../../src/cli/Output.ts"
import { hasColour, layer, type OutStream } from "../../src/cli/Terminal.ts"
import { coloured, plain } from "../../src/view/Style.ts"

/** A stream that keeps what it is given, and fails when it is told to. */
const stream = (more: { readonly isTTY?: true; readonly columns?: number; readonly broken?: boolean } = {}) => {
  let text = ""
  const writable = new Writable({
    write: (chunk: Buffer, _, done) => {
      if (more.broken === true) return done(Object.assign(new Error("broken pipe"), { code: "EPIPE" }))
      text += chunk.toString()
      done()
    },
  })
  const { broken: _, ...terminal } = more
  return { stream: Object.assign(writable, terminal) as OutStream, text: () => text }
}

const outputOver = (out: OutStream, notes: OutStream, environment: Readonly<Record<string, string>> = {}) =>
  Effect.runPromise(Effect.provide(Output.use(Effect.succeed), layer(out, notes, environment)))

describe("the output over two streams", () => {
  test("writes data to one and notes to the other", async () => {
    const [out, notes] = [stream(), stream()]
    const output = await outputOver(out.stream, notes.stream)
    await Effect.runPromise(Effect.andThen(output.write("data\n"), output.note("note")))
    expect({ out: out.text(), notes: notes.text() }).toEqual({ out: "data\n", notes: "note\n" })
  })

  test("fails once nobody reads the data, and never for a note", async () => {
    const output = await outputOver(stream({ broken: true }).stream, stream({ broken: true }).stream)
    for (let n = 0; n < 3; n++)
      expect(await Effect.runPromise(Effect.flip(output.write("x")))).toMatchObject({ _tag: "OutputClosed" })
    await Effect.runPromise(output.note("x"))
  })

  test("shows progress on a terminal only, and takes it away before a note", async () => {
    const [pipe, terminal, dumb] = [stream(), stream({ isTTY: true }), stream({ isTTY: true })]
    ;(await outputOver(stream().stream, pipe.stream)).progress("50 %")
    ;(await outputOver(stream().stream, dumb.stream, { TERM: "dumb" })).progress("50 %")
    expect([pipe.text(), dumb.text()]).toEqual(["", ""])
    const output = await outputOver(stream().stream, terminal.stream)
    output.progress("")
    expect(terminal.text()).toBe("")
    output.progress("50 %")
    await Effect.runPromise(output.note("note"))
    output.progress("")
    expect(terminal.text()).toBe("\r\u001b[2K50 %\r\u001b[2Knote\n")
  })

  test("has the columns and the colour of its terminal", async () => {
    const wide = await outputOver(stream({ isTTY: true, columns: 200 }).stream, stream().stream)
    expect({ columns: wide.columns, style: wide.style, noteStyle: wide.noteStyle }).toEqual({
      columns: 200,
      style: coloured,
      noteStyle: plain,
    })
    expect((await outputOver(stream({ isTTY: true, columns: 3 }).stream, stream().stream)).columns).toBe(40)
    expect((await outputOver(stream().stream, stream().stream)).columns).toBe(110)
  })
})

test("colour follows the terminal, unless the environment says otherwise", () => {
  expect(hasColour({}, true)).toBe(true)
  expect(hasColour({}, false)).toBe(false)
  expect(hasColour({ NO_COLOR: "1" }, true)).toBe(false)
  expect(hasColour({ NO_COLOR: "" }, true)).toBe(true)
  expect(hasColour({ FORCE_COLOR: "1" }, false)).toBe(true)
  expect(hasColour({ FORCE_COLOR: "0" }, true)).toBe(false)
  expect(hasColour({ FORCE_COLOR: "false" }, true)).toBe(false)
  expect(hasColour({ FORCE_COLOR: "1", TERM: "dumb" }, true)).toBe(false)
})
