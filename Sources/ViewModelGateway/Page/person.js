/** Who has signed in, with the way out, and the way in again. A gateway without a sign-in shows nothing. */

const pollMilliseconds = 30_000;
const at = (name) => new URL(name, import.meta.url).href;
const bar = document.createElement("aside");
bar.ariaLabel = "Person";
Object.assign(bar.style, {
	position: "fixed", right: "12px", bottom: "12px", zIndex: 9, padding: "6px 14px", borderRadius: "14px",
	background: "Canvas", color: "CanvasText", border: "1px solid GrayText", maxWidth: "calc(100vw - 24px)",
});

/** A button that has the focus stays while the text is the same. */
const show = (text, child) => bar.firstChild?.data === text || bar.replaceChildren(text, child);

/**
 * Asks what the page may do, and shows who has signed in. In a team it asks again and again, which keeps the person signed in.
 * @returns {Promise<"observe"|"act"|"admin"|undefined>} the scope; `undefined` without a valid cookie
 */
export async function scope() {
	const reply = await fetch(at("session"));
	const { scope: allowed, name } = reply.ok ? await reply.json() : {};
	if (name !== undefined) {
		const out = Object.assign(document.createElement("button"), { type: "button", textContent: "Sign out" });
		out.onclick = signOut;
		show(`${name} `, out);
	} else if (reply.headers.has("Link")) {
		const link = Object.assign(document.createElement("a"), { textContent: "Sign in" });
		link.href = at(`sign-in?return=${encodeURIComponent(location.pathname + location.search)}`);
		// The text that was typed stays here.
		link.target = "_blank";
		show("You are signed out. ", link);
		document.querySelector("#no-access")?.replaceChildren("You are signed out. Sign in below.");
	} else return allowed;
	if (!bar.isConnected) {
		document.body.append(bar);
		const again = () => scope().catch(() => {});
		setInterval(again, pollMilliseconds);
		addEventListener("focus", again);
	}
	return allowed;
}

async function signOut() {
	const reply = await fetch(at("sign-out"), {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: "{}",
	});
	location.href = reply.ok ? (await reply.json()).location : at("signed-out");
}
