/** The contract of a daemon: the types of ViewModels, from `rpc.discover`. */
import { isRecord } from "./json.js";
import { Schema } from "./schema.js";

export class Contract {
	/** @param {object} document the OpenRPC document */
	constructor(document) {
		this.document = isRecord(document) ? document : {};
		this.types = new Map(Object.entries(this.document["x-viewModels"] ?? {}));
		this.hash = this.document.info?.["x-contract"] ?? "";
	}

	type(name) {
		return this.types.get(name) ?? {};
	}

	/** The first line of the description of a type, without the marks of code. */
	summary(name) {
		return this.type(name).description?.split("\n")[0].replace(/\x60/g, "");
	}

	schema(source) {
		return new Schema(source, this.document);
	}

	/** The outputs of a type, `{name, kind, schema, description}`, without those that actions have by themselves. */
	outputs(type) {
		const { outputs = {}, actions = {} } = this.type(type);
		return Object.entries(outputs)
			.filter(([name]) => !name.includes(".") || !Object.hasOwn(actions, name.split(".")[0]))
			.map(([name, output]) => ({ ...output, name, schema: this.schema(output.schema) }));
	}

	/** The `inputs` or the `actions` of a type: `{name, declared, schema}` with what is declared and the schema of the params. */
	calls(type, kind) {
		return Object.entries(this.type(type)[kind] ?? {}).map(([name, declared]) => ({
			name,
			declared,
			schema: this.schema(declared.schema ?? declared.params ?? { type: "null" }),
		}));
	}

	/** The input or action with a name. */
	call(type, name) {
		return [...this.calls(type, "inputs"), ...this.calls(type, "actions")].find((one) => one.name === name);
	}

	/** The default instance of a type, if it can come into being by itself: without arguments. */
	defaultOf(name) {
		const { instance, arguments: values } = this.type(name);
		return this.schema(values).json.required?.length > 0 ? undefined : instance;
	}
}

/** The types of instances, from the contract and from replies to `viewModel.open` and `viewModel.list`. */
export class InstanceTypes {
	#types = new Map();
	#contract;

	/** @param {import("./contract.js").Contract} contract */
	constructor(contract) {
		this.#contract = contract;
		for (const [name, type] of contract.types) if (type.instance) this.#types.set(type.instance, name);
	}

	/** The type of an instance, or `undefined` if no message has named it. */
	typeOf(instance) {
		const known = this.#types.get(instance);
		if (known || !instance.includes(".")) return known;
		const dot = instance.lastIndexOf(".");
		const parent = this.typeOf(instance.slice(0, dot));
		return this.#contract.type(parent).children?.[instance.slice(dot + 1)];
	}

	/** Learns from the result of a method. */
	learn(method, result) {
		const instances = { "viewModel.open": [result ?? {}], "viewModel.list": result?.instances }[method] ?? [];
		for (const { id, type } of instances) this.#types.set(id, type);
	}
}
