/** The base of all errors of this client. */
export declare class ViewModelError extends Error {
	constructor(message: string);
}
/** The connection was lost during the call. The daemon may have run it or not. */
export declare class OutcomeUnknown extends ViewModelError {
}
/** The time limit has passed. A request without a reply may have been run; one without a connection was not sent. */
export declare class TimedOut extends ViewModelError {
}
/** The client was closed, or the instance or the binding has ended. */
export declare class Closed extends ViewModelError {
}
/** The client has no connection now, and the call was not sent. */
export declare class NotConnected extends ViewModelError {
}
/** The Unix socket cannot be connected to. */
export declare class NoConnection extends ViewModelError {
	/** The error's name in the system, such as `ENOENT`. */
	readonly code?: string;
}
/** The session lives on another machine now. The client has ended. */
export declare class SessionMoved extends ViewModelError {
	/** The name of the machine. */
	readonly node?: string;
}
export interface ErrorReply {
	readonly code: number;
	readonly message: string;
	readonly data?: any;
}
/** An error reply of the daemon. Each code of the protocol has its class. Its message has the details in `data`. */
export declare class ProtocolError<Data = any> extends ViewModelError {
	readonly code: number;
	readonly data: Data;
	constructor(reply: ErrorReply);
	/** The id of a fault in the daemon's log. */
	get incident(): string | undefined;
}
/** -32700 */
export declare class ParseError extends ProtocolError<{
	offset?: number;
	hint?: string;
}> {
}
/** -32600 */
export declare class InvalidRequestError extends ProtocolError<{
	reason?: string;
	hint?: string;
}> {
}
/** -32601: the instance or its member is unknown. */
export declare class MethodNotFoundError extends ProtocolError<{
	instance?: string;
	member?: string;
	suggestions?: string[];
}> {
}
/** -32602: `path` is a JSON Pointer into the params. */
export declare class InvalidParamsError extends ProtocolError<{
	path?: string;
	expected?: string;
	found?: string;
}> {
}
/** -32603: a fault of the daemon, see `incident`. */
export declare class InternalError extends ProtocolError {
}
/** -32000: the action failed. Each declared error has a subclass. */
export declare class ActionFailedError<Details = any> extends ProtocolError<{
	error: string;
	details?: Details;
	retryable?: boolean;
}> {
	/** The stable name of the error. */
	get error(): string;
	get details(): Details;
	/** Whether the same call may succeed later. */
	get retryable(): boolean;
}
/** -32001 */
export declare class MessageTooLargeError extends ProtocolError<{
	limit: number;
}> {
}
/** -32002 */
export declare class ActionDisabledError extends ProtocolError<{
	action: string;
}> {
}
/** -32003: the action is already executing. */
export declare class ActionExecutingError extends ProtocolError<{
	action: string;
}> {
}
/** -32004: the session, instance or type does not exist. */
export declare class NotFoundError extends ProtocolError<{
	session?: string;
	instance?: string;
	type?: string;
	suggestions?: string[];
}> {
}
/** -32005 */
export declare class AccessDeniedError extends ProtocolError<{
	reason?: string;
}> {
}
/** -32006: `limit` is the name of a limit in the daemon's configuration. */
export declare class LimitExceededError extends ProtocolError<{
	limit: string;
	value: number;
}> {
}
/** -32007: the daemon shuts down and did not run the request. */
export declare class ShuttingDownError extends ProtocolError {
}
/** -32008 */
export declare class DeadlineExceededError extends ProtocolError<{
	deadline: number;
}> {
}
/** -32009: the session is in use on another machine. */
export declare class SessionInUseError extends ProtocolError<{
	node: string;
	attached: number;
}> {
}
/** -32010: the session of the connection has ended, and the daemon did not run the request. */
export declare class SessionEndedError extends ProtocolError<{
	session: string;
	reason: string;
}> {
}
/** -32800 */
export declare class CancelledError extends ProtocolError {
}
/** Converts the parts of a value that JSON has no type for: by a function, for each element, or by member (`*`: others). */
export declare type Shape = ((value: any) => unknown) | readonly [Shape] | {
	readonly [member: string]: Shape;
};
export declare function date(text: string): Date;
export declare const bytes: (base64: string) => Uint8Array;
/** Parses a JSON text. An integer that a number cannot hold is a bigint. */
export declare function parse(text: string): any;
/**
* Applies a JSON Patch (RFC 6902) of the operations that the protocol has. The document is left as it is, and the result
* shares what does not change.
*/
export declare function applyPatch(document: unknown, patch: readonly any[]): any;
/** A line to the daemon. It carries one JSON-RPC message a text. */
export interface Line {
	send(text: string): void;
	close(): void;
}
/** Opens a line. Call `closed` when it has ended, or could not be opened, and `heard` for each part of a long message. */
export declare type Transport = (listener: {
	message: (text: string) => void;
	closed: (cause?: unknown) => void;
	heard?: () => void;
}) => Promise<Line>;
/** Opens lines to a Unix socket, in Node. The default is `VIEWMODELD_SOCKET`, else the standard path of the daemon. */
export declare function unixSocket(path?: string, daemon?: string): Transport;
/** Opens WebSockets. A text frame has one message. A page may name an address of its own server, such as `/ws`. */
export declare function webSocket(url: string, protocols?: string | string[]): Transport;
/** Removes a listener. */
export declare type Off = () => void;
/** Calls listeners. */
export declare class Emitter<Events extends object> {
	#private;
	/** Adds a listener, and returns a function that removes it. */
	on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): Off;
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
export declare type ConnectionState = "connecting" | "offline" | "connected" | "closed";
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
	client?: {
		name: string;
		version: string;
	} | undefined;
	/** Milliseconds for a connection, and for the reply to all but actions. The default is 10,000. */
	timeout?: number | undefined;
	/** Milliseconds between attempts to connect, at first and at most. The default is 50 and 5,000. */
	backoff?: {
		initial: number;
		maximum: number;
	} | undefined;
	/**
	* Milliseconds without an answer after which the client is `connecting`. After 15 eighths of it the client connects
	* again. It asks when it waits for a reply, and if it has bindings, after 5 eighths of silence. The default is 8,000.
	*/
	silence?: number | undefined;
	/** The first listeners. */
	on?: {
		[Name in keyof ConnectionEvents]?: (value: ConnectionEvents[Name]) => void;
	} | undefined;
}
/** A connection to the daemon. After a loss it connects again, attaches to its session and resumes its bindings. */
export declare class Connection extends Emitter<ConnectionEvents> {
	#private;
	/** The last reply to `session.attach`. */
	attachment: {
		session: string;
		epoch: string;
		contract?: string;
		[member: string]: any;
	} | undefined;
	/** The cause of the last lost or failed connection, while there is no connection. */
	problem: unknown;
	/** Call `connect` instead. */
	constructor(options: ConnectOptions, contract: string);
	get connectionState(): ConnectionState;
	/** Closes the client. Waiting calls fail with `Closed`. A session without a name of yours ends. */
	close(): Promise<void>;
	/** Ends the session, erases what was saved of it, and closes the client. */
	endSession(): Promise<void>;
	/** Calls any method: `client.call("lab.set", { value: 5 })`. The params may have `_meta`. */
	call(method: string, params?: object, options?: CallOptions): Promise<any>;
	/** Sends a message as it is, if there is a connection. The event `message` has the replies. */
	send(message: object): void;
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
export declare type Pictured<P, K extends keyof P, W> = {
	readonly [N in K]: N extends W ? (P[N] extends readonly (infer Row)[] ? Window<Row> : P[N]) : P[N];
};
export interface ReadOptions<K, W extends PropertyKey> {
	/** The names of outputs. The default is all. */
	outputs?: readonly K[] | undefined;
	/** The parts of long lists. */
	windows?: {
		[N in W]: {
			offset: number;
			limit: number;
		};
	} | undefined;
}
export interface BindOptions<K, W extends PropertyKey> extends ReadOptions<K, W> {
	/** The least milliseconds between two changes. */
	minInterval?: number | undefined;
}
/** An instance of a ViewModel, with the types of its picture and its events, and the names of its fields. */
export declare class ViewModel<Picture extends object = any, Events extends object = any, Fields = any> {
	readonly connection: Connection;
	readonly id: string;
	constructor(connection: Connection, id: string);
	/** Binds outputs. The binding has the first picture. */
	bind<K extends keyof Picture & string = keyof Picture & string, W extends K = never>(options?: BindOptions<K, W>): Promise<Binding<Pictured<Picture, K, W>, Events, Fields>>;
	/** Binds outputs without waiting: the picture is empty until it comes, also after a connection is made. */
	hold<K extends keyof Picture & string = keyof Picture & string, W extends K = never>(options?: BindOptions<K, W>): Binding<Partial<Pictured<Picture, K, W>>, Events, Fields>;
	/** Calls a listener with an output's value when it is known, and each time it changes, or with each event of that name. */
	watch<K extends keyof (Picture & Events) & string>(output: K, listener: (value: (Picture & Events)[K]) => void): Off;
	/** A list by index, of which the client has some pages only. */
	list<K extends keyof Picture & string>(output: K, { page }?: {
		page?: number | undefined;
	}): Rows<Picture[K] extends readonly (infer Row)[] ? Row : never>;
	/** Reads outputs once. */
	read<K extends keyof Picture & string = keyof Picture & string, W extends K = never>(options?: ReadOptions<K, W>): Promise<Pictured<Picture, K, W>>;
	/** Closes the instance and its children. */
	close(): Promise<void>;
}
export declare type EventOf<Events> = {
	[Name in keyof Events]: {
		readonly output: Name;
		readonly value: Events[Name];
	};
}[keyof Events];
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
export declare class Binding<Picture extends object = any, Events extends object = any, Fields = any> extends Emitter<BindingEvents<Picture, Events>> {
	#private;
	readonly viewModel: ViewModel;
	/** The session's life and the step at which the picture is. */
	epoch: string | undefined;
	seq: number;
	/** Adds a listener. The first one of `event` and of `lost` also gets the values from before, at most the newest 1024. */
	on<Name extends keyof BindingEvents<Picture, Events>>(name: Name, listener: (value: BindingEvents<Picture, Events>[Name]) => void): Off;
	/** The newest picture. It is never changed, and the next one shares what did not change. */
	get picture(): Picture;
	/** Yields the newest picture, and again after changes. A slow reader misses those in between. */
	[Symbol.asyncIterator](): AsyncGenerator<Picture, void, undefined>;
	/** Waits for a picture, for 10 seconds if there is no `timeout`: `await binding.wait((it) => it.led === "7")`. */
	wait(test: (picture: Picture) => boolean, { timeout, signal }?: WaitOptions): Promise<Picture>;
	/** Moves the window of a list. Resolves when the picture has it. */
	scroll(list: {
		[N in keyof Picture]: Picture[N] extends Window<any> ? N : never;
	}[keyof Picture], offset: number, limit?: number, anchor?: boolean): Promise<void>;
	/** A field: an input and a bound output of one name. A binding has one field of each name. */
	field<Name extends Fields & keyof Picture & string>(name: Name): Field<Picture[Name]>;
	/** Ends the binding. */
	close(): Promise<void>;
}
/** What a list needs of an element that scrolls. Its first child gets the height of all rows. */
export interface ScrollElement {
	scrollTop: number;
	readonly clientHeight: number;
	readonly style: any;
	readonly firstElementChild: any;
	addEventListener(type: string, listener: () => void, options: {
		signal: AbortSignal;
		passive: boolean;
	}): void;
}
/** The rows to show, from `first` to before `end`. A row is at `index * height + shift` pixels in the first child. */
export interface ShownRows {
	readonly first: number;
	readonly end: number;
	readonly shift: number;
}
/** A list by index. It keeps the rows around those that are asked for. A row that did not change stays the same object. */
export declare class Rows<Row = any> extends Emitter<{
	/** At an index of the whole list, rows have gone and others have come. The rows are the new ones already. */
	splice: {
		at: number;
		removed: number;
		inserted: number;
	};
	/** Rows came, went or changed. */
	change: Rows<Row>;
	/** The list has ended. */
	closed: Error;
}> {
	#private;
	/** Use `list` of a ViewModel. */
	constructor(viewModel: ViewModel, name: string, page: number);
	/** The length of the whole list, and 0 before it is known. */
	get length(): number;
	/** The row at an index. It is undefined while its page is on the way. */
	at(index: number): Row | undefined;
	/** Ends the list. */
	close(): Promise<void>;
	/**
	* Shows the list in an element that scrolls, and returns a function that ends that. The rows in view stay there when
	* others come or go above them, except at the very top. A list of any length fits.
	*/
	attach(element: ScrollElement, height: number, show: (shown: ShownRows) => void): Off;
}
/** An `<input>` of any type, a `<textarea>` or a `<select>`. */
export interface FieldElement {
	value: string;
	type?: string;
	checked?: boolean;
	selectionStart?: number | null;
	selectionEnd?: number | null;
	setSelectionRange?(start: number, end: number): void;
	addEventListener(type: string, listener: () => void, options: {
		signal: AbortSignal;
	}): void;
	matches?(selector: string): boolean;
}
/** Moves a caret from a text to the text that replaces it: by their common prefix, else by their common suffix. */
export declare function moveCaret(from: string, to: string, caret: number): number;
/**
* A value that a person and the daemon both write, mostly a text. It shows what was typed until the daemon has answered
* the last change, and the picture then, so that no key is lost. One request is under way at a time.
*/
export declare class Field<Value = string> extends Emitter<{
	/** The text to show. */
	text: Value;
	/** The daemon did not accept the text. */
	refused: unknown;
}> {
	#private;
	readonly binding: Binding<any, any, any>;
	readonly name: string;
	/** Why the daemon did not accept the last change, until the text changes. */
	error: unknown;
	/** Use `field` of a binding. */
	constructor(binding: Binding<any, any, any>, name: string);
	/** The text to show. */
	get text(): Value;
	/** Tells that a person changed the text. */
	edit(text: Value): void;
	/** Resolves when the daemon has answered all changes. */
	settled(): Promise<void>;
	/**
	* Binds an element, and returns a function that ends that. A text is not replaced while an IME composes. A number is
	* sent when it is complete: on Enter, and when the focus goes. Without a text, it is null, as a date is. A date is
	* local, and sent when its year has four digits.
	*/
	attach(element: FieldElement): () => void;
}
