// What the kits of React and of the DOM do without a browser.
import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { FaultProxy } from "./fault-proxy.mjs";
import { Daemon, clientOf, eventually, generate, reached, temporaryFolder } from "./support.mjs";

const vm = await clientOf(await Daemon.start({ after }));
const folder = temporaryFolder({ after });
const kit = (name) => {
  copyFileSync(new URL(`../../../Sources/ClientGenerators/Runtimes/viewmodel-${name}.js`, import.meta.url), join(folder, `${name}.mjs`));
  return import(pathToFileURL(join(folder, `${name}.mjs`)).href);
};
const { bindAction } = await kit("dom");
const { hooks } = await kit("react");

/** A client on a line that can be cut. */
async function arrange(t) {
  const daemon = await Daemon.start(t);
  const line = await FaultProxy.start(t, daemon.socket);
  const client = vm.start({ socket: line.socket, session: "kits", backoff: { initial: 1, maximum: 20 } });
  t.after(() => client.close());
  await reached(client, "connected");
  return { daemon, line, client };
}

/** Renders one component as React does: hooks in order, effects after a render, and again when a state changes. */
function component(t, body) {
  const slots = [];
  let next, effects;
  const isEqual = (one, other) => one.every((value, index) => Object.is(value, other[index]));
  const slot = (initial) => (slots[next++] ??= initial());
  const React = {
    useState(first) {
      const own = slot(() => ({ value: first }));
      return [own.value, (value) => ((own.value = value), it.render())];
    },
    useMemo(make, keys) {
      const own = slot(() => ({ value: make(), keys }));
      if (!isEqual(own.keys, keys)) Object.assign(own, { value: make(), keys });
      return own.value;
    },
    useCallback: (call, keys) => React.useMemo(() => call, keys),
    useRef: (first) => slot(() => ({ current: first })),
    useEffect(effect, keys) {
      const own = slot(() => ({}));
      if (keys && own.keys && isEqual(own.keys, keys)) return;
      own.keys = keys;
      effects.push(() => {
        own.off?.();
        own.off = effect();
      });
    },
    useSyncExternalStore(subscribe, get, getOnServer) {
      const own = slot(() => ({}));
      assert.deepEqual(typeof getOnServer(), typeof get());
      if (own.subscribe !== subscribe) effects.push(() => {
        own.off?.();
        own.subscribe = subscribe;
        own.off = subscribe(() => it.render());
      });
      return get();
    },
  };
  const kit = hooks(React);
  const it = {
    render(props = it.props) {
      it.props = props;
      [next, effects] = [0, []];
      it.shown = body(kit, props);
      it.first ??= it.shown;
      effects.forEach((effect) => effect());
    },
    end: () => slots.forEach(({ off }) => off?.()),
  };
  t.after(it.end);
  return it;
}

test("a click after a text fails when the line goes, and does nothing later", async (t) => {
  globalThis.CustomEvent ??= class extends Event {
    constructor(type, { detail }) {
      super(type);
      this.detail = detail;
    }
  };
  const { line, client } = await arrange(t);
  const failures = [];
  const button = Object.assign(new EventTarget(), { setAttribute() {}, dataset: {} });
  button.addEventListener("failure", ({ detail }) => failures.push(detail));
  let asked = 0;
  const off = bindAction(button, client.sendList, "add", () => ((asked += 1), []));
  t.after(off);
  const draft = client.sendList.hold({ outputs: ["draft", "items"] }).field("draft");
  draft.edit("x");
  await draft.settled();
  await eventually(() => !button.disabled);
  line.stall();
  draft.edit("pay 100");
  button.dispatchEvent(new Event("click"));
  assert.equal(asked, 1, "the values are those of the click");
  line.cut();
  await eventually(() => failures.length === 1);
  assert.ok(failures[0] instanceof vm.OutcomeUnknown, String(failures[0]));
  await draft.settled();
  const { draft: text, items } = await client.sendList.read({ outputs: ["draft", "items"] });
  assert.deepEqual([text, items], ["pay 100", []]);
});

test("hooks: a list before its rows, the error of one action, and each problem of the connection", async (t) => {
  const { line, client } = await arrange(t);
  const list = component(t, ({ useRows }) => useRows(client.lab, "rows"));
  list.render();
  assert.equal(list.first.at(0), undefined);

  const action = component(t, ({ useAction }, { model, name }) => useAction(model, name));
  action.render({ model: client.lab, name: "fail" });
  await action.shown.run({ error: "boom" });
  assert.ok(action.shown.error instanceof vm.ActionFailedError, String(action.shown.error));
  action.render({ model: client.calculator, name: "undo" });
  assert.equal(action.shown.error, undefined);

  const connection = component(t, ({ useConnection }) => useConnection(client));
  connection.render();
  line.target += ".nobody";
  line.cut();
  await reached(client, "offline");
  const { problem } = client;
  let losses = 0;
  client.on("lost", () => (losses += 1));
  await eventually(() => losses > 3);
  assert.equal(connection.shown.problem, client.problem);
  assert.equal(connection.shown.state, "offline");
  assert.ok(problem === undefined || problem !== client.problem);
});

test("hooks: events reach the listener of the last render, until the component is gone", async (t) => {
  const { client } = await arrange(t);
  const heard = [];
  const listen = (name) => (value) => heard.push([name, value]);
  const events = component(t, ({ useEvent }, listener) => useEvent(client.lab, "bell", listener));
  events.render(listen("first"));
  // Events before a binding are for nobody.
  const all = await client.lab.bind({ outputs: ["bell"] });
  let rings = 0;
  all.on("event", () => (rings += 1));
  const ring = async (text) => {
    const before = rings;
    await client.lab.ring(text);
    await eventually(() => rings > before);
  };
  await ring("a");
  await eventually(() => heard.length === 1);
  events.render(listen("second"));
  await ring("b");
  await eventually(() => heard.length === 2);
  events.end();
  await ring("c");
  assert.deepEqual(heard, [["first", "a"], ["second", "b"]]);
});

test("hooks: the reason of a refusal remains until the next change", async (t) => {
  const { client } = await arrange(t);
  const word = component(t, ({ useField }) => useField(client.lab, "word"));
  word.render();
  word.shown.set("a");
  await client.$settled("lab");
  word.shown.set("a1");
  assert.equal(word.shown.value, "a1");
  await client.$settled("lab");
  assert.equal(word.shown.value, "a");
  assert.match(word.shown.error.message, /without digits/);
  word.shown.set("ab");
  assert.deepEqual([word.shown.value, word.shown.error], ["ab", undefined]);
});

test("hooks: a number that was set remains until the ViewModel has answered", async (t) => {
  const contract = join(folder, "contract.yaml");
  writeFileSync(contract, `
x-viewModels:
  player:
    inputs: {speed: {schema: {type: number, minimum: 0, maximum: 3}, field: true}}
    outputs: {speed: {schema: {type: number, minimum: 0, maximum: 3}}}
`);
  const daemon = new Daemon(folder);
  daemon.options = ["--mock", contract, "--socket", daemon.socket];
  t.after(() => daemon.kill());
  await daemon.start();
  const { start } = await import(pathToFileURL(await generate("javascript", { file: contract })).href);
  const line = await FaultProxy.start(t, daemon.socket);
  const client = start({ socket: line.socket });
  t.after(() => client.close());
  const speed = component(t, ({ useField }) => useField(client.player, "speed"));
  speed.render();
  assert.equal(speed.shown.value, "");
  await eventually(() => speed.shown.value === 0);
  const other = await client.player.bind();
  line.stall();
  for (const value of [0.5, 1, 1.5]) {
    speed.shown.set(value);
    assert.equal(speed.shown.value, value);
  }
  line.cut();
  await other.wait(({ speed }) => speed === 1.5);
  speed.shown.set(9);
  assert.equal(speed.shown.value, 9);
  await eventually(() => speed.shown.value === 1.5);
  assert.ok(speed.shown.error, "it was refused");
  speed.shown.set(0);
  await client.$settled("player");
  assert.deepEqual([speed.shown.value, speed.shown.error], [0, undefined]);
});
