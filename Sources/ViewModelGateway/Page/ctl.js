/** `viewmodelctl` commands that do what the page does, quoted for a shell. */
import { isRecord, stringify } from "./json.js";
import { hasHidden } from "./safe-text.js";
import { masked } from "./secrets.js";

/** Quotes a word for a POSIX shell. */
export const quote = (word) => (/^[\w@%+:,./-][\w@%+:,./=-]*$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

/** Whether a terminal would interpret a part of a text, or a person not see it. */
const isRisky = (text) => hasHidden(text) || /[\n\t]/.test(text);

/** JSON of which each person sees all and a terminal interprets nothing. */
function json(value) {
	const text = stringify(value);
	return isRisky(text) ? text.replace(/[^\x20-\x7e]/g, (char) => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0")) : text;
}

const isEmpty = (values) => values === undefined || (isRecord(values) && Object.keys(values).length === 0);

/** A command such as `viewmodelctl --session desk watch lab`. */
export const command = (session, ...words) => ["viewmodelctl", ...(session ? ["--session", session] : []), ...words].map(quote).join(" ");

/** With what the retry keys begin that the page makes. A command with such a key would not run again. */
export const ownKey = "inspector ";

/** `viewmodelctl call …` for an input or an action, without secrets. `meta` is `{deadline?, key?}`. */
export function callCommand({ session, method, params, schema, meta: { deadline, key } = {} }) {
	const keys = key === undefined || `${key}`.startsWith(ownKey) ? [] : [`--key=${key}`];
	const options = [...(deadline === undefined ? [] : ["--deadline", String(deadline)]), ...keys];
	return command(session, "call", method, ...words(params, schema), ...options);
}

function words(params, schema) {
	if (isEmpty(params)) return [];
	const { kind, members } = schema;
	const secrets = kind === "password" ? ["value"] : members.filter(([, one]) => one.kind === "password").map(([name]) => name);
	// What is not by name is the member `value`.
	const safe = "value" in params && !schema.isByName() ? { ...params, value: masked(params.value, schema) } : masked(params, schema);
	// The command reads a secret from the standard input.
	if (secrets.length > 0)
		return Object.entries(safe).map(([name, value]) => secrets.includes(name) ? `${name}=@-` : `${name}:=${json(value)}`);
	// With another schema the command would read a text such as 5 as a number.
	const isText = ["string", "date", "bytes", "decimal", "uuid", "uri"].includes(kind) && params.value && !isRisky(params.value);
	return [isText ? `--text=${params.value}` : `--json=${json(safe)}`];
}

/** `viewmodelctl read …` for an output, or for rows of a list. */
export const readCommand = (session, id, output, offset, count) =>
	command(session, "read", id, output, ...(count === undefined ? [] : ["--window", `${output}=${offset},${count}`]));

/** `viewmodelctl open …` for a new instance. */
export const openCommand = (session, type, id, values) =>
	command(session, "open", type, ...(id ? ["--id", id] : []), ...(isEmpty(values) ? [] : [`--json=${json(values)}`]));

/** `viewmodelctl rpc …` for any other method. */
export const rpcCommand = (session, method, params) => command(session, "rpc", method, ...(params === undefined ? [] : [json(params)]));
