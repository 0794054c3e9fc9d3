/** A form that a schema describes, with raw JSON as the way out. */
import { button, fill, h, uniqueID } from "./dom.js";
import { FormControls } from "./form-controls.js";
import { Field, FormError } from "./form-model.js";
import { isObject, member, parse, stringify } from "./json.js";

export class FormView {
	#controls = new FormControls(() => this.send());
	/** The controls that have an error, with what removes it. */
	#notes = new Map();
	#raw;

	/**
	 * @param {(value: unknown) => void} submit gets the value when it is sent, also with Enter
	 * @param {() => unknown} current returns the value to fill the form with, if there is one
	 */
	constructor(schema, label, submit, value, current) {
		this.field = new Field(schema, label);
		this.submit = submit;
		this.body = h("div.form", { oninput: ({ target }) => this.#edited(target) });
		/** Whether a single control edits the value, so that it fits in a line. */
		this.isSimple = !["object", "array", "dictionary", "union"].includes(schema.kind);
		this.switch = button(".link", "JSON", () => this.#toggleRaw());
		const fillIn = current && button(".link", "Fill with the current value", () => this.show(current()));
		this.element = h("div.form-box", this.body, h("div.form-tools", !this.isSimple && this.switch, fillIn));
		this.show(value);
	}

	/** Shows a value, or the empty form. */
	show(value) {
		this.control = this.#controls.begin(this.field, value);
		this.#showBody(undefined, this.control.element);
	}

	#showBody(raw, element) {
		this.#notes.clear();
		this.#raw = raw;
		this.switch.setAttribute("aria-pressed", String(Boolean(raw)));
		fill(this.body, element);
	}

	/** The value as far as it is one, and the errors of the rest. */
	#read() {
		const errors = [];
		if (!this.#raw) return { value: this.control.read(errors), errors };
		try {
			return { value: parse(this.#raw.value), errors };
		} catch {
			return { errors: [new FormError("", "JSON")] };
		}
	}

	/** The value. Shows all errors at once, and throws the first one. */
	value() {
		for (const remove of this.#notes.values()) remove();
		const { value, errors } = this.#read();
		for (const { path, message } of [...errors].reverse()) this.showError(path, message);
		if (errors.length > 0) throw errors[0];
		return value;
	}

	/** Sends the value if it is one. */
	send() {
		let value;
		try {
			value = this.value();
		} catch (error) {
			if (error instanceof FormError) return;
			throw error;
		}
		this.submit(value);
	}

	/** Shows an error at the control of a path. Returns whether there is one. */
	showError(path, message) {
		const control = this.#raw ?? this.#controls.at(path);
		if (!control) return false;
		this.#notes.get(control)?.();
		const note = h("span.field-error", { id: uniqueID(), role: "alert" }, message);
		control.setAttribute("aria-invalid", "true");
		control.setAttribute("aria-describedby", note.id);
		control.closest(".field, .form").append(note);
		control.focus();
		this.#notes.set(control, () => {
			this.#notes.delete(control);
			note.remove();
			control.removeAttribute("aria-invalid");
			control.removeAttribute("aria-describedby");
		});
		return true;
	}

	/** An error goes once its control is corrected. */
	#edited(control) {
		const isWrong = this.#read().errors.some(({ path }) => (this.#raw ?? this.#controls.at(path)) === control);
		if (!isWrong) this.#notes.get(control)?.();
	}

	/** Turns the form into its JSON, and back. What is no value of a member stays as it was typed. */
	#toggleRaw() {
		const { value, errors } = this.#read();
		if (this.#raw) {
			if (errors.length > 0) return this.showError("", errors[0].message);
			const control = this.#controls.begin(this.field, value);
			if (!keeps(control.read([]), value)) return this.showError("", "The form has no place for a part of this JSON");
			return this.#showBody(undefined, (this.control = control).element);
		}
		const onkeydown = (event) => event.key === "Enter" && event.ctrlKey && this.send();
		const raw = h("textarea.input.wide.raw", { rows: 6, label: "The value as JSON", value: stringify(value, 2), onkeydown });
		this.#showBody(raw, raw);
		if (errors.length > 0)
			this.showError("", errors.map(({ path, message }) => `${path.slice(1) || this.field.name}: ${message}`).join("\n"));
	}
}

/** Whether a value has all members and items of another one. */
const keeps = (all, value) =>
	!isObject(value) || Object.entries(value).every(([name, part]) => isObject(all) && keeps(member(all, name), part));
