/** The start of the inspector: access, the daemon's health, the list of sessions. */
import { Contract } from "./contract.js";
import { find } from "./dom.js";
import { enter, scope } from "./entrance.js";
import { Health } from "./health.js";
import { Inspector } from "./inspector.js";
import { openMonitor } from "./lines.js";
import { toast } from "./toasts.js";
import { ViewModel } from "./viewmodel.js";

const pollMilliseconds = 2000;

async function run() {
	const allowed = await enter().catch(() => undefined);
	find("#no-access").hidden = allowed !== undefined;
	if (allowed === undefined) return;
	find("#read-only").hidden = allowed === "act";
	const inspector = new Inspector(allowed === "act");
	try {
		await follow(inspector, new Health(find("#health")));
	} catch (error) {
		find("#no-daemon").hidden = false;
		find("#no-daemon-cause").textContent = error.message;
	}
}

async function follow(inspector, health) {
	const readContract = async () =>
		inspector.use(new Contract(await monitor.request("rpc.discover", undefined, { repeatable: true })));
	const monitor = await openMonitor({
		state: (state) => inspector.state.monitor(state === "connected"),
		lost: async () => (find("#no-access").hidden = (await scope().catch(() => "unknown")) !== undefined),
		contractChanged: () => readContract().then(() => toast("The daemon has another contract now.", "warning")),
	});
	inspector.monitor = monitor;
	await readContract();
	const show = async (id, showPicture) => {
		const binding = await new ViewModel(monitor, id).bind();
		binding.on("picture", showPicture);
		showPicture(binding.picture);
	};
	await show("daemon", (picture) => health.showDaemon(picture, monitor.attachment.daemon.name));
	if (inspector.contract.types.has("metrics")) await show("metrics", ({ text }) => health.showMetrics(text));
	await inspector.begin();
	for (;;) {
		const started = performance.now();
		const measure = () => health.charts.latency.add((performance.now() - started) / 1000);
		if (monitor.connectionState === "connected") await inspector.listSessions().then(measure, () => {});
		await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
	}
}

for (const name of ["side", "timeline"]) {
	const toggle = find(`#toggle-${name}`);
	toggle.onclick = () => toggle.setAttribute("aria-expanded", String(!document.body.classList.toggle(`no-${name}`)));
}
run();
