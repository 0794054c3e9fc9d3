// What the page makes of JSON Schema: kinds, fields, values.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "./support.mjs";

const { Schema } = await load("schema.js");
const { Field, FormError } = await load("form-model.js");
const { Contract } = await load("contract.js");

const document = { components: { schemas: {
  Color: { type: "string", enum: ["red", "", "blue"], oneOf: [{ const: "red", title: "warm", description: "Like fire." }] },
  Tree: { type: "object", properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } }, required: ["value"] },
  Loop: { $ref: "#/components/schemas/Loop" }, Nested: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/components/schemas/Nested" } }] },
  "a/b": { type: "integer" },
} } };
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const schemaOf = (source) => new Schema(source, document);
const kind = (source) => schemaOf(source).kind;

test("each schema has a kind, and what is unknown is any JSON", () => {
  const cases = {
    date: { type: "string", format: "date-time" }, bytes: { type: "string", contentEncoding: "base64" }, decimal: { type: "string", format: "decimal" },
    password: { type: "string", format: "password" }, enum: ref("Color"), object: ref("Tree"), dictionary: { type: "object", additionalProperties: { type: "integer" } },
    array: { type: "array" }, null: { type: "null" }, union: { type: ["string", "integer", "null"] }, integer: ref("a~1b"), string: { type: "string", format: "unheard-of" },
  };
  for (const [expected, schema] of Object.entries(cases)) assert.equal(kind(schema), expected);
  for (const schema of [{}, true, null, undefined, ref("Loop"), ref("missing"), { $ref: "http://elsewhere/" }, { type: "string", not: {} }, { allOf: [{}] }, { type: "novel" }]) {
    assert.equal(kind(schema), "any", JSON.stringify(schema));
  }
});

test("null, alone or among alternatives, makes a value nullable", () => {
  assert.deepEqual([{ anyOf: [{ type: "string" }, { type: "null" }] }, { enum: ["a", null] }, { type: ["integer", "null"] }].map((one) => [kind(one), schemaOf(one).isNullable]),
    [["string", true], ["enum", true], ["integer", true]]);
  assert.equal(kind({ anyOf: [{ type: "null" }] }), "null");
});

test("a schema that contains itself ends", () => {
  const inner = (schema) => schema.members[1][1].items;
  assert.equal(inner(inner(schemaOf(ref("Tree")))).kind, "object");
  const tree = new Field(schemaOf(ref("Tree")));
  const [, children] = tree.members;
  assert.deepEqual([tree.members[0].isRequired, children.isOptional], [true, true]);
  assert.equal(children.part(children.schema.items, "0").members[1].path, "/children/0/children");
  assert.equal(schemaOf(ref("Nested")).variants[1].items.kind, "union");
  assert.deepEqual(new Field(schemaOf({ anyOf: [ref("Tree"), ref("Color"), { type: "array" }] })).titles, ["Tree", "Color", "array"]);
  assert.ok(schemaOf(ref("Nested")).fits([["a"], "b"]));
  assert.ok(!schemaOf(ref("Nested")).fits(1));
});

test("params are by name for objects only", () => {
  assert.ok(schemaOf(ref("Tree")).isByName());
  assert.ok(schemaOf({ anyOf: [ref("Tree"), { type: "object" }] }).isByName());
  for (const schema of [{ type: "string" }, {}, { anyOf: [ref("Tree"), { type: "null" }] }, { anyOf: [ref("Tree"), { type: "string" }] }]) assert.ok(!schemaOf(schema).isByName());
  const params = (source, value) => schemaOf(source).params(value);
  assert.deepEqual(params({ type: "string" }, "a"), { value: "a" });
  assert.deepEqual(params(ref("Tree"), { value: "a" }), { value: "a" });
  assert.equal(params({ type: "null" }, null), undefined);
  assert.deepEqual(params({}, null), { value: null });
});

test("texts become values, or an error that says what is expected", () => {
  const field = (source) => new Field(schemaOf(source), "x", "/x");
  const integer = field({ type: "integer", minimum: 0, maximum: 100 });
  assert.deepEqual(["7", " +7 ", "007", "-0", "1e3", "5.0", "12345678901234567890"].map((text) => integer.read(text)), [7, 7, 7, -0, 1000, 5, 12345678901234567890n]);
  for (const text of ["", "x", "1.5", "1 2", "Infinity", "0x10", "--1"]) {
    assert.throws(() => integer.read(text), (error) => error instanceof FormError && error.path === "/x" && /an integer from 0 to 100/.test(error.message), text);
  }
  assert.deepEqual([".5", "-1.25e-3"].map((text) => field({ type: "number" }).read(text)), [0.5, -0.00125]);
  assert.throws(() => field({ type: "number" }).read("1e999"), FormError);
  assert.deepEqual(field({}).read('{"a":[1]}'), { a: [1] });
  assert.throws(() => field({}).read("{"), FormError);
  assert.equal(field({ type: "string", format: "decimal" }).read("19.990"), "19.990");
});

test("bounds are words", () => {
  const text = (source) => new Field(schemaOf(source)).expected;
  assert.equal(text({ type: "string", minLength: 3, maxLength: 64 }), "a text from 3 to 64 characters");
  assert.equal(text({ type: "integer", maximum: 9 }), "an integer of at most 9");
  assert.equal(text({ type: "string", pattern: "^a" }), "a text that matches ^a");
});

test("an enum explains its cases", () => {
  const color = schemaOf(ref("Color"));
  assert.equal(color.titleOf("red"), "warm: Like fire.");
  assert.equal(color.titleOf("blue"), undefined);
  const mode = schemaOf({ type: "string", oneOf: [{ const: "fast", description: "Quick." }, { const: "slow" }] });
  assert.deepEqual([mode.kind, mode.values, mode.titleOf("fast")], ["enum", ["fast", "slow"], "Quick."]);
});

test("each part of an adversarial contract has a kind", () => {
  const script = fileURLToPath(new URL("../adversarial.py", import.meta.url));
  const adversary = JSON.parse(execFileSync("python3", [script], { maxBuffer: 1 << 26 }));
  const contract = new Contract(adversary);
  let count = 0;
  const walk = (schema, depth) => {
    count++;
    assert.equal(typeof schema.kind, "string");
    if (depth > 0) for (const one of schema.parts) walk(one, depth - 1);
  };
  for (const name of contract.types.keys()) {
    for (const { schema } of [...contract.outputs(name), ...contract.calls(name, "inputs"), ...contract.calls(name, "actions")]) walk(schema, 5);
  }
  assert.ok(count > 1000, String(count));
  assert.ok(!contract.outputs("hard").some(({ name }) => name.endsWith(".enabled")));
});
