/** An instance as a live form that is made from its contract alone. */
import { ActionView } from "./action-view.js";
import { copyButtons } from "./copy.js";
import { command } from "./ctl.js";
import { button, h, oncePerFrame, prose } from "./dom.js";
import { InputView } from "./input-view.js";
import { OutputsView } from "./outputs-view.js";
import { count } from "./safe-text.js";
import { masked } from "./secrets.js";
import { toast } from "./toasts.js";
import { Closed } from "./viewmodel.js";

/** Up to so many members are found without a search. */
const fewMembers = 24;
const card = (title, parts) => parts.length > 0 && h("section.card", h("h3", title), parts);

function head({ id, type, contract, session }, step, picture, verb, ...more) {
	/** A picture without its secrets. */
	const safePicture = () => {
		const { outputs } = contract.type(type);
		return Object.fromEntries(
			Object.entries(picture()).map(([name, value]) => [name, masked(value, contract.schema(outputs?.[name]?.schema))]),
		);
	};
	return h(
		"header.instance-head",
		h("h2", { dir: "auto" }, id),
		id !== type && h("span.kind", type),
		step,
		more,
		copyButtons(id, safePicture, () => command(session, verb, id)),
	);
}

export class InstanceView {
	#offs = [];

	/** @param {object} options `binding`, `contract`, `type`, `id`, `session`, `secrets`. `select` shows another instance. */
	constructor(options, select) {
		const { binding, contract, type, id } = options;
		this.binding = binding;
		const scrollFailed = (error) => error instanceof Closed || toast(error.message, "error", id);
		const scroll = (list, offset, limit) => binding.scroll(list, offset, limit).catch(scrollFailed);
		this.outputs = new OutputsView(options, scroll);
		this.inputs = contract.calls(type, "inputs").map((call) => new InputView({ ...options, ...call }));
		this.actions = contract.calls(type, "actions").map((call) => new ActionView({ ...options, ...call }));
		this.step = h("span.chip.step", { title: "The step of this picture" });
		const { description, children = {} } = contract.type(type);
		const links = Object.keys(children).map((name) => button(".link", `${id}.${name}`, () => select(`${id}.${name}`)));
		const members = [...this.inputs, ...this.actions, ...contract.outputs(type)];
		const calls = [card("Inputs", elements(this.inputs)), card("Actions", elements(this.actions))].filter(Boolean);
		const outputs = card("Outputs", this.outputs.isEmpty ? [] : [this.outputs.element]);
		this.search = h("input.input", {
			type: "search",
			placeholder: `find among ${count(members.length, "member")}`,
			label: "Find members by name",
			oninput: () => this.#find(),
		});
		this.missing = h("p.empty", { role: "status" });
		const callsView = calls.length > 0 && h("div.calls", calls);
		if (outputs && callsView) this.#hold(outputs, callsView);
		this.element = h(
			"article.instance",
			{ "data-instance": id, label: `Instance ${id}` },
			head(options, this.step, () => binding.picture, "watch", links.length > 0 && h("span", "children ", links)),
			members.length > fewMembers && [this.search, this.missing],
			prose(description),
			h("div.columns", outputs, callsView),
			!outputs && calls.length === 0 && h("p.empty", "This ViewModel has no inputs, outputs or actions."),
		);
		this.#offs.push(
			binding.on("picture", oncePerFrame(() => this.#show(binding.picture))),
			binding.on("event", (event) => this.outputs.event(event)),
			binding.on("lost", (count) => this.outputs.lost(count)),
		);
		this.#show(binding.picture);
	}

	/** Keeps the calls that are in use where they are when the outputs above them grow: no key moves below the pointer. */
	#hold(outputs, calls) {
		let last;
		const observer = new ResizeObserver(() => {
			const { offsetTop } = calls;
			// The outputs are measured once at first, and again after a visit to the past.
			if (last && calls.matches(":hover, :focus-within")) calls.closest(".middle").scrollTop += offsetTop - last;
			last = offsetTop;
		});
		observer.observe(outputs);
		this.#offs.push(() => observer.disconnect());
	}

	#show(picture) {
		this.step.textContent = `step ${this.binding.seq}`;
		this.outputs.update(picture);
		for (const action of this.actions) action.update(picture);
	}

	/** Shows the members whose names have the text of the search. */
	#find() {
		const text = this.search.value.trim().toLowerCase();
		const all = [...this.element.querySelectorAll("[data-output], [data-input], [data-action]")];
		for (const one of all) {
			const { output, input, action } = one.dataset;
			one.hidden = !(output ?? input ?? action).toLowerCase().includes(text);
		}
		this.missing.textContent = all.every((one) => one.hidden) ? "No member has this in its name." : "";
	}

	/** Enables the forms, or disables them. */
	allow(isAllowed) {
		for (const one of [...this.inputs, ...this.actions]) one.allow(isAllowed);
	}

	stop() {
		for (const off of this.#offs) off();
		for (const input of this.inputs) input.stop();
	}
}

const elements = (views) => views.map(({ element }) => element);

/** A picture of the past, which nobody can change. */
export function pastView(options, picture, step) {
	const { contract, type, id } = options;
	const outputs = new OutputsView(options);
	outputs.update(picture);
	const actions = contract.calls(type, "actions").map(({ name }) => {
		const states = ["enabled", "executing"].filter((part) => picture[`${name}.${part}`] === true);
		return h("div.output", h("span.output-name", name), h("div.output-value", states.join(", ") || "disabled"));
	});
	return h(
		"article.instance.past",
		{ "data-instance": id, label: `Instance ${id} in the past` },
		head(options, h("span.chip.step", `step ${step}`), () => picture, "read"),
		card("Outputs", [outputs.element]),
		card("Actions", actions.length > 0 ? [h("div.outputs", actions)] : []),
	);
}
