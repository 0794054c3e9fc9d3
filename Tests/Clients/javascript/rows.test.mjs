// Lists by index, outputs that are held together, and a client that begins without waiting.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FaultProxy } from "./fault-proxy.mjs";
import { Daemon, clientOf, eventually, pause, random, reached, scriptedDaemon } from "./support.mjs";

const vm = await clientOf(await Daemon.start({ after }));
const seed = Number(process.env.SEED ?? Date.now() % 1e9);

/** A daemon, a client that was begun without waiting, and one that waits. */
async function arrange(t, options = {}) {
  const daemon = await Daemon.start(t);
  const backoff = { initial: 1, maximum: 20 };
  const client = vm.start({ socket: daemon.socket, session: "rows", backoff, ...options });
  const other = await vm.connect({ socket: daemon.socket, session: "rows", backoff });
  t.after(() => Promise.all([client.close(), other.close()]));
  await reached(client, "connected");
  return { daemon, client, other };
}

/** Changes a list at random: a row or some come, go, move or change. */
async function change(lab, next, ids) {
  const at = next.below(ids.length);
  const kind = next.below(10);
  if (kind < 3) {
    const to = next.below(ids.length);
    ids.splice(to, 0, ...ids.splice(at, 1));
    await lab.move({ from: at, to });
  } else if (kind < 5) {
    await lab.removeRows(ids.splice(at, 1 + next.below(3)));
  } else if (kind < 7) {
    const added = 1 + next.below(3);
    for (let count = 0; count < added; count++) ids.push((ids.last += 1));
    await lab.append(added);
  } else await lab.update({ id: ids[at], text: `text ${next.below(1000)}` });
}

const anIdList = (count) => Object.assign(Array.from({ length: count }, (_, index) => index + 1), { last: count });

/** What the splices of a list tell of its ids. An id that came later is null. */
function follow(rows, ids) {
  const told = { ids: [...ids], resets: 0 };
  rows.on("splice", ({ at, removed, inserted }) => {
    if (at === 0 && removed > 64 && removed === told.ids.length) told.resets += 1;
    assert.ok(at + removed <= told.ids.length, `a splice that fits, seed ${seed}`);
    told.ids.splice(at, removed, ...Array.from({ length: inserted }, () => null));
  });
  return told;
}

const hasSplices = (client) => client.attachment.features?.includes("splices");

test(`a list scrolls while rows come, go and move, seed ${seed}`, { timeout: 120_000 }, async (t) => {
  const { daemon, client, other } = await arrange(t);
  const next = random(seed);
  let ids = anIdList(2000);
  await other.lab.append(2000);
  const rows = client.lab.list("rows", { page: 20 });
  await eventually(() => rows.length === 2000);
  const told = follow(rows, ids);
  let top = 0;
  let changes = 0;

  const look = () => Array.from({ length: 10 }, (_, index) => rows.at(top + index));
  async function isQuiet(context) {
    const actual = (await other.lab.read({ outputs: ["rows"] })).rows;
    await eventually(() => rows.length === actual.length && look().every((row, index) => row?.id === actual[top + index]?.id && row?.text === actual[top + index]?.text),
      `the rows at ${top} are those of the daemon, ${context}, seed ${seed}`);
    assert.deepEqual(told.ids.filter((id, index) => id !== null && id !== actual[index].id), [], `the splices tell the truth, ${context}, seed ${seed}`);
    assert.equal(told.ids.length, actual.length);
  }

  for (let round = 0; round < 6; round++) {
    for (const end = changes + 60; changes < end; changes++) {
      await change(other.lab, next, ids);
      if (next() < 0.05) top = next.below(rows.length - 20);
      else top = Math.min(top + next.below(12) - 3, rows.length - 20);
      top = Math.max(top, 0);
      look();
    }
    await isQuiet(`round ${round}`);
    if (round === 3) {
      await daemon.kill();
      await reached(client, "offline");
      await daemon.start();
      await eventually(() => rows.length === 0, "the lab has begun anew");
      ids = anIdList(2000);
      await other.lab.append(2000);
      await eventually(() => rows.length === 2000);
      [told.ids, top] = [[...ids], 0];
    }
  }
  if (hasSplices(client)) assert.ok(told.resets < 10, `${told.resets} unknown differences in ${changes} changes`);
});

test("a list keeps few rows, asks ahead of the scroll, and leaves unchanged rows as they are", async (t) => {
  const { client, other } = await arrange(t);
  await other.lab.append(100_000);
  const rows = client.lab.list("rows", { page: 50 });
  await eventually(() => rows.at(0));
  const [first, second] = [rows.at(0), rows.at(1)];
  await other.lab.update({ id: 1, text: "changed" });
  await eventually(() => rows.at(0).text === "changed");
  assert.notEqual(rows.at(0), first);
  assert.equal(rows.at(1), second);
  // A person who scrolls by a few rows at a time sees no gap.
  let largest = 0;
  client.on("message", (message) => (largest = Math.max(largest, JSON.stringify(message).length)));
  let gaps = 0;
  for (let top = 0; top < 2000; top += 5) {
    for (let index = top; index < top + 20; index++) gaps += rows.at(index) === undefined;
    await pause(8);
  }
  assert.ok(gaps < 400, `${gaps} gaps of 8000 rows`);
  await eventually(() => rows.at(2000) !== undefined);
  const kept = rows.at(2000);
  assert.equal(kept.text, "row 2001");
  rows.at(2060);
  await eventually(() => rows.at(2100) !== undefined);
  assert.equal(rows.at(2000), kept, "a row that is loaded again is the same object");
  assert.equal(rows.at(100_000), undefined);
  assert.ok(largest < 30_000, `${largest} bytes`);
});

test("a frame with one changed row of 100,000 is quick", async (t) => {
  const { client, other } = await arrange(t);
  await other.lab.append(100_000);
  const binding = await client.lab.bind({ outputs: ["rows"] });
  const { feed } = binding;
  const take = feed.change;
  const times = [];
  feed.change = (frame) => {
    const start = performance.now();
    take.call(feed, frame);
    times.push(performance.now() - start);
  };
  const [first] = binding.picture.rows;
  for (let id = 1000; id < 1200; id++) await client.lab.update({ id, text: "new" });
  await eventually(() => times.length === 200);
  assert.equal(binding.picture.rows[0], first);
  assert.equal(binding.picture.rows[1199 - 1].text, "new");
  const median = times.sort((one, other) => one - other)[100];
  t.diagnostic(`median ${median.toFixed(3)} ms`);
  assert.ok(median < 5, `${median} ms`);
});

test("holders of one instance do not disturb each other, and the last one ends the binding", async (t) => {
  const { client, other } = await arrange(t);
  const sent = [];
  const { lab } = client;
  const [first, second] = [lab.hold({ outputs: ["value"] }), lab.hold({ outputs: ["value", "code"] })];
  const bound = await lab.bind({ outputs: ["value"], minInterval: 60_000 });
  const counts = { value: [], code: [] };
  const offs = ["value", "code"].map((name) => lab.watch(name, (value) => counts[name].push(value)));
  await eventually(() => counts.code.length === 1 && "code" in second.picture);
  assert.deepEqual(first.picture, { value: 0 });
  await other.lab.set(1);
  await eventually(() => first.picture.value === 1 && second.picture.value === 1);
  await other.lab.code("x");
  await eventually(() => second.picture.code === "X");
  assert.deepEqual(counts, { value: [0, 1], code: ["", "X"] }, "a value tells its own changes only");
  if (client.attachment.features?.includes("tags")) {
    await other.lab.set(2);
    await eventually(() => first.picture.value === 2);
    assert.ok(bound.picture.value < 2, "an interval is that of its binding");
  }
  client.on("message", (message) => sent.push(message));
  await first.close();
  await second.close();
  await other.lab.code("y");
  await eventually(() => counts.code.at(-1) === "Y");
  offs.forEach((off) => off());
  await bound.close();
  await client.call("viewModel.list");
  sent.length = 0;
  await other.lab.code("z");
  await client.call("viewModel.list");
  assert.deepEqual(sent.filter(({ method }) => method), [], "nothing is bound any more");
});

test("a hold that the daemon refuses ends alone", async (t) => {
  const { client } = await arrange(t);
  const good = client.lab.hold({ outputs: ["value"] });
  const bad = client.lab.hold({ outputs: ["double", "nope"] });
  const late = client.lab.hold({ outputs: ["double"] });
  const ends = [];
  for (const hold of [good, bad, late]) hold.on("closed", (error) => ends.push(error));
  await eventually(() => good.picture.value === 0 && late.picture.double === 0);
  assert.deepEqual(ends.map((error) => error.constructor), [vm.InvalidParamsError]);
});

test("without tags, one binding has the union of what is held", async (t) => {
  const binds = [];
  let seq = 0;
  const list = Array.from({ length: 100 }, (_, id) => ({ id }));
  const { client } = await scriptedDaemon(vm, t, ({ id, method, params, send }) => {
    if (method === "viewModel.bind") {
      binds.push(params);
      assert.ok(!("tag" in params) && !("splices" in params) && !params.windows?.rows?.anchor);
      const window = params.windows?.rows;
      const rows = window ? { offset: window.offset, count: 100, rows: list.slice(window.offset, window.offset + window.limit) } : list;
      const all = { a: 1, b: 2, rows };
      const names = params.outputs ?? Object.keys(all);
      return send({ id, result: { id: "m", epoch: "e", seq: (seq += 1), full: true, values: Object.fromEntries(names.map((name) => [name, all[name]])) } });
    }
    send({ id, result: null });
  });
  const model = new vm.ViewModel(client, "m");
  const first = await model.bind({ outputs: ["a"], minInterval: 100 });
  const windowed = await model.bind({ outputs: ["rows"], windows: { rows: { offset: 10, limit: 5 } } });
  const hold = model.hold({ outputs: ["b"], minInterval: 50 });
  const rows = model.list("rows", { page: 10 });
  await eventually(() => rows.length === 100 && hold.picture.b === 2);
  assert.deepEqual(binds.at(-1), { id: "m", outputs: ["a", "rows", "b"], minInterval: 0 });
  assert.deepEqual([first.picture, windowed.picture], [{ a: 1 }, { rows: { offset: 10, count: 100, rows: list.slice(10, 15) } }]);
  rows.at(95);
  await eventually(() => rows.at(95)?.id === 95);
  assert.equal(windowed.picture.rows.rows[0], windowed.picture.rows.rows[0]);
  await rows.close();
  await windowed.close();
  await eventually(() => binds.at(-1).outputs.length === 2);
  assert.deepEqual(binds.at(-1), { id: "m", outputs: ["a", "b"], minInterval: 50 });
});

test("a client begins without a daemon, and refuses calls until it has one", async (t) => {
  const daemon = await Daemon.start(t);
  await daemon.kill();
  const states = [];
  const client = vm.start({ socket: daemon.socket, session: "begin", backoff: { initial: 1, maximum: 20 }, on: { state: (state) => states.push(state) } });
  t.after(() => client.close());
  assert.equal(client.connectionState, "connecting");
  const view = client.lab.hold({ outputs: ["value", "count.enabled"] });
  const values = [];
  client.lab.watch("value", (value) => values.push(value));
  const { draft } = { draft: client.sendList.hold({ outputs: ["draft"] }).field("draft") };
  await reached(client, "offline");
  assert.ok(client.problem instanceof vm.NoConnection, String(client.problem));
  await assert.rejects(client.lab.set(5), vm.NotConnected);
  await assert.rejects(client.lab.count({ to: 3 }), vm.NotConnected);
  draft.edit("typed while offline");
  const kept = client.lab.set(4, { retry: true });
  await daemon.start();
  await kept;
  await draft.settled();
  assert.deepEqual([client.problem, draft.text, (await client.sendList.read()).draft], [undefined, "typed while offline", "typed while offline"]);
  await eventually(() => view.picture["count.enabled"] === true && view.picture.value === 4);
  assert.deepEqual(states, ["offline", "connected"]);
  await daemon.kill();
  await reached(client, "offline");
  assert.deepEqual(view.picture, { value: 4, "count.enabled": false });
  await daemon.start();
  await eventually(() => view.picture["count.enabled"]);
  assert.deepEqual(values.at(-1), 0);
});

test("while the daemon is silent nothing is enabled, and its answer ends that", async (t) => {
  const { mock } = t.mock.method(globalThis, "setInterval", () => {});
  const daemon = await Daemon.start(t);
  const line = await FaultProxy.start(t, daemon.socket);
  const client = vm.start({ socket: line.socket, session: "silent" });
  t.after(() => client.close());
  const view = client.lab.hold({ outputs: ["count.enabled"] });
  await eventually(() => view.picture["count.enabled"]);
  line.delay = () => 500;
  const tick = mock.calls.at(-1).arguments[0];
  for (let count = 0; count < 12; count++) tick();
  assert.deepEqual([client.connectionState, view.picture["count.enabled"], client.problem.message], ["connecting", false, "The daemon is silent"]);
  await assert.rejects(client.lab.set(1), vm.NotConnected);
  const later = client.lab.hold({ outputs: ["value"] });
  await reached(client, "connected");
  assert.equal(view.picture["count.enabled"], true);
  await eventually(() => later.picture.value === 0);
});

test("after a lost session a field sends again what the person sees, but not what the ViewModel has changed", async (t) => {
  const { daemon, client, other } = await arrange(t);
  const draft = client.sendList.hold({ outputs: ["draft"] }).field("draft");
  const code = client.lab.hold({ outputs: ["code"] }).field("code");
  const word = client.lab.hold({ outputs: ["word"] }).field("word");
  draft.edit("mine");
  code.edit("upper");
  word.edit("mine");
  await Promise.all([draft.settled(), code.settled(), word.settled()]);
  await other.lab.word("of another");
  await eventually(() => word.text === "of another");
  await daemon.kill();
  await daemon.start();
  const texts = async () => [...Object.values(await other.lab.read({ outputs: ["code", "word"] })), (await other.sendList.read({ outputs: ["draft"] })).draft];
  await eventually(async () => (await texts()).join() === "UPPER,,mine", "the texts are sent again");
  await eventually(() => word.text === "");
});

test("a late unbind does not end the binding of a new hold", async (t) => {
  const { client, other } = await arrange(t);
  const before = client.lab.hold({ outputs: ["value"] });
  await eventually(() => before.picture.value === 0);
  let hold;
  client.on("sessionClosed", () => {
    before.close();
    setTimeout(() => (hold = client.lab.hold({ outputs: ["value"] })));
  });
  await other.endSession();
  await eventually(() => hold?.picture.value === 0);
  await client.lab.set(7);
  await eventually(() => hold.picture.value === 7, "the hold follows");
});

test("holds of one list do not get the rows between their windows", async (t) => {
  const { client, other } = await arrange(t);
  await other.lab.append(1000);
  let rows = 0;
  client.on("message", ({ result, params }) => (rows += (result ?? params)?.values?.rows?.rows?.length ?? 0));
  const hold = (rows) => client.lab.hold({ outputs: ["rows"], windows: rows && { rows } });
  const [first, second] = [hold({ offset: 0, limit: 3 }), hold({ offset: 900, limit: 3 })];
  await eventually(() => first.picture.rows && second.picture.rows);
  assert.deepEqual([first, second].map(({ picture }) => picture.rows.rows.map(({ id }) => id)), [[1, 2, 3], [901, 902, 903]]);
  assert.equal(rows, 6);
  const whole = hold();
  assert.deepEqual(whole.picture, {});
  await eventually(() => whole.picture.rows?.length === 1000);
});

test("a call after the end of a session is refused, and not sent later", async (t) => {
  const { client, other } = await arrange(t);
  let call;
  client.on("sessionClosed", () => (call = assert.rejects(client.lab.set(5), vm.NotConnected)));
  await other.endSession();
  await eventually(() => call !== undefined);
  await call;
  await reached(client, "connected");
  assert.equal((await client.lab.read({ outputs: ["value"] })).value, 0);
});

/** Lets what waits for 10 s wait for a moment. The result ends that. */
function hurry(t) {
  const { setTimeout } = globalThis;
  const { mock } = t.mock.method(globalThis, "setTimeout", (action, time) => setTimeout(action, time === 10_000 ? 1 : time));
  return () => mock.restore();
}

test("rows that were asked for without a connection come with the next one", async (t) => {
  const { daemon, other } = await arrange(t);
  const line = await FaultProxy.start(t, daemon.socket);
  const client = vm.start({ socket: line.socket, session: "rows", backoff: { initial: 1, maximum: 20 } });
  t.after(() => client.close());
  await other.lab.append(1000);
  const rows = client.lab.list("rows", { page: 20 });
  await eventually(() => rows.at(0)?.id === 1);
  line.target += ".nobody";
  line.cut();
  await reached(client, "offline");
  const calm = hurry(t);
  rows.at(500);
  await pause(50);
  calm();
  const loaded = [];
  rows.on("change", () => loaded.push(rows.at(500)?.id));
  line.target = daemon.socket;
  await eventually(() => loaded.includes(501));
});

test("a hold that cannot scroll without a connection goes on", async (t) => {
  const daemon = await Daemon.start(t);
  await daemon.kill();
  const client = vm.start({ socket: daemon.socket, session: "rows", backoff: { initial: 1, maximum: 20 } });
  t.after(() => client.close());
  const hold = client.lab.hold({ outputs: ["rows"], windows: { rows: { offset: 0, limit: 2 } } });
  const calm = hurry(t);
  await assert.rejects(hold.scroll("rows", 1), vm.TimedOut);
  calm();
  await daemon.start();
  await eventually(() => hold.picture.rows);
});

test("a field whose binding was closed comes to rest", async (t) => {
  const { client } = await arrange(t);
  const hold = client.sendList.hold({ outputs: ["draft"], minInterval: 60_000 });
  const draft = hold.field("draft");
  await eventually(() => hold.epoch);
  draft.edit("a");
  await eventually(() => hold.picture.draft === "a");
  draft.edit("ab");
  let isSettled = false;
  void draft.settled().then(() => (isSettled = true));
  void hold.close();
  await eventually(() => isSettled, "the field is settled", 3000);
});

test("nothing is enabled after the end of an instance", async (t) => {
  const { client, other } = await arrange(t);
  const hold = client.lab.hold({ outputs: ["count.enabled"] });
  const seen = [];
  client.lab.watch("count.enabled", (isEnabled) => seen.push(isEnabled));
  await eventually(() => seen.at(-1) === true);
  const ended = new Promise((resolve) => hold.on("closed", resolve));
  await other.lab.close();
  assert.ok((await ended) instanceof vm.Closed);
  assert.deepEqual([hold.picture, seen.at(-1)], [{ "count.enabled": false }, false]);
});

test("without splices, other rows in the place of as many are a splice of the whole list", async (t) => {
  const list = (ids, text) => ({ offset: 0, count: ids.length, rows: ids.map((id) => ({ id, text })) });
  let change;
  const { client } = await scriptedDaemon(vm, t, ({ id, method, send }) => {
    change = (seq, rows) => send({ method: "viewModel.changed", params: { id: "m", seq, values: { rows } } });
    send({ id, result: method === "viewModel.bind" ? { id: "m", epoch: "e", seq: 1, full: true, values: { rows: list([1, 2, 3], "a") } } : null });
  });
  const rows = new vm.ViewModel(client, "m").list("rows");
  await eventually(() => rows.length === 3);
  const splices = [];
  rows.on("splice", (splice) => splices.push(splice));
  change(2, list([1, 2, 3], "b"));
  await eventually(() => rows.at(0).text === "b");
  assert.deepEqual(splices, []);
  change(3, list([4, 5, 6], "b"));
  await eventually(() => rows.at(0).id === 4);
  assert.deepEqual(splices, [{ at: 0, removed: 3, inserted: 3 }]);
});
