/** The state of the connection, and how it was resumed. */
import { fill, h } from "./dom.js";

export class ConnectionState {
	#session = "";
	#wasLost = false;
	#resumed = new Map();

	constructor(element) {
		[this.dot, this.label, this.detail] = [h("span.dot"), h("span"), h("span.item-facts")];
		fill(element, this.dot, this.label, this.detail);
		this.#show("waiting", "connecting …");
	}

	#show(kind, text, detail = "") {
		this.dot.setAttribute("class", `dot ${kind}`);
		// A text that is set again would be read out again.
		if (this.label.textContent !== text) this.label.textContent = text;
		if (this.detail.textContent !== detail) this.detail.textContent = detail;
	}

	/** The page's own connection has come or gone. */
	monitor(isConnected) {
		if (!this.#session) this.#show(isConnected ? "good" : "bad", isConnected ? "connected" : "connecting again …");
	}

	/** The page attaches to a session, or to none. */
	session(name = "") {
		this.#session = name;
		this.#wasLost = false;
		this.#show(name ? "waiting" : "good", name ? `attaching to ${name} …` : "connected");
	}

	connected({ session, created, restored }) {
		this.#resumed.clear();
		this.#show(
			"good",
			session,
			this.#wasLost ? "connected again" : restored ? "restored from disk" : created ? "new session" : "",
		);
	}

	lost(cause) {
		this.#wasLost = true;
		this.#show("bad", `${this.#session}: connecting again …`, cause?.message);
	}

	/** A binding has its picture. After a loss it says whether it went on where it was. */
	bound({ full, seq, id }) {
		if (!this.#wasLost) return;
		this.#resumed.set(id, { full, seq });
		const all = [...this.#resumed.values()];
		const whole = all.filter((one) => one.full).length;
		const step = Math.max(...all.map((one) => one.seq));
		const some = whole > 0 ? `, ${whole} of ${all.length} pictures new` : "";
		this.#show(
			"good",
			this.#session,
			whole === all.length ? `new pictures at step ${step}` : `resumed at step ${step}${some}`,
		);
	}
}
