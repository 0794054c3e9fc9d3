/**
 * Follows the coordinator with the address of the page: `#wallet` is the scene "wallet", and a tab is the address of the root.
 * A new scene is a new entry of the history. Back, Forward, a reload, a link and a typed address change the scenes.
 * `names` has the addresses of scenes that share one. `show(name, scene, tab)` shows the top scene.
 */
export function followScenes(coordinator, { tabs, names, show, refused }) {
	let scenes = [{ style: "root" }];
	let isKnown = false;
	/** Calls of a navigation have not ended, or the browser has not gone back yet. The address waits. */
	let [isMoving, isReturning] = [false, false];
	const address = () => location.hash.slice(1);
	let tab = tabs.includes(address()) ? address() : (history.state?.tab ?? tabs[0]);
	const nameOf = ({ style, scene }) => (style === "root" ? tab : (names[scene] ?? scene));
	const write = (method, depth, name) => history[method]({ depth, tab }, "", `#${name}`);

	/** Shows the top scene, and makes the address follow it. */
	function settle() {
		if (isMoving || isReturning) return;
		const depth = scenes.length - 1;
		const before = history.state?.depth ?? 0;
		show(nameOf(scenes[depth]), scenes[depth], tab);
		if (!isKnown) return;
		isReturning = before > depth;
		if (isReturning) history.go(depth - before);
		else if (before === depth) write("replaceState", depth, nameOf(scenes[depth]));
		else for (let at = before + 1; at <= depth; at++) write("pushState", at, nameOf(scenes[at]));
	}

	/** Goes to what an address names: a tab, a scene below the top one, or a new scene. */
	async function visit(name) {
		const isTab = tabs.includes(name);
		if (isTab) tab = name;
		if (!isKnown || isMoving) return settle();
		const place = isTab ? 0 : scenes.findLastIndex((one) => nameOf(one) === name);
		write("replaceState", place < 0 ? scenes.length : place, name);
		isMoving = true;
		try {
			if (place < 0) await coordinator.open({ scene: name });
			else for (let count = scenes.length - 1 - place; count > 0; count--) await coordinator.back();
		} catch (error) {
			refused(error);
		}
		isMoving = false;
		settle();
	}

	window.addEventListener("popstate", () => {
		tab = history.state?.tab ?? tab;
		if (!isReturning) return visit(address());
		isReturning = false;
		settle();
	});
	settle();
	coordinator.watch("scenes", (value) => {
		const [isFirst, isNew, name] = [!isKnown, history.state === null, address()];
		scenes = value;
		isKnown = true;
		// In a new tab of the browser, what is open already lies behind the address in the history.
		if (isFirst && isNew) write("replaceState", 0, tab);
		if (!isFirst || isNew) settle();
		if (!isFirst || ["", ...tabs, nameOf(scenes.at(-1))].includes(name)) return settle();
		if (isNew) write("pushState", scenes.length, name);
		visit(name);
	});
}
