/** The fields of a form without a page: what a field expects, and which value its text means. */
import { parse } from "./json.js";

/** A text that is not a value of its schema. `path` is a JSON Pointer. */
export class FormError extends Error {
	constructor(path, expected) {
		super(`Expected ${expected}`);
		this.path = path;
	}
}

const nouns = {
	integer: "an integer",
	number: "a number",
	decimal: "a decimal number",
	date: "a date (RFC 3339)",
	bytes: "base64",
	uuid: "a UUID",
	uri: "a URI",
	any: "JSON",
	password: "a password",
};

/** The place of a schema in a form. */
export class Field {
	/** @param {import("./schema.js").Schema} schema */
	constructor(schema, name = "", path = "", isRequired = true) {
		Object.assign(this, { schema, name, path, isRequired, isOptional: !isRequired || schema.isNullable });
		/** The value if the person has not set one, and the word for it. */
		[this.unset, this.absent] = isRequired ? [null, "null"] : [undefined, "left out"];
	}

	/** The field of a member, an item or an entry. */
	part(schema, name, isRequired) {
		return new Field(schema, name, `${this.path}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`, isRequired);
	}

	/** The fields of the members of an object. */
	get members() {
		const { required } = this.schema.json;
		return this.schema.members.map(([name, one]) =>
			this.part(one, name, Array.isArray(required) && required.includes(name)),
		);
	}

	/** The titles of the variants of a union. */
	get titles() {
		return this.schema.variants.map(({ name, kind, members }) => {
			const names = members.slice(0, 3).map(([one]) => one);
			return name || (kind === "object" && names.length > 0 ? names.join(", ") : kind);
		});
	}

	/** The value that a text means. Throws a `FormError`. */
	read(text) {
		const { kind } = this.schema;
		if (kind === "any") {
			try {
				return parse(text);
			} catch {
				throw new FormError(this.path, this.expected);
			}
		}
		if (kind !== "integer" && kind !== "number") return text;
		const token = text
			.trim()
			.replace(/^\+/, "")
			.replace(/^(-?)0+(?=\d)/, "$1");
		const isWhole = /^-?\d+$/.test(token);
		const value = isWhole ? parse(token) : Number(token);
		const isNumber = isWhole || (/^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(token) && Number.isFinite(value));
		if (!isNumber || (kind === "integer" && !isWhole && !Number.isInteger(value)))
			throw new FormError(this.path, this.expected);
		return value;
	}

	/** What the field expects, in words: `an integer from 0 to 100`. */
	get expected() {
		const { kind, json } = this.schema;
		const { minimum, maximum, minLength, maxLength, pattern } = json;
		const range = (least, most, unit = "") => {
			if (least === undefined) return most === undefined ? "" : ` of at most ${most}${unit}`;
			return most === undefined ? ` of at least ${least}${unit}` : ` from ${least} to ${most}${unit}`;
		};
		return (
			(nouns[kind] ?? "a text") +
			range(minimum, maximum) +
			range(minLength, maxLength, " characters") +
			(pattern === undefined ? "" : ` that matches ${pattern}`)
		);
	}
}
