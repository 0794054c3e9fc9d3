// What the tests share: a daemon, a generated client, random numbers with a seed.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** The programs. `VIEWMODELD` is the path of the daemon; the command line is beside it. */
export const viewmodeld = process.env.VIEWMODELD;
if (!viewmodeld) throw new Error("Set VIEWMODELD to the path of the daemon");
export const viewmodelctl = process.env.VIEWMODELCTL ?? join(dirname(viewmodeld), "viewmodelctl");

/**
 * Whether a program is installed. Without it a test is skipped: `if (!tool(t, "tsc")) return;`. With REQUIRE_ALL=1 it
 * fails.
 */
export function tool(t, name) {
  if (spawnSync(name, ["--version"]).status === 0) return true;
  const reason = `${name} is not installed`;
  assert.ok(/^0?$/.test(process.env.REQUIRE_ALL ?? ""), reason);
  t.skip(reason);
  return false;
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until a condition holds. */
export async function eventually(condition, what = String(condition), timeout = 10_000) {
  const end = Date.now() + timeout;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await pause(2);
  }
}

/**
 * Waits until a client is in a state. A state that lasts for a moment only is seen as well, if the wait begins before its
 * cause or in the same turn.
 */
export async function reached(client, state, timeout = 10_000) {
  if (client.connectionState === state) return;
  let off, timer;
  await new Promise((resolve, reject) => {
    off = client.on("state", (now) => now === state && resolve());
    timer = setTimeout(() => reject(new Error(`never ${state}, but ${client.connectionState}`)), timeout);
  }).finally(() => (off(), clearTimeout(timer)));
}

/** A folder that is removed at the end of a test. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), "viewmodel-js-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A daemon with the lab, which can be killed and started again with its state. */
export class Daemon {
  constructor(folder, ...options) {
    this.socket = join(folder, "vm.sock");
    this.options = ["--lab", "--socket", this.socket, "--state-directory", join(folder, "state"), ...options];
  }

  static async start(t, ...options) {
    const daemon = new Daemon(temporaryFolder(t), ...options);
    t.after(() => daemon.kill());
    await daemon.start();
    return daemon;
  }

  async start() {
    this.process = spawn(viewmodeld, this.options, { stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    this.process.stderr.on("data", (data) => (log += data));
    const exited = new Promise((_, reject) => this.process.on("exit", () => reject(new Error(`The daemon ended: ${log}`))));
    exited.catch(() => {});
    await Promise.race([exited, eventually(() => this.isListening(), "the daemon listens")]);
  }

  isListening() {
    return new Promise((resolve) => {
      const socket = createConnection(this.socket, () => (socket.destroy(), resolve(true)));
      socket.on("error", () => resolve(false));
    });
  }

  async kill(signal = "SIGKILL") {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = new Promise((resolve) => this.process.on("exit", resolve));
    this.process.kill(signal);
    await exited;
  }
}

const generated = new Map();

/** Generates the client of a daemon, or of a contract, and imports it. */
export async function generate(language, from) {
  const key = language + (from.file ?? "");
  if (!generated.has(key)) {
    const folder = mkdtempSync(join(tmpdir(), "viewmodel-client-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const output = join(folder, language === "typescript" ? "client.ts" : "client.js");
    const source = from.socket ? ["--socket", from.socket] : ["--from", from.file];
    execFileSync(viewmodelctl, ["generate", language, ...source, "--output", output]);
    generated.set(key, output);
  }
  return generated.get(key);
}

/** The module of the client that is generated for the contract of the daemon. */
export async function clientOf(daemon) {
  path ??= process.env.CLIENT ?? (await generate("javascript", { socket: daemon.socket }));
  return import(pathToFileURL(path).href);
}
let path;

/** Random numbers that a seed determines (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  next.below = (end) => Math.floor(next() * end);
  next.of = (list) => list[next.below(list.length)];
  return next;
}

/**
 * A daemon that answers each request by a function, and a client of it. It answers attaches itself, unless `options.attach`.
 */
export async function scriptedDaemon(vm, t, answer, options = {}) {
  const socket = join(temporaryFolder(t), "s");
  const received = [];
  const server = createServer((connection) => {
    let rest = "";
    connection.on("error", () => {});
    connection.setEncoding("utf8").on("data", (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        received.push(line);
        const { id, method, params } = JSON.parse(line);
        const send = (message) => connection.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
        if (method === "session.attach" && !options.attach) send({ id, result: { session: "s", epoch: "e" } });
        else answer({ id, method, params, send, connection });
      }
    });
  });
  await new Promise((resolve) => server.listen(socket, resolve));
  const client = new vm.Connection({ socket, session: "s", backoff: { initial: 1, maximum: 5 }, ...options }, "");
  await client.start();
  t.after(() => (client.close(), server.close()));
  return { client, received };
}
