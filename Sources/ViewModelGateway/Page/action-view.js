/** An action of an instance: its button, its params, how far it is, and what came of it. */
import { CallView } from "./call-view.js";
import { button, h, prose, setDisabled } from "./dom.js";
import { Outcomes } from "./outcomes.js";

const policies = {
	exclusive: "A second call is refused",
	latest: "A second call cancels the first one",
	shared: "A second call joins the first one",
	queued: "Calls execute one after the other",
	concurrent: "Calls execute at the same time",
};

export class ActionView extends CallView {
	#picture = {};

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
		this.#picture = picture;
		const [isEnabled = true, isExecuting, progress] = ["enabled", "executing", "progress"].map(
			(part) => picture[`${this.name}.${part}`],
		);
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

	async send(value) {
		if (this.run.disabled || !this.deadline.reportValidity()) return;
		const controller = new AbortController();
		const outcome = this.outcomes.begin(
			() => controller.abort(new DOMException("This page has cancelled the call", "AbortError")),
			this.command(value),
		);
		try {
			outcome.succeed(await this.request(value, { signal: controller.signal, timeout: Infinity }));
		} catch (error) {
			outcome.fail(error);
		}
	}
}
