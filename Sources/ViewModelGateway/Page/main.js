/** The start of the inspector: access, the daemon's health, the list of sessions. */
import { Contract } from "./contract.js";
import { fill, find, h } from "./dom.js";
import { enter, scope } from "./entrance.js";
import { Health } from "./health.js";
import { Inspector } from "./inspector.js";
import { openEarly, openMonitor } from "./lines.js";
import { showPanels } from "./panels.js";
import { toast } from "./toasts.js";
import { ViewModel } from "./viewmodel.js";

const pollMilliseconds = 2000;
const pause = () => new Promise((resolve) => setTimeout(resolve, pollMilliseconds));

async function run() {
	openEarly();
	const allowed = await enter().catch(() => undefined);
	find("#no-access").hidden = allowed !== undefined;
	find(".layout").hidden = allowed === undefined;
	if (allowed === undefined) return;
	find("#read-only").hidden = allowed !== "observe";
	const inspector = new Inspector(allowed !== "observe");
	const health = new Health(find("#health"));
	for (;;) await follow(inspector, health).catch(pause);
}

async function follow(inspector, health) {
	const readContract = async () =>
		inspector.use(new Contract(await monitor.request("rpc.discover", undefined, { repeatable: true })));
	let monitor;
	inspector.monitor?.close();
	const changed = (cause = monitor?.problem) =>
		inspector.state.monitor(monitor?.connectionState === "connected", cause);
	const on = {
		state: () => changed(),
		lost: async (cause) => {
			changed(cause);
			if (!inspector.contract) showWaiting(/No daemon at (.+)/.exec(cause?.message)?.[1]);
			find("#no-access").hidden = (await scope().catch(() => "unknown")) !== undefined;
		},
		contractChanged: () => readContract().then(() => toast("The daemon has another contract now.", "warning")),
	};
	inspector.monitor = monitor = await openMonitor(on);
	changed();
	await readContract();
	const daemon = await new ViewModel(monitor, "daemon").bind();
	const showDaemon = () => health.showDaemon(daemon.picture, monitor.attachment.daemon.name);
	daemon.on("picture", showDaemon);
	showDaemon();
	await inspector.begin();
	for (;; await pause()) {
		if (monitor.connectionState !== "connected") continue;
		const started = performance.now();
		await inspector.listSessions().then(
			() => health.show({ latency: (performance.now() - started) / 1000 }),
			() => {},
		);
	}
}

function showWaiting(socket) {
	const parts = [
		h("h2", "Waiting for the daemon"),
		h("p", "No daemon answers", socket && [" at ", h("code", socket)], ". This page connects by itself once it runs."),
	];
	fill(find("#place"), h("div.welcome", { role: "status" }, parts));
}

showPanels();
run();
