/** The health of the daemon in one line, and its numbers once a person opens it. */
import { copyButtons } from "./copy.js";
import { fill, h } from "./dom.js";
import { factsLine, number, size } from "./safe-text.js";

/** A duration for people: `250 µs`. */
export function duration(seconds) {
	if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
	if (seconds < 1) return `${Number((seconds * 1000).toPrecision(2))} ms`;
	if (seconds < 120) return `${Number(seconds.toPrecision(3))} s`;
	if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
	return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

const kinds = {
	sessions: ["Sessions, also without a name", number],
	memory: ["Memory", size],
	stored: ["Stored", size],
	latency: ["Reply to this page", duration],
	socket: ["Socket", String],
};

export class Health {
	#picture = {};
	#values = {};

	/** @param {HTMLDetailsElement} element */
	constructor(element) {
		[this.line, this.numbers] = [h("summary"), h("dl.numbers")];
		const copies = copyButtons("health", () => this.#picture, () => "viewmodelctl status");
		fill(element, this.line, this.numbers, copies);
		element.ontoggle = () => element.scrollIntoView({ block: "nearest" });
	}

	/** Shows values by their names. One that is no number is unknown. */
	show(values) {
		Object.assign(this.#values, values);
		const known = Object.entries(kinds).filter(([name]) => !Object.is(this.#values[name] ?? NaN, NaN));
		fill(this.numbers, known.map(([name, [title, format]]) => [h("dt", title), h("dd", format(this.#values[name]))]));
	}

	/** Shows a picture of `daemon`. */
	showDaemon(picture, program) {
		this.#picture = picture;
		const { state, version = "", uptimeSeconds = 0, sessions, residentBytes, storage, socket } = picture;
		const isWritable = storage?.healthy !== false;
		const isRunning = state === "running";
		const problem = isRunning && !isWritable ? "its storage cannot be written" : state;
		this.line.parentElement.hidden = false;
		fill(
			this.line,
			h(`span.dot.${isRunning && isWritable ? "good" : "bad"}`),
			h("b", `${program} ${version}`),
			h("span.item-facts", factsLine(problem, `up ${duration(Number(uptimeSeconds))}`)),
		);
		this.show({ sessions: Number(sessions), memory: Number(residentBytes), stored: Number(storage?.bytes), socket: socket?.path });
	}
}
