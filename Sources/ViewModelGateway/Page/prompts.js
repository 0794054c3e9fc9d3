/** The prompter of the attached session: prompts as dialogs, hints as toasts. */
import { button, fill, h } from "./dom.js";
import { toast } from "./toasts.js";

/** A dialog does not come while a person types in a field: until so long after the last key, or Enter. */
const typingMilliseconds = 1500;
/** How long a dialog that came by itself ignores keys. */
const deafMilliseconds = 500;
let lastKey = -Infinity;
addEventListener("keydown", ({ key }) => (lastKey = key === "Enter" ? -Infinity : performance.now()), true);

/** Opens a dialog with a title and a form. */
function openDialog(spec, title, props, ...parts) {
	const dialog = h(
		spec,
		{ "aria-labelledby": "dialog-title", ...props },
		h("form", { method: "dialog" }, h("h2", { id: "dialog-title", dir: "auto", tabindex: -1 }, title), parts),
	);
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}

export class Prompts {
	#dialog;
	#shown;
	#waiting;
	#postponed = new Set();
	#offs = [];

	/** @param {HTMLElement} badge where it says how many prompts wait */
	constructor(badge, canAnswer) {
		Object.assign(this, { badge, canAnswer, busy: h("div.busy-list", { "aria-live": "polite" }) });
		document.body.append(this.busy);
	}

	/** Follows a bound prompter. */
	follow(binding) {
		this.stop();
		this.binding = binding;
		this.#offs = [
			binding.on("picture", () => this.#show()),
			binding.on("event", ({ output, value }) => output === "hint" && toast(value.text, value.level)),
		];
		this.#show();
	}

	stop() {
		for (const off of this.#offs) off();
		this.binding = undefined;
		this.#recall();
	}

	/** Shows the postponed prompts again. */
	#recall() {
		this.#postponed.clear();
		this.#show(true);
	}

	/** @param {boolean} isWanted the person has asked for the dialog */
	#show(isWanted = false) {
		clearTimeout(this.#waiting);
		const all = this.binding?.picture.pending ?? [];
		const busy = all.filter(({ kind }) => kind === "busy");
		fill(
			this.busy,
			busy.map(({ title, message }) =>
				h(
					"div.busy",
					{ role: "status" },
					h("span.spinner"),
					h("span", { dir: "auto" }, title),
					message && h("span.item-facts", { dir: "auto" }, message),
				),
			),
		);
		const asking = all.filter((one) => !busy.includes(one));
		const next = asking.find(({ id }) => !this.#postponed.has(id));
		if (this.#shown !== next?.id) this.#close();
		const isTyping = !isWanted && document.activeElement.matches("input, textarea");
		const rest = isTyping ? lastKey + typingMilliseconds - performance.now() : 0;
		if (next && !this.#dialog && rest > 0) this.#waiting = setTimeout(() => this.#show(), rest);
		else if (next && !this.#dialog) this.#open(next, isWanted);
		const count = asking.length;
		fill(
			this.badge,
			count > 0 && button(".small.warn", count === 1 ? "1 prompt waits" : `${count} prompts wait`, () => this.#recall()),
		);
	}

	#close() {
		this.#dialog?.close();
		this.#dialog?.remove();
		this.#dialog = this.#shown = undefined;
	}

	#open({ id, kind, title, message, buttons }, isWanted) {
		this.#shown = id;
		const opened = isWanted ? -Infinity : performance.now();
		// A key that was meant for something else answers nothing.
		const guard = (event) => performance.now() - opened < deafMilliseconds && event.preventDefault();
		const text = kind === "input" && h("input.input.wide", { label: title, dir: "auto" });
		const problem = h("p.field-error", { role: "alert" });
		const answer = async (event, button) => {
			event.preventDefault();
			try {
				await this.binding.viewModel.connection.request(
					"prompter.answer",
					{ id, button, ...(text && { text: text.value }) },
					{ timeout: Infinity },
				);
			} catch (error) {
				// Somebody else was first. The prompt goes with the next frame.
				if (error.data?.error !== "alreadyAnswered") problem.textContent = error.message;
			}
		};
		const later = (event) => {
			event.preventDefault();
			this.#postponed.add(id);
			this.#show();
		};
		const choices = buttons?.length > 0 ? buttons : [{ title: "OK", role: "default" }];
		const standard = choices.find(({ role }) => role === "default") ?? choices.find(({ role }) => role !== "destructive");
		const classes = { default: ".primary", destructive: ".danger" };
		const controls = choices.map((one) =>
			h(
				"button" + (classes[one.role] ?? ""),
				{
					type: one === standard ? "submit" : "button",
					disabled: !this.canAnswer,
					"data-button": one.id,
					onclick: (event) => answer(event, one.id),
				},
				one.title,
			),
		);
		this.#dialog = openDialog(
			"dialog.prompt",
			title,
			{ oncancel: later, onkeydown: guard, onkeyup: guard },
			message && h("p.prompt-text", { dir: "auto" }, message),
			text,
			problem,
			!this.canAnswer && h("p.description", "Another client has to answer."),
			h("div.dialog-buttons", button(".link", "Later", later), controls),
		);
		// A dialog that came by itself has no button or text in the focus.
		const first = isWanted ? text || controls[choices.indexOf(standard)] : this.#dialog.querySelector("h2");
		first?.focus();
	}
}

/** Asks the person for a decision of the page's own. */
export function confirmed(title, text, verb) {
	return new Promise((resolve) => {
		const onclose = ({ target }) => {
			target.remove();
			resolve(target.returnValue === "yes");
		};
		openDialog(
			"dialog",
			title,
			{ onclose },
			h("p", text),
			h("div.dialog-buttons", h("button", { value: "no", autofocus: true }, "Cancel"), h("button.danger", { value: "yes" }, verb)),
		);
	});
}
