#!/usr/bin/env node
// Writes viewmodel.js and viewmodel.d.ts, the runtime of generated JavaScript clients, from viewmodel.ts, the runtime of
// generated TypeScript clients. With --check it only compares. It needs Debian's node-typescript.
// Types are erased, and the docs of exports and of members, which stand in the other two files.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const ts = createRequire("/usr/share/nodejs/typescript/")("./lib/typescript.js");
const folder = new URL("../Sources/ClientGenerators/Runtimes/", import.meta.url).pathname;
const source = readFileSync(folder + "viewmodel.ts", "utf8");
const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ES2022,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
};

/** The text without types and without the docs of public declarations. */
function erased() {
  const kinds = ts.SyntaxKind;
  const typeOnly = [kinds.ReadonlyKeyword, kinds.ProtectedKeyword, kinds.PrivateKeyword, kinds.PublicKeyword, kinds.OverrideKeyword];
  const cuts = [];
  const cut = (from, to) => cuts.push([from, to]);
  const has = (node, kind) => node.modifiers?.some((modifier) => modifier.kind === kind) ?? false;

  function visit(node) {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return cut(node.getFullStart(), node.end);
    if (ts.isPropertyDeclaration(node) && !node.initializer && ts.isIdentifier(node.name)) return cut(node.getFullStart(), node.end);
    const isPublic = ts.isClassElement(node)
      ? !(node.name && ts.isPrivateIdentifier(node.name))
      : has(node, kinds.ExportKeyword);
    for (const doc of node.jsDoc ?? []) {
      const text = source.slice(doc.pos, doc.end);
      if (isPublic || ts.isPropertyDeclaration(node) || text.includes("@internal")) cut(lineStart(doc.pos), doc.end + 1);
    }
    for (const modifier of node.modifiers ?? []) if (typeOnly.includes(modifier.kind)) cut(modifier.getStart(), modifier.end + 1);
    if (node.typeParameters) cut(node.typeParameters.pos - 1, node.typeParameters.end + 1);
    if (node.typeArguments && !ts.isTypeNode(node)) cut(node.typeArguments.pos - 1, node.typeArguments.end + 1);
    if (ts.isExpressionWithTypeArguments(node) && node.typeArguments) {
      cut(node.typeArguments.pos - 1, node.typeArguments.end + 1);
    }
    if (node.type && (ts.isFunctionLike(node) || ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node))) {
      cut((node.questionToken ?? node.exclamationToken)?.pos ?? source.lastIndexOf(":", node.type.pos), node.type.end);
    } else if (node.questionToken && ts.isParameter(node)) {
      cut(node.questionToken.pos, node.questionToken.end);
    }
    if (ts.isParenthesizedExpression(node) && ts.isAsExpression(node.expression) && !/\s/.test(node.expression.expression.getText())) {
      cut(node.getStart(), node.getStart() + 1);
      cut(node.expression.expression.end, node.end);
      return visit(node.expression.expression);
    }
    if (ts.isAsExpression(node) || ts.isNonNullExpression(node)) {
      cut(node.expression.end, node.end);
      return visit(node.expression);
    }
    ts.forEachChild(node, (child) => {
      if (!ts.isTypeNode(child) || ts.isExpressionWithTypeArguments(child)) visit(child);
    });
  }
  const lineStart = (position) => source.lastIndexOf("\n", position) + 1;
  visit(ts.createSourceFile("viewmodel.ts", source, ts.ScriptTarget.ES2022, true));

  let text = "";
  let end = 0;
  for (const [from, to] of cuts.sort((one, other) => one[0] - other[0])) {
    if (from < end) continue;
    text += source.slice(end, from);
    end = to;
  }
  return (text + source.slice(end)).replaceAll(" {\n}", " {}");
}

/** The declarations, with an empty line before each that is exported. */
function declarations() {
  const folder = mkdtempSync(join(tmpdir(), "viewmodel-"));
  try {
    const program = ts.createProgram([join(folder, "viewmodel.ts")], { ...options, declaration: true, emitDeclarationOnly: true, stripInternal: true }, {
      ...ts.createCompilerHost(options),
      getSourceFile: (name, version) => ts.createSourceFile(name, name.endsWith("viewmodel.ts") ? source : readFileSync(name, "utf8"), version),
    });
    let text = "";
    const problems = ts.getPreEmitDiagnostics(program);
    for (const problem of problems) console.error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
    if (problems.length > 0) process.exit(1);
    program.emit(undefined, (_, emitted) => (text += emitted));
    return text.replace(/^( +)/gm, (spaces) => "\t".repeat(spaces.length / 4));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let isStale = false;
for (const [name, text] of [["viewmodel.js", erased()], ["viewmodel.d.ts", declarations()]]) {
  if (process.argv[2] !== "--check") writeFileSync(folder + name, text);
  else if (readFileSync(folder + name, "utf8") !== text) {
    console.error(`${name} is stale: run .ci/javascript-runtime.mjs`);
    isStale = true;
  }
}
const size = Buffer.byteLength(erased());
console.log(`${size} bytes of runtime`);
process.exit(isStale || size > 45_000 ? 1 : 0);
