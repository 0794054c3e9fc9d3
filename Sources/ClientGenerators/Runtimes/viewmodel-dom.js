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

/**
 * Runs an action, by the name of its method, when a button is clicked. The button is disabled with the action, and has
 * `aria-busy` and `data-progress` while it executes. `values()` has the arguments of the call. A failure is an event
 * `failure` of the button, with the error in `detail`.
 */
export function bindAction(button, model, name, values = () => []) {
	const wire = name.replace(/_+$/, "");
	const end = new AbortController();
	const click = async () => {
		try {
			const all = values();
			// Texts that were typed before go first.
			if (model.connection.connectionState === "connected") await model.connection.$settled(model.id);
			await model[name](...all);
		} catch (detail) {
			button.dispatchEvent(new CustomEvent("failure", { detail, bubbles: true }));
		}
	};
	button.disabled = true;
	button.addEventListener("click", click, { signal: end.signal });
	const offs = [
		model.watch(`${wire}.enabled`, (isEnabled) => (button.disabled = !isEnabled)),
		model.watch(`${wire}.executing`, (isExecuting) => button.setAttribute("aria-busy", isExecuting)),
		model.watch(`${wire}.progress`, (progress) => (button.dataset.progress = progress ?? "")),
		() => end.abort(),
	];
	return () => offs.forEach((off) => off());
}

/** Connects an `<input>` or `<textarea>` with a text field. A refusal is an event `failure`, as of a button. */
export function bindField(element, model, name) {
	const hold = model.hold({ outputs: [name] });
	const field = hold.field(name);
	const detach = field.attach(element);
	field.on("refused", (detail) => element.dispatchEvent(new CustomEvent("failure", { detail, bubbles: true })));
	return () => {
		detach();
		hold.close().catch(() => {});
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
