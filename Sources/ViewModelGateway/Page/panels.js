/** The sides of the page. A small screen shows one part at a time. */
import { find } from "./dom.js";

const small = matchMedia("(max-width: 900px)");
const names = ["side", "timeline"];

function show(name, isShown) {
	document.body.classList.toggle(`no-${name}`, !isShown);
	find(`#toggle-${name}`).setAttribute("aria-expanded", String(isShown));
}

function begin() {
	for (const name of names) show(name, !small.matches);
}

/** Shows the middle, which a side hides on a small screen, and gives it the focus that the side had. */
export function showMiddle() {
	if (!small.matches) return;
	begin();
	find("#place").focus();
}

/** Lets the buttons of the top show and hide the sides. */
export function showPanels() {
	for (const name of names)
		find(`#toggle-${name}`).onclick = () => {
			const isShown = document.body.classList.contains(`no-${name}`);
			if (small.matches) begin();
			show(name, isShown);
		};
	// An address with the fragment would leave the past.
	find(".skip").onclick = (event) => {
		event.preventDefault();
		showMiddle();
		find("#place").focus();
	};
	small.onchange = begin;
	begin();
}
