/**
 * Hooks of React 18 for the clients that viewmodelctl generates.
 *
 *     import React from "react";
 *     import { start } from "./client.js";
 *     import { hooks } from "./viewmodel-react.js";
 *
 *     const client = start({ session: "desk" });
 *     const { useViewModel, useRows, useAction, useInput, useField, useEvent, useConnection } = hooks(React);
 */
export function hooks({ useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore }) {
	/**
	 * Subscribes a component to what `open(changed, get)` opens. It returns the function that closes it, and calls
	 * `changed` with each new value.
	 */
	function useStore(first, open, keys) {
		const store = useMemo(() => {
			let value = first;
			return {
				get: () => value,
				subscribe: (render) => open((next) => {
					value = next;
					render();
				}),
			};
		}, keys);
		return useSyncExternalStore(store.subscribe, store.get, store.get);
	}

	/** The picture of some outputs, or of all; `{}` until it is known. `options` are those of `hold`. */
	function useViewModel(model, outputs, options) {
		return useStore({}, (changed) => {
			const hold = model.hold({ ...options, outputs });
			if (hold.epoch) changed(hold.picture);
			hold.on("picture", changed);
			return () => void hold.close().catch(() => {});
		}, [model.connection, model.id, JSON.stringify([outputs, options])]);
	}

	/**
	 * A list of any length, of which the component renders the `visible` rows, each with an absolute position:
	 *
	 *     <div ref={list.ref} style={{ height: 400, overflow: "auto" }}>
	 *       <div style={{ position: "relative" }}>
	 *         {list.visible.map(({ key, row, style }) => <p key={key} style={style}>{row?.text ?? "…"}</p>)}
	 *
	 * The rows in view stay there when others come or go above them. `at` has the row of an index, or undefined while it
	 * is on the way.
	 */
	function useRows(model, output, { height = 24, page } = {}) {
		const { ref, open, empty } = useMemo(() => {
			let element, attach = () => {};
			return {
				empty: { length: 0, visible: [], at: () => undefined },
				ref(node) {
					element = node;
					attach();
				},
				open(changed) {
					let detach = () => {};
					const list = model.list(output, { page });
					const at = (index) => list.at(index);
					const show = ({ first, end, shift }) => {
						const from = Math.max(0, first - 5);
						const visible = Array.from({ length: Math.min(list.length, end + 5) - from }, (_, place) => {
							const index = from + place;
							const style = { position: "absolute", insetInline: 0, height, top: index * height + shift };
							const row = at(index);
							return { key: row?.id ?? `at ${index}`, index, row, style };
						});
						changed({ length: list.length, at, visible });
					};
					attach = () => {
						detach();
						detach = element ? list.attach(element, height, show) : list.on("change", () => show({ first: 0, end: 0, shift: 0 }));
					};
					attach();
					return () => {
						attach = () => {};
						detach();
						list.close().catch(() => {});
					};
				},
			};
		}, [model.connection, model.id, output, height, page]);
		return { ...useStore(empty, open, [open]), ref };
	}

	/** Calls a method of a ViewModel. `run` never rejects: `error` has the failure until the next run. */
	function useCall({ connection, id, constructor }, name) {
		const [failed, setFailed] = useState({});
		const calls = useMemo(() => new Set(), [connection, id, name]);
		const run = useCallback(async (...values) => {
			const call = new AbortController();
			calls.add(call);
			setFailed({});
			try {
				const model = new constructor(connection, id);
				const method = model[name];
				values.length = method.length - 1;
				return await method.call(model, ...values, { signal: call.signal });
			} catch (failure) {
				if (!call.signal.aborted) setFailed({ calls, error: failure });
			} finally {
				calls.delete(call);
			}
		}, [calls]);
		const cancel = useCallback(() => calls.forEach((call) => call.abort()), [calls]);
		return { run, cancel, error: failed.calls === calls ? failed.error : undefined };
	}

	/** An action by the name of its method: `run` and `cancel`, whether it is `enabled` and `executing`, `progress`, `error`. */
	function useAction(model, name) {
		const wire = name.replace(/_+$/, "");
		const outputs = ["enabled", "executing", "progress"].map((part) => `${wire}.${part}`);
		const { [outputs[0]]: enabled = false, [outputs[1]]: executing = false, [outputs[2]]: progress = null } = useViewModel(model, outputs);
		return { ...useCall(model, name), enabled, executing, progress };
	}

	/** An input by the name of its method: `send(value)` and the `error` of the last one. */
	function useInput(model, name) {
		const { run: send, error } = useCall(model, name);
		return { send, error };
	}

	/**
	 * A field: `<input ref={field.ref} />`, of any type, or a `<textarea>` or `<select>`. Other controls show `value` and
	 * call `set(value)`. `error` says why the ViewModel refused the last change.
	 */
	function useField(model, name) {
		const { ref, set, open, empty } = useMemo(() => {
			let element, field, attach = () => {};
			return {
				empty: { value: "", error: undefined },
				ref(node) {
					element = node;
					attach();
				},
				set: (value) => field?.edit(value),
				open(changed) {
					const hold = model.hold({ outputs: [name] });
					field = hold.field(name);
					let detach = () => {};
					const show = () => changed({ value: field.text, error: field.error });
					attach = () => {
						detach();
						detach = element ? field.attach(element) : () => {};
					};
					attach();
					field.on("text", show);
					field.on("refused", show);
					if (field.text !== "") show();
					return () => {
						attach = () => {};
						field = undefined;
						detach();
						hold.close().catch(() => {});
					};
				},
			};
		}, [model.connection, model.id, name]);
		return { ...useStore(empty, open, [open]), ref, set };
	}

	/** Calls `listener` with each event of a name. It may be another function in each render. */
	function useEvent(model, name, listener) {
		const newest = useRef(listener);
		useEffect(() => {
			newest.current = listener;
		});
		useEffect(() => model.watch(name, (value) => newest.current(value)), [model.connection, model.id, name]);
	}

	/** The `state` of the connection, and the `problem` while there is none. */
	function useConnection(client) {
		const now = () => ({ state: client.connectionState, problem: client.problem });
		return useStore(now(), (changed) => {
			changed(now());
			const offs = ["state", "lost"].map((event) => client.on(event, () => changed(now())));
			return () => offs.forEach((off) => off());
		}, [client]);
	}

	return { useViewModel, useRows, useAction, useInput, useField, useEvent, useConnection };
}
