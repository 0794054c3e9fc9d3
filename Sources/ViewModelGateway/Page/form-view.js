/** A form that a schema describes, with raw JSON as the way out. */
import { button, fill, h, uniqueID } from "./dom.js";
import { FormControls } from "./form-controls.js";
import { Field, FormError } from "./form-model.js";
import { parse, stringify } from "./json.js";
import { anything } from "./schema.js";

export class FormView {
	#controls = new FormControls(() => this.send());
	#notes = [];
	#raw;

	/** @param {(value: unknown) => void} submit gets the value when it is sent, also with Enter */
	constructor(schema, label, submit, value) {
		this.field = new Field(schema, label);
		this.submit = submit;
		this.body = h("div.form");
		/** Whether a single control edits the value, so that it fits in a line. */
		this.isSimple = !["object", "array", "dictionary", "union"].includes(schema.kind);
		this.switch = button(".link", "JSON", () => this.#toggleRaw());
		this.element = h("div.form-box", this.body, !this.isSimple && this.switch);
		this.show(value);
	}

	/** Shows a value, or the empty form. */
	show(value) {
		this.control = this.#controls.begin(this.field, value);
		this.#showBody(undefined, this.control.element);
	}

	#showBody(raw, element) {
		this.#raw = raw;
		this.switch.setAttribute("aria-pressed", String(Boolean(raw)));
		fill(this.body, element);
	}

	/** The value. Throws a `FormError`. */
	value() {
		for (const note of this.#notes) note();
		this.#notes = [];
		try {
			return this.#raw ? new Field(anything).read(this.#raw.value) : this.control.read();
		} catch (error) {
			if (error instanceof FormError) this.showError(error.path, error.message);
			throw error;
		}
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
		const note = h("span.field-error", { id: uniqueID(), role: "alert" }, message);
		control.setAttribute("aria-invalid", "true");
		control.setAttribute("aria-describedby", note.id);
		control.closest(".field, .form").append(note);
		control.focus();
		this.#notes.push(
			() => (note.remove(), control.removeAttribute("aria-invalid"), control.removeAttribute("aria-describedby")),
		);
		return true;
	}

	#toggleRaw() {
		if (this.#raw) {
			try {
				return this.show(parse(this.#raw.value));
			} catch (error) {
				return this.showError("", error.message);
			}
		}
		let value = null;
		try {
			value = this.control.read();
		} catch {
			// What is no value yet is typed anew.
		}
		const onkeydown = (event) => event.key === "Enter" && event.ctrlKey && this.send();
		const raw = h("textarea.input.wide.raw", {
			rows: 6,
			label: "The value as JSON",
			value: stringify(value, 2),
			onkeydown,
		});
		this.#showBody(raw, raw);
	}
}
