/** Prompts as a dialog, and hints as notes. A key that was meant for a text answers no prompt. */

/** Milliseconds without a key after which a prompt takes the focus, and for which it then takes no answer. */
const quiet = 500;
const [dialog, busy, notes] = ["prompt", "busy", "notes"].map((id) => document.getElementById(id));
let lastKey = -quiet;
document.addEventListener("keydown", () => (lastKey = performance.now()), true);
document.addEventListener("click", ({ target }) => target.closest("button, a") && notes.replaceChildren(), true);

/** Makes an element with properties and children. */
export function make(tag, props, ...children) {
	const element = Object.assign(document.createElement(tag), props);
	element.append(...children);
	return element;
}

export const makeButton = (text, className, onclick) => make("button", { type: "button", className, onclick }, text);

/** Shows a note. An error stays until the next press. */
export function notify(text, level = "info") {
	const note = make("p", { className: level, role: level === "error" ? "alert" : "status" }, make("b", {}, level));
	note.append(make("span", {}, text), Object.assign(makeButton("×", "", () => note.remove()), { ariaLabel: "Dismiss" }));
	notes.append(note);
	while (notes.children.length > 3) notes.firstChild.remove();
	const leave = () => (note.matches(":hover, :focus-within") ? setTimeout(leave, 1000) : note.remove());
	if (level !== "error") setTimeout(leave, 7000);
}

/** Shows the prompts and hints of a session, one prompt after the other. `describe` makes the text of an error. */
export function showPrompts(prompter, describe) {
	let prompt, shownAt, problem, text;

	function show({ title, message, kind, buttons }) {
		const all = buttons.length > 0 ? buttons : [{ title: "OK", role: "default" }];
		const controls = all.map((one) => makeButton(one.title, one.role, () => answer(one)));
		problem = make("p", { className: "problem", role: "alert" });
		text = kind === "input" && make("input", { autocomplete: "off", ariaLabel: title });
		const parts = [make("h2", { id: "prompt-title" }, title), make("p", { id: "prompt-message" }, message ?? ""), text || "", problem];
		const form = make("form", {}, ...parts, make("div", { className: "bar" }, ...controls));
		// Enter in the text is the standard button, which is never the dangerous one.
		form.onsubmit = (event) => (event.preventDefault(), answer(all.find(({ role }) => role === "default")));
		dialog.replaceChildren(form);
		// It is seen at once, and leaves the keys to the text in which somebody types.
		dialog.open = true;
		shownAt = performance.now();
		takeFocus(prompt);
	}

	function takeFocus(one) {
		if (prompt !== one) return;
		const rest = lastKey + quiet - performance.now();
		if (rest > 0) return setTimeout(takeFocus, rest, one);
		dialog.open = false;
		dialog.showModal();
		(text || dialog).focus();
		shownAt = performance.now();
	}

	async function answer(button) {
		if (!button || performance.now() - shownAt < quiet) return;
		try {
			await prompter.answer({ id: prompt.id, button: button.id, text: text ? text.value : undefined });
		} catch (error) {
			// Somebody else was first. The prompt goes with the next picture.
			if (error.error !== "alreadyAnswered") problem.textContent = describe(error);
		}
	}

	// The browser would close the dialog at the second Escape.
	const cancel = (event) => (event.key ?? "Escape") === "Escape" && (event.preventDefault(), answer(prompt.buttons.find(({ role }) => role === "cancel")));
	["cancel", "keydown"].forEach((name) => dialog.addEventListener(name, cancel));
	dialog.onclose = () => prompt && !dialog.open && takeFocus(prompt);
	prompter.watch("hint", ({ text, level }) => notify(text, level));
	prompter.watch("pending", (pending) => {
		busy.textContent = pending.filter(({ kind }) => kind === "busy").map(({ title, message }) => `${title} ${message ?? ""}`).join(", ");
		busy.hidden = busy.textContent === "";
		const next = pending.find(({ kind }) => kind !== "busy");
		if (next?.id === prompt?.id) return;
		prompt = next;
		if (dialog.matches(":modal")) dialog.close();
		dialog.open = false;
		if (prompt) show(prompt);
	});
}
