/** A thin client: it shows pictures and sends inputs. Every rule, also where a tap leads, is in the ViewModels. */
import { ProtocolError, start, webSocket } from "./client.js";
import { enter } from "./entrance.js";
import { linger, openLine, scope } from "./person.js";
import { bindAction, bindField, bindForm, bindInput, bindList, bindPrompts, bindScenes, bindValue, describe, make } from "./viewmodel-dom.js";

const find = (css) => document.querySelector(css);
const session = new URLSearchParams(location.search).get("session") ?? "app";
const entered = enter().catch(() => {});
let allowed = "unknown";
let isProven = false;

/** Connects, if the page has access. */
async function transport(line) {
	await entered;
	// A reply is proof of access. A question before each attempt would send all attempts to one of two hosts in turn.
	if (!isProven) {
		allowed = await scope();
		const isDisabled = !["act", "admin"].includes(allowed);
		find("#controls").disabled = find("#back").disabled = isDisabled;
		find("#main").tabIndex = isDisabled ? 0 : -1; // keys scroll it where nothing else takes them
		showLine();
		if (!allowed) throw new Error("This page has no access");
	}
	return openLine(webSocket)(line);
}

const client = start({ session, linger, transport, client: { name: "viewmodel-app", version: "2" }, silence: 4000 });
const { calculator, coordinator, daemon, login, mine, prompter, sendList } = client;
const { header } = mine;

const makeButton = (text, className, onclick) => make("button", { type: "button", className, onclick }, text);

/** Shows a note. An error stays until the next press. */
function notify(text, level = "info") {
	const note = make("p", { className: level, role: level === "error" ? "alert" : "status" }, make("b", {}, level));
	note.append(make("span", {}, text), Object.assign(makeButton("×", "", () => note.remove()), { ariaLabel: "Dismiss" }));
	find("#notes").append(note);
	while (find("#notes").children.length > 3) find("#notes").firstChild.remove();
	const leave = () => (note.matches(":hover, :focus-within") ? setTimeout(leave, 1000) : note.remove());
	if (level !== "error") setTimeout(leave, 7000);
}

// A wrong password gives a hint.
const report = (error) => error.error !== "invalidCredentials" && notify(describe(error), "error");
const run = (call) => call.catch(report);

const titleCase = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function icon(name) {
	const svg = find("nav svg").cloneNode(true);
	svg.firstChild.setAttribute("href", `../app-icons.svg#${name}`);
	return svg;
}

/** Shows what is known of some facts. */
function fillFacts(css, facts) {
	const known = Object.entries(facts).filter(([, value]) => value);
	find(css).replaceChildren(...known.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
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
	bindList(find("#operations"), calculator, "operations", { render: ({ text }) => make("li", {}, text), order: (rows) => rows.slice(0, 200) });
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
	bindField(find("#draft"), sendList, "draft");
	bindForm(find("#compose"));
	bindAction(find("#send"), sendList, "send", undefined, { progress: find("#progress"), cancel: find("#cancel") });
	bindList(find("#items"), sendList, "items", { render: renderMessage, order: (rows) => rows.toReversed() });
}

function startAccount() {
	for (const input of [find("#account"), find("#password")]) {
		bindInput(input, login, input.id);
		bindValue(input, login, `${input.id}Problem`, { property: "ariaInvalid", text: (problem) => problem !== null });
		bindValue(find(`#${input.id}-problem`), login, `${input.id}Problem`);
	}
	bindForm(find("#login-form"));
	find("#submit").addEventListener("failure", () => find("#password").select());
	bindAction(find("#register"), login, "register", () => [{ account: find("#account").value, password: find("#password").value }]);
	find("#register").addEventListener("success", () => find("#submit").click());
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
	for (const output in lists) bindList(find(lists[output]), mine, output, { render: row });
	mine.watch("wallet", (rows) => fillFacts("#amounts", Object.fromEntries(rows.map(({ title, content }) => [titleCase(title), content]))));
	const age = ({ fetchedAt, stale }) => (fetchedAt ? `${stale ? "Last known" : "As of"} ${fetchedAt.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}` : "");
	bindValue(find("#freshness"), mine, "freshness", { text: age });
}

function startHelp() {
	const minutes = new Intl.NumberFormat("en", { style: "unit", unit: "minute", unitDisplay: "long" });
	const health = daemon.hold({ outputs: ["state", "version", "uptimeSeconds", "storage"] });
	health.on("picture", ({ state, version, uptimeSeconds, storage }) => fillFacts("#health", {
		State: storage?.healthy ? state : "Nothing can be saved.", Version: version, Session: session, Runs: `for ${minutes.format(Math.floor(uptimeSeconds / 60))}`,
	}));
}

function showLine() {
	const { connectionState: state, problem, attachment } = client;
	document.body.dataset.line = state;
	find("#line").textContent =
		!allowed ? "This page has no access. Run viewmodelctl inspect --control, open its address, and come back."
		: state === "closed" ? `This page has ended: ${problem?.message ?? "the session is elsewhere"}. Load it again.`
		: state === "connected" ? (allowed !== "observe" ? "" : `You may look, and change nothing.${document.body.dataset.person ? "" : " viewmodelctl inspect --control gives access."}`)
		: attachment ? "No connection. You see the last known state."
		: state === "offline" ? "The service does not answer yet. This page waits for it." : "Connecting …";
}

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

for (const begin of [startCalculator, startMessages, startAccount, startMine, startHelp]) begin();
for (const button of document.querySelectorAll("[data-action]")) {
	const [id, action] = button.dataset.action.split(".");
	bindAction(button, client[id], action);
}
document.addEventListener("failure", ({ detail }) => report(detail));
document.addEventListener("click", ({ target }) => target.closest("button, a") && find("#notes").replaceChildren(), true);
bindPrompts(prompter);
prompter.watch("hint", ({ text, level }) => notify(text, level));
const tabs = [...document.querySelectorAll("nav a")].map(({ hash }) => hash.slice(1));
bindScenes(coordinator, { tabs, names: { balance: "wallet", redPacket: "wallet" }, show: showScene });
find(".skip").onclick = (event) => (event.preventDefault(), find("main").focus());
isWide.onchange = () => showScene(...shown);
client.on("state", showLine);
client.on("lost", (cause) => (isProven = cause instanceof ProtocolError));
client.on("sessionClosed", ({ reason }) =>
	reason === "closed" && notify("Another client has ended the session. This is a new one.", "warning"));
