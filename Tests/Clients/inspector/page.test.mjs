// Rules for the files of the page: safety, colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { files } from "./support.mjs";

const all = files();
/** Those that are written by hand. */
const scripts = all.filter(([name]) => name.endsWith(".js") && name !== "client.js");
const documents = all.filter(([name]) => name.endsWith(".html"));

test("no template has several lines, which would lose their indentation", () => {
  for (const [name, text] of scripts) {
    for (const line of text.split("\n").filter((line) => !/^\s*(\*|\/\*|\/\/)/.test(line))) assert.equal(line.replace(/\\`/g, "").split("`").length % 2, 1, name);
  }
});

test("no data can become HTML, code or style text", () => {
  for (const [name, text] of scripts) {
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\("style"|DOMParser|createContextualFragment|srcdoc/, name);
  }
  for (const [name, text] of documents) {
    assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:|https?:\/\//, name);
  }
});

test("each import and each file that is named exists", () => {
  const names = new Set([...all.map(([name]) => name), "viewmodel.js", "viewmodel-dom.js"]);
  for (const [name, text] of all) {
    for (const [, module, file] of text.matchAll(/from "\.\/([^"]+)"|(?:src|href)="(?:\.\.\/)?([\w-]+\.\w+)"/g)) assert.ok(names.has(module ?? file), `${name}: ${module ?? file}`);
  }
});

test("files are short and each says what it is", () => {
  for (const [name, text] of scripts) {
    assert.ok(text.split("\n").length < 400, name);
    assert.ok(text.startsWith("/**"), name);
  }
});

/** The colours of a style sheet: `[light, dark]`. */
function palettes(css) {
  const whole = (color) => color.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
  const colors = (text, pattern) => Object.fromEntries([...text.matchAll(pattern)].map(([, name, color]) => [name, whole(color)]));
  if (!css.includes("light-dark(")) return css.split("prefers-color-scheme: dark").slice(0, 2).map((part) => colors(part, /--([\w-]+): (#[0-9a-f]{3,6})/g));
  return [/--([\w-]+): light-dark\((#[0-9a-f]{3,6}), /g, /--([\w-]+): light-dark\(#[0-9a-f]{3,6}, (#[0-9a-f]{3,6})\)/g].map((pattern) => colors(css, pattern));
}

function contrast(one, other) {
  const luminance = (color) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Text and its backgrounds, as the style sheets use them; for borders and marks 3 is enough (WCAG 1.4.11). */
const pairs = {
  "inspector.css": [
    ["text", ["page", "card", "sunken", "accent-soft", "good-soft", "bad-soft", "warn-soft"], 4.5], ["dim", ["page", "card", "sunken", "accent-soft", "good-soft", "bad-soft"], 4.5],
    ["accent", ["card", "accent-soft", "page", "sunken"], 4.5], ["accent-text", ["accent"], 4.5], ["good", ["card", "good-soft"], 4.5], ["bad", ["card", "bad-soft", "sunken", "accent-soft"], 4.5],
    ["warn", ["warn-soft", "card"], 4.5], ["number", ["card", "sunken", "accent-soft", "good-soft"], 4.5], ["strong", ["card", "page"], 3],
  ],
  "app.css": [
    ["text", ["page", "card", "key", "soft"], 4.5], ["dim", ["page", "card", "key"], 4.5], ["accent", ["page", "card", "soft"], 4.5], ["on-accent", ["accent"], 4.5],
    ["bad", ["card"], 4.5], ["warn", ["card"], 4.5], ["good", ["card"], 4.5], ["card", ["bad"], 4.5], ["page", ["text"], 4.5],
  ],
};
for (const [name, rules] of Object.entries(pairs)) {
  test(`the contrasts of ${name} satisfy WCAG AA in light and dark`, () => {
    for (const [index, palette] of palettes(all.find(([file]) => file === name)[1]).entries()) {
      for (const [text, backgrounds, least] of rules) {
        for (const background of backgrounds) {
          const ratio = contrast(palette[text], palette[background]);
          assert.ok(ratio >= least, `${["light", "dark"][index]}: ${text} on ${background} is ${ratio.toFixed(2)}`);
        }
      }
    }
  });
}
