/** The health of the daemon as small live charts, from the ViewModels `daemon` and `metrics`. */
import { copyButtons } from "./copy.js";
import { fill, h } from "./dom.js";
import { factsLine, size } from "./safe-text.js";

/** A duration for people: `250 µs`. */
export function duration(seconds) {
	if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
	if (seconds < 1) return `${Number((seconds * 1000).toPrecision(2))} ms`;
	if (seconds < 120) return `${Number(seconds.toPrecision(3))} s`;
	if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
	return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

const points = 60;
const [width, height] = [84, 22];
const rate = (value) => `${value >= 100 ? Math.round(value) : Math.round(value * 10) / 10}/s`;
const charts = {
	requests: ["Requests per second", rate],
	frames: ["Frames per second", rate],
	bytes: ["Bytes per second", (value) => `${size(value)}/s`],
	sessions: ["Sessions, also those without a name", String],
	memory: ["Resident memory of the daemon", size],
	latency: ["Time from a request of this page to its reply", duration],
};

/** A line of the newest numbers with the last one. */
class Chart {
	#values = [];

	constructor(name, [title, format]) {
		this.format = format;
		this.line = h("polyline");
		this.number = h("span.chart-number", "–");
		const picture = h("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, this.line);
		this.element = h("div.chart", { title }, h("span.chart-title", name), this.number, picture);
	}

	add(value) {
		if (!Number.isFinite(value)) return;
		const values = (this.#values = [...this.#values, value].slice(-points));
		this.number.textContent = this.format(value);
		const greatest = Math.max(...values, 1e-9);
		const place = (one, index) => [
			((points - values.length + index) * width) / (points - 1),
			height - 1 - (one / greatest) * (height - 3),
		];
		this.line.setAttribute(
			"points",
			values.map((one, index) => place(one, index).map((part) => part.toFixed(1))).join(" "),
		);
	}
}

export class Health {
	#last;
	#picture = {};

	constructor(element) {
		this.charts = Object.fromEntries(Object.entries(charts).map(([name, options]) => [name, new Chart(name, options)]));
		this.daemon = h("span.daemon");
		this.facts = h("span.item-facts");
		fill(
			element,
			h("div.daemon-box", this.daemon, this.facts),
			Object.values(this.charts).map((one) => one.element),
			copyButtons(
				"health",
				() => this.#picture,
				() => "viewmodelctl status",
			),
		);
	}

	/** Shows a picture of `daemon`. */
	showDaemon(picture, program) {
		this.#picture = picture;
		const { state, version = "", uptimeSeconds = 0, sessions, residentBytes, storage } = picture;
		const isWritable = storage?.healthy !== false;
		const isRunning = state === "running";
		fill(this.daemon, h(`span.dot.${isRunning && isWritable ? "good" : "bad"}`), `${program} ${version}`);
		this.facts.textContent = factsLine(
			isRunning && !isWritable ? "its storage cannot be written" : state,
			`up ${duration(Number(uptimeSeconds))}`,
			storage && `${size(Number(storage.bytes))} stored`,
		);
		this.charts.sessions.add(Number(sessions));
		this.charts.memory.add(Number(residentBytes));
	}

	/** Shows the text of `metrics`. Rates are differences of counters. */
	showMetrics(text) {
		const sum = (...endings) => endings.reduce((all, ending) => all + total(text, `_${ending}_total`), 0);
		const now = {
			time: performance.now() / 1000,
			requests: sum("requests"),
			frames: sum("frames"),
			bytes: sum("received_bytes", "sent_bytes"),
		};
		const last = this.#last;
		if (last && now.time - last.time < 0.5) return;
		this.#last = now;
		for (const name of ["requests", "frames", "bytes"]) {
			// A counter that falls belongs to another life of the daemon.
			if (now[name] >= last?.[name]) this.charts[name].add((now[name] - last[name]) / (now.time - last.time));
		}
	}
}

/** The sum of the samples whose name ends with a text, or `undefined` if there is none. The prefix is the program's own. */
export function total(text, ending) {
	let sum;
	for (const line of text.split("\n")) {
		const [, name, value] = /^([A-Za-z_:][\w:]*)(?:\{(?:"(?:[^"\\]|\\.)*"|[^"])*\})? (\S+)/.exec(line) ?? [];
		if (name?.endsWith(ending) && Number.isFinite(Number(value))) sum = (sum ?? 0) + Number(value);
	}
	return sum;
}
