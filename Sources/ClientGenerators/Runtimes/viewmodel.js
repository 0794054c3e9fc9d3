export class ViewModelError extends Error {
	constructor(message) {
		super(message);
		this.name = new.target.name;
	}
}
export class OutcomeUnknown extends ViewModelError {
}
export class TimedOut extends ViewModelError {
}
export class Closed extends ViewModelError {
}
export class NotConnected extends ViewModelError {
}
export class NoConnection extends ViewModelError {
	code;
}
export class SessionMoved extends ViewModelError {
	node;
}
export class ProtocolError extends ViewModelError {
	code;
	data;
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
export class ParseError extends ProtocolError {
}
export class InvalidRequestError extends ProtocolError {
}
export class MethodNotFoundError extends ProtocolError {
}
export class InvalidParamsError extends ProtocolError {
}
export class InternalError extends ProtocolError {
}
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
export class MessageTooLargeError extends ProtocolError {
}
export class ActionDisabledError extends ProtocolError {
}
export class ActionExecutingError extends ProtocolError {
}
export class NotFoundError extends ProtocolError {
}
export class AccessDeniedError extends ProtocolError {
}
export class LimitExceededError extends ProtocolError {
}
export class ShuttingDownError extends ProtocolError {
}
export class DeadlineExceededError extends ProtocolError {
}
export class SessionInUseError extends ProtocolError {
}
export class SessionEndedError extends ProtocolError {
}
export class CancelledError extends ProtocolError {
}
const errorClasses = {
	32700: ParseError, 32600: InvalidRequestError, 32601: MethodNotFoundError, 32602: InvalidParamsError,
	32603: InternalError, 32000: ActionFailedError, 32001: MessageTooLargeError, 32002: ActionDisabledError,
	32003: ActionExecutingError, 32004: NotFoundError, 32005: AccessDeniedError, 32006: LimitExceededError,
	32007: ShuttingDownError, 32008: DeadlineExceededError, 32009: SessionInUseError,
	32010: SessionEndedError, 32800: CancelledError,
};
export function date(text) {
	const leap = text[17] === "6" ? 1000 : 0;
	return new Date(Date.parse(leap ? text.replace(":60", ":59") : text) + leap);
}
export const bytes = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
const converted = new WeakMap();
export function convert(value, shape, before, after) {
	if (!shape || value == null)
		return value;
	if (typeof shape === "function") {
		try {
			return shape(value);
		}
		catch {
			return value;
		}
	}
	if (Array.isArray(shape)) {
		if (!Array.isArray(value))
			return { ...value, rows: convert(value.rows, shape) };
		const [old, results] = Array.isArray(before) && Array.isArray(after) ? [before, after] : [[], []];
		const shorter = Math.min(old.length, value.length);
		let first = 0, last = value.length, end = old.length;
		while (first < shorter && old[first] === value[first])
			first++;
		while (last > first && end > first && old[end - 1] === value[last - 1])
			last--, end--;
		return results.slice(0, first).concat(value.slice(first, last).map((element) => convert(element, shape[0])), results.slice(end));
	}
	if (!isObject(value))
		return value;
	let result = converted.get(value);
	if (!result) {
		converted.set(value, (result = { ...value }));
		for (const name in value)
			put(result, name, convert(value[name], own(shape, name) ?? shape["*"]));
	}
	return result;
}
const mark = `integer ${Math.random().toString(36)} `;
const special = new RegExp(`"${mark}(-?\\d+)"|\\\\(?:\\\\|ud[89a-f]..)`, "g");
function stringify(message) {
	const text = JSON.stringify(message, (_, value) => {
		if (value instanceof Uint8Array)
			return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
		return typeof value === "bigint" ? mark + value : value;
	});
	return text.replace(special, (part, integer) => integer ?? (part[2] ? "\ufffd" : part));
}
export function parse(text) {
	if (!/\d{16}/.test(text))
		return JSON.parse(text);
	const safe = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => !/^-?\d{16,}$/.test(token) || BigInt(token.replace("-", "")) <= 2 ** 53 ? token : JSON.stringify(mark + token));
	return JSON.parse(safe, (_, value) => typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value);
}
const isObject = (value) => Object(value) === value;
const own = (object, name) => Object.hasOwn(object ?? {}, name) ? object[name] : undefined;
function put(object, name, value) {
	if (name !== "__proto__")
		object[name] = value;
	else
		Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
function share(before, value) {
	if (before === value || !isObject(before) || !isObject(value) || Array.isArray(before) !== Array.isArray(value))
		return value;
	const rows = Array.isArray(value) ? new Map(before.map((row) => [row?.id, row])) : undefined;
	let isSame = Object.keys(before).length === Object.keys(value).length;
	for (const name in value) {
		const old = own(before, name);
		put(value, name, share(rows && isObject(value[name]) ? rows.get(value[name].id) : old, value[name]));
		isSame &&= value[name] === old;
	}
	return isSame ? before : value;
}
export function applyPatch(document, patch) {
	let root = { "": document };
	const copies = new Set();
	const get = (node, step) => {
		if (!isObject(node) || !Object.hasOwn(node, step) || (Array.isArray(node) && step === "length"))
			throw new RangeError(`Nothing at ${step}`);
		return node[step];
	};
	const stepsOf = (pointer) => {
		if (!/^(\/|$)/.test(pointer))
			throw new TypeError(`Not a pointer: ${pointer}`);
		return pointer.split("/").map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
	};
	const edit = (node, [step, ...rest], removed, ...added) => {
		const isList = Array.isArray(node);
		if (isList && step === "-")
			step = String(node.length);
		if (rest.length + removed > 0 || !isObject(node) || (isList && step !== String(node.length)))
			get(node, step);
		const copy = copies.has(node) ? node : isList ? node.slice() : { ...node };
		copies.add(copy);
		if (rest.length > 0)
			put(copy, step, edit(node[step], rest, removed, ...added));
		else if (isList)
			copy.splice(step, removed, ...added);
		else if (added.length > 0)
			put(copy, step, added[0]);
		else
			delete copy[step];
		return copy;
	};
	for (const { op, path, from, value } of patch) {
		if (value === undefined && /^(add|replace)$/.test(op))
			throw new TypeError(`No value to ${op}`);
		if (op === "add")
			root = edit(root, stepsOf(path), 0, value);
		else if (op === "remove")
			root = edit(root, stepsOf(path), 1);
		else if (op === "replace")
			root = edit(root, stepsOf(path), 1, value);
		else if (op === "move" && !path.startsWith(from + "/")) {
			const moved = stepsOf(from).reduce(get, root);
			root = edit(edit(root, stepsOf(from), 1), stepsOf(path), 0, moved);
		}
		else
			throw new RangeError(`${op} ${path} failed`);
	}
	return root[""];
}
export function unixSocket(path, daemon = "viewmodeld") {
	return async ({ message, closed, heard }) => {
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
	return async ({ message, closed }) => {
		const { location, WebSocket } = globalThis;
		const address = new URL(url, location?.href.replace("http", "ws"));
		if (address.host === location?.host)
			await signIn(address);
		const socket = new WebSocket(address, protocols);
		socket.onmessage = (event) => message(event.data);
		socket.onclose = ({ code, reason }) => {
			const message = `WebSocket closed: ${code} ${reason}`;
			closed(code === 1009 ? new MessageTooLargeError({ code: -32001, message }) : new ViewModelError(message));
		};
		return new Promise((resolve) => (socket.onopen = () => resolve(socket)));
	};
}
async function signIn(socket) {
	const { location, history, fetch } = globalThis;
	const [, token] = location.hash.split("#token=");
	if (!token)
		return;
	const headers = { "Content-Type": "application/json" };
	await fetch(new URL("session", socket).href.replace("ws", "http"), { method: "POST", headers, body: JSON.stringify({ token }) });
	history.replaceState(null, "", location.pathname + location.search);
}
export class Emitter {
	#listeners = new Map();
	on(name, listener) {
		const listeners = this.#listeners.get(name) ?? new Set();
		this.#listeners.set(name, listeners.add(listener));
		return () => listeners.delete(listener);
	}
	emit(name, value) {
		for (const listener of new Set(this.#listeners.get(name)))
			void new Promise(() => listener(value));
	}
}
const randomName = () => "js-" + Date.now().toString(36) + Math.random().toString(36).slice(2);
function after(milliseconds, action) {
	const timer = milliseconds < 2 ** 31 ? setTimeout(action, milliseconds) : undefined;
	return () => clearTimeout(timer);
}
function onAbort(signal, action) {
	const abort = () => action(signal?.reason);
	signal?.addEventListener("abort", abort);
	return () => signal?.removeEventListener("abort", abort);
}
async function until(begin) {
	let offs = [];
	const caller = new Error();
	try {
		return await new Promise((resolve, reject) => (offs = begin(resolve, reject)));
	}
	catch (error) {
		if (!(error instanceof ViewModelError))
			throw error;
		const own = error instanceof Closed || error instanceof SessionMoved ? Object.create(error) : error;
		const value = caller.stack?.replace(/^Error/, () => String(error));
		throw Object.defineProperty(own, "stack", { value, configurable: true, writable: true });
	}
	finally {
		for (const off of offs)
			off();
	}
}
const last = -2;
const protocolMethod = /^(rpc|session|viewModel)\./;
export class Connection extends Emitter {
	attachment;
	problem;
	#state = "connecting";
	#options;
	#contract;
	#requests = new Map();
	#feeds = new Map();
	opened = new Map();
	unsent = new Set();
	#isRefusing = false;
	#isAttached = false;
	#isAwaiting = false;
	#line;
	#refusal;
	#end;
	#lastID = 0;
	#cause;
	constructor(options, contract) {
		super();
		this.#options = { timeout: 10000, backoff: { initial: 50, maximum: 5000 }, silence: 8000, ...options };
		this.#contract = contract;
		for (const name in options.on)
			this.on(name, options.on[name]);
	}
	get connectionState() {
		return this.#state;
	}
	async start() {
		let reason = new TimedOut("No connection");
		void this.#run();
		await until((resolve, reject) => [
			this.on("state", (state) => state !== "offline" && resolve(state)),
			this.on("lost", (cause) => ((reason = cause), cause instanceof ProtocolError && reject(cause))),
			after(this.#options.timeout, () => reject(reason)),
		]).catch((error) => {
			this.#close(error);
			throw error;
		});
		return this;
	}
	$begin() {
		this.#isRefusing = true;
		void this.#run();
		return this;
	}
	async close() {
		if (this.#options.session === undefined && this.#state === "connected")
			await this.endSession().catch(() => { });
		this.#close();
	}
	async endSession() {
		await this.request("session.close");
		this.#close();
	}
	#close(cause = new Closed("The client was closed")) {
		this.#cause ??= cause;
		this.#setState("closed");
		this.#feeds.forEach((feed) => feed.end(cause));
		this.#requests.forEach(({ fail }) => fail(cause));
		this.#line?.close();
	}
	async #run() {
		const { socket, daemon, url = globalThis.location && "/ws", backoff: { initial, maximum } } = this.#options;
		const { transport = url ? webSocket(url) : unixSocket(socket, daemon) } = this.#options;
		let delay = initial;
		while (!this.#cause) {
			const started = Date.now();
			const cause = await this.#connect(transport);
			this.#line = undefined;
			this.#feeds.forEach((feed) => (feed.isLive = feed.isAsked = false));
			this.problem = cause;
			if (!this.#cause)
				this.#setState(this.#isAttached ? "connecting" : "offline");
			this.#isAttached = false;
			if (cause instanceof MessageTooLargeError)
				this.#longest()?.fail(cause);
			for (const request of this.#requests.values()) {
				const { sent, key, options, method } = request;
				if (method === "viewModel.unbind")
					request.succeed(null);
				else if (!sent)
					this.#refuse(request);
				else if (!key && !options.repeatable)
					request.fail(new OutcomeUnknown(`Connection lost before the reply to ${method}`));
			}
			if (this.#cause)
				break;
			if (Date.now() - started > 5000)
				delay = initial;
			const pause = until((resolve) => [this.on("state", resolve), after(delay * (0.75 + Math.random() / 2), resolve)]);
			this.emit("lost", cause);
			await pause;
			delay = Math.min(delay * 2, maximum);
		}
	}
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
			let quiet = 0;
			let asked = 0;
			const heard = () => {
				if (isOpen && asked >= 8)
					this.#return();
				quiet = asked = 0;
				this.#isAwaiting = false;
			};
			const message = (text) => {
				heard();
				try {
					if (isOpen && text.trim())
						this.#receive(parse(text));
				}
				catch (error) {
					closed(error);
				}
			};
			const cancel = after(this.#options.timeout, () => closed(new TimedOut("No connection")));
			const watch = setInterval(() => {
				if (asked > 0)
					asked++;
				else if (!this.#isAttached || this.#requests.size + this.#feeds.size === 0)
					quiet = 0;
				else if (++quiet >= (globalThis.document?.hidden ? 20 : 5) || this.#isAwaiting) {
					asked = 1;
					this.#ask(-1);
				}
				if (asked >= 8) {
					this.problem = new TimedOut("The daemon is silent");
					this.#setState("connecting");
				}
				if (asked === 15)
					closed(this.problem);
			}, this.#options.silence / 8);
			this.#refusal = this.#end = undefined;
			transport({ message, closed, heard }).then(async (opened) => {
				line = opened;
				if (!isOpen || this.#cause)
					return closed();
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
		const hadTags = this.$has("tags");
		this.attachment = reply;
		this.problem = undefined;
		this.#isAttached = true;
		this.#state = "connected";
		if (this.$has("tags") !== hadTags) {
			const holders = [...this.#feeds.values()].flatMap((feed) => [...feed.holders]);
			this.#feeds.forEach((feed) => feed.holders.clear());
			this.#feeds.clear();
			holders.forEach((holder) => this.$place(holder));
		}
		if (!isSame)
			this.opened.forEach((params) => this.send({ jsonrpc: "2.0", method: "viewModel.open", params }));
		this.#feeds.forEach((feed) => feed.update());
		for (const request of waiting) {
			const isForgotten = request.sent && (!isSame || Date.now() - request.sent > 590000);
			if (!isForgotten || request.options.repeatable)
				this.#write(request);
			else
				request.fail(new OutcomeUnknown(`The daemon forgot the key of ${request.method}`));
		}
		this.emit("state", "connected");
		const known = previous?.contract ?? this.#contract;
		if (reply.contract && known && reply.contract !== known)
			this.emit("contractChanged", reply.contract);
	}
	#setState(state) {
		if (this.#state === state)
			return;
		this.#state = state;
		this.#feeds.forEach((feed) => feed.show());
		this.emit("state", state);
	}
	#return() {
		this.problem = undefined;
		this.#setState("connected");
		this.#requests.forEach((request) => request.sent || this.#write(request));
		this.#feeds.forEach((feed) => feed.sync());
	}
	$has(feature) {
		return this.attachment?.["features"]?.includes(feature) ?? false;
	}
	call(method, params, options) {
		const { key, deadline } = params?._meta ?? {};
		const { timeout = protocolMethod.test(method) ? undefined : Infinity } = options ?? {};
		return this.request(method, params, { key, deadline, ...options, timeout });
	}
	send(message) {
		this.#line?.send(stringify(message));
	}
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
		if (this.#state === "connected" && !protocolMethod.test(method))
			this.unsent.forEach((field) => field.$post());
		const id = ++this.#lastID;
		return until((succeed, fail) => {
			if (this.#cause)
				return fail(this.#cause), [];
			const settled = (settle) => (value) => (this.#requests.delete(id), settle(value));
			const request = { id, method, params, options, key, length: 0, succeed: settled(succeed), fail: settled(fail) };
			const abandon = (error) => {
				if (request.sent)
					this.send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
				request.fail(error);
			};
			this.#requests.set(id, request);
			if (options.now || this.#state === "connected")
				this.#write(request);
			else
				this.#refuse(request);
			return [
				onAbort(signal, abandon),
				after(standard, () => options.succeed && request.sent && this.#line?.close()),
				after(Math.min(timeout, deadline + standard), () => abandon(new TimedOut(`${method} has no ${request.sent ? "reply" : "connection"}`))),
			];
		});
	}
	#refuse({ method, key, options, fail }) {
		if (this.#isRefusing && !key && !options.repeatable && !protocolMethod.test(method)) {
			fail(new NotConnected(`${method} was not sent, because there is no connection`));
		}
	}
	#write(request) {
		if (this.#end)
			return;
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
			this.#isAwaiting = true;
			this.#line?.send(text);
		}
		catch (error) {
			request.fail(error);
		}
	}
	#receive(message) {
		this.emit("message", message);
		for (const one of [message].flat()) {
			if (one.method)
				this.#notified(one.method, one.params);
			else
				this.#answered(one);
		}
	}
	#answered({ id, result, error: reply }) {
		if (id === last)
			return this.#line?.close();
		let request = this.#requests.get(id);
		const declared = reply?.code === -32000 && own(request?.options.errors, reply.data?.error);
		const error = reply && new (declared || errorClasses[-reply.code] || ProtocolError)(reply);
		if (!request && error instanceof MessageTooLargeError) {
			request = this.#longest();
		}
		const isOver = error instanceof SessionEndedError;
		if (!request) {
			if (error && id === null)
				this.#refusal = error;
		}
		else if (isOver && (request.options.repeatable || request.method !== "viewModel.bind")
			|| error instanceof ShuttingDownError && (request.options.repeatable || request.key)) {
			if (!request.isRepeated)
				request.sent = undefined;
		}
		else if (error)
			request.fail(error);
		else if (!this.#end || this.#end.reason === "stopping") {
			request.succeed(result);
			request.options.succeed?.(result);
		}
		if (isOver)
			this.#leave(error.data);
	}
	#leave(end) {
		const line = this.#line;
		if (this.#end || !line)
			return;
		this.#end = end;
		this.emit("sessionClosed", end);
		const { reason, node = "another machine" } = end;
		if (reason === "moved")
			return this.#close(Object.assign(new SessionMoved(`Moved to ${node}`), { node }));
		if (reason === "stopping")
			return;
		const close = () => line.close(new Closed(`The session has ended: ${reason}`));
		if ([...this.#requests.values()].every(({ sent, options }) => !sent || options.repeatable))
			return close();
		after(1000, close);
		this.#ask(last);
	}
	#notified(method, params) {
		if (method === "viewModel.changed")
			this.#feeds.get(`${params?.id} ${params?.tag ?? ""}`)?.change(params);
		else if (method === "viewModel.closed") {
			this.opened.delete(params.id);
			this.#feeds.forEach((feed) => feed.id === params.id && feed.end(new Closed(`${params.id} was closed`)));
		}
		else if (method === "session.closed") {
			this.#leave(params);
		}
	}
	async openInstance(type, values, id = randomName()) {
		const params = { type, id, arguments: values };
		await this.request("viewModel.open", params, { repeatable: true, succeed: () => this.opened.set(id, params) });
		return id;
	}
	$place(holder) {
		const { id } = holder.viewModel;
		const tag = this.$has("tags") ? holder.tag : "";
		holder.feed = this.#feeds.get(`${id} ${tag}`) ?? new InstanceFeed(this, id, tag);
		holder.feed.holders.add(holder);
		this.#feeds.set(`${id} ${tag}`, holder.feed);
	}
	$drop(feed) {
		const key = `${feed.id} ${feed.tag}`;
		if (this.#feeds.get(key) === feed)
			this.#feeds.delete(key);
	}
	async $connected(signal) {
		signal.throwIfAborted();
		if (this.#cause)
			throw this.#cause;
		if (this.#state !== "connected")
			await until((resolve, reject) => [
				this.on("state", (state) => state === "connected" && resolve(state)),
				onAbort(signal, reject),
				after(10000, () => reject(new TimedOut("No connection"))),
			]);
	}
	async $settled(id) {
		const holders = [...this.#feeds.values()].flatMap((feed) => feed.id === id ? [...feed.holders] : []);
		const texts = holders.flatMap(({ fields }) => [...fields.values()].map((field) => field.settled()));
		await until((resolve, reject) => {
			void Promise.all(texts).then(resolve);
			return [this.on("state", () => reject(new NotConnected("Texts that were typed before have no reply")))];
		});
	}
}
class InstanceFeed {
	connection;
	id;
	tag;
	holders = new Set();
	raw = {};
	epoch;
	seq = 0;
	isLive = false;
	isAsked = false;
	options;
	#busy;
	#turn;
	constructor(connection, id, tag) {
		this.connection = connection;
		this.id = id;
		this.tag = tag;
	}
	ask(holder, options, signal) {
		return this.#enqueue(() => this.#bind(this.#wants().set(holder, options), { repeatable: true, signal }));
	}
	sync() {
		return (this.#turn ??= Promise.resolve().then(() => {
			this.#turn = undefined;
			return this.#enqueue(() => this.update());
		}));
	}
	change(frame) {
		if (!this.isLive)
			return;
		const values = { ...(frame.full || this.raw), ...frame.values };
		for (const name in frame.values)
			values[name] = share(this.raw[name], values[name]);
		try {
			this.raw = applyPatch(values, frame.patch ?? []);
		}
		catch {
			this.isLive = false;
			this.epoch = undefined;
			return void this.update();
		}
		this.epoch = frame.epoch ?? this.epoch;
		this.seq = frame.seq;
		for (const [name, window] of Object.entries(this.options?.windows ?? {}))
			if (window.anchor)
				window.offset = this.raw[name].offset;
		this.show(frame);
	}
	show(frame) {
		this.holders.forEach((holder) => holder.show(frame));
	}
	end(cause) {
		this.isAsked = this.isLive = false;
		this.show();
		this.holders.forEach((holder) => holder.end(cause));
	}
	#wants() {
		return new Map([...this.holders].flatMap((holder) => holder.wanted ? [[holder, holder.wanted]] : []));
	}
	#enqueue(work) {
		const done = this.#busy ? this.#busy.then(work, work) : work();
		const end = () => this.#busy === done && (this.#busy = undefined);
		done.then(end, end);
		return (this.#busy = done);
	}
	async update() {
		const { connection, id, tag, isLive, epoch, seq } = this;
		const wants = this.#wants();
		if (this.holders.size === 0) {
			connection.$drop(this);
			if (this.isAsked)
				await connection.request("viewModel.unbind", { id, tag: tag || undefined });
		}
		else if (wants.size > 0 && connection.connectionState === "connected") {
			const isBound = isSame(union(wants), this.options);
			if (!isLive || !isBound)
				await this.#bind(wants, {}, isBound && epoch ? { epoch, seq } : undefined).catch((error) => this.#refused(error, wants));
			else
				wants.forEach((options, holder) => ((holder.bound = options), holder.show()));
		}
	}
	#bind(wants, how, since) {
		const { connection, id, tag } = this;
		const options = union(wants);
		const { windows, splices, ...rest } = options;
		const plain = windows && Object.fromEntries(Object.entries(windows).map(([name, { offset, limit }]) => [name, { offset, limit }]));
		const params = { id, tag: tag || undefined, ...rest, ...(connection.$has("splices") ? { windows, splices } : { windows: plain }), since };
		this.isAsked = true;
		return connection.request("viewModel.bind", params, { ...how, timeout: 10000, succeed: (reply) => {
				this.isLive = true;
				this.options = options;
				wants.forEach((own, holder) => (holder.bound = own));
				this.change(reply);
			} });
	}
	#refused(error, wants) {
		if (!(error instanceof ProtocolError) || error instanceof ShuttingDownError || error instanceof SessionEndedError)
			return;
		const name = union(wants).outputs?.[Number(/^\/outputs\/(\d+)$/.exec(error.data.path)?.[1])];
		const fresh = [...wants.keys()].filter(({ bound }) => !bound);
		const guilty = fresh.filter(({ wanted }) => wanted?.outputs?.includes(name));
		for (const holder of [guilty, fresh, [...wants.keys()]].find(({ length }) => length > 0))
			holder.end(error);
	}
}
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
function union(wants) {
	const all = [...wants.values()];
	if (all.length === 1)
		return all[0];
	return {
		outputs: all.every(({ outputs }) => outputs) ? [...new Set(all.flatMap(({ outputs }) => outputs))] : undefined,
		minInterval: Math.min(...all.map(({ minInterval = 0 }) => minInterval)),
	};
}
function cut(list, window) {
	if (!window || !Array.isArray(list))
		return list;
	const { offset, limit } = window;
	return { offset, count: list.length, rows: list.slice(offset, offset + limit) };
}
export class ViewModel {
	static contract = {};
	connection;
	id;
	constructor(connection, id) {
		this.connection = connection;
		this.id = id;
	}
	async bind(options = {}) {
		const binding = new Binding(this, options);
		await binding.rebind();
		return binding;
	}
	hold(options = {}) {
		return new Binding(this, options, "");
	}
	watch(output, listener) {
		const hold = this.hold({ outputs: [output] });
		let last = hold;
		const check = (picture) => {
			const value = picture[output] ?? null;
			if (output in picture && value !== last)
				listener((last = value));
		};
		hold.on("picture", check);
		hold.on("event", ({ value }) => listener(value));
		check(hold.picture);
		return () => void hold.close().catch(() => { });
	}
	list(output, { page = 100 } = {}) {
		return new Rows(this, output, page);
	}
	async read(options = {}) {
		const { values } = await this.connection.request("viewModel.read", { id: this.id, ...options }, { repeatable: true });
		for (const name in values)
			values[name] = this.$convert("outputs", name, values[name]);
		return values;
	}
	async close() {
		await this.connection.request("viewModel.close", { id: this.id });
		this.connection.opened.delete(this.id);
	}
	$convert(kind, name, value, before, after) {
		return convert(value, own(this.constructor.contract[kind], name), before, after);
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
	viewModel;
	epoch;
	seq = 0;
	tag;
	feed;
	bound;
	#options;
	#isHold;
	#ended = new AbortController();
	#picture = {};
	#seen = new Map();
	#cause;
	onFrame;
	fields = new Map();
	#kept = { event: [], lost: [] };
	constructor(viewModel, options, tag) {
		super();
		this.viewModel = viewModel;
		this.#options = { ...options };
		this.#isHold = tag !== undefined;
		this.tag = tag || (this.#isHold && !options.windows ? "" : `b${++tags}`);
		viewModel.connection.$place(this);
		if (!this.#isHold)
			return;
		this.feed.sync().catch(() => { });
		if (options.outputs?.every((name) => name in this.feed.raw))
			this.show();
	}
	get wanted() {
		return this.bound ?? (this.#isHold ? this.#options : undefined);
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
		if (!kept)
			super.emit(name, value);
		else if (kept.push(value) > 1024)
			kept.shift();
	}
	get picture() {
		return this.#picture;
	}
	async *[Symbol.asyncIterator]() {
		let seen;
		while (!this.#cause) {
			if (seen !== this.#picture)
				yield (seen = this.#picture);
			else
				await this.wait((picture) => picture !== seen, { timeout: Infinity }).catch(() => { });
		}
		if (!(this.#cause instanceof Closed))
			throw this.#cause;
	}
	async wait(test, { timeout = 10000, signal } = {}) {
		signal?.throwIfAborted();
		return until((resolve, reject) => {
			const check = () => {
				try {
					if (this.#cause)
						reject(this.#cause);
					else if (test(this.picture))
						resolve(this.picture);
				}
				catch (error) {
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
	scroll(list, offset, limit, anchor) {
		const { windows } = this.#options;
		this.#options = { ...this.#options, windows: { ...windows, [list]: { offset, limit: limit || windows?.[list]?.limit, anchor } } };
		return this.rebind();
	}
	field(name) {
		const field = this.fields.get(name) ?? new Field(this, name);
		this.fields.set(name, field);
		return field;
	}
	async close() {
		this.end(new Closed("The binding was closed"));
		await this.feed.sync();
	}
	async rebind() {
		const options = this.#options;
		const { connection } = this.viewModel;
		const { signal } = this.#ended;
		try {
			if (connection.connectionState !== "connected")
				await connection.$connected(signal);
			await this.feed.ask(this, options, signal);
		}
		catch (error) {
			if (!this.wanted)
				this.end(error);
			else if (options === this.#options)
				this.#options = this.wanted;
			throw error;
		}
	}
	show(frame = {}) {
		const { wanted, viewModel, feed: { raw, isLive, epoch, seq, options } } = this;
		if (!wanted)
			return;
		const isEnabled = isLive && viewModel.connection.connectionState === "connected";
		const picture = { ...this.#picture };
		let isNew = this.epoch !== epoch;
		this.epoch = epoch;
		this.seq = seq;
		for (const name of wanted.outputs ?? Object.keys(raw)) {
			const value = name.endsWith(".enabled") ? raw[name] && isEnabled : raw[name];
			const window = wanted.windows?.[name];
			const [before, old, part] = this.#seen.get(name) ?? [];
			if (value === undefined || (value === before && window === old) || ![undefined, window].includes(own(options?.windows, name)))
				continue;
			const next = cut(value, window);
			this.#seen.set(name, [value, window, next]);
			picture[name] = viewModel.$convert("outputs", name, next, part, picture[name]);
			isNew = true;
		}
		if (isNew)
			this.emit("picture", (this.#picture = picture));
		this.onFrame?.(frame);
		if (frame.lost)
			this.emit("lost", frame.lost);
		for (const { output, value } of frame.events ?? []) {
			if (wanted.outputs?.includes(output) ?? true)
				this.emit("event", { output, value: viewModel.$convert("outputs", output, value) });
		}
	}
	end(cause) {
		if (this.#cause)
			return;
		this.#cause = cause;
		this.#ended.abort(cause);
		this.feed.holders.delete(this);
		this.feed.sync().catch(() => { });
		this.emit("closed", cause);
		if (this.#isHold && cause instanceof ProtocolError)
			globalThis.reportError?.(cause);
	}
}
let tags = 0;
const tallest = 8000000;
export class Rows extends Emitter {
	#binding;
	#name;
	#page;
	#window;
	#first = 0;
	#end = 0;
	#isDown = true;
	#isAsked = false;
	#isMoving = false;
	constructor(viewModel, name, page) {
		super();
		this.#name = name;
		this.#page = page;
		const windows = { [name]: { offset: 0, limit: 2 * page, anchor: false } };
		this.#binding = new Binding(viewModel, { outputs: [name], windows, splices: true }, `b${++tags}`);
		this.#binding.onFrame = (frame) => this.#take(frame);
		this.#binding.on("closed", (cause) => this.emit("closed", cause));
		this.#take({});
	}
	get length() {
		return this.#window?.count ?? 0;
	}
	at(index) {
		if (!this.#isAsked) {
			this.#isAsked = true;
			this.#isDown = index === this.#first ? this.#isDown : index > this.#first;
			this.#first = this.#end = index;
			queueMicrotask(() => {
				this.#isAsked = false;
				void this.#load();
			});
		}
		this.#first = Math.min(this.#first, index);
		this.#end = Math.max(this.#end, index + 1);
		return this.#window?.rows[index - this.#window.offset];
	}
	close() {
		return this.#binding.close();
	}
	attach(element, height, show) {
		let top = 0;
		let scrollTop = 0;
		let id;
		const first = () => Math.floor(top / height);
		const measure = () => {
			const most = Math.max(0, this.length * height - element.clientHeight);
			return { most, scale: most / Math.max(1, Math.min(most, tallest - element.clientHeight)) || 1 };
		};
		const place = () => {
			const { most, scale } = measure();
			top = Math.min(Math.max(top, 0), most);
			element.firstElementChild.style.height = `${Math.min(this.length * height, tallest)}px`;
			if (Math.abs(element.scrollTop - top / scale) >= 1)
				element.scrollTop = top / scale;
			draw();
		};
		const draw = () => {
			scrollTop = element.scrollTop;
			const end = Math.min(this.length, Math.ceil((top + element.clientHeight) / height));
			id = this.at(first())?.id;
			this.at(Math.max(first(), end - 1));
			show({ first: first(), end, shift: scrollTop - top });
		};
		let cancel = () => { };
		const scroll = () => {
			const { most, scale } = measure();
			const moved = element.scrollTop - scrollTop;
			if (scale === 1 || Math.abs(moved) > 4000)
				top = element.scrollTop * scale;
			else
				top = Math.min(Math.max(top + moved, 0), most);
			draw();
			cancel();
			if (scale > 1)
				cancel = after(200, place);
		};
		const end = new AbortController();
		element.style.overflowAnchor = "none";
		element.addEventListener("scroll", scroll, { signal: end.signal, passive: true });
		const observer = new globalThis.ResizeObserver(place);
		observer.observe(element);
		onAbort(end.signal, () => (cancel(), observer.disconnect()));
		onAbort(end.signal, this.on("change", place));
		onAbort(end.signal, this.on("splice", ({ at, removed, inserted }) => {
			const index = first();
			if (top === 0 || at > index)
				return;
			const isUnknown = at === 0 && removed > index && this.length === inserted;
			const found = isUnknown ? this.#indexOf(id) : at + inserted + Math.max(0, index - at - removed);
			top += (found - index) * height;
		}));
		place();
		return () => end.abort();
	}
	#indexOf(id) {
		const { offset, rows } = this.#window;
		const index = rows.findIndex((row) => row.id === id);
		return index < 0 ? this.#first : offset + index;
	}
	#take(frame) {
		const window = this.#binding.picture[this.#name] ?? this.#window ?? { offset: 0, count: 0, rows: [] };
		const old = this.#window;
		const isOther = old?.count !== window.count || window.rows.some((row, at) => (old.rows[at + window.offset - old.offset] ?? row)?.id !== row?.id);
		const splices = frame.splices?.[this.#name] ?? (isOther ? [[0, old?.count ?? 0, window.count]] : []);
		if (window === old && splices.length === 0)
			return void (this.#binding.feed.isLive && this.#load());
		this.#window = window;
		for (const [at = 0, removed = 0, inserted = 0] of splices) {
			const shift = inserted - removed;
			if (at + removed <= this.#first && removed < (old?.count ?? 0)) {
				this.#first += shift;
				this.#end += shift;
			}
			this.emit("splice", { at, removed, inserted });
		}
		this.emit("change", this);
		void this.#load();
	}
	async #load() {
		const page = this.#page;
		const { offset, rows, count } = this.#window;
		const end = Math.min(this.#end, count);
		const first = Math.max(Math.min(this.#first, end - 1), end - 10 * page, 0);
		const [above, below] = this.#isDown ? [0, page] : [page, 0];
		const isLoaded = offset <= Math.max(0, first - above / 2) && offset + rows.length >= Math.min(count, end + below / 2);
		if (isLoaded || this.#isMoving)
			return;
		this.#isMoving = true;
		const from = Math.max(0, (Math.floor(first / page) - 1) * page - above);
		const limit = Math.ceil(end / page) * page + page + below - from;
		try {
			await this.#binding.scroll(this.#name, from, limit, from > 0);
			this.#isMoving = false;
			void this.#load();
		}
		catch {
			this.#isMoving = false;
		}
	}
}
export function moveCaret(from, to, caret) {
	const shorter = Math.min(from.length, to.length);
	let prefix = 0;
	while (prefix < shorter && from[prefix] === to[prefix])
		prefix++;
	if (caret <= prefix)
		return caret;
	let suffix = 0;
	while (suffix < shorter - prefix && from.at(-1 - suffix) === to.at(-1 - suffix))
		suffix++;
	return to.length - Math.min(from.length - caret, suffix);
}
export class Field extends Emitter {
	binding;
	name;
	error;
	#text;
	#request;
	#isComposing = false;
	#sending;
	#typed;
	constructor(binding, name) {
		super();
		this.binding = binding;
		this.name = name;
		this.#text = binding.picture[name] ?? "";
		let { epoch } = binding;
		binding.on("picture", () => {
			const before = epoch;
			({ epoch } = binding);
			if (this.#sending)
				return;
			const isTyped = this.#typed === this.#text;
			if (isTyped && before && before !== epoch)
				return this.#submit();
			if (binding.picture[name] !== this.#text)
				this.error = undefined;
			this.#follow();
			if (isTyped && !before)
				this.#typed = this.#text;
		});
	}
	get text() {
		return this.#text ?? "";
	}
	edit(text) {
		if ((text ?? "") === (this.#text ?? ""))
			return;
		this.#show(text);
		this.#submit();
	}
	#submit() {
		this.binding.viewModel.connection.unsent.add(this);
		this.#sending ??= this.#send();
	}
	async settled() {
		while (this.#sending)
			await this.#sending;
	}
	attach(element) {
		const { type } = element;
		const isDate = /^date/.test(type) && this.binding.viewModel.$convert("outputs", this.name, "2000-01-01") instanceof Date;
		const format = (shown) => isDate && shown
			? new Date(shown).toLocaleString("sv").replace(" ", "T").slice(0, type === "date" ? 10 : 16) : String(shown ?? "");
		const read = () => {
			const { value } = element;
			if (type === "checkbox")
				return element.checked;
			if (element.validity?.badInput || (type === "radio" && !element.checked))
				return this.#text;
			if (isDate && (value === format(this.#text) || value[0] === "0"))
				return this.#text;
			if (isDate)
				return value ? new Date(type === "date" ? value + "T00:00" : value) : null;
			if (typeof this.#text !== "number" && type !== "number" && type !== "range")
				return value;
			return value === "" ? null : Number(value);
		};
		const show = (shown) => {
			const { value, selectionStart: start, selectionEnd: end } = element;
			const text = format(shown);
			if (type === "checkbox")
				element.checked = shown === true;
			else if (type === "radio")
				element.checked = value === text;
			else if (value !== text && !this.#isComposing) {
				element.value = text;
				if (start == null || element.matches?.(":focus") === false)
					return;
				element.setSelectionRange(moveCaret(value, element.value, start), moveCaret(value, element.value, end));
			}
		};
		const finish = () => {
			this.#isComposing = false;
			this.edit(read());
			this.#sending ?? this.#follow();
			show(this.#text);
		};
		const listeners = {
			input: () => type === "number" ? (this.#isComposing = true) : this.edit(read()),
			compositionstart: () => (this.#isComposing = true),
			compositionend: finish,
			change: isDate ? undefined : finish,
			blur: finish,
		};
		const end = new AbortController();
		for (const name in listeners)
			element.addEventListener(name, listeners[name], end);
		onAbort(end.signal, this.on("text", show));
		show(this.#text);
		return () => end.abort();
	}
	$post() {
		const { id, connection } = this.binding.viewModel;
		connection.unsent.delete(this);
		this.#request = connection.request(`${id}.${this.name}`, { value: this.#text }, { repeatable: true });
		this.#request.catch(() => { });
	}
	async #send() {
		const { binding, name } = this;
		const { id, connection } = binding.viewModel;
		const isUnsent = () => connection.unsent.has(this);
		let held;
		let isAccepted = false;
		while (isUnsent() || this.#request || held) {
			if (isUnsent())
				this.$post();
			const request = this.#request;
			try {
				if (request) {
					const reply = await request;
					if (request !== this.#request)
						continue;
					({ held } = reply);
					isAccepted = true;
					this.#request = undefined;
					continue;
				}
				const { seq, values } = await connection.request("viewModel.read", { id, outputs: [name] }, { repeatable: true });
				held = binding.feed.holders.has(binding) && binding.feed.isLive && seq > binding.seq && values[name] !== binding.picture[name];
				if (held && !isUnsent() && !this.#request) {
					this.#follow(values);
					await new Promise((done) => after(50, done));
				}
			}
			catch (error) {
				if (request !== this.#request)
					continue;
				this.#request = undefined;
				held = request && error instanceof ProtocolError;
				isAccepted = false;
				if (error instanceof TimedOut)
					connection.unsent.add(this);
				else if (!isUnsent())
					this.emit("refused", (this.error = error));
			}
		}
		this.#sending = undefined;
		this.#follow();
		this.#typed = isAccepted ? this.#text : undefined;
	}
	#follow(values = this.binding.picture) {
		if (!this.#isComposing && this.name in values)
			this.#show(values[this.name], this.error);
	}
	#show(text, error) {
		if (this.#text === text)
			return;
		this.#text = text;
		this.error = error;
		this.emit("text", this.text);
	}
}
