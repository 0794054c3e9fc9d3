// The generated client in a real browser: modules without a build, a WebSocket, a text field with an input method.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { Daemon, clientOf, clientPath, eventually, temporaryFolder, tool } from "./support.mjs";
import { relay } from "./websocket.mjs";

/** A page of a headless browser, driven by the DevTools protocol. */
async function openPage(t, browser, url) {
  const profile = temporaryFolder(t);
  const process = spawn(browser, [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0", `--user-data-dir=${profile}`, url,
  ], { stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => new Promise((resolve) => (process.on("exit", resolve), process.kill("SIGKILL"))));
  let log = "";
  process.stderr.on("data", (data) => (log += data));
  await eventually(() => /DevTools listening on ws:\/\/([^/]+)/.test(log), "the browser listens", 30_000);
  const [, host] = /DevTools listening on ws:\/\/([^/]+)/.exec(log);
  let page;
  await eventually(async () => (page = (await (await fetch(`http://${host}/json`)).json()).find((one) => one.url === url)), "the page opens", 30_000);
  const socket = new WebSocket(page.webSocketDebuggerUrl, []);
  await new Promise((resolve) => (socket.onopen = resolve));
  const replies = new Map();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data);
    replies.get(id)?.(result);
  };
  let last = 0;
  const send = (method, params = {}) => new Promise((resolve) => {
    replies.set(++last, resolve);
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  t.after(() => socket.close());
  return {
    send,
    evaluate: async (expression) => (await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result.value,
  };
}

test("a text field in a browser", { timeout: 120_000 }, async (t) => {
  const browser = tool(t, "chromium", "chromium-browser", "google-chrome");
  if (!browser) return;
  const daemon = await Daemon.start(t);
  const vm = await clientOf(daemon);
  const { url } = await relay(t, daemon.socket);
  const module = readFileSync(await clientPath(daemon));
  const html = `<!doctype html><meta charset=utf-8><input id=draft><script type=module>
    import { connect } from "./client.js";
    const client = await connect({ url: ${JSON.stringify(url)}, session: "desk" });
    const view = await client.sendList.bind({ outputs: ["draft"] });
    window.field = view.field("draft");
    window.client = client;
    field.attach(document.querySelector("#draft"));
    draft.focus();
    window.written = [];
    const { set, get } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    Object.defineProperty(draft, "value", { get, set(text) { written.push(text); set.call(this, text); } });
    window.isReady = true;
  </script>`;
  const server = createServer(({ url }, response) => {
    response.setHeader("content-type", url === "/client.js" ? "text/javascript" : "text/html");
    response.end(url === "/client.js" ? module : html);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections?.(), server.close()));
  const page = await openPage(t, browser, `http://127.0.0.1:${server.address().port}/`);
  await eventually(() => page.evaluate("window.isReady"), "the client is connected", 30_000);

  const node = await vm.connect({ socket: daemon.socket, session: "desk" });
  t.after(() => node.close());
  const view = await node.sendList.bind({ outputs: ["draft"] });

  for (const text of "hello") await page.send("Input.dispatchKeyEvent", { type: "char", text });
  await view.wait((picture) => picture.draft === "hello");

  // An input method composes 你好 while somebody else writes.
  await page.send("Input.imeSetComposition", { text: "ni", selectionStart: 2, selectionEnd: 2 });
  await node.sendList.draft("other");
  await page.send("Input.imeSetComposition", { text: "nihao", selectionStart: 5, selectionEnd: 5 });
  assert.deepEqual(await page.evaluate("written"), [], "nothing is rewritten during the composition");
  await page.send("Input.insertText", { text: "你好" });
  await view.wait((picture) => picture.draft === "hello你好");
  assert.equal(await page.evaluate("draft.value"), "hello你好");

  // What somebody else changes is shown, and the caret stays with its neighbours.
  await page.evaluate("field.settled()");
  await page.evaluate("draft.setSelectionRange(5, 5)");
  await node.sendList.draft("Oh, hello你好");
  await eventually(() => page.evaluate("draft.value === 'Oh, hello你好'"));
  assert.deepEqual(await page.evaluate("[draft.selectionStart, draft.selectionEnd]"), [9, 9]);
  assert.equal(await page.evaluate("client.connectionState"), "connected");
});
