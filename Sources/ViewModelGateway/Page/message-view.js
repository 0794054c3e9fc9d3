/** A message of the timeline: its facts, its cause, the difference that it makes, and the command that repeats it. */
import { copyButtons } from "./copy.js";
import { callCommand, command, rpcCommand } from "./ctl.js";
import { diffView } from "./diff-view.js";
import { difference } from "./diff.js";
import { button, h } from "./dom.js";
import { parse, stringify } from "./json.js";
import { factsLine, size } from "./safe-text.js";

/** The sign and the name of each kind of message. */
export const kinds = {
	request: ["→", "request"],
	notice: ["→", "notification of this page"],
	reply: ["←", "reply"],
	error: ["←", "error"],
	frame: ["◆", "frame"],
	picture: ["◇", "picture"],
	event: ["●", "notification"],
	open: ["▸", "opened"],
	close: ["■", "closed"],
};

/** @param {object} place `timeline`, `session`, `contract`, `select(number)` and `travel()` */
export function messageView(entry, place) {
	const { kind, number, seq, time, connection, bytes, elapsed, event, text } = entry;
	const message = text ? parse(text) : undefined;
	const isFrame = kind === "frame" || kind === "picture";
	const travel = { title: "Show all pictures as they were (Enter)", disabled: event === "close" };
	const reply = elapsed !== undefined && `${Math.round(elapsed * 1000)} ms after the request`;
	return [
		h(
			"div.detail-head",
			h("b", `${kinds[kind][1]} ${number}`),
			button(".small.primary", "View this step", place.travel, travel),
			message && copyButtons("message", () => message, () => repeat(entry, message, place)),
		),
		h("p.item-facts", factsLine(seq !== undefined && `step ${seq}`, `${time.toFixed(3)} s`, `connection ${connection}`, bytes > 0 && size(bytes), reply)),
		causeView(entry, place),
		isFrame && differenceView(entry, place),
		message &&
			h("details", { open: !isFrame }, h("summary", "Message"), h("pre", { dir: "auto", tabindex: 0 }, stringify(message, 2).slice(0, 50_000))),
	];
}

function causeView({ cause, isCertain, kind, reply }, { timeline, select }) {
	const other = timeline.entry(reply ?? cause);
	if (!other) return undefined;
	const link = button(".link", `${other.title} (message ${other.number})`, () => select(other.number));
	if (reply !== undefined) return h("p.cause", "Answered by ", link);
	const why = kind !== "frame" ? "For " : isCertain ? "Caused by " : "While this request of the page was under way: ";
	return h("p.cause", why, link, h("pre", stringify(parse(other.text).params).slice(0, 400)));
}

function differenceView({ number, binding, bindings = [binding] }, { timeline }) {
	return bindings.map((name) => {
		const { pictures, earlier } = timeline.around(number, name);
		const one = difference(earlier?.values ?? {}, pictures.get(name)?.values ?? {});
		const shown = one
			? h("ul.diffs", { label: "Values before and after" }, one.children.map(diffView))
			: h("p.v-null", "The picture is the same as before.");
		return [bindings.length > 1 && h("b", name), shown];
	});
}

/** The command that repeats a request; of a frame, the one that watches its instance. */
function repeat({ kind, instance, instances = [instance], cause }, message, place) {
	const { timeline, session } = place;
	if (kind === "request" || kind === "notice") return [message].flat().map((one) => call(one, place)).join("\n");
	const request = kind !== "frame" && timeline.entry(cause);
	if (request) return repeat(request, parse(request.text), place);
	return instance === undefined ? command(session, "instances") : instances.map((one) => command(session, "watch", one)).join("\n");
}

function call({ method, params }, { timeline, session, contract }) {
	const dot = method.lastIndexOf(".");
	const { schema } = contract.call(timeline.types.typeOf(method.slice(0, dot)), method.slice(dot + 1)) ?? {};
	if (!schema) return rpcCommand(session, method, params);
	const { _meta: meta, ...rest } = params ?? {};
	return callCommand({ session, method, params: params && rest, schema, meta });
}
