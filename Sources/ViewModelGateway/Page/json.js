/**
 * JSON for the texts that the page keeps, shows and edits. Its integers keep all digits: one beyond ±2⁵³ is a `bigint`,
 * as on the wire.
 */
export { parse } from "./viewmodel.js";

const mark = `integer ${Math.random().toString(36)} `;
const marked = new RegExp(`"${mark}(-?\\d+)"`, "g");

/** Returns the JSON text of a value, with line feeds if `indent` is not 0. */
export function stringify(value, indent = 0) {
	const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? mark + part : part), indent);
	return text === undefined ? "null" : text.replace(marked, "$1");
}

/** Whether a value is an object or an array. */
export const isObject = (value) => typeof value === "object" && value !== null;

/** Whether a value is an object and not an array. */
export const isRecord = (value) => isObject(value) && !Array.isArray(value);

/** A text as it is, and another value as JSON. An empty text can be seen. */
export const textOf = (value) => (typeof value === "string" ? value || "“”" : stringify(value));

/** Sets a member, also one that is called `__proto__`. */
export function put(object, name, value) {
	Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
	return object;
}

/** Returns a member of an object's own. */
export const member = (object, name) => (isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined);

/** Whether two JSON values are equal. */
export function isEqual(one, other) {
	if (one === other) return true;
	if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false;
	const names = Object.keys(one);
	return (
		names.length === Object.keys(other).length &&
		names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
	);
}

const bytesOf = new TextEncoder();

/** Returns the number of bytes of a text in UTF-8. */
export const byteLength = (text) => bytesOf.encode(text).length;
