/** The right side: each message with its step, size and cause, and the way back to any step. */
import { button, fill, h, oncePerFrame, uniqueID } from "./dom.js";
import { kinds, messageView } from "./message-view.js";
import { factsLine, size } from "./safe-text.js";
import { VirtualList } from "./virtual-list.js";

const filters = {
	"All messages": /./,
	Frames: /frame|picture/,
	"Requests and replies": /request|notice|reply|error/,
	Errors: /error/,
};
export class TimelineView {
	#shown = [];
	#seen = 0;
	#selected;
	#end;
	#id = uniqueID();

	/** @param {object} actions `travel(number | undefined)`, `save()`, `open(file)`, `context()` returns `{session, contract}` */
	constructor(element, actions) {
		this.actions = actions;
		const refilter = () => this.#refilter();
		this.pause = button(".small", "Pause", () => this.#pause());
		this.live = button(".small.warn", "Live", () => this.goLive(), { hidden: true });
		this.filter = h(
			"select.input.small",
			{ label: "Kind of messages", onchange: refilter },
			Object.keys(filters).map((name) => h("option", name)),
		);
		this.search = h("input.input.small", {
			type: "search",
			placeholder: "filter",
			label: "Filter the timeline by text",
			oninput: refilter,
		});
		const file = h("input.offscreen", {
			type: "file",
			tabindex: -1,
			"aria-hidden": "true",
			id: "import-file",
			onchange: () => {
				if (file.files[0]) actions.open(file.files[0]);
				file.value = "";
			},
		});
		const rows = h("div");
		this.list = new VirtualList(
			{ role: "listbox", label: "Messages" },
			{
				rowHeight: 26,
				rows,
				content: rows,
				row: (index) => this.#row(this.#shown[index], index),
				select: (index) => this.select(this.#shown[index].number),
				open: () => this.#travel(),
			},
		);
		const { view } = this.list;
		view.classList.add("tl-list");
		view.addEventListener("keydown", ({ key }) => key === "Escape" && this.isPast && this.goLive());
		this.note = h("p.tl-note", { role: "status" });
		this.detail = h("div.tl-detail");
		const tools = [
			button(".small", "Export", actions.save, { title: "Save a transcript, for viewmodelctl replay" }),
			button(".small", "Import", () => file.click()),
			file,
		];
		fill(
			element,
			h("div.tl-head", h("h2", "Timeline"), this.live, this.pause, tools),
			h("div.tl-filter", this.filter, this.search),
			this.note,
			view,
			this.detail,
		);
		/** Shows what is new. */
		this.render = oncePerFrame(() => this.#render());
		new ResizeObserver(this.render).observe(view);
	}

	/** Shows another timeline. */
	show(timeline) {
		this.timeline = timeline;
		this.#selected = this.#end = undefined;
		this.list.isAtEnd = true;
		this.pause.textContent = "Pause";
		this.live.hidden = true;
		fill(this.detail);
		this.#refilter();
	}

	get isPast() {
		return !this.live.hidden;
	}

	goLive() {
		this.live.hidden = true;
		this.actions.travel();
		this.list.goTo(Infinity);
	}

	get #newest() {
		return this.timeline.entries.at(-1)?.number ?? 0;
	}

	#pause() {
		this.#end = this.#end === undefined ? this.#newest : undefined;
		this.pause.textContent = this.#end === undefined ? "Pause" : "Resume";
		this.#refilter();
	}

	#refilter() {
		this.#shown = [];
		this.#seen = this.list.count = 0;
		this.render();
	}

	/** Takes what came since the last time. Entries that fell out go. */
	#collect() {
		const { entries } = this.timeline;
		const first = entries[0]?.number ?? Infinity;
		const gone = this.#shown.findIndex(({ number }) => number >= first);
		this.#shown.splice(0, gone < 0 ? this.#shown.length : gone);
		const text = this.search.value.toLowerCase();
		const filter = filters[this.filter.value];
		for (const entry of entries.slice(Math.max(0, this.#seen + 1 - first))) {
			if (entry.number > this.#end) break;
			this.#seen = entry.number;
			const { kind, instance, title } = entry;
			if (filter.test(kind) && (text === "" || `${instance} ${title} ${entry.text}`.toLowerCase().includes(text)))
				this.#shown.push(entry);
		}
	}

	#indexOf(wanted) {
		return this.#shown.findIndex(({ number }) => number === wanted);
	}

	#render() {
		if (!this.timeline) return;
		const { list } = this;
		const wasAtEnd = list.isAtEnd && !this.isPast;
		this.#collect();
		list.count = this.#shown.length;
		list.current = this.#indexOf(this.#selected);
		if (wasAtEnd) list.goTo(Infinity);
		else list.draw();
		list.view.setAttribute("aria-activedescendant", `${this.#id}-${this.#selected}`);
		const { bytes, dropped } = this.timeline;
		const waiting = this.#newest - this.#end;
		this.note.textContent = factsLine(
			`${this.#shown.length} messages`,
			size(bytes),
			dropped.entries > 0 && `${dropped.entries} older ones dropped (${size(dropped.bytes)})`,
			waiting > 0 && `${waiting} new while paused`,
		);
	}

	#row({ number, kind, instance, title, seq, bytes, cause, time }, index) {
		const [glyph, label] = kinds[kind];
		const isSelected = number === this.#selected;
		const hasName = instance && /frame|picture|event/.test(kind);
		const hasCause = kind === "frame" && cause !== undefined;
		return h(
			`div.tl-row.${kind}${isSelected ? ".selected" : ""}`,
			{
				role: "option",
				id: `${this.#id}-${number}`,
				"aria-selected": String(isSelected),
				"aria-posinset": index + 1,
				"aria-setsize": this.#shown.length,
				title: `${time.toFixed(3)} s`,
				"data-number": number,
				onclick: () => this.select(number),
			},
			h("span.tl-glyph", { role: "img", label }, glyph),
			h("span.tl-seq", seq),
			h("span.tl-title", { dir: "auto" }, hasName && h("b", instance, " "), title),
			h("span.tl-cause", hasCause && { title: "A request of this page has caused it" }, hasCause && "⤷"),
			h("span.tl-size", bytes > 0 && size(bytes)),
		);
	}

	/** Selects the entry with a number, and shows its details. In the past it goes to that step. */
	select(number) {
		this.#selected = number;
		this.list.isAtEnd = false;
		this.#showDetail();
		if (this.isPast) this.actions.travel(number);
		this.render();
		const index = this.#indexOf(number);
		if (index >= 0) this.list.reveal(index);
	}

	#travel() {
		if (!this.timeline.entry(this.#selected)) return;
		this.live.hidden = false;
		this.actions.travel(this.#selected);
	}

	#showDetail() {
		const { timeline } = this;
		const entry = timeline.entry(this.#selected);
		const actions = { select: (number) => this.select(number), travel: () => this.#travel() };
		fill(this.detail, entry && messageView(entry, { timeline, ...this.actions.context(), ...actions }));
	}
}
