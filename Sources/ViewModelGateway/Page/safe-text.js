/**
 * Characters that change how other text looks, or that cannot be seen: controls, bidirectional controls, zero-width
 * characters, line separators, tags and lone surrogates. The joiners U+200C and U+200D stay: scripts and emoji need them.
 */
const hidden =
	/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/** Returns a text in which hidden characters are visible: `␀` for a control, `⟨U+202E⟩` for others. */
export function visible(text) {
	return String(text).replace(hidden, (char) => {
		const code = char.codePointAt(0);
		if (code < 0x20) return String.fromCodePoint(0x2400 + code);
		if (code === 0x7f) return "␡";
		return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
	});
}

/** Whether a text has characters that `visible` replaces. */
export const hasHidden = (text) => String(text).search(hidden) >= 0;

/** Returns a text in one line of at most `length` characters. */
export function brief(text, length = 80) {
	const line = visible(text).replace(/\s+/g, " ");
	return line.length > length ? line.slice(0, length - 1).replace(/\p{Cs}$/u, "") + "…" : line;
}

const units = ["B", "KB", "MB", "GB", "TB"];

/** Returns a number of bytes for people: `1.5 KB`. */
export function size(bytes) {
	let power = 0;
	while (bytes / 1000 ** power >= 999.5 && power < 4) power++;
	const value = bytes / 1000 ** power;
	return `${value < 9.95 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

/** Returns a number for people. Narrow spaces group the digits before the point, and none is lost. */
export function number(value) {
	const [, sign, digits, rest] = /^(-?)(\d{5,})((?:\..*)?)$/s.exec(value) ?? [];
	return digits ? sign + digits.replace(/\B(?=(\d{3})+$)/g, "\u202f") + rest : String(value);
}

/** Returns a number of things: `1 member`, `2 members`. */
export const count = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Returns the facts that are known, in one line. */
export const factsLine = (...facts) => facts.filter(Boolean).join(" · ");
