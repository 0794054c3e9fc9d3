// What a gateway serves: all of it in less than 153 KB, and each script with all of its tokens.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { files, runtime } from "./support.mjs";

const { VIEWMODELD, VIEWMODEL_GATEWAY = VIEWMODELD && join(dirname(VIEWMODELD), "viewmodel-gateway") } = process.env;
const options = { skip: VIEWMODEL_GATEWAY ? false : "neither VIEWMODEL_GATEWAY nor VIEWMODELD is set", timeout: 60_000 };

/** Starts a gateway, and returns the address of its page. */
function startGateway(t) {
  const folder = mkdtempSync(join(tmpdir(), "viewmodel-served-"));
  const gateway = spawn(VIEWMODEL_GATEWAY, ["--socket", join(folder, "vm.sock"), "--listen", "127.0.0.1:0", "--runtime-directory", join(folder, "run")], { stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => {
    gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  return new Promise((resolve, reject) => {
    let log = "";
    gateway.on("exit", () => reject(new Error(`The gateway ended: ${log}`)));
    gateway.on("error", reject);
    gateway.stderr.on("data", (data) => {
      const [, page] = /page=(\S+)\s/.exec((log += data)) ?? [];
      if (page) resolve(page);
    });
  });
}

/** The tokens of modules, read by the parser that Node has in itself. */
function tokensOf(modules) {
  const read = `
    const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
    const tokens = (text) => {
      const all = [];
      parse(text, { ecmaVersion: "latest", sourceType: "module", onToken: ({ type, value }) => all.push(type.label + " " + String(value?.pattern ?? value)) });
      return all;
    };
    process.stdout.write(JSON.stringify(JSON.parse(require("fs").readFileSync(0)).map(tokens)));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--expose-internals", "-e", read], { input: JSON.stringify(modules), encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test("all that a gateway serves is below 153 KB, and its scripts are the programs of the sources", options, async (t) => {
  const address = await startGateway(t);
  const sources = [...files(), ["viewmodel.js", readFileSync(runtime, "utf8")]];
  const paths = { "index.html": "", "app.html": "app/" };
  const served = await Promise.all(sources.map(async ([name]) => {
    const reply = await fetch(address + (paths[name] ?? name));
    assert.equal(reply.status, 200, name);
    return reply.text();
  }));
  const bytes = served.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes < 153 * 1024, `${bytes} bytes`);
  const scripts = [...sources.keys()].filter((index) => sources[index][0].endsWith(".js"));
  const [before, after] = [scripts.map((index) => sources[index][1]), scripts.map((index) => served[index])].map(tokensOf);
  for (const [place, index] of scripts.entries()) {
    assert.ok(before[place].length > 50, sources[index][0]);
    assert.deepEqual(after[place], before[place], sources[index][0]);
  }
});
