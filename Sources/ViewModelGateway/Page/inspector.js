/** The session that the page is attached to, and the parts of the page that show it. */
import { ConnectionState } from "./connection-state.js";
import { save } from "./copy.js";
import { button, fill, find, h } from "./dom.js";
import { InstanceView } from "./instance-view.js";
import { InstanceTypes } from "./contract.js";
import { isEqual } from "./json.js";
import { isOwnSession, openSession } from "./lines.js";
import { showMiddle } from "./panels.js";
import { Past } from "./past.js";
import { confirmed, Prompts } from "./prompts.js";
import { count } from "./safe-text.js";
import { Scenes } from "./scenes.js";
import { Secrets } from "./secrets.js";
import { Sidebar } from "./sidebar.js";
import { TimelineView } from "./timeline-view.js";
import { Timeline } from "./timeline.js";
import { toast } from "./toasts.js";
import { exportTranscript } from "./transcript.js";
import { ViewModel } from "./viewmodel.js";

const maximumTiles = 12;
/** The rows that a list has before anybody sees how many fit. */
const firstRows = { offset: 0, limit: 20 };
const endings = {
	closed: "A client has ended it.",
	failed: "A fault of a ViewModel has ended it. The daemon's log has the cause.",
	moved: "It lives on another machine now.",
};

export class Inspector {
	/** @type {import("./viewmodel.js").Connection | undefined} */
	connection;
	/** The id of the instance that is shown, and its binding. */
	instance;
	#binding;
	#instances = [];
	#sessions = [];
	#view;
	#shell = [];
	#attachment = 0;
	/** The id that the person has chosen last. */
	#chosen;
	/** What the person has chosen before the contract was there. */
	#wanted;

	constructor(canControl, monitor) {
		[this.canControl, this.monitor] = [canControl, monitor];
		this.state = new ConnectionState(find("#connection"));
		this.place = find("#place");
		this.prompts = new Prompts(find("#waiting"), canControl);
		const select = (id) => (showMiddle(), this.select(id));
		this.scenes = new Scenes(find("#scenes"), canControl, select);
		this.sidebar = new Sidebar(find("#lists"), canControl, {
			attach: (session) => (showMiddle(), this.attach(session)),
			closeSession: (session) => this.#closeSession(session),
			select,
			open: (type, id, values) => (showMiddle(), this.#openNew(type, id, values)),
			close: (id) => this.#request(this.connection, "viewModel.close", { id }),
		});
		this.timelineView = new TimelineView(find("#timeline"), {
			travel: (number) => this.past.travel(number),
			save: () => this.#save(),
			open: (file) => this.past.import(file),
			context: () => ({ session: this.session, contract: this.contract }),
		});
		this.past = new Past(this, () => this.#showPlace());
		onpopstate = () => this.contract && this.#open();
	}

	/** Uses the contract of the daemon. With a new contract everything begins anew. */
	use(contract) {
		this.contract = contract;
		this.#newTimeline();
		if (this.connection) this.attach(this.session, this.instance);
	}

	/** Shows the place that the address names. */
	begin() {
		return this.#open(this.#wanted);
	}

	async #open({ session, instance } = Object.fromEntries(new URLSearchParams(location.search))) {
		if (session && session === this.session) return instance ? this.select(instance) : this.#showPlace();
		if (session) return this.attach(session, instance);
		this.#attachment++;
		this.session = undefined;
		await this.#detach();
		this.state.session();
		this.#showPlace();
	}

	#newTimeline() {
		this.timeline = new Timeline(new InstanceTypes(this.contract));
		this.began = { date: new Date(), clock: performance.now() };
		this.secrets = new Secrets(this.contract);
		this.past.close();
	}

	/** Asks for the named sessions. Another number of instances means that the list of instances is old. */
	async listSessions() {
		const { sessions } = await this.monitor.request("session.list", {});
		this.#sessions = sessions.filter(({ session }) => !isOwnSession(session));
		this.sidebar.showSessions(this.#sessions, this.session);
		const own = sessions.find(({ session }) => session === this.session);
		if (own && own.instances !== this.#instances.length) await this.#listInstances();
	}

	async attach(session, instance) {
		this.#wanted = { session, instance };
		if (!this.contract) return;
		const attachment = ++this.#attachment;
		const isCurrent = () => attachment === this.#attachment;
		await this.#detach();
		this.#newTimeline();
		const { timeline } = this;
		this.session = session;
		this.state.session(session);
		this.#welcome(`Attaching to ${session} …`);
		try {
			const connection = await openSession(
				session,
				(event, number, text) => this.#record(timeline, event, number, text),
				{
					state: (state) => isCurrent() && (state === "connected" ? this.#connected() : this.#lost()),
					lost: (cause) => isCurrent() && this.#lost(cause),
					sessionClosed: ({ reason }) => isCurrent() && reason !== "stopping" && this.#ended(reason),
				},
			);
			if (!isCurrent()) return void connection.close();
			this.connection = connection;
			this.state.connected(connection.attachment);
			await this.#listInstances();
			const shell = await Promise.all(["prompter", "coordinator"].map((id) => new ViewModel(connection, id).bind()));
			if (!isCurrent()) return;
			this.#shell = shell;
			this.prompts.follow(shell[0]);
			this.scenes.follow(shell[1]);
			// A daemon that has begun anew has no instances, but a default instance comes into being.
			const isThere = this.#isListed(instance) || (this.contract.types.has(instance) && this.contract.defaultOf(instance));
			const first = isThere ? instance : this.#instances.find(({ type }) => !this.contract.type(type).builtIn)?.id;
			if (first) await this.select(first);
			else this.#showPlace();
		} catch (error) {
			if (isCurrent())
				this.#welcome(`Not attached to ${session}`, error.message, button(".primary", "Try again", () => this.attach(session)));
		}
		this.listSessions().catch(() => {});
	}

	#isListed(wanted) {
		return this.#instances.some(({ id }) => id === wanted);
	}

	/** Keeps the place in the address, for a reload, a link and the way back. */
	#remember() {
		const { session = "", instance = "" } = this;
		const known = Object.entries({ session, instance }).filter(([, name]) => name);
		const search = known.length > 0 ? `?${new URLSearchParams(known)}` : "";
		if (search !== location.search) history.pushState(null, "", location.pathname + search);
		document.title = [instance, session, "ViewModel inspector"].filter(Boolean).join(" – ");
	}

	async #detach() {
		this.#view?.stop();
		this.prompts.stop();
		this.scenes.stop();
		const { connection } = this;
		this.connection = this.instance = this.#binding = this.#view = undefined;
		[this.#shell, this.#instances] = [[], []];
		this.#showInstances();
		await connection?.close();
	}

	#record(timeline, event, connection, text) {
		const time = (performance.now() - this.began.clock) / 1000;
		const { text: clean, message } = text === undefined ? {} : this.secrets.redact(text);
		const entry = timeline.add({ time, connection, event, text: clean }, message);
		if (entry.kind === "picture") this.state.bound(message.result);
		this.timelineView.render();
	}

	async #listInstances() {
		const { connection } = this;
		if (connection?.connectionState !== "connected") return;
		const { instances } = await connection.request("viewModel.list", {});
		if (connection === this.connection && !isEqual(instances, this.#instances)) this.#instances = instances;
		this.#showInstances();
	}

	#showInstances() {
		this.sidebar.showInstances(this.connection && this.#instances, this.contract, this.instance, this.session);
	}

	/** Shows an instance. A default instance comes into being. The instance before stays until there is a picture. */
	async select(id) {
		const { connection, contract, session, secrets } = this;
		if (!connection) return;
		if (connection.connectionState !== "connected")
			return toast("The line is down. Choose it again when the line is back.", "warning", id);
		this.timelineView.goLive();
		this.#chosen = id;
		if (id === this.instance) return;
		const type = this.timeline.types.typeOf(id) ?? id;
		const lists = contract.outputs(type).filter(({ kind }) => kind === "list");
		const windows = lists.length > 0 ? Object.fromEntries(lists.map(({ name }) => [name, firstRows])) : undefined;
		const binding =
			this.#shell.find(({ viewModel }) => viewModel.id === id) ??
			(await this.#try(() => new ViewModel(connection, id).bind({ windows })));
		if (connection !== this.connection) return;
		if (this.#chosen !== id) return this.#release(binding);
		if (!binding) {
			if (!this.#view) this.#showPlace();
			return;
		}
		binding.on("closed", () => this.#binding === binding && connection.connectionState !== "closed" && this.#gone(id));
		const view = new InstanceView({ binding, id, type, contract, session, secrets, canControl: this.canControl }, (other) => this.select(other));
		view.allow(this.canControl);
		this.#view?.stop();
		const before = this.#binding;
		[this.#binding, this.#view, this.instance] = [binding, view, id];
		this.#release(before);
		this.#showPlace();
		this.place.parentElement.scrollTop = 0;
		if (this.#isListed(id)) this.#showInstances();
		else await this.#listInstances();
	}

	/** Ends a binding that is shown no more. */
	#release(binding) {
		if (binding && !this.#shell.includes(binding)) binding.close().catch(() => {});
	}

	/** Shows what is in the middle when the page is not in the past. */
	#showPlace(title) {
		const { connection, contract, session } = this;
		this.#remember();
		if (this.#view) return fill(this.place, this.#view.element);
		const types = [...contract.types].filter(([name, { builtIn }]) => contract.defaultOf(name) && !builtIn);
		const tile = (name, text, action) => button(".tile", [h("b", name), h("span", text)], action);
		if (connection)
			return this.#welcome(
				title ?? `Session ${session}`,
				types.length > 0 ? "Choose a ViewModel." : "Open a ViewModel in the list of sessions.",
				h("div.tiles", types.map(([name, { instance }]) => tile(instance, contract.summary(name), () => this.select(instance)))),
			);
		const [, { instance } = {}] = types.find(([name]) => name === "calculator") ?? types[0] ?? [];
		const isNew = this.#sessions.length === 0;
		this.#welcome(
			isNew ? "No session yet" : "Choose a session",
			"A session holds the ViewModels of an app. Windows that use the same session show the same state.",
			isNew
				? button(".primary", "Open session desk", () => this.attach("desk", instance))
				: h(
						"div.tiles",
						this.#sessions.slice(0, maximumTiles).map((one) => tile(one.session, count(one.instances, "instance"), () => this.attach(one.session))),
					),
		);
	}

	#welcome(title, text, ...more) {
		fill(this.place, h("div.welcome", { role: "status" }, h("h2", title), text && h("p", text), more));
	}

	#gone(id) {
		this.#view.stop();
		this.instance = this.#binding = this.#view = undefined;
		this.#showPlace(`${id} was closed`);
		this.#listInstances().catch(() => {});
	}

	#lost(cause = this.connection?.problem) {
		this.state.lost(cause);
		this.#view?.allow(false);
	}

	#connected() {
		if (!this.connection) return;
		this.state.connected(this.connection.attachment);
		this.#view?.allow(this.canControl);
		this.#listInstances().catch(() => {});
	}

	#ended(reason) {
		const { session } = this;
		this.timelineView.goLive();
		this.#attachment++;
		this.session = undefined;
		this.#detach();
		this.state.session();
		this.#remember();
		this.#welcome(
			`The session ${session} has ended`,
			endings[reason] ?? reason,
			button(".primary", "Attach again", () => this.attach(session)),
		);
	}

	async #closeSession(session) {
		const consequences = "Its actions are cancelled, its instances end, and what was saved of it is erased.";
		if (await confirmed(`End the session ${session}?`, consequences, "End the session"))
			await this.#request(this.monitor, "session.close", { session });
	}

	async #openNew(type, id, values) {
		this.secrets.learn(values, this.contract.schema(this.contract.type(type).arguments));
		const opened = await this.#request(this.connection, "viewModel.open", { type, ...(id && { id }), arguments: values });
		if (opened) await this.select(opened.id);
	}

	async #request(connection, method, params) {
		const result = await this.#try(() => connection.request(method, params));
		this.listSessions().catch(() => {});
		return result;
	}

	async #try(action) {
		try {
			return await action();
		} catch ({ message, data }) {
			return void toast(data?.path ? `${message}: ${data.path} expected ${data.expected}` : message, "error");
		}
	}

	#save() {
		const { daemon, contract } = this.monitor.attachment;
		const header = this.past.header ?? { program: `${daemon.name} ${daemon.version}`, contract, date: this.began.date };
		const text = exportTranscript(this.timelineView.timeline, { ...header, date: new Date(header.date) });
		save(`${this.session ?? "timeline"}-${new Date().toISOString().slice(0, 19).replace(/:/g, "-")}.transcript`, text);
	}
}
