/** Values whose schema has the format `password`. The page never shows, copies, keeps or exports them. */
import { isObject, parse, put, stringify } from "./json.js";

/** What stands for a secret. */
export const dots = "••••••••";
const hide = () => dots;

/** Whether a value of a schema can have a secret. */
export function hasSecret(schema, seen = new Set()) {
	const key = schema.source?.$ref ?? schema.source;
	if (schema.kind === "password" || seen.has(key)) return schema.kind === "password";
	seen.add(key);
	return schema.parts.some((one) => hasSecret(one, seen));
}

/**
 * Replaces the secrets in a value or in a window of a list, by default as a person may see it. Members that a schema with
 * secrets does not have are secrets: their names can be mistyped.
 */
export function masked(value, schema, replace = hide) {
	if (value === null || value === undefined) return value;
	if (schema.kind === "password") return replaceAll(value, replace);
	if (schema.kind === "union") return schema.variants.reduce((result, one) => masked(result, one, replace), value);
	if (schema.kind === "array") {
		if (Array.isArray(value.rows)) return { ...value, rows: masked(value.rows, schema, replace) };
		return mapParts(value, (one) => masked(one, schema.items, replace));
	}
	if (schema.kind !== "object" && schema.kind !== "dictionary") return value;
	const hidesUnknown = hasSecret(schema);
	return mapParts(value, (one, name) => {
		const known = schema.member(name);
		if (known) return masked(one, known, replace);
		return hidesUnknown && name !== "_meta" ? replaceAll(one, replace) : one;
	});
}

/** Replaces each string and number in a value. */
export function replaceAll(value, replace = hide) {
	if (isObject(value)) return mapParts(value, (one) => replaceAll(one, replace));
	return typeof value === "boolean" || value === null || value === undefined ? value : replace(value);
}

/** Changes the parts of an object or array. The result is the value itself if no part changes. */
function mapParts(value, change) {
	let result = value;
	for (const name of isObject(value) ? Object.keys(value) : []) {
		const part = change(value[name], name);
		if (part === value[name]) continue;
		if (result === value) result = Array.isArray(value) ? [...value] : { ...value };
		put(result, name, part);
	}
	return result;
}

/** A shorter secret is a part of too many other texts. It is replaced only where it is a whole string or number. */
const shortest = 6;
const maximumKnown = 256;

/** The secrets that the page has sent or received. It replaces them in messages by pseudonyms (docs/record.md). */
export class Secrets {
	#known = new Map();
	#outputs;

	/** @param {import("./contract.js").Contract} contract */
	constructor(contract) {
		this.#outputs = [...contract.types.keys()].flatMap((type) => contract.outputs(type)).filter(({ schema }) => hasSecret(schema));
	}

	/** Remembers the secrets of a value before it is sent. */
	learn(value, schema) {
		masked(value, schema, (secret) => {
			const digits = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0"));
			if (!this.#known.has(String(secret))) this.#known.set(String(secret), `secret-${digits.join("")}`);
			if (this.#known.size > maximumKnown) this.#known.delete(this.#known.keys().next().value);
			return secret;
		});
	}

	/** Returns the text of a message without the known secrets, and the message. The text is unchanged if it has none. */
	redact(text) {
		const message = parse(text);
		const { values, events = [] } = message.params ?? message.result ?? {};
		for (const { name, schema } of this.#outputs) {
			this.learn(values?.[name], schema);
			for (const { output, value } of events) if (output === name) this.learn(value, schema);
		}
		const known = [...this.#known].sort(([one], [other]) => other.length - one.length);
		const walk = (value, name) => {
			if (isObject(value)) return mapParts(value, walk);
			if (/^(jsonrpc|id|method|seq)$/.test(name) || !/string|number|bigint/.test(typeof value)) return value;
			const pseudonym = this.#known.get(String(value));
			if (pseudonym || typeof value !== "string") return pseudonym ?? value;
			const plain = value.replace(/(:\/\/[^\s/?#"<>:@]*:)(?!secret-)([^\s/?#"<>]+)(?=@)/g, "$1secret-url");
			return known.reduce((result, [secret, other]) => (secret.length < shortest ? result : result.replaceAll(secret, other)), plain);
		};
		const clean = walk(message);
		return { text: clean === message ? text : stringify(clean), message: clean };
	}
}
