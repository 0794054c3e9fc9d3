// What a gateway serves: the files of the sources, and for a page few requests and bytes. Those that nobody generates are
// below 256 KB.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
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

test("all that a gateway serves is what stands in the sources, and is below 256 KB beside the generated client", options, async (t) => {
  const address = await startGateway(t);
  const sources = [...files(), ["viewmodel.js", readFileSync(runtime, "utf8")]];
  const paths = { "index.html": "", "app.html": "app/" };
  const served = await Promise.all(sources.map(async ([name]) => {
    const reply = await fetch(address + (paths[name] ?? name));
    assert.equal(reply.status, 200, name);
    return reply.text();
  }));
  // A page names its bundles, whose names have a hash.
  const plain = (text) => text.replace(/((?:src|href)="[\w./]+)-[0-9a-f]{12}\./g, "$1.");
  for (const [index, [name, text]] of sources.entries()) assert.equal(plain(served[index]), text, name);
  const bytes = sources.reduce((sum, [name, text]) => sum + (name === "client.js" ? 0 : Buffer.byteLength(text)), 0);
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes < 256 * 1024, `${bytes} bytes`);
});

test("a page is three requests and less than 80 KB, and its bundles are parsed", options, async (t) => {
  const address = await startGateway(t);
  for (const page of ["", "app/"]) {
    const html = await (await fetch(address + page)).text();
    const bundles = [...html.matchAll(/(?:src|href)="([\w./]+-[0-9a-f]{12}\.(?:js|css))"/g)].map(([, name]) => new URL(name, address + page));
    assert.equal(bundles.length, 2);
    let bytes = 0;
    for (const url of bundles) {
      const reply = await fetch(url);
      bytes += Number(reply.headers.get("content-length"));
      assert.deepEqual([reply.status, reply.headers.get("cache-control")], [200, "public, max-age=31536000, immutable"]);
      const text = await reply.text();
      if (url.pathname.endsWith(".js")) {
        assert.doesNotMatch(text, /^(import|export) /m);
        execFileSync(process.execPath, ["--input-type=module", "--check"], { input: text });
      }
    }
    t.diagnostic(`${page || "inspector"}: ${bytes} bytes`);
    assert.ok(bytes < 80 * 1024);
  }
});
