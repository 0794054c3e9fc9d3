// Pieces of the runtime, without a daemon where none is needed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { Daemon, clientOf, eventually, pause, reached, scriptedDaemon } from "./support.mjs";

const vm = await clientOf(await Daemon.start({ after }));
const vectors = new URL("../../ViewModelProtocolTests/Vectors/", import.meta.url);

for (const file of ["tests.json", "spec_tests.json"]) {
  for (const [index, { doc, patch, expected, error, disabled, comment }] of JSON.parse(readFileSync(new URL(file, vectors))).entries()) {
    // The protocol has no `test` and no `copy`.
    if (disabled || !patch || patch.some(({ op }) => /^(test|copy)$/.test(op))) continue;
    test(`JSON Patch, ${file} ${index}: ${comment ?? error ?? JSON.stringify(patch)}`, () => {
      const before = structuredClone(doc);
      if (error) assert.throws(() => vm.applyPatch(doc, patch));
      else if (expected !== undefined) assert.deepEqual(vm.applyPatch(doc, patch), expected);
      else vm.applyPatch(doc, patch);
      assert.deepEqual(doc, before, "the document is left as it is");
    });
  }
}

test("a patch shares what does not change, and copies once", () => {
  const rows = Array.from({ length: 5 }, (_, id) => ({ id, tags: ["a"] }));
  const document = { rows, other: {} };
  const result = vm.applyPatch(document, [
    { op: "replace", path: "/rows/1/id", value: 7 }, { op: "add", path: "/rows/1/tags/0", value: "b" }, { op: "add", path: "/rows/-", value: { id: 5 } },
  ]);
  assert.equal(result.rows[0], rows[0]);
  assert.equal(result.other, document.other);
  assert.deepEqual([result.rows[1].tags, result.rows[5], rows[1].tags, rows.length], [["b", "a"], { id: 5 }, ["a"], 5]);
});

test("__proto__ is a member like others", () => {
  const result = vm.applyPatch(JSON.parse('{"__proto__":{"a":1}}'), [{ op: "add", path: "/__proto__/b", value: 2 }]);
  assert.equal(JSON.stringify(result), '{"__proto__":{"a":1,"b":2}}');
  assert.equal({}.b, undefined);
});

test("moveCaret goes by the common prefix, else by the common suffix", () => {
  for (const [from, to, caret, expected] of [
    ["abc", "ABC", 3, 3], ["ab", "ab", 1, 1], ["fox", "the fox", 2, 6], ["the fox", "fox", 5, 1], ["abc", "", 2, 0],
    ["hello x", "hello y", 7, 7], ["aa", "aaa", 1, 1], ["abXcd", "abYYcd", 3, 4], ["a b", "a", 3, 1],
  ]) assert.equal(vm.moveCaret(from, to, caret), expected, `${from} ${to} ${caret}`);
});

const scripted = (...how) => scriptedDaemon(vm, ...how);

test("characters that are split across chunks arrive whole", async (t) => {
  const text = "ä€𝄞 你好 \u2028";
  const { client } = await scripted(t, async ({ id, connection }) => {
    for (const byte of Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: text }) + "\r\n\n")) {
      connection.write(Buffer.of(byte));
      await pause(0);
    }
  });
  assert.equal(await client.call("any.thing"), text);
});

test("integers that a number cannot hold are bigints, in both directions", async (t) => {
  const { client, received } = await scripted(t, ({ id, connection }) =>
    connection.write(`{"jsonrpc":"2.0","id":${id},"result":{"a":9223372036854775807,"b":-9007199254740993,"c":9007199254740991,"edge":9007199254740992,"past":9007199254740993,"d":12345678901234567890.5,"e":"99999999999999999999 \\" 99999999999999999999","f":1e30,"g":0.016666666666666666,"h":1e-0000000000000001}}\n`));
  const result = await client.call("any.thing", { value: 18446744073709551615n, text: '"123"' });
  assert.deepEqual(result, { a: 9223372036854775807n, b: -9007199254740993n, c: 9007199254740991, edge: 2 ** 53, past: 9007199254740993n, d: 12345678901234567000, e: '99999999999999999999 " 99999999999999999999', f: 1e30, g: 1 / 60, h: 0.1 });
  assert.ok(received.at(-1).includes('"params":{"value":18446744073709551615,"text":"\\"123\\""}'), received.at(-1));
});

test("half of a surrogate pair is written as U+FFFD, because the daemon refuses it", async (t) => {
  const { client, received } = await scripted(t, ({ id, params, send }) => send({ id, result: params }));
  const sent = { value: "a\ud83d", turned: "\ude00\ud83d", escaped: "\\ud83d \\\ud83d", whole: "😀", "\ud800": 1 };
  const written = { value: "a\ufffd", turned: "\ufffd\ufffd", escaped: "\\ud83d \\\ufffd", whole: "😀", "\ufffd": 1 };
  assert.deepEqual(await client.call("any.thing", sent), written);
  assert.ok(received.at(-1).includes('"value":"a\ufffd"'), received.at(-1));
});

test("dates and bytes are written as the protocol has them", async (t) => {
  const { client } = await scripted(t, ({ id, params, send }) => send({ id, result: params }));
  const sent = { at: new Date(0), data: new Uint8Array([0, 255, 10]), none: undefined };
  assert.deepEqual(await client.call("any.thing", sent), { at: "1970-01-01T00:00:00.000Z", data: "AP8K" });
  assert.deepEqual([vm.date("1970-01-01T00:00:00Z"), vm.bytes("AP8K")], [new Date(0), new Uint8Array([0, 255, 10])]);
});

test("rows that did not change are converted once, and bad values stay", () => {
  const shape = [{ at: vm.date, data: vm.bytes, more: { "*": BigInt } }];
  const rows = [{ id: 1, at: "2026-01-31T12:00:00Z", data: "AA==", more: { x: 1 } }, { id: 2, at: null, data: "?" }];
  const [first, second] = vm.convert(rows, shape);
  assert.deepEqual(first, { id: 1, at: new Date("2026-01-31T12:00:00Z"), data: new Uint8Array(1), more: { x: 1n } });
  assert.deepEqual(second, rows[1]);
  assert.equal(vm.convert([...rows], shape)[0], first);
  assert.equal(vm.convert({ offset: 0, count: 9, rows }, shape).rows[0], first);
});

test("names that every object has are not taken for shapes or classes of errors", async (t) => {
  const at = "2026-01-31T12:00:00.000Z";
  const date = new Date(at);
  const dictionary = vm.convert({ toString: at, constructor: at, other: at }, { "*": vm.date });
  assert.deepEqual([dictionary.toString, dictionary.constructor, dictionary.other], [date, date, date]);
  assert.equal(vm.convert({ toString: "text" }, { at: vm.date }).toString, "text");
  const { client } = await scripted(t, ({ id, send }) => send({ id, error: { code: -32000, message: "No", data: { error: "constructor" } } }));
  class Lab extends vm.ViewModel {
    static contract = { outputs: { at: vm.date }, results: { at: vm.date }, errors: { go: { full: vm.ActionFailedError } } };
  }
  const lab = new Lab(client, "lab");
  for (const kind of ["outputs", "results"]) {
    assert.equal(lab.$convert(kind, "toString", "text"), "text");
    assert.deepEqual(lab.$convert(kind, "at", at), date);
  }
  for (const action of ["go", "toString"]) {
    await assert.rejects(lab.$action(action), (error) => error.constructor === vm.ActionFailedError && error.error === "constructor");
  }
});

test("a client that was closed binds nothing", async (t) => {
  const { client } = await scripted(t, () => {});
  await client.close();
  await assert.rejects(new vm.ViewModel(client, "a").bind(), vm.Closed);
});

/** A scripted daemon whose line can be lost, and found again. */
async function losable(t, answer, options) {
  let line;
  let isDown = false;
  const { client } = await scripted(t, (message) => {
    line = message.connection;
    if (isDown) line.destroy();
    else if (message.method === "session.attach") message.send({ id: message.id, result: { session: "s", epoch: "e" } });
    else answer(message);
  }, { attach: true, ...options });
  const turn = async (down, state) => {
    isDown = down;
    if (isDown) line.destroy();
    await reached(client, state);
  };
  return { client, lose: () => turn(true, "connecting"), find: () => turn(false, "connected") };
}

test("a scroll that is refused, or that finds no connection, fails alone", { timeout: 30_000 }, async (t) => {
  // The ten seconds of a scroll are a fifth of one where it finds no connection.
  let limit = 10_000;
  const { setTimeout } = globalThis;
  t.mock.method(globalThis, "setTimeout", (action, delay) => setTimeout(action, delay === 10_000 ? limit : delay));
  let isGone = false;
  const binds = [];
  const { client, lose, find } = await losable(t, ({ id, method, params, send }) => {
    if (method !== "viewModel.bind") return;
    const { offset } = params.windows.rows;
    binds.push([offset, params.since?.seq]);
    if (isGone) return send({ id, error: { code: -32004, message: "Gone" } });
    if (offset < 0) return send({ id, error: { code: -32602, message: "Negative" } });
    send({ id, result: { id: "a", epoch: "e", seq: binds.length, full: !params.since, values: { rows: { offset, count: 9, rows: [] } } } });
  }, { timeout: 5000 });
  const binding = await new vm.ViewModel(client, "a").bind({ windows: { rows: { offset: 0, limit: 2 } } });
  let cause;
  binding.on("closed", (error) => { cause = error; });
  const isAt = (offset) => assert.deepEqual([binding.picture.rows.offset, cause], [offset, undefined]);

  await assert.rejects(binding.scroll("rows", -1), vm.InvalidParamsError);
  isAt(0);
  await binding.scroll("rows", 3);
  isAt(3);
  const results = await Promise.allSettled([-1, 5, -2].map((offset) => binding.scroll("rows", offset)));
  assert.deepEqual(results.map(({ status }) => status), ["rejected", "fulfilled", "rejected"]);
  isAt(5);

  await lose();
  limit = 200;
  await assert.rejects(binding.scroll("rows", 6), vm.TimedOut);
  limit = 10_000;
  binds.length = 0;
  await find();
  await eventually(() => binds.length > 0);
  assert.deepEqual(binds, [[5, 5]], "the binding goes on with the windows of before");
  await binding.wait((picture) => picture.rows.offset === 5);

  await lose();
  const waiting = binding.scroll("rows", 7);
  await find();
  await waiting;
  isAt(7);

  await lose();
  const refused = assert.rejects(binding.scroll("rows", -1), vm.InvalidParamsError);
  await find();
  await refused;
  isAt(7);

  await lose();
  const last = binding.scroll("rows", 8).catch((error) => error);
  isGone = true;
  binds.length = 0;
  await find();
  assert.ok((await last) instanceof vm.NotFoundError);
  await eventually(() => cause);
  assert.ok(cause instanceof vm.NotFoundError, "a refusal to resume ends the binding");
  assert.equal(binds[0][0], 7);
});

test("the end of a binding ends its scroll, also without a connection", async (t) => {
  const binds = [];
  const { client, lose, find } = await losable(t, ({ id, method, params, send }) => {
    if (method === "viewModel.bind") binds.push(params);
    send({ id, result: { id: "a", epoch: "e", seq: 1, full: true, values: {} } });
  });
  const binding = await new vm.ViewModel(client, "a").bind();
  await lose();
  const scroll = assert.rejects(binding.scroll("rows", 1), vm.Closed);
  await binding.close();
  await scroll;
  await find();
  await client.call("a.b");
  assert.equal(binds.length, 1, "nothing is bound for a binding that has ended");
});

test("a patch that does not fit is answered by a whole picture", async (t) => {
  let binds = 0;
  const { client } = await scripted(t, ({ id, method, send }) => {
    if (method !== "viewModel.bind") return;
    binds += 1;
    send({ id, result: { id: "a", epoch: "e", seq: binds, full: true, values: { rows: [binds] } } });
    if (binds === 1) send({ method: "viewModel.changed", params: { id: "a", seq: 2, patch: [{ op: "remove", path: "/rows/9" }] } });
  });
  const binding = await new vm.ViewModel(client, "a").bind();
  await binding.wait((picture) => picture.rows[0] === 2);
  assert.equal(binds, 2);
});

/** An instance `a` whose bind reply and further frames arrive in one chunk. */
async function boundAtOnce(t, ...frames) {
  const { client } = await scripted(t, ({ id, connection }) => {
    const result = { id: "a", epoch: "e", seq: 1, full: true, values: { value: 1 } };
    const changes = frames.map((frame, index) => ({ method: "viewModel.changed", params: { id: "a", seq: index + 2, ...frame } }));
    connection.write([{ id, result }, ...changes].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n").join(""));
  });
  return new vm.ViewModel(client, "a").bind();
}

test("the first listeners get the events and losses that came with the reply to the bind", async (t) => {
  const ring = (...values) => ({ events: values.map((value) => ({ output: "bell", value })) });
  const binding = await boundAtOnce(t, ring(1), { lost: 3, ...ring(2, 3) }, { values: { value: 2 }, lost: 4 });
  assert.equal(binding.picture.value, 2);
  const [first, second, late, losses] = [[], [], [], []];
  const off = binding.on("event", ({ output, value }) => (off(), first.push(`${output} ${value}`)));
  binding.on("event", ({ value }) => second.push(value));
  binding.feed.change({ seq: 5, ...ring(4) });
  await pause(0);
  binding.on("event", ({ value }) => late.push(value));
  binding.on("lost", (count) => losses.push(count));
  await pause(0);
  binding.feed.change({ seq: 6, lost: 5, ...ring(5) });
  assert.deepEqual([first, second, late, losses], [["bell 1"], [1, 2, 3, 4, 5], [5], [3, 4, 5]]);
});

test("the newest 1024 events are kept for the first listener", async (t) => {
  const events = Array.from({ length: 1500 }, (_, value) => ({ output: "bell", value }));
  const binding = await boundAtOnce(t, { events: events.slice(0, 900) }, { events: events.slice(900) });
  const values = [];
  binding.on("event", ({ value }) => values.push(value));
  await pause(0);
  assert.deepEqual(values, events.slice(-1024).map(({ value }) => value));
});

test("members, notifications and error codes that the client does not know are ignored or general", async (t) => {
  const news = [{ unknown: 1 }, null, "text", undefined];
  const { client } = await scripted(t, ({ id, send }) => {
    send({ method: "daemon.news", params: { more: 1 }, extra: true });
    send({ method: "viewModel.changed", params: { id: "other", seq: 9 } });
    send({ id: "nobody's", result: 1 });
    send({ id, error: { code: -31999, message: "New", data: news.shift() } });
  });
  for (const text of ["New: unknown 1", "New", "New", "New"]) {
    await assert.rejects(client.call("a.b"), (error) =>
      error.constructor === vm.ProtocolError && error.code === -31999 && error.message === text);
  }
});

test("a fault of a listener does not stop the others", async (t) => {
  const { client } = await scripted(t, ({ id, send }) => send({ id, result: 1 }));
  const faults = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (error) => faults.push(error.message));
  t.after(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of others) process.on("unhandledRejection", listener);
  });
  client.on("message", () => { throw new Error("mine"); });
  let heard = 0;
  client.on("message", () => (heard += 1));
  assert.equal(await client.call("a.b"), 1);
  await eventually(() => faults.length === 1);
  assert.equal(heard, 1);
});

test("a request that cannot be written fails alone", async (t) => {
  const { client } = await scripted(t, ({ id, send }) => send({ id, result: 1 }));
  const circular = {};
  circular.self = circular;
  await assert.rejects(client.call("a.b", circular), TypeError);
  assert.equal(await client.call("a.b"), 1);
});

test("a line on which binds are not answered is given up", async (t) => {
  let binds = 0;
  const { client } = await scripted(t, ({ id, method, send }) => {
    if (method === "viewModel.bind" && ++binds > 1) send({ id, result: { id: "a", epoch: "e", seq: 1, full: true, values: { x: 1 } } });
  }, { timeout: 2000 });
  const binding = await new vm.ViewModel(client, "a").bind();
  assert.deepEqual([binding.picture, binds], [{ x: 1 }, 2]);
});

/** What the client asks of the timer from now on. The measured times depend on the machine. */
function timerDelays(t) {
  const { mock } = t.mock.method(globalThis, "setTimeout");
  return () => mock.calls.map(({ arguments: [, delay] }) => delay);
}

test("the delays between attempts grow and are not regular", async (t) => {
  const asked = timerDelays(t);
  let attempts = 0;
  const client = new vm.Connection({
    transport: async () => {
      if (++attempts === 6) void client.close();
      throw new Error("no");
    },
    timeout: 60_000, backoff: { initial: 10, maximum: 80 },
  }, "");
  await client.start().catch(() => {});
  const delays = asked();
  const between = delays.filter((delay) => delay <= 100);
  assert.equal(between.length, 5);
  for (const [index, delay] of between.entries()) {
    const middle = Math.min(10 * 2 ** index, 80);
    assert.ok(delay >= middle * 0.75 && delay <= middle * 1.25, `the delay ${index} of ${delays}`);
  }
  assert.ok(new Set(between.map((delay, index) => delay / Math.min(2 ** index, 8))).size > 1, `${delays}`);
  await pause(200);
  assert.equal(attempts, 6, "no attempt after the client was closed");
});

test("sessions that end again and again are begun ever more slowly", async (t) => {
  const asked = timerDelays(t);
  let lives = 0;
  const { client } = await scripted(t, ({ id, method, send }) => {
    if (method !== "session.attach") return;
    send({ id, result: { session: "s", epoch: `e${++lives}` } });
    send({ method: "session.closed", params: { session: "s", reason: "failed" } });
  }, { attach: true, backoff: { initial: 11, maximum: 4001 } });
  await eventually(() => lives > 4);
  await client.close();
  const delays = asked();
  for (let life = 0; life < 4; life++) {
    const middle = 11 * 2 ** life;
    assert.ok(delays.some((delay) => delay >= middle * 0.75 && delay <= middle * 1.25), `${middle} of ${delays}`);
  }
});
