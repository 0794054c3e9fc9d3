"""ViewModels for GTK 4: properties, list models, actions, text boxes, dialogs and pages.

Use it beside the client that `viewmodelctl generate python` writes, with `Session("desk", dispatch=GLib.idle_add)`.
It needs PyGObject, GTK 4.8 and libadwaita 1.2, or later ones. All of it runs on GTK's thread.
"""
from __future__ import annotations

import contextlib
import functools
import os
import re
import types
import typing
import weakref
from decimal import Decimal
from typing import Any, Callable, Iterable
from uuid import UUID

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gio, GLib, GObject, Gtk  # noqa: E402

SYNC = GObject.BindingFlags.SYNC_CREATE
BOTH = SYNC | GObject.BindingFlags.BIDIRECTIONAL
SIGNAL = (GObject.SignalFlags.RUN_FIRST | GObject.SignalFlags.DETAILED, None, (object,))


def dashed(name: str) -> str:
    """The name of a member for GObject: `undo_enabled` is `undo-enabled`. Letters outside of ASCII become numbers."""
    return re.sub("[^A-Za-z0-9-]", lambda found: f"-u{ord(found[0]):x}", name.strip("_").replace("_", "-"))


def weak(method: Callable[..., Any]) -> Callable[..., None]:
    """Calls a method while its object lives, and does not keep the object alive."""
    found = weakref.WeakMethod(method)

    def call(*arguments: Any) -> None:
        if (living := found()) is not None:     # An empty list is false.
            living(*arguments)
    return call


def closing(owner: Any) -> list[Callable[[], object]]:
    """A list of functions that are called when the object ends.

    No handler of the signal `destroy` does that: Python may have cleared its function when it collects a cycle.
    """
    ends: list[Callable[[], object]] = []
    owner.ends = [*getattr(owner, "ends", ()), ends]    # PyGObject keeps the wrapper of an object with an attribute.
    weakref.finalize(owner, close, ends).atexit = False
    return ends


def close(ends: Iterable[Callable[[], object]]) -> None:
    for end in ends:
        with contextlib.suppress(AttributeError):   # Python may have cleared a session that goes with it.
            end()


# Properties


def parts(hint: Any) -> list[Any]:
    """The types of a value, without null, and the cases of an enumeration."""
    if typing.get_origin(hint) in (typing.Literal, typing.Union, types.UnionType):
        return [part for one in typing.get_args(hint) for part in parts(one)]
    return [] if hint is type(None) else [hint]


def pspec(hint: Any, flags: GObject.ParamFlags) -> tuple[Any, ...]:
    """The property for a value of a type. Its default is shown for null, and before the first picture."""
    kinds = {part if callable(part) else type(part) for part in parts(hint)}
    if kinds <= {str, Decimal, UUID}:
        return str, "", "", None, flags
    if kinds == {int}:
        return GObject.TYPE_INT64, "", "", -(1 << 63), (1 << 63) - 1, 0, flags
    if kinds == {float}:
        return float, "", "", -GLib.MAXDOUBLE, GLib.MAXDOUBLE, 0.0, flags
    return (bool, "", "", False, flags) if kinds == {bool} else (GObject.TYPE_PYOBJECT, "", "", flags)


def shown(source: Any, spec: GObject.ParamSpec) -> Any:
    """What a property has for the value of a row or a model."""
    value = source.raw(spec.name)
    if spec.value_type == GObject.TYPE_STRING:
        return None if value is None else str(value)
    return spec.default_value if value is None and spec.value_type != GObject.TYPE_PYOBJECT else value


def of_raw(change: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function for a binding that gets the value itself, not that of the property."""
    return lambda binding, _: change(binding, binding.dup_source().raw(name))


names: set[str] = set()
shared: weakref.WeakValueDictionary[tuple[Any, str, str], Shared] = weakref.WeakValueDictionary()
connected: dict[int, Model] = {}    # The handlers, which keep their models.


def made(name: str, base: type, members: dict[str, Any]) -> Any:
    """A class with the GType `VmName`. A second client in the program has another `_` in its names."""
    name = f"Vm{name}"
    while name in names:
        name += "_"
    names.add(name)
    return type(name, (base,), {"__gtype_name__": name, **members})


@functools.cache
def row_class(kind: Any) -> type[Row]:
    """The class of the rows of a list, with a property for each member."""
    hints = typing.get_type_hints(kind) if isinstance(kind, type) and not issubclass(kind, dict) else {}
    attributes = {dashed(name): name for name in hints if name != "__match_args__"}
    specs = {name: pspec(hints[attribute], GObject.ParamFlags.READABLE) for name, attribute in attributes.items()}
    return made(getattr(kind, "__name__", ""), Row, {"__gproperties__": specs, "attributes": attributes})


@functools.cache
def model_class(kind: type) -> type[Model]:
    """The class for a ViewModel type, with a property for each output but events, and for the error of each action."""
    names, hints, specs = {}, {}, {}
    for contract, member in sorted(kind.members.items(), key=lambda each: each[1].kind != "action"):
        if member.kind in ("action", "state", "list", "field"):
            is_action, is_field = member.kind == "action", member.kind == "field"
            name = f"{dashed(member.name)}-error" if is_action else dashed(member.output)
            hint = hints[name] = str if is_action else output_type(kind, member)
            flags = GObject.ParamFlags.READWRITE if is_field else GObject.ParamFlags.READABLE
            names[name] = contract
            specs[name] = (Rows, "", "", flags) if member.kind == "list" else pspec(hint, flags)
    return made(kind.__name__, Model, {"__gproperties__": specs, "names": names, "hints": hints})


def output_type(kind: Any, member: Any) -> Any:
    return typing.get_type_hints(vars(kind._picture)[member.output].func)["return"]


class Row(GObject.Object):
    """A row of a list. `row` is the typed row, and None until it is loaded."""

    __gtype_name__ = "ViewModelRow"
    attributes: dict[str, str] = {}
    do_get_property = shown

    def __init__(self) -> None:
        super().__init__()
        self.row: Any = None    # PyGObject keeps the wrapper of an object that has an attribute.

    def raw(self, name: str) -> Any:
        return getattr(self.row, self.attributes[name], None)

    def load(self, row: Any) -> None:
        old, self.row = self.row, row
        for name, attribute in self.attributes.items():
            if old is None or getattr(old, attribute) != getattr(row, attribute):
                self.notify(name)


class Model(GObject.Object):
    """A ViewModel with a property for each output. An output is held from the time when it is read or connected.

    `undo-error` has the error of the action `undo` of a group, and is empty after the next call.
    The signal `event` has the name of an event as its detail: `connect("event::bell", lambda model, value: …)`.
    """

    __gtype_name__ = "ViewModelModel"
    __gsignals__ = {"event": SIGNAL}
    names: dict[str, str] = {}
    hints: dict[str, Any] = {}
    do_get_property = shown

    def __init__(self, vm: Any):
        super().__init__()
        self.vm, self._held, self._ends = vm, {}, closing(self)

    def raw(self, name: str) -> Any:
        held = self._hold(name)
        value = held if isinstance(held, Rows) else held.now if hasattr(held, "now") else held.value
        is_new = value == "" and str not in parts(self.hints[name])     # A field is "" before the first picture.
        return None if is_new else value

    def do_set_property(self, spec: GObject.ParamSpec, value: Any) -> None:
        self._hold(spec.name).edit(value)

    def bind_property(self, name: str, target: Any, to: str, flags: Any = 0, change: Any = None, back: Any = None) -> object:
        """Binds a property. The target keeps this object. `change` gets the value itself, `selected` a case's place."""
        name, target.models = name.replace("_", "-"), [*getattr(target, "models", ()), self]
        if to == "selected" and (known := [part for part in parts(self.hints[name]) if not callable(part)]):
            change = change or (lambda _, case: known.index(case) if case in known else Gtk.INVALID_LIST_POSITION)
            back = back or (lambda _, at: known[at] if at < len(known) else None)
        if isinstance(target, Gtk.TextBuffer):
            change = change or (lambda _, text: text or "")
        return super().bind_property(name, target, to, flags, change and of_raw(change, name), back)

    def connect(self, signal: str, *handler: Any) -> int:
        """Connects a handler, which keeps this object until `disconnect` or the end of the program."""
        kind, _, name = signal.partition("::")
        if kind == "notify" and name:
            self._hold(name)
        for contract, member in self.vm.members.items() if kind == "event" else ():
            if member.kind == "event" and name in ("", dashed(member.name)) and contract not in self._held:
                self._held[contract] = self._ends.append(self.vm.events(weak(self._tell), contract))
        handle = super().connect(signal, *handler)
        connected[handle] = self
        return handle

    def disconnect(self, handle: int) -> None:
        super().disconnect(handle)
        connected.pop(handle, None)

    def _tell(self, event: Any) -> None:
        self.emit(f"event::{dashed(self.vm.members[event.output].name)}", event.value)

    def _hold(self, name: str) -> Any:
        if name not in self._held:
            contract = self.names[name]
            kind = self.vm.members[contract].kind
            if kind == "list":
                self._held[name] = Rows(self.vm, contract)
            else:
                make = {"action": Shared.of, "field": type(self.vm).text}.get(kind, type(self.vm).value)
                held = self._held[name] = make(self.vm, contract)
                me = weakref.ref(self)
                stop = held.subscribe(lambda *_: (model := me()) and model.notify(name))
                self._ends.append(stop if kind == "action" else held.close)
        return self._held[name]


def model(vm: Any) -> Model:
    """The object for a ViewModel, of the GType `VmCalculator` for the class `Calculator`."""
    return model_class(type(vm))(vm)


# Lists


class Rows(GObject.Object, Gio.ListModel, Gtk.SelectionModel):
    """A list of a ViewModel, for `Gtk.ListView` and the like. Rows near those that are shown are loaded.

    Rows are selected by their ids, so that a row that moves stays selected: one, any number with `multiple`.
    """

    __gtype_name__ = "ViewModelRows"

    def __init__(self, vm: Any, name: str, page: int = 100, multiple: bool = False):
        super().__init__()
        kind = typing.get_args(output_type(type(vm), vm._member(name, "list")))
        self.row_class, self.multiple = row_class(*kind or (dict,)), multiple
        self.list = vm.list(name, page=page)
        self._at: weakref.WeakValueDictionary[int, Row] = weakref.WeakValueDictionary()
        self._known: weakref.WeakValueDictionary[Any, Row] = weakref.WeakValueDictionary()
        self._gone: list[Row] = []      # Until the end of the frame, in which they may come back.
        self._has_unseen = False        # Rows came where none are loaded, and may be these.
        self._selected: dict[Any, Row] = {}
        self._last, self._idle, self._shown = -1, 0, (0, 0)
        self.list.on_splice.append(weak(self._spliced))
        self.list.on_change.append(weak(self._changed))
        closing(self).append(self.list.close)

    @GObject.Property(type=object)
    def selected(self) -> list[Any]:
        """The ids of the selected rows."""
        return [*self._selected]

    @GObject.Property(type=GObject.Object)
    def selected_item(self) -> Row | None:
        """The first selected row."""
        return next(iter(self._selected.values()), None)

    def do_get_item_type(self) -> GObject.GType:
        return self.row_class.__gtype__

    def do_get_n_items(self) -> int:
        return len(self.list)

    def do_get_item(self, at: int) -> Row | None:
        if at >= len(self.list):
            return None
        row, item, self._last = self.list[at], self._at.get(at), at
        if item is None:
            item = self._at[at] = row is not None and self._known.get(row.id) or self.row_class()
        if row is not None and item.row is not row:
            self._load(item, row)
        self._later()
        return item

    def do_get_selection_in_range(self, first: int, count: int) -> Gtk.Bitset:
        selected = Gtk.Bitset.new_empty()
        for at, item in self._at.items():
            if first <= at < first + count and self._is_selected(item):
                selected.add(at)
        return selected

    def do_is_selected(self, at: int) -> bool:
        row = self.list.peek(at) if at < len(self.list) else None
        return row is not None and row.id in self._selected

    def do_set_selection(self, selected: Gtk.Bitset, mask: Gtk.Bitset) -> bool:
        """Selects rows that are loaded."""
        for at, item in self._at.items():
            if mask.contains(at) and not selected.contains(at) and self._is_selected(item):
                del self._selected[item.row.id]
        if mask.get_size() >= len(self.list):   # Rows without an object have no position here.
            self._selected = {id: item for id, item in self._selected.items() if item in self._at.values()}
        selected = selected.copy()
        selected.intersect(mask)
        size = selected.get_size()
        for at in filter(selected.contains, self._near()) if size > 1000 else map(selected.get_nth, range(size)):
            if at < len(self.list) and self.list.peek(at) is not None:
                item = self.do_get_item(at)
                self._selected = {**(self._selected if self.multiple else {}), item.row.id: item}
        self._reselected()
        return True

    def _is_selected(self, item: Row | None) -> bool:
        return item is not None and item.row is not None and item.row.id in self._selected

    def _reselected(self) -> None:
        if len(self.list):
            self.selection_changed(0, len(self.list))
        self.notify("selected")
        self.notify("selected-item")

    def _load(self, item: Row, row: Any) -> None:
        self._known[row.id] = item
        item.load(row)

    def _spliced(self, at: int, removed: int, inserted: int) -> None:
        moved = {}
        for place, item in self._at.items():
            if at <= place < at + removed:
                self._gone.append(item)
            else:
                moved[place + (inserted - removed if place >= at else 0)] = item
        self._at = weakref.WeakValueDictionary(moved)
        self._place_selected(range(at, at + inserted) if inserted <= 1000 else self._near())
        if inserted:
            self._has_unseen |= None in (self.list.peek(at), self.list.peek(at + inserted - 1))
        if self._last >= at:
            self._last = max(at, self._last + inserted - removed)
        self._later()
        self.items_changed(at, removed, inserted)
        if self._selected and not len(self.list):   # Also a row of which the place is unknown has gone.
            self._selected = {}
            self._reselected()

    def _place_selected(self, places: range) -> None:
        """Notes where selected rows are, also if GTK does not ask for them before they go."""
        for at in places if self._selected else ():
            if (row := self.list.peek(at)) is not None and row.id in self._selected and at not in self._at:
                self._at[at] = self._selected[row.id]

    def _changed(self, first: int, last: int) -> None:
        self._place_selected(range(first, last))
        for at in sorted(place for place in self._at.keys() if first <= place < last):
            item, row = self._at.get(at), self.list.peek(at)
            if item is None or row is None:
                continue
            known = self._known.get(row.id)
            if known is item or known is None and item.row is None:
                self._load(item, row)
            else:
                self._gone.append(self._at.pop(at))
                self.items_changed(at, 1, 1)
        self._later()

    def _near(self) -> range:
        """The places around those that are shown, where rows can be loaded."""
        return range(max(0, self._shown[0] - 500), min(self._shown[1] + 500, len(self.list)))

    def _later(self) -> None:
        if not self._idle:
            self._idle = GLib.idle_add(weak(self._settle))

    def _settle(self) -> None:
        """Tells which rows are shown: GTK has some two hundred in a row. Deselects the rows that have gone."""
        self._idle, places = 0, sorted(self._at.keys())
        starts = [nth for nth, at in enumerate(places) if nth == 0 or at != places[nth - 1] + 1] + [len(places)]
        runs = [(places[start], places[end - 1] + 1) for start, end in zip(starts, starts[1:])]
        first, last = max(runs, key=lambda run: (run[1] - run[0], run[0] <= self._last < run[1]), default=(0, 0))
        if last:
            self._shown = first, last
            self.list.show(first, last)
        if all((item := self._at.get(at)) is None or item.row for at in range(first, last)):  # Else they may come back.
            near = {row.id for row in map(self.list.peek, self._near()) if row is not None}
            gone = [] if self._has_unseen else [item.row.id for item in self._gone if self._is_selected(item)]
            if len(near) == len(self.list):     # All rows are loaded.
                gone = [*self._selected]
            lost = {*gone} - near - {item.row.id for item in self._at.values() if item.row is not None}
            self._gone, self._has_unseen = [], False
            for id in lost:
                del self._selected[id]
            if lost:
                self._reselected()


def factory(build: Callable[[Callable[..., None]], Gtk.Widget]) -> Gtk.ListItemFactory:
    """Makes the widgets of rows. `build(show)` returns one, and `show("text", label, "label")` binds a property of it.

    `show` takes a function for the value, too: `show("id", button, "action-target", lambda id: GLib.Variant("s", id))`.
    """
    made = Gtk.SignalListItemFactory()
    made.connect("setup", setup, build)
    made.connect("bind", bind)
    made.connect("unbind", unbind)
    return made


# Functions of the module are not cleared by Python before GTK has let go of the last row.


def setup(_: Any, item: Gtk.ListItem, build: Callable[[Callable[..., None]], Gtk.Widget]) -> None:
    item.shows = []
    item.set_child(build(lambda *show: item.shows.append(show)))


def bind(_: Any, item: Gtk.ListItem) -> None:
    item.bound = []
    for name, target, to, *changes in item.shows:
        own = (of_raw(lambda _, value, change=change: change(value), name) for change in changes)
        item.bound.append(item.get_item().bind_property(name, target, to, SYNC, *own))


def unbind(_: Any, item: Gtk.ListItem) -> None:
    for each in item.bound:
        each.unbind()


# Actions


class Shared:
    """An action that all groups and models of a ViewModel share, and its error, unless it was cancelled."""

    def __init__(self, vm: Any, name: str):
        self.action = vm.action(name)
        closing(self).append(self.action.close)

    @classmethod
    def of(cls, vm: Any, name: str) -> Shared:
        key = vm.client, vm.id, name
        return shared.get(key) or shared.setdefault(key, cls(vm, name))

    @property
    def error(self) -> Exception | None:
        return None if getattr(self.action.error, "code", 0) == -32800 else self.action.error

    @property
    def value(self) -> str:
        return str(self.error or "")

    def subscribe(self, callback: Callable[[Exception | None], object]) -> Callable[[], None]:
        """Calls back when the error changes. The result ends it."""
        seen = [self.error]

        def look(_: Any) -> None:
            if self.error is not seen[-1]:
                seen[:] = [self.error]
                callback(self.error)
        return self.action.subscribe(look)


class Actions(Gio.SimpleActionGroup):
    """The actions and inputs of a ViewModel: `widget.insert_action_group("calculator", Actions(desk.calculator))`.

    `calculator.undo` is enabled as the ViewModel says, and `calculator.undo.cancel` while it runs. An input is enabled
    while there is a connection. The target is the value, or a dictionary of the params, or the value of the first one.
    The signal `failed` has the name of the action as its detail, and the error.
    """

    __gtype_name__ = "ViewModelActions"
    __gsignals__ = {"failed": SIGNAL}

    def __init__(self, vm: Any):
        super().__init__()
        self._ends, self._held = closing(self), []
        for contract, member in vm.members.items():
            if member.kind == "action":
                self._add_action(Shared.of(vm, contract), dashed(member.name), member)
            elif member.kind in ("input", "field"):
                name = dashed(member.name)
                done = functools.partial(weak(self._failed), name)
                added = self._add(name, member, functools.partial(vm.run, contract, done=done))
                self._ends.append(vm.client.watch(lambda state, added=added: added.set_enabled(state == "connected")))

    def _add_action(self, held: Shared, name: str, member: Any) -> None:
        action = held.action
        added = self._add(name, member, action.run)
        cancel = self._add(f"{name}.cancel", None, action.cancel)

        def follow(_: Any) -> None:
            added.set_enabled(action.enabled)
            cancel.set_enabled(action.executing)
        self._held.append(held)
        self._ends += [action.subscribe(follow), held.subscribe(functools.partial(weak(self._failed), name))]

    def _add(self, name: str, member: Any, run: Callable[..., Any]) -> Gio.SimpleAction:
        def activate(_: Any, target: GLib.Variant | None) -> None:
            if target is None:      # A target of 0 or "" is false.
                return run()
            value = target.unpack()
            is_whole = member.parameters is None or isinstance(value, dict)
            run(value if is_whole else {next(iter(member.parameters)): value})
        action = Gio.SimpleAction.new(name, GLib.VariantType("*") if member and member.parameters != {} else None)
        action.connect("activate", activate)
        self.add_action(action)
        return action

    def _failed(self, name: str, *result: Any) -> None:
        if result[-1] is not None:
            self.emit(f"failed::{name}", result[-1])


def button(title: str, action: str, source: GObject.Object | None = None) -> Gtk.Button:
    """A button for an action with its target, as in `lab.append(5)`.

    The target is the text of a `source`, an entry, or the id of the selected row of `Rows`, with `multiple` all ids.
    """
    made = Gtk.Button(label=title)
    made.set_detailed_action_name(action)
    if isinstance(source, Rows):
        source.bind_property("selected", made, "action-target", SYNC, functools.partial(ids_target, source.multiple))
        source.bind_property("selected", made, "action-name", SYNC, lambda _, ids: action if ids else "no.row")
    elif source:
        source.bind_property("text", made, "action-target", SYNC, lambda _, text: GLib.Variant("s", text))
    return made


def ids_target(are_many: bool, _: Any, ids: list[Any]) -> GLib.Variant:
    targets = [GLib.Variant("x", id) if isinstance(id, int) else GLib.Variant("s", str(id)) for id in ids]
    return targets[0] if ids and not are_many else GLib.Variant("av", targets)


# Text


def edit(vm: Any, name: str, editable: Gtk.Editable) -> Gtk.Editable:
    """Connects a text box with a field, or with an input of a text, and returns it.

    A refused text has the style class `error`. A field shows what the ViewModel makes of it, and the caret stays at its
    place. The text of an input that has no output is sent again after the connection was lost. The mark of a field
    stays until the next letter, or until the ViewModel changes the text.
    """
    if not vm._member(name, "field", "input").is_text:
        raise TypeError(f"{type(vm).__name__}.{name} is no text: use kit.Actions, or for a field kit.model with kit.BOTH")
    found = editable.weak_ref()
    is_showing = False

    def show(value: Any, problem: Exception | None) -> None:
        nonlocal is_showing
        if (box := found()) is None:
            return
        value = value or ""
        old, is_showing = box.get_text(), True
        start = len(os.path.commonprefix([old, value]))
        end = len(os.path.commonprefix([old[start:][::-1], value[start:][::-1]]))

        def moved(at: int) -> int:
            after = at + len(value) - len(old) if at >= len(old) - end else min(at, len(value) - end)
            return at if at <= start else after
        if old != value:
            caret, bounds = box.get_position(), box.get_selection_bounds()
            anchor = next((at for at in bounds if at != caret), caret)
            box.delete_text(start, len(old) - end)
            box.insert_text(value[start:len(value) - end], start)
            box.select_region(moved(anchor), moved(caret))
        (box.add_css_class if problem else box.remove_css_class)("error")
        box.set_tooltip_text(str(problem) if problem else None)
        is_showing = False

    def send(box: Gtk.Editable) -> None:
        vm.run(name, text := box.get_text(), done=lambda _, error: show(found().get_text() if found() else text, error))

    if vm.members[name].kind == "field":
        text = vm.text(name)
        text.subscribe(lambda value, _: show(value, text.problem))
        editable.connect("changed", lambda box: is_showing or text.edit(box.get_text(), box.get_position()))
        closing(editable).append(text.close)
    else:
        stop = vm.client.watch(lambda state: state == "connected" and (box := found()) and box.get_text() and send(box))
        editable.connect("changed", lambda box: is_showing or send(box))
        closing(editable).append(stop)
    return editable


# Prompts and pages


def prompts(desk: Any, overlay: Adw.ToastOverlay) -> None:
    """Shows the prompts of a session as dialogs of the overlay's window, and its hints as toasts."""
    dialogs: dict[str, Adw.MessageDialog] = {}
    found = overlay.weak_ref()
    pending = desk.prompter.value("pending")

    def show(*_: Any) -> None:
        now = {prompt.id: prompt for prompt in pending.now or []}
        for id in [*dialogs]:
            if id not in now:
                dialogs.pop(id).close()
        for id, prompt in now.items():
            if id not in dialogs:
                dialogs[id] = prompt_dialog(prompt, found() and found().get_root(), answer)
                dialogs[id].present()
            dialogs[id].set_heading(prompt.title)
            dialogs[id].set_body(prompt.message or "")

    def answer(prompt: Any, button: str | None, text: str | None) -> None:
        """Answers, or shows the prompt again if it was closed without an answer, or is not answered after all."""
        given = {name: value for name, value in (("button", button), ("text", text)) if value is not None}
        if dialogs.pop(prompt.id, None):
            if button is None and (prompt.buttons or prompt.kind == "busy"):
                show()
            else:
                desk.prompter.run("answer", id=prompt.id,
                    done=lambda _, error: error and desk.state != "closed" and show(), **given)

    def hint(event: Any) -> None:
        priority = Adw.ToastPriority.HIGH if event.value.level == "error" else Adw.ToastPriority.NORMAL
        if box := found():
            box.add_toast(Adw.Toast(title=GLib.markup_escape_text(event.value.text), priority=priority))
    closing(overlay).extend([pending.subscribe(show), pending.close, desk.prompter.events(hint, "hint")])


def prompt_dialog(prompt: Any, window: Gtk.Window | None, answer: Callable[..., None]) -> Adw.MessageDialog:
    """A dialog that takes no key before half a second has passed without one, so that nobody answers by typing."""
    dialog = Adw.MessageDialog(transient_for=window, modal=True)
    looks = {"destructive": Adw.ResponseAppearance.DESTRUCTIVE, "default": Adw.ResponseAppearance.SUGGESTED}
    for button in sorted(prompt.buttons, key=lambda button: ("cancel", "destructive", "default").index(button.role)):
        dialog.add_response(button.id, button.title)
        dialog.set_response_appearance(button.id, looks.get(button.role, Adw.ResponseAppearance.DEFAULT))
        if button.role == "default":
            dialog.set_default_response(button.id)
        if button.role == "cancel" or len(prompt.buttons) == 1:
            dialog.set_close_response(button.id)
    entry = Gtk.Entry(activates_default=True) if prompt.kind == "input" else None
    dialog.set_extra_child(Gtk.Spinner(spinning=True) if prompt.kind == "busy" else entry)
    buttons = {button.id for button in prompt.buttons}

    def respond(dialog: Adw.MessageDialog, id: str) -> None:
        answer(prompt, id if id in buttons else None, entry.get_text() if entry and id in buttons else None)

    typed = GLib.get_monotonic_time()

    def press(controller: Gtk.EventControllerKey, *_: Any) -> bool:
        nonlocal typed
        before, typed = typed, GLib.get_monotonic_time()
        if is_early := typed - before < 500_000:
            window = controller.get_widget().get_transient_for()
            if window and (box := window.get_focus()):
                controller.forward(box)
        else:
            typed = 0
        return is_early
    keys = Gtk.EventControllerKey(propagation_phase=Gtk.PropagationPhase.CAPTURE)
    keys.connect("key-pressed", press)
    dialog.add_controller(keys)
    dialog.connect("response", respond)
    return dialog


class Scenes(Gtk.Stack):
    """The pages of the coordinator. `make(scene)` returns the widget of a scene, and the top one is shown."""

    __gtype_name__ = "ViewModelScenes"

    def __init__(self, desk: Any, make: Callable[[Any], Gtk.Widget]):
        super().__init__(transition_type=Gtk.StackTransitionType.SLIDE_LEFT_RIGHT)
        self._make, scenes = make, desk.coordinator.value("scenes")
        scenes.subscribe(weak(self._show))
        closing(self).append(scenes.close)

    def _show(self, scenes: list[Any]) -> None:
        for scene in scenes:
            if not self.get_child_by_name(scene.id):
                self.add_named(self._make(scene), scene.id)
        if scenes:
            self.set_visible_child_name(scenes[-1].id)
        for page in [*self.get_pages()]:
            if page.get_name() not in [scene.id for scene in scenes]:
                self.remove(page.get_child())
