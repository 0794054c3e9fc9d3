// JSON, text and numbers of the page, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { parse, stringify, isEqual } = await load("json.js");
const { visible, hasHidden, brief, size } = await load("safe-text.js");
const { extent, maximumHeight, positionOf, rowAt, wantedWindow } = await load("virtual-list.js");
const { duration } = await load("health.js");

test("integers keep all their digits", () => {
  for (const text of ['{"a":12345678901234567890}', "-9007199254740993", "[9007199254740991,9007199254740992]", '"12345678901234567890"', '{"a":"\\"123456789012345678"}']) {
    assert.equal(stringify(parse(text)), text);
  }
  assert.equal(parse("9007199254740993"), 9007199254740993n);
  assert.equal(typeof parse("9007199254740992"), "number");
  assert.equal(parse("1234567890123456.5"), 1234567890123456.5);
  assert.deepEqual(parse("[0.016666666666666666,-1.2345678901234567e-20,1e22]"), [1 / 60, -1.2345678901234567e-20, 1e22]);
});

test("a member called __proto__ is a member like others", () => {
  const value = parse('{"__proto__":{"a":1}}');
  assert.equal(stringify(value), '{"__proto__":{"a":1}}');
  assert.equal({}.a, undefined);
  assert.ok(isEqual(value, parse('{"__proto__":{"a":1}}')));
  assert.ok(!isEqual(value, {}));
});

test("hidden characters are visible, and scripts and emoji stay as they are", () => {
  assert.equal(visible("a\u0000b\u001bc\u007f"), "a␀b␛c␡");
  assert.equal(visible("\u202eevil\u2066"), "⟨U+202E⟩evil⟨U+2066⟩");
  assert.equal(visible("\u2028\ufeff\u200b\ud800"), "⟨U+2028⟩⟨U+FEFF⟩⟨U+200B⟩⟨U+D800⟩");
  for (const text of ["Größe, 名前, עִבְרִית", "👩‍👩‍👧", "می‌خواهم", "a\n\tb"]) {
    assert.equal(visible(text), text);
    assert.ok(!hasHidden(text), text);
  }
  assert.ok(hasHidden("\u202e"));
  assert.equal(brief("a\nb  c"), "a b c");
  assert.ok(brief("x".repeat(200)).length === 80);
});

test("sizes and durations are short", () => {
  assert.deepEqual([0, 999, 1500, 9960, 16_000_000, 999_600].map(size), ["0 B", "999 B", "1.5 KB", "10 KB", "16 MB", "1.0 MB"]);
  assert.deepEqual([0.00025, 0.0123, 1.5, 300, 7300, 200_000].map(duration), ["250 µs", "12 ms", "1.5 s", "5 min", "2 h", "2 d"]);
});

test("a million rows scroll to each row, within the height that a browser shows", () => {
  for (const count of [1, 9, 1000, 1_000_000, 50_000_000]) {
    const list = { count, rowHeight: 28, viewHeight: Math.min(10, count) * 28 };
    const { height, range, lastFirst } = extent(list);
    assert.ok(height <= maximumHeight);
    assert.equal(rowAt(0, list), 0);
    assert.equal(rowAt(range, list), lastFirst);
    assert.equal(lastFirst, Math.max(0, count - 10));
    for (const row of [0, 3, Math.floor(count / 2), count - 11].filter((one) => one >= 0 && one <= lastFirst)) {
      assert.ok(Math.abs(rowAt(positionOf(row, list), list) - row) < 1e-3, `${row} of ${count}`);
    }
  }
});

test("a window is bound again only when visible rows are missing", () => {
  assert.equal(wantedWindow(0, 10, 1000, { offset: 0, limit: 20 }), undefined);
  assert.deepEqual(wantedWindow(500.4, 10, 1000, { offset: 0, limit: 20 }), { offset: 490, limit: 30 });
  assert.equal(wantedWindow(500.4, 10, 1000, { offset: 490, limit: 30 }), undefined);
  assert.equal(wantedWindow(995, 10, 1000, { offset: 985, limit: 15 }), undefined, "the end of the list is enough");
  assert.equal(wantedWindow(0, 10, 0, { offset: 0, limit: 0 }), undefined);
});
