// The connection is cut at every byte of a recorded session, in both directions. The client ends with the picture of
// the daemon, and nothing ran twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FaultProxy } from "./fault-proxy.mjs";
import { Daemon, clientOf } from "./support.mjs";

/** `STEP=7` cuts at every seventh byte. */
const step = Number(process.env.STEP ?? 1);

async function session(vm, proxy, name) {
  const states = [];
  const client = await vm.connect({
    socket: proxy.socket, session: name, linger: 60, backoff: { initial: 1, maximum: 4 }, on: { state: (state) => states.push(state) },
  });
  const { lab, sendList } = client;
  const binding = await lab.bind({ outputs: ["value", "double", "rows", "bell"] });
  const form = await sendList.bind({ outputs: ["draft"] });
  const events = [];
  binding.on("event", ({ value }) => events.push(value));
  const retry = { retry: true };

  await lab.append(3, retry);
  const field = form.field("draft");
  field.edit("k");
  field.edit("key €");
  await lab.update({ id: 2, text: "ä€𝄞 \\ \"" }, retry);
  const outcomes = await Promise.allSettled([
    lab.sleepConcurrent({ milliseconds: 2 }, retry),
    lab.set(7),
    lab.ring("once", retry),
    lab.sleepConcurrent({ milliseconds: 1 }),
    lab.removeRows([1], retry),
  ]);
  await field.settled();
  const order = (await lab.sleepConcurrent({ milliseconds: 0 }, retry)).order;

  const unknown = outcomes.map(({ status, reason }) => {
    if (status === "rejected" && !(reason instanceof vm.OutcomeUnknown)) throw reason;
    return status === "rejected";
  });
  assert.deepEqual(unknown.filter((_, index) => ![1, 3].includes(index)), [false, false, false], "what has a key is repeated");
  const runs = [2 + (unknown[3] ? 0 : 1)].concat(unknown[3] ? [3] : []);
  assert.ok(runs.includes(order), `each action ran once: ${order} of ${runs}`);
  const truth = await lab.read({ outputs: ["value", "double", "rows"] });
  assert.deepEqual(binding.picture, truth);
  assert.deepEqual(truth.rows, [{ id: 2, text: "ä€𝄞 \\ \"" }, { id: 3, text: "row 3" }]);
  if (!unknown[1]) assert.equal(truth.value, 7);
  assert.deepEqual(events, ["once"]);
  assert.equal((await sendList.read({ outputs: ["draft"] })).draft, "key €");
  assert.deepEqual([field.text, form.picture.draft], ["key €", "key €"]);
  await client.endSession().catch((error) => assert.ok(error instanceof vm.OutcomeUnknown || error instanceof vm.Closed));
  await client.close();
}

test("a cut at every byte", { timeout: 1_200_000 }, async (t) => {
  const daemon = await Daemon.start(t);
  const vm = await clientOf(daemon);
  const proxies = await Promise.all([0, 1, 2, 3].map((lane) => FaultProxy.start(t, daemon.socket, `.${lane}`)));
  const [first] = proxies;
  await session(vm, first, "recorded");
  const faults = [];
  for (const direction of ["up", "down"]) {
    for (let at = 0; at < first.bytes[direction]; at += step) faults.push({ direction, at });
  }
  t.diagnostic(`${first.bytes.up} bytes up, ${first.bytes.down} bytes down, ${faults.length} cuts`);
  let cuts = 0;
  await Promise.all(proxies.map(async (proxy, lane) => {
    for (let index = lane; index < faults.length; index += proxies.length) {
      const fault = faults[index];
      proxy.cuts = 0;
      proxy.fault = fault;
      try {
        await session(vm, proxy, `cut-${fault.direction}-${fault.at}`);
      } catch (error) {
        error.message += ` (cut ${fault.direction} at ${fault.at})`;
        throw error;
      }
      cuts += proxy.cuts;
      proxy.fault = undefined;
    }
  }));
  assert.ok(cuts > faults.length * 0.9, `${cuts} of ${faults.length} cuts took place`);
});
