import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { replay } from "../../src/model/Model.ts"
import { parseCommand, type TreeCommand } from "../../src/tree/Command.ts"
import { entryFlaw, isKnownEntry } from "../../src/tree/Entry.ts"
import { title } from "../../src/tree/Overview.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { treeModel } from "../../src/tree/TreeModel.ts"
import { assistant, header, said, stateOf, TIME, user } from "./Session.ts"

const stamp = { at: Date.parse(TIME), entropy: "0123456789abcdef0123456789abcdef" }
const base = stateOf(header(5), user("a", null, "one"), assistant("b", "a", "two"))

const written = (command: TreeCommand, state: TreeState = base): ReadonlyArray<JsonObject> =>
  Result.getOrThrow(treeModel.decide(state, command, stamp))

const grown = (state: TreeState, ...commands: ReadonlyArray<TreeCommand>): TreeState =>
  commands.reduce(
    (current, command, n) =>
      replay(
        treeModel,
        Result.getOrThrow(treeModel.decide(current, command, { ...stamp, entropy: `${stamp.entropy}${n}` })),
        current,
      ),
    state,
  )

const rejected = (
  command: unknown,
  state: TreeState = base,
): { code: string; field?: string; message: string; remedy: string } => {
  const decided = treeModel.decide(state, command as TreeCommand, stamp)
  if (Result.isSuccess(decided)) throw new Error("the command was carried out")
  return decided.failure
}

/** What a command writes beyond the base of the entry that it writes. */
const body = (command: TreeCommand): JsonObject => {
  const [record] = written(command)
  const { id, parentId, timestamp, ...rest } = record ?? {}
  assert.match(String(id), /^[0-9a-f]{8}$/)
  assert.equal(parentId, "b")
  assert.equal(timestamp, TIME)
  assert.deepEqual(Object.keys(record ?? {}).slice(0, 4), ["type", "id", "parentId", "timestamp"])
  assert.isTrue(isKnownEntry(record ?? {}), JSON.stringify(entryFlaw(record ?? {})))
  return rest
}

describe("a session's first command", () => {
  it("is its header, with an id and a time of its own", () => {
    const [record] = written({ do: "start", cwd: "/w" }, treeModel.initial)
    assert.deepEqual(record, {
      type: "session",
      version: 5,
      id: record?.["id"],
      timestamp: TIME,
      cwd: "/w",
      starredPatchVersion: 1,
    } as JsonObject)
    assert.match(String(record?.["id"]), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it("takes what it is given", () => {
    const command = {
      do: "start",
      id: "x",
      cwd: "/w",
      timestamp: "t",
      title: " T\n",
      titleSource: "user",
      parentSession: "p",
    } as const
    assert.deepEqual(written(command, treeModel.initial), [
      {
        type: "session",
        version: 5,
        id: "x",
        timestamp: "t",
        cwd: "/w",
        title: "T",
        titleSource: "user",
        starredPatchVersion: 1,
        parentSession: "p",
      },
    ])
    assert.isFalse(Object.hasOwn(written({ do: "start", cwd: "/w", title: "\n" }, treeModel.initial)[0] ?? {}, "title"))
  })

  it("is refused in a session that has begun, and every other one is refused before it", () => {
    assert.equal(rejected({ do: "start", cwd: "/w" }).code, "tree.already_started")
    assert.equal(rejected({ do: "mode", mode: "plan" }, treeModel.initial).code, "tree.not_started")
  })

  it("is the migration for a session of an older version", () => {
    for (const version of [undefined, 2, 3, 4]) {
      assert.equal(rejected({ do: "mode", mode: "plan" }, stateOf(header(version))).code, "tree.migration_required")
    }
  })
})

describe("what a command writes", () => {
  it("has exactly the members of its type", () => {
    const message = { role: "user", content: "three" }
    assert.deepEqual(body({ do: "message", message }), { type: "message", message })
    assert.deepEqual(body({ do: "model", model: "p/m" }), { type: "model_change", model: "p/m" })
    assert.deepEqual(body({ do: "model", model: "p/m", role: "smol" }), { type: "model_change", model: "p/m", role: "smol" })
    assert.deepEqual(body({ do: "thinking", level: "high" }), { type: "thinking_level_change", thinkingLevel: "high" })
    assert.deepEqual(body({ do: "serviceTier", tier: null }), { type: "service_tier_change", serviceTier: null })
    assert.deepEqual(body({ do: "label", target: "a", label: "L" }), { type: "label", targetId: "a", label: "L" })
    assert.deepEqual(body({ do: "label", target: "a" }), { type: "label", targetId: "a" })
    assert.deepEqual(body({ do: "label", target: "a", label: "" }), { type: "label", targetId: "a" })
    assert.deepEqual(body({ do: "custom", customType: "x", data: null }), { type: "custom", customType: "x", data: null })
    assert.deepEqual(body({ do: "customMessage", customType: "x", content: "c", display: true }), {
      type: "custom_message",
      customType: "x",
      content: "c",
      display: true,
      attribution: "agent",
    })
    assert.deepEqual(body({ do: "mode", mode: "plan", data: { f: 1 } }), { type: "mode_change", mode: "plan", data: { f: 1 } })
    assert.deepEqual(body({ do: "mcpTools", names: [] }), { type: "mcp_tool_selection", selectedToolNames: [] })
    assert.deepEqual(body({ do: "builtinTools", names: ["t"] }), {
      type: "discovered_builtin_tool_selection",
      selectedToolNames: ["t"],
    })
    assert.deepEqual(body({ do: "ttsr", rules: ["r"], messageCount: 3 }), {
      type: "ttsr_injection",
      injectedRules: ["r"],
      ttsrMessageCount: 3,
    })
    assert.deepEqual(body({ do: "init", systemPrompt: "s", task: "t", tools: ["read"] }), {
      type: "session_init",
      systemPrompt: "s",
      task: "t",
      tools: ["read"],
    })
    assert.deepEqual(body({ do: "compaction", summary: "S", firstKeptEntryId: "b", tokensBefore: 7, details: { x: 1 } }), {
      type: "compaction",
      summary: "S",
      firstKeptEntryId: "b",
      tokensBefore: 7,
      details: { x: 1 },
    })
  })

  it("leaves out what is undefined, at any depth", () => {
    const message = { role: "user", content: [{ type: "text", text: "x", note: undefined }], extra: undefined }
    const [record] = written({ do: "message", message } as unknown as TreeCommand)
    assert.deepEqual(Object.keys(record?.["message"] ?? {}), ["role", "content"])
    assert.equal(JSON.stringify(record?.["message"]), '{"role":"user","content":[{"type":"text","text":"x"}]}')
    assert.isFalse(
      Object.hasOwn(written({ do: "model", model: "m", role: undefined } as unknown as TreeCommand)[0] ?? {}, "role"),
    )
  })

  it("has ids that no entry has", () => {
    const [first] = written({ do: "custom", customType: "x" })
    const taken = stateOf(header(5), user(String(first?.["id"]), null, "one"))
    assert.notEqual(written({ do: "custom", customType: "x" }, taken)[0]?.["id"], first?.["id"])
  })

  it("for tools of both kinds are two entries in a row with one correlation id", () => {
    const [mcp, builtin] = written({ do: "tools", mcp: ["a"], builtin: [] })
    assert.equal(mcp?.["type"], "mcp_tool_selection")
    assert.equal(builtin?.["type"], "discovered_builtin_tool_selection")
    assert.equal(builtin?.["parentId"], mcp?.["id"])
    assert.notEqual(builtin?.["id"], mcp?.["id"])
    assert.isString(mcp?.["mutationCorrelationId"])
    assert.equal(builtin?.["mutationCorrelationId"], mcp?.["mutationCorrelationId"])
    assert.equal(written({ do: "tools", mcp: ["a"] }).length, 1)
    assert.isFalse(Object.hasOwn(written({ do: "tools", builtin: ["a"] })[0] ?? {}, "mutationCorrelationId"))
  })
})

describe("a branch", () => {
  it("is one patch that moves the leaf, and nothing where the leaf is already", () => {
    assert.deepEqual(written({ do: "branch", to: "a" }), [{ type: "header_patch", patch: { leafId: "a" } }])
    assert.deepEqual(written({ do: "branch", to: null }), [{ type: "header_patch", patch: { leafId: null } }])
    assert.deepEqual(written({ do: "branch", to: "b" }), [])
    const branched = grown(base, { do: "branch", to: "a" }, { do: "message", message: { role: "user", content: "other" } })
    assert.deepEqual(said(branched), ["one", "other"])
    const rooted = grown(base, { do: "branch", to: null }, { do: "message", message: { role: "user", content: "new" } })
    assert.deepEqual(said(rooted), ["new"])
  })

  it("with a summary hangs the summary below its target", () => {
    assert.deepInclude(written({ do: "branchWithSummary", to: "a", summary: "S" })[0], {
      type: "branch_summary",
      parentId: "a",
      fromId: "a",
      summary: "S",
    })
    assert.deepInclude(written({ do: "branchWithSummary", to: null, summary: "S" })[0], { parentId: null, fromId: "root" })
  })

  it("to an entry that is not there is refused", () => {
    assert.equal(rejected({ do: "branch", to: "gone" }).code, "tree.unknown_leaf")
    assert.equal(rejected({ do: "branchWithSummary", to: "gone", summary: "S" }).code, "tree.unknown_leaf")
  })
})

describe("a title", () => {
  it("is written cleaned, with its source, in one patch", () => {
    const [record] = written({ do: "title", title: " My\ntitle ", source: "user" })
    assert.deepEqual(record, { type: "header_patch", patch: { title: "My title", titleSource: "user" } })
    assert.isBelow(JSON.stringify(record).length, 128)
  })

  it("of the user beats every automatic one, for ever, also after the session was read again", () => {
    const named = grown(base, { do: "title", title: "auto", source: "auto" }, { do: "title", title: "mine", source: "user" })
    assert.equal(rejected({ do: "title", title: "auto", source: "auto" }, named).code, "tree.user_title")
    assert.deepEqual(title(named), { title: "mine", source: "user" })
    assert.deepEqual(title(grown(named, { do: "title", title: "yours", source: "user" })), { title: "yours", source: "user" })
    const read = stateOf(header(5, { title: "mine", titleSource: "user" }))
    assert.equal(rejected({ do: "title", title: "auto", source: "auto" }, read).code, "tree.user_title")
  })

  it("that is empty once cleaned is refused", () => {
    assert.deepInclude(rejected({ do: "title", title: " \n", source: "user" }), { code: "tree.invalid_command", field: "title" })
  })
})

describe("a working directory", () => {
  it("is patched, with the star beside it", () => {
    assert.deepEqual(written({ do: "cwd", cwd: "/elsewhere" }), [{ type: "header_patch", patch: { cwd: "/elsewhere" } }])
    const starred = treeModel.evolve(base, { type: "header_patch", patch: { starred: true } })
    assert.deepEqual(written({ do: "cwd", cwd: "/elsewhere" }, starred), [
      { type: "header_patch", patch: { cwd: "/elsewhere", starred: true } },
    ])
  })

  it("that it has already writes nothing, and none is no directory", () => {
    assert.deepEqual(written({ do: "cwd", cwd: "/w" }), [])
    assert.equal(rejected({ do: "cwd", cwd: "" }).code, "tree.invalid_command")
  })
})

describe("a chain of models", () => {
  it("is an entry with the members of the command", () => {
    const [record] = written({ do: "modelChain", role: "plan", entries: ["p/1", "p/2"], origin: "settings" })
    const { id, parentId, timestamp, ...members } = record ?? {}
    assert.deepEqual(members, { type: "configured_model_chain", role: "plan", entries: ["p/1", "p/2"], origin: "settings" })
  })

  it("names a role, and at least one model unless it is cleared", () => {
    assert.equal(rejected({ do: "modelChain", role: "", entries: ["p/1"] }).code, "tree.invalid_command")
    assert.equal(rejected({ do: "modelChain", role: "plan", entries: [] }).code, "tree.invalid_command")
    assert.equal(rejected({ do: "modelChain", role: "plan", entries: ["p/1", ""] }).code, "tree.invalid_command")
    assert.equal(written({ do: "modelChain", role: "plan", entries: [], cleared: true }).length, 1)
  })
})

describe("a star", () => {
  it("is a patch, and nothing when it would change nothing", () => {
    assert.deepEqual(written({ do: "star", on: true }), [{ type: "header_patch", patch: { starred: true } }])
    assert.deepEqual(written({ do: "star", on: false }), [])
    assert.deepEqual(written({ do: "star", on: true }, grown(base, { do: "star", on: true })), [])
  })

  it("is repeated beside later titles, so that a reader from the end need not look further", () => {
    const starred = grown(base, { do: "star", on: true })
    assert.deepEqual(written({ do: "title", title: "T", source: "user" }, starred), [
      { type: "header_patch", patch: { title: "T", titleSource: "user", starred: true } },
    ])
    const unstarred = grown(starred, { do: "star", on: false })
    assert.deepEqual(written({ do: "title", title: "T", source: "user" }, unstarred), [
      { type: "header_patch", patch: { title: "T", titleSource: "user", starred: false } },
    ])
  })
})

describe("a target", () => {
  it("must be there, and for a new message it must be one", () => {
    assert.deepInclude(rejected({ do: "label", target: "gone", label: "L" }), { code: "tree.unknown_target", field: "target" })
    assert.deepInclude(rejected({ do: "compaction", summary: "S", firstKeptEntryId: "gone", tokensBefore: 1 }), {
      code: "tree.unknown_target",
      field: "firstKeptEntryId",
    })
    const message = { role: "user", content: "x" }
    assert.deepInclude(rejected({ do: "patchMessage", entryId: "gone", message }), { code: "tree.unknown_target" })
    const marked = grown(base, { do: "custom", customType: "x" })
    assert.deepInclude(rejected({ do: "patchMessage", entryId: marked.leaf, message }, marked), { code: "tree.not_a_message" })
    assert.deepEqual(written({ do: "patchMessage", entryId: "a", message }), [
      { type: "entry_patch", entryId: "a", patch: { message } },
    ])
    assert.deepEqual(said(grown(base, { do: "patchMessage", entryId: "a", message })), ["x", "two"])
  })
})

describe("a command from outside", () => {
  const refused: ReadonlyArray<readonly [given: unknown, field: string]> = [
    [null, "command"],
    ["message", "command"],
    [{}, "do"],
    [{ do: "toString" }, "do"],
    [{ do: "message" }, "message"],
    [{ do: "message", message: "hello" }, "message"],
    [{ do: "message", message: { content: "no role" } }, "message.role"],
    [{ do: "message", message: { role: "user" }, mesage: 1 }, "mesage"],
    [{ do: "message", message: { role: "user", at: Number.NaN } }, "message.at"],
    [{ do: "message", message: { role: "user", content: [1, undefined] } }, "message.content[1]"],
    [{ do: "branch" }, "to"],
    [{ do: "branch", to: 5 }, "to"],
    [{ do: "title", title: "T", source: "both" }, "source"],
    [{ do: "title", title: "T" }, "source"],
    [{ do: "star", on: "yes" }, "on"],
    [{ do: "model", model: "" }, "model"],
    [{ do: "mcpTools", names: ["a", 5] }, "names"],
    [{ do: "tools" }, "mcp"],
    [{ do: "customMessage", customType: "x", content: "c", display: true, attribution: "nobody" }, "attribution"],
    [{ do: "compaction", summary: "S", firstKeptEntryId: "a", tokensBefore: "many" }, "tokensBefore"],
    [{ do: "start", cwd: "/w", id: "" }, "id"],
  ]

  it("is refused with the name of the field that is wrong and what it should be", () => {
    for (const [given, field] of refused) {
      const parsed = parseCommand(given)
      assert.isTrue(Result.isFailure(parsed), JSON.stringify(given))
      if (Result.isFailure(parsed)) {
        assert.deepInclude(parsed.failure, { code: "tree.invalid_command", field }, JSON.stringify(given))
        assert.include(parsed.failure.message, field)
        assert.notEqual(parsed.failure.remedy, "")
      }
    }
  })

  it("is refused by decide just so, whatever its type says", () => {
    assert.deepInclude(rejected({ do: "star", on: "yes" }), { code: "tree.invalid_command", field: "on" })
  })

  it("comes back as it was when it is right", () => {
    const command = { do: "tools", mcp: ["a"] }
    assert.deepEqual(parseCommand(command), Result.succeed(command as TreeCommand))
  })
})
