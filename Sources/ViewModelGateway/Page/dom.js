/** Elements, built without HTML text: data can only become text nodes and attributes. */
import { visible } from "./safe-text.js";

export const find = (selector) => document.querySelector(selector);

const isProps = (one) => typeof one === "object" && one !== null && !Array.isArray(one) && !(one instanceof Node);
const isAbsent = (value) => value === undefined || value === null || value === false;

/**
 * Makes an element: `h("p.note", { title: "…" }, "text", child)`. A prop is an attribute, `label` is `aria-label`, and
 * `on…` is a listener. Props and children that are null, undefined or false are left out.
 */
export function h(spec, ...children) {
	const [tag, ...classes] = spec.split(".");
	const element = document.createElement(tag);
	if (classes.length > 0) element.className = classes.join(" ");
	if (tag === "input") element.autocomplete = "off";
	for (const [name, value] of Object.entries(isProps(children[0]) ? children.shift() : {})) {
		if (isAbsent(value)) continue;
		if (name === "value") element.value = value;
		else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else element.setAttribute(name === "label" ? "aria-label" : name, value === true ? "" : visible(value).replace(/\x60/g, ""));
	}
	return append(element, children);
}

function append(element, children) {
	for (const child of children.flat(Infinity)) {
		if (!isAbsent(child)) element.append(child instanceof Node ? child : visible(child));
	}
	return element;
}

/** Replaces what is in an element. */
export const fill = (element, ...children) => (element.replaceChildren(), append(element, children));

/** A button: `button(".small", "Export", save)`. */
export const button = (classes, text, onclick, props) => h("button" + classes, { type: "button", onclick, ...props }, text);

/** The text of a doc comment, with its code between backticks. */
export const prose = (text) => text && h("p.description", text.split("\x60").map((part, index) => (index % 2 ? h("code", part) : part)));

let lastID = 0;

/** An id that no other element has. */
export const uniqueID = () => `id-${++lastID}`;

/** Calls a function at most once a frame of the screen. */
export function oncePerFrame(action) {
	let isWaiting = false;
	return () => {
		if (!isWaiting) requestAnimationFrame(() => ((isWaiting = false), action()));
		isWaiting = true;
	};
}

/** Disables a control, and gives the focus back that it had when it is enabled again. */
export function setDisabled(control, isDisabled) {
	if (control.disabled === isDisabled) return;
	if (isDisabled) control.hadFocus = document.activeElement === control;
	control.disabled = isDisabled;
	if (!isDisabled && control.hadFocus && document.activeElement === document.body) control.focus({ preventScroll: true });
}
