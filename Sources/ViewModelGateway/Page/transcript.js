/** The text form of a timeline: the record format of `viewmodelctl record` (docs/record.md). */
import { parse, stringify } from "./json.js";

const symbols = { open: "open", close: "close", sent: ">", received: "<" };

/** Writes a timeline as a transcript. `date` is that of its beginning. */
export function exportTranscript({ entries, base, dropped }, { program, contract, date }) {
	const lines = ["# viewmodel-transcript 1", `# program ${program}`, `# contract ${contract}`, `# date ${date.toISOString()}`];
	if (dropped.entries > 0) lines.push(`# dropped ${dropped.entries} messages that came before these`);
	// A line feed between the tokens of a message would end its line.
	const line = (time, connection, event, text) =>
		lines.push(`${time.toFixed(6)} ${connection} ${symbols[event]}${text ? " " + text.replace(/[\r\n]+/g, " ") : ""}`);
	for (const [connection, state] of base.connections)
		preamble(state, (event, message) => line(entries[0]?.time ?? 0, connection, event, message && stringify(message)));
	for (const { time, connection, event, text } of entries) line(time, connection, event, text);
	return lines.join("\n") + "\n";
}

/** The messages that make what a connection had when the oldest entry came. */
function preamble({ attach, pictures, requests }, line) {
	line("open");
	if (attach) ["sent", "received"].forEach((event, index) => line(event, attach[index]));
	let count = 0;
	for (const [instance, { epoch, seq, values, params }] of pictures) {
		const id = `picture-${++count}`;
		line("sent", { jsonrpc: "2.0", id, method: "viewModel.bind", params });
		line("received", { jsonrpc: "2.0", id, result: { id: instance, epoch, seq, full: true, values } });
	}
	for (const message of requests.values()) line("sent", message);
}

/** Reads a transcript: its header, and entries for `Timeline.add`. An error names the first line that is not of the format. */
export function importTranscript(text) {
	const header = { program: "", contract: "", date: "" };
	const entries = [];
	const check = (isRight, index, reason) => {
		if (!isRight) throw new Error(`Line ${index + 1}: ${reason}.`);
	};
	check(text.startsWith("# viewmodel-transcript 1\n"), 0, "this is no transcript of version 1");
	// A last line without a line feed was torn.
	text
		.split("\n")
		.slice(0, -1)
		.forEach((line, index) => {
			const [, name, fact] = /^# (\S+) (.*)$/.exec(line) ?? [];
			if (entries.length === 0 && name && Object.hasOwn(header, name)) header[name] = fact;
			if (line === "" || line.startsWith("#")) return;
			const [, time, connection, word, message = ""] = /^(\d+\.\d{6}) ([1-9]\d*) (\S+)(?: (.*))?$/s.exec(line) ?? [];
			check(time, index, "it does not begin with a time with six decimals, a connection and an event, as in 0.012345 1 open");
			const event = Object.keys(symbols).find((one) => symbols[one] === word);
			check(event, index, `${word} is no event`);
			if (word === ">" && message.startsWith("!")) return;
			check(!/[<>]/.test(word) || isJSON(message), index, "the message is no JSON");
			entries.push({ time: Number(time), connection: Number(connection), event, text: message });
		});
	return { header, entries };
}

function isJSON(text) {
	try {
		return parse(text) !== undefined;
	} catch {
		return false;
	}
}
