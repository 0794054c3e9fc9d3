/** Connections of the page to the daemon, on the runtime of the generated clients. */
import { linger, openLine } from "./person.js";
import { Connection, webSocket } from "./viewmodel.js";

/** The name of the page's own session, in which it reads the health. The list of sessions leaves these out. */
export const isOwnSession = (name) => /^inspector-[0-9a-z]{12}$/.test(name);

const connection = (options) =>
	new Connection({
		client: { name: "viewmodel-inspector", version: "1" },
		backoff: { initial: 100, maximum: 2000 },
		transport: openLine(webSocket),
		...options,
	});

/** Connects to a session of the page's own, for health, the list of sessions and the contract. It tries until it is closed. */
export function openMonitor() {
	const random = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => (byte % 36).toString(36)).join("");
	return connection({ session: `inspector-${random}`, linger: 0 }).$begin();
}

/** Connects to a session, and reports what crosses: `tap("open" | "close" | "sent" | "received", connection, text?)`. */
export const openSession = (session, tap, on) =>
	connection({ session, linger: document.body.dataset.person && linger, transport: tapped(openLine(webSocket), tap), on }).start();

let lastConnection = 0;

/** Whether a text is a sign of life of the runtime, or the reply to one. */
const isPing = (text) => /^.{0,20}"id":-1,/.test(text);

/** A transport that reports what crosses it. */
function tapped(transport, report) {
	const tap = (event, number, text = "") => isPing(text) || report(event, number, text || undefined);
	return async ({ message, closed }) => {
		const number = ++lastConnection;
		let isOpen = false;
		const end = () => {
			if (isOpen) tap("close", number);
			isOpen = false;
		};
		const line = await transport({
			message: (text) => (tap("received", number, text), message(text)),
			closed: (cause) => (end(), closed(cause)),
		});
		isOpen = true;
		tap("open", number);
		return { send: (text) => (tap("sent", number, text), line.send(text)), close: () => (end(), line.close()) };
	};
}
