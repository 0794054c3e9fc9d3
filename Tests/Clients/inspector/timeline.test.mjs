// The timeline: what messages mean, its bound in bytes, the past, and its text form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { Timeline } = await load("timeline.js");
const { Contract, InstanceTypes } = await load("contract.js");
const { exportTranscript, importTranscript } = await load("transcript.js");

/** Adds messages: `>` of the page, `<` of the daemon. */
function play(timeline, ...steps) {
  let time = timeline.entries.at(-1)?.time ?? 0;
  return steps.map(([symbol, message]) => {
    const event = { ">": "sent", "<": "received", open: "open", close: "close" }[symbol];
    return timeline.add({ time: (time += 0.001), connection: 1, event, text: message && JSON.stringify({ jsonrpc: "2.0", ...message }) });
  });
}
const attach = [["open"], [">", { id: 1, method: "session.attach", params: { session: "desk" } }], ["<", { id: 1, result: { session: "desk", epoch: "e" } }]];
const bind = [[">", { id: 2, method: "viewModel.bind", params: { id: "calculator" } }], ["<", { id: 2, result: { id: "calculator", epoch: "e", seq: 4, full: true, values: { led: "0", operations: [] } } }]];
const frame = (seq, values, more) => ["<", { method: "viewModel.changed", params: { id: "calculator", seq, values, ...more } }];
const picture = (timeline, number) => timeline.around(number).pictures.get("calculator")?.values;

test("a frame is caused by the input whose reply names its step", () => {
  const timeline = new Timeline();
  play(timeline, ...attach, ...bind);
  const [request, changed, other, reply] = play(timeline, [">", { id: 3, method: "calculator.press", params: ["1"] }], frame(5, { led: "1" }), frame(6, { led: "2" }), ["<", { id: 3, result: { seq: 5 } }]);
  assert.deepEqual([changed.cause, changed.isCertain, other.cause], [request.number, true, undefined]);
  assert.equal(reply.cause, request.number);
  assert.ok(Math.abs(reply.elapsed - 0.003) < 1e-9);
  assert.deepEqual([request.kind, changed.kind, reply.kind, changed.title], ["request", "frame", "reply", "led"]);
});

test("a batch names all of its parts and all of their instances", () => {
  const timeline = new Timeline();
  play(timeline, ...attach);
  const add = (event, messages) => timeline.add({ time: 1, connection: 1, event, text: JSON.stringify(messages.map((one) => ({ jsonrpc: "2.0", ...one }))) });
  const request = add("sent", [{ id: 2, method: "viewModel.bind", params: { id: "calculator" } }, { id: 3, method: "viewModel.bind", params: { id: "keypad" } }, { id: 4, method: "keypad.press", params: ["x"] }]);
  assert.equal(request.title, "batch of 3: viewModel.bind, viewModel.bind, keypad.press");
  assert.deepEqual(request.instances, ["calculator", "keypad"]);
  const result = (id, values) => ({ id, epoch: "e", seq: 4, full: true, values });
  const reply = add("received", [{ id: 2, result: result("calculator", { led: "7" }) }, { id: 3, result: result("keypad", { keys: [] }) }, { id: 4, error: { code: -32602, message: "Invalid params" } }]);
  assert.deepEqual([reply.kind, reply.cause, request.reply], ["error", request.number, reply.number]);
  assert.equal(reply.title, "batch of 3: whole picture, whole picture, keypad.press: Invalid params");
  const led = (instance) => timeline.around(reply.number, instance).pictures.get(instance).values;
  assert.deepEqual([led("calculator"), led("keypad")], [{ led: "7" }, { keys: [] }]);
});

test("a frame that another client caused has no cause here", () => {
  const timeline = new Timeline();
  play(timeline, ...attach, ...bind);
  assert.equal(play(timeline, frame(5, { led: "1" }))[0].cause, undefined);
});

test("frames during an action are ascribed to it, for certain if it starts", () => {
  const timeline = new Timeline();
  play(timeline, ...attach, ...bind);
  const [action, start, during, error] = play(timeline, [">", { id: 3, method: "calculator.undo" }], frame(5, { "undo.executing": true }), frame(6, { led: "2" }), ["<", { id: 3, error: { code: -32000, message: "no", data: { error: "tooLate" } } }]);
  assert.deepEqual([start.cause, start.isCertain], [action.number, true]);
  assert.deepEqual([during.cause, during.isCertain], [action.number, false]);
  assert.deepEqual([error.kind, error.title], ["error", "calculator.undo: tooLate"]);
});

test("each step of the past has its picture, with patches", () => {
  const timeline = new Timeline();
  play(timeline, ...attach, ...bind);
  const first = timeline.entries.at(-1).number;
  for (let seq = 5; seq < 1500; seq++) play(timeline, frame(seq, { led: String(seq) }, seq % 2 === 0 && { patch: [{ op: "add", path: "/operations/0", value: { id: seq } }] }));
  for (const seq of [1499, 5, 6, 700, 699, 1499, 256, 4]) {
    const values = picture(timeline, first + seq - 4);
    assert.equal(values.led, seq === 4 ? "0" : String(seq));
    assert.equal(values.operations.length, Math.floor(Math.max(0, seq - 4) / 2));
  }
});

test("params that are null name nothing", () => {
  const timeline = new Timeline();
  play(timeline, ...attach);
  const [request] = play(timeline, [">", { id: 3, method: "session.list", params: null }], ["<", { method: "viewModel.changed", params: null }]);
  assert.deepEqual([request.kind, request.binding], ["request", undefined]);
  play(timeline, [">", { id: 5, method: "viewModel.bind", params: { id: "calculator", tag: null } }], ["<", { id: 5, result: { id: "calculator", epoch: "e", seq: 4, full: true, values: {} } }]);
  assert.deepEqual([...timeline.around(timeline.entries.at(-1).number).pictures.keys()], ["calculator"]);
});

test("each tag has a picture of its own, and all end with their instance", () => {
  const timeline = new Timeline();
  play(timeline, ...attach, ...bind);
  play(timeline, [">", { id: 5, method: "viewModel.bind", params: { id: "calculator", outputs: ["led"], tag: "side" } }], ["<", { id: 5, result: { id: "calculator", tag: "side", epoch: "e", seq: 4, full: true, values: { led: "0" } } }]);
  const [changed] = play(timeline, ["<", { method: "viewModel.changed", params: { id: "calculator", tag: "side", seq: 5, values: { led: "1" } } }]);
  const { pictures, earlier } = timeline.around(changed.number);
  assert.deepEqual([...pictures].map(([key, one]) => [key, one.values]), [["calculator", { led: "0", operations: [] }], ["calculator (side)", { led: "1" }]]);
  assert.deepEqual(earlier.values, { led: "0" });
  const unbind = play(timeline, [">", { id: 6, method: "viewModel.unbind", params: { id: "calculator" } }], ["<", { id: 6, result: null }])[1];
  assert.deepEqual([...timeline.around(unbind.number).pictures.keys()], ["calculator (side)"]);
  const [closed] = play(timeline, ["<", { method: "viewModel.closed", params: { id: "calculator" } }]);
  assert.equal(timeline.around(closed.number).pictures.size, 0);
});

test("a resumed binding continues the picture of the lost connection", () => {
  const timeline = new Timeline();
  play(timeline, ...attach, ...bind, frame(5, { led: "1" }), ["close"]);
  const add = (event, message) => timeline.add({ time: 1, connection: 2, event, text: message && JSON.stringify(message) });
  add("open");
  add("sent", { id: 9, method: "viewModel.bind", params: { id: "calculator", since: { epoch: "e", seq: 5 } } });
  const { number, title } = add("received", { id: 9, result: { id: "calculator", epoch: "e", seq: 7, full: false, values: { led: "2" } } });
  assert.deepEqual(picture(timeline, number), { led: "2", operations: [] });
  assert.equal(title, "resumed: led");
  assert.equal(timeline.around(number).earlier.values.led, "1");
  const other = add("received", { id: 9, result: {} });
  assert.equal(other.cause, undefined, "an answer without a request");
});

test("the bound in bytes holds, what fell out is counted, and the past stays right", () => {
  const limit = 20_000;
  const timeline = new Timeline(undefined, limit);
  play(timeline, ...attach, ...bind);
  let sum = 0;
  for (let seq = 5; seq < 2000; seq++) {
    const [{ bytes }] = play(timeline, frame(seq, { led: "ü".repeat(seq % 50) }, { patch: [{ op: "add", path: "/operations/-", value: { id: seq } }] }));
    sum += bytes;
    assert.ok(timeline.bytes <= limit);
  }
  assert.ok(timeline.dropped.entries > 1500);
  assert.ok(timeline.dropped.bytes + timeline.entries.reduce((all, { bytes }) => all + bytes, 0) >= sum, "no byte is lost from the counts");
  const oldest = timeline.entries[0];
  assert.equal(picture(timeline, oldest.number).operations.length, oldest.seq - 4);
  assert.equal(timeline.entry(1), undefined);
});

test("a message above the bound is shown alone", () => {
  const timeline = new Timeline(undefined, 1000);
  play(timeline, ...attach, ...bind, frame(5, { led: "x".repeat(5000) }));
  assert.equal(timeline.entries.length, 1);
  play(timeline, frame(6, { led: "y" }));
  assert.equal(timeline.entries.length, 1);
  assert.equal(picture(timeline, timeline.entries[0].number).led, "y");
});

test("the types of instances are learned from replies", () => {
  const contract = new Contract({ "x-viewModels": { page: { children: { inner: "part" } }, part: {}, calculator: { instance: "calculator" } } });
  const timeline = new Timeline(new InstanceTypes(contract));
  const ask = (id, method, reply) => [[">", { id, method }], ["<", { id, ...reply }]];
  play(timeline, ...attach, ...ask(2, "viewModel.open", { result: { id: "p", type: "page" } }), ...ask(3, "viewModel.list", { result: { instances: [{ id: "q", type: "page" }] } }),
    ...ask(4, "viewModel.open", { error: { code: -32602, message: "no" } }), ...ask(5, "viewModel.read", { result: { id: "x", type: "page" } }));
  assert.deepEqual(["p", "q", "q.inner", "calculator", "x"].map((id) => timeline.types.typeOf(id)), ["page", "page", "part", "calculator", undefined]);
});

const header = { program: "viewmodeld 1.0.0", contract: "abc", date: new Date("2026-11-23T20:15:00.123Z") };

test("an export is read as it was written", () => {
  const timeline = new Timeline();
  play(timeline, ...attach, ...bind, frame(5, { led: "1" }), ["close"]);
  const text = exportTranscript(timeline, header);
  assert.ok(text.startsWith("# viewmodel-transcript 1\n# program viewmodeld 1.0.0\n# contract abc\n# date 2026-11-23T20:15:00.123Z\n0.001000 1 open\n"));
  const read = importTranscript(text);
  assert.deepEqual(read.header, { program: "viewmodeld 1.0.0", contract: "abc", date: "2026-11-23T20:15:00.123Z" });
  assert.deepEqual(read.entries.map(({ event, text: message }) => [event, message]), timeline.entries.map(({ event, text: message }) => [event, message]));
});

test("an export whose beginning fell out begins with the pictures of that moment", () => {
  const timeline = new Timeline(undefined, 3000);
  play(timeline, ...attach, ...bind);
  for (let seq = 5; seq < 50; seq++) play(timeline, frame(seq, { led: String(seq) }));
  const oldest = timeline.entries[0].seq;
  const text = exportTranscript(timeline, header);
  assert.match(text, /^# dropped \d+ messages/m);
  const copy = new Timeline();
  for (const entry of importTranscript(text).entries) copy.add(entry);
  assert.deepEqual(picture(copy, copy.entries.at(-1).number), { led: "49", operations: [] });
  const before = copy.entries.find(({ seq }) => seq === oldest).number - 1;
  assert.equal(picture(copy, before).led, String(oldest - 1));
});

test("what is no transcript is refused with its line", () => {
  const head = "# viewmodel-transcript 1\n";
  for (const [text, line] of [["", 1], ["{}\n", 1], ["# viewmodel-transcript 2\n", 1], [`${head}x\n`, 2], [`${head}0.000001 1 jump\n`, 2], [`${head}\n# c\n0.000001 1 > {\n`, 4], [`${head}0.000001 0 open\n`, 2], [`${head}0.1 1 open\n`, 2]]) {
    assert.throws(() => importTranscript(text), new RegExp(`^Error: Line ${line}:`), text);
  }
  assert.equal(importTranscript(`${head}0.000001 1 open\n0.000002 1 > {"torn`).entries.length, 1, "a torn last line is ignored");
  assert.equal(importTranscript(`${head}0.000001 1 > ! 5 bytes, no JSON\n`).entries.length, 0);
});
