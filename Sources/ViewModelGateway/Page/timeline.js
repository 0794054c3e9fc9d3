/** What crossed the connections of the page, bounded by bytes, with what each message means. */
import { byteLength, isRecord, parse, stringify } from "./json.js";
import { after, bindingOf, nothing } from "./pictures.js";

/** What an entry costs beside the bytes of its text. */
const overhead = 200;
const spacing = 256;
const maximumMarks = 32;

/**
 * An entry has `number` (from 1; it stays when older ones fall out), `time` in seconds, `connection`, `event`, `text`, `bytes`,
 * `kind` (see `kinds` in message-view.js), `title`, and where they are known `instance`, `binding`, `seq`, `cause` (the number
 * of the request), `isCertain` (the protocol proves the cause), `elapsed` and `reply` (the number of the reply).
 * A batch has `instances` and `bindings`.
 */
export class Timeline {
	entries = [];
	bytes = 0;
	dropped = { entries: 0, bytes: 0 };
	/** The state of all pictures before the oldest entry. */
	base = nothing;
	#limit;
	#last = 0;
	#open = new Map();
	#marks = new Map();

	/** @param {import("./contract.js").InstanceTypes} types learns the types of instances from the messages */
	constructor(types, limit = 16_000_000) {
		this.types = types;
		this.#limit = limit;
	}

	/** Adds what happened. `message` spares the parsing. */
	add({ time, connection, event, text = "" }, message = text ? parse(text) : undefined) {
		const entry = { number: ++this.#last, time, connection, event, text, bytes: byteLength(text), kind: event, title: "" };
		const messages = [message].flat().filter(isRecord);
		if (event === "open") entry.title = "connection opened";
		if (event === "close") {
			entry.title = "connection closed";
			for (const [key, { entry: request }] of this.#open) if (request.connection === connection) this.#open.delete(key);
		}
		const parts = messages.map((one) => {
			if (event === "sent") this.#sent(entry, one);
			else if (one.method === undefined) this.#replied(entry, one);
			else this.#noticed(entry, one);
			return { ...entry };
		});
		if (parts.length > 1) {
			const kind = ["error", "frame", "picture"].find((name) => parts.some((one) => one.kind === name)) ?? entry.kind;
			const all = (name) => [...new Set(parts.map((part) => part[name]))].filter((one) => one !== undefined);
			Object.assign(entry, {
				kind,
				title: `batch of ${parts.length}: ${parts.map(({ title }) => title).join(", ")}`,
				instances: all("instance"),
				bindings: all("binding"),
			});
		}
		this.entries.push(entry);
		this.bytes += entry.bytes + overhead;
		let count = 0;
		// The newest stays, whatever its size.
		for (let bytes = this.bytes; bytes > this.#limit && count < this.entries.length - 1; count++)
			bytes -= this.entries[count].bytes + overhead;
		this.#drop(count);
		return entry;
	}

	#drop(count) {
		for (const entry of this.entries.splice(0, count)) {
			this.base = after(this.base, entry);
			this.bytes -= entry.bytes + overhead;
			this.dropped = { entries: this.dropped.entries + 1, bytes: this.dropped.bytes + entry.bytes };
			this.#marks.delete(entry.number);
		}
	}

	/** The entry with a number, or `undefined` if it fell out. */
	entry(number) {
		return this.entries[number - (this.entries[0]?.number ?? 0)];
	}

	/** The state of all pictures after the entry with a number. Marks on the way make the next look cheap. */
	stateAt(number) {
		const first = this.entries[0]?.number ?? 0;
		let [start, state] = [first - 1, this.base];
		for (const [mark, known] of this.#marks) if (mark <= number && mark > start) [start, state] = [mark, known];
		for (let at = start + 1; at <= number; at++) {
			state = after(state, this.entries[at - first]);
			if (at % spacing === 0 || at === number) this.#marks.set(at, state);
			if (this.#marks.size > maximumMarks) this.#marks.delete(this.#marks.keys().next().value);
		}
		return state;
	}

	/** The pictures of the connection of an entry after it, and the picture of a binding before it. */
	around(number, binding = this.entry(number).binding) {
		const { connection, kind } = this.entry(number);
		const pictures = (state) => state.connections.get(connection)?.pictures ?? new Map();
		const before = this.stateAt(number - 1);
		const earlier = pictures(before).get(binding) ?? (kind === "picture" ? before.last.get(binding) : undefined);
		return { pictures: pictures(this.stateAt(number)), earlier };
	}

	#sent(entry, { id, method, params }) {
		const name = String(method);
		const instance = isProtocol(name) ? params?.id : name.slice(0, name.lastIndexOf("."));
		const binding = isProtocol(name) ? bindingOf(params) : instance;
		Object.assign(entry, { kind: id === undefined ? "notice" : "request", title: name, instance, binding });
		if (id !== undefined) this.#open.set(`${entry.connection} ${stringify(id)}`, { entry, method: name });
	}

	#noticed(entry, { method, params: given }) {
		const params = given ?? {};
		const isFrame = method === "viewModel.changed";
		const { id: instance, seq } = params;
		Object.assign(entry, {
			kind: isFrame ? "frame" : "event",
			title: isFrame ? contents(params) : method,
			instance,
			binding: bindingOf(params),
			seq,
		});
		if (!isFrame) return;
		// An action of this page has changed `action.executing`. Another call that is under way may be the cause.
		const calls = [...this.#open.values()].filter((one) => one.entry.connection === entry.connection && !isProtocol(one.method));
		const states = Object.keys(params.values ?? {});
		const started = calls.find((call) => states.some((state) => `${instance}.${state}` === `${call.method}.executing`));
		const cause = started ?? (calls.length === 1 ? calls[0] : undefined);
		if (cause) Object.assign(entry, { cause: cause.entry.number, isCertain: Boolean(started) });
	}

	#replied(entry, { id, result, error }) {
		const key = `${entry.connection} ${stringify(id)}`;
		const { entry: request, method = "reply" } = this.#open.get(key) ?? {};
		this.#open.delete(key);
		const title = error ? `${method}: ${error.data?.error ?? error.message}` : method;
		const { instance, binding } = request ?? {};
		Object.assign(entry, { kind: error ? "error" : "reply", title, instance, binding, seq: result?.seq });
		if (!request) return;
		Object.assign(entry, { cause: request.number, isCertain: true, elapsed: entry.time - request.time });
		request.reply = entry.number;
		if (!error) this.types?.learn(method, result);
		if (method === "viewModel.bind" && !error) {
			Object.assign(entry, { kind: "picture", title: result.full ? "whole picture" : `resumed: ${contents(result)}` });
		} else if (entry.seq !== undefined && !isProtocol(method)) this.#confirm(request, entry.seq);
	}

	/** The reply of an input names the step of its effects. */
	#confirm({ number, connection }, seq) {
		for (const entry of this.entries.slice(Math.max(0, number - this.entries[0].number + 1))) {
			if (entry.kind !== "frame" || entry.connection !== connection) continue;
			if (entry.seq === seq) Object.assign(entry, { cause: number, isCertain: true });
			else if (entry.cause === number) entry.cause = undefined;
		}
	}
}

const isProtocol = (method) => /^(session|viewModel|rpc|\$)[./]/.test(method);

/** The outputs that a frame changes, in words. */
function contents({ values = {}, patch = [], events = [], lost }) {
	const names = [
		...Object.keys(values),
		...patch.map(({ path }) => path.split("/")[1]),
		...events.map(({ output }) => `${output} !`),
		...(lost ? [`${lost} events lost`] : []),
	];
	return [...new Set(names)].join(", ") || "no change";
}
