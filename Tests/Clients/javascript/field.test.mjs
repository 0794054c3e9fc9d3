// Text fields over slow lines: what a person types is never lost, and the caret stays where it is.
//
// The daemon is a model of the protocol's sections 6 and 7 in this process, with delays, `minInterval`, stalls and lost
// connections that a seed determines. Milliseconds are scaled down by 20.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clientAlone, eventually, pause, random } from "./support.mjs";

const scale = 20;

/** What ViewModels do with a text. `refuse` throws. */
const models = {
  echo: (text) => text,
  upper: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
  clear: (text) => (text.endsWith("!") ? "" : text),
  refuse: (text) => (/[0-9]/.test(text) ? undefined : text),
  shorten: (text) => text.slice(0, 12),
};

/** What a model leaves of a text. */
const essence = {
  echo: (text) => text,
  upper: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
};

/** A daemon with one instance `form` that has the field `text`. */
class Model {
  seq = 4;
  text = "";
  reads = 0;
  /** The texts that were applied, by writer. */
  received = [];
  lines = new Set();

  constructor(normalise, next) {
    this.normalise = normalise;
    this.next = next;
  }

  apply(text) {
    const value = this.normalise(text);
    if (value === undefined) throw { code: -32602, message: "Invalid params", data: { path: "/value" } };
    this.seq += 1;
    if (value === this.text) return;
    this.text = value;
    for (const line of this.lines) line.changed();
  }

  /** A transport whose lines have delays of up to `delay` milliseconds each way, and can be cut and stalled. */
  transport(writer, delay) {
    const next = this.next;
    return async ({ message, closed }) => {
      await pause(next.below(delay) / scale);
      let isOpen = true;
      const pipe = () => {
        let last = Promise.resolve();
        return (deliver) => {
          const arrival = pause(next.below(delay) / scale);
          last = last.then(() => arrival).then(() => this.stalled).then(() => isOpen && deliver());
        };
      };
      const [up, down] = [pipe(), pipe()];
      const send = (value) => {
        // A client reads bytes, not objects.
        const text = JSON.stringify(value);
        down(() => message(text));
      };
      const line = {
        minInterval: 0,
        bound: undefined,
        waiting: undefined,
        close: () => {
          if (!isOpen) return;
          isOpen = false;
          clearTimeout(line.waiting);
          this.lines.delete(line);
          closed(new Error("cut"));
        },
        changed: () => {
          if (line.bound === undefined || line.waiting !== undefined) return;
          const rest = line.minInterval / scale - (performance.now() - line.sentAt);
          const frame = () => {
            line.waiting = undefined;
            line.sentAt = performance.now();
            if (line.bound === this.text) return;
            line.bound = this.text;
            send({ jsonrpc: "2.0", method: "viewModel.changed", params: { id: "form", seq: this.seq, values: { text: this.text } } });
          };
          if (rest > 0) line.waiting = setTimeout(frame, rest);
          else frame();
        },
        receive: ({ id, method, params }) => {
          const reply = (result) => send({ jsonrpc: "2.0", id, result });
          if (method === "session.attach") return reply({ session: "desk", epoch: "e1", created: false });
          if (method === "viewModel.bind") {
            line.minInterval = params.minInterval ?? 0;
            line.bound = this.text;
            line.sentAt = performance.now();
            return reply({ id: "form", epoch: "e1", seq: this.seq, full: params.since === undefined, values: { text: this.text } });
          }
          if (method === "viewModel.read") return this.reads++, reply({ id: "form", epoch: "e1", seq: this.seq, values: { text: this.text } });
          if (method !== "form.text") return;
          this.received.push({ writer, text: params.value });
          try {
            this.apply(params.value);
            reply({ seq: this.seq, ...(line.waiting !== undefined && { held: true }) });
          } catch (error) {
            send({ jsonrpc: "2.0", id, error });
          }
        },
      };
      this.lines.add(line);
      return { send: (text) => up(() => line.receive(JSON.parse(text))), close: line.close };
    };
  }

  cut() {
    for (const line of [...this.lines]) line.close();
  }
}

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

async function arrange(t, model, { delay, minInterval }, writers) {
  const fields = [];
  for (let writer = 0; writer < writers; writer++) {
    const client = new vm.Connection({ transport: model.transport(writer, delay), session: "desk", backoff: { initial: 1, maximum: 10 } }, "");
    await client.start();
    t.after(() => client.close());
    const form = new vm.ViewModel(client, "form");
    const binding = await form.bind({ minInterval });
    const input = new Input();
    const field = binding.field("text");
    field.attach(input);
    fields.push({ input, field, binding });
  }
  return fields;
}

const vm = await clientAlone();

const seed = Number(process.env.SEED ?? Date.now() % 1e9);
const rounds = Number(process.env.ROUNDS ?? 12);

for (const [name, normalise] of Object.entries(models)) {
  for (const faults of ["none", "stalls", "losses"]) {
    test(`one writer, ${name}, faults: ${faults}, seed ${seed}`, { timeout: 120_000 }, async (t) => {
      await Promise.all(Array.from({ length: rounds }, async (_, round) => {
        const next = random(seed + round);
        const model = new Model(normalise, next);
        const conditions = { delay: next.of([1, 40, 200, 500]), minInterval: next.of([0, 100, 300]) };
        const [{ input, field, binding }] = await arrange(t, model, conditions, 1);
        let typed = { value: "", caret: 0 };
        for (let key = 0; key < 25; key++) {
          // Nobody but the model changes the text between two keys, so nothing is lost and the caret does not jump.
          if (essence[name]) assert.equal(essence[name](input.value), essence[name](typed.value), `seed ${seed + round}`);
          if (name === "echo") assert.equal(input.selectionStart, typed.caret, `seed ${seed + round}`);
          if (next() < 0.12) input.backspace();
          else if (next() < 0.1) input.selectionStart = input.selectionEnd = next.below(input.value.length + 1);
          else input.type(next.of(["a", "b", "ö", " ", "7", "!", "x", "y", "z"]));
          typed = { value: input.value, caret: input.selectionStart };
          await pause(next.below(120) / scale);
          if (faults === "losses" && next() < 0.08) model.cut();
          if (faults === "stalls" && next() < 0.08) {
            model.stalled = pause(next.below(600) / scale).then(() => (model.stalled = undefined));
          }
        }
        const last = input.value;
        await field.settled();
        await eventually(() => [input.value, field.text, binding.picture.text].every((text) => text === model.text), `one text, seed ${seed + round}`);
        await pause((conditions.minInterval + 4 * conditions.delay) / scale + 20);
        await field.settled();
        const context = JSON.stringify({ seed: seed + round, conditions, last, model: model.text, received: model.received.slice(-3) });
        assert.equal(input.value, model.text, context);
        assert.equal(field.text, model.text, context);
        assert.equal(binding.picture.text, model.text, context);
        if (name === "echo") assert.equal(model.text, last, `no key is lost: ${context}`);
        // One request at a time: each text came after the reply to the one before it, so a slow line has few of them.
        assert.ok(model.received.length <= 30, context);
      }));
    });
  }

  test(`two writers, ${name}, seed ${seed}`, { timeout: 120_000 }, async (t) => {
    await Promise.all(Array.from({ length: rounds }, async (_, round) => {
      const next = random(seed + 1000 + round);
      const model = new Model(normalise, next);
      const conditions = { delay: next.of([1, 100, 500]), minInterval: next.of([0, 300]) };
      const fields = await arrange(t, model, conditions, 2);
      await Promise.all(fields.map(async ({ input }) => {
        for (let key = 0; key < 15; key++) {
          input.type(next.of(["a", "B", " ", "5", "!"]));
          await pause(next.below(150) / scale);
          if (next() < 0.05) model.cut();
        }
      }));
      for (let calm = 0; calm < 3; calm++) {
        for (const { field } of fields) await field.settled();
        await pause((conditions.minInterval + 4 * conditions.delay) / scale + 20);
      }
      await eventually(() => fields.every(({ input, binding }) => input.value === model.text && binding.picture.text === model.text), `one text, seed ${seed + 1000 + round}`);
      const context = JSON.stringify({ seed: seed + 1000 + round, conditions, model: model.text });
      for (const { input, binding } of fields) {
        assert.equal(input.value, model.text, context);
        assert.equal(binding.picture.text, model.text, context);
      }
    }));
  });
}

test("a text that the model rewrites keeps the caret by common prefix and suffix", async (t) => {
  const model = new Model(models.upper, random(seed));
  const [{ input, field }] = await arrange(t, model, { delay: 1, minInterval: 0 }, 1);
  input.type("HELLO WORLD");
  await field.settled();
  input.setSelectionRange(5, 5);
  input.type("x");
  await field.settled();
  assert.deepEqual([input.value, input.selectionStart], ["HELLOX WORLD", 6]);
});

test("what another writer changes before the caret moves the caret", async (t) => {
  const model = new Model(models.echo, random(seed));
  const [{ input, field, binding }] = await arrange(t, model, { delay: 1, minInterval: 0 }, 1);
  input.type("brown fox");
  await field.settled();
  input.setSelectionRange(6, 9);
  model.apply("the quick brown fox");
  await binding.wait((picture) => picture.text.startsWith("the"));
  assert.deepEqual([input.value, input.selectionStart, input.selectionEnd], ["the quick brown fox", 16, 19]);
});

test("nothing is rewritten while an input method composes", async (t) => {
  const model = new Model(models.upper, random(seed));
  const [{ input, field, binding }] = await arrange(t, model, { delay: 20, minInterval: 0 }, 1);
  input.type("a");
  await input.compose(["n", "ni", "nih", "niha", "nihao", "你好"], () => pause(4));
  assert.equal(input.disturbed, 0);
  await field.settled();
  assert.equal(input.value, "A你好");
  // A change of somebody else during a composition is shown after it, unless the person changed the text.
  const composing = input.compose(["k", ""], () => pause(15));
  model.apply("else");
  await composing;
  assert.equal(input.disturbed, 0);
  await field.settled();
  await binding.wait((picture) => picture.text === model.text);
  assert.equal(input.value, model.text);
});

test("a text that is refused gives way to that of the model, and the field says why", async (t) => {
  const model = new Model(models.refuse, random(seed));
  const [{ input, field }] = await arrange(t, model, { delay: 20, minInterval: 200 }, 1);
  const refused = [];
  field.on("refused", (error) => refused.push(error.code));
  input.type("ab");
  input.type("1");
  await field.settled();
  assert.deepEqual([input.value, refused], ["ab", [-32602]]);
});

test("a value that turns back before its frame is shown, also when no frame comes", async (t) => {
  const model = new Model(models.echo, random(seed));
  const [{ input, field, binding }] = await arrange(t, model, { delay: 0, minInterval: 4000 }, 1);
  input.type("a");
  while (model.reads === 0) await pause(1);
  assert.equal(model.text, "a");
  const before = binding.picture.text;
  // Another writer takes the text back while the frame of the first change waits. The frame is then dropped.
  model.apply(before);
  await field.settled();
  assert.equal(model.text, before);
  assert.equal(input.value, before);
});
