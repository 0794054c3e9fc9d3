/** Buttons that copy a thing as JSON or as a command. */
import { button, h } from "./dom.js";
import { stringify } from "./json.js";
import { brief } from "./safe-text.js";
import { toast } from "./toasts.js";

async function copy(make) {
	try {
		const text = make();
		await navigator.clipboard.writeText(text);
		toast(`Copied: ${brief(text, 120)}`);
	} catch (error) {
		toast(`Not copied: ${error.message}`, "error");
	}
}

/** Makes the buttons. `value` and `ctl` make what is copied when it is needed; `what` is for people who hear the page. */
export function copyButtons(what, value, ctl) {
	let menu;
	const leave = () => {
		menu?.firstChild.focus();
		menu?.removeAttribute("open");
	};
	const one = (text, title, make) => button(".copy", text, () => (leave(), copy(make)), { title, label: `${title}: ${what}` });
	const command = one("ctl", "Copy as viewmodelctl", ctl);
	if (!value) return command;
	menu = h(
		"details.copies",
		{
			onfocusout: ({ relatedTarget }) => menu.contains(relatedTarget) || (menu.open = false),
			onkeydown: ({ key }) => key === "Escape" && leave(),
		},
		h("summary", { label: `copy ${what}` }, "copy"),
		h("span", one("JSON", "Copy as JSON", () => stringify(value(), 2)), command),
	);
	return menu;
}

/** Lets the browser save a text as a file. */
export function save(name, text) {
	const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
	h("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
