/** A thin client: it shows pictures and sends inputs. Every rule, also where a tap leads, is in the ViewModels. */
import { make, makeButton, notify, showPrompts } from "./app-prompts.js";
import { followScenes } from "./app-scenes.js";
import { enter, scope, socketURL } from "./entrance.js";
import { bindAction, bindField, bindValue } from "./viewmodel-dom.js";
import { Connection, ViewModel } from "./viewmodel.js";

const find = (css) => document.querySelector(css);
const session = new URLSearchParams(location.search).get("session") ?? "app";
const connection = new Connection({ url: socketURL(), session, client: { name: "viewmodel-app", version: "2" }, silence: 4000 });

/** A ViewModel with its inputs and actions as methods, like those of the client that `viewmodelctl generate` writes. */
const model = (id) => new Proxy(new ViewModel(connection, id), {
	get: (target, name) => target[name] ?? ((value, options) =>
		connection.call(`${id}.${name}`, typeof value === "string" ? { value } : value, options)),
});
const [calculator, coordinator, daemon, header, login, mine, prompter, sendList] =
	["calculator", "coordinator", "daemon", "mine.header", "login", "mine", "prompter", "sendList"].map(model);

const sentences = { NotConnected: "There is no connection. This was not sent.", OutcomeUnknown: "The connection broke. Look whether this was done." };
const describe = ({ name, message }) => sentences[name] ?? message;

function report(error) {
	// What the person has cancelled is no error, and a wrong password gives a hint.
	if (!["AbortError", "CancelledError"].includes(error.name) && error.error !== "invalidCredentials") notify(describe(error), "error");
}

const run = (call) => call.catch(report);
document.addEventListener("failure", ({ detail }) => report(detail));

const titleCase = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function icon(name) {
	const svg = find("nav svg").cloneNode(true);
	svg.firstChild.setAttribute("href", `../app-icons.svg#${name}`);
	return svg;
}

/** Shows a list. The element of a row that has not changed stays, and with it the focus. */
function bindList(css, model, output, render, order = (rows) => rows) {
	const element = find(css);
	let shown = new Map();
	model.watch(output, (rows) => {
		const hadFocus = element.contains(document.activeElement);
		shown = new Map(order(rows).map((row) => [row, shown.get(row) ?? render(row)]));
		const children = [...shown.values()];
		for (const child of [...element.children]) if (!children.includes(child)) child.remove();
		children.forEach((child, at) => element.children[at] !== child && element.insertBefore(child, element.children[at] ?? null));
		delete element.dataset.wait;
		if (hadFocus && !element.contains(document.activeElement)) (element.querySelector("button") ?? find("#title")).focus();
	});
}

/** Shows what is known of some facts. */
function fillFacts(css, facts) {
	const known = Object.entries(facts).filter(([, value]) => value);
	find(css).replaceChildren(...known.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

/** Enter in a text clicks the first button of its form, once the daemon has the text. */
function bindForm(css, settled) {
	const form = find(css);
	form.onsubmit = (event) => event.preventDefault();
	form.onkeydown = async (event) => {
		if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.target.localName === "button") return;
		event.preventDefault();
		await settled().catch(() => {});
		form.querySelector("button").click();
	};
}

const signs = { "/": "÷ divide", "*": "× times", "-": "− minus", "+": "+ plus", ".": ". point", "=": "= equals" };

async function press(key) {
	const { textContent: before } = find("#led");
	await calculator.press(key);
	if (find("#led").textContent === before && /\d/.test(key) && /^\D*(\d\D*){16}/.test(before)) notify("A number has at most 16 digits.");
}

function startCalculator() {
	for (const key of "789/456*123-0.=+") {
		const [text, ariaLabel] = (signs[key] ?? `${key} ${key}`).split(" ");
		const button = makeButton(text, key === "=" ? "main" : /[\d.]/.test(key) ? "" : "operator", () => run(press(key)));
		find("#keys").append(Object.assign(button, { ariaLabel }));
		button.dataset.key = key;
	}
	// A click leaves the focus, so that Enter stays the key of the result.
	find("#keys").onmousedown = (event) => event.preventDefault();
	document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
		if (find("#calculator").hidden || ctrlKey || metaKey || altKey || target.closest("input, textarea, dialog")) return;
		const pressed = key === "Enter" && !target.closest("button, a") ? "=" : key;
		find(key === "Backspace" ? "#undo" : `[data-key="${CSS.escape(pressed)}"]`)?.click();
	});
	bindValue(find("#led"), calculator, "led");
	calculator.watch("led", ({ length }) => find("#led").style.setProperty("--digits", Math.max(8, length)));
	bindList("#operations", calculator, "operations", ({ text }) => make("li", {}, text), (rows) => rows.slice(0, 200));
}

const statuses = { queued: "Waits", sending: "Is being sent", sent: "Sent", failed: "Failed" };

function renderMessage({ id, text, status, attempts, problem }) {
	const facts = [statuses[status] ?? status, attempts > 1 && `${attempts} attempts`, status !== "sent" && problem];
	const row = make("li", { className: status }, make("p", { dir: "auto" }, text), make("small", {}, facts.filter(Boolean).join(" · ")));
	if (status === "failed") row.append(makeButton("Retry", "", () => run(sendList.retry({ id }))));
	if (status !== "sending") row.append(makeButton("Remove", "", () => run(sendList.remove(id))));
	return row;
}

function startMessages() {
	let sending = new AbortController();
	bindField(find("#draft"), sendList, "draft");
	bindForm("#compose", () => connection.$settled("sendList"));
	bindAction(find("#send"), sendList, "send", () => [undefined, { signal: (sending = new AbortController()).signal }]);
	find("#cancel").onclick = () => sending.abort();
	sendList.watch("send.executing", (isExecuting) => (find("#cancel").hidden = find("#progress").hidden = !isExecuting));
	bindValue(find("#progress"), sendList, "send.progress", { property: "value", text: (value) => value ?? 0 });
	bindList("#items", sendList, "items", renderMessage, (rows) => rows.toReversed());
}

function startAccount() {
	const [account, password] = [find("#account"), find("#password")];
	let sent = Promise.resolve();
	const send = ({ id, value }) => {
		sent = login[id](value);
		// A text that cannot be sent now stays, and is sent when the connection is back.
		sent.catch((error) => error.name === "NotConnected" || report(error));
	};
	for (const input of [account, password]) {
		input.oninput = () => send(input);
		login.watch(`${input.id}Problem`, (problem) => (input.ariaInvalid = problem !== null));
		bindValue(find(`#${input.id}-problem`), login, `${input.id}Problem`);
	}
	connection.on("state", (state) => state === "connected" && [account, password].filter(({ value }) => value).forEach(send));
	bindForm("#login-form", () => sent);
	find("#submit").addEventListener("failure", () => password.select());
	find("#register").onclick = () =>
		run(login.register({ account: account.value, password: password.value }).then(() => login.submit()));
	bindValue(find("#register"), login, "register.enabled", { property: "hidden", text: (isEnabled) => !isEnabled });
	bindValue(find("#device"), login, "signInWithDevice.enabled", { property: "hidden", text: (isEnabled) => !isEnabled });
	const instructions = (device) => (device ? `Open ${device.verificationUri} and type ${device.userCode}.` : "");
	bindValue(find("#device-code"), login, "device", { text: instructions });
	for (const button of document.querySelectorAll(".sign-in")) button.onclick = () => run(header.select());
	login.watch("user", (user) => {
		document.body.toggleAttribute("data-signed-in", user !== null);
		if (user) find("#login-form").reset();
	});
}

function startMine() {
	const [person, account] = [header.hold({ outputs: ["nickname", "phone"] }), login.hold({ outputs: ["user"] })];
	const show = () => {
		const { nickname = "", phone } = person.picture;
		const { user } = account.picture;
		find("#nickname").textContent = user ? nickname : "Sign in";
		find("#phone").textContent = user ? phone || user.account : "Your wallet and your messages wait.";
		for (const one of document.querySelectorAll(".avatar")) one.replaceChildren(user ? nickname.charAt(0).toUpperCase() : icon("mine"));
		fillFacts("#facts", user ? { Name: nickname, Account: user.account, Phone: phone } : { Account: "Nobody is signed in." });
	};
	for (const one of [person, account]) one.on("picture", show);
	const row = ({ id, title, image, content }) => {
		const button = makeButton("", "", () => run(mine.select(id)));
		button.append(icon(image), make("span", {}, titleCase(title)), content === undefined ? icon("go") : make("b", {}, content || "–"));
		button.dataset.row = id;
		titles[id] = titleCase(title);
		return make("li", {}, button);
	};
	const lists = { wallet: "#wallet-cards", services: "#services", others: "#others" };
	for (const output in lists) bindList(lists[output], mine, output, row);
	mine.watch("wallet", (rows) => fillFacts("#amounts", Object.fromEntries(rows.map(({ title, content }) => [titleCase(title), content]))));
	const age = ({ fetchedAt, stale }) => (fetchedAt ? `${stale ? "Last known" : "As of"} ${new Date(fetchedAt).toLocaleString()}` : "");
	bindValue(find("#freshness"), mine, "freshness", { text: age });
}

function startHelp() {
	const health = daemon.hold({ outputs: ["state", "version", "uptimeSeconds", "storage"] });
	health.on("picture", ({ state, version, uptimeSeconds, storage }) => fillFacts("#health", {
		State: storage?.healthy ? state : "Nothing can be saved.", Version: version, Session: session, Runs: `for ${Math.floor(uptimeSeconds / 60)} minutes`,
	}));
}

function showLine(allowed) {
	const { connectionState: state, problem, attachment } = connection;
	document.body.dataset.line = state;
	find("#line").textContent =
		state === "closed" ? `This page has ended: ${problem?.message ?? "the session is elsewhere"}. Load it again.`
		: state === "connected" ? (allowed === "act" ? "" : "You may look, and change nothing. viewmodelctl inspect --control gives access.")
		: attachment ? "No connection. You see the last known state."
		: state === "offline" ? "The service does not answer yet. This page waits for it." : "Connecting …";
}

const noAccess = "This page has no access. Run viewmodelctl inspect --control, open its address, and come back.";
const titles = { login: "Sign in" };
const isWide = matchMedia("(min-width: 1000px) and (min-height: 500px)");
let shown = [];

function showScene(name, scene, tab) {
	const isNew = shown.length > 0 && shown[0] !== name;
	shown = [name, scene, tab];
	const page = find(`section[id="${CSS.escape(name)}"], section[data-scenes~="${CSS.escape(name)}"]`) ?? find("#other");
	// A wide window shows the tab beside its scene.
	for (const one of document.querySelectorAll("section")) {
		one.hidden = !one.classList.toggle("under", one !== page && one.id === tab && isWide.matches) && one !== page;
	}
	for (const link of document.querySelectorAll("nav a")) link.ariaCurrent = link.hash === `#${tab}` ? "page" : null;
	find("#back").hidden = scene.style === "root";
	find("#title").textContent = titles[name] ?? titleCase(name);
	document.title = `${find("#title").textContent} – Pocket`;
	const count = scene.arguments?.count;
	find("#sent-count").textContent = count > 1 ? `${count} messages are delivered.` : "The message is delivered.";
	if (isNew) (name === "login" && matchMedia("(pointer: fine)").matches ? find("#account") : find("#title")).focus({ preventScroll: true });
}

async function start() {
	for (const begin of [startCalculator, startMessages, startAccount, startMine, startHelp]) begin();
	for (const button of document.querySelectorAll("[data-action]")) {
		const [id, action] = button.dataset.action.split(".");
		bindAction(button, model(id), action);
	}
	showPrompts(prompter, describe);
	const tabs = [...document.querySelectorAll("nav a")].map(({ hash }) => hash.slice(1));
	followScenes(coordinator, { tabs, names: { balance: "wallet", redPacket: "wallet" }, show: showScene, refused: report });
	isWide.onchange = () => showScene(...shown);
	const allowed = await enter();
	find("#controls").disabled = find("#back").disabled = allowed !== "act";
	if (!allowed) throw new Error(noAccess);
	connection.on("state", () => showLine(allowed));
	connection.on("lost", async () => (await scope().catch(() => "unknown")) ?? (find("#line").textContent = noAccess));
	connection.on("sessionClosed", ({ reason }) =>
		reason === "closed" && notify("Another client has ended the session. This is a new one.", "warning"));
	connection.$begin();
	showLine(allowed);
}

start().catch(({ message }) => (find("#line").textContent = message));
