/** A thin client: it draws pictures and sends inputs. Every rule, also where a tap leads, is in the ViewModels. */
import { enter, socketURL } from "./entrance.js";
import { Connection, ViewModel } from "./viewmodel.js";

const find = (id) => document.getElementById(id);
const show = (id, text) => (find(id).textContent = text ?? "");
const session = new URLSearchParams(location.search).get("session") ?? "app";
const keys = [..."789/456*123-0.=+"];
const names = { "/": "÷ divide", "*": "× times", "-": "− minus", "+": "+ plus", ".": ". point", "=": "= equals" };
const connection = new Connection({
	url: socketURL(),
	session,
	client: { name: "viewmodel-app", version: "1" },
	on: {
		state: (state) => say(state === "connected" ? "" : "Connecting …"),
		lost: () => say("The line is down. Connecting again …"),
		sessionClosed: ({ reason }) =>
			reason !== "stopping" && say("Another client has ended this session. Load the page again to begin a new one."),
	},
});
let tab = "calculator";

function say(text) {
	show("status", text);
	find("status").hidden = text === "";
}

/** Calls a method. Its effects are in the pictures. Returns the error, if there is one. */
async function call(method, params) {
	try {
		await connection.call(method, params);
	} catch (error) {
		return error;
	}
}

/** Binds an instance, and draws each of its pictures. */
async function follow(id, draw) {
	const binding = await new ViewModel(connection, id).bind();
	binding.on("picture", draw);
	draw(binding.picture);
	return binding;
}

/** Makes an element with texts and children. */
function make(tag, className, ...children) {
	const element = document.createElement(tag);
	element.className = className;
	element.append(...children);
	return element;
}

function makeButton(className, onclick, ...children) {
	return Object.assign(make("button", className, ...children), { type: "button", onclick });
}

function makeKeys() {
	const add = (text, label, className, press) => {
		const key = makeButton(className, press, text);
		key.ariaLabel = label;
		find("keys").append(key);
		return key;
	};
	for (const name of ["undo", "clear"]) add(name, name, "wide", () => call(`calculator.${name}`)).id = name;
	for (const key of keys) {
		const [text, label] = (names[key] ?? `${key} ${key}`).split(" ");
		const className = key === "=" ? "equals" : names[key] ? "operator" : "";
		add(text, label, className, () => call("calculator.press", { value: key })).dataset.key = key;
	}
	document.onkeydown = ({ key, target, ctrlKey, metaKey, altKey }) => {
		if (find("calculator").hidden || ctrlKey || metaKey || altKey) return;
		const pressed = key === "Enter" && target.localName !== "button" ? "=" : key;
		if (keys.includes(pressed)) call("calculator.press", { value: pressed });
		else if (key === "Backspace") call("calculator.undo");
	};
}

function drawCalculator({ led, operations, "undo.enabled": canUndo, "clear.enabled": canClear }) {
	show("led", led);
	// The newest operation is the first of the list and stands nearest to the display.
	const rows = operations.slice(0, 6).map(({ text }) => make("li", "", text));
	find("history").replaceChildren(...rows.reverse());
	find("undo").disabled = !canUndo;
	find("clear").disabled = !canClear;
}

const titleCase = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function drawRows(id, rows) {
	const items = rows.map(({ id: row, title, content }) => {
		const value = content === undefined ? make("span", "go", "›") : make("b", "", content || "–");
		const select = () => call("mine.select", { value: row });
		const button = makeButton("", select, make("span", "", titleCase(title)), value);
		button.dataset.row = row;
		return make("li", "", button);
	});
	find(id).replaceChildren(...items);
}

function drawMine({
	freshness: { fetchedAt, stale },
	"refresh.enabled": canRefresh,
	"refresh.executing": isRefreshing,
	...lists
}) {
	for (const id of ["wallet", "services", "others"]) drawRows(id, lists[id]);
	const time = fetchedAt && `As of ${new Date(fetchedAt).toLocaleTimeString()}${stale ? ", which is old" : ""}`;
	show("freshness", isRefreshing ? "Fetching …" : time);
	find("refresh").disabled = !canRefresh;
}

function drawHeader({ nickname, phone }) {
	show("nickname", nickname);
	show("phone", phone);
	show("avatar", nickname.charAt(0).toUpperCase());
}

function drawLogin({
	accountProblem,
	passwordProblem,
	user,
	"submit.enabled": canSubmit,
	"submit.executing": isExecuting,
	"signOut.enabled": canSignOut,
}) {
	show("account-problem", accountProblem);
	show("password-problem", passwordProblem);
	find("submit").disabled = !canSubmit;
	show("submit", isExecuting ? "Signing in …" : "Sign in");
	find("sign-out").hidden = !user || !canSignOut;
}

/** Draws the top scene of the coordinator; at the root the tabs. */
function drawScenes({ scenes }) {
	const { scene, instance } = scenes.at(-1);
	const isRoot = scene === "root";
	const shown = isRoot ? tab : instance === "login" ? "login" : "scene";
	const appears = find(shown).hidden;
	for (const id of ["calculator", "mine", "login", "scene"]) find(id).hidden = id !== shown;
	find("tabs").hidden = !isRoot;
	for (const id of ["calculator", "mine"]) find(`tab-${id}`).ariaCurrent = id === tab;
	show("scene-title", titleCase(scene));
	if (appears && shown === "login") find("account").focus();
}

function wireLogin() {
	const { account, password } = find("login-form").elements;
	for (const input of [account, password]) input.oninput = () => call(`login.${input.id}`, { value: input.value });
	const finish = (error, success) => {
		const declared = {
			invalidCredentials: "The account or the password is wrong.",
			accountTaken: "This account exists already.",
			unreachable: "The server cannot be reached. Try again.",
		};
		show("failure", error ? (declared[error.error] ?? error.message) : success);
		if (error) password.select();
		else if (!success) find("login-form").reset();
	};
	find("login-form").onsubmit = async (event) => {
		event.preventDefault();
		show("failure");
		if (!find("submit").disabled) finish(await call("login.submit"));
	};
	find("register").onclick = async () =>
		finish(
			await call("login.register", { account: account.value, password: password.value }),
			"The account is ready. Sign in.",
		);
}

async function run() {
	const scope = await enter();
	if (!scope)
		return say("This page has no access. Run viewmodelctl inspect --control, open its address, and come back.");
	await connection.start();
	makeKeys();
	wireLogin();
	const scenes = await follow("coordinator", drawScenes);
	for (const id of ["calculator", "mine"]) {
		find(`tab-${id}`).onclick = () => {
			tab = id;
			drawScenes(scenes.picture);
		};
	}
	for (const control of document.querySelectorAll("[data-call]")) control.onclick = () => call(control.dataset.call);
	await follow("calculator", drawCalculator);
	await follow("login", drawLogin);
	await follow("mine", drawMine);
	await follow("mine.header", drawHeader);
	if (scope !== "act") {
		say("This page may only observe. Run viewmodelctl inspect --control to get control.");
		for (const control of document.querySelectorAll("section button, section input")) control.disabled = true;
	}
}

run().catch((error) => say(error.message));
