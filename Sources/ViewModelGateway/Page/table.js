/** A list as a table of which only the visible rows are bound. A million rows scroll. */
import { copyButtons } from "./copy.js";
import { button, fill, h } from "./dom.js";
import { isRecord, stringify } from "./json.js";
import { count as counted, number } from "./safe-text.js";
import { masked } from "./secrets.js";
import { briefView, valueView } from "./value-view.js";
import { VirtualList, wantedWindow } from "./virtual-list.js";

const rowHeight = 28;
const maximumRows = 10;

/** The rows, of which at most ten are visible. */
class Rows extends VirtualList {
	get visible() {
		return Math.min(maximumRows, Math.max(1, this.count));
	}

	draw() {
		this.view.hidden = this.count === 0;
		this.view.style.height = `${(this.visible + 1) * rowHeight + 2}px`;
		super.draw();
		this.drawn();
	}
}

export class Table {
	#opened;
	#window = { offset: 0, rows: [] };
	#asked;
	#isScrolling = false;

	/**
	 * @param {import("./schema.js").Schema} items the schema of a row
	 * @param {(offset: number, limit: number) => Promise<void>} scroll binds other rows; without it no others can be had
	 * @param {(index: number) => string} command reads a row
	 */
	constructor(name, items, scroll, command) {
		Object.assign(this, {
			items,
			scroll,
			command,
			head: h("thead"),
			note: h("span", { role: "status" }),
			detail: h("div.grid-detail"),
		});
		if (items.kind === "object" && items.json.properties) this.columns = Object.keys(items.json.properties);
		const rows = h("tbody");
		this.content = h("table.grid", this.head, rows);
		this.list = new Rows(
			{ role: "region", label: `Rows of ${name}` },
			{
				rowHeight,
				rows,
				content: this.content,
				row: (index) => this.#row(index),
				press: (row) => {
					const index = row.getAttribute("aria-rowindex") - 2;
					this.list.reveal(index);
					this.#open(index);
				},
				open: () => this.#open(this.list.current),
				drawn: () => this.#drawn(),
			},
		);
		const jump = ({ key, target }) => {
			if (key !== "Enter" || this.list.count === 0) return;
			this.list.current = Math.min(this.list.count - 1, Number(target.value.replace(/\D/g, "")));
			this.list.goTo(this.list.current);
		};
		this.jump = h("input.grid-jump", { inputmode: "numeric", placeholder: "row", label: `Go to a row of ${name}`, onkeydown: jump });
		this.element = h("div.grid-box", this.list.view, h("div.grid-foot", this.note, this.jump), this.detail);
	}

	/** Shows a list, or a window of it. */
	update(value = []) {
		const { offset, count, rows } = Array.isArray(value) ? { offset: 0, count: value.length, rows: value } : value;
		this.#window = { offset, rows };
		this.list.count = count;
		if (!this.columns && rows.length > 0 && rows.every(isRecord)) this.columns = Object.keys(rows[0]);
		this.list.render();
	}

	#drawn() {
		const { list } = this;
		const { count, visible } = list;
		const start = Math.floor(list.first);
		this.content.setAttribute("aria-rowcount", String(count + 1));
		const column = (name) => h("th", { scope: "col" }, name);
		fill(this.head, h("tr", h("th.index", { scope: "col" }, "#"), (this.columns ?? ["value"]).map(column)));
		this.note.textContent =
			count <= maximumRows ? counted(count, "row") : `${number(start)}–${number(Math.min(count, start + visible) - 1)} of ${number(count)}`;
		this.jump.hidden = count <= maximumRows;
		this.#showDetail();
		if (this.scroll && !this.#isScrolling) this.#scroll();
	}

	/** Binds the rows that are missing. While a request is under way, the newest wish waits. */
	async #scroll() {
		const { list, scroll } = this;
		const { offset, rows } = this.#window;
		const wanted = wantedWindow(list.first, list.visible + 1, list.count, { offset, limit: rows.length });
		// The daemon keeps a window that it was asked for, even if it has fewer rows.
		if (!wanted || (wanted.offset === this.#asked?.offset && wanted.limit === this.#asked.limit)) return;
		this.#asked = wanted;
		this.#isScrolling = true;
		await scroll(wanted.offset, wanted.limit);
		this.#isScrolling = false;
		list.render();
	}

	#valueAt(index) {
		return this.#window.rows[index - this.#window.offset];
	}

	#idAt(index) {
		const row = this.#valueAt(index);
		return isRecord(row) ? stringify(row.id) : row === undefined ? undefined : String(index);
	}

	#open(index) {
		const id = this.#idAt(index);
		this.#opened = this.#opened === id ? undefined : id;
		this.list.render();
	}

	#row(index) {
		const row = this.#valueAt(index);
		const cell = (value, schema) => h("td", briefView(value, schema));
		const cells = () =>
			this.columns && isRecord(row) ? this.columns.map((name) => cell(row[name], this.items.member(name))) : cell(row, this.items);
		const isCurrent = index === this.list.current;
		return h(
			"tr" + (isCurrent ? ".current" : ""),
			{ "aria-rowindex": index + 2 },
			h("th.index", { scope: "row" }, number(index)),
			row === undefined ? h("td", { colspan: this.columns?.length ?? 1 }, "…") : cells(),
		);
	}

	#showDetail() {
		const { offset, rows } = this.#window;
		const place = rows.findIndex((_, one) => this.#opened !== undefined && this.#idAt(offset + one) === this.#opened);
		const row = rows[place];
		const index = offset + place;
		fill(
			this.detail,
			row !== undefined && [
				h(
					"div.detail-head",
					h("b", "Row ", number(index)),
					copyButtons("row", () => masked(row, this.items), () => this.command(index)),
					button(".icon", "×", () => this.#open(index), { label: "Close the row" }),
				),
				valueView(row, this.items),
			],
		);
	}
}
