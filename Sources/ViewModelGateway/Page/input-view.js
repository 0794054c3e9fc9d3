/** An input of an instance: a text field, a row of keys, or a form. */
import { CallView } from "./call-view.js";
import { button, fill, h, prose } from "./dom.js";
import { textOf } from "./json.js";
import { errorText, errorView } from "./outcomes.js";

const maximumKeys = 40;

export class InputView extends CallView {
	constructor(options) {
		super(options);
		const { name, declared, contract, schema } = this;
		const isText = ["string", "decimal", "date", "uuid", "uri"].includes(schema.kind) && !schema.isNullable;
		this.isField = declared.field === true && isText && contract.type(this.type).outputs?.[name]?.kind === "state";
		this.note = h("div");
		const editor = this.isField ? this.#textField() : this.#editor();
		this.element = h(
			"div.call",
			{ "data-input": name },
			h("div.call-head", h("span.call-name", name), this.isField && h("span.kind", "field"), this.copies()),
			prose(declared.description),
			editor,
			this.note,
		);
	}

	get currentValue() {
		return this.isField ? this.field.text : this.form ? this.form.value() : this.schema.values[0];
	}

	#editor() {
		const { kind, isNullable, values } = this.schema;
		if (kind === "enum" && values.length <= maximumKeys && !isNullable) {
			this.controls = values.map((value) =>
				button(".key", textOf(value), () => this.send(value), { title: this.schema.titleOf(value), "data-value": String(value) }),
			);
			return h("div.call-line.tall", h("div.keys", { role: "group", label: this.name }, this.controls), this.metaView());
		}
		const form = this.makeForm(this.declared.field === true ? this.binding.picture[this.name] : undefined);
		this.controls = [button(".primary", "Send", () => this.submit())];
		return h("div.call-line" + (this.form?.isSimple ? "" : ".tall"), form, this.controls, this.metaView());
	}

	/**
	 * A text that the ViewModel may rewrite while the person types (docs/protocol.md, section 6). What was refused stays in the box
	 * until the next edit. The box can be edited while the line is down.
	 */
	#textField() {
		this.field = this.binding.field(this.name);
		const state = h("span.field-state", { role: "status" });
		const line = h("div.call-line", state);
		let box;
		const place = () => {
			const tag = /[\r\n]/.test(this.field.text) ? "textarea" : "input";
			// An <input> would drop the line feeds of a text.
			if (box && (box.localName === tag || tag === "input")) return;
			this.stop();
			box?.remove();
			const input = (box = h(`${tag}.input.wide`, { dir: "auto", label: this.name, disabled: !this.canControl }));
			line.prepend(input);
			let detach = this.field.attach(input);
			const off = this.field.on("refused", (error) => {
				detach?.();
				detach = undefined;
				input.setAttribute("aria-invalid", "true");
				fill(this.note, h("div.outcome.error", { role: "alert" }, `Refused: ${errorText(error, this.declared)}`));
			});
			this.stop = () => (detach?.(), off());
			input.addEventListener("input", () => {
				fill(this.note);
				input.removeAttribute("aria-invalid");
				if (!detach) {
					const { value, selectionStart, selectionEnd } = input;
					detach = this.field.attach(input);
					input.value = value;
					input.setSelectionRange(selectionStart, selectionEnd);
					this.field.edit(value);
				}
				state.textContent = "sending…";
				this.field.settled().then(() => (state.textContent = ""));
			});
		};
		place();
		this.field.on("text", place);
		return line;
	}

	async send(value) {
		try {
			const { seq } = await this.request(value);
			fill(this.note, h("span.sent", { role: "status" }, `sent; effects up to step ${seq}`));
		} catch (error) {
			fill(this.note, !error.isShown && errorView(error, this, this.command(value)));
		}
	}

	stop() {}
}
