/** The start of the inspector: access, the daemon's health, the list of sessions. */
import { Contract } from "./contract.js";
import { fill, find, h } from "./dom.js";
import { enter } from "./entrance.js";
import { Health } from "./health.js";
import { Inspector } from "./inspector.js";
import { openMonitor } from "./lines.js";
import { showPanels } from "./panels.js";
import { scope } from "./person.js";
import { toast } from "./toasts.js";
import { ViewModel } from "./viewmodel.js";

const pollMilliseconds = 2000;
const pause = () => new Promise((resolve) => setTimeout(resolve, pollMilliseconds));

async function run() {
	await enter();
	// The WebSocket opens while the page asks for its scope.
	const monitor = openMonitor();
	const allowed = await scope().catch(() => undefined);
	find("#no-access").hidden = allowed !== undefined;
	find(".layout").hidden = allowed === undefined;
	if (allowed === undefined) return monitor.close();
	find("#read-only").hidden = allowed !== "observe";
	const inspector = new Inspector(allowed !== "observe", monitor);
	const changed = (cause = monitor.problem) =>
		inspector.state.monitor(monitor.connectionState === "connected", cause);
	const readContract = async () =>
		inspector.use(new Contract(await monitor.request("rpc.discover", undefined, { repeatable: true })));
	monitor.on("state", () => changed());
	monitor.on("lost", async (cause) => {
		changed(cause);
		if (!inspector.contract) showWaiting(cause?.message);
		find("#no-access").hidden = (await scope().catch(() => "unknown")) !== undefined;
	});
	monitor.on("contractChanged", () =>
		readContract().then(() => toast("The daemon has another contract now.", "warning")),
	);
	if (monitor.connectionState === "connected") changed();
	const health = new Health(find("#health"));
	const begin = () => Promise.all([readContract(), followDaemon(monitor, health), inspector.listSessions()]);
	while (!(await begin().then(() => true, () => false))) await pause();
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

async function followDaemon(monitor, health) {
	const daemon = await new ViewModel(monitor, "daemon").bind();
	const show = () => health.showDaemon(daemon.picture, monitor.attachment.daemon.name);
	daemon.on("picture", show);
	show();
}

function showWaiting(cause) {
	const socket = /No daemon at (.+)/.exec(cause)?.[1];
	const refusal = /the daemon (refuses .+)/.exec(cause)?.[1];
	const absence = ["No daemon answers", socket && [" at ", h("code", socket)], ". This page connects by itself once it runs."];
	const parts = [
		h("h2", "Waiting for the daemon"),
		h("p", refusal ? `It ${refusal}. This page tries again by itself.` : absence),
	];
	fill(find("#place"), h("div.welcome", { role: "status" }, parts));
}

showPanels();
run();
