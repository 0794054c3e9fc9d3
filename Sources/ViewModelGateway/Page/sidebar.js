/** The left side: sessions, instances of the attached one, and types that can be opened. */
import { copyButtons } from "./copy.js";
import { openCommand } from "./ctl.js";
import { button, fill, h } from "./dom.js";
import { FormView } from "./form-view.js";
import { stringify } from "./json.js";
import { count, factsLine } from "./safe-text.js";
import { masked } from "./secrets.js";

const list = (label) => h("ul.items", { label });

function item(spec, name, facts, action, isCurrent, ...tools) {
	const texts = [h("span.item-name", { dir: "auto", title: name }, name), h("span.item-facts", { title: facts }, facts)];
	const show = button(".item", texts, action, { "aria-current": isCurrent && "true", "data-key": `show ${name}` });
	return h(spec + (isCurrent ? ".current" : ""), { "data-name": name }, show, tools);
}

export class Sidebar {
	#shown = new Map();
	#sessions = [[]];

	/** @param {object} actions `attach(session)`, `closeSession(session)`, `select(id)`, `open(type, id, values)`, `close(id)` */
	constructor(element, isAllowed, actions) {
		Object.assign(this, { isAllowed, actions });
		[this.sessions, this.instances, this.types] = [list("Sessions"), list("Instances"), list("Types")];
		const name = h("input.input", {
			placeholder: "find or add",
			oninput: () => this.showSessions(...this.#sessions),
			pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}",
			title: "Up to 64 letters, digits, dots, _ and -",
			required: true,
			label: "Find a session, or name a new one",
		});
		const onsubmit = (event) => {
			event.preventDefault();
			actions.attach(name.value);
			name.value = "";
		};
		const form = h("form.new-session", { onsubmit }, name, h("button.small", "Open"));
		this.name = name;
		this.box = h(
			"section",
			{ hidden: true },
			h("h2", "Instances"),
			this.instances,
			h("details.types", { open: true }, h("summary", "Open a ViewModel"), this.types),
		);
		fill(element, h("section", h("h2", "Sessions"), form, this.sessions), this.box);
	}

	#end(title, name, action) {
		return button(".icon", "×", action, { title, label: `${title}: ${name}`, disabled: !this.isAllowed, "data-key": `end ${name}` });
	}

	/** Shows the sessions of `session.list`. */
	showSessions(sessions, current) {
		this.#sessions = [sessions, current];
		const listed = sessions.filter(({ session }) => session.includes(this.name.value));
		const sessionItem = ({ session, attached, instances, expires, node }) => {
			const end = expires && `ends ${new Date(expires).toLocaleTimeString("en-GB")}`;
			const facts = factsLine(count(instances, "instance"), attached > 0 ? count(attached, "client") : end, node && `on ${node}`);
			const close = this.#end("End the session", session, () => this.actions.closeSession(session));
			return item("li", session, facts, () => this.actions.attach(session), session === current, close);
		};
		const empty = [h("li.empty", sessions.length > 0 ? "No session has this in its name." : "none yet")];
		this.#refill(this.sessions, [listed, sessions.length, current], () => (listed.length > 0 ? listed.map(sessionItem) : empty));
	}

	/** Shows the instances of the attached session; none if no session is attached. */
	showInstances(instances, contract, current, session) {
		this.box.hidden = !instances;
		if (!instances) return;
		const instanceItem = ({ id, type }) => {
			const isOwn = contract.type(type).builtIn !== true;
			const isChild = id.includes(".");
			const facts = !isOwn ? "built in" : type === id ? "" : type;
			const close = () => this.#end("Close the instance", id, () => this.actions.close(id));
			const select = () => this.actions.select(id);
			return item(isChild ? "li.child" : "li", id, facts, select, id === current, isOwn && !isChild && close());
		};
		// What the daemon has by itself comes last.
		const isBuiltIn = ({ type }) => contract.type(type).builtIn === true;
		const sorted = [...instances.filter((one) => !isBuiltIn(one)), ...instances.filter(isBuiltIn)];
		this.#refill(this.instances, [contract.hash, instances, current], () => sorted.map(instanceItem));
		const types = [...contract.types].filter(([, { builtIn, child, instance }]) => !builtIn && (!child || instance));
		this.#refill(this.types, [contract.hash, session], () => types.map(([name, type]) => this.#type(name, type, contract, session)));
	}

	/** Makes a list anew if its facts are others, and gives the focus to the control that had it. */
	#refill(element, facts, make) {
		const text = stringify(facts);
		if (this.#shown.get(element) === text) return;
		this.#shown.set(element, text);
		const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
		fill(element, make());
		if (key) [...element.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key)?.focus();
	}

	#type(name, type, contract, session) {
		const schema = contract.schema(type.arguments ?? { type: "null" });
		const shown = contract.defaultOf(name);
		const id = h("input.input", {
			placeholder: "id (random)",
			label: `Id of a new ${name}`,
			pattern: "[A-Za-z][A-Za-z0-9_\\-]{0,63}",
			title: "A letter, then up to 63 letters, digits, _ and -",
		});
		const submit = (values) => id.reportValidity() && this.actions.open(name, id.value || undefined, values);
		const form = schema.isNothing ? undefined : new FormView(schema, "arguments", submit);
		const open = button(".small", "Open new", () => (form ? form.send() : submit({})), {
			disabled: !this.isAllowed,
			label: `Open a new ${name}`,
		});
		const copies = copyButtons(name, undefined, () => openCommand(session, name, id.value, masked(form?.value(), schema)));
		const title = `Open a new ${name}`;
		const more = h(
			"details.new",
			h("summary", shown ? { title, label: title } : { title: type.description }, shown ? "+" : name),
			h("div.type-form", id, form?.element, h("div.row", open, copies)),
		);
		if (!shown) return h("li.type", more);
		return item("li.type", shown, contract.summary(name), () => this.actions.select(shown), false, more);
	}
}
