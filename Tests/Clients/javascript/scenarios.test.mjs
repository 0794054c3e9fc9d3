// The scenario table of generated clients, against the real daemon: over its Unix socket, and over WebSockets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FaultProxy } from "./fault-proxy.mjs";
import { Daemon, clientOf, eventually, pause, reached } from "./support.mjs";
import { relay } from "./websocket.mjs";

/** A daemon, a way to it that can be cut, and the generated module. */
async function arrange(t, way) {
  const daemon = await Daemon.start(t);
  const vm = await clientOf(daemon);
  const line = way === "socket" ? await FaultProxy.start(t, daemon.socket) : await relay(t, daemon.socket);
  const connect = async (options = {}) => {
    const client = await vm.connect({ socket: line.socket, url: line.url, session: "desk", backoff: { initial: 5, maximum: 50 }, ...options });
    t.after(() => client.close());
    return client;
  };
  return { daemon, vm, line, connect };
}

/** The way to the daemon, on which the notification that the session was closed has other params. */
function retold(vm, line, params) {
  const transport = line.url ? vm.webSocket(line.url) : vm.unixSocket(line.socket);
  return ({ message, closed }) => transport({
    closed,
    message: (text) => {
      const value = JSON.parse(text);
      message(value.method === "session.closed" ? JSON.stringify({ ...value, params: { ...value.params, ...params } }) : text);
    },
  });
}

const scenarios = {
  "bind has the first picture, and an input's effects are there when it returns": async ({ connect }) => {
    const { lab } = await connect();
    const binding = await lab.bind({ outputs: ["value", "double", "rows"] });
    assert.deepEqual(binding.picture, { value: 0, double: 0, rows: [] });
    const { seq } = await lab.set(21);
    assert.equal(binding.picture.double, 42);
    assert.equal(binding.seq, seq);
    assert.deepEqual(await lab.read({ outputs: ["value"] }), { value: 21 });
  },

  "edits of a list keep rows that did not change": async ({ connect }) => {
    const { lab } = await connect();
    const binding = await lab.bind({ outputs: ["rows"] });
    await lab.append(100);
    const before = binding.picture.rows;
    await lab.update({ id: 50, text: "ä €  𝄞" });
    await lab.move({ from: 0, to: 99 });
    await lab.removeRows([2, 3]);
    assert.equal(binding.picture.rows.length, 98);
    assert.equal(binding.picture.rows.at(-1), before[0]);
    assert.equal(binding.picture.rows.find((row) => row.id === 50).text, "ä €  𝄞");
    assert.equal(before.length, 100);
    assert.deepEqual(binding.picture, await lab.read({ outputs: ["rows"] }));
  },

  "a window scrolls by one call": async ({ connect }) => {
    const { lab } = await connect();
    await lab.append(1000);
    const binding = await lab.bind({ outputs: ["rows"], windows: { rows: { offset: 0, limit: 3 } } });
    assert.deepEqual(binding.picture.rows.rows.map((row) => row.id), [1, 2, 3]);
    await binding.scroll("rows", 500);
    assert.deepEqual({ ...binding.picture.rows, rows: binding.picture.rows.rows.map((row) => row.id) }, { offset: 500, count: 1000, rows: [501, 502, 503] });
    await Promise.all([100, 200, 300].map((offset) => binding.scroll("rows", offset, 2).catch(() => {})));
    await eventually(() => binding.picture.rows.offset === 300);
    assert.deepEqual(binding.picture.rows.rows.map((row) => row.id), [301, 302]);
    await lab.update({ id: 302, text: "seen" });
    assert.equal(binding.picture.rows.rows[1].text, "seen");
  },

  "events come once and in order, apart from the picture": async ({ connect }) => {
    const { lab } = await connect();
    const binding = await lab.bind();
    const events = [];
    binding.on("event", (event) => events.push(event));
    for (const text of ["a", "b", "c"]) await lab.ring(text);
    assert.deepEqual(events, ["a", "b", "c"].map((value) => ({ output: "bell", value })));
    assert.ok(!("bell" in binding.picture));
  },

  "a prompt is answered": async ({ connect }) => {
    const client = await connect();
    const prompts = await client.prompter.bind({ outputs: ["pending"] });
    const answer = client.lab.ask({ title: "Really?" });
    const { pending } = await prompts.wait((picture) => picture.pending.length === 1);
    assert.equal(pending[0].title, "Really?");
    await client.prompter.answer({ id: pending[0].id, button: "ok" });
    assert.deepEqual(await answer, { button: "ok" });
    await prompts.wait((picture) => picture.pending.length === 0);
    await assert.rejects(client.prompter.answer({ id: pending[0].id, button: "ok" }), { error: "alreadyAnswered" });
  },

  "each error of the protocol has its class": async ({ connect, vm }) => {
    const client = await connect();
    const { lab, calculator } = client;
    const stop = new AbortController();
    const long = lab.sleep({ milliseconds: 60_000 }, { signal: stop.signal });
    const sleeping = assert.rejects(long, { name: "AbortError" });
    await assert.rejects(lab.sleep({ milliseconds: 1 }), vm.ActionExecutingError);
    stop.abort();
    await sleeping;
    await assert.rejects(calculator.undo(), (error) => error instanceof vm.ActionDisabledError && error.data.action === "undo");
    await assert.rejects(lab.update({ id: 77, text: "x" }), (error) => error instanceof vm.InvalidParamsError && error.data.path === "/id");
    await assert.rejects(client.call("lab.sett", { value: 1 }), (error) => error instanceof vm.MethodNotFoundError && error.data.suggestions.includes("set"));
    await assert.rejects(client.call("viewModel.read", { id: "nobody" }), vm.NotFoundError);
    await assert.rejects(lab.trap(), (error) => error instanceof vm.InternalError && error.incident.length > 0);
    await assert.rejects(lab.fail({ error: "teapot", retryable: true }), (error) => error instanceof vm.ActionFailedError && error.error === "teapot" && error.retryable);
    await assert.rejects(client.call("lab.sleep", { milliseconds: 1, nonsense: 1 }), vm.InvalidParamsError);
    await assert.rejects(lab.echo("x".repeat(2 << 20)), vm.MessageTooLargeError);
    assert.equal((await lab.read({ outputs: ["echoed"] })).echoed, null);
  },

  "an AbortSignal cancels the request": async ({ connect }) => {
    const { lab } = await connect();
    const binding = await lab.bind({ outputs: ["sleep.executing"] });
    const abort = new AbortController();
    const sleeping = lab.sleep({ milliseconds: 60_000 }, { signal: abort.signal });
    await binding.wait((picture) => picture["sleep.executing"]);
    abort.abort();
    await assert.rejects(sleeping, { name: "AbortError" });
    await binding.wait((picture) => !picture["sleep.executing"]);
    await assert.rejects(lab.set(5, { signal: abort.signal }), { name: "AbortError" });
    assert.deepEqual(await lab.read({ outputs: ["value"] }), { value: 0 });
  },

  "a deadline and a timeout end an action": async ({ connect, vm }) => {
    const { lab } = await connect();
    const binding = await lab.bind({ outputs: ["sleep.executing"] });
    await assert.rejects(lab.sleep({ milliseconds: 60_000 }, { deadline: 50 }), (error) => error instanceof vm.DeadlineExceededError && error.data.deadline === 50);
    await assert.rejects(lab.sleep({ milliseconds: 60_000 }, { timeout: 50 }), vm.TimedOut);
    await binding.wait((picture) => !picture["sleep.executing"]);
    await assert.rejects(binding.wait(() => false, { timeout: 20 }), vm.TimedOut);
  },

  "after a loss, bindings go on where they were": async ({ connect, line }) => {
    const states = [];
    const client = await connect({ on: { state: (state) => states.push(state) } });
    const other = await connect();
    const binding = await client.lab.bind();
    const events = [];
    binding.on("event", ({ value }) => events.push(value));
    await client.lab.append(50);
    for (let round = 0; round < 5; round++) {
      line.cut();
      await reached(client, "connecting");
      for (let ring = 0; ring < 3; ring++) await other.lab.ring(`${round}.${ring}`).catch(() => {});
      await other.lab.set(round + 1);
      await binding.wait((picture) => picture.value === round + 1);
    }
    assert.deepEqual(events, [...new Set(events)], "no event comes twice");
    assert.deepEqual(binding.picture, { ...binding.picture, ...(await other.lab.read()) });
    assert.equal(states[0], "connected");
    assert.ok(states.includes("connecting"));
  },

  "after a restart of the daemon, what is restored is shown": async ({ connect, daemon }) => {
    const client = await connect();
    const binding = await client.calculator.bind({ outputs: ["led", "operations"] });
    for (const key of ["1", "2", "+", "3", "="]) await client.calculator.press(key);
    assert.equal(binding.picture.led, "15");
    const { epoch } = binding;
    await client.coordinator.open({ scene: "help" }); // An action is answered when the session is saved.
    await daemon.kill();
    await daemon.start();
    await eventually(() => binding.epoch !== epoch);
    assert.equal(binding.picture.led, "15");
    await client.calculator.press("7");
    assert.equal(binding.picture.led, "7");
  },

  "calls wait for the connection": async ({ connect, daemon, vm }) => {
    const client = await connect();
    await Promise.all([reached(client, "connecting"), daemon.kill()]);
    await assert.rejects(client.lab.set(1, { timeout: 30 }), vm.TimedOut);
    const waiting = client.lab.set(2);
    await daemon.start();
    await waiting;
    assert.deepEqual(await client.lab.read({ outputs: ["value"] }), { value: 2 });
  },

  ...Object.fromEntries(["closed", "failed"].map((reason) => [`after a session is ${reason}, the client begins a new one of its name`, async ({ connect, vm, line }) => {
    const told = [];
    const states = [];
    const client = await connect({
      transport: retold(vm, line, { reason }),
      on: { sessionClosed: (notice) => told.push(notice.reason), state: (state) => states.push(state) },
    });
    const own = await vm.Lab.open(client, "own");
    await (await vm.Lab.open(client, "former")).close();
    const binding = await own.bind({ outputs: ["value", "sleep.executing"] });
    const field = (await client.sendList.bind({ outputs: ["draft"] })).field("draft");
    field.edit("old");
    await field.settled();
    const { epoch } = binding;
    await own.set(21);
    const calls = [own.sleep({ milliseconds: 60_000 }), own.sleepConcurrent({ milliseconds: 60_000 }, { retry: true })].map((call) => call.catch((error) => error));
    await binding.wait((picture) => picture["sleep.executing"]);
    const other = await connect({ session: "other" });
    await other.call("session.close", { session: "desk" });
    // The daemon may have answered that it cancelled the action. In no case it runs again.
    for (const error of await Promise.all(calls)) assert.ok(error instanceof vm.OutcomeUnknown || error instanceof vm.CancelledError, error);
    await eventually(() => binding.epoch !== epoch);
    assert.deepEqual(binding.picture, { value: 0, "sleep.executing": false });
    await eventually(async () => (await client.sendList.read({ outputs: ["draft"] })).draft === "old", "the field sends again what the person sees");
    assert.equal(field.text, "old");
    await own.set(4);
    assert.equal(binding.picture.value, 4);
    const { instances } = await client.call("viewModel.list");
    assert.ok(!instances.some(({ id }) => id === "former"), "an instance that was closed is not opened again");
    assert.deepEqual(told, [reason]);
    assert.deepEqual(states, ["connected", "connecting", "connected"]);
    assert.equal(client.attachment.session, "desk");
    field.edit("new");
    await field.settled();
    assert.equal((await (await connect()).sendList.read({ outputs: ["draft"] })).draft, "new");
  }])),

  "a session that has moved ends the client with the name of the machine": async ({ connect, vm, line }) => {
    const client = await connect({ transport: retold(vm, line, { reason: "moved", node: "b7" }) });
    const binding = await client.lab.bind();
    const isMoved = (error) => error instanceof vm.SessionMoved && error.node === "b7";
    const sleeping = assert.rejects(client.lab.sleep({ milliseconds: 60_000 }), (error) => isMoved(error) || error instanceof vm.CancelledError);
    const reading = assert.rejects(async () => { for await (const picture of binding) void picture; }, isMoved);
    const waiting = assert.rejects(binding.wait(() => false), isMoved);
    const other = await connect({ session: "other" });
    await other.call("session.close", { session: "desk" });
    await Promise.all([sleeping, reading, waiting]);
    assert.equal(client.connectionState, "closed");
    await assert.rejects(client.lab.set(1), isMoved);
    await pause(200);
    const { sessions } = await other.call("session.list");
    assert.deepEqual(sessions.map(({ session }) => session), ["other"], "the client did not attach again");
  },

  "an instance that is closed ends its binding": async ({ connect, vm }) => {
    const client = await connect();
    const lab = await vm.Lab.open(client, "second");
    const binding = await lab.bind();
    const ended = new Promise((resolve) => binding.on("closed", resolve));
    await lab.set(4);
    const other = await connect();
    await other.call("viewModel.close", { id: "second" });
    assert.ok((await ended) instanceof vm.Closed);
    await assert.rejects(lab.bind(), vm.NotFoundError);
  },

  "a slow reader gets the newest picture": async ({ connect }) => {
    const { lab } = await connect();
    const binding = await lab.bind({ outputs: ["value"] });
    const seen = [];
    for await (const { value } of binding) {
      seen.push(value);
      if (value === 50) break;
      for (let next = 1; next <= 50; next++) await lab.set(next);
    }
    assert.deepEqual(seen, [0, 50]);
  },

  "another contract is told": async ({ connect, vm, line }) => {
    const told = [];
    const options = { socket: line.socket, url: line.url, session: "desk", on: { contractChanged: (hash) => told.push(hash) } };
    const client = await new vm.Client(options, "0".repeat(64)).start();
    assert.deepEqual(told, [client.attachment.contract]);
    line.cut();
    await reached(client, "connecting");
    await client.lab.set(1);
    assert.equal(told.length, 1, "once");
    await client.close();
    await connect(options);
    assert.equal(told.length, 1, "the contract of the generated client is that of the daemon");
  },

  "raw frames pass by the types": async ({ connect }) => {
    const messages = [];
    const client = await connect({ on: { message: (message) => messages.push(message) } });
    client.send({ jsonrpc: "2.0", id: "mine", method: "lab.set", params: [9] });
    await eventually(() => messages.some((message) => message.id === "mine"));
    assert.deepEqual(await client.call("viewModel.read", { id: "lab", outputs: ["value"] }).then((reply) => reply.values), { value: 9 });
    const slept = await client.call("lab.sleep", { milliseconds: 1, _meta: { key: "k1" } });
    assert.deepEqual(await client.call("lab.sleep", { milliseconds: 1 }, { key: "k1" }), slept);
  },

  "a binding that another one has replaced does not end it": async ({ connect }) => {
    const { lab } = await connect();
    const first = await lab.bind({ windows: { rows: { offset: 0, limit: 5 } } });
    const second = await lab.bind();
    await first.close();
    await assert.rejects(first.scroll("rows", 5));
    await lab.set(7);
    assert.equal(second.picture.value, 7);
  },

  "values of each type keep their type on the way there and back": async ({ connect }) => {
    const { lab } = await connect();
    const binding = await lab.bind({ outputs: ["sample"] });
    const sample = {
      ...binding.picture.sample, date: new Date("2026-01-02T03:04:05.678Z"), data: new Uint8Array([0, 255]), double: 2.5,
      uuid: "12345678-1234-5678-1234-567812345678", decimal: "12345678901234567890.12", optional: null, colour: "green", dictionary: { a: 1 },
    };
    await lab.setSample(sample);
    assert.deepEqual(binding.picture.sample, sample);
    const { optional, ...others } = sample;
    await lab.setSample({ ...others, optional: "here" });
    assert.equal(binding.picture.sample.optional, "here");
    await lab.setSample(others);
    assert.equal(binding.picture.sample.optional, optional, "an optional member can be left out");
  },

  "declared failures are classes of their own, with their details": async ({ connect, vm }) => {
    const { lab } = await connect();
    assert.deepEqual(await lab.book({ seats: 3 }), { seats: 3 });
    await assert.rejects(lab.book({ seats: 50 }), (error) =>
      error instanceof vm.SoldOutError && error.details.seatsLeft === 10 && error.details.nextShow instanceof Date && !error.retryable);
    await assert.rejects(lab.book({ seats: 500 }), (error) => error instanceof vm.OfficeBusyError && error.details.seconds === 2.5 && error.retryable);
    await assert.rejects(lab.book({ seats: 5000 }), (error) => error instanceof vm.OfficeClosedError && error.details == null);
  },

  "a refused connection says why": async ({ connect, vm }) => {
    await assert.rejects(connect({ session: "no/name" }), vm.InvalidParamsError);
    await assert.rejects(connect({ socket: "/nowhere", url: undefined, timeout: 50 }), { code: "ENOENT" });
  },
};

for (const way of ["socket", "WebSocket"]) {
  for (const [name, scenario] of Object.entries(scenarios)) {
    test(`${way}: ${name}`, { timeout: 60_000 }, async (t) => scenario(await arrange(t, way)));
  }
}
