import { parseAst } from "vitest/node"

/** What the rules of the house need to know of one file of TypeScript. */
export interface Source {
  readonly path: string
  readonly lines: number
  readonly imports: ReadonlyArray<Import>
  /** Members of things that a file gets without importing them, such as `Date.now`, and the same things by themselves. */
  readonly uses: ReadonlyArray<Use>
  readonly functions: ReadonlyArray<{ readonly line: number; readonly lines: number }>
  /** Marks on tests, such as the `skip` of `test.skip`. */
  readonly marks: ReadonlyArray<Use>
}

export interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
  /** The names it takes; empty for a namespace, a default or a dynamic import. */
  readonly names: ReadonlyArray<string>
  readonly line: number
}

export interface Use {
  readonly name: string
  readonly line: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

const field = (node: Node, name: string): Node | undefined => {
  const value = node[name]
  return isNode(value) ? value : undefined
}

const nameOf = (node: Node | undefined): string | undefined =>
  node?.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : undefined

const textOf = (node: Node | undefined): string | undefined => (typeof node?.["value"] === "string" ? node["value"] : undefined)

const list = (node: Node, name: string): ReadonlyArray<Node> => {
  const value = node[name]
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** Calls `visit` with every node and its parent. */
const walk = (node: Node, parent: Node | undefined, visit: (node: Node, parent: Node | undefined) => void): void => {
  visit(node, parent)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, node, visit)
  }
}

const functionTypes: ReadonlySet<string> = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])
const importTypes: ReadonlySet<string> = new Set(["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration"])

/** The imports, exports and dynamic imports that name another module. */
const importOf = (node: Node): Omit<Import, "line"> | undefined => {
  const specifier = textOf(field(node, "source"))
  if (specifier === undefined) return undefined
  if (node.type === "ImportExpression") return { specifier, typeOnly: false, names: [] }
  if (node.type === "TSImportType") return { specifier, typeOnly: true, names: [] }
  if (!importTypes.has(node.type)) return undefined
  const parts = list(node, "specifiers")
  const isType = (part: Node) => part["importKind"] === "type" || part["exportKind"] === "type"
  const typeOnly = isType(node) || (parts.length > 0 && parts.every(isType))
  return { specifier, typeOnly, names: parts.flatMap((part) => nameOf(field(part, "imported") ?? field(part, "local")) ?? []) }
}

/** Whether an identifier names a value, and not a member, a key or a parameter of somebody else's. */
const isReference = (node: Node, parent: Node | undefined): boolean => {
  if (parent === undefined) return true
  if (parent.type === "MemberExpression") return field(parent, "object") === node || parent["computed"] === true
  if (parent.type === "Property" || parent.type === "PropertyDefinition" || parent.type === "MethodDefinition") {
    return field(parent, "key") !== node || parent["computed"] === true || parent["shorthand"] === true
  }
  return !/^(Import|Export|TS)/.test(parent.type) || parent.type === "TSAsExpression" || parent.type === "TSNonNullExpression"
}

/** `Date.now`, `process.env`, `console`; `new Date` for a call of it without arguments. */
const useOf = (node: Node, parent: Node | undefined): string | undefined => {
  if (node.type === "NewExpression" && nameOf(field(node, "callee")) === "Date" && list(node, "arguments").length === 0)
    return "new Date"
  const name = nameOf(node)
  if (name === undefined || !isReference(node, parent)) return undefined
  const member =
    parent?.type === "MemberExpression" && parent["computed"] !== true ? nameOf(field(parent, "property")) : undefined
  return member === undefined ? name : `${name}.${member}`
}

const testNames: ReadonlySet<string> = new Set(["test", "it", "describe", "suite", "layer", "context"])
const markNames: ReadonlySet<string> = new Set(["skip", "only", "todo", "skipIf", "runIf", "fails"])
const outsider = /^(xit|xtest|xdescribe|fit|fdescribe)$/

/** The name at the beginning of `test.each(…).only`. */
const rootOf = (node: Node | undefined): string | undefined => {
  if (node?.type === "MemberExpression") return rootOf(field(node, "object"))
  if (node?.type === "CallExpression" || node?.type === "TaggedTemplateExpression")
    return rootOf(field(node, "callee") ?? field(node, "tag"))
  return nameOf(node)
}

const markOf = (node: Node): string | undefined => {
  if (node.type === "MemberExpression") {
    const member = nameOf(field(node, "property"))
    return member !== undefined && markNames.has(member) && testNames.has(rootOf(node) ?? "") ? member : undefined
  }
  if (node.type === "Property" && field(node, "value")?.["value"] === true) {
    const key = nameOf(field(node, "key"))
    return key !== undefined && markNames.has(key) ? key : undefined
  }
  const called = node.type === "CallExpression" ? nameOf(field(node, "callee")) : undefined
  return called !== undefined && outsider.test(called) ? called : undefined
}

/** Reads one file. Throws when it is not TypeScript. */
export const readSource = (path: string, text: string): Source => {
  const starts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)]
  const lineAt = (offset: number): number => {
    let low = 0
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
  const imports: Array<Import> = []
  const uses: Array<Use> = []
  const functions: Array<{ line: number; lines: number }> = []
  const marks: Array<Use> = []
  walk(parseAst(text, { lang: "ts" }) as unknown as Node, undefined, (node, parent) => {
    const line = lineAt(node.start)
    const found = importOf(node)
    if (found !== undefined) imports.push({ ...found, line })
    const use = useOf(node, parent)
    if (use !== undefined) uses.push({ name: use, line })
    const mark = markOf(node)
    if (mark !== undefined) marks.push({ name: mark, line })
    if (functionTypes.has(node.type)) functions.push({ line, lines: lineAt(node.end - 1) - line + 1 })
  })
  return { path, lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0), imports, uses, functions, marks }
}
