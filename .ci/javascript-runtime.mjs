#!/usr/bin/env node
// Writes viewmodel.js and viewmodel.d.ts, the runtime of generated JavaScript clients, from viewmodel.ts, the runtime of
// generated TypeScript clients. With --check it only compares. It needs Debian's node-typescript.
// Types are erased, and comments, which stand in the other two files.
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

const tabs = (text) => text.replace(/^( +)/gm, (spaces) => "\t".repeat(spaces.length / 4));
const erased = tabs(ts.transpileModule(source, { compilerOptions: { ...options, removeComments: true } }).outputText);

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
    return tabs(text);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let isStale = false;
for (const [name, text] of [["viewmodel.js", erased], ["viewmodel.d.ts", declarations()]]) {
  if (process.argv[2] !== "--check") writeFileSync(folder + name, text);
  else if (readFileSync(folder + name, "utf8") !== text) {
    console.error(`${name} is stale: run .ci/javascript-runtime.mjs`);
    isStale = true;
  }
}
const size = Buffer.byteLength(erased);
console.log(`${size} bytes of runtime`);
process.exit(isStale || size > 44_600 ? 1 : 0);
