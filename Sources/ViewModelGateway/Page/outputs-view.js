/** The outputs of an instance by their schema: state as values, lists as tables, events as a log. */
import { copyButtons } from "./copy.js";
import { command, readCommand } from "./ctl.js";
import { fill, h, prose } from "./dom.js";
import { isEqual } from "./json.js";
import { masked } from "./secrets.js";
import { Table } from "./table.js";
import { valueView } from "./value-view.js";

const maximumEvents = 50;

export class OutputsView {
	#shown = {};
	#places = new Map();
	#events = new Map();

	/** @param {{contract: object, type: string, id: string, session: string}} options. `scroll` is left out for the past. */
	constructor(options, scroll) {
		Object.assign(this, options, { scroll });
		this.states = h("div.outputs");
		this.element = h("div", this.states);
		const outputs = this.contract.outputs(this.type);
		this.isEmpty = outputs.length === 0;
		for (const output of outputs) this.#add(output);
		this.states.hidden = this.states.children.length === 0;
	}

	#add({ name, kind, schema, description }) {
		const { session, id, scroll } = this;
		const title = h("span.output-name", { title: description }, name);
		const copied = () => masked(kind === "event" ? this.#events.get(name).values : this.#shown[name], schema);
		const copies = copyButtons(name, copied, () => {
			if (kind === "event") return command(session, "watch", id);
			const { offset, rows } = (kind === "list" && this.#shown[name]) || {};
			return readCommand(session, id, name, offset, rows?.length);
		});
		if (kind === "list") {
			const table = new Table(name, schema.items, scroll && ((offset, limit) => scroll(name, offset, limit)), (index) =>
				readCommand(session, id, name, index, 1),
			);
			this.element.append(
				h(
					"section.list",
					{ "data-output": name, label: `List ${name}` },
					h("h4", title, h("span.kind", "list"), copies),
					prose(description),
					table.element,
				),
			);
			this.#places.set(name, (value) => table.update(value));
			return;
		}
		let place = h("div.output-value");
		const row = h("div.output", { "data-output": name }, title, place, copies);
		this.states.append(row);
		if (kind === "event") {
			const log = h("ol");
			fill(place, h("span.v-null", "none yet"), h("div.events", { role: "log", label: `Events ${name}`, tabindex: 0 }, log));
			this.#events.set(name, { log, schema, values: [] });
		} else {
			this.#places.set(name, (value, isFirst) => {
				const next = h("div.output-value", valueView(value, schema));
				const { length } = next.textContent;
				next.classList.toggle("long", length > 100);
				// A long text that flashes cannot be read.
				next.classList.toggle("changed", !isFirst && length < 200);
				place.replaceWith(next);
				place = next;
			});
		}
	}

	/** Shows a picture. Only what has changed is made anew. */
	update(picture) {
		for (const [name, show] of this.#places) {
			const isFirst = !Object.hasOwn(this.#shown, name);
			if (!isFirst && isEqual(this.#shown[name], picture[name])) continue;
			this.#shown[name] = picture[name];
			show(picture[name], isFirst);
		}
	}

	/** Adds an event to its log. */
	event({ output, value }) {
		const place = this.#events.get(output);
		if (!place) return;
		const { log, schema, values } = place;
		log.parentElement.previousSibling?.remove();
		values.unshift(value);
		values.splice(maximumEvents);
		log.prepend(h("li.changed", h("time", new Date().toLocaleTimeString("en-GB")), " ", valueView(value, schema)));
		while (log.children.length > maximumEvents) log.lastChild.remove();
	}

	/** Says that events were dropped. */
	lost(count) {
		for (const { log } of this.#events.values()) log.prepend(h("li.v-null", `${count} older events were dropped`));
	}
}
