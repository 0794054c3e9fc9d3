/**
 * Elements of a page that show and use ViewModels, for the clients that viewmodelctl generates. Each function returns one
 * that ends it.
 *
 *     import { start } from "./client.js";
 *     import { bindAction, bindField, bindRows, bindValue } from "./viewmodel-dom.js";
 *
 *     const { calculator } = start({ session: "desk" });
 *     bindValue(document.querySelector("output"), calculator, "led");
 *     bindAction(document.querySelector("button"), calculator, "undo");
 */

/** Shows a value in a property of an element: `bindValue(image, model, "avatar", { property: "src" })`. */
export const bindValue = (element, model, output, { property = "textContent", text = (value) => value ?? "" } = {}) =>
	model.watch(output, (value) => (element[property] = text(value)));

/** Shows the state of the connection, with the problem as the title. */
export function bindConnection(element, client) {
	const show = () => {
		element.textContent = client.connectionState;
		element.title = client.problem?.message ?? "";
	};
	const offs = ["state", "lost"].map((event) => client.on(event, show));
	show();
	return () => offs.forEach((off) => off());
}

/** Shows a failure in an element, and as the event `failure` of another one, with the error in `detail`. */
function showFailure(element, target, detail) {
	if (element) element.textContent = detail?.message ?? "";
	if (detail) target.dispatchEvent(new CustomEvent("failure", { detail, bubbles: true }));
}

/**
 * Runs an action, by the name of its method, when a button is clicked. The button is disabled with the action, and has
 * `aria-busy` and `data-progress` while it executes. `values()` has the arguments of the call. The options are elements:
 * a `progress` that is hidden unless the action executes, a button to `cancel` this call, and the text of its `error`.
 */
export function bindAction(button, model, name, values = () => [], { progress, cancel, error } = {}) {
	const wire = name.replace(/_+$/, "");
	const end = new AbortController();
	let call;
	const click = async () => {
		const own = (call = new AbortController());
		showFailure(error);
		try {
			const all = values();
			if (cancel) {
				cancel.disabled = false;
				all.length = model[name].length - 1;
				all.push({ signal: own.signal });
			}
			await model[name](...all);
		} catch (failure) {
			if (!own.signal.aborted) showFailure(error, button, failure);
		} finally {
			if (cancel && call === own) cancel.disabled = true;
		}
	};
	button.disabled = true;
	button.addEventListener("click", click, { signal: end.signal });
	if (cancel) cancel.disabled = true;
	cancel?.addEventListener("click", () => call.abort(), { signal: end.signal });
	const offs = [
		model.watch(`${wire}.enabled`, (isEnabled) => (button.disabled = !isEnabled)),
		model.watch(`${wire}.executing`, (isExecuting) => {
			button.setAttribute("aria-busy", isExecuting);
			if (progress) progress.hidden = !isExecuting;
		}),
		model.watch(`${wire}.progress`, (value) => {
			button.dataset.progress = value ?? "";
			if (value === null) progress?.removeAttribute("value");
			else if (progress) progress.value = value;
		}),
		() => end.abort(),
	];
	return () => offs.forEach((off) => off());
}

/** Connects an `<input>` of any type, a `<textarea>` or a `<select>` with a field. `error` is an element for a refusal. */
export function bindField(element, model, name, { error } = {}) {
	const hold = model.hold({ outputs: [name] });
	const field = hold.field(name);
	const detach = field.attach(element);
	const mark = () => {
		element.setAttribute("aria-invalid", field.error !== undefined);
		if (error) error.textContent = field.error?.message ?? "";
	};
	field.on("text", mark);
	field.on("refused", (failure) => {
		mark();
		showFailure(error, element, failure);
	});
	return () => {
		detach();
		hold.close().catch(() => {});
	};
}

/**
 * Shows the prompts of a session, one after the other, as a `<dialog>` whose buttons have their role as a class. A prompt
 * takes the focus, and can be answered, when no key was pressed for half a second: it takes no key from a text.
 */
export function bindPrompts(prompter, parent = document.body) {
	let shown, end;
	const off = prompter.watch("pending", (pending) => {
		const prompt = pending.find(({ kind }) => kind !== "busy") ?? pending[0];
		if (prompt?.id === shown?.id) return;
		end?.();
		shown = prompt;
		end = prompt && showPrompt(prompter, prompt, parent);
	});
	return () => {
		off();
		end?.();
	};
}

function showPrompt(prompter, { id, kind, title, message, buttons }, parent) {
	const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
	const dialog = make("dialog", { open: true, inert: true, tabIndex: -1, ariaLabel: title });
	const text = kind === "input" ? make("input", { ariaLabel: title }) : undefined;
	const error = make("p", { role: "alert" });
	const all = buttons.length > 0 || kind === "busy" ? buttons : [{ title: "OK", role: "default" }];
	const elements = all.map((button) => make("button", { textContent: button.title, className: button.role }));
	const offs = all.map((button, index) =>
		bindAction(elements[index], prompter, "answer", () => [{ id, button: button.id, text: text?.value }], { error }));
	const press = (role) => elements.find(({ className }) => className === role)?.click();
	dialog.append(make("h2", { textContent: title }), make("p", { textContent: message ?? "" }), text ?? "", ...elements, error);
	dialog.addEventListener("cancel", (event) => {
		event.preventDefault();
		press("cancel");
	});
	text?.addEventListener("keydown", ({ key }) => key === "Enter" && press("default"));
	parent.append(dialog);
	let timer;
	const wait = () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			document.removeEventListener("keydown", wait, true);
			dialog.open = dialog.inert = false;
			dialog.showModal();
			(text ?? dialog).focus();
		}, 500);
	};
	if (kind !== "busy") {
		document.addEventListener("keydown", wait, true);
		wait();
	}
	return () => {
		clearTimeout(timer);
		document.removeEventListener("keydown", wait, true);
		offs.forEach((off) => off());
		// The focus returns to where it was.
		dialog.close();
		dialog.remove();
	};
}

/**
 * Shows a list of any length in an element that scrolls. `render(row, index)` makes the element of a row; the row is
 * undefined while it is on the way. The rows in view stay there when others come or go above them.
 */
export function bindRows(element, model, output, { height = 24, page, render }) {
	const rows = model.list(output, { page });
	const space = document.createElement("div");
	space.style.position = "relative";
	element.replaceChildren(space);
	let shown = new Map();
	const detach = rows.attach(element, height, ({ first, end, shift }) => {
		const before = shown;
		shown = new Map();
		for (let index = first; index < end; index++) {
			const row = rows.at(index);
			const key = row?.id ?? `at ${index}`;
			const old = before.get(key);
			const one = old && old.row === row ? old : { row, child: render(row, index) };
			Object.assign(one.child.style, { position: "absolute", insetInline: 0, height: `${height}px`, top: `${index * height + shift}px` });
			shown.set(key, one);
			if (one === old) continue;
			if (old) old.child.replaceWith(one.child);
			else space.append(one.child);
		}
		for (const [key, { child }] of before) if (!shown.has(key)) child.remove();
	});
	return () => {
		detach();
		rows.close().catch(() => {});
	};
}
