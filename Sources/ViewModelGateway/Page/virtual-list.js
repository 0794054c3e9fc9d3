/**
 * A scrolled area of which only the visible rows are elements. Rows have one height. Browsers limit the height of an element,
 * so long lists are scaled.
 */
import { fill, h, oncePerFrame } from "./dom.js";

/** The greatest height of an element that each browser can show. */
export const maximumHeight = 8_000_000;

/** The height of the scrolled area, the greatest scroll position, and the greatest first row (with a fraction). */
export function extent({ count, rowHeight, viewHeight }) {
	const height = Math.min(count * rowHeight, maximumHeight);
	return { height, range: Math.max(0, height - viewHeight), lastFirst: Math.max(0, count - viewHeight / rowHeight) };
}

/** The first visible row at a scroll position. */
export function rowAt(position, list) {
	const { range, lastFirst } = extent(list);
	return range === 0 ? 0 : Math.min(1, Math.max(0, position / range)) * lastFirst;
}

/** The scroll position at which a row is the first visible one. */
export function positionOf(row, list) {
	const { range, lastFirst } = extent(list);
	return lastFirst === 0 ? 0 : (Math.min(row, lastFirst) / lastFirst) * range;
}

/** The window to bind so that the visible rows and a screen before and after them are there; undefined if it is. */
export function wantedWindow(first, visible, count, window) {
	const start = Math.floor(first);
	const end = Math.min(count, start + visible);
	if (window && window.offset <= start && window.offset + window.limit >= end) return undefined;
	return { offset: Math.max(0, start - visible), limit: 3 * visible };
}

export class VirtualList {
	count = 0;
	/** The first visible row, with a fraction. */
	first = 0;
	/** The row that the keys move from; -1 for none. */
	current = -1;
	/** Whether the person has scrolled to the end, wherever the end is now. */
	isAtEnd = true;
	#position = 0;
	#pressed;

	/**
	 * @param {object} props of the area
	 * @param {object} options `rowHeight`, `rows` (filled with the visible rows), `content` (contains it), `row(index)` (makes
	 *   one), `press(row)` (what a click on one does), `select(index)` and `open()` (what the keys do)
	 */
	constructor(props, options) {
		Object.assign(this, options);
		const press = (row) => row && this.press(row);
		this.pane = h("div.pane", this.content);
		this.space = h("div", this.pane);
		this.view = h(
			"div.scroller",
			{
				tabindex: "0",
				...props,
				onscroll: () => this.#scrolled(),
				onkeydown: (event) => this.#key(event),
				onwheel: (event) => this.#wheel(event),
				// A row that is made anew between press and release gets no click.
				onmousedown: ({ button, target, x, y }) => (this.#pressed = { row: button === 0 && this.#rowOf(target), x, y }),
				onmouseup: ({ x, y }) => {
					const { row, ...at } = this.#pressed ?? {};
					press(Math.hypot(x - at.x, y - at.y) < 5 && row);
				},
				// A click without a pointer.
				onclick: ({ detail, target }) => detail === 0 && press(this.#rowOf(target)),
			},
			this.space,
		);
		this.render = oncePerFrame(() => this.draw());
	}

	/** The number of rows that fit. */
	get visible() {
		return this.view.clientHeight / this.rowHeight;
	}

	get #math() {
		return { count: this.count, rowHeight: this.rowHeight, viewHeight: this.visible * this.rowHeight };
	}

	/** Shows a row as the first one, or as near to it as the end of the list allows. */
	goTo(row) {
		const math = this.#math;
		const { lastFirst } = extent(math);
		this.first = Math.min(lastFirst, Math.max(0, row));
		this.isAtEnd = this.first > lastFirst - 0.5;
		this.#resize();
		this.view.scrollTop = positionOf(this.first, math);
		this.#position = this.view.scrollTop;
		this.render();
	}

	#rowOf(target) {
		return [...this.rows.children].find((row) => row.contains(target));
	}

	/** What the keys do with a row. */
	select(index) {
		this.reveal(index);
	}

	/** Scrolls as far as a row needs to be seen. */
	reveal(row) {
		this.current = row;
		if (row < this.first) this.goTo(row);
		else if (row > this.first + this.visible - 1) this.goTo(row - Math.floor(this.visible) + 1);
		this.render();
	}

	#resize() {
		const { height } = extent(this.#math);
		// What stands beside the rows, such as a head, is a row high.
		const beside = this.content === this.rows ? 0 : this.rowHeight;
		this.space.style.height = `${height + beside}px`;
		this.pane.style.height = `${Math.min(height, this.visible * this.rowHeight) + beside}px`;
	}

	/** Makes the visible rows. */
	draw() {
		this.first = Math.min(this.first, extent(this.#math).lastFirst);
		this.#resize();
		const start = Math.floor(this.first);
		const length = Math.max(0, Math.min(this.count, start + Math.ceil(this.visible) + 1) - start);
		this.rows.style.transform = `translateY(${(start - this.first) * this.rowHeight}px)`;
		fill(this.rows, Array.from({ length }, (_, index) => this.row(start + index)));
	}

	#scrolled() {
		if (Math.abs(this.view.scrollTop - this.#position) < 1) return;
		this.#position = this.view.scrollTop;
		this.first = rowAt(this.#position, this.#math);
		this.isAtEnd = this.first > extent(this.#math).lastFirst - 0.5;
		this.render();
	}

	/** In a scaled list a pixel is many rows. The wheel moves by rows nevertheless. */
	#wheel(event) {
		if (this.count * this.rowHeight <= maximumHeight || event.deltaY === 0 || event.ctrlKey) return;
		event.preventDefault();
		this.goTo(this.first + event.deltaY / this.rowHeight);
	}

	#key(event) {
		const { key, target, ctrlKey, altKey, metaKey } = event;
		if (target !== this.view || ctrlKey || altKey || metaKey) return;
		const from =
			this.current >= 0 ? this.current : key === "ArrowUp" ? Math.floor(this.first + this.visible) : Math.floor(this.first) - 1;
		const page = Math.max(1, Math.floor(this.visible));
		const to = {
			ArrowDown: from + 1,
			ArrowUp: from - 1,
			PageDown: from + page,
			PageUp: from - page,
			Home: 0,
			End: this.count - 1,
		}[key];
		if (to !== undefined && this.count > 0) this.select(Math.max(0, Math.min(this.count - 1, to)));
		else if (key === "Enter" && this.current >= 0) this.open();
		else return;
		event.preventDefault();
	}
}
