// Copied commands, in a real bash, and with the real viewmodelctl if VIEWMODELD names the daemon's program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { load } from "./support.mjs";

const { callCommand, openCommand, quote, readCommand, rpcCommand } = await load("ctl.js");
const { Schema } = await load("schema.js");

const folder = mkdtempSync(join(tmpdir(), "viewmodel-ctl-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "viewmodelctl"), "#!/bin/sh\nprintf '%s\\0' \"$@\"\n", { mode: 0o755 });

/** Runs a command in bash, in which viewmodelctl is a program that prints its arguments. */
function wordsOf(command) {
  const output = execFileSync("bash", ["--norc", "-c", command], { env: { PATH: `${folder}:${process.env.PATH}` } });
  return output.toString().split("\0").slice(0, -1);
}

const hostile = ["it's", "$(touch /tmp/x)", "`id`", "a\\b", "!!", "a;b|c&d>e<f", "\"", "*", "~", " ", "-5", "--session", "@file", "Größe 名前", "=", "x=y", "#", "'\"'\"'"];

test("bash reads each word as it was", () => {
  for (const word of [...hostile, "", "a\nb", "plain"]) assert.deepEqual(wordsOf(`viewmodelctl ${quote(word)}`), [word]);
});

test("texts are sent unchanged, and what a terminal would interpret is escaped JSON", () => {
  const schema = new Schema({ type: "string" });
  for (const value of hostile) {
    assert.deepEqual(wordsOf(callCommand({ session: "desk", method: "lab.ring", params: { value }, schema })), ["--session", "desk", "call", "lab.ring", `--text=${value}`]);
  }
  for (const value of ["a\nb", "\u001b[31m", "\u202e", "\u0003", "\u0000", "\ttab"]) {
    const command = callCommand({ session: "desk", method: "lab.ring", params: { value }, schema });
    assert.match(command, /^[\x20-\x7e]*$/);
    const [, , , , json] = wordsOf(command);
    assert.deepEqual(JSON.parse(json.replace(/^--json=/, "")), { value });
  }
});

test("options, outputs, windows and arguments", () => {
  assert.deepEqual(wordsOf(callCommand({ method: "lab.sleep", params: { milliseconds: 5 }, schema: new Schema({}), meta: { deadline: 50, key: "-k" } })), ["call", "lab.sleep", '--json={"milliseconds":5}', "--deadline", "50", "--key=-k"]);
  assert.deepEqual(wordsOf(readCommand("desk", "lab", "rows", 5, 20)), ["--session", "desk", "read", "lab", "rows", "--window", "rows=5,20"]);
  assert.deepEqual(wordsOf(openCommand("desk", "labPage", "a", { n: 12345678901234567890n })), ["--session", "desk", "open", "labPage", "--id", "a", '--json={"n":12345678901234567890}']);
  assert.deepEqual(wordsOf(rpcCommand("desk", "viewModel.list")), ["--session", "desk", "rpc", "viewModel.list"]);
});

test("a password is no part of a command", () => {
  const password = { type: "string", format: "password" };
  const credentials = { type: "object", properties: { account: { type: "string" }, password } };
  const single = callCommand({ session: "s", method: "login.password", params: { value: "hunter2" }, schema: new Schema(password) });
  const member = callCommand({ session: "s", method: "login.register", params: { account: "ada's", password: "hunter2" }, schema: new Schema(credentials) });
  assert.deepEqual(wordsOf(single).at(-1), "value=@-");
  assert.deepEqual(wordsOf(member).slice(-2), ['account:="ada\'s"', "password=@-"]);
  assert.ok(!(single + member).includes("hunter2"));
});

const { VIEWMODELD } = process.env;
test("the real viewmodelctl accepts each copied command", { skip: VIEWMODELD ? false : "VIEWMODELD is not set", timeout: 60_000 }, async (t) => {
  const { Daemon, viewmodelctl } = await import("../javascript/support.mjs");
  const daemon = await Daemon.start(t);
  const run = (command, input = "") => execFileSync("bash", ["--norc", "-c", command.replace(/^viewmodelctl/, quote(viewmodelctl))], { env: { ...process.env, VIEWMODELD_SOCKET: daemon.socket }, input }).toString();
  const call = (member, params, schema = {}, meta = {}) => run(callCommand({ session: "desk", method: `lab.${member}`, params, schema: new Schema(schema), meta }));
  for (const value of [...hostile, "", "a\nb", "\u001b[31m\u202e"]) {
    call("echo", { value });
    assert.equal(JSON.parse(run(readCommand("desk", "lab", "echoed"))).echoed, value);
    call("ring", { value }, { type: "string" });
  }
  call("set", { value: -5 });
  call("append", { value: 50 }, {}, { key: "-k" });
  assert.equal(JSON.parse(run(readCommand("desk", "lab", "rows", 10, 3))).rows.rows.length, 3);
  assert.equal(JSON.parse(call("sleep", { milliseconds: 1 }, {}, { deadline: 5000 })).slept, 1);
  assert.match(run(openCommand("desk", "labPage", "page-1", { title: "it's" })), /page-1/);
  assert.ok(JSON.parse(run(rpcCommand("desk", "viewModel.list"))).instances.length > 3);
  run(callCommand({ session: "desk", method: "login.password", params: { value: "x" }, schema: new Schema({ type: "string", format: "password" }) }), "hunter2hunter2\n");
});
