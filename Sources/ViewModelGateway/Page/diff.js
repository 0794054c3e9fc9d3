/**
 * What differs between two JSON values, as a tree of `{name, kind, before?, after?, from?, children?}`. The kind is `added`,
 * `removed`, `changed`, `moved` (a row that was at the index `from`) or `parts` (see `children`).
 */
import { isEqual, isObject, isRecord, member } from "./json.js";

/** Compares two values. The result is `undefined` if they are equal. */
export function difference(before, after, name = "") {
	if (before === undefined) return after === undefined ? undefined : { name, kind: "added", after };
	if (after === undefined) return { name, kind: "removed", before };
	if (isEqual(before, after)) return undefined;
	const areLists = Array.isArray(before) && Array.isArray(after);
	if (areLists && hasIDs(before) && hasIDs(after)) return { name, kind: "parts", children: rowDifferences(before, after) };
	if (!areLists && !(isRecord(before) && isRecord(after))) return { name, kind: "changed", before, after };
	const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
	return { name, kind: "parts", children: names.map((key) => difference(member(before, key), member(after, key), key)).filter(Boolean) };
}

/** Whether each element is an object with an `id` of its own. */
const hasIDs = (rows) =>
	rows.every((row) => isObject(row) && /string|number/.test(typeof row.id)) &&
	new Set(rows.map(({ id }) => id)).size === rows.length;

function rowDifferences(before, after) {
	const earlier = new Map(before.map(({ id }, index) => [id, index]));
	const later = new Set(after.map(({ id }) => id));
	const staying = longestIncreasing(after.map(({ id }) => earlier.get(id)).filter((index) => index !== undefined));
	const children = before.flatMap((row, index) => later.has(row.id) ? [] : { name: String(index), kind: "removed", before: row });
	after.forEach((row, index) => {
		const from = earlier.get(row.id);
		const change = difference(before[from], row, String(index));
		if (from === undefined || staying.has(from)) children.push(change);
		else children.push({ name: String(index), kind: "moved", from, after: row, children: change?.children });
	});
	return children.filter(Boolean);
}

/** The members of a longest increasing subsequence: the rows that need not move. */
function longestIncreasing(numbers) {
	const ends = [];
	const previous = new Map();
	for (const number of numbers) {
		let [low, high] = [0, ends.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (ends[middle] < number) low = middle + 1;
			else high = middle;
		}
		previous.set(number, ends[low - 1]);
		ends[low] = number;
	}
	const result = new Set();
	for (let number = ends.at(-1); number !== undefined; number = previous.get(number)) result.add(number);
	return result;
}
