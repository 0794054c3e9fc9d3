/** The past: the pictures after a message of the timeline, and timelines of files. */
import { button, fill, find, h } from "./dom.js";
import { InstanceTypes } from "./contract.js";
import { pastView } from "./instance-view.js";
import { Timeline } from "./timeline.js";
import { toast } from "./toasts.js";
import { importTranscript } from "./transcript.js";

export class Past {
	#binding;
	/** The header of the file that is shown. */
	header;

	/** @param {() => void} leave shows the present */
	constructor(inspector, leave) {
		Object.assign(this, { inspector, leave });
		find("#past-live").onclick = () => inspector.timelineView.goLive();
		find("#imported-close").onclick = () => this.close();
	}

	/** Shows all pictures as they were after a message; without a number the present. */
	travel(number) {
		const isPast = number !== undefined;
		find("#past").hidden = !isPast;
		const wasPast = document.body.classList.contains("in-past");
		document.body.classList.toggle("in-past", isPast);
		if (!isPast) return this.leave();
		const { place, instance: shown, timelineView: { timeline } } = this.inspector;
		const { binding, instance, seq, time } = timeline.entry(number);
		const { pictures } = timeline.around(number);
		const of = (wanted) => [...pictures].find(([, { id }]) => id === wanted)?.[0];
		const [first] = pictures.keys();
		this.#binding = [binding, of(instance), this.#binding, of(shown), first].find((one) => pictures.has(one));
		const step = seq === undefined ? "" : `, step ${seq}`;
		fill(find("#past-text"), `You see message ${number}${step}, as it was at ${time.toFixed(3)} s. Nothing can be changed here.`);
		if (!wasPast) place.parentElement.scrollTop = 0;
		this.#show(pictures);
	}

	#show(pictures) {
		const { place, contract, session, timelineView: { timeline } } = this.inspector;
		const binding = this.#binding;
		const ids = [...pictures.values()].map(({ id }) => id);
		const isAlone = (id) => ids.indexOf(id) === ids.lastIndexOf(id);
		// The key of a binding has its tag, which two bindings of an instance need.
		const tabs = [...pictures].map(([one, { id }]) =>
			button(
				".small",
				isAlone(id) ? id : one,
				() => {
					this.#binding = one;
					this.#show(pictures);
					place.querySelector("[aria-pressed=true]").focus();
				},
				{ "aria-pressed": String(one === binding) },
			),
		);
		const picture = pictures.get(binding);
		const { id } = picture ?? {};
		fill(
			place,
			h("div.tabs", { role: "group", label: "Instances of that time" }, tabs),
			picture
				? pastView({ contract, id, session, type: timeline.types.typeOf(id) ?? id }, picture.values, picture.seq)
				: h("p.empty", "No instance was bound at this time."),
		);
	}

	/** Shows the timeline of a file. */
	async import(file) {
		const { contract, timelineView } = this.inspector;
		try {
			const { header, entries } = importTranscript(await file.text());
			const timeline = new Timeline(new InstanceTypes(contract));
			for (const one of entries) timeline.add(one);
			this.header = header;
			timelineView.show(timeline);
			find("#imported").hidden = false;
			const isOther = header.contract !== contract.hash;
			fill(
				find("#imported-text"),
				`${file.name}: ${entries.length} messages of ${header.program}, ${header.date}.`,
				isOther && " It was recorded with another contract.",
			);
			if (entries.length > 0) timelineView.travel(timeline.entries.at(-1).number);
		} catch (error) {
			toast(error.message, "error", file.name);
		}
	}

	/** Shows the page's own timeline. */
	close() {
		const { timelineView, timeline } = this.inspector;
		this.header = undefined;
		find("#imported").hidden = true;
		const wasPast = timelineView.isPast;
		timelineView.show(timeline);
		if (wasPast) this.travel();
	}
}
