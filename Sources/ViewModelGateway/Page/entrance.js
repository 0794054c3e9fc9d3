/** How the page gets access: a one-time token in the fragment of its address becomes a cookie. */

/** An address of the gateway, which may be below a path of its host. */
export const at = (name) => new URL(name, import.meta.url).href;

const tokenOf = ({ hash }) => /[#&]token=([0-9a-f]+)/i.exec(hash)?.[1];

/** Exchanges the token, if there is one. */
export async function enter() {
	// In the tab of the page itself, an address with another token changes only the fragment.
	window.onhashchange = () => tokenOf(location) && location.reload();
	const token = tokenOf(location);
	if (!token) return;
	history.replaceState(null, "", location.pathname + location.search);
	await fetch(at("session"), {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ token }),
	});
}
