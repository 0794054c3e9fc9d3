// The tree of differences between two pictures.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { difference } = await load("diff.js");
const short = (one) => one && (one.children ? { [one.kind === "parts" ? one.name : `${one.kind} ${one.name}`]: one.children.map(short) } : `${one.kind} ${one.name}`);

test("equal values have no difference", () => {
  for (const value of [null, 1, "a", [], {}, { a: [1, { b: 2n }] }]) assert.equal(difference(value, structuredClone(value)), undefined);
});

test("members are added, removed and changed", () => {
  assert.deepEqual(short(difference({ a: 1, b: 2, c: { d: null } }, { a: 1, c: { d: 0 }, e: undefined, f: [] }, "x")), { x: [{ c: ["changed d"] }, "added f", "removed b"] });
  assert.deepEqual(difference(1, 2, "n"), { name: "n", kind: "changed", before: 1, after: 2 });
  assert.equal(difference([1], { 0: 1 }, "n").kind, "changed", "an array is no object");
  assert.deepEqual(short(difference({}, JSON.parse('{"__proto__":1}'))), { "": ["added __proto__"] });
});

test("rows are compared by their ids", () => {
  const rows = (...ids) => ids.map((id) => ({ id, text: `row ${id}` }));
  assert.deepEqual(short(difference(rows(1, 2, 3), rows(1, 3, 4))), { "": ["removed 1", "added 2"] });
  const moved = difference(rows(1, 2, 3, 4, 5), rows(5, 1, 2, 3, 4));
  assert.deepEqual(short(moved), { "": ["moved 0"] }, "one row moved, not five");
  assert.equal(moved.children[0].from, 4);
  const changed = [{ id: 1, text: "new" }, ...rows(2)];
  assert.deepEqual(short(difference(rows(1, 2), changed)), { "": [{ 0: ["changed text"] }] });
});

test("lists without ids are compared by place", () => {
  assert.deepEqual(short(difference([1, 2], [1, 3, 4])), { "": ["changed 1", "added 2"] });
  assert.deepEqual(short(difference([{ id: 1 }, { id: 1 }], [{ id: 1 }])), { "": ["removed 1"] }, "ids that stand twice are no ids");
});

test("the work for rows that all move grows with their number", () => {
  let reads = 0;
  const rows = Array.from({ length: 10_000 }, (_, id) => Object.defineProperty({}, "id", { enumerable: true, get: () => (reads++, id) }));
  assert.equal(difference(rows, [...rows].reverse()).children.length, 9999);
  assert.ok(reads < 100 * rows.length, `${reads} reads`);
});
