/** A difference as a tree, with the values before and after. */
import { h } from "./dom.js";
import { stringify } from "./json.js";
import { brief } from "./safe-text.js";

const maximumChildren = 200;
const signs = { added: "+", removed: "−", changed: "~", moved: "↕" };

/** @param {import("./diff.js").Difference} one */
export function diffView({ name, kind, from, before, after, children = [] }) {
	const sign = signs[kind] && h("span.diff-sign", { title: kind, label: kind }, signs[kind]);
	const values =
		kind === "moved"
			? h("span.diff-note", `from ${from}`)
			: [
					before !== undefined && h("del", text(before)),
					kind === "changed" && h("span.arrow", { label: "to" }, "→"),
					after !== undefined && h("ins", text(after)),
				];
	return h(
		`li.diff.${kind}`,
		h("div.diff-line", sign, h("span.diff-name", { dir: "auto" }, name), values),
		children.length > 0 &&
			h(
				"ul",
				children.slice(0, maximumChildren).map(diffView),
				children.length > maximumChildren && h("li.v-null", `${children.length - maximumChildren} more`),
			),
	);
}

function text(value) {
	const json = stringify(value);
	if (json.length <= 160) return h("span", { dir: "auto" }, brief(json, 400));
	return h("details.v-more", h("summary", brief(json)), h("pre", { dir: "auto", tabindex: 0 }, stringify(value, 2).slice(0, 20_000)));
}
