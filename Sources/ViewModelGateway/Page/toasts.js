/** Short messages at the edge of the page: hints of ViewModels, and what the page has done. */
import { button, find, h } from "./dom.js";

/** The sign, the word, and how long a message stays. An error stays until the person dismisses it. */
const levels = new Map([["info", ["ℹ", "Information", 5000]], ["warning", ["⚠", "Warning", 9000]], ["error", ["✕", "Error"]]]);

/** Shows a message. A pointer or the focus on it keeps it. */
export function toast(text, level = "info", source) {
	const kind = levels.has(level) ? level : "info";
	const [sign, word, milliseconds] = levels.get(kind);
	const list = find("#toasts");
	const element = h(
		`div.toast.${kind}`,
		{ role: kind === "error" ? "alert" : "status" },
		h("span.toast-sign", { role: "img", label: word }, sign),
		h("span.toast-text", { dir: "auto" }, kind !== "info" && h("b", word, " "), source && h("b", source, " "), text),
		button(".icon", "×", () => element.remove(), { label: "Dismiss" }),
	);
	list.append(element);
	while (list.children.length > 4) list.firstChild.remove();
	const leave = () => (element.matches(":hover, :focus-within") ? setTimeout(leave, 1000) : element.remove());
	if (milliseconds) setTimeout(leave, milliseconds);
}
