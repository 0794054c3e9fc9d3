/** What a JSON Schema of a contract means. The module knows no page. */
import { isRecord, member } from "./json.js";

/** Follows `$ref` into the document. What cannot be resolved is `{}`, a schema of any value. */
function resolve(source, document) {
	let json = isRecord(source) ? source : {};
	let name;
	for (let count = 0; typeof member(json, "$ref") === "string"; count++) {
		const { $ref, ...rest } = json;
		const steps = $ref.startsWith("#/") && count < 32 ? $ref.slice(2).split("/") : [""];
		const plain = steps.map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
		const target = plain.reduce((node, step) => member(node, step), document);
		name = plain.at(-1);
		json = isRecord(target) ? { ...target, ...rest } : {};
	}
	return { json, name: name ?? member(json, "title") };
}

/** Keywords that say more than the page understands. Such values are shown and edited as JSON. */
const unknown = ["allOf", "not", "if", "patternProperties", "prefixItems", "dependentSchemas", "propertyNames", "$dynamicRef"];
const formats = { "date-time": "date", byte: "bytes", decimal: "decimal", uuid: "uuid", uri: "uri", password: "password" };

/**
 * A schema in a document. A schema may contain itself, so its parts are made when they are asked for.
 *
 * The `kind` is `any`, `null`, `boolean`, `integer`, `number`, `string`, `date`, `bytes`, `decimal`, `uuid`, `uri`, `password`,
 * `enum` (with `values`), `object`, `dictionary`, `array` or `union` (with `variants`). `json` is the schema without `$ref`.
 */
export class Schema {
	isNullable = false;
	values = [];
	alternatives = [];

	constructor(source, document, depth = 0) {
		Object.assign(this, { source, document }, resolve(source, document));
		const { json } = this;
		const { type, properties = {}, additionalProperties, contentEncoding, format } = json;
		const others = json.anyOf ?? json.oneOf;
		const choices = Object.hasOwn(json, "const") ? [json] : Array.isArray(others) ? others : [];
		const areConstants = choices.length > 0 && choices.every((one) => member(one, "const") !== undefined);
		const cases = Array.isArray(json.enum) ? json.enum : areConstants && choices.map((one) => one.const);
		if (unknown.some((keyword) => Object.hasOwn(json, keyword))) this.kind = "any";
		else if (cases) {
			this.values = cases.filter((value) => value !== null);
			this.isNullable = this.values.length < cases.length;
			this.kind = this.values.length > 0 ? "enum" : "null";
		} else if (Array.isArray(type)) this.#choose(type.map((one) => ({ ...json, type: one })), depth);
		else if (choices.length > 0) this.#choose(choices, depth);
		else if (["null", "boolean", "integer", "number", "array"].includes(type)) this.kind = type;
		else if (type === "string") this.kind = contentEncoding === "base64" ? "bytes" : (member(formats, format) ?? "string");
		else if (type !== "object" && (type !== undefined || !isRecord(json.properties))) this.kind = "any";
		else this.kind = additionalProperties && Object.keys(properties).length === 0 ? "dictionary" : "object";
		this.isNullable ||= this.kind === "null";
	}

	/** Becomes a union, or the only alternative beside null. */
	#choose(all, depth) {
		const some = all.filter((one) => resolve(one, this.document).json.type !== "null");
		const isNullable = some.length < all.length;
		if (some.length === 0) this.kind = "null";
		else if (some.length > 1 || depth > 16) Object.assign(this, { kind: "union", alternatives: some, isNullable });
		else {
			const only = new Schema(some[0], this.document, depth + 1);
			const description = this.json.description ?? only.json.description;
			Object.assign(this, only, { isNullable: isNullable || only.isNullable, json: { ...only.json, description } });
		}
	}

	part(source) {
		return new Schema(source, this.document);
	}

	get variants() {
		return this.alternatives.map((one) => this.part(one));
	}

	get items() {
		return this.part(this.json.items);
	}

	/** The members of an object, `[name, schema]`, in the declared order, without the options of a call. */
	get members() {
		return Object.entries(this.json.properties ?? {}).filter(([name]) => name !== "_meta").map(([name, one]) => [name, this.part(one)]);
	}

	/** The schema of a member, or of each one that has no schema of its own. */
	member(name) {
		const { properties, additionalProperties } = this.json;
		const source = member(properties, name) ?? additionalProperties;
		return isRecord(source) ? this.part(source) : undefined;
	}

	/** All schemas of parts of a value. */
	get parts() {
		const { properties = {}, items, additionalProperties } = this.json;
		return [...this.alternatives, ...Object.values(properties), items, additionalProperties]
			.filter(isRecord)
			.map((one) => this.part(one));
	}

	/** Whether the members of a value are the params of a call. Other values are sent as `{"value": …}`. */
	isByName(depth = 0) {
		if (this.isNullable) return false;
		return this.kind === "union"
			? depth < 8 && this.variants.every((one) => one.isByName(depth + 1))
			: /object|dictionary/.test(this.kind);
	}

	/** Whether a call has nothing to send. */
	get isNothing() {
		return this.kind === "null" || (this.kind === "object" && this.members.length === 0);
	}

	/** The params of a call with a value. */
	params(value) {
		if (value === undefined || (value === null && this.kind === "null")) return undefined;
		return this.isByName() && isRecord(value) ? value : { value };
	}

	/** Whether a value looks like one of the schema: its type, and the members that an object must have. */
	fits(value, depth = 0) {
		const { kind, json, values } = this;
		if (value === null) return this.isNullable || kind === "any";
		if (kind === "union") return depth > 8 || this.variants.some((one) => one.fits(value, depth + 1));
		const { required = [], properties = {}, additionalProperties } = json;
		const tests = {
			any: true,
			null: false,
			boolean: typeof value === "boolean",
			integer: typeof value === "bigint" || Number.isInteger(value),
			number: /number|bigint/.test(typeof value),
			enum: values.includes(value),
			array: Array.isArray(value),
			dictionary: isRecord(value),
			object:
				isRecord(value) &&
				required.every((name) => Object.hasOwn(value, name)) &&
				(additionalProperties !== false || Object.keys(value).every((name) => Object.hasOwn(properties, name))),
		};
		return tests[kind] ?? typeof value === "string";
	}

	/** What the contract says about a value of an enum, in words. */
	titleOf(value) {
		const { anyOf, oneOf = anyOf } = this.json;
		const found = Array.isArray(oneOf) ? oneOf.find((one) => isRecord(one) && one.const === value) : undefined;
		return [found?.title, found?.description].filter(Boolean).join(": ") || undefined;
	}
}

/** The schema of any value. */
export const anything = new Schema({});
