// Where the calls of a checkout of TypeScript or JavaScript lead, by TypeScript's own checker, as lines that
// `research.rulers.compared` reads: `NODE_PATH=<node_modules with typescript> node research/rulers/oracles/typescript.cjs ROOT > CALLS`.
//
// All files that git knows are one program. A package of the tree is found by its name; others need not be installed:
// what is called of them leads out. What the checker knows nothing of is left out, and so are calls of parameters and
// of other values that hold whatever they were given.

const { execFileSync } = require("node:child_process")
const fs = require("node:fs")
const path = require("node:path")
const ts = require("typescript")

const root = fs.realpathSync(process.argv[2] ?? ".")
const inTree = (name) => path.relative(root, name).split(path.sep).join("/")
const listed = execFileSync("git", ["ls-files"], { cwd: root, maxBuffer: 1 << 28 }).toString().split("\n")
const sources = listed.filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !/\.d\.[cm]?ts$|node_modules\//.test(name))

const named = packages()
const owned = Object.keys(named).filter((name) => !name.endsWith("/*"))
const program = ts.createProgram(sources.map((name) => path.join(root, name)), {
  allowJs: true,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  jsx: ts.JsxEmit.Preserve,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
  baseUrl: root,
  paths: { ...configured(), ...named },
})
const checker = program.getTypeChecker()
const known = new Set(sources)
for (const file of program.getSourceFiles()) {
  if (known.has(inTree(file.fileName))) visit(file, file)
}

/** The aliases that `tsconfig.json` files of the tree give, from its root on. */
function configured() {
  const found = {}
  for (const name of listed.filter((one) => /(^|\/)tsconfig[^/]*\.json$/.test(one))) {
    const { config } = ts.readConfigFile(path.join(root, name), ts.sys.readFile)
    const { paths = {}, baseUrl = "." } = config?.compilerOptions ?? {}
    const from = path.join(path.dirname(name), baseUrl)
    for (const [alias, targets] of Object.entries(paths)) {
      found[alias] ??= targets.map((target) => path.join(from, target))
    }
  }
  return found
}

/** The packages of the tree by their names. */
function packages() {
  const found = {}
  for (const name of listed.filter((one) => /(^|\/)package\.json$/.test(one))) {
    const folder = path.dirname(name)
    try {
      const own = JSON.parse(fs.readFileSync(path.join(root, name), "utf8")).name
      if (!own) continue
      found[own] = [`${folder}/src/index`, `${folder}/src`, folder]
      found[`${own}/*`] = [`${folder}/src/*`, `${folder}/*`]
    } catch {
      continue // no JSON
    }
  }
  return found
}

function visit(node, file) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isTaggedTemplateExpression(node)) note(node, file)
  ts.forEachChild(node, (child) => visit(child, file))
}

function note(call, file) {
  const callee = bare(ts.isTaggedTemplateExpression(call) ? call.tag : call.expression)
  const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee
  if (!ts.isIdentifier(name) && !ts.isPrivateIdentifier(name)) return
  const to = targets(call, name)
  if (to === undefined) return
  const line = file.getLineAndCharacterOfPosition(name.getStart(file)).line + 1
  process.stdout.write(`${JSON.stringify({ path: inTree(file.fileName), line, name: name.text, to })}\n`)
}

function bare(node) {
  while (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)) node = node.expression
  return node
}

/** Where what is called is defined; nothing where it leads out, undefined where nobody knows. */
function targets(call, name) {
  let symbol = checker.getSymbolAtLocation(name)
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) {
    const meant = checker.getAliasedSymbol(symbol)
    if (checker.isUnknownSymbol(meant)) return isFromOutside(symbol) ? [] : undefined
    symbol = meant
  }
  const declared = (symbol?.declarations ?? []).map(defining)
  if (!declared.length || declared.includes(undefined)) return undefined
  const inside = declared.filter((one) => known.has(inTree(one.getSourceFile().fileName)))
  if (!inside.length) return []
  const bodies = inside.filter((one) => one.body ?? one.members ?? one.initializer)
  return (bodies.length ? bodies : inside).map(place)
}

/** What stands for a definition; undefined for what only holds a value that somebody gave. */
function defining(one) {
  if (ts.isParameter(one) || ts.isBindingElement(one)) return undefined
  if (ts.isVariableDeclaration(one) || ts.isPropertyDeclaration(one) || ts.isPropertyAssignment(one)) {
    const value = one.initializer && bare(one.initializer)
    const isFunction = value && (ts.isFunctionExpression(value) || ts.isArrowFunction(value) || ts.isClassExpression(value))
    return isFunction || one.getSourceFile().isDeclarationFile ? one : undefined
  }
  const isMade = ts.isFunctionLike(one) || ts.isClassLike(one)
  return isMade || one.getSourceFile().isDeclarationFile || ts.isInterfaceDeclaration(one) ? one : undefined
}

function isFromOutside(symbol) {
  const from = symbol.declarations?.[0]
  const statement = from && ts.findAncestor(from, ts.isImportDeclaration)
  const module = statement?.moduleSpecifier.text ?? "."
  return !/^(\.{1,2}|[#~@]?)\//.test(module) && !owned.some((name) => module === name || module.startsWith(`${name}/`))
}

function place(one) {
  const file = one.getSourceFile()
  const name = one.name && (ts.isIdentifier(one.name) || ts.isPrivateIdentifier(one.name)) ? one.name : undefined
  const line = file.getLineAndCharacterOfPosition((name ?? one).getStart(file)).line + 1
  return [inTree(file.fileName), line, name?.text ?? (ts.isConstructorDeclaration(one) ? "constructor" : "default")]
}
