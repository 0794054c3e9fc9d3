/**
 * The controls of a form. A control has an element, and `read(errors)` returns its value. What is no value is returned as the text
 * that was typed, and its `FormError` is added to the errors.
 */
import { button, fill, h, uniqueID } from "./dom.js";
import { FormError } from "./form-model.js";
import { isObject, member, put, stringify, textOf } from "./json.js";
import { anything } from "./schema.js";

const groups = { object: "objectParts", array: "listParts", dictionary: "listParts", union: "unionParts" };
const focusFirst = (element) => element.querySelector(".input, input, button")?.focus();

export class FormControls {
	/** Where the errors of a path are shown. */
	#places = new Map();

	/** @param {() => void} send sends the form */
	constructor(send) {
		this.send = send;
	}

	/** Makes the control of a whole form. */
	begin(field, value) {
		this.#places.clear();
		return this.make(field, value);
	}

	/** The control of a path, or of the nearest part that contains it. */
	at(path) {
		const paths = path.split("/").map((_, index, all) => all.slice(0, all.length - index).join("/"));
		return this.#places.get(paths.find((one) => this.#places.has(one)));
	}

	make(field, value) {
		const { kind, values } = field.schema;
		if (kind === "null") return { element: h("span.v-null", "null"), read: () => null };
		if (kind === "enum") return this.#choice(field, values, value);
		if (kind === "boolean") return field.isOptional ? this.#choice(field, [true, false], value) : this.#box(field, value);
		return groups[kind] ? this.#group(field, value) : this.#text(field, value);
	}

	/** Remembers where the errors of a path are shown. */
	#place(field, control) {
		this.#places.set(field.path, control);
		control.id ||= uniqueID();
		control.setAttribute("aria-label", field.name || "value");
		return control;
	}

	#labelled(field, { element }) {
		const control = element.matches("input, select, textarea") ? element : element.querySelector(".input, input");
		const id = control?.id;
		control?.removeAttribute("aria-label");
		const note = field.isOptional && h("span.optional", field.isRequired ? " or null" : " optional");
		const title = field.schema.json.description;
		return h("div.field", h(id ? "label.label" : "span.label", { for: id, title, dir: "auto" }, textOf(field.name), note), element);
	}

	#text(field, value) {
		const { isOptional, absent, schema: { kind, json } } = field;
		let isSet = value !== undefined && value !== null;
		const isLong = kind === "any" || kind === "bytes" || (isSet && /\n/.test(value));
		const isPassword = kind === "password";
		const edited = () => {
			isSet = true;
			clear.hidden = !isOptional;
			input.placeholder = "empty";
		};
		const change = (text) => {
			input.value = text;
			edited();
			input.focus();
		};
		const input = this.#place(
			field,
			h(isLong ? "textarea.input" : "input.input", {
				type: !isLong && (isPassword ? "password" : "text"),
				rows: isLong && 2,
				// Several members, such as those of a registration, make something new.
				autocomplete: isPassword ? `${field.path ? "new" : "current"}-password` : "off",
				inputmode: { integer: "numeric", number: "decimal", decimal: "decimal" }[kind],
				dir: "auto",
				title: [json.description, field.expected].filter(Boolean).join("\n"),
				placeholder: isOptional ? absent : kind === "string" ? undefined : field.expected,
				value: !isSet ? "" : kind === "any" ? stringify(value, 2) : String(value),
				oninput: edited,
				onkeydown: (event) => {
					if (event.key !== "Enter" || event.isComposing || (isLong && !event.ctrlKey)) return;
					event.preventDefault();
					this.send();
				},
			}),
		);
		const clear = button(
			".icon",
			"×",
			() => {
				change("");
				isSet = false;
				clear.hidden = true;
				input.placeholder = absent;
			},
			{ label: `Leave ${field.name} out`, title: absent, hidden: !isOptional || !isSet },
		);
		const tools = kind === "date" && button(".link", "now", () => change(new Date().toISOString()));
		return {
			element: h("span.with-tools", input, tools, clear),
			read: (errors) => {
				if (isOptional && !isSet) return field.unset;
				try {
					return field.read(input.value);
				} catch (error) {
					errors.push(error);
					return input.value;
				}
			},
		};
	}

	#choice(field, values, value) {
		const options = values.map((one, index) => h("option", { value: index, title: field.schema.titleOf(one) }, textOf(one)));
		const select = this.#place(field, h("select.input", field.isOptional && h("option", { value: "" }, field.absent), options));
		if (values.includes(value)) select.value = String(values.indexOf(value));
		return { element: select, read: () => (select.value === "" ? field.unset : values[Number(select.value)]) };
	}

	#box(field, value) {
		const onkeydown = (event) => event.key === "Enter" && this.send();
		const box = this.#place(field, h("input.box", { type: "checkbox", checked: value === true, onkeydown }));
		return { element: box, read: () => box.checked };
	}

	/** An object, a list, a dictionary or a union, which may be left out or be added later. */
	#group(field, value) {
		const { name, isOptional, isRecursive, absent, unset } = field;
		const element = h("div.group" + (field.path === "" ? ".root" : ".nested"));
		let parts;
		const show = (given) => {
			const isAbsent = given === undefined && (isOptional || isRecursive);
			parts = isAbsent ? undefined : this[groups[field.schema.kind]](field, given ?? undefined);
			fill(
				element,
				parts
					? [
							parts.elements,
							isOptional && button(".link", "remove", () => change(undefined), { label: `Leave ${name} out` }),
						]
					: [h("span.v-null", absent, " "), button(".link", "add", () => change(null), { label: `Add ${name}` })],
			);
		};
		const change = (given) => {
			show(given);
			focusFirst(element);
		};
		show(value ?? undefined);
		return { element, read: (errors) => (parts ? parts.read(errors) : unset) };
	}

	objectParts(field, value) {
		const parts = field.members.map((one) => [one, this.make(one, member(value, one.name))]);
		const read = (errors) =>
			parts.reduce((result, [{ name }, control]) => {
				const part = control.read(errors);
				return part === undefined ? result : put(result, name, part);
			}, {});
		return { elements: parts.map(([one, control]) => this.#labelled(one, control)), read };
	}

	/** The items of a list or the entries of a dictionary, which are added and removed. */
	listParts(field, value) {
		const isList = field.schema.kind === "array";
		const noun = isList ? "item" : "entry";
		const parts = new Set();
		const list = h("div.group");
		const add = (name, one) => {
			const key = !isList && h("input.input", { label: "Name", placeholder: "name", value: name });
			const schema = isList ? field.schema.items : field.schema.member("");
			const part = { key, control: this.make(field.part(schema ?? anything, name), one) };
			const remove = () => {
				line.remove();
				parts.delete(part);
			};
			const line = h("div.entry", key, part.control.element, button(".icon", "×", remove, { label: `Remove the ${noun}` }));
			parts.add(part);
			list.append(line);
		};
		for (const [name, one] of isObject(value) ? Object.entries(value) : []) add(name, one);
		const more = button(".link", `+ ${noun}`, () => {
			add(isList ? String(parts.size) : "");
			focusFirst(list.lastChild);
		});
		const read = (errors) =>
			[...parts].reduce(
				(result, { key, control }, index) => {
					const name = key ? key.value : index;
					if (Object.hasOwn(result, name)) errors.push(new FormError(field.part(anything, name).path, "each name once"));
					return put(result, name, control.read(errors) ?? null);
				},
				isList ? [] : {},
			);
		return { elements: [list, more], read };
	}

	unionParts(field, value) {
		const { variants } = field.schema;
		const place = h("div");
		let control;
		const show = (given) => {
			control = this.make(field.variant(select.value), given);
			fill(place, control.element);
		};
		const options = field.titles.map((title, index) => h("option", { value: index }, title));
		const select = h("select.input", { label: `Form of ${field.name}`, onchange: () => show() }, options);
		select.value = String(Math.max(0, value === undefined ? 0 : variants.findIndex((one) => one.fits(value))));
		show(value);
		return { elements: [select, place], read: (errors) => control.read(errors) };
	}
}
