/** The right side: each message with its step, size and cause, and the way back to any step. */
import { button, fill, h, oncePerFrame, uniqueID } from "./dom.js";
import { kinds, messageView } from "./message-view.js";
import { showMiddle } from "./panels.js";
import { count, factsLine, number, size } from "./safe-text.js";
import { VirtualList } from "./virtual-list.js";

const filters = { "All messages": /./, Frames: /frame|picture/, "Requests and replies": /request|notice|reply|error/, Errors: /error/ };

/** Frames of an instance that follow each other faster are one row. */
const burstSeconds = 0.05;

export class TimelineView {
	/** The rows: entries, or the newest of several frames with all of them in `group`. */
	#shown = [];
	#seen = 0;
	#selected;
	#end;
	#id = uniqueID();
	/** Whether the page shows the pictures after the selected message, and not the newest ones. */
	isPast = false;

	/** @param {object} actions `travel(number | undefined)`, `save()`, `open(file)`, `context()` returns `{session, contract}` */
	constructor(element, actions) {
		this.actions = actions;
		const refilter = () => this.#refilter();
		this.pause = button(".small", "Pause", () => this.#pause());
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
				press: ({ dataset }) => this.#choose(this.#shown.findIndex(({ number }) => number >= dataset.number)),
				select: (index) => this.#choose(index),
				open: () => this.travel(this.#selected),
			},
		);
		const { view } = this.list;
		view.classList.add("tl-list");
		const leave = ({ key, target }) => key === "Escape" && !target.closest("input, .copies, dialog") && this.goLive();
		document.addEventListener("keydown", leave);
		this.note = h("p.tl-note", { role: "status" });
		this.detail = h("div.tl-detail");
		const tools = [
			button(".small", "Export", actions.save, { title: "Save a transcript, for viewmodelctl replay" }),
			button(".small", "Import", () => file.click()),
			file,
		];
		fill(
			element,
			h("div.tl-head", h("h2", "Timeline"), this.pause, tools),
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
		this.isPast = false;
		fill(this.detail);
		this.#refilter();
	}

	/** Leaves the past. */
	goLive() {
		if (!this.isPast) return;
		this.isPast = false;
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
			if (!filter.test(kind) || !`${instance} ${title} ${text && entry.text}`.toLowerCase().includes(text)) continue;
			const last = this.#shown.at(-1);
			const isBurst =
				last?.kind === "frame" &&
				kind === "frame" &&
				entry.time - last.time < burstSeconds &&
				["instance", "title", "cause"].every((part) => entry[part] === last[part]);
			if (!isBurst) this.#shown.push(entry);
			else {
				const group = last.group ?? [last];
				group.push(entry);
				this.#shown[this.#shown.length - 1] = Object.create(entry, { group: { value: group } });
			}
		}
	}

	/** The row of an entry. One in a group becomes a row of its own, and so do the others. */
	#indexOf(wanted) {
		const index = this.#shown.findIndex(({ number }) => number >= wanted);
		const { group = [] } = this.#shown[index] ?? {};
		if (group.some(({ number }) => number === wanted))
			this.#shown.splice(index, 1, ...group.filter(({ number }) => this.timeline.entry(number)));
		return this.#shown.findIndex(({ number }) => number === wanted);
	}

	/** Selects a row. A group becomes its frames. */
	#choose(index) {
		const { group: [{ number }] = [this.#shown[index]] } = this.#shown[index];
		this.select(number);
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
		const row = list.view.querySelector(".selected");
		if (row) list.view.setAttribute("aria-activedescendant", row.id);
		else list.view.removeAttribute("aria-activedescendant");
		const { bytes, dropped } = this.timeline;
		const waiting = this.#newest - this.#end;
		const found = this.#shown.reduce((sum, { group }) => sum + (group?.length ?? 1), 0);
		this.note.textContent = factsLine(
			found > 0 ? count(found, "message") : this.#seen > 0 ? "No message matches the filter" : "No message yet",
			bytes > 0 && size(bytes),
			dropped.entries > 0 && `${number(dropped.entries)} older ones dropped (${size(dropped.bytes)})`,
			waiting > 0 && `${number(waiting)} new while paused`,
		);
	}

	#row({ number, kind, instance, title, seq, bytes, cause, time, group }, index) {
		const [glyph, label] = kinds[kind];
		const isSelected = number === this.#selected;
		const times = group && h("span.chip", { title: "Frames that followed each other fast" }, `×${group.length}`);
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
			},
			h("span.tl-glyph", { role: "img", label }, glyph),
			h("span.tl-seq", seq),
			h("span.tl-title", { dir: "auto" }, times, hasName && h("b", instance, " "), title),
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

	/** Shows all pictures as they were after the entry with a number. */
	travel(number) {
		if (!this.timeline.entry(number)) return;
		this.isPast = true;
		showMiddle();
		this.select(number);
	}

	#showDetail() {
		const { timeline } = this;
		const entry = timeline.entry(this.#selected);
		const actions = { select: (number) => this.select(number), travel: () => this.travel(this.#selected) };
		fill(this.detail, entry && messageView(entry, { timeline, ...this.actions.context(), ...actions }));
	}
}
