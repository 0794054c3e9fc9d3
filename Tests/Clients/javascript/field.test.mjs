// Text fields over slow lines: what a person types is never lost, and the caret stays where it is.
//
// Delays, `minInterval`, stalls and lost connections are random, from a seed. Milliseconds are scaled down by 20.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FaultProxy } from "./fault-proxy.mjs";
import { Daemon, clientOf, eventually, pause, random, scriptedDaemon } from "./support.mjs";

const scale = 20;

/** Fields of the daemon, and what their ViewModels leave of a text while it is typed. */
const boxes = {
  echo: { owner: "sendList", name: "draft", essence: (text) => text },
  upper: { owner: "lab", name: "code", essence: (text) => text.trim().toUpperCase() },
  refuse: { owner: "lab", name: "word" },
};

/** An `<input>` with a person before it. */
class Input extends EventTarget {
  #value = "";
  selectionStart = 0;
  selectionEnd = 0;
  isComposing = false;
  /** How often the program wrote while an input method composed. */
  disturbed = 0;

  get value() {
    return this.#value;
  }

  set value(text) {
    if (this.isComposing) this.disturbed += 1;
    this.#value = text;
    this.selectionStart = this.selectionEnd = text.length;
  }

  setSelectionRange(start, end) {
    this.selectionStart = start;
    this.selectionEnd = end;
  }

  /** Types at the caret. */
  type(text) {
    const at = this.selectionStart;
    this.#value = this.#value.slice(0, at) + text + this.#value.slice(this.selectionEnd);
    this.selectionStart = this.selectionEnd = at + text.length;
    this.dispatchEvent(new Event("input"));
  }

  backspace() {
    const at = this.selectionStart;
    if (at === 0) return;
    this.#value = this.#value.slice(0, at - 1) + this.#value.slice(at);
    this.selectionStart = this.selectionEnd = at - 1;
    this.dispatchEvent(new Event("input"));
  }

  /** Composes a text from others, which replace each other. */
  async compose(steps, wait) {
    this.isComposing = true;
    this.dispatchEvent(new Event("compositionstart"));
    const at = this.selectionStart;
    let length = 0;
    for (const step of steps) {
      this.#value = this.#value.slice(0, at) + step + this.#value.slice(at + length);
      length = step.length;
      this.selectionStart = this.selectionEnd = at + length;
      this.dispatchEvent(new Event("input"));
      await wait();
    }
    this.isComposing = false;
    this.dispatchEvent(new Event("compositionend"));
  }
}

const daemon = await Daemon.start({ after });
const vm = await clientOf(daemon);
const seed = Number(process.env.SEED ?? Date.now() % 1e9);
const rounds = Number(process.env.ROUNDS ?? 12);
let sessions = 0;

/** Writers of one field in a session of its own, each on a line with random delays. */
async function arrange(t, { owner, name }, next, writers, { slowest = 500, faults = "none" } = {}) {
  const session = `field-${sessions += 1}`;
  return Promise.all(Array.from({ length: writers }, async (_, writer) => {
    const line = await FaultProxy.start(t, daemon.socket, `.${session}.${writer}`);
    const delay = next.of([1, 40, 200, 500].filter((one) => one <= slowest));
    line.delay = () => (next.below(delay) + (faults === "stalls" && next() < 0.1 ? next.below(600) : 0)) / scale;
    const client = await vm.connect({ socket: line.socket, session, backoff: { initial: 1, maximum: 10 } });
    t.after(() => client.endSession().catch(() => {}).then(() => client.close()));
    const model = client[owner];
    const binding = await model.bind({ outputs: [name], minInterval: next.of([0, 100, 300]) / scale });
    const [input, field] = [new Input(), binding.field(name)];
    field.attach(input);
    return { line, model, binding, input, field };
  }));
}

/** Waits until all writers show the text of the daemon, and returns it. */
async function agree(writers, { name }, context) {
  for (const { field } of writers) await field.settled();
  const text = (await writers[0].model.read({ outputs: [name] }))[name];
  const isShown = ({ input, field, binding }) =>
    [input.value, field.text, binding.picture[name]].every((one) => one === text);
  await eventually(() => writers.every(isShown), `one text, ${context}: ${text}`);
  return text;
}

for (const [kind, box] of Object.entries(boxes)) {
  for (const faults of ["none", "stalls", "losses"]) {
    test(`one writer, ${kind}, faults: ${faults}, seed ${seed}`, { timeout: 120_000 }, async (t) => {
      await Promise.all(Array.from({ length: rounds }, async (_, round) => {
        const context = `seed ${seed + round}`;
        const next = random(seed + round);
        const [writer] = await arrange(t, box, next, 1, { faults });
        const { input, line } = writer;
        let typed = { value: "", caret: 0 };
        for (let key = 0; key < 25; key++) {
          // Nobody but the ViewModel changes the text between two keys, so nothing is lost and the caret does not jump.
          if (box.essence) assert.equal(box.essence(input.value), box.essence(typed.value), context);
          if (kind === "echo") assert.equal(input.selectionStart, typed.caret, context);
          if (next() < 0.12) input.backspace();
          else if (next() < 0.1) input.selectionStart = input.selectionEnd = next.below(input.value.length + 1);
          else input.type(next.of(["a", "b", "ö", " ", "7", "!", "x", "y", "z"]));
          typed = { value: input.value, caret: input.selectionStart };
          await pause(next.below(120) / scale);
          if (faults === "losses" && next() < 0.08) line.cut();
        }
        const last = input.value;
        const text = await agree([writer], box, context);
        if (kind === "echo") assert.equal(text, last, `no key is lost: ${context}`);
      }));
    });
  }

  test(`two writers, ${kind}, seed ${seed}`, { timeout: 120_000 }, async (t) => {
    await Promise.all(Array.from({ length: rounds }, async (_, round) => {
      const next = random(seed + 1000 + round);
      const writers = await arrange(t, box, next, 2);
      await Promise.all(writers.map(async ({ input, line }) => {
        for (let key = 0; key < 15; key++) {
          input.type(next.of(["a", "B", " ", "5", "!"]));
          await pause(next.below(150) / scale);
          if (next() < 0.05) line.cut();
        }
      }));
      await agree(writers, box, `seed ${seed + 1000 + round}`);
    }));
  });
}

const quick = { slowest: 1 };

test("a text that the ViewModel rewrites keeps the caret by common prefix and suffix", async (t) => {
  const [{ input, field }] = await arrange(t, boxes.upper, random(seed), 1, quick);
  input.type("HELLO WORLD");
  await field.settled();
  input.setSelectionRange(5, 5);
  input.type("x");
  await field.settled();
  assert.deepEqual([input.value, input.selectionStart], ["HELLOX WORLD", 6]);
});

test("what another writer changes before the caret moves the caret", async (t) => {
  const [{ input, field, binding }, other] = await arrange(t, boxes.echo, random(seed), 2, quick);
  assert.equal(binding.field("draft"), field);
  input.type("brown fox");
  await field.settled();
  input.setSelectionRange(6, 9);
  await other.model.draft("the quick brown fox");
  await binding.wait((picture) => picture.draft.startsWith("the"));
  assert.deepEqual([input.value, input.selectionStart, input.selectionEnd], ["the quick brown fox", 16, 19]);
});

test("nothing is rewritten while an input method composes", async (t) => {
  const [writer, other] = await arrange(t, boxes.upper, random(seed), 2, quick);
  const { input, field, binding } = writer;
  input.type("a");
  await input.compose(["n", "ni", "nih", "niha", "nihao", "你好"], () => field.settled());
  assert.equal(input.disturbed, 0);
  await field.settled();
  assert.equal(input.value, "A你好");
  // A change of somebody else during a composition is shown after it, unless the person changed the text.
  await input.compose(["k", ""], async () => {
    await other.model.code("else");
    await binding.wait((picture) => picture.code === "ELSE");
    await field.settled();
  });
  assert.equal(input.disturbed, 0);
  await agree([writer], boxes.upper, "after the composition");
});

test("a text that is refused gives way to that of the ViewModel, and the field says why", async (t) => {
  const [{ input, field }] = await arrange(t, boxes.refuse, random(seed), 1, quick);
  const refused = [];
  field.on("refused", (error) => refused.push(error.code));
  input.type("ab");
  input.type("1");
  await field.settled();
  assert.deepEqual([input.value, refused], ["ab", [-32602]]);
});

test("a call finds what was typed before it, and only the last reply counts", async (t) => {
  const sent = [];
  const { client } = await scriptedDaemon(vm, t, ({ id, method, params, send }) => {
    const state = { id: "form", epoch: "e", seq: 1, values: { text: "" } };
    if (method === "viewModel.bind") return send({ id, result: { ...state, full: true } });
    if (!method.startsWith("form.")) return;
    sent.push([id, method, params?.value]);
    if (method !== "form.add") return;
    const [first, second] = sent;
    send({ id: first[0], error: { code: -32602, message: "Invalid params" } });
    send({ method: "viewModel.changed", params: { id: "form", seq: 2, values: { text: "milk" } } });
    send({ id: second[0], result: { seq: 2 } });
    send({ method: "viewModel.changed", params: { id: "form", seq: 3, values: { text: "" } } });
    send({ id, result: null });
  });
  const field = (await new vm.ViewModel(client, "form").bind()).field("text");
  const refused = [];
  field.on("refused", (error) => refused.push(error));
  for (const typed of ["m", "mi", "milk"]) field.edit(typed);
  await client.call("form.add");
  await field.settled();
  assert.deepEqual(sent.map(([, ...one]) => one), [["form.text", "m"], ["form.text", "milk"], ["form.add", undefined]]);
  assert.deepEqual([field.text, refused], ["", []]);
});

test("a value that turns back before its frame is shown, also when no frame comes", async (t) => {
  // Another writer takes the text back while the frame of the first change waits. The frame is then dropped.
  const reads = [{ seq: 2, values: { text: "a" } }, { seq: 3, values: { text: "" } }];
  const { client } = await scriptedDaemon(vm, t, ({ id, method, send }) => {
    const state = { id: "form", epoch: "e", seq: 1, values: { text: "" } };
    if (method === "viewModel.bind") send({ id, result: { ...state, full: true } });
    if (method === "form.text") send({ id, result: { seq: 2, held: true } });
    if (method === "viewModel.read") send({ id, result: { ...state, ...reads.shift() } });
  });
  const [input, field] = [new Input(), (await new vm.ViewModel(client, "form").bind()).field("text")];
  field.attach(input);
  input.type("a");
  await field.settled();
  assert.deepEqual([input.value, reads], ["", []]);
});

/** A field of a daemon that accepts what `answer` returns for it. */
async function scriptedField(t, value, answer = (value) => value, Type = vm.ViewModel) {
  const sent = [];
  const bind = { id: "form", epoch: "e", seq: 1, full: true };
  const { client } = await scriptedDaemon(vm, t, async ({ id, method, params, send }) => {
    if (method === "viewModel.bind") return send({ id, result: { ...bind, values: { it: value } } });
    if (method === "viewModel.read") return send({ id, result: { ...bind, values: { it: value } } });
    sent.push(params.value);
    const next = await answer(params.value);
    if (next instanceof Error) return send({ id, error: { code: -32602, message: next.message } });
    value = next;
    send({ method: "viewModel.changed", params: { id: "form", seq: sent.length + 1, values: { it: value } } });
    send({ id, result: { seq: sent.length + 1 } });
  });
  return { field: new Type(client, "form").hold({ outputs: ["it"] }).field("it"), sent };
}

for (const [type, first, act, expected] of [
  ["number", 5, (one) => (one.value = "25", one.dispatchEvent(new Event("input")), one.dispatchEvent(new Event("change"))), 25],
  ["number", 5, (one) => (one.value = "", one.dispatchEvent(new Event("blur"))), null],
  ["range", 5, (one) => (one.value = "7", one.dispatchEvent(new Event("input"))), 7],
  ["checkbox", false, (one) => (one.checked = true, one.dispatchEvent(new Event("input"))), true],
  ["select-one", "a", (one) => (one.value = "b", one.dispatchEvent(new Event("input"))), "b"],
  ["select-one", 1, (one) => (one.value = "2", one.dispatchEvent(new Event("input"))), 2],
]) test(`an element of the type ${type} with ${first} sends ${expected}`, async (t) => {
  const { field, sent } = await scriptedField(t, first);
  const element = Object.assign(new EventTarget(), { type, value: "", checked: undefined, selectionStart: null });
  field.attach(element);
  await eventually(() => field.text === first);
  assert.equal(type === "checkbox" ? element.checked : element.value, type === "checkbox" ? first : String(first));
  act(element);
  await field.settled();
  element.dispatchEvent(new Event("blur"));
  await field.settled();
  assert.deepEqual([sent, field.text], [[expected], expected ?? ""]);
});

for (const [type, first, shown, chosen, sends] of [
  ["datetime-local", new Date(2026, 11, 24, 11, 0, 30), "2026-12-24T11:00", "2027-01-02T03:04", new Date(2027, 0, 2, 3, 4)],
  ["date", new Date(2026, 11, 24, 11), "2026-12-24", "2027-01-02", new Date(2027, 0, 2)],
]) test(`an element of the type ${type} shows and sends a local date, or null`, async (t) => {
  const Dated = class extends vm.ViewModel {
    static contract = { outputs: { it: vm.date } };
  };
  const { field, sent } = await scriptedField(t, first.toISOString(), (value) => value, Dated);
  const element = Object.assign(new EventTarget(), { type, value: "", selectionStart: null });
  field.attach(element);
  await eventually(() => element.value === shown);
  for (const value of [shown, chosen.replace("2027", "0002"), chosen, ""]) {
    element.value = value;
    for (const event of ["input", "change"]) element.dispatchEvent(new Event(event));
    await field.settled();
    assert.equal(element.value, value, "what is being typed stays");
  }
  element.dispatchEvent(new Event("blur"));
  await field.settled();
  assert.deepEqual(sent, [sends.toISOString(), null]);
});

test("a number is neither sent nor replaced before it is complete", async (t) => {
  const { field, sent } = await scriptedField(t, 5);
  const element = Object.assign(new EventTarget(), { type: "number", value: "", selectionStart: null });
  field.attach(element);
  await eventually(() => element.value === "5");
  element.value = "1";
  element.dispatchEvent(new Event("input"));
  field.edit(6);
  await field.settled();
  assert.deepEqual([sent, element.value], [[6], "1"]);
  element.dispatchEvent(new Event("blur"));
  await field.settled();
  assert.deepEqual([sent, element.value], [[6, 1], "1"]);
});

test("a radio button sends its value when it is chosen", async (t) => {
  const { field, sent } = await scriptedField(t, "a");
  const [a, b] = ["a", "b"].map((value) => Object.assign(new EventTarget(), { type: "radio", value, checked: false }));
  for (const one of [a, b]) field.attach(one);
  await eventually(() => a.checked && !b.checked);
  [a.checked, b.checked] = [false, true];
  b.dispatchEvent(new Event("input"));
  a.dispatchEvent(new Event("blur"));
  await field.settled();
  assert.deepEqual([sent, a.checked, b.checked], [["b"], false, true]);
});

test("a late refusal is not that of a newer text", async (t) => {
  let refuse;
  const { field } = await scriptedField(t, "", (value) => value === "bad" ? new Promise((done) => (refuse = () => done(new Error("no")))) : value);
  field.edit("bad");
  await eventually(() => refuse);
  field.edit("good");
  refuse();
  await field.settled();
  assert.deepEqual([field.text, field.error], ["good", undefined]);
});
