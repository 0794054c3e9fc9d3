/** What inputs and actions have in common: a form, the options of a call, and the two ways to copy it. */
import { copyButtons } from "./copy.js";
import { callCommand } from "./ctl.js";
import { button, h, setDisabled } from "./dom.js";
import { FormView } from "./form-view.js";
import { errorText } from "./outcomes.js";
import { hasSecret, masked } from "./secrets.js";

export class CallView {
	/** The controls that are disabled while the page cannot call. What was typed can be edited meanwhile. */
	controls = [];
	isAllowed = true;

	/** @param {{name: string, declared: object, schema: object, type: string, binding: object, contract: object, session: string, secrets: object}} options */
	constructor(options) {
		Object.assign(this, options);
		this.method = `${this.id}.${this.name}`;
		this.isSecret = hasSecret(this.schema);
		this.deadline = h("input.input", {
			label: "Deadline in milliseconds",
			placeholder: "ms",
			inputmode: "numeric",
			pattern: "\\s*\\d+\\s*",
			title: "Milliseconds, such as 5000",
			oninvalid: ({ target }) => (target.closest("details").open = true),
		});
		this.key = h("input.input", { label: "Retry key", placeholder: "retry key", maxlength: "128" });
	}

	/** The form of the params, unless there are none. */
	makeForm(value) {
		if (!this.schema.isNothing) this.form = new FormView(this.schema, this.name, (one) => this.isAllowed && this.send(one), value, this.#current());
		return this.form?.element;
	}

	/** What returns the value of the output with the name of this call, such as `sample` for `setSample`. */
	#current() {
		const { name, schema, contract, type, binding } = this;
		const names = [name, name.replace(/^set(.)/, (_, first) => first.toLowerCase())];
		const output = contract.outputs(type).find((one) => names.includes(one.name) && one.schema.kind === schema.kind);
		if (!output || output.kind !== "state" || this.isSecret) return undefined;
		return () => binding.picture[output.name];
	}

	/** Enables the call, or disables it. */
	allow(isAllowed) {
		this.isAllowed = isAllowed;
		for (const control of this.controls) setDisabled(control, !isAllowed);
	}

	/** The fields of `_meta`. Inputs have no deadline. */
	metaView(hasDeadline) {
		const newKey = button(".link", "new key", () => (this.key.value = crypto.randomUUID?.() ?? String(Date.now())));
		return h(
			"details.meta",
			h("summary", { title: "The members of _meta" }, "Options"),
			h("div.meta-fields", hasDeadline && h("label", "deadline ", this.deadline), h("label", "key ", this.key), newKey),
		);
	}

	get meta() {
		if (!this.deadline.reportValidity()) throw new Error(this.deadline.validationMessage);
		const deadline = this.deadline.value.trim();
		return { ...(deadline && { deadline: Number(deadline) }), ...(this.key.value && { key: this.key.value }) };
	}

	/** The value that a copy has. */
	get currentValue() {
		return this.form?.value();
	}

	copies() {
		return copyButtons(this.name, () => this.schema.params(masked(this.currentValue, this.schema)), () => this.command());
	}

	/** The `viewmodelctl` command of a call with a value. It has no secrets. */
	command(value = this.currentValue) {
		const { session, method, schema, meta } = this;
		return callCommand({ session, method, params: schema.params(value), schema, meta });
	}

	/** Sends what the form has, if it is a value. */
	submit() {
		if (this.form) this.form.send();
		else this.send();
	}

	/** Makes the call. A form with a secret is emptied afterwards. */
	async request(value, options) {
		const params = this.schema.params(value);
		this.secrets.learn(value, this.schema);
		try {
			const result = await this.binding.viewModel.connection.request(this.method, params, { ...this.meta, ...options });
			if (this.isSecret) this.form?.show();
			return result;
		} catch (error) {
			const path = error.data?.path ?? "";
			const place = params !== value && path.startsWith("/value") ? path.slice("/value".length) : path;
			error.isShown = error.code === -32602 && this.form?.showError(place, errorText(error, this.declared));
			throw error;
		}
	}
}
