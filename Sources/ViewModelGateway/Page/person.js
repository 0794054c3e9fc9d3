/** Who has signed in, with the way out, and the way in again. A gateway without a sign-in shows nothing. */
import { button, fill, find, h } from "./dom.js";
import { at } from "./entrance.js";

const pollMilliseconds = 30_000;
const retryMilliseconds = 5000;
/** The mark of a tab in which a person signs in, beside the page that waits for it. */
const mark = "viewmodel-sign-in";

const look = [
	"#person-badge { flex: none; width: 2rem; height: 2rem; min-height: 0; padding: 0; border: 0; border-radius: 50%; justify-self: end; }",
	"#person-badge { background: var(--accent); color: var(--card); font-weight: 600; }",
	"#person-card:popover-open { display: grid; gap: .5rem; }",
	"#person-card { inset: 3.25rem .75rem auto auto; max-width: calc(100vw - 1.5rem); margin: 0; padding: .875rem 1rem; overflow-wrap: anywhere; }",
	"#person-card { background: var(--card); color: var(--text); border: 1px solid var(--line); border-radius: .75rem; box-shadow: 0 4px 16px #0004; }",
	"#person-note { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; justify-content: space-between; }",
	"#person-note button { color: var(--text); margin: 0; }",
	"#person-note ~ #offline, #line:has(+ #person-note), [data-person] .alone { display: none; }",
].join("");

/** Says what the person has to know, until it is over. */
const note = h("p.banner.warn", { id: "person-note", role: "alert" });
const card = h("aside", { id: "person-card", popover: "auto", label: "Person" });
const badge = h("button", { type: "button", id: "person-badge", popovertarget: "person-card" });
/** The person and the scope that the page has begun with. Two people may have one name. */
let begun;
let isSignedOut = false;
/** The replies in turn that came from no working service. */
let failures = 0;
let retry;
let giveUp = () => {};

/**
 * Asks what the page may do, and shows who has signed in. In a team it waits until somebody is signed in.
 * @returns {Promise<"observe"|"act"|"admin"|undefined>} the scope; `undefined` without a valid cookie
 */
export async function scope() {
	const allowed = isSignedOut || failures ? undefined : await ask();
	if (!isSignedOut && !failures) return allowed;
	// Only the last one waits, so that a connection that has tried often opens one line.
	giveUp(new Error("Another one waits"));
	return new Promise((resolve, reject) => {
		giveUp = reject;
		note.addEventListener("back", ({ detail }) => resolve(detail), { once: true });
	});
}

/** The seconds for which a session waits for a person who has to sign in again. */
export const linger = 600;

/** The transport of the page's connections. It opens none while nobody is signed in. */
export const openLine = (webSocket) => async (handlers) => {
	if (isSignedOut) throw Object.assign(new Error("Nobody is signed in"), { name: "SignedOut" });
	return webSocket(at("ws").replace(/^http/, "ws"))(handlers);
};

async function ask() {
	const reply = await fetch(at("session"));
	const { scope: allowed, person, name } = reply.ok ? await reply.json() : {};
	failures = reply.status < 500 ? 0 : failures + 1;
	isSignedOut = failures ? isSignedOut : reply.headers.has("Link") || (begun?.person && !reply.ok);
	if (!begun && (isSignedOut || failures || person)) follow();
	if (person && person !== (begun.person ?? person)) {
		// What was typed here is not for the other person's sessions.
		isSignedOut = true;
		return location.reload();
	}
	if (failures) {
		askLater();
		// A gateway that starts again behind a balancer is no news.
		if (failures > 1 || !begun.person) show("The service is not available now. This page waits for it.");
	} else if (isSignedOut) {
		badge.remove();
		card.remove();
		show("You are signed out. What you have typed stays here.", button("", "Sign in", signIn));
	} else {
		if (person) showPerson(person, name, allowed);
		else note.remove();
		note.dispatchEvent(new CustomEvent("back", { detail: allowed }));
	}
	return allowed;
}

const again = () => ask().catch(() => failures && askLater());

function askLater() {
	clearTimeout(retry);
	retry = setTimeout(again, retryMilliseconds);
}

/** From now on the page asks again and again, which also keeps the person signed in. */
function follow() {
	begun = {};
	const style = new CSSStyleSheet();
	style.replaceSync(look);
	document.adoptedStyleSheets.push(style);
	setInterval(again, pollMilliseconds);
	addEventListener("focus", again);
	document.addEventListener("visibilitychange", again);
}

function show(text, ...buttons) {
	if (note.isConnected && note.textContent.startsWith(text)) return;
	fill(note, `${text} `, buttons);
	(find("#line") ?? find("header")).after(note);
}

function showPerson(person, name, allowed) {
	if (sessionStorage.getItem(mark)) {
		sessionStorage.removeItem(mark);
		close();
	}
	begun.person ??= person;
	begun.scope ??= allowed;
	if (begun.scope !== allowed) show("Your role has changed.", button("", "Load the page again", () => location.reload()));
	else note.remove();
	document.body.dataset.person = name;
	if (badge.isConnected) return;
	badge.textContent = [...name, "?"][0].toUpperCase();
	badge.ariaLabel = name;
	fill(card, h("b", name), h("p", `Role: ${allowed}`), button("", "Sign out", signOut));
	const line = find("#line");
	if (line) line.before(badge);
	else find(".top-tools").append(badge);
	document.body.append(card);
}

/** Signs in beside the page, which keeps what was typed and goes on afterwards. */
function signIn() {
	const address = at(`sign-in?return=${encodeURIComponent(location.pathname + location.search + location.hash)}`);
	sessionStorage.setItem(mark, "1");
	if (!open(address)) location.href = address;
	sessionStorage.removeItem(mark);
}

async function signOut({ target }) {
	const headers = { "Content-Type": "application/json" };
	const reply = await fetch(at("sign-out"), { method: "POST", headers, body: "{}" }).catch(() => undefined);
	if (reply?.ok) location.href = (await reply.json()).location;
	else if (reply?.status === 401) location.href = at("signed-out");
	else target.textContent = "There is no connection. Try again";
}
