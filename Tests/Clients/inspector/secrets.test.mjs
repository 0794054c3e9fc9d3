// Passwords reach neither the timeline nor the clipboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { Contract } = await load("contract.js");
const { hasSecret, masked, Secrets } = await load("secrets.js");

const password = { type: "string", format: "password", writeOnly: true };
const credentials = { type: "object", properties: { account: { type: "string" }, password, _meta: { type: "object" } }, required: ["account", "password"] };
const contract = new Contract({ components: { schemas: { Key: { type: "object", properties: { name: { type: "string" }, code: password } } } }, "x-viewModels": { login: {
  outputs: { keys: { kind: "list", schema: { type: "array", items: { $ref: "#/components/schemas/Key" } } }, told: { kind: "event", schema: password }, state: { kind: "state", schema: { type: "string" } } },
} } });
const secret = "hunter2hunter2";
const schemaOf = (source) => contract.schema(source);

test("a message without a secret stays as it crossed", () => {
  const text = '{ "jsonrpc":"2.0",  "id":1.0,"method":"login.account","params":["ada"] }';
  assert.equal(new Secrets(contract).redact(text).text, text);
});

for (const [place, value, schema] of [
  ["an input", secret, password], ["a member of params", { account: "ada", password: secret }, credentials], ["a mistyped member", { account: "ada", pasword: secret }, credentials],
  ["an unexpected place", { account: "ada", password: { nested: [secret] } }, credentials], ["a union", { code: secret }, { anyOf: [{ type: "null" }, { $ref: "#/components/schemas/Key" }] }],
]) {
  test(`a secret in ${place} has a pseudonym in each later message`, () => {
    const secrets = new Secrets(contract);
    secrets.learn(value, schemaOf(schema));
    for (const message of [{ id: 1, method: "login.x", params: value }, { id: 1, error: { data: { found: secret } } }, { id: 1, error: { message: `no ${secret}!` } }, { method: "viewModel.changed", params: { patch: [{ value: { a: secret } }] } }]) {
      const { text } = secrets.redact(JSON.stringify(message));
      assert.ok(!text.includes(secret), text);
      assert.match(text, /secret-[0-9a-f]{16}/);
    }
    if (value.account) assert.ok(secrets.redact(JSON.stringify({ params: value })).text.includes('"ada"'));
  });
}

test("secrets that the daemon sends have pseudonyms", () => {
  for (const message of [
    { id: 2, result: { id: "login", seq: 1, values: { keys: [{ name: "n", code: secret }] } } },
    { method: "viewModel.changed", params: { id: "login", values: { keys: { offset: 0, count: 1, rows: [{ code: secret }] } } } },
    { method: "viewModel.changed", params: { id: "login", events: [{ output: "told", value: secret }] } },
  ]) assert.ok(!new Secrets(contract).redact(JSON.stringify(message)).text.includes(secret), JSON.stringify(message));
});

test("equal secrets have equal pseudonyms, and a short one is replaced as a whole only", () => {
  const secrets = new Secrets(contract);
  secrets.learn("abc", schemaOf(password));
  secrets.learn(12345678, schemaOf(password));
  const { params } = JSON.parse(secrets.redact('{"id":"abc","method":"abc","params":["abc","abcd",12345678,{"abc":"abc"}]}').text);
  assert.match(params[0], /^secret-/);
  assert.deepEqual([params[1], params[3].abc], ["abcd", params[0]]);
  assert.match(params[2], /^secret-/);
  const other = new Secrets(contract);
  other.learn("abc", schemaOf(password));
  assert.notEqual(JSON.parse(other.redact('["abc"]').text)[0], params[0]);
});

test("the password of a URL is hidden", () => {
  assert.equal(new Secrets(contract).redact(`{"params":["https://me:${secret}@host/"]}`).text, '{"params":["https://me:secret-url@host/"]}');
});

test("what a person sees or copies is masked", () => {
  assert.deepEqual(masked({ account: "ada", password: secret }, schemaOf(credentials)), { account: "ada", password: "••••••••" });
  assert.deepEqual(masked([{ code: secret }], schemaOf({ type: "array", items: { $ref: "#/components/schemas/Key" } })), [{ code: "••••••••" }]);
  assert.ok(hasSecret(schemaOf({ anyOf: [{ type: "null" }, { $ref: "#/components/schemas/Key" }] })));
  assert.ok(!hasSecret(schemaOf({ type: "array", items: { type: "string" } })));
});
