/** What came of calls: results and errors. */
import { copyButtons } from "./copy.js";
import { button, fill, h } from "./dom.js";
import { masked, replaceAll } from "./secrets.js";
import { valueView } from "./value-view.js";

const maximumOutcomes = 5;
const declaredError = (declared, name) => declared.errors?.find(({ error }) => error === name);

/** The sentence that an error reply means. */
export function errorText({ code, message, data = {} }, declared) {
	if (code === -32602 && data.expected !== undefined) return `Expected ${data.expected}`;
	return declaredError(declared, data.error)?.description || message;
}

/** The element of a failed call. If the params have a secret, the error may repeat it. */
export function errorView(error, { declared, contract, isSecret }, command) {
	const { code, message } = error;
	const data = isSecret ? replaceAll(error.data ?? {}) : (error.data ?? {});
	const name = error.data?.error;
	const schema = contract.schema(declaredError(declared, name)?.details);
	const details = data.details ?? undefined;
	const suggestions = Array.isArray(data.suggestions) && data.suggestions.length > 0 && `Did you mean ${data.suggestions.join(", ")}?`;
	return h(
		"div.outcome.error",
		{ role: "alert" },
		name && h("code.error-name", name),
		h("span", errorText(error, declared)),
		data.path && h("span", `at ${data.path}`),
		suggestions && h("span", suggestions),
		data.retryable === true && h("span.chip", "may be tried again"),
		data.incident && h("span", "The daemon's log has the cause."),
		h("span.error-code", code),
		copyButtons("error", () => ({ code, message, data: { ...data, details: masked(details, schema) } }), () => command),
		details !== undefined && valueView(details, schema),
	);
}

/** The newest outcomes of an action, and all calls that are under way. */
export class Outcomes {
	#last = 0;
	element = h("div.outcomes", { role: "log", label: "Results" });

	/** @param {import("./call-view.js").CallView} call */
	constructor(call) {
		this.call = call;
	}

	/** Whether a call of this page is under way. */
	get isRunning() {
		return this.element.querySelector(".running") !== null;
	}

	/** Adds a call that is under way, with its command. Returns the functions that end it. */
	begin(cancel, command) {
		const { declared, contract } = this.call;
		const schema = contract.schema(declared.result);
		const number = h("span.run-number", `#${++this.#last}`);
		const line = h("div.run", number, h("span.running", "executing"), button(".small", "Cancel", cancel));
		this.element.prepend(line);
		// A call that is under way stays, because it can be cancelled.
		const old = [...this.element.children].slice(maximumOutcomes);
		for (const one of old) if (!one.querySelector(".running")) one.remove();
		const started = performance.now();
		const end = (outcome) => fill(line, number, outcome, h("span.elapsed", `${Math.round(performance.now() - started)} ms`));
		return {
			succeed: (result) =>
				end(
					h(
						"div.outcome",
						{ role: "status" },
						valueView(result, schema),
						copyButtons("result", () => masked(result, schema), () => command),
					),
				),
			fail: (error) => end(error.name === "AbortError" ? h("div.outcome.own", error.message) : errorView(error, this.call, command)),
		};
	}
}
