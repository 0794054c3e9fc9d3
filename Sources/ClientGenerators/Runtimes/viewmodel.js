export class ViewModelError extends Error {
	constructor(message) {
		super(message);
		this.name = new.target.name;
	}
}
export class OutcomeUnknown extends ViewModelError {}
export class TimedOut extends ViewModelError {}
export class Closed extends ViewModelError {}
export class NoConnection extends ViewModelError {}
export class SessionMoved extends ViewModelError {}

export class ProtocolError extends ViewModelError {

	constructor(reply) {
		const { code, message } = reply;
		const data = reply.data ?? {};
		const details = code === -32000 || !isObject(data) ? [] : Object.entries(data).filter(([, text]) => `${text}`).map((entry) => entry.join(" "));
		super(details.length > 0 ? `${message}: ${details.join(", ")}` : message);
		this.code = code;
		this.data = data;
	}

	get incident() {
		return this.data.incident;
	}
}
export class ParseError extends ProtocolError {}
export class InvalidRequestError extends ProtocolError {}
export class MethodNotFoundError extends ProtocolError {}
export class InvalidParamsError extends ProtocolError {}
export class InternalError extends ProtocolError {}
export class ActionFailedError extends ProtocolError {
	get error() {
		return this.data.error;
	}
	get details() {
		return convert(this.data.details, this.constructor.shape);
	}
	get retryable() {
		return this.data.retryable === true;
	}
}
export class MessageTooLargeError extends ProtocolError {}
export class ActionDisabledError extends ProtocolError {}
export class ActionExecutingError extends ProtocolError {}
export class NotFoundError extends ProtocolError {}
export class AccessDeniedError extends ProtocolError {}
export class LimitExceededError extends ProtocolError {}
export class ShuttingDownError extends ProtocolError {}
export class DeadlineExceededError extends ProtocolError {}
export class SessionInUseError extends ProtocolError {}
export class SessionEndedError extends ProtocolError {}
export class CancelledError extends ProtocolError {}

const errorClasses = {
	32700: ParseError, 32600: InvalidRequestError, 32601: MethodNotFoundError, 32602: InvalidParamsError,
	32603: InternalError, 32000: ActionFailedError, 32001: MessageTooLargeError, 32002: ActionDisabledError,
	32003: ActionExecutingError, 32004: NotFoundError, 32005: AccessDeniedError, 32006: LimitExceededError,
	32007: ShuttingDownError, 32008: DeadlineExceededError, 32009: SessionInUseError,
	32010: SessionEndedError, 32800: CancelledError,
};

export function date(text) {
	// A leap second is the second after it.
	const leap = text[17] === "6" ? 1000 : 0;
	return new Date(Date.parse(leap ? text.replace(":60", ":59") : text) + leap);
}
export const bytes = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** Results: a row that did not change stays the same object. */
const converted = new WeakMap();

export function convert(value, shape) {
	if (!shape || value == null) return value;
	if (typeof shape === "function") {
		try {
			return shape(value);
		} catch {
			return value;
		}
	}
	if (Array.isArray(shape)) {
		if (Array.isArray(value)) return value.map((element) => convert(element, shape[0]));
		return { ...value, rows: convert(value.rows, shape) };
	}
	if (!isObject(value)) return value;
	let result = converted.get(value);
	if (!result) {
		converted.set(value, (result = { ...value }));
		for (const name in value) put(result, name, convert(value[name], own(shape, name) ?? shape["*"]));
	}
	return result;
}

/** Marks a bigint in JSON text. */
const mark = `integer ${Math.random().toString(36)} `;
/** A marked bigint, a backslash, or half a surrogate pair. */
const special = new RegExp(`"${mark}(-?\\d+)"|\\\\(?:\\\\|ud[89a-f]..)`, "g");

function stringify(message) {
	const text = JSON.stringify(message, (_, value) => {
		if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
		return typeof value === "bigint" ? mark + value : value;
	});
	return text.replace(special, (part, integer) => integer ?? (part[2] ? "\ufffd" : part));
}

export function parse(text) {
	if (!/\d{16}/.test(text)) return JSON.parse(text);
	const safe = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
		!/^-?\d{16,}$/.test(token) || BigInt(token.replace("-", "")) <= 2 ** 53 ? token : JSON.stringify(mark + token));
	return JSON.parse(safe, (_, value) =>
		typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value);
}

const isObject = (value) => Object(value) === value;

/** A member that is not inherited. */
const own = (object, name) => Object.hasOwn(object ?? {}, name) ? object[name] : undefined;

function put(object, name, value) {
	if (name !== "__proto__") object[name] = value;
	else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

export function applyPatch(document, patch) {
	const root = { "": document };
	const copies = new Set([root]);

	const get = (node, step) => {
		if (!isObject(node) || !Object.hasOwn(node, step) || (Array.isArray(node) && step === "length")) throw new RangeError(`Nothing at ${step}`);
		return node[step];
	};
	const stepsOf = (pointer) => {
		if (!/^(\/|$)/.test(pointer)) throw new TypeError(`Not a pointer: ${pointer}`);
		return pointer.split("/").map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
	};
	const read = (pointer) => stepsOf(pointer).reduce(get, root);
	/** Changes a copy of the last step's container, in copies of all that contain it. */
	const edit = (node, [step, ...rest], change) => {
		if (!isObject(node)) get(node, step);
		const copy = copies.has(node) ? node : Array.isArray(node) ? [...node] : { ...node };
		copies.add(copy);
		if (rest.length > 0) put(copy, step, edit(get(node, step), rest, change));
		else change(copy, step);
		return copy;
	};
	const add = (path, value) => edit(root, stepsOf(path), (container, step) => {
		if (!Array.isArray(container)) return put(container, step, value);
		if (step === "-") step = container.length;
		else if (step !== String(container.length)) get(container, step);
		container.splice(step, 0, value);
	});
	const remove = (path) => edit(root, stepsOf(path), (container, step) => {
		get(container, step);
		if (Array.isArray(container)) container.splice(step, 1);
		else delete container[step];
	});

	for (const { op, path, from, value } of patch) {
		if (value === undefined && /^(add|replace|test)$/.test(op)) throw new TypeError(`No value to ${op}`);
		if (op === "add") add(path, value);
		else if (op === "remove") remove(path);
		else if (op === "replace") {
			remove(path);
			add(path, value);
		} else if (op === "move" && !path.startsWith(from + "/")) {
			const moved = read(from);
			remove(from);
			add(path, moved);
		} else if (op === "copy") add(path, structuredClone(read(from)));
		else if (op !== "test" || canonical(read(path)) !== canonical(value)) throw new RangeError(`${op} ${path} failed`);
	}
	return root[""];
}

const canonical = (value) => JSON.stringify(value, (_, part) =>
	isObject(part) && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part);

export function unixSocket(path, daemon = "viewmodeld") {
	return async ({ message, closed, heard }) => {
		// Bundlers do not follow a variable.
		const name = "node:net";
		const net = await import(name);
		path ??= standardPath(daemon);
		const socket = net.createConnection(path);
		let rest = "";
		socket.setEncoding("utf8");
		socket.on("error", (error) => closed(Object.assign(new NoConnection(`${new TextEncoder().encode(path).length > 107 ? path + " has more than 107 bytes" : error.message}. ${/EACCES|EPERM/.test(error.code)
			? "The daemon's socket.mode and socket.group decide who may connect"
			: `Start ${daemon}, or name its socket with the option socket or VIEWMODELD_SOCKET`}`), error)));
		socket.on("close", () => closed());
		socket.on("data", (chunk) => {
			heard?.();
			const lines = chunk.split("\n");
			lines[0] = rest + lines[0];
			rest = lines.pop();
			lines.forEach(message);
		});
		await new Promise((resolve) => socket.on("connect", resolve));
		return { send: (text) => socket.write(text + "\n"), close: () => socket.destroy() };
	};
}

function standardPath(daemon) {
	const { env, getuid } = globalThis.process;
	const folder = getuid() ? env.XDG_RUNTIME_DIR || "/run/user/" + getuid() : "/run";
	return env.VIEWMODELD_SOCKET || `${folder}/${daemon}/${daemon}.sock`;
}

export function webSocket(url, protocols = "viewmodel.v1") {
	return ({ message, closed }) => new Promise((resolve) => {
		const socket = new globalThis.WebSocket(url, protocols);
		socket.onopen = () => resolve(socket);
		socket.onmessage = (event) => message(event.data);
		socket.onclose = ({ code, reason }) => {
			const message = `WebSocket closed: ${code} ${reason}`;
			closed(code === 1009 ? new MessageTooLargeError({ code: -32001, message }) : new ViewModelError(message));
		};
	});
}

export class Emitter {
	#listeners = new Map();

	on(name, listener) {
		const listeners = this.#listeners.get(name) ?? new Set();
		this.#listeners.set(name, listeners.add(listener));
		return () => listeners.delete(listener);
	}

	emit(name, value) {
		// A listener's fault is an unhandled rejection.
		for (const listener of new Set(this.#listeners.get(name))) void new Promise(() => listener(value));
	}
}

const randomName = () => "js-" + Date.now().toString(36) + Math.random().toString(36).slice(2);

/** Runs an action after a time, perhaps never. The result cancels it. */
function after(milliseconds, action) {
	const timer = milliseconds < 2 ** 31 ? setTimeout(action, milliseconds) : undefined;
	return () => clearTimeout(timer);
}

function onAbort(signal, action) {
	const abort = () => action(signal?.reason);
	signal?.addEventListener("abort", abort);
	return () => signal?.removeEventListener("abort", abort);
}

/** A promise whose listeners are removed at its end. Its errors have the frames of the caller. */
async function until(begin) {
	let offs = [];
	const caller = new Error();
	try {
		return await new Promise((resolve, reject) => (offs = begin(resolve, reject)));
	} catch (error) {
		if (!(error instanceof ViewModelError)) throw error;
		// What ends a client or a binding has many callers.
		const own = error instanceof Closed || error instanceof SessionMoved ? Object.create(error) : error;
		const value = caller.stack?.replace(/^Error/, () => String(error));
		throw Object.defineProperty(own, "stack", { value, configurable: true, writable: true });
	} finally {
		for (const off of offs) off();
	}
}

/** The id of the request whose reply is the last one on a line. */
const last = -2;

export class Connection extends Emitter {
	#state = "connecting";
	#options;
	#contract;
	#requests = new Map();
	#bindings = new Map();
	opened = new Map();
	#line;
	#refusal;
	#end;
	#lastID = 0;
	#cause;

	constructor(options, contract) {
		super();
		this.#options = { timeout: 10_000, backoff: { initial: 50, maximum: 5000 }, silence: 8000, ...options };
		this.#contract = contract;
		for (const name in options.on) this.on(name, options.on[name]);
	}

	get connectionState() {
		return this.#state;
	}

	async start() {
		let reason = new TimedOut("No connection");
		void this.#run();
		await until((resolve, reject) => [
			this.on("state", resolve),
			this.on("lost", (cause) => ((reason = cause), cause instanceof ProtocolError && reject(cause))),
			after(this.#options.timeout, () => reject(reason)),
		]).catch((error) => {
			this.#close(error);
			throw error;
		});
		return this;
	}

	async close() {
		if (this.#options.session === undefined && this.#state === "connected") await this.endSession().catch(() => {});
		this.#close();
	}

	async endSession() {
		await this.request("session.close");
		this.#close();
	}

	#close(cause = new Closed("The client was closed")) {
		this.#cause ??= cause;
		this.#setState("closed");
		this.#bindings.forEach((binding) => binding.end(cause));
		this.#requests.forEach(({ fail }) => fail(cause));
		this.#line?.close();
	}

	async #run() {
		const { socket, daemon, url, transport = url ? webSocket(url) : unixSocket(socket, daemon), backoff: { initial, maximum } } = this.#options;
		let delay = initial;
		while (!this.#cause) {
			const started = Date.now();
			const cause = await this.#connect(transport);
			this.#line = undefined;
			if (!this.#cause) this.#setState("connecting");
			if (cause instanceof MessageTooLargeError) this.#longest()?.fail(cause);
			this.#bindings.forEach((binding) => (binding.isLive = false));
			for (const { sent, key, options, method, fail } of this.#requests.values()) {
				if (sent && !key && !options.repeatable) fail(new OutcomeUnknown(`Connection lost before the reply to ${method}`));
			}
			if (this.#cause) break;
			if (Date.now() - started > 5000) delay = initial;
			const pause = until((resolve) => [this.on("state", resolve), after(delay * (0.75 + Math.random() / 2), resolve)]);
			this.emit("lost", cause);
			await pause;
			delay = Math.min(delay * 2, maximum);
		}
	}

	/** Opens a line. Resolves with the cause of its end. */
	#connect(transport) {
		return new Promise((resolve) => {
			let line;
			let isOpen = true;
			const closed = (cause) => {
				isOpen = false;
				cancel();
				clearInterval(watch);
				line?.close();
				resolve(this.#refusal ?? cause);
			};
			let ticks = 0;
			const heard = () => (ticks = 0);
			const message = (text) => {
				heard();
				try {
					if (isOpen && text.trim()) this.#receive(parse(text));
				} catch (error) {
					closed(error);
				}
			};
			const cancel = after(this.#options.timeout, () => closed(new TimedOut("No connection")));
			const watch = setInterval(() => {
				ticks = this.#state === "connected" && this.#requests.size + this.#bindings.size > 0 ? ticks + 1 : 0;
				if (ticks === 2) this.#ask(-1);
				else if (ticks > 5) closed(new TimedOut("The daemon is silent"));
			}, this.#options.silence / 2);
			this.#refusal = this.#end = undefined;
			transport({ message, closed, heard }).then(async (opened) => {
				line = opened;
				if (!isOpen || this.#cause) return closed();
				this.#line = { send: (text) => opened.send(text), close: closed };
				const { session = this.attachment?.session, linger, client, move } = this.#options;
				await this.request("session.attach", { session, linger, client, move: !this.attachment && move }, { now: true, succeed: (reply) => this.#attached(reply) });
				cancel();
			}).catch(closed);
		});
	}

	#attached(reply) {
		const previous = this.attachment;
		const isSame = previous?.epoch === reply.epoch;
		const waiting = [...this.#requests.values()];
		this.attachment = reply;
		this.#state = "connected";
		if (!isSame) this.opened.forEach((params) => this.send({ jsonrpc: "2.0", method: "viewModel.open", params }));
		this.#bindings.forEach((binding) => binding.resume());
		for (const request of waiting) {
			const isForgotten = request.sent && (!isSame || Date.now() - request.sent > 590_000);
			if (!isForgotten || request.options.repeatable) this.#write(request);
			else request.fail(new OutcomeUnknown(`The daemon forgot the key of ${request.method}`));
		}
		this.emit("state", "connected");
		const known = previous?.contract ?? this.#contract;
		if (reply.contract && known && reply.contract !== known) this.emit("contractChanged", reply.contract);
	}

	#setState(state) {
		if (this.#state === state) return;
		this.#state = state;
		this.emit("state", state);
	}

	call(method, params, options) {
		const { key, deadline } = params?._meta ?? {};
		const { timeout = /^(rpc|session|viewModel)\./.test(method) ? undefined : Infinity } = options ?? {};
		return this.request(method, params, { key, deadline, ...options, timeout });
	}

	send(message) {
		this.#line?.send(stringify(message));
	}

	/** Asks for a sign of life. */
	#ask(id) {
		this.send({ jsonrpc: "2.0", id, method: "$/cancelRequest", params: { id: "" } });
	}

	#longest() {
		return [...this.#requests.values()].sort((one, other) => other.length - one.length).find(({ sent }) => sent);
	}

	async request(method, params, options = {}) {
		const standard = this.#options.timeout;
		const { signal, deadline = Infinity, timeout = standard, retry, key = retry ? randomName() : undefined } = options;
		signal?.throwIfAborted();
		const id = ++this.#lastID;
		return until((succeed, fail) => {
			if (this.#cause) return fail(this.#cause), [];
			const settled = (settle) => (value) => (this.#requests.delete(id), settle(value));
			const request = { id, method, params, options, key, length: 0, succeed: settled(succeed), fail: settled(fail) };
			const abandon = (error) => {
				if (request.sent) this.send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
				request.fail(error);
			};
			this.#requests.set(id, request);
			// Answered at once, or the line is dead.
			const giveUp = () => options.succeed && request.sent && this.#line?.close();
			if (options.now || this.#state === "connected") this.#write(request);
			return [
				onAbort(signal, abandon),
				after(standard, giveUp),
				after(Math.min(timeout, deadline + standard), () => {
					abandon(new TimedOut(`${method} has no ${request.sent ? "reply" : "connection"}`));
					giveUp();
				}),
			];
		});
	}

	#write(request) {
		if (this.#end) return;
		const { id, method, params, key, options: { deadline } } = request;
		const all = key ?? deadline ? { ...params, _meta: { ...params?._meta, deadline, key } } : params;
		try {
			const text = stringify({ jsonrpc: "2.0", id, method, params: all });
			const limit = this.attachment?.["limits"]?.messageBytes;
			request.length = text.length;
			if (text.length * 3 > limit && new TextEncoder().encode(text).length > limit) {
				throw new MessageTooLargeError({ code: -32001, message: `${method} is too long`, data: { limit } });
			}
			request.isRepeated = !!request.sent;
			request.sent ??= Date.now();
			this.#line?.send(text);
		} catch (error) {
			request.fail(error);
		}
	}

	#receive(message) {
		this.emit("message", message);
		for (const one of [message].flat()) {
			if (one.method) this.#notified(one.method, one.params);
			else this.#answered(one);
		}
	}

	#answered({ id, result, error: reply }) {
		if (id === last) return this.#line?.close();
		let request = this.#requests.get(id);
		const declared = reply?.code === -32000 && own(request?.options.errors, reply.data?.error);
		const error = reply && new (declared || errorClasses[-reply.code] || ProtocolError)(reply);
		if (!request && error instanceof MessageTooLargeError) {
			// The daemon has not read the id.
			request = this.#longest();
		}
		const isOver = error instanceof SessionEndedError;
		if (!request) {
			if (error && id === null) this.#refusal = error;
		} else if (isOver && (request.options.repeatable || request.method !== "viewModel.bind")
			|| error instanceof ShuttingDownError && (request.options.repeatable || request.key)) {
			// It did not run now. The next line sends it.
			if (!request.isRepeated) request.sent = undefined;
		} else if (error) request.fail(error);
		else if (!this.#end || this.#end.reason === "stopping") {
			request.succeed(result);
			request.options.succeed?.(result);
		}
		if (isOver) this.#leave(error.data);
	}

	/** Sends no more requests on a line whose session has ended, and waits for the replies that say what did not run. */
	#leave(end) {
		const line = this.#line;
		if (this.#end || !line) return;
		this.#end = end;
		this.emit("sessionClosed", end);
		const { reason, node = "another machine" } = end;
		if (reason === "moved") return this.#close(Object.assign(new SessionMoved(`Moved to ${node}`), { node }));
		// After `stopping` the daemon ends the line.
		if (reason === "stopping") return;
		const close = () => line.close(new Closed(`The session has ended: ${reason}`));
		if ([...this.#requests.values()].every(({ sent, options }) => !sent || options.repeatable)) return close();
		after(1000, close);
		this.#ask(last);
	}

	#notified(method, params) {
		const binding = this.#bindings.get(params?.id);
		if (method === "viewModel.changed") binding?.change(params);
		else if (method === "viewModel.closed") {
			this.opened.delete(params.id);
			binding?.end(new Closed(`${params.id} was closed`));
		} else if (method === "session.closed") {
			this.#leave(params);
		}
	}

	async openInstance(type, values, id = randomName()) {
		const params = { type, id, arguments: values };
		await this.request("viewModel.open", params, { repeatable: true, succeed: () => this.opened.set(id, params) });
		return id;
	}

	setBinding(id, binding) {
		this.#bindings.get(id)?.end(new Closed(`${id} was bound again`));
		if (binding) this.#bindings.set(id, binding);
		else this.#bindings.delete(id);
	}
}

export class ViewModel {
	static contract = {};

	constructor(connection, id) {
		this.connection = connection;
		this.id = id;
	}

	async bind(options = {}) {
		const binding = new Binding(this, options);
		await binding.rebind();
		return binding;
	}

	async read(options = {}) {
		const { values } = await this.connection.request("viewModel.read", { id: this.id, ...options }, { repeatable: true });
		for (const name in values) values[name] = this.$convert("outputs", name, values[name]);
		return values;
	}

	async close() {
		await this.connection.request("viewModel.close", { id: this.id });
		this.connection.opened.delete(this.id);
	}

	$convert(kind, name, value) {
		return convert(value, own(this.constructor.contract[kind], name));
	}

	$input(name, params, options) {
		return this.connection.request(`${this.id}.${name}`, params, options);
	}

	async $action(name, params, options) {
		const all = { ...options, timeout: options?.timeout ?? Infinity, errors: own(this.constructor.contract.errors, name) };
		return this.$convert("results", name, await this.connection.request(`${this.id}.${name}`, params, all));
	}
}

export class Binding extends Emitter {
	seq = 0;
	isLive = false;
	#options;
	#boundWith;
	#ended = new AbortController();
	#raw = {};
	#picture = {};
	#cause;
	#fields = new Map();
	#kept = { event: [], lost: [] };

	constructor(viewModel, options) {
		super();
		this.viewModel = viewModel;
		this.#options = { ...options };
		viewModel.connection.setBinding(viewModel.id, this);
	}

	on(name, listener) {
		queueMicrotask(() => {
			const kept = this.#kept[name];
			delete this.#kept[name];
			kept?.forEach((value) => this.emit(name, value));
		});
		return super.on(name, listener);
	}

	emit(name, value) {
		const kept = this.#kept[name];
		if (!kept) super.emit(name, value);
		else if (kept.push(value) > 1024) kept.shift();
	}

	get picture() {
		return this.#picture;
	}

	async *[Symbol.asyncIterator]() {
		let seen;
		while (!this.#cause) {
			if (seen !== this.#picture) yield (seen = this.#picture);
			else await this.wait((picture) => picture !== seen, { timeout: Infinity }).catch(() => {});
		}
		if (!(this.#cause instanceof Closed)) throw this.#cause;
	}

	async wait(test, { timeout = 10_000, signal } = {}) {
		signal?.throwIfAborted();
		return until((resolve, reject) => {
			const check = () => {
				try {
					if (this.#cause) reject(this.#cause);
					else if (test(this.picture)) resolve(this.picture);
				} catch (error) {
					reject(error);
				}
			};
			check();
			return [
				this.on("picture", check),
				this.on("closed", check),
				onAbort(signal, reject),
				after(timeout, () => reject(new TimedOut("No such picture"))),
			];
		});
	}

	scroll(list, offset, limit) {
		const { windows } = this.#options;
		this.#options = { ...this.#options, windows: { ...windows, [list]: { offset, limit: limit || windows?.[list]?.limit } } };
		return this.rebind();
	}

	field(name) {
		const field = this.#fields.get(name) ?? new Field(this, name);
		this.#fields.set(name, field);
		return field;
	}

	async close() {
		const { viewModel: { connection, id }, isLive } = this;
		this.end(new Closed("The binding was closed"));
		if (isLive) await connection.request("viewModel.unbind", { id });
	}

	async rebind() {
		const options = this.#options;
		try {
			await this.#request(options);
		} catch (error) {
			if (!this.#boundWith) this.end(error);
			else if (options === this.#options) this.#options = this.#boundWith;
			throw error;
		}
	}

	resume() {
		const { epoch, seq } = this;
		if (this.#boundWith) this.#request(this.#boundWith, epoch && { epoch, seq }).catch((error) => {
			// A new connection binds again.
			if (error instanceof ProtocolError && !(error instanceof ShuttingDownError || error instanceof SessionEndedError)) this.end(error);
		});
	}

	#request(options, since) {
		const { connection, id } = this.viewModel;
		return connection.request("viewModel.bind", { id, ...options, since }, { repeatable: !since, timeout: 10_000, signal: this.#ended.signal, succeed: (reply) => {
			this.isLive = true;
			this.epoch = reply.epoch;
			this.#boundWith = options;
			if (reply.full) this.#raw = this.#picture = {};
			this.change(reply);
		} });
	}

	change(frame) {
		if (!this.isLive || this.#cause) return;
		const previous = this.#raw;
		try {
			this.#raw = applyPatch({ ...previous, ...frame.values }, frame.patch ?? []);
		} catch {
			// A whole picture replaces it.
			this.isLive = false;
			this.epoch = undefined;
			return this.resume();
		}
		this.#picture = { ...this.#picture };
		for (const name in this.#raw) {
			if (this.#raw[name] !== previous[name]) this.#picture[name] = this.viewModel.$convert("outputs", name, this.#raw[name]);
		}
		this.seq = frame.seq;
		this.emit("picture", this.#picture);
		if (frame.lost) this.emit("lost", frame.lost);
		for (const { output, value } of frame.events ?? []) {
			this.emit("event", { output, value: this.viewModel.$convert("outputs", output, value) });
		}
	}

	end(cause) {
		if (this.#cause) return;
		this.#cause = cause;
		this.#ended.abort(cause);
		this.isLive = false;
		this.viewModel.connection.setBinding(this.viewModel.id);
		this.emit("closed", cause);
	}
}

export function moveCaret(from, to, caret) {
	const shorter = Math.min(from.length, to.length);
	let prefix = 0;
	while (prefix < shorter && from[prefix] === to[prefix]) prefix++;
	if (caret <= prefix) return caret;
	let suffix = 0;
	while (suffix < shorter - prefix && from.at(-1 - suffix) === to.at(-1 - suffix)) suffix++;
	return to.length - Math.min(from.length - caret, suffix);
}

export class Field extends Emitter {
	#text;
	#isUnsent = false;
	#isComposing = false;
	#sending;

	constructor(binding, name) {
		super();
		this.binding = binding;
		this.name = name;
		this.#text = binding.picture[name] ?? "";
		binding.on("picture", () => this.#sending ?? this.#follow());
	}

	get text() {
		return this.#text;
	}

	edit(text) {
		if (text === this.#text) return;
		this.#isUnsent = true;
		this.#show(text);
		this.#sending ??= this.#send();
	}

	async settled() {
		while (this.#sending) await this.#sending;
	}

	attach(element) {
		const show = (text) => {
			const { value, selectionStart: start, selectionEnd: end } = element;
			if (value === text || this.#isComposing) return;
			element.value = text;
			if (start === null || element.matches?.(":focus") === false) return;
			element.setSelectionRange(moveCaret(value, element.value, start), moveCaret(value, element.value, end));
		};
		const listeners = {
			input: () => this.edit(element.value),
			compositionstart: () => { this.#isComposing = true; },
			compositionend: () => {
				this.#isComposing = false;
				this.edit(element.value);
				this.#sending ?? this.#follow();
			},
		};
		const end = new AbortController();
		for (const type in listeners) element.addEventListener(type, listeners[type], end);
		onAbort(end.signal, this.on("text", show));
		show(this.#text);
		return () => end.abort();
	}

	async #send() {
		const { binding, name } = this;
		const { id, connection } = binding.viewModel;
		let held;
		while (this.#isUnsent || held) {
			const isEdit = this.#isUnsent;
			this.#isUnsent = false;
			try {
				if (isEdit) {
					({ held } = await connection.request(`${id}.${name}`, { value: this.#text }, { repeatable: true }));
					continue;
				}
				const { seq, values } = await connection.request("viewModel.read", { id, outputs: [name] }, { repeatable: true });
				// No frame comes if the value returns to the last sent one.
				held = binding.isLive && seq > binding.seq && values[name] !== binding.picture[name];
				if (held && !this.#isUnsent) {
					this.#follow(values);
					await new Promise((done) => after(50, done));
				}
			} catch (error) {
				held = isEdit && error instanceof ProtocolError;
				if (error instanceof TimedOut) this.#isUnsent = true;
				else this.emit("refused", error);
			}
		}
		this.#sending = undefined;
		this.#follow();
	}

	#follow(values = this.binding.picture) {
		if (!this.#isComposing) this.#show(values[this.name] ?? "");
	}

	#show(text) {
		if (this.#text === text) return;
		this.#text = text;
		this.emit("text", text);
	}
}
