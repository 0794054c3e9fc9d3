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

const forms = {
	date: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/i,
	decimal: /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i,
	uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
	bytes: /^[\w+/\s-]*={0,2}\s*$/,
};

/** The place of a schema in a form. */
export class Field {
	/**
	 * @param {import("./schema.js").Schema} schema
	 * @param {string[]} outer the references to the schemas that the field is in
	 */
	constructor(schema, name = "", path = "", isRequired = true, outer = []) {
		Object.assign(this, { schema, name, path, isRequired, isOptional: !isRequired || schema.isNullable });
		const { $ref } = schema.source ?? {};
		/** Whether the schema is a part of itself. A form with all of its parts would have no end. */
		this.isRecursive = outer.includes($ref);
		this.references = $ref ? [...outer, $ref] : outer;
		/** The value if the person has not set one, and the word for it. */
		[this.unset, this.absent] = isRequired ? [null, "null"] : [undefined, "left out"];
	}

	/** The field of a member, an item or an entry. What a person adds begins anew, without `outer`. */
	part(schema, name, isRequired, outer) {
		const path = `${this.path}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`;
		return new Field(schema, name, path, isRequired, outer);
	}

	/** The field of a variant of a union, which stands in the place of the union. */
	variant(index) {
		return new Field(this.schema.variants[index], this.name, this.path, true, this.references);
	}

	/** The fields of the members of an object. */
	get members() {
		const { required } = this.schema.json;
		return this.schema.members.map(([name, one]) =>
			this.part(one, name, Array.isArray(required) && required.includes(name), this.references),
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
		if (kind !== "integer" && kind !== "number") {
			if (forms[kind]?.test(text) === false) throw new FormError(this.path, this.expected);
			return text;
		}
		const token = text.trim().replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1");
		const isWhole = /^-?\d+$/.test(token);
		const value = isWhole ? parse(token) : Number(token);
		const isNumber = isWhole || (/^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(token) && Number.isFinite(value));
		if (!isNumber || (kind === "integer" && !isWhole && !Number.isInteger(value))) throw new FormError(this.path, this.expected);
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
