/** The state of the connection, and how it was resumed. */
import { fill, find, h } from "./dom.js";

/** Why there is no connection, in words: without the code with which a WebSocket closes. */
const reasonOf = (cause) => cause?.message.replace(/^WebSocket closed: \d+ ?/, "") || "the gateway does not answer";
const waiting = (cause) => (cause?.name === "SignedOut" ? "waits for the sign-in" : "connecting again …");

export class ConnectionState {
	#session = "";
	#wasConnected = false;
	#wasLost = false;
	#resumed = new Map();

	constructor(element) {
		[this.dot, this.label, this.detail] = [h("span.dot"), h("span.item-name"), h("span.item-facts")];
		fill(element, this.dot, this.label, this.detail);
		this.#show("waiting", "connecting …");
	}

	/** Shows the state. Without a connection a banner says that what the page shows may be old. */
	#show(kind, text, detail = "") {
		this.dot.setAttribute("class", `dot ${kind}`);
		this.#wasConnected ||= kind === "good";
		const banner = kind === "bad" && this.#wasConnected && `The line to the daemon is down${detail && `: ${detail.trim()}`}. What you see may be old.`;
		const texts = [[this.label, text], [this.detail, kind === "bad" ? "" : detail], [find("#offline"), banner || ""]];
		// A text that is set again would be read out again.
		for (const [element, one] of texts) if (element.textContent !== one) element.textContent = one;
		find("#offline").hidden = !banner;
	}

	/** The page's own connection has come or gone. */
	monitor(isConnected, cause) {
		if (this.#session) return;
		if (isConnected) this.#show("good", "connected");
		else this.#show("bad", waiting(cause), reasonOf(cause));
	}

	/** The page attaches to a session, or to none. */
	session(name = "") {
		this.#session = name;
		this.#wasLost = false;
		this.#show(name ? "waiting" : "good", name ? `attaching to ${name} …` : "connected");
	}

	connected({ session, created, restored }) {
		this.#resumed.clear();
		this.#show("good", session, this.#wasLost ? "connected again" : restored ? "restored from disk" : created ? "new session" : "");
	}

	/** The line is down, or nothing comes on it. */
	lost(cause) {
		this.#wasLost = true;
		this.#show("bad", `${this.#session}: ${waiting(cause)}`, reasonOf(cause));
	}

	/** A binding has its picture. After a loss it says whether it went on where it was. */
	bound({ full, seq, id }) {
		if (!this.#wasLost) return;
		this.#resumed.set(id, { full, seq });
		const all = [...this.#resumed.values()];
		const step = Math.max(...all.map((one) => one.seq));
		this.#show("good", this.#session, `${all.every((one) => one.full) ? "new pictures" : "resumed"} at step ${step}`);
	}
}
