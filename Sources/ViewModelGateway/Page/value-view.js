/** Values of the contract as elements, by their schema. What the schema does not say is shown as JSON. */
import { button, fill, h } from "./dom.js";
import { isObject, stringify, textOf } from "./json.js";
import { brief, count, number, size } from "./safe-text.js";
import { anything } from "./schema.js";
import { dots } from "./secrets.js";

const maximumParts = 100;
const openDepth = 3;
const nothing = (text) => h("span.v-null", text);

/** Makes the element of a value. */
export function valueView(value, schema = anything, depth = 0) {
	if (value === undefined) return nothing("no value");
	if (value === null) return nothing("null");
	const { kind } = schema;
	if (kind === "password") return h("span.v-secret", { title: "Passwords are not shown" }, dots);
	if (kind === "union") return valueView(value, schema.variants.find((one) => one.fits(value)), depth);
	if (Array.isArray(value)) return arrayView(value, schema, depth);
	if (isObject(value)) return objectView(value, schema, depth);
	if (kind === "enum") return h("span.v-enum", { title: schema.titleOf(value), dir: "auto" }, textOf(value));
	if (typeof value === "string") return (texts[kind] ?? textView)(value);
	if (typeof value === "boolean") return h(`span.v-bool.${value}`, String(value));
	return numberView(String(value));
}

function textView(text) {
	if (text === "") return nothing("empty text");
	const shown = text.slice(0, 2000);
	const all = button(".link", `… all ${count(text.length, "character")}`, () => fill(element, text));
	const element = h(`span.v-text${text.includes("\n") ? ".v-mono" : ""}`, { dir: "auto" }, shown, shown !== text && all);
	return element;
}

const numberView = (text) => h("span.v-number", { title: text }, number(text));

const texts = {
	decimal: numberView,
	uuid: (text) => h("span.v-mono", text),
	date(text) {
		const date = new Date(text);
		if (Number.isNaN(date.getTime())) return textView(text);
		return h(
			"time.v-date",
			{ datetime: date.toISOString(), title: text },
			date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" }),
		);
	},
	bytes(text) {
		try {
			const raw = atob(text);
			const hex = Array.from(raw.slice(0, 16), (char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join(" ");
			return h(
				"span",
				h("span.v-size", size(raw.length)),
				" ",
				h("span.v-mono", { title: text.slice(0, 400) }, hex + (raw.length > 16 ? " …" : "")),
			);
		} catch {
			return textView(text);
		}
	},
};

const rowView = (name, title, value) => h("div.v-row", h("span.v-name", { dir: "auto", title }, textOf(name)), value);

function arrayView(items, schema, depth) {
	const one = (item) => valueView(item, schema.items, depth + 1);
	if (items.length === 0) return nothing("empty list");
	if (!items.some(isObject)) return shortened(items, "span.v-items", (item) => h("span.v-item", one(item)));
	return folded(count(items.length, "item"), depth, () =>
		shortened(items, "div.v-rows", (item, index) => rowView(String(index), undefined, one(item))),
	);
}

function objectView(value, schema, depth) {
	const names = Object.keys(value);
	if (names.length === 0) return nothing("no members");
	return folded(count(names.length, "member"), depth, () =>
		shortened(names, "div.v-rows", (name) => {
			const known = schema.member(name);
			return rowView(name, known?.json.description, valueView(value[name], known, depth + 1));
		}),
	);
}

/** Deep parts are folded. They are made when a person opens them. */
function folded(summary, depth, make) {
	if (depth < openDepth) return make();
	const details = h("details", h("summary", summary));
	details.addEventListener("toggle", () => details.append(make()), { once: true });
	return details;
}

function shortened(parts, spec, make) {
	const element = h(spec);
	const add = (start) => {
		const end = start + maximumParts;
		element.append(...parts.slice(start, end).map((part, index) => make(part, start + index)));
		if (parts.length > end) element.append(button(".link", `${parts.length - end} more`, ({ target }) => (target.remove(), add(end))));
	};
	add(0);
	return element;
}

/** A value in one line, for a cell of a table. */
export function briefView(value, schema) {
	if (value === undefined) return "";
	if (!isObject(value) || schema?.kind === "password") return valueView(value, schema);
	return h("span.v-mono", brief(stringify(value), 120));
}
