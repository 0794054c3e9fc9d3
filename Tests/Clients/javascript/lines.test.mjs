// What a client does when its session ends, when its line is dead, and when a message is too long.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { FaultProxy } from "./fault-proxy.mjs";
import { Daemon, clientOf, eventually, scriptedDaemon, temporaryFolder } from "./support.mjs";
import { relay } from "./websocket.mjs";

const vm = await clientOf(await Daemon.start({ after }));

/** A daemon whose connections are counted from 1. `answer` returns the members of a reply, or undefined for none. */
async function lines(t, answer, { attached, ...options } = {}) {
  const connections = [];
  const calls = [];
  const made = await scriptedDaemon(vm, t, ({ id, method, params, send, connection }) => {
    if (!connections.includes(connection)) connections.push(connection);
    const number = connections.indexOf(connection) + 1;
    calls.push(`${number} ${method}`);
    const closed = (reason, more) => send({ method: "session.closed", params: { session: "s", reason, ...more } });
    let reply = answer({ number, method, params, closed, connection });
    if (reply === attachedOrBound) {
      const state = { id: "lab", seq: 1, full: true, values: { value: number } };
      reply = { result: { session: "s", epoch: `e${number}`, ...state, ...attached } };
    }
    if (reply && id !== undefined) send({ id, ...reply });
  }, { attach: true, ...options });
  return { ...made, calls, connections };
}
const attachedOrBound = {};
const answered = { result: { seq: 2 } };
const isPing = (method) => method === "$/cancelRequest";
const isOfProtocol = (method) => /^(session\.attach|viewModel\.bind)$/.test(method);
const ended = (reason, more) => ({ error: { code: -32010, message: "The session has ended", data: { session: "s", reason, ...more } } });

for (const reason of ["closed", "failed", "stopping"]) for (const told of ["before", "after", "never"]) {
  test(`a call that was refused after the end of its session is repeated: ${reason}, told ${told}`, { timeout: 30_000 }, async (t) => {
    const { client, calls } = await lines(t, ({ number, method, closed, connection }) => {
      if (isOfProtocol(method)) return attachedOrBound;
      if (number > 1) return answered;
      if (isPing(method)) return { result: null };
      if (method === "a.first" && told === "before") closed(reason);
      if (method === "a.last") setImmediate(() => {
        if (told === "after") closed(reason);
        if (reason === "stopping") connection.end();
      });
      return ended(reason);
    });
    const ends = [];
    client.on("sessionClosed", (end) => ends.push(end.reason));
    const binding = await new vm.ViewModel(client, "lab").bind();
    await Promise.all([client.call("a.first"), client.call("a.keyed", {}, { key: "k" }), client.call("a.last")]);
    for (const method of ["a.first", "a.keyed", "a.last"]) {
      assert.deepEqual(calls.filter((call) => call.endsWith(method)), [`1 ${method}`, `2 ${method}`]);
    }
    await binding.wait(({ value }) => value === 2);
    assert.deepEqual(ends, [reason]);
  });
}

test("only calls without an answer have an unknown outcome", { timeout: 30_000 }, async (t) => {
  const { client, calls } = await lines(t, ({ number, method, closed }) => {
    if (isOfProtocol(method)) return attachedOrBound;
    if (number > 1) return answered;
    if (isPing(method)) return { result: null };
    if (method === "a.refused") {
      closed("closed");
      return ended("closed");
    }
    // A daemon that knows no better runs it in an anonymous session.
    return method === "a.late" ? answered : undefined;
  });
  const results = await Promise.allSettled(["a.plain", "a.refused", "a.late", "a.keyed"].map((method) =>
    client.call(method, {}, method === "a.keyed" ? { key: "k" } : {})));
  assert.deepEqual(results.map(({ status, reason }) => reason?.constructor.name ?? status), ["OutcomeUnknown", "fulfilled", "OutcomeUnknown", "OutcomeUnknown"]);
  assert.deepEqual(calls.filter((call) => /a\./.test(call)), ["1 a.plain", "1 a.refused", "1 a.late", "1 a.keyed", "2 a.refused"]);
});

test("a call that was refused after a move fails with the move", async (t) => {
  const { client, connections } = await lines(t, ({ method }) =>
    method === "session.attach" ? attachedOrBound : ended("moved", { node: "berlin" }));
  await assert.rejects(client.call("a.b"), (error) => error instanceof vm.SessionMoved && error.node === "berlin");
  assert.deepEqual([client.connectionState, connections.length], ["closed", 1]);
});

for (const code of [-32010, -32007]) test(`a repeated call that is refused may have run before: ${code}`, { timeout: 30_000 }, async (t) => {
  const { client, calls, connections } = await lines(t, ({ number, method, connection }) => {
    if (method === "session.attach") return { result: { session: "s", epoch: number < 3 ? "e1" : "e2" } };
    if (method !== "a.keyed" || number !== 2) return undefined;
    setTimeout(() => connection.end(), 10);
    return { error: { code, message: "no", data: { session: "s", reason: "closed" } } };
  });
  const call = client.call("a.keyed", {}, { key: "k" });
  await eventually(() => calls.includes("1 a.keyed"));
  connections[0].end();
  await assert.rejects(call, vm.OutcomeUnknown);
  assert.deepEqual(calls.filter((one) => one.endsWith("a.keyed")), ["1 a.keyed", "2 a.keyed"]);
});

test("a resumed binding that is refused is not resumed twice", { timeout: 30_000 }, async (t) => {
  const { client, calls, connections } = await lines(t, ({ number, method, closed }) => {
    if (number !== 2 || method !== "viewModel.bind") return isOfProtocol(method) ? attachedOrBound : answered;
    closed("closed");
    return ended("closed");
  });
  const binding = await new vm.ViewModel(client, "lab").bind();
  connections[0].end();
  await binding.wait(({ value }) => value === 3);
  await client.call("a.b");
  assert.deepEqual(calls.filter((call) => call.endsWith("bind")), ["1 viewModel.bind", "2 viewModel.bind", "3 viewModel.bind"]);
});

/** The clock by which clients watch for silence: each tick lets an eighth of the time pass on the newest connection. */
function silenceClock(t) {
  const { mock } = t.mock.method(globalThis, "setInterval", () => {});
  return (count) => { for (let tick = 0; tick < count; tick++) mock.calls.at(-1).arguments[0](); };
}

for (const [way, make] of [["socket", FaultProxy.start], ["WebSocket", relay]]) {
  test(`${way}: a dead line is left`, { timeout: 30_000 }, async (t) => {
    const daemon = await Daemon.start(t);
    const line = await make(t, daemon.socket);
    const tick = silenceClock(t);
    const backoff = { initial: 1, maximum: 5 };
    const client = await vm.connect({ socket: line.socket, url: line.url, session: "dead", backoff });
    t.after(() => client.close());
    const binding = await client.lab.bind({ outputs: ["value"] });
    const states = [];
    client.on("state", (state) => states.push(state));
    line.stall();
    const sleeping = assert.rejects(client.lab.sleep({ milliseconds: 60_000 }), vm.OutcomeUnknown);
    tick(7);
    assert.equal(client.connectionState, "connected");
    tick(1);
    assert.deepEqual([client.connectionState, client.problem.message], ["connecting", "The daemon is silent"]);
    tick(7);
    await sleeping;
    await client.lab.set(7);
    assert.equal(binding.picture.value, 7);
    line.stall();       // Without a call, too.
    tick(5 + 6);
    assert.equal(client.connectionState, "connected");
    tick(1);
    assert.equal(client.connectionState, "connecting");
    tick(7);
    await eventually(() => states.length === 4);
    assert.deepEqual(states, ["connecting", "connected", "connecting", "connected"]);
  });
}

test("silence is no dead line while pings are answered, and no ping is sent while nothing is awaited", async (t) => {
  const tick = silenceClock(t);
  const { client, calls, connections } = await lines(t, ({ method }) =>
    isPing(method) ? { result: null } : method === "session.attach" ? attachedOrBound : undefined);
  tick(10);
  assert.deepEqual(calls, ["1 session.attach"]);
  let isDone = false;
  let answers = 0;
  client.on("message", () => (answers += 1));
  const stop = new AbortController();
  client.call("a.long", {}, { signal: stop.signal }).catch(() => (isDone = true));
  for (let ping = 1; ping < 4; ping++) {
    tick(5);
    await eventually(() => answers === ping);
  }
  // A page that is hidden asks less often.
  globalThis.document = { hidden: true };
  t.after(() => delete globalThis.document);
  tick(19);
  const count = calls.length;
  tick(1);
  await eventually(() => calls.length === count + 1);
  await eventually(() => answers === 4);
  assert.deepEqual([isDone, connections.length], [false, 1]);
  stop.abort();
});

test("a message above the limit of the attach fails at once and alone", async (t) => {
  const { client, calls } = await lines(t, ({ method }) => (isOfProtocol(method) ? attachedOrBound : answered), {
    attached: { limits: { messageBytes: 300 } },
  });
  const size = (value) => Buffer.byteLength(JSON.stringify({ jsonrpc: "2.0", id: 10, method: "a.b", params: { value } }));
  const fits = "x".repeat(300 - size(""));
  for (let count = 2; count < 10; count++) await client.call("a.b", { value: "" });
  await client.call("a.b", { value: fits });
  for (const value of [fits + "x", fits.slice(1) + "é"]) for (const options of [{}, { retry: true }]) {
    await assert.rejects(client.call("a.b", { value }, options), (error) =>
      error instanceof vm.MessageTooLargeError && error.data.limit === 300 && /300/.test(error.message));
  }
  assert.equal(calls.length, 10);
});

test("what closes a WebSocket for its length is not sent again", { timeout: 30_000 }, async (t) => {
  const daemon = await Daemon.start(t);
  const { url } = await relay(t, daemon.socket, 5000);
  const client = await vm.connect({ url, session: "long", backoff: { initial: 1, maximum: 5 } });
  t.after(() => client.close());
  let lost = 0;
  client.on("lost", () => (lost += 1));
  const value = "x".repeat(6000);
  await assert.rejects(client.lab.fail({ error: value }, { retry: true }), vm.MessageTooLargeError);
  assert.equal(lost, 1);
  const [short, long] = await Promise.allSettled([client.lab.sleepQueued({ milliseconds: 50 }, { retry: true }), client.lab.code(value)]);
  assert.deepEqual([short.status, long.reason?.constructor], ["fulfilled", vm.MessageTooLargeError]);
  const field = (await client.lab.bind({ outputs: ["code"] })).field("code");
  const refused = [];
  field.on("refused", (error) => refused.push(error.constructor));
  field.edit(value);
  await field.settled();
  assert.deepEqual([refused, field.text, lost], [[vm.MessageTooLargeError], "", 3]);
});

test("an error says what is wrong, and where the caller stands", async (t) => {
  const daemon = await Daemon.start(t);
  const client = await vm.connect({ socket: daemon.socket, session: "errors" });
  t.after(() => client.close());
  async function pressesAWrongKey() { await client.calculator.press("x"); }
  async function bindsAnUnknownOutput() { await client.lab.bind({ outputs: ["nope"] }); }
  async function callsAnUnknownMethod() { await client.call("calculator.prss"); }
  async function isLate() { await client.lab.sleepConcurrent({ milliseconds: 60_000 }, { timeout: 1 }); }
  async function passesTheDeadline() { await client.lab.sleepConcurrent({ milliseconds: 60_000 }, { deadline: 1 }); }
  const binding = await client.calculator.bind({ outputs: ["led"] });
  async function waitsTooLong() { await binding.wait(() => false, { timeout: 1 }); }
  async function usesAClosedClient() {
    await client.close();
    await client.lab.set(1);
  }
  async function waitsForAClosedClient() { await binding.wait(() => false); }
  async function connectsToNothing() { await vm.connect({ socket: "/nowhere", timeout: 20 }); }
  async function losesTheConnection() {
    const lost = client.lab.sleep({ milliseconds: 60_000 });
    daemon.kill();
    await lost;
  }
  for (const [act, kind, text] of [
    [pressesAWrongKey, vm.InvalidParamsError, /^Invalid params: path \/value, expected one of 0 .*, found .*x/],
    [bindsAnUnknownOutput, vm.InvalidParamsError, /path \/outputs.*nope/],
    [callsAnUnknownMethod, vm.MethodNotFoundError, /calculator.*prss.*press/],
    [isLate, vm.TimedOut, /lab.sleepConcurrent/],
    [passesTheDeadline, vm.DeadlineExceededError, /deadline 1/],
    [losesTheConnection, vm.OutcomeUnknown, /lab.sleep/],
    [waitsTooLong, vm.TimedOut, /No such picture/],
    [usesAClosedClient, vm.Closed, /closed/],
    [waitsForAClosedClient, vm.Closed, /closed/],
    [connectsToNothing, vm.NoConnection, /ENOENT/],
  ]) {
    await assert.rejects(act(), (error) => {
      assert.ok(error instanceof kind && text.test(error.message), String(error));
      assert.ok(error.stack.startsWith(`${error.name}: ${error.message}\n`), error.stack);
      assert.ok(error.stack.includes(act.name) && error.stack.includes("lines.test.mjs"), error.stack);
      return true;
    });
  }
});

test("an error of the connection says where, why and what to do", async (t) => {
  const folder = temporaryFolder(t);
  const failure = (socket) => vm.connect({ socket, timeout: 20 }).catch((error) => error);
  const long = "has more than 107 bytes";
  for (const [path, code] of [[join(folder, "none"), "ENOENT"], [join(folder, "x".repeat(200)), long], ["/" + "ö".repeat(54), long], [folder, "ECONNREFUSED"]]) {
    const error = await failure(path);
    assert.ok(error instanceof vm.NoConnection, String(error));
    assert.match(error.message, /Start viewmodeld, or name its socket/);
    assert.ok(error.message.includes(path) && error.message.includes(code), error.message);
  }
});

test("a leap second is read as the next one, and what is no date stays", () => {
  assert.deepEqual(vm.date("2016-12-31T23:59:60Z"), new Date("2017-01-01T00:00:00Z"));
  assert.deepEqual(vm.date("2016-12-31T18:59:60.25-05:00"), new Date("2017-01-01T00:00:00.250Z"));
  assert.equal(vm.date("0000-01-01T00:00:00Z").toISOString(), "0000-01-01T00:00:00.000Z");
});
