/** The pictures that a record of messages describes, one state after each message. States are immutable. */
import { isRecord, parse, stringify } from "./json.js";
import { applyPatch } from "./viewmodel.js";

const newConnection = { attach: undefined, requests: new Map(), pictures: new Map() };

/**
 * The state before the first message.
 *
 * `connections` has, for each number, `attach` (the two messages), `requests` (unanswered ones) and `pictures`: binding
 * → `{id, epoch, seq, values, params}`. `last` has the newest picture of each binding, which a resumed one continues.
 */
export const nothing = { connections: new Map(), last: new Map() };

/** Returns the state after an entry of a timeline. */
export function after(state, { connection, event, text }) {
	if (event === "open") return changed(state, connection, newConnection);
	if (event === "close") {
		const connections = new Map(state.connections);
		connections.delete(connection);
		return { ...state, connections };
	}
	const step = event === "sent" ? sent : received;
	return [parse(text)].flat().filter(isRecord).reduce((before, message) => step(before, connection, message), state);
}

/** The key of a binding: its instance, with the tag if it has one. */
export const bindingOf = (params) => (params?.tag == null ? params?.id : `${params.id} (${params.tag})`);

const of = (state, connection) => state.connections.get(connection) ?? newConnection;

function changed(state, connection, change) {
	return { ...state, connections: new Map(state.connections).set(connection, { ...of(state, connection), ...change }) };
}

function sent(state, connection, message) {
	if (!/^(session\.(attach|close)|viewModel\.(bind|unbind|close))$/.test(message.method) || message.id === undefined) return state;
	return changed(state, connection, { requests: new Map(of(state, connection).requests).set(stringify(message.id), message) });
}

function received(state, connection, { id, method, params, result, ...message }) {
	const { requests: before, pictures } = of(state, connection);
	if (method === "viewModel.changed") {
		const binding = bindingOf(params);
		const picture = pictures.get(binding);
		return picture ? withPicture(state, connection, binding, picture, params) : state;
	}
	if (method === "viewModel.closed") return without(state, connection, ({ id }) => id === params?.id);
	if (method !== undefined) return method === "session.closed" ? changed(state, connection, { pictures: new Map() }) : state;
	const request = before.get(stringify(id));
	if (!request) return state;
	const requests = new Map(before);
	requests.delete(stringify(id));
	const next = changed(state, connection, { requests });
	if (result === undefined) return next;
	if (request.method === "session.attach")
		return changed(next, connection, { attach: [request, { ...message, id, result }], pictures: new Map() });
	if (request.method === "session.close")
		return request.params?.session === undefined ? changed(next, connection, { pictures: new Map() }) : next;
	const binding = bindingOf(request.params);
	if (request.method === "viewModel.close") return without(next, connection, ({ id }) => id === request.params?.id);
	if (request.method !== "viewModel.bind") return without(next, connection, (_, key) => key === binding);
	const { since, ...options } = request.params;
	const last = result.full ? undefined : state.last.get(binding);
	return withPicture(
		next,
		connection,
		binding,
		{ id: options.id, epoch: result.epoch, values: last?.epoch === result.epoch ? last.values : {}, params: options },
		result,
	);
}

function without(state, connection, isEnded) {
	const pictures = [...of(state, connection).pictures].filter(([key, picture]) => !isEnded(picture, key));
	return changed(state, connection, { pictures: new Map(pictures) });
}

function withPicture(state, connection, binding, before, { seq, values, patch }) {
	let picture = { ...before.values, ...values };
	try {
		if (patch) picture = applyPatch(picture, patch);
	} catch {
		// A part of the record is missing. What is known stays.
	}
	const one = { ...before, seq, values: picture };
	return {
		...changed(state, connection, { pictures: new Map(of(state, connection).pictures).set(binding, one) }),
		last: new Map(state.last).set(binding, one),
	};
}
