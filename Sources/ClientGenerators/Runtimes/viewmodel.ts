/** The base of all errors of this client. */
export class ViewModelError extends Error {
	constructor(message: string) {
		super(message);
		this.name = new.target.name;
	}
}
/** The connection was lost during the call. The daemon may have run it or not. */
export class OutcomeUnknown extends ViewModelError {}
/** The time limit has passed. A request without a reply may have been run; one without a connection was not sent. */
export class TimedOut extends ViewModelError {}
/** The client was closed, or the instance or the binding has ended. */
export class Closed extends ViewModelError {}
/** The client has no connection now, and the call was not sent. */
export class NotConnected extends ViewModelError {}
/** The Unix socket cannot be connected to. */
export class NoConnection extends ViewModelError {
	/** The error's name in the system, such as `ENOENT`. */
	readonly code?: string;
}
/** The session lives on another machine now. The client has ended. */
export class SessionMoved extends ViewModelError {
	/** The name of the machine. */
	readonly node?: string;
}

export interface ErrorReply {
	readonly code: number;
	readonly message: string;
	readonly data?: any;
}

/** An error reply of the daemon. Each code of the protocol has its class. Its message has the details in `data`. */
export class ProtocolError<Data = any> extends ViewModelError {
	readonly code: number;
	readonly data: Data;

	constructor(reply: ErrorReply) {
		const { code, message } = reply;
		const data = reply.data ?? {};
		const details = code === -32000 || !isObject(data) ? [] : Object.entries(data).filter(([, text]) => `${text}`).map((entry) => entry.join(" "));
		super(details.length > 0 ? `${message}: ${details.join(", ")}` : message);
		this.code = code;
		this.data = data;
	}

	/** The id of a fault in the daemon's log. */
	get incident(): string | undefined {
		return (this.data as any).incident;
	}
}
/** -32700 */
export class ParseError extends ProtocolError<{ offset?: number; hint?: string }> {}
/** -32600 */
export class InvalidRequestError extends ProtocolError<{ reason?: string; hint?: string }> {}
/** -32601: the instance or its member is unknown. */
export class MethodNotFoundError extends ProtocolError<{ instance?: string; member?: string; suggestions?: string[] }> {}
/** -32602: `path` is a JSON Pointer into the params. */
export class InvalidParamsError extends ProtocolError<{ path?: string; expected?: string; found?: string }> {}
/** -32603: a fault of the daemon, see `incident`. */
export class InternalError extends ProtocolError {}
/** -32000: the action failed. Each declared error has a subclass. */
export class ActionFailedError<Details = any> extends ProtocolError<{ error: string; details?: Details; retryable?: boolean }> {
	/** The stable name of the error. */
	get error(): string {
		return this.data.error;
	}
	get details(): Details {
		return convert(this.data.details, (this.constructor as DeclaredError).shape);
	}
	/** Whether the same call may succeed later. */
	get retryable(): boolean {
		return this.data.retryable === true;
	}
}
/** -32001 */
export class MessageTooLargeError extends ProtocolError<{ limit: number }> {}
/** -32002 */
export class ActionDisabledError extends ProtocolError<{ action: string }> {}
/** -32003: the action is already executing. */
export class ActionExecutingError extends ProtocolError<{ action: string }> {}
/** -32004: the session, instance or type does not exist. */
export class NotFoundError extends ProtocolError<{ session?: string; instance?: string; type?: string; suggestions?: string[] }> {}
/** -32005 */
export class AccessDeniedError extends ProtocolError<{ reason?: string }> {}
/** -32006: `limit` is the name of a limit in the daemon's configuration. */
export class LimitExceededError extends ProtocolError<{ limit: string; value: number }> {}
/** -32007: the daemon shuts down and did not run the request. */
export class ShuttingDownError extends ProtocolError {}
/** -32008 */
export class DeadlineExceededError extends ProtocolError<{ deadline: number }> {}
/** -32009: the session is in use on another machine. */
export class SessionInUseError extends ProtocolError<{ node: string; attached: number }> {}
/** -32010: the session of the connection has ended, and the daemon did not run the request. */
export class SessionEndedError extends ProtocolError<{ session: string; reason: string }> {}
/** -32800 */
export class CancelledError extends ProtocolError {}

const errorClasses: { [code: number]: new (reply: ErrorReply) => ProtocolError } = {
	32700: ParseError, 32600: InvalidRequestError, 32601: MethodNotFoundError, 32602: InvalidParamsError,
	32603: InternalError, 32000: ActionFailedError, 32001: MessageTooLargeError, 32002: ActionDisabledError,
	32003: ActionExecutingError, 32004: NotFoundError, 32005: AccessDeniedError, 32006: LimitExceededError,
	32007: ShuttingDownError, 32008: DeadlineExceededError, 32009: SessionInUseError,
	32010: SessionEndedError, 32800: CancelledError,
};

// ---- Values on the wire

/** Converts the parts of a value that JSON has no type for: by a function, for each element, or by member (`*`: others). */
export type Shape = ((value: any) => unknown) | readonly [Shape] | { readonly [member: string]: Shape };

export function date(text: string): Date {
	// A leap second is the second after it.
	const leap = text[17] === "6" ? 1000 : 0;
	return new Date(Date.parse(leap ? text.replace(":60", ":59") : text) + leap);
}
export const bytes = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** Results: a row that did not change stays the same object. */
const converted = new WeakMap<object, unknown>();

/** @internal Converts a value. `before` and `after` are an earlier value and its result, which may share most elements. */
export function convert(value: any, shape: Shape | undefined, before?: any, after?: any): any {
	if (!shape || value == null) return value;
	if (typeof shape === "function") {
		try {
			return shape(value);
		} catch {
			return value;
		}
	}
	if (Array.isArray(shape)) {
		if (!Array.isArray(value)) return { ...value, rows: convert(value.rows, shape) };
		const [old, results] = Array.isArray(before) && Array.isArray(after) ? [before, after] : [[], []];
		const shorter = Math.min(old.length, value.length);
		let first = 0, last = value.length, end = old.length;
		while (first < shorter && old[first] === value[first]) first++;
		while (last > first && end > first && old[end - 1] === value[last - 1]) last--, end--;
		return results.slice(0, first).concat(value.slice(first, last).map((element) => convert(element, shape[0])), results.slice(end));
	}
	if (!isObject(value)) return value;
	let result: any = converted.get(value);
	if (!result) {
		converted.set(value, (result = { ...value }));
		for (const name in value) put(result, name, convert(value[name], own(shape, name) ?? (shape as any)["*"]));
	}
	return result;
}

/** Marks a bigint in JSON text. */
const mark = `integer ${Math.random().toString(36)} `;
/** A marked bigint, a backslash, or half a surrogate pair. */
const special = new RegExp(`"${mark}(-?\\d+)"|\\\\(?:\\\\|ud[89a-f]..)`, "g");

function stringify(message: unknown): string {
	const text = JSON.stringify(message, (_, value) => {
		if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
		return typeof value === "bigint" ? mark + value : value;
	});
	return text.replace(special, (part, integer) => integer ?? (part[2] ? "\ufffd" : part));
}

/** Parses a JSON text. An integer that a number cannot hold is a bigint. */
export function parse(text: string): any {
	if (!/\d{16}/.test(text)) return JSON.parse(text);
	const safe = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
		!/^-?\d{16,}$/.test(token) || BigInt(token.replace("-", "")) <= 2 ** 53 ? token : JSON.stringify(mark + token));
	return JSON.parse(safe, (_, value) =>
		typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value);
}

const isObject = (value: unknown): value is any => Object(value) === value;

/** A member that is not inherited. */
const own = (object: any, name: string): any => Object.hasOwn(object ?? {}, name) ? object[name] : undefined;

function put(object: any, name: string, value: unknown): void {
	if (name !== "__proto__") object[name] = value;
	else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** A value that is equal to the second one, and shares with the first one what did not change. Rows are found by `id`. */
function share(before: any, value: any): any {
	if (before === value || !isObject(before) || !isObject(value) || Array.isArray(before) !== Array.isArray(value)) return value;
	const rows: Map<unknown, unknown> | undefined = Array.isArray(value) ? new Map(before.map((row: any) => [row?.id, row])) : undefined;
	let isSame = Object.keys(before).length === Object.keys(value).length;
	for (const name in value) {
		const old = own(before, name);
		put(value, name, share(rows && isObject(value[name]) ? rows.get(value[name].id) : old, value[name]));
		isSame &&= value[name] === old;
	}
	return isSame ? before : value;
}

/**
 * Applies a JSON Patch (RFC 6902) of the operations that the protocol has. The document is left as it is, and the result
 * shares what does not change.
 */
export function applyPatch(document: unknown, patch: readonly any[]): any {
	let root: any = { "": document };
	const copies = new Set<unknown>();

	const get = (node: any, step: string): any => {
		if (!isObject(node) || !Object.hasOwn(node, step) || (Array.isArray(node) && step === "length")) throw new RangeError(`Nothing at ${step}`);
		return node[step];
	};
	const stepsOf = (pointer: string): string[] => {
		if (!/^(\/|$)/.test(pointer)) throw new TypeError(`Not a pointer: ${pointer}`);
		return pointer.split("/").map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
	};
	/** Removes a number of values at a path and adds others, in copies of all that contain them. */
	const edit = (node: any, [step, ...rest]: any[], removed: number, ...added: unknown[]): any => {
		const isList = Array.isArray(node);
		if (isList && step === "-") step = String(node.length);
		if (rest.length + removed > 0 || !isObject(node) || (isList && step !== String(node.length))) get(node, step);
		const copy = copies.has(node) ? node : isList ? node.slice() : { ...node };
		copies.add(copy);
		if (rest.length > 0) put(copy, step, edit(node[step], rest, removed, ...added));
		else if (isList) copy.splice(step, removed, ...added);
		else if (added.length > 0) put(copy, step, added[0]);
		else delete copy[step];
		return copy;
	};

	for (const { op, path, from, value } of patch) {
		if (value === undefined && /^(add|replace)$/.test(op)) throw new TypeError(`No value to ${op}`);
		if (op === "add") root = edit(root, stepsOf(path), 0, value);
		else if (op === "remove") root = edit(root, stepsOf(path), 1);
		else if (op === "replace") root = edit(root, stepsOf(path), 1, value);
		else if (op === "move" && !path.startsWith(from + "/")) {
			const moved = stepsOf(from).reduce(get, root);
			root = edit(edit(root, stepsOf(from), 1), stepsOf(path), 0, moved);
		} else throw new RangeError(`${op} ${path} failed`);
	}
	return root[""];
}

// ---- Transports

/** A line to the daemon. It carries one JSON-RPC message a text. */
export interface Line {
	send(text: string): void;
	close(): void;
}
/** Opens a line. Call `closed` when it has ended, or could not be opened, and `heard` for each part of a long message. */
export type Transport = (listener: {
	message: (text: string) => void;
	closed: (cause?: unknown) => void;
	heard?: () => void;
}) => Promise<Line>;

/** Opens lines to a Unix socket, in Node. The default is `VIEWMODELD_SOCKET`, else the standard path of the daemon. */
export function unixSocket(path?: string, daemon = "viewmodeld"): Transport {
	return async ({ message, closed, heard }) => {
		// Bundlers do not follow a variable.
		const name = "node:net";
		const net: any = await import(name);
		path ??= standardPath(daemon);
		const socket = net.createConnection(path);
		let rest = "";
		socket.setEncoding("utf8");
		socket.on("error", (error: any) => closed(Object.assign(new NoConnection(`${new TextEncoder().encode(path).length > 107 ? path + " has more than 107 bytes" : error.message}. ${/EACCES|EPERM/.test(error.code)
			? "The daemon's socket.mode and socket.group decide who may connect"
			: `Start ${daemon}, or name its socket with the option socket or VIEWMODELD_SOCKET`}`), error)));
		socket.on("close", () => closed());
		socket.on("data", (chunk: string) => {
			heard?.();
			const lines = chunk.split("\n");
			lines[0] = rest + lines[0];
			rest = lines.pop()!;
			lines.forEach(message);
		});
		await new Promise((resolve) => socket.on("connect", resolve));
		return { send: (text) => socket.write(text + "\n"), close: () => socket.destroy() };
	};
}

function standardPath(daemon: string): string {
	const { env, getuid } = (globalThis as any).process;
	const folder = getuid() ? env.XDG_RUNTIME_DIR || "/run/user/" + getuid() : "/run";
	return env.VIEWMODELD_SOCKET || `${folder}/${daemon}/${daemon}.sock`;
}

/** Opens WebSockets. A text frame has one message. A page may name an address of its own server, such as `/ws`. */
export function webSocket(url: string, protocols: string | string[] = "viewmodel.v1"): Transport {
	return async ({ message, closed }) => {
		const { location, WebSocket } = globalThis as any;
		const address = new URL(url, location?.href.replace("http", "ws"));
		if (address.host === location?.host) await signIn(address);
		const socket = new WebSocket(address, protocols);
		socket.onmessage = (event: any) => message(event.data);
		socket.onclose = ({ code, reason }: any) => {
			const message = `WebSocket closed: ${code} ${reason}`;
			closed(code === 1009 ? new MessageTooLargeError({ code: -32001, message }) : new ViewModelError(message));
		};
		return new Promise((resolve) => (socket.onopen = () => resolve(socket)));
	};
}

/** Exchanges the one-time token in the address of a page for a cookie of the gateway. */
async function signIn(socket: URL): Promise<void> {
	const { location, history, fetch } = globalThis as any;
	const [, token] = location.hash.split("#token=");
	if (!token) return;
	const headers = { "Content-Type": "application/json" };
	await fetch(new URL("session", socket).href.replace("ws", "http"), { method: "POST", headers, body: JSON.stringify({ token }) });
	history.replaceState(null, "", location.pathname + location.search);
}

// ---- Connection

/** Removes a listener. */
export type Off = () => void;

/** Calls listeners. */
export class Emitter<Events extends object> {
	readonly #listeners = new Map<keyof Events, Set<(value: any) => void>>();

	/** Adds a listener, and returns a function that removes it. */
	on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): Off {
		const listeners = this.#listeners.get(name) ?? new Set();
		this.#listeners.set(name, listeners.add(listener));
		return () => listeners.delete(listener);
	}

	/** @internal */
	emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
		// A listener's fault is an unhandled rejection.
		for (const listener of new Set(this.#listeners.get(name))) void new Promise(() => listener(value));
	}
}

/** Options of a call. */
export interface CallOptions {
	/** Milliseconds after which the daemon cancels the action. */
	deadline?: number | undefined;
	/** The daemon runs calls with one key once, within 10 minutes. The call is repeated if the connection is lost. */
	key?: string | undefined;
	/** Makes a key. */
	retry?: boolean | undefined;
	/** Cancels the request. */
	signal?: AbortSignal | undefined;
	/** Milliseconds to wait for the reply. An action has no limit without it, all else that of `connect`. */
	timeout?: number | undefined;
}

/** The reply to an input. */
export interface Step {
	/** The session's step after which the effects are visible. */
	readonly seq: number;
	/** Whether the picture does not have them yet. */
	readonly held?: boolean;
}

/** `connecting`: at first, after a loss, and while the daemon is silent. `offline`: the last attempt has failed. */
export type ConnectionState = "connecting" | "offline" | "connected" | "closed";

export interface SessionClosed {
	readonly session: string;
	readonly reason: "closed" | "stopping" | "failed" | "moved" | (string & {});
	readonly incident?: string;
	readonly node?: string;
}

export interface ConnectionEvents {
	state: ConnectionState;
	/** The connection was lost or could not be made, with the cause. The client tries again. */
	lost: unknown;
	/**
	 * The session has ended. The client attaches to a new one of that name and binds again. With the reason `moved` it
	 * ends instead, and the cause is a `SessionMoved`.
	 */
	sessionClosed: SessionClosed;
	/** The daemon has another contract than this client. The value is the hash of it. */
	contractChanged: string;
	/** A message from the daemon, as it came. */
	message: any;
}

export interface ConnectOptions {
	/** The path of the Unix socket, in Node. */
	socket?: string | undefined;
	/** @internal The name of the daemon, which names its socket. */
	daemon?: string | undefined;
	/** The address of the WebSocket. In a page it may be relative, and is `/ws` by default. */
	url?: string | undefined;
	/** Another way to the daemon. */
	transport?: Transport | undefined;
	/** The session to attach to. Without it, the client has a session of its own, which ends with `close`. */
	session?: string | undefined;
	/** Seconds for which the session stays when no client is attached. */
	linger?: number | undefined;
	/** Whether the first attach brings a session here that clients use on another machine; they lose it. */
	move?: boolean | undefined;
	/** The client's name and version, for the daemon's log. */
	client?: { name: string; version: string } | undefined;
	/** Milliseconds for a connection, and for the reply to all but actions. The default is 10,000. */
	timeout?: number | undefined;
	/** Milliseconds between attempts to connect, at first and at most. The default is 50 and 5,000. */
	backoff?: { initial: number; maximum: number } | undefined;
	/**
	 * Milliseconds without an answer after which the client is `connecting`. After 15 eighths of it the client connects
	 * again. It asks when it waits for a reply, and if it has bindings, after 5 eighths of silence. The default is 8,000.
	 */
	silence?: number | undefined;
	/** The first listeners. */
	on?: { [Name in keyof ConnectionEvents]?: (value: ConnectionEvents[Name]) => void } | undefined;
}

interface Request {
	id: number;
	method: string;
	params: any;
	options: RequestOptions;
	key: string | undefined;
	/** When it was first sent. */
	sent?: number | undefined;
	/** Whether an earlier line may have run it. */
	isRepeated?: boolean;
	/** The length of its text. */
	length: number;
	succeed: (result: any) => void;
	fail: (error: unknown) => void;
}

/** @internal */
export interface RequestOptions extends CallOptions {
	/** Whether a repetition does no harm. */
	repeatable?: boolean;
	/** Whether it is sent before the client is attached. */
	now?: boolean;
	/** The classes of declared errors. */
	errors?: { readonly [error: string]: DeclaredError } | undefined;
	/** Receives the result before the next message is read. */
	succeed?: (result: any) => void;
}

const randomName = (): string => "js-" + Date.now().toString(36) + Math.random().toString(36).slice(2);

/** Runs an action after a time, perhaps never. The result cancels it. */
function after(milliseconds: number, action: (value?: any) => void): Off {
	const timer = milliseconds < 2 ** 31 ? setTimeout(action, milliseconds) : undefined;
	return () => clearTimeout(timer);
}

function onAbort(signal: AbortSignal | undefined, action: (reason: unknown) => void): Off {
	const abort = (): void => action(signal?.reason);
	signal?.addEventListener("abort", abort);
	return () => signal?.removeEventListener("abort", abort);
}

/** A promise whose listeners are removed at its end. Its errors have the frames of the caller. */
async function until<T>(begin: (resolve: (value: T) => void, reject: (reason: unknown) => void) => Off[]): Promise<T> {
	let offs: Off[] = [];
	const caller = new Error();
	try {
		return await new Promise<T>((resolve, reject) => (offs = begin(resolve, reject)));
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

const protocolMethod = /^(rpc|session|viewModel)\./;

/** A connection to the daemon. After a loss it connects again, attaches to its session and resumes its bindings. */
export class Connection extends Emitter<ConnectionEvents> {
	/** The last reply to `session.attach`. */
	attachment: { session: string; epoch: string; contract?: string; [member: string]: any } | undefined;
	/** The cause of the last lost or failed connection, while there is no connection. */
	problem: unknown;
	#state: ConnectionState = "connecting";
	readonly #options: ConnectOptions;
	readonly #contract: string;
	readonly #requests = new Map<number, Request>();
	/** By instance and tag. */
	readonly #feeds = new Map<string, InstanceFeed>();
	/** @internal The params of the instances that a new session gets again. */
	readonly opened: Map<string, object> = new Map();
	/** @internal The fields whose texts have to be sent, also again after a request without a reply. */
	readonly unsent: Set<Field<any>> = new Set();
	/** Whether calls are refused while there is no connection. */
	#isRefusing = false;
	#isAttached = false;
	/** Whether nothing was heard since a request. */
	#isAwaiting = false;
	#line: { send(text: string): void; close(cause?: unknown): void } | undefined;
	#refusal: ProtocolError | undefined;
	/** The end of the session of this line. */
	#end: SessionClosed | undefined;
	#lastID = 0;
	/** Why the client has ended. */
	#cause: Error | undefined;

	/** Call `connect` instead. */
	constructor(options: ConnectOptions, contract: string) {
		super();
		this.#options = { timeout: 10_000, backoff: { initial: 50, maximum: 5000 }, silence: 8000, ...options };
		this.#contract = contract;
		for (const name in options.on) this.on(name as any, (options.on as any)[name]);
	}

	get connectionState(): ConnectionState {
		return this.#state;
	}

	/** @internal Resolves when the client is attached. A refusal is final, but a daemon that is missing may come. */
	async start(): Promise<this> {
		let reason: unknown = new TimedOut("No connection");
		void this.#run();
		await until<unknown>((resolve, reject) => [
			this.on("state", (state) => state !== "offline" && resolve(state)),
			this.on("lost", (cause) => ((reason = cause), cause instanceof ProtocolError && reject(cause))),
			after(this.#options.timeout!, () => reject(reason)),
		]).catch((error) => {
			this.#close(error);
			throw error;
		});
		return this;
	}

	/** @internal Connects now and after each loss, and does not wait. */
	$begin(): this {
		this.#isRefusing = true;
		void this.#run();
		return this;
	}

	/** Closes the client. Waiting calls fail with `Closed`. A session without a name of yours ends. */
	async close(): Promise<void> {
		if (this.#options.session === undefined && this.#state === "connected") await this.endSession().catch(() => {});
		this.#close();
	}

	/** Ends the session, erases what was saved of it, and closes the client. */
	async endSession(): Promise<void> {
		await this.request("session.close");
		this.#close();
	}

	#close(cause: Error = new Closed("The client was closed")): void {
		this.#cause ??= cause;
		this.#setState("closed");
		this.#feeds.forEach((feed) => feed.end(cause));
		this.#requests.forEach(({ fail }) => fail(cause));
		this.#line?.close();
	}

	async #run(): Promise<void> {
		const { socket, daemon, url = (globalThis as any).location && "/ws", backoff: { initial, maximum } } = this.#options as any;
		const { transport = url ? webSocket(url) : unixSocket(socket, daemon) } = this.#options;
		let delay = initial;
		while (!this.#cause) {
			const started = Date.now();
			const cause = await this.#connect(transport);
			this.#line = undefined;
			this.#feeds.forEach((feed) => (feed.isLive = feed.isAsked = false));
			this.problem = cause;
			if (!this.#cause) this.#setState(this.#isAttached ? "connecting" : "offline");
			this.#isAttached = false;
			if (cause instanceof MessageTooLargeError) this.#longest()?.fail(cause);
			for (const request of this.#requests.values()) {
				const { sent, key, options, method } = request;
				// Bindings end with their line.
				if (method === "viewModel.unbind") request.succeed(null);
				else if (!sent) this.#refuse(request);
				else if (!key && !options.repeatable) request.fail(new OutcomeUnknown(`Connection lost before the reply to ${method}`));
			}
			if (this.#cause) break;
			if (Date.now() - started > 5000) delay = initial;
			const pause = until<unknown>((resolve) => [this.on("state", resolve), after(delay * (0.75 + Math.random() / 2), resolve)]);
			this.emit("lost", cause);
			await pause;
			delay = Math.min(delay * 2, maximum);
		}
	}

	/** Opens a line. Resolves with the cause of its end. */
	#connect(transport: Transport): Promise<unknown> {
		return new Promise((resolve) => {
			let line: Line | undefined;
			let isOpen = true;
			const closed = (cause?: unknown): void => {
				isOpen = false;
				cancel();
				clearInterval(watch);
				line?.close();
				resolve(this.#refusal ?? cause);
			};
			let quiet = 0;
			let asked = 0;
			const heard = (): void => {
				if (isOpen && asked >= 8) this.#return();
				quiet = asked = 0;
				this.#isAwaiting = false;
			};
			const message = (text: string): void => {
				heard();
				try {
					if (isOpen && text.trim()) this.#receive(parse(text));
				} catch (error) {
					closed(error);
				}
			};
			const cancel = after(this.#options.timeout!, () => closed(new TimedOut("No connection")));
			const watch = setInterval(() => {
				if (asked > 0) asked++;
				else if (!this.#isAttached || this.#requests.size + this.#feeds.size === 0) quiet = 0;
				else if (++quiet >= ((globalThis as any).document?.hidden ? 20 : 5) || this.#isAwaiting) {
					asked = 1;
					this.#ask(-1);
				}
				if (asked >= 8) {
					this.problem = new TimedOut("The daemon is silent");
					this.#setState("connecting");
				}
				if (asked === 15) closed(this.problem);
			}, this.#options.silence! / 8);
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

	#attached(reply: NonNullable<Connection["attachment"]>): void {
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
		if (!isSame) this.opened.forEach((params) => this.send({ jsonrpc: "2.0", method: "viewModel.open", params }));
		this.#feeds.forEach((feed) => feed.update());
		for (const request of waiting) {
			const isForgotten = request.sent && (!isSame || Date.now() - request.sent > 590_000);
			if (!isForgotten || request.options.repeatable) this.#write(request);
			else request.fail(new OutcomeUnknown(`The daemon forgot the key of ${request.method}`));
		}
		this.emit("state", "connected");
		const known = previous?.contract ?? this.#contract;
		if (reply.contract && known && reply.contract !== known) this.emit("contractChanged", reply.contract);
	}

	#setState(state: ConnectionState): void {
		if (this.#state === state) return;
		this.#state = state;
		this.#feeds.forEach((feed) => feed.show());
		this.emit("state", state);
	}

	/** The daemon was silent, and is not any more. */
	#return(): void {
		this.problem = undefined;
		this.#setState("connected");
		this.#requests.forEach((request) => request.sent || this.#write(request));
		this.#feeds.forEach((feed) => feed.sync());
	}

	/** @internal Whether the daemon has an optional part of the protocol. */
	$has(feature: string): boolean {
		return this.attachment?.["features"]?.includes(feature) ?? false;
	}

	/** Calls any method: `client.call("lab.set", { value: 5 })`. The params may have `_meta`. */
	call(method: string, params?: object, options?: CallOptions): Promise<any> {
		const { key, deadline } = (params as any)?._meta ?? {};
		const { timeout = protocolMethod.test(method) ? undefined : Infinity } = options ?? {};
		return this.request(method, params, { key, deadline, ...options, timeout });
	}

	/** Sends a message as it is, if there is a connection. The event `message` has the replies. */
	send(message: object): void {
		this.#line?.send(stringify(message));
	}

	/** Asks for a sign of life. */
	#ask(id: number): void {
		this.send({ jsonrpc: "2.0", id, method: "$/cancelRequest", params: { id: "" } });
	}

	#longest(): Request | undefined {
		return [...this.#requests.values()].sort((one, other) => other.length - one.length).find(({ sent }) => sent);
	}

	/** @internal */
	async request(method: string, params?: object, options: RequestOptions = {}): Promise<any> {
		const standard = this.#options.timeout!;
		const { signal, deadline = Infinity, timeout = standard, retry, key = retry ? randomName() : undefined } = options;
		signal?.throwIfAborted();
		// A call finds what was typed before it.
		if (this.#state === "connected" && !protocolMethod.test(method)) this.unsent.forEach((field) => field.$post());
		const id = ++this.#lastID;
		return until((succeed, fail) => {
			if (this.#cause) return fail(this.#cause), [];
			const settled = (settle: (value: any) => void) => (value: any) => (this.#requests.delete(id), settle(value));
			const request: Request = { id, method, params, options, key, length: 0, succeed: settled(succeed), fail: settled(fail) };
			const abandon = (error: unknown): void => {
				if (request.sent) this.send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
				request.fail(error);
			};
			this.#requests.set(id, request);
			if (options.now || this.#state === "connected") this.#write(request);
			else this.#refuse(request);
			return [
				onAbort(signal, abandon),
				// Answered at once, or the line is dead.
				after(standard, () => options.succeed && request.sent && this.#line?.close()),
				after(Math.min(timeout, deadline + standard), () => abandon(new TimedOut(`${method} has no ${request.sent ? "reply" : "connection"}`))),
			];
		});
	}

	/** Fails a request that may not wait for a connection. */
	#refuse({ method, key, options, fail }: Request): void {
		if (this.#isRefusing && !key && !options.repeatable && !protocolMethod.test(method)) {
			fail(new NotConnected(`${method} was not sent, because there is no connection`));
		}
	}

	#write(request: Request): void {
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
			this.#isAwaiting = true;
			this.#line?.send(text);
		} catch (error) {
			request.fail(error);
		}
	}

	#receive(message: any): void {
		this.emit("message", message);
		for (const one of [message].flat()) {
			if (one.method) this.#notified(one.method, one.params);
			else this.#answered(one);
		}
	}

	#answered({ id, result, error: reply }: any): void {
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
	#leave(end: SessionClosed): void {
		const line = this.#line;
		if (this.#end || !line) return;
		this.#end = end;
		this.emit("sessionClosed", end);
		const { reason, node = "another machine" } = end;
		if (reason === "moved") return this.#close(Object.assign(new SessionMoved(`Moved to ${node}`), { node }));
		// After `stopping` the daemon ends the line.
		if (reason === "stopping") return;
		const close = (): void => line.close(new Closed(`The session has ended: ${reason}`));
		if ([...this.#requests.values()].every(({ sent, options }) => !sent || options.repeatable)) return close();
		after(1000, close);
		this.#ask(last);
	}

	#notified(method: string, params: any): void {
		if (method === "viewModel.changed") this.#feeds.get(`${params?.id} ${params?.tag ?? ""}`)?.change(params);
		else if (method === "viewModel.closed") {
			this.opened.delete(params.id);
			this.#feeds.forEach((feed) => feed.id === params.id && feed.end(new Closed(`${params.id} was closed`)));
		} else if (method === "session.closed") {
			this.#leave(params);
		}
	}

	/** @internal Opens an instance now, and again if the session is made anew. */
	async openInstance(type: string, values?: object, id = randomName()): Promise<string> {
		const params = { type, id, arguments: values };
		await this.request("viewModel.open", params, { repeatable: true, succeed: () => this.opened.set(id, params) });
		return id;
	}

	/** @internal Gives a binding its feed. Without tags, all bindings of an instance share one. */
	$place(holder: Binding<any, any, any>): void {
		const { id } = holder.viewModel;
		const tag = this.$has("tags") ? holder.tag : "";
		holder.feed = this.#feeds.get(`${id} ${tag}`) ?? new InstanceFeed(this, id, tag);
		holder.feed.holders.add(holder);
		this.#feeds.set(`${id} ${tag}`, holder.feed);
	}

	/** @internal */
	$drop(feed: InstanceFeed): void {
		const key = `${feed.id} ${feed.tag}`;
		if (this.#feeds.get(key) === feed) this.#feeds.delete(key);
	}

	/** @internal Resolves when there is a connection. */
	async $connected(signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		if (this.#cause) throw this.#cause;
		if (this.#state !== "connected") await until<unknown>((resolve, reject) => [
			this.on("state", (state) => state === "connected" && resolve(state)),
			onAbort(signal, reject),
			after(10_000, () => reject(new TimedOut("No connection"))),
		]);
	}

	/** @internal Resolves when the texts that were typed into the fields of an instance have been answered. Rejects when the line goes. */
	async $settled(id: string): Promise<void> {
		const holders = [...this.#feeds.values()].flatMap((feed) => feed.id === id ? [...feed.holders] : []);
		const texts = holders.flatMap(({ fields }) => [...fields.values()].map((field) => field.settled()));
		await until((resolve, reject) => {
			void Promise.all(texts).then(resolve);
			return [this.on("state", () => reject(new NotConnected("Texts that were typed before have no reply")))];
		});
	}
}

/** What the daemon sends of an instance by one tag: all that its holders want. */
class InstanceFeed {
	readonly connection: Connection;
	readonly id: string;
	readonly tag: string;
	readonly holders = new Set<Binding<any, any, any>>();
	raw: any = {};
	/** The session's life and the step at which the values are. */
	epoch: string | undefined;
	seq = 0;
	/** Whether frames continue the values. */
	isLive = false;
	/** Whether this line has had a bind. */
	isAsked = false;
	/** The options that the values have. */
	options: FeedOptions | undefined;
	#busy: Promise<void> | undefined;
	#turn: Promise<void> | undefined;

	constructor(connection: Connection, id: string, tag: string) {
		this.connection = connection;
		this.id = id;
		this.tag = tag;
	}

	/** Binds new options for one holder. One bind is under way at a time. */
	ask(holder: Binding<any, any, any>, options: FeedOptions, signal: AbortSignal): Promise<void> {
		return this.#enqueue(() => this.#bind(this.#wants().set(holder, options), { repeatable: true, signal }));
	}

	/** Binds what the holders want now, once for all changes of a turn, or unbinds. */
	sync(): Promise<void> {
		return (this.#turn ??= Promise.resolve().then(() => {
			this.#turn = undefined;
			return this.#enqueue(() => this.update());
		}));
	}

	/** Takes a frame. */
	change(frame: any): void {
		if (!this.isLive) return;
		const values = { ...(frame.full || this.raw), ...frame.values };
		for (const name in frame.values) values[name] = share(this.raw[name], values[name]);
		try {
			this.raw = applyPatch(values, frame.patch ?? []);
		} catch {
			// Whole values replace it.
			this.isLive = false;
			this.epoch = undefined;
			return void this.update();
		}
		this.epoch = frame.epoch ?? this.epoch;
		this.seq = frame.seq;
		for (const [name, window] of Object.entries(this.options?.windows ?? {})) if (window.anchor) window.offset = this.raw[name].offset;
		this.show(frame);
	}

	show(frame?: object): void {
		this.holders.forEach((holder) => holder.show(frame));
	}

	end(cause: Error): void {
		this.isAsked = this.isLive = false;
		this.show();
		this.holders.forEach((holder) => holder.end(cause));
	}

	#wants(): Map<Binding<any, any, any>, FeedOptions> {
		return new Map([...this.holders].flatMap((holder) => holder.wanted ? [[holder, holder.wanted]] : []));
	}

	#enqueue(work: () => Promise<void>): Promise<void> {
		const done = this.#busy ? this.#busy.then(work, work) : work();
		const end = (): unknown => this.#busy === done && (this.#busy = undefined);
		done.then(end, end);
		return (this.#busy = done);
	}

	/** Binds what the holders want, on a new line for what has changed since. */
	async update(): Promise<void> {
		const { connection, id, tag, isLive, epoch, seq } = this;
		const wants = this.#wants();
		if (this.holders.size === 0) {
			connection.$drop(this);
			if (this.isAsked) await connection.request("viewModel.unbind", { id, tag: tag || undefined });
		} else if (wants.size > 0 && connection.connectionState === "connected") {
			const isBound = isSame(union(wants), this.options);
			if (!isLive || !isBound) await this.#bind(wants, {}, isBound && epoch ? { epoch, seq } : undefined).catch((error) => this.#refused(error, wants));
			else wants.forEach((options, holder) => ((holder.bound = options), holder.show()));
		}
	}

	#bind(wants: Map<Binding<any, any, any>, FeedOptions>, how: RequestOptions, since?: object): Promise<void> {
		const { connection, id, tag } = this;
		const options = union(wants);
		const { windows, splices, ...rest } = options;
		const plain = windows && Object.fromEntries(Object.entries(windows).map(([name, { offset, limit }]) => [name, { offset, limit }]));
		const params = { id, tag: tag || undefined, ...rest, ...(connection.$has("splices") ? { windows, splices } : { windows: plain }), since };
		this.isAsked = true;
		return connection.request("viewModel.bind", params, { ...how, timeout: 10_000, succeed: (reply) => {
			this.isLive = true;
			this.options = options;
			wants.forEach((own, holder) => (holder.bound = own));
			this.change(reply);
		} });
	}

	/** Ends the holders that wanted what the daemon refused. A new connection binds again. */
	#refused(error: unknown, wants: Map<Binding<any, any, any>, FeedOptions>): void {
		if (!(error instanceof ProtocolError) || error instanceof ShuttingDownError || error instanceof SessionEndedError) return;
		const name = union(wants).outputs?.[Number(/^\/outputs\/(\d+)$/.exec(error.data.path)?.[1])];
		const fresh = [...wants.keys()].filter(({ bound }) => !bound);
		const guilty = fresh.filter(({ wanted }) => wanted?.outputs?.includes(name!));
		for (const holder of [guilty, fresh, [...wants.keys()]].find(({ length }) => length > 0)!) holder.end(error);
	}
}

interface FeedOptions {
	outputs?: readonly string[] | undefined;
	windows?: { [list: string]: { offset: number; limit: number; anchor?: boolean } } | undefined;
	minInterval?: number | undefined;
	splices?: boolean;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** All that the holders of a feed want: each output, a list whole if it has several holders, and the least interval. */
function union(wants: Map<unknown, FeedOptions>): FeedOptions {
	const all = [...wants.values()];
	if (all.length === 1) return all[0]!;
	return {
		outputs: all.every(({ outputs }) => outputs) ? [...new Set(all.flatMap(({ outputs }) => outputs!))] : undefined,
		minInterval: Math.min(...all.map(({ minInterval = 0 }) => minInterval)),
	};
}

type ListWindow = NonNullable<FeedOptions["windows"]>[string] | undefined;

/** The part of a list that a holder wants, of which its feed may have all. */
function cut(list: any, window: ListWindow): any {
	if (!window || !Array.isArray(list)) return list;
	const { offset, limit } = window;
	return { offset, count: list.length, rows: list.slice(offset, offset + limit) };
}

// ---- Instances

/** @internal What the runtime has to know of a ViewModel type. */
export interface TypeContract {
	readonly outputs?: { readonly [output: string]: Shape };
	readonly results?: { readonly [action: string]: Shape };
	readonly errors?: { readonly [action: string]: { readonly [error: string]: DeclaredError } };
}
export interface DeclaredError {
	new (reply: ErrorReply): ActionFailedError;
	readonly shape?: Shape;
}

/** A part of a list. `count` is the length of the whole list. */
export interface Window<Row> {
	readonly offset: number;
	readonly count: number;
	readonly rows: readonly Row[];
}
/** The outputs `K` of a picture, of which the lists `W` are windows. */
export type Pictured<P, K extends keyof P, W> = {
	readonly [N in K]: N extends W ? (P[N] extends readonly (infer Row)[] ? Window<Row> : P[N]) : P[N];
};
export interface ReadOptions<K, W extends PropertyKey> {
	/** The names of outputs. The default is all. */
	outputs?: readonly K[] | undefined;
	/** The parts of long lists. */
	windows?: { [N in W]: { offset: number; limit: number } } | undefined;
}
export interface BindOptions<K, W extends PropertyKey> extends ReadOptions<K, W> {
	/** The least milliseconds between two changes. */
	minInterval?: number | undefined;
}

/** An instance of a ViewModel, with the types of its picture and its events, and the names of its fields. */
export class ViewModel<Picture extends object = any, Events extends object = any, Fields = any> {
	/** @internal */
	static readonly contract: TypeContract = {};
	readonly connection: Connection;
	readonly id: string;

	constructor(connection: Connection, id: string) {
		this.connection = connection;
		this.id = id;
	}

	/** Binds outputs. The binding has the first picture. */
	async bind<K extends keyof Picture & string = keyof Picture & string, W extends K = never>(options: BindOptions<K, W> = {}):
		Promise<Binding<Pictured<Picture, K, W>, Events, Fields>> {
		const binding = new Binding<any, Events, Fields>(this, options);
		await binding.rebind();
		return binding;
	}

	/** Binds outputs without waiting: the picture is empty until it comes, also after a connection is made. */
	hold<K extends keyof Picture & string = keyof Picture & string, W extends K = never>(options: BindOptions<K, W> = {}):
		Binding<Partial<Pictured<Picture, K, W>>, Events, Fields> {
		return new Binding<any, Events, Fields>(this, options, "");
	}

	/** Calls a listener with an output's value when it is known, and each time it changes, or with each event of that name. */
	watch<K extends keyof (Picture & Events) & string>(output: K, listener: (value: (Picture & Events)[K]) => void): Off {
		const hold = this.hold<any>({ outputs: [output] });
		let last: unknown = hold;
		const check = (picture: any): void => {
			const value = picture[output] ?? null;
			if (output in picture && value !== last) listener((last = value));
		};
		hold.on("picture", check);
		hold.on("event", ({ value }) => listener(value as any));
		check(hold.picture);
		return () => void hold.close().catch(() => {});
	}

	/** A list by index, of which the client has some pages only. */
	list<K extends keyof Picture & string>(output: K, { page = 100 }: { page?: number | undefined } = {}): Rows<Picture[K] extends readonly (infer Row)[] ? Row : never> {
		return new Rows(this, output, page);
	}

	/** Reads outputs once. */
	async read<K extends keyof Picture & string = keyof Picture & string, W extends K = never>(options: ReadOptions<K, W> = {}):
		Promise<Pictured<Picture, K, W>> {
		const { values } = await this.connection.request("viewModel.read", { id: this.id, ...options }, { repeatable: true });
		for (const name in values) values[name] = this.$convert("outputs", name, values[name]);
		return values;
	}

	/** Closes the instance and its children. */
	async close(): Promise<void> {
		await this.connection.request("viewModel.close", { id: this.id });
		this.connection.opened.delete(this.id);
	}

	/** @internal Converts a value from the wire. */
	$convert(kind: "outputs" | "results", name: string, value: unknown, before?: unknown, after?: unknown): any {
		return convert(value, own((this.constructor as typeof ViewModel).contract[kind], name), before, after);
	}

	/** @internal */
	protected $input(name: string, params: object, options?: CallOptions): Promise<Step> {
		return this.connection.request(`${this.id}.${name}`, params, options);
	}

	/** @internal */
	protected async $action(name: string, params?: object, options?: CallOptions): Promise<any> {
		const all: RequestOptions = { ...options, timeout: options?.timeout ?? Infinity, errors: own((this.constructor as typeof ViewModel).contract.errors, name) };
		return this.$convert("results", name, await this.connection.request(`${this.id}.${name}`, params, all));
	}
}

export type EventOf<Events> = { [Name in keyof Events]: { readonly output: Name; readonly value: Events[Name] } }[keyof Events];

export interface WaitOptions {
	/** Milliseconds. */
	timeout?: number | undefined;
	signal?: AbortSignal | undefined;
}

export interface BindingEvents<Picture, Events> {
	/** The picture changed. */
	picture: Picture;
	event: EventOf<Events>;
	/** This number of older events did not fit. */
	lost: number;
	/** The binding has ended. */
	closed: Error;
}

/** The live picture of an instance. `for await (const picture of binding)` has the newest one after each change. */
export class Binding<Picture extends object = any, Events extends object = any, Fields = any> extends Emitter<BindingEvents<Picture, Events>> {
	readonly viewModel: ViewModel;
	/** The session's life and the step at which the picture is. */
	epoch: string | undefined;
	seq = 0;
	/** @internal Only the bindings of one tag share a feed. Those without one hold, and the others wait until they are bound. */
	readonly tag: string;
	/** @internal */
	feed!: InstanceFeed;
	/** @internal The options that the picture has. */
	bound: FeedOptions | undefined;
	#options: FeedOptions;
	readonly #isHold: boolean;
	readonly #ended = new AbortController();
	#picture: any = {};
	/** By output: the value of the feed, the window, and the part of it. */
	readonly #seen = new Map<string, [any, any, any]>();
	#cause: Error | undefined;
	/** @internal Called after each frame. */
	onFrame: ((frame: any) => void) | undefined;
	/** @internal */
	readonly fields: Map<string, Field<any>> = new Map();
	/** What came before the first listener. */
	readonly #kept: { [name: PropertyKey]: any[] } = { event: [], lost: [] };

	/** @internal */
	constructor(viewModel: ViewModel, options: FeedOptions, tag?: string) {
		super();
		this.viewModel = viewModel;
		this.#options = { ...options };
		this.#isHold = tag !== undefined;
		this.tag = tag || (this.#isHold && !options.windows ? "" : `b${++tags}`);
		viewModel.connection.$place(this);
		if (!this.#isHold) return;
		this.feed.sync().catch(() => {});
		if (options.outputs?.every((name) => name in this.feed.raw)) this.show();
	}

	/** @internal What the feed has to have. */
	get wanted(): FeedOptions | undefined {
		return this.bound ?? (this.#isHold ? this.#options : undefined);
	}

	/** Adds a listener. The first one of `event` and of `lost` also gets the values from before, at most the newest 1024. */
	override on<Name extends keyof BindingEvents<Picture, Events>>(name: Name, listener: (value: BindingEvents<Picture, Events>[Name]) => void): Off {
		queueMicrotask(() => {
			const kept = this.#kept[name];
			delete this.#kept[name];
			kept?.forEach((value) => this.emit(name, value));
		});
		return super.on(name, listener);
	}

	/** @internal */
	override emit<Name extends keyof BindingEvents<Picture, Events>>(name: Name, value: BindingEvents<Picture, Events>[Name]): void {
		const kept = this.#kept[name];
		if (!kept) super.emit(name, value);
		else if (kept.push(value) > 1024) kept.shift();
	}

	/** The newest picture. It is never changed, and the next one shares what did not change. */
	get picture(): Picture {
		return this.#picture;
	}

	/** Yields the newest picture, and again after changes. A slow reader misses those in between. */
	async *[Symbol.asyncIterator](): AsyncGenerator<Picture, void, undefined> {
		let seen: unknown;
		while (!this.#cause) {
			if (seen !== this.#picture) yield (seen = this.#picture);
			else await this.wait((picture) => picture !== seen, { timeout: Infinity }).catch(() => {});
		}
		if (!(this.#cause instanceof Closed)) throw this.#cause;
	}

	/** Waits for a picture, for 10 seconds if there is no `timeout`: `await binding.wait((it) => it.led === "7")`. */
	async wait(test: (picture: Picture) => boolean, { timeout = 10_000, signal }: WaitOptions = {}): Promise<Picture> {
		signal?.throwIfAborted();
		return until((resolve, reject) => {
			const check = (): void => {
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

	/** Moves the window of a list. Resolves when the picture has it. */
	scroll(list: { [N in keyof Picture]: Picture[N] extends Window<any> ? N : never }[keyof Picture], offset: number, limit?: number, anchor?: boolean): Promise<void> {
		const { windows } = this.#options as any;
		this.#options = { ...this.#options, windows: { ...windows, [list]: { offset, limit: limit || windows?.[list]?.limit, anchor } } };
		return this.rebind();
	}

	/** A field: an input and a bound output of one name. A binding has one field of each name. */
	field<Name extends Fields & keyof Picture & string>(name: Name): Field<Picture[Name]> {
		const field = this.fields.get(name) ?? new Field<any>(this, name);
		this.fields.set(name, field);
		return field;
	}

	/** Ends the binding. */
	async close(): Promise<void> {
		this.end(new Closed("The binding was closed"));
		await this.feed.sync();
	}

	/** @internal Binds, and resolves when the picture has the current outputs and windows. */
	async rebind(): Promise<void> {
		const options = this.#options;
		const { connection } = this.viewModel;
		const { signal } = this.#ended;
		try {
			if (connection.connectionState !== "connected") await connection.$connected(signal);
			await this.feed.ask(this, options, signal);
		} catch (error) {
			if (!this.wanted) this.end(error as Error);
			else if (options === this.#options) this.#options = this.wanted;
			throw error;
		}
	}

	/** @internal Shows the values of the feed, and what a frame has besides. Without a connection nothing is enabled. */
	show(frame: any = {}): void {
		const { wanted, viewModel, feed: { raw, isLive, epoch, seq, options } } = this;
		if (!wanted) return;
		const isEnabled = isLive && viewModel.connection.connectionState === "connected";
		const picture = { ...this.#picture };
		let isNew = this.epoch !== epoch;
		this.epoch = epoch;
		this.seq = seq;
		for (const name of wanted.outputs ?? Object.keys(raw)) {
			const value = name.endsWith(".enabled") ? raw[name] && isEnabled : raw[name];
			const window = wanted.windows?.[name];
			const [before, old, part] = this.#seen.get(name) ?? [];
			if (value === undefined || (value === before && window === old) || ![undefined, window].includes(own(options?.windows, name))) continue;
			const next = cut(value, window);
			this.#seen.set(name, [value, window, next]);
			picture[name] = viewModel.$convert("outputs", name, next, part, picture[name]);
			isNew = true;
		}
		if (isNew) this.emit("picture", (this.#picture = picture));
		this.onFrame?.(frame);
		if (frame.lost) this.emit("lost", frame.lost);
		for (const { output, value } of frame.events ?? []) {
			if (wanted.outputs?.includes(output) ?? true) this.emit("event", { output, value: viewModel.$convert("outputs", output, value) } as EventOf<Events>);
		}
	}

	/** @internal */
	end(cause: Error): void {
		if (this.#cause) return;
		this.#cause = cause;
		this.#ended.abort(cause);
		this.feed.holders.delete(this);
		this.feed.sync().catch(() => {});
		this.emit("closed", cause);
		// Nobody waits for a hold.
		if (this.#isHold && cause instanceof ProtocolError) (globalThis as any).reportError?.(cause);
	}
}

let tags = 0;

// ---- Lists by index

/** What a list needs of an element that scrolls. Its first child gets the height of all rows. */
export interface ScrollElement {
	scrollTop: number;
	readonly clientHeight: number;
	readonly style: any;
	readonly firstElementChild: any;
	addEventListener(type: string, listener: () => void, options: { signal: AbortSignal; passive: boolean }): void;
}
/** The rows to show, from `first` to before `end`. A row is at `index * height + shift` pixels in the first child. */
export interface ShownRows {
	readonly first: number;
	readonly end: number;
	readonly shift: number;
}

/** Pixels that every browser can lay out. */
const tallest = 8_000_000;

/** A list by index. It keeps the rows around those that are asked for. A row that did not change stays the same object. */
export class Rows<Row = any> extends Emitter<{
	/** At an index of the whole list, rows have gone and others have come. The rows are the new ones already. */
	splice: { at: number; removed: number; inserted: number };
	/** Rows came, went or changed. */
	change: Rows<Row>;
	/** The list has ended. */
	closed: Error;
}> {
	readonly #binding: Binding<any, any, any>;
	readonly #name: string;
	readonly #page: number;
	#window: Window<Row> | undefined;
	/** The rows that were asked for in the last turn. */
	#first = 0;
	#end = 0;
	#isDown = true;
	#isAsked = false;
	#isMoving = false;

	/** Use `list` of a ViewModel. */
	constructor(viewModel: ViewModel, name: string, page: number) {
		super();
		this.#name = name;
		this.#page = page;
		const windows = { [name]: { offset: 0, limit: 2 * page, anchor: false } };
		this.#binding = new Binding(viewModel, { outputs: [name], windows, splices: true }, `b${++tags}`);
		this.#binding.onFrame = (frame) => this.#take(frame);
		this.#binding.on("closed", (cause) => this.emit("closed", cause));
		this.#take({});
	}

	/** The length of the whole list, and 0 before it is known. */
	get length(): number {
		return this.#window?.count ?? 0;
	}

	/** The row at an index. It is undefined while its page is on the way. */
	at(index: number): Row | undefined {
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

	/** Ends the list. */
	close(): Promise<void> {
		return this.#binding.close();
	}

	/**
	 * Shows the list in an element that scrolls, and returns a function that ends that. The rows in view stay there when
	 * others come or go above them, except at the very top. A list of any length fits.
	 */
	attach(element: ScrollElement, height: number, show: (shown: ShownRows) => void): Off {
		/** The pixel of the whole list that is at the top of the element. */
		let top = 0;
		let scrollTop = 0;
		let id: unknown;
		const first = (): number => Math.floor(top / height);
		const measure = (): { most: number; scale: number } => {
			const most = Math.max(0, this.length * height - element.clientHeight);
			return { most, scale: most / Math.max(1, Math.min(most, tallest - element.clientHeight)) || 1 };
		};
		const place = (): void => {
			const { most, scale } = measure();
			top = Math.min(Math.max(top, 0), most);
			element.firstElementChild.style.height = `${Math.min(this.length * height, tallest)}px`;
			if (Math.abs(element.scrollTop - top / scale) >= 1) element.scrollTop = top / scale;
			draw();
		};
		const draw = (): void => {
			scrollTop = element.scrollTop;
			const end = Math.min(this.length, Math.ceil((top + element.clientHeight) / height));
			id = (this.at(first()) as any)?.id;
			this.at(Math.max(first(), end - 1));
			show({ first: first(), end, shift: scrollTop - top });
		};
		let cancel: Off = () => {};
		const scroll = (): void => {
			const { most, scale } = measure();
			const moved = element.scrollTop - scrollTop;
			if (scale === 1 || Math.abs(moved) > 4000) top = element.scrollTop * scale;
			else top = Math.min(Math.max(top + moved, 0), most);
			draw();
			cancel();
			if (scale > 1) cancel = after(200, place);
		};
		const end = new AbortController();
		element.style.overflowAnchor = "none";
		element.addEventListener("scroll", scroll, { signal: end.signal, passive: true });
		const observer = new (globalThis as any).ResizeObserver(place);
		observer.observe(element);
		onAbort(end.signal, () => (cancel(), observer.disconnect()));
		onAbort(end.signal, this.on("change", place));
		onAbort(end.signal, this.on("splice", ({ at, removed, inserted }) => {
			const index = first();
			if (top === 0 || at > index) return;
			const isUnknown = at === 0 && removed > index && this.length === inserted;
			const found = isUnknown ? this.#indexOf(id) : at + inserted + Math.max(0, index - at - removed);
			top += (found - index) * height;
		}));
		place();
		return () => end.abort();
	}

	#indexOf(id: unknown): number {
		const { offset, rows } = this.#window!;
		const index = rows.findIndex((row: any) => row.id === id);
		return index < 0 ? this.#first : offset + index;
	}

	#take(frame: any): void {
		const window = this.#binding.picture[this.#name] ?? this.#window ?? { offset: 0, count: 0, rows: [] };
		const old = this.#window;
		const isOther = old?.count !== window.count || window.rows.some((row: any, at: number) =>
			((old!.rows as any[])[at + window.offset - old!.offset] ?? row)?.id !== row?.id);
		const splices: number[][] = frame.splices?.[this.#name] ?? (isOther ? [[0, old?.count ?? 0, window.count]] : []);
		if (window === old && splices.length === 0) return void (this.#binding.feed.isLive && this.#load());
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

	/** Moves the window if the rows that were asked for, or the next ones in the direction of the scroll, are not in it. */
	async #load(): Promise<void> {
		const page = this.#page;
		const { offset, rows, count } = this.#window!;
		const end = Math.min(this.#end, count);
		const first = Math.max(Math.min(this.#first, end - 1), end - 10 * page, 0);
		const [above, below] = this.#isDown ? [0, page] : [page, 0];
		const isLoaded = offset <= Math.max(0, first - above / 2) && offset + rows.length >= Math.min(count, end + below / 2);
		if (isLoaded || this.#isMoving) return;
		this.#isMoving = true;
		const from = Math.max(0, (Math.floor(first / page) - 1) * page - above);
		const limit = Math.ceil(end / page) * page + page + below - from;
		try {
			await this.#binding.scroll(this.#name as never, from, limit, from > 0);
			this.#isMoving = false;
			void this.#load();
		} catch {
			// The next frame or the next row that is asked for tries again.
			this.#isMoving = false;
		}
	}
}

// ---- Fields

/** An `<input>` of any type, a `<textarea>` or a `<select>`. */
export interface FieldElement {
	value: string;
	type?: string;
	checked?: boolean;
	selectionStart?: number | null;
	selectionEnd?: number | null;
	setSelectionRange?(start: number, end: number): void;
	addEventListener(type: string, listener: () => void, options: { signal: AbortSignal }): void;
	matches?(selector: string): boolean;
}

/** Moves a caret from a text to the text that replaces it: by their common prefix, else by their common suffix. */
export function moveCaret(from: string, to: string, caret: number): number {
	const shorter = Math.min(from.length, to.length);
	let prefix = 0;
	while (prefix < shorter && from[prefix] === to[prefix]) prefix++;
	if (caret <= prefix) return caret;
	let suffix = 0;
	while (suffix < shorter - prefix && from.at(-1 - suffix) === to.at(-1 - suffix)) suffix++;
	return to.length - Math.min(from.length - caret, suffix);
}

/**
 * A value that a person and the daemon both write, mostly a text. It shows what was typed until the daemon has answered
 * the last change, and the picture then, so that no key is lost. One request is under way at a time.
 */
export class Field<Value = string> extends Emitter<{
	/** The text to show. */
	text: Value;
	/** The daemon did not accept the text. */
	refused: unknown;
}> {
	readonly binding: Binding<any, any, any>;
	readonly name: string;
	/** Why the daemon did not accept the last change, until the text changes. */
	error: unknown;
	#text: any;
	/** The request of the text that was sent last, until its reply. */
	#request: Promise<any> | undefined;
	/** Whether an element has a part of a text that is not to be replaced. */
	#isComposing = false;
	#sending: Promise<void> | undefined;
	/** What became of the text that was typed last, unless the ViewModel or another writer has changed it since. */
	#typed: Value | undefined;

	/** Use `field` of a binding. */
	constructor(binding: Binding<any, any, any>, name: string) {
		super();
		this.binding = binding;
		this.name = name;
		this.#text = binding.picture[name] ?? "";
		let { epoch } = binding;
		binding.on("picture", () => {
			const before = epoch;
			({ epoch } = binding);
			if (this.#sending) return;
			const isTyped = this.#typed === this.#text;
			// A new session, or one that was restored, has an older text.
			if (isTyped && before && before !== epoch) return this.#submit();
			if (binding.picture[name] !== this.#text) this.error = undefined;
			this.#follow();
			if (isTyped && !before) this.#typed = this.#text;
		});
	}

	/** The text to show. */
	get text(): Value {
		return this.#text ?? "";
	}

	/** Tells that a person changed the text. */
	edit(text: Value): void {
		if ((text ?? "") === (this.#text ?? "")) return;
		this.#show(text);
		this.#submit();
	}

	#submit(): void {
		this.binding.viewModel.connection.unsent.add(this);
		this.#sending ??= this.#send();
	}

	/** Resolves when the daemon has answered all changes. */
	async settled(): Promise<void> {
		while (this.#sending) await this.#sending;
	}

	/**
	 * Binds an element, and returns a function that ends that. A text is not replaced while an IME composes. A number is
	 * sent when it is complete: on Enter, and when the focus goes. Without a text, it is null, as a date is. A date is
	 * local, and sent when its year has four digits.
	 */
	attach(element: FieldElement): () => void {
		const { type } = element;
		const isDate = /^date/.test(type!) && this.binding.viewModel.$convert("outputs", this.name, "2000-01-01") instanceof Date;
		const format = (shown: any): string => isDate && shown
			? new Date(shown).toLocaleString("sv").replace(" ", "T").slice(0, type === "date" ? 10 : 16) : String(shown ?? "");
		const read = (): any => {
			const { value } = element;
			if (type === "checkbox") return element.checked;
			if ((element as any).validity?.badInput || (type === "radio" && !element.checked)) return this.#text;
			if (isDate && (value === format(this.#text) || value[0] === "0")) return this.#text;
			if (isDate) return value ? new Date(type === "date" ? value + "T00:00" : value) : null;
			if (typeof this.#text !== "number" && type !== "number" && type !== "range") return value;
			return value === "" ? null : Number(value);
		};
		const show = (shown: unknown): void => {
			const { value, selectionStart: start, selectionEnd: end } = element;
			const text = format(shown);
			if (type === "checkbox") element.checked = shown === true;
			else if (type === "radio") element.checked = value === text;
			else if (value !== text && !this.#isComposing) {
				element.value = text;
				if (start == null || element.matches?.(":focus") === false) return;
				element.setSelectionRange!(moveCaret(value, element.value, start), moveCaret(value, element.value, end!));
			}
		};
		const finish = (): void => {
			this.#isComposing = false;
			this.edit(read());
			this.#sending ?? this.#follow();
			show(this.#text);
		};
		const listeners: { [type: string]: (() => void) | undefined } = {
			input: () => type === "number" ? (this.#isComposing = true) : this.edit(read()),
			compositionstart: () => (this.#isComposing = true),
			compositionend: finish,
			change: isDate ? undefined : finish, // It comes for each digit.
			blur: finish,
		};
		const end = new AbortController();
		for (const name in listeners) element.addEventListener(name, listeners[name]!, end);
		onAbort(end.signal, this.on("text", show));
		show(this.#text);
		return () => end.abort();
	}

	/** @internal Sends the newest text. The replies to earlier requests count no more. */
	$post(): void {
		const { id, connection } = this.binding.viewModel;
		connection.unsent.delete(this);
		this.#request = connection.request(`${id}.${this.name}`, { value: this.#text }, { repeatable: true });
		this.#request.catch(() => {});
	}

	async #send(): Promise<void> {
		const { binding, name } = this;
		const { id, connection } = binding.viewModel;
		const isUnsent = (): boolean => connection.unsent.has(this);
		let held;
		let isAccepted = false;
		while (isUnsent() || this.#request || held) {
			if (isUnsent()) this.$post();
			const request = this.#request;
			try {
				if (request) {
					const reply = await request;
					if (request !== this.#request) continue;
					({ held } = reply);
					isAccepted = true;
					this.#request = undefined;
					continue;
				}
				const { seq, values } = await connection.request("viewModel.read", { id, outputs: [name] }, { repeatable: true });
				// No frame comes if the value returns to the last sent one.
				held = binding.feed.holders.has(binding) && binding.feed.isLive && seq > binding.seq && values[name] !== binding.picture[name];
				if (held && !isUnsent() && !this.#request) {
					this.#follow(values);
					await new Promise((done) => after(50, done));
				}
			} catch (error) {
				if (request !== this.#request) continue;
				this.#request = undefined;
				held = request && error instanceof ProtocolError;
				isAccepted = false;
				if (error instanceof TimedOut) connection.unsent.add(this);
				else if (!isUnsent()) this.emit("refused", (this.error = error));
			}
		}
		this.#sending = undefined;
		this.#follow();
		this.#typed = isAccepted ? this.#text : undefined;
	}

	#follow(values = this.binding.picture): void {
		if (!this.#isComposing && this.name in values) this.#show(values[this.name], this.error);
	}

	#show(text: any, error?: unknown): void {
		if (this.#text === text) return;
		this.#text = text;
		this.error = error;
		this.emit("text", this.text);
	}
}
