// What the generator writes: it loads in Node, and passes the strictest TypeScript.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
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

/** The contract that is hard on generators. */
function adversarial() {
  const script = fileURLToPath(new URL("../adversarial.py", import.meta.url));
  return JSON.parse(execFileSync("python3", [script], { maxBuffer: 1 << 26 }));
}

test("an adversarial contract loads in Node and passes tsc", { timeout: 120_000 }, async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "contract.json");
  const contract = adversarial();
  // An action and a child of one name would be one member of a class.
  delete contract["x-viewModels"].hard.children.class;
  writeFileSync(file, JSON.stringify(contract));
  const javascript = await generate("javascript", { file });
  const typescript = await generate("typescript", { file });
  const vm = await import(pathToFileURL(javascript).href);
  assert.equal(vm.contractHash, "f".repeat(64));
  const client = new vm.Client({}, vm.contractHash);
  assert.equal(client["hard-2"].id, "hard-2");
  assert.equal(client.close_.id, "close");
  assert.notEqual(client.hard.constructor, client.hArd.constructor);
  const taken = [
    "constructor", "then", "bind", "read", "close", "id", "connection", "toString", "toJSON", "valueOf", "hasOwnProperty",
  ];
  for (const name of Object.keys(contract["x-viewModels"].words.inputs)) {
    const method = taken.includes(name) ? `${name}_` : name;
    for (const owner of [client.words, client.calls]) assert.equal(typeof owner[method], "function", name);
  }
  assert.equal(await Promise.resolve(client.words).then((it) => it.id), "words", "an instance is no promise");
  const at = "2026-01-31T12:00:00.000Z";
  const raw = JSON.parse(`{"__proto__":"${at}","date":"${at}","big":7,"edge":7,"map":{"x":"${at}"},"union":["AA=="],
    "self":{"__proto__":"${at}","date":"${at}","tagged":{"kind":"b","at":"${at}"}},"tagged":{"kind":"a","at":"${at}"}}`);
  const value = client.calls.$convert("outputs", "converted", raw);
  const date = new Date(at);
  assert.deepEqual([value.date, value.self.date, value.map], [date, date, { x: date }]);
  assert.deepEqual([value.tagged.at, value.self.tagged.at, value.big, value.edge], [date, at, 7n, 7]);
  assert.deepEqual(value.union, [new Uint8Array(1)]);
  assert.deepEqual(Object.getOwnPropertyDescriptor(value, "__proto__").value, date);

  if (!tool(t, "tsc")) return;
  const use = join(dirname(javascript), "adversarial.ts");
  writeFileSync(use, `
    import { Client, HArd, connect, type Converted } from "./client.js";
    export async function use(client: Client, value: Converted): Promise<Date> {
      const binding = await client.hard.bind({ windows: { rows: { offset: 0, limit: 10 } } });
      const id: number | undefined = binding.picture.rows.rows[0]?.id;
      await client.words.delete("x", { retry: true });
      await client.hard.setAnything(value);
      await HArd.open(client, { any: [value, id] });
      const { converted } = await client.calls.read({ outputs: ["converted"] });
      return converted.self?.date ?? value.date;
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
  for (const client of [javascript, typescript]) {
    const program = join(dirname(client), "program.ts");
    copyFileSync(new URL("program.ts", import.meta.url), program);
    compile(program);
  }
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
