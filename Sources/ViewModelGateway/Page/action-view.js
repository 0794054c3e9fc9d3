/** An action of an instance: its button, its params, how far it is, and what came of it. */
import { CallView } from "./call-view.js";
import { ownKey } from "./ctl.js";
import { button, h, prose, setDisabled } from "./dom.js";
import { parse, stringify } from "./json.js";
import { Outcomes } from "./outcomes.js";

const policies = {
	exclusive: "A second call is refused",
	latest: "A second call cancels the first one",
	shared: "A second call joins the first one",
	queued: "Calls execute one after the other",
	concurrent: "Calls execute at the same time",
};

/** Longer params are not kept for a reload. */
const longestKept = 65_536;
/** The daemon knows a key for ten minutes. */
const keptMilliseconds = 590_000;
/** What cancels the calls of this page, by their keys. */
const cancels = new Map();

export class ActionView extends CallView {
	#picture;

	constructor(options) {
		super(options);
		const { name, declared } = this;
		const { policy = "exclusive", description } = declared;
		this.run = button(".primary", name, () => this.submit(), { title: description });
		this.state = h("span.action-state", { role: "status", title: "Only the connection that called an action can cancel it" });
		this.bar = h("progress.bar", { max: "1", hidden: true, label: `Progress of ${name}` });
		this.outcomes = new Outcomes(this);
		this.element = h(
			"div.call",
			{ "data-action": name },
			h("div.call-head", this.run, h("span.chip", { title: policies[policy] }, policy), this.state, this.copies()),
			prose(description),
			this.bar,
			this.makeForm(),
			this.metaView(true),
			this.outcomes.element,
		);
	}

	/** Follows `enabled`, `executing` and `progress`. */
	update(picture) {
		const isFirst = this.#picture === undefined;
		this.#picture = picture;
		const [isEnabled = true, isExecuting, progress] = ["enabled", "executing", "progress"].map(
			(part) => picture[`${this.name}.${part}`],
		);
		if (isFirst && isExecuting) this.#goOn();
		setDisabled(this.run, !this.isAllowed || !isEnabled);
		const isKnown = typeof progress === "number";
		this.bar.hidden = !isExecuting;
		if (isKnown) this.bar.value = progress;
		else this.bar.removeAttribute("value");
		const percent = isKnown ? ` ${Math.round(progress * 100)} %` : "";
		const elsewhere = this.outcomes.isRunning ? "" : ", not called here";
		const text = isExecuting ? `executing${percent}${elsewhere}` : isEnabled ? "" : "disabled";
		if (this.state.textContent !== text) this.state.textContent = text;
	}

	allow(isAllowed) {
		super.allow(isAllowed);
		this.update(this.#picture);
	}

	/** Where the page keeps its newest call under way, for a reload. */
	get #place() {
		return `${this.binding.viewModel.connection.attachment.epoch} ${this.method}`;
	}

	/** Becomes a caller of what this page has called before it was loaded again, or before it showed another instance. */
	#goOn() {
		const { key, time, value } = parse(sessionStorage.getItem(this.#place) ?? "{}");
		if (Date.now() - time < keptMilliseconds) this.#call(value, key, cancels.get(key));
	}

	send(value) {
		if (this.run.disabled || !this.deadline.reportValidity()) return;
		const [time, key] = [Date.now(), ownKey + Math.random()];
		const text = stringify({ key, time, value });
		if (!this.isSecret && !this.key.value && text.length < longestKept) sessionStorage.setItem(this.#place, text);
		this.#call(value, this.key.value || key);
	}

	async #call(value, key, controller = new AbortController()) {
		const place = this.#place;
		cancels.set(key, controller);
		const outcome = this.outcomes.begin(
			() => controller.abort(new DOMException("This page has cancelled the call", "AbortError")),
			this.command(value),
		);
		try {
			outcome.succeed(await this.request(value, { key, signal: controller.signal, timeout: Infinity }));
		} catch (error) {
			outcome.fail(error);
		}
		cancels.delete(key);
		if (sessionStorage.getItem(place)?.includes(key)) sessionStorage.removeItem(place);
	}
}
