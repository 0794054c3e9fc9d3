/**
 * Elements of a page that show and use ViewModels, for the clients that viewmodelctl generates. Each function that binds
 * returns one that ends it.
 *
 *     import { start } from "./client.js";
 *     import { bindAction, bindField, bindRows, bindValue } from "./viewmodel-dom.js";
 *
 *     const { calculator } = start({ session: "desk" });
 *     bindValue(document.querySelector("output"), calculator, "led");
 *     bindAction(document.querySelector("button"), calculator, "undo");
 */

/** Makes an element with properties and children. */
export function make(tag, properties, ...children) {
	const element = Object.assign(document.createElement(tag), properties);
	element.append(...children);
	return element;
}

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

const sentences = { NotConnected: "There is no connection. This was not sent.", OutcomeUnknown: "The connection broke. Look whether this was done." };

/** Returns the text of an error, for people. */
export const describe = ({ name, message }) => sentences[name] ?? message;

/** Shows a failure in an element, and as the event `failure` of another one, with the error in `detail`. A cancelled call is none. */
function showFailure(element, target, detail) {
	if (["AbortError", "CancelledError"].includes(detail?.name)) return;
	if (element) element.textContent = detail ? describe(detail) : "";
	if (detail) target.dispatchEvent(new CustomEvent("failure", { detail, bubbles: true }));
}

/**
 * Runs an action, by the name of its method, when a button is clicked. The button is disabled with the action, and has
 * `aria-busy` and `data-progress` while it executes. `values()` has the arguments of the call. The button gets the event
 * `success` with the result in `detail`, or `failure`. The options are elements: a `progress` that is hidden unless the
 * action executes, a button to `cancel` the call of this page, also after a reload, and the text of its `error`.
 */
export function bindAction(button, model, name, values = () => [], { progress, cancel, error } = {}) {
	const wire = name.replace(/_+$/, "");
	const end = new AbortController();
	let own, isKnown;
	const place = () => `${model.connection.attachment.epoch} ${model.id}.${wire}`;
	const run = async (key, ignored) => {
		const call = (own = new AbortController());
		showFailure(error);
		try {
			const all = values();
			if (cancel) {
				cancel.disabled = false;
				all.length = model[name].length - 1;
				all.push({ signal: call.signal, key });
			}
			const detail = await model[name](...all);
			button.dispatchEvent(new CustomEvent("success", { detail, bubbles: true }));
		} catch (failure) {
			if (failure.name !== ignored) showFailure(error, button, failure);
		}
		if (!cancel || own !== call) return;
		cancel.disabled = true;
		sessionStorage.removeItem(place());
	};
	const click = () => {
		const key = cancel && `${Date.now()} ${Math.random()}`;
		if (cancel) sessionStorage.setItem(place(), key);
		return run(key);
	};
	button.disabled = true;
	button.addEventListener("click", click, end);
	if (cancel) cancel.disabled = true;
	cancel?.addEventListener("click", () => own?.abort(), end);
	const offs = [
		model.watch(`${wire}.enabled`, (isEnabled) => (button.disabled = !isEnabled)),
		model.watch(`${wire}.executing`, (isExecuting) => {
			button.setAttribute("aria-busy", isExecuting);
			if (progress) progress.hidden = !isExecuting;
			// The page was loaded again. By the key, which lasts ten minutes, it becomes a caller of the execution, if it has
			// the arguments of the call still.
			const key = cancel && !isKnown && isExecuting && sessionStorage.getItem(place());
			isKnown = true;
			if (key && Date.now() - parseInt(key) < 590000) run(key, "InvalidParamsError");
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

/** Returns a promise that an element's text is sent, by the element. */
const sent = new WeakMap();

/** Connects an `<input>` of any type, a `<textarea>` or a `<select>` with a field. `error` is an element for a refusal. */
export function bindField(element, model, name, { error } = {}) {
	const hold = model.hold({ outputs: [name] });
	const field = hold.field(name);
	const detach = field.attach(element);
	sent.set(element, () => model.connection.$settled(model.id));
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

/** Sends a text to an input that is no field, such as a password, when it changes and after a lost connection. */
export function bindInput(element, model, name, { error } = {}) {
	const end = new AbortController();
	let isUnsent = false;
	const send = () => {
		const call = model[name](element.value);
		sent.set(element, () => call);
		showFailure(error);
		isUnsent = false;
		call.catch((failure) => (isUnsent = failure.name === "NotConnected") || showFailure(error, element, failure));
	};
	element.addEventListener("input", send, end);
	const off = model.connection.on("state", (state) => state === "connected" && (isUnsent || element.value) && send());
	return () => (end.abort(), off());
}

/** Clicks the first button of a form after Enter in a text, once the daemon has the texts. Shift and Enter begin a line. */
export function bindForm(form) {
	const end = new AbortController();
	form.addEventListener("submit", (event) => event.preventDefault(), end);
	form.addEventListener("keydown", async (event) => {
		if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.target.localName === "button") return;
		event.preventDefault();
		const all = [...form.elements].map((element) => sent.get(element)?.());
		await Promise.all(all).then(() => form.querySelector("button").click(), () => {});
	}, end);
	return () => end.abort();
}

/**
 * Shows a short list: `render(row)` makes the element of a row, `order(rows)` the rows to show. The element of a row that
 * has not changed stays, and the focus stays in the list. `aria-busy` of the element ends with the first rows.
 */
export function bindList(element, model, output, { render, order = (rows) => rows }) {
	let shown = new Map();
	const controls = () => [...element.querySelectorAll("a, button, input, select, textarea")];
	return model.watch(output, (rows) => {
		const { activeElement } = document;
		const place = controls().indexOf(activeElement);
		shown = new Map(order(rows).map((row) => [row, shown.get(row) ?? render(row)]));
		const children = [...shown.values()];
		for (const child of [...element.children]) if (!children.includes(child)) child.remove();
		children.forEach((child, at) => element.children[at] !== child && element.insertBefore(child, element.children[at] ?? null));
		element.ariaBusy = null;
		if (place < 0 || activeElement === document.activeElement) return;
		(activeElement.isConnected ? activeElement : (controls()[place] ?? controls().at(-1)))?.focus();
	});
}

/**
 * Follows the scenes with the address of the page: `#wallet` is the scene "wallet", and a tab is the address of the root.
 * A new scene is a new entry of the history. Back, Forward, a reload, a link and a typed address change the scenes.
 * `names` has the addresses of scenes that share one. `show(name, scene, tab)` shows the top scene. The document gets the
 * event `failure` when an address is refused.
 */
export function bindScenes(coordinator, { tabs = ["root"], names = {}, show }) {
	const end = new AbortController();
	let scenes = [{ style: "root" }];
	let isKnown = false;
	// Calls of a navigation have not ended, or the browser has not gone back yet. The address waits.
	let [isMoving, isReturning] = [false, false];
	const address = () => location.hash.slice(1);
	let tab = tabs.includes(address()) ? address() : (history.state?.tab ?? tabs[0]);
	const nameOf = ({ style, scene }) => (style === "root" ? tab : (names[scene] ?? scene));
	const write = (method, depth, name) => history[method]({ depth, tab }, "", `#${name}`);

	/** Shows the top scene, and makes the address follow it. */
	function settle() {
		if (isMoving || isReturning) return;
		const depth = scenes.length - 1;
		const before = history.state?.depth ?? 0;
		show(nameOf(scenes[depth]), scenes[depth], tab);
		if (!isKnown) return;
		isReturning = before > depth;
		if (isReturning) history.go(depth - before);
		else if (before === depth) write("replaceState", depth, nameOf(scenes[depth]));
		else for (let at = before + 1; at <= depth; at++) write("pushState", at, nameOf(scenes[at]));
	}

	/** Goes to what an address names: a tab, a scene below the top one, or a new scene. */
	async function visit(name) {
		const isTab = tabs.includes(name);
		if (isTab) tab = name;
		if (!isKnown || isMoving) return settle();
		const place = isTab ? 0 : scenes.findLastIndex((one) => nameOf(one) === name);
		write("replaceState", place < 0 ? scenes.length : place, name);
		isMoving = true;
		try {
			if (place < 0) await coordinator.open({ scene: name });
			else for (let count = scenes.length - 1 - place; count > 0; count--) await coordinator.back();
		} catch (failure) {
			showFailure(undefined, document, failure);
		}
		isMoving = false;
		settle();
	}

	window.addEventListener("popstate", () => {
		tab = history.state?.tab ?? tab;
		if (!isReturning) return visit(address());
		isReturning = false;
		settle();
	}, end);
	settle();
	const off = coordinator.watch("scenes", (value) => {
		const [isFirst, isNew, name] = [!isKnown, history.state === null, address()];
		scenes = value;
		isKnown = true;
		// In a new tab of the browser, what is open already lies behind the address in the history.
		if (isFirst && isNew) write("replaceState", 0, tab);
		if (!isFirst || isNew) settle();
		if (!isFirst || ["", ...tabs, nameOf(scenes.at(-1))].includes(name)) return settle();
		if (isNew) write("pushState", scenes.length, name);
		visit(name);
	});
	return () => (end.abort(), off());
}

/**
 * Shows the prompts of a session, one after the other, each as a `<dialog>` with its kind as a class, and the roles of the
 * buttons as theirs. It takes the focus when no key was pressed for half a second, so that it takes no key from a text,
 * and no answer in its first half second.
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
	const quiet = 500;
	const text = kind === "input" && make("input", { autocomplete: "off", ariaLabel: title });
	const error = make("p", { role: "alert" });
	const all = buttons.length > 0 || kind === "busy" ? buttons : [{ title: "OK", role: "default" }];
	const elements = all.map(({ title, role }) => make("button", { type: "button", className: role }, title));
	const offs = all.map((button, index) =>
		bindAction(elements[index], prompter, "answer", () => [{ id, button: button.id, text: text ? text.value : undefined }], { error }));
	const press = (role) => elements.find(({ className }) => className === role)?.click();
	const dialog = make("dialog", { open: true, className: kind, tabIndex: -1, ariaLabel: title, ariaDescription: message ?? "", ariaLive: "polite" },
		make("h2", {}, title), make("p", {}, message ?? ""), text || "", error, make("div", {}, ...elements));
	const shownAt = performance.now();
	let timer;
	const takeFocus = () => {
		document.removeEventListener("keydown", wait, true);
		dialog.open = false;
		dialog.showModal();
		(text || dialog).focus();
	};
	const wait = () => {
		clearTimeout(timer);
		timer = setTimeout(takeFocus, quiet);
	};
	dialog.addEventListener("click", (event) => performance.now() - shownAt < quiet && event.stopPropagation(), true);
	// The dialog shows a failure itself.
	dialog.addEventListener("failure", (event) => event.stopPropagation());
	dialog.addEventListener("keydown", (event) => {
		if (event.key === "Enter" && event.target === text) press("default");
		if (event.key !== "Escape") return;
		// Otherwise the browser would close the dialog at the second Escape, although no answer has been given.
		event.preventDefault();
		press("cancel");
	});
	// The gesture to go back.
	dialog.addEventListener("cancel", (event) => {
		event.preventDefault();
		press("cancel");
	});
	dialog.onclose = takeFocus;
	parent.append(dialog);
	if (kind !== "busy") {
		document.addEventListener("keydown", wait, true);
		wait();
	}
	return () => {
		clearTimeout(timer);
		document.removeEventListener("keydown", wait, true);
		offs.forEach((off) => off());
		dialog.onclose = null;
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
