/** Short messages at the edge of the page: hints of ViewModels, and what the page has done. */
import { button, h } from "./dom.js";

const milliseconds = new Map([
	["info", 5000],
	["warning", 9000],
	["error", 15_000],
]);

/** Shows a message. A pointer or the focus on it keeps it. */
export function toast(text, level = "info", source) {
	const kind = milliseconds.has(level) ? level : "info";
	const list = document.querySelector("#toasts");
	const element = h(
		`div.toast.${kind}`,
		{ role: kind === "error" ? "alert" : "status" },
		h("span.toast-text", { dir: "auto" }, source && h("b", source, " "), text),
		button(".icon", "×", () => element.remove(), { label: "Dismiss" }),
	);
	list.append(element);
	while (list.children.length > 6) list.firstChild.remove();
	const leave = () => (element.matches(":hover, :focus-within") ? setTimeout(leave, 1000) : element.remove());
	setTimeout(leave, milliseconds.get(kind));
}
