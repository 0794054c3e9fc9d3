// What the kits of React and of the DOM do without a browser.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { FaultProxy } from "./fault-proxy.mjs";
import { Daemon, clientOf, eventually, reached, temporaryFolder } from "./support.mjs";

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
  };
  t.after(() => slots.forEach(({ off }) => off?.()));
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
  assert.ok(failures[0] instanceof vm.NotConnected, String(failures[0]));
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
