// What the generator writes: it loads in Node, and passes the strictest TypeScript.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Daemon, generate, temporaryFolder, tool, viewmodelctl } from "./support.mjs";

const strict = [
  "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noImplicitOverride", "--noImplicitReturns",
  "--noPropertyAccessFromIndexSignature", "--noFallthroughCasesInSwitch", "--noUnusedLocals", "--noUnusedParameters",
  "--isolatedModules", "--forceConsistentCasingInFileNames", "--target", "es2022", "--module", "es2022",
  "--moduleResolution", "node", "--noEmit",
];

/** Fails with the compiler's messages. */
function compile(...files) {
  const { status, stdout } = spawnSync("tsc", [...strict, ...files], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
}

const keywords = [
  "abstract", "and", "any", "arguments", "as", "async", "await", "bool", "break", "case", "catch", "class", "const",
  "constructor", "continue", "def", "default", "del", "delete", "do", "elif", "else", "enum", "eval", "except", "export",
  "extends", "extension", "false", "final", "finally", "for", "from", "func", "function", "get", "global", "guard", "if",
  "implements", "import", "in", "init", "inout", "instanceof", "interface", "is", "lambda", "let", "module", "new", "nil",
  "none", "nonlocal", "not", "null", "number", "object", "open", "operator", "or", "package", "pass", "print", "private",
  "protected", "protocol", "public", "raise", "repeat", "rethrows", "return", "self", "set", "static", "string", "struct",
  "subscript", "super", "switch", "symbol", "this", "throw", "throws", "toString", "true", "try", "type", "typeof",
  "undefined", "unknown", "var", "void", "where", "while", "with", "yield", "then", "name", "length", "prototype", "bind",
  "read", "close", "id", "connection", "on", "emit", "request", "call", "send", "toJSON", "valueOf", "hasOwnProperty",
];

/** A contract with everything that a generator trips over. */
function adversarial() {
  const nasty = 'Ends */ here, `${code}`, "quotes", \'single\', \\ back\\slash, \u202eright to left\u202c, \u2028, 𝄞 你好, <b>, @deprecated\n\n// and */ again\n';
  const objects = (depth) => depth === 0
    ? { type: "object", properties: {}, additionalProperties: false }
    : { type: "object", required: ["in"], properties: { in: objects(depth - 1), at: { type: "string", format: "date-time" } } };
  const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
  const everything = {
    type: "object",
    required: ["class", "with-dash", "__proto__", "date"],
    properties: {
      class: { type: "string", description: nasty }, "with-dash": { type: "integer" }, "": { type: "boolean" },
      "1st": { type: "number" }, 'quo"te': { type: "null" }, date: { type: "string", format: "date-time" },
      data: { type: "string", contentEncoding: "base64" }, amount: { type: "string", format: "decimal" },
      big: { type: "integer", minimum: 0, maximum: 18446744073709551615 }, edge: { type: "integer", minimum: -(2 ** 53), maximum: 2 ** 53 }, any: {},
      map: { type: "object", additionalProperties: { type: "string", format: "date-time" } },
      self: { anyOf: [ref("Everything"), { type: "null" }] }, list: { type: "array", items: { type: "array", items: ref("everything") } },
      union: { anyOf: [{ type: "string" }, { type: "integer" }, { type: "array", items: { type: "string", format: "byte" } }, { type: "null" }] },
      tagged: { oneOf: [
        { type: "object", required: ["kind", "at"], properties: { kind: { const: "a" }, at: { type: "string", format: "date-time" } } },
        { type: "object", required: ["kind", "at"], properties: { kind: { const: "b" }, at: { type: "string" } } },
      ] },
      level: { type: "integer", enum: [1, 2, -3] }, mixed: { enum: ["a", 1, null, true] }, quoted: { enum: ['"', "\\", "*/", "\n", "`${x}`"] },
    },
  };
  // `__proto__` as an own member.
  Object.defineProperty(everything.properties, "__proto__", { value: { type: "string", format: "date-time" }, enumerable: true });
  const members = Object.fromEntries(keywords.map((name) => [name, { schema: { type: "string" }, description: nasty }]));
  const many = (prefix, value) => Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${prefix}${index}`, value]));
  return {
    openrpc: "1.3.2",
    info: { title: "evil\n// daemon */", version: "1", "x-contract": "f".repeat(64) },
    methods: [],
    components: { schemas: {
      Everything: everything, everything: { type: "object", properties: {} }, EVERYTHING: { type: "string" }, Date: { type: "string", format: "date-time" },
      Promise: { type: "boolean" }, Connection: { type: "integer" }, date: ref("Date"), Client: { enum: ["x"] }, "a.b-c_d": { type: "null" }, "1": {},
      Deep: objects(30), string: { type: "string" }, Lab: { type: "string" }, LabPicture: { type: "string" },
    } },
    "x-viewModels": {
      keywords: { description: nasty, inputs: members },
      actions: { actions: Object.fromEntries(keywords.map((name) => [name, { params: { type: "object", properties: { [name]: { type: "string" } } }, description: nasty, errors: [{ error: name, description: nasty }] }])) },
      many: { inputs: many("input", { schema: { type: "integer" } }), outputs: many("output", { kind: "state", schema: ref("Everything") }), actions: many("action", { result: ref("Everything") }) },
      lab: { inputs: { set: { schema: { type: "integer" } }, seT: { schema: { type: "integer" } } }, outputs: { draft: { kind: "state", schema: { type: "string" } } } },
      Lab: {}, LAB: {}, empty: {}, anything: { arguments: {} }, something: { arguments: true }, connect: {}, "my-type": {}, my_type: {}, class: {}, close: {}, constructor: {}, then: {}, Promise: {}, Error: {},
      nested: { arguments: objects(5), inputs: { deep: { schema: ref("Deep") }, nothing: {}, all: { schema: ref("Everything") } },
        outputs: { rows: { kind: "list", schema: { type: "array", items: { type: "object", required: ["id"], properties: { id: { type: "integer" }, at: { type: "string", format: "date-time" } } } } }, rung: { kind: "event", schema: ref("Date") } },
        actions: { go: { params: objects(3), result: { anyOf: [ref("Everything"), { type: "null" }] }, errors: [{ error: "full-up", description: nasty, details: ref("Everything") }] } } },
    },
  };
}

test("an adversarial contract loads in Node and passes tsc", { timeout: 120_000 }, async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "contract.json");
  writeFileSync(file, JSON.stringify(adversarial()));
  const javascript = await generate("javascript", { file });
  const typescript = await generate("typescript", { file });
  const vm = await import(pathToFileURL(javascript).href);
  assert.equal(vm.contractHash, "f".repeat(64));
  const client = new vm.Client({}, vm.contractHash);
  assert.equal(client["my-type"].id, "my-type");
  assert.equal(client.close_.id, "close");
  assert.equal(client.Lab.constructor, vm.Lab_);
  assert.notEqual(client.lab.constructor, client.Lab.constructor);
  for (const name of keywords) {
    const method = ["constructor", "then", "bind", "read", "close", "id", "connection", "toString", "toJSON", "valueOf", "hasOwnProperty"].includes(name) ? `${name}_` : name;
    assert.equal(typeof client.keywords[method], "function", name);
  }
  assert.equal(await Promise.resolve(client.keywords).then((it) => it.id), "keywords", "an instance is no promise");
  const at = "2026-01-31T12:00:00.000Z";
  const raw = JSON.parse(`{"class":"c","with-dash":1,"__proto__":"${at}","date":"${at}","data":"AP8=","amount":"1.50","big":7,"edge":7,"map":{"x":"${at}"},
    "self":{"class":"d","with-dash":2,"__proto__":"${at}","date":"${at}","tagged":{"kind":"b","at":"${at}"}},"union":["AA=="],"tagged":{"kind":"a","at":"${at}"}}`);
  const value = client.many.$convert("outputs", "output0", raw);
  const date = new Date(at);
  assert.deepEqual([value.date, value.self.date, value.map, value.tagged.at, value.self.tagged.at, value.big, value.edge], [date, date, { x: date }, date, at, 7n, 7]);
  assert.deepEqual([value.data, value.union, value.amount], [new Uint8Array([0, 255]), [new Uint8Array(1)], "1.50"]);
  assert.deepEqual(Object.getOwnPropertyDescriptor(value, "__proto__").value, date);

  if (!tool(t, "tsc")) return;
  const use = join(dirname(javascript), "adversarial.ts");
  writeFileSync(use, `
    import { Anything, Client, connect, Something, type Everything } from "./client.js";
    export async function use(client: Client, value: Everything): Promise<Date> {
      const binding = await client.nested.bind({ windows: { rows: { offset: 0, limit: 10 } } });
      const at: Date | undefined = binding.picture.rows.rows[0]?.at;
      await client.keywords.delete("x", { retry: true });
      await client.nested.all(value);
      await Anything.open(client, { any: [value] });
      await Something.open(client);
      return at ?? (await client.nested.go({ in: { in: { in: {} } } }))?.date ?? value.date;
    }
    void connect({ url: "wss://host" });
  `);
  compile(use);
  compile(typescript);
});

test("a TypeScript program with the client of the daemon is checked as its author expects", { timeout: 120_000 }, async (t) => {
  if (!tool(t, "tsc")) return;
  const daemon = await Daemon.start(t);
  const javascript = await generate("javascript", { socket: daemon.socket });
  const typescript = await generate("typescript", { socket: daemon.socket });
  compile(typescript);
  const folder = temporaryFolder(t);
  copyFileSync(javascript, join(folder, "client.js"));
  copyFileSync(javascript.replace(/\.js$/, ".d.ts"), join(folder, "client.d.ts"));
  copyFileSync(new URL("program.ts", import.meta.url), join(folder, "program.ts"));
  compile(join(folder, "program.ts"));
  // The same program with the TypeScript client.
  const other = temporaryFolder(t);
  copyFileSync(typescript, join(other, "client.ts"));
  copyFileSync(new URL("program.ts", import.meta.url), join(other, "program.ts"));
  compile(join(other, "program.ts"));
});

test("a client looks for its own daemon, unless the environment or the program names a socket", async (t) => {
  const folder = temporaryFolder(t);
  const { getuid, env } = process;
  t.after(() => Object.assign(process, { getuid, env }));
  process.getuid = () => 1000;
  for (const [title, daemon] of [["lamps", "lamps"], ["", "viewmodeld"]]) {
    const file = join(folder, `${daemon}.json`);
    writeFileSync(file, JSON.stringify({ ...adversarial(), info: { title, version: "1" } }));
    const vm = await import(pathToFileURL(await generate("javascript", { file })).href);
    const seeks = (address, options) => assert.rejects(vm.connect({ timeout: 50, ...options }), { address });
    process.env = { ...env, XDG_RUNTIME_DIR: folder, VIEWMODELD_SOCKET: "" };
    await seeks(join(folder, daemon, `${daemon}.sock`));
    process.env.VIEWMODELD_SOCKET = "/named";
    await seeks("/named");
    await seeks("/other", { socket: "/other" });
  }
});

test("--check tells a client that is stale", async (t) => {
  const daemon = await Daemon.start(t);
  const output = await generate("javascript", { socket: daemon.socket });
  const check = () => spawnSync(viewmodelctl, ["generate", "javascript", "--socket", daemon.socket, "--output", output, "--check"]).status;
  assert.equal(check(), 0);
  const declarations = output.replace(/\.js$/, ".d.ts");
  const text = readFileSync(declarations);
  writeFileSync(declarations, "stale");
  assert.equal(check(), 1);
  writeFileSync(declarations, text);
  assert.equal(check(), 0);
  assert.deepEqual(execFileSync(viewmodelctl, ["generate", "javascript", "--socket", daemon.socket]), readFileSync(output));
});
