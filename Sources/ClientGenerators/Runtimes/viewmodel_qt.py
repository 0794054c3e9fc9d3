"""ViewModels as objects of Qt 6: properties, item models, actions, text boxes, prompts and navigation.

It works with PyQt6 and PySide6, and needs the file that `viewmodelctl generate python` writes. All objects belong to
the thread of the application. Names are those of the contract.
"""
# The classes of Qt have no types here, because they come from PyQt6 or PySide6.
# mypy: disable-error-code="misc, valid-type, untyped-decorator, no-any-return, arg-type"
# pyright: basic
from __future__ import annotations

import atexit
import base64
import functools
import json
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timezone
from importlib import import_module, util
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

QT = "PySide6" if "PySide6" in sys.modules or not util.find_spec("PyQt6") else "PyQt6"
core: Any = import_module(f"{QT}.QtCore")
gui: Any = import_module(f"{QT}.QtGui")
widgets: Any = import_module(f"{QT}.QtWidgets")
owners: Any = import_module("shiboken6" if QT == "PySide6" else "PyQt6.sip")
prefix = "" if QT == "PySide6" else "pyqt"
Signal, Slot, Property = (getattr(core, prefix + name) for name in ("Signal", "Slot", "Property"))
Qt, QObject, QModelIndex, QTimer = core.Qt, core.QObject, core.QModelIndex, core.QTimer
QItemSelectionModel, SelectionFlag = core.QItemSelectionModel, core.QItemSelectionModel.SelectionFlag


def is_alive(target: Any) -> bool:
    return bool(owners.isValid(target) if QT == "PySide6" else not owners.isdeleted(target))


def reporting(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that reports its exceptions. One that leaves a slot would end a program of PyQt."""
    @functools.wraps(method)
    def call(*arguments: Any) -> Any:
        try:
            return method(*arguments)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)
    return call


def slot(*kinds: Any, **result: Any) -> Callable[[Any], Any]:
    return lambda method: Slot(*kinds, **result)(reporting(method))


def callback(owner: Any, method: Callable[..., Any]) -> Callable[..., None]:
    """A call of `method(owner, …)` that does nothing when `owner` is destroyed."""
    reference = weakref.ref(owner)

    def call(*arguments: Any) -> None:
        target = reference()
        if target is not None and is_alive(target):
            reporting(method)(target, *arguments)
    return call


def ending(owner: Any, *ends: Callable[[], None]) -> None:
    """Calls these when an object is gone. (PyQt crashes when `destroyed` of a child calls Python.)"""
    for end in ends:
        weakref.finalize(owner, reporting(end)).atexit = False


def keep(owner: Any, made: Any) -> None:
    """Keeps an object until its parent is gone: the wrapper of a parent that C++ made does not live long."""
    kept = owner.__dict__.setdefault("kept", [])
    kept[:] = [*filter(is_alive, kept), made]


def plain(value: Any) -> Any:
    """A value as the JSON of the contract, for QML."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return plain(value.to_json()) if hasattr(value, "to_json") else str(value)


def from_qml(value: Any) -> Any:
    if hasattr(value, "toVariant"):
        value = value.toVariant()
    return value.toUTC().toString(Qt.DateFormat.ISODateWithMs) if isinstance(value, core.QDateTime) else value


class Dispatcher(QObject):
    called = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.called.connect(self.work, Qt.ConnectionType.QueuedConnection)

    @reporting
    def work(self, call: Callable[[], Any]) -> None:
        call()

    def run(self, call: Callable[[], Any]) -> None:
        with suppress(RuntimeError):  # The application has ended.
            self.called.emit(call)


def dispatch() -> Callable[[Callable[[], Any]], None]:
    """The `dispatch` of a session. Call it on the thread of the application."""
    return Dispatcher().run


def hint_of(model: Any, name: str) -> Any:
    return get_type_hints(vars(model._picture)[model.members[name].output].func)["return"]


def empty(hint: Any) -> Any:
    """What is shown before a value of a type is there."""
    kind = type(get_args(hint)[0]) if get_origin(hint) is Literal else hint
    return kind() if kind in (str, int, float, bool) else None


# Lists


class RowsModel(core.QAbstractTableModel):
    """A list of any length. It has a role for each member of a row, and a column for each one but `id`.

    Rows are loaded when a view shows them. Until then their role `loaded` is false. `selection` is the selection model
    for views; in QML use the role `selected`, `select(row)`, `toggle(row)` and `current`.
    """

    countChanged, currentChanged = Signal(), Signal()

    def __init__(self, owner: Any, name: str):
        super().__init__(owner)
        self.page, self.members = owner._page, owner._model.members[name].row
        self.rows = rows = owner._model.list(name, page=self.page)
        members, hints = self.members, get_type_hints(get_args(hint_of(owner._model, name))[0])
        self.empty = {name: empty(hints.get(attribute)) for name, attribute in members.items()}
        self.columns = [name for name in members if name != "id"] or ["id"]
        roles = enumerate(["", *members, "loaded", "selected"], Qt.ItemDataRole.UserRole)
        self.roles = {Qt.ItemDataRole.DisplayRole if name == "" else role: name for role, name in roles}
        self.hidden = (0, 0)  # Rows that the runtime has and Qt does not know yet: where and how many.
        self.shown, self.is_reset, self.known = (0, 0), False, None
        self.timer = QTimer(self, singleShot=True, interval=0, timeout=self.show)
        self.selection = Selection(self)
        rows.on_splicing.append(callback(self, RowsModel.splicing))
        rows.on_splice.append(callback(self, RowsModel.splice))
        rows.on_change.append(callback(self, RowsModel.changed))
        ending(self, rows.close)

    # The model

    def rowCount(self, parent: Any = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows) - self.hidden[1]

    def columnCount(self, parent: Any = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def roleNames(self) -> Any:
        return {role: name.encode() or b"display" for role, name in self.roles.items()}

    @reporting
    def headerData(self, section: int, orientation: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        name = self.columns[section] if orientation == Qt.Orientation.Horizontal else section + 1
        return name if role == Qt.ItemDataRole.DisplayRole else None

    @reporting
    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if (name := self.roles.get(role)) is None or not index.isValid():
            return None
        name, at = name or self.columns[index.column()], index.row()
        at += self.hidden[1] if at >= self.hidden[0] else 0
        self.touch(at)
        row = self.rows.peek(at)
        if name in self.members:
            return self.empty[name] if row is None else plain(getattr(row, self.members[name]))
        return row is not None if name == "loaded" else self.selection.isSelected(self.index(index.row(), 0))

    def touch(self, at: int) -> None:
        """Notes that a view reads a row. The runtime loads what is near and drops what is far."""
        first, last = self.shown
        if "kept" in self.__dict__:
            self.timer.start()
        elif not first <= at < last:
            self.shown = min(at, max(first, at + 1 - self.page)), max(at + 1, min(last, at + self.page))
            self.timer.start()

    @reporting
    def show(self) -> None:
        for place in filter(is_alive, self.__dict__.get("kept", ())):
            self.shown = place.rows()  # Views read other rows, too, for their sizes.
        self.rows.show(*self.shown)

    def splicing(self, at: int, removed: int, inserted: int) -> None:
        self.selection.keep(at, removed)
        self.is_reset = bool(inserted) and removed == len(self.rows) > 0
        if self.is_reset:
            self.beginResetModel()
        elif removed:
            self.beginRemoveRows(QModelIndex(), at, at + removed - 1)
        else:
            self.beginInsertRows(QModelIndex(), at, at + inserted - 1)

    def splice(self, at: int, removed: int, inserted: int) -> None:
        if self.is_reset:
            self.endResetModel()
        elif removed:
            self.hidden = (at, inserted)
            self.endRemoveRows()
            if inserted:
                self.beginInsertRows(QModelIndex(), at, at + inserted - 1)
                self.hidden = (0, 0)
                self.endInsertRows()
        else:
            self.endInsertRows()
        if at < self.shown[0]:
            self.shown = (max(0, self.shown[0] + inserted - removed), max(1, self.shown[1] + inserted - removed))
        self.selection.restore(at, at + inserted)
        self.countChanged.emit()
        self.currentChanged.emit()

    def changed(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last - 1, len(self.columns) - 1))
        self.selection.restore(first, last)
        if first <= (at := self.currentRow) < last:
            self.known = self.rows.peek(at) or self.known
            self.currentChanged.emit()

    def know(self, index: Any, *_: Any) -> None:
        self.known = self.rows.peek(index.row()) if index.isValid() else None
        self.currentChanged.emit()

    # For programs

    count = Property(int, fget=rowCount, notify=countChanged)

    @Property(int, notify=currentChanged)
    def currentRow(self) -> int:
        """The row that is current and selected, or -1."""
        index = self.selection.currentIndex()
        return int(index.row()) if self.selection.isSelected(index) else -1

    @Property("QVariant", notify=currentChanged)
    def current(self) -> Any:
        """The selected row, as it was when it was loaded last."""
        return None if self.currentRow < 0 else self.json(self.known)

    @slot(int, result="QVariant")
    def get(self, at: int) -> Any:
        return self.json(self.rows[at]) if 0 <= at < len(self.rows) else None

    def json(self, row: Any) -> Any:
        return None if row is None else {name: plain(getattr(row, attribute)) for name, attribute in self.members.items()}

    @slot(int)
    def select(self, at: int, how: Any = SelectionFlag.ClearAndSelect) -> None:
        self.selection.setCurrentIndex(self.index(at, 0), how | SelectionFlag.Rows)

    @slot(int)
    def toggle(self, at: int) -> None:
        self.select(at, SelectionFlag.Toggle)

    def into(self, view: Any) -> Any:
        """Shows the list in a view of Widgets, which keeps its place while rows come and go above, and returns the view."""
        for name in ("setUniformItemSizes", "setUniformRowHeights"):  # Else a view reads all rows for their sizes.
            getattr(view, name, bool)(True)
        view.setModel(self)
        view.setSelectionModel(self.selection)
        keep(self, Place(view))
        return view


class Selection(QItemSelectionModel):
    """A selection that stays with its rows by their ids, also when they move or the list is loaded again."""

    def __init__(self, model: RowsModel):
        super().__init__(model, model)
        self.gone: dict[Any, bool] = {}  # Ids of selected rows that went, and whether the row was the current one.
        self.role = next(role for role, name in model.roles.items() if name == "selected")
        self.selectionChanged.connect(callback(self, Selection.show))
        self.currentChanged.connect(callback(model, RowsModel.know))

    def show(self, *changes: Any) -> None:
        model = self.model()
        for each in (each for ranges in changes for each in ranges):
            model.dataChanged.emit(model.index(each.top(), 0), model.index(each.bottom(), 0), [self.role])
        model.currentChanged.emit()

    def select(self, chosen: Any, flags: Any) -> None:
        if flags & SelectionFlag.Clear and not self.signalsBlocked():  # Qt blocks them when the model is reset.
            self.gone.clear()
        super().select(chosen, flags)

    def loaded(self, first: int, last: int) -> Iterator[tuple[int, Any]]:
        """The loaded rows from `first` to before `last`. Of many, those near to what is shown: others are not loaded."""
        model, far = self.model(), 3 * self.model().page
        if last - first > 10 * far:
            first, last = max(first, model.shown[0] - far), min(last, model.shown[1] + far)
        for at in range(first, min(last, len(model.rows))):
            if (row := model.rows.peek(at)) is not None:
                yield at, row

    def keep(self, at: int, removed: int) -> None:
        """Remembers the selected rows that are about to go."""
        for index, row in self.loaded(at, at + removed) if self.hasSelection() else ():
            if self.isRowSelected(index, QModelIndex()):
                self.gone[row.id] = False
        if at <= self.model().currentRow < at + removed and (row := self.model().known):
            self.gone[row.id] = True

    def restore(self, first: int, last: int) -> None:
        """Selects rows that came back."""
        for at, row in self.loaded(first, last) if self.gone else ():
            if row.id in self.gone:
                flags, index = SelectionFlag.Select | SelectionFlag.Rows, self.model().index(at, 0)
                self.setCurrentIndex(index, flags) if self.gone.pop(row.id) else self.select(index, flags)


class Place(QObject):
    """Keeps the first visible row of a view at its place."""

    moved = Signal()

    def __init__(self, view: Any):
        super().__init__(view)
        self.view, self.bar, self.is_moved, self.value = view, view.verticalScrollBar(), False, 0
        self.bar.valueChanged.connect(callback(self, Place.note))
        # After all changes of a frame, and before the view is drawn.
        self.moved.connect(callback(self, Place.restore), Qt.ConnectionType.QueuedConnection)
        for signal in ("rowsInserted", "rowsRemoved"):
            getattr(view.model(), signal).connect(callback(self, Place.move))
        self.note()

    def note(self, *_: Any) -> None:
        value = self.bar.value()
        if not self.is_moved:
            self.first = core.QPersistentModelIndex(self.view.indexAt(core.QPoint(0, 0)))
            self.top, self.scrolled = self.view.visualRect(QModelIndex(self.first)).top(), 0
        elif value < self.bar.maximum():  # The person scrolls. To the end, the view itself may have moved.
            self.scrolled += value - self.value
        self.value = value

    def rows(self) -> tuple[int, int]:
        first, last = (self.view.indexAt(core.QPoint(0, y)).row() for y in (0, self.view.viewport().height() - 1))
        return max(first, 0), (last if last >= 0 else self.view.model().rowCount() - 1) + 1

    def move(self, *_: Any) -> None:
        if not self.is_moved:
            self.is_moved = True
            self.moved.emit()

    def restore(self) -> None:
        if self.bar.value() > self.bar.minimum() and self.first.isValid():
            if self.view.verticalScrollMode() == self.view.ScrollMode.ScrollPerItem:
                place = self.first.row()
            else:
                place = self.bar.value() + self.view.visualRect(QModelIndex(self.first)).top() - self.top
            place += self.scrolled
            self.bar.setMaximum(max(self.bar.maximum(), place))  # Views count their rows later.
            self.bar.setValue(place)
        self.is_moved = False
        self.note()


# Actions

CANCELLED, DISABLED, EXECUTING = -32800, -32002, -32003


class ActionObject(gui.QAction):
    """An action of a ViewModel: `enabled` follows, and `trigger()` runs it, with `data()` as its params if that is set."""

    executingChanged, progressChanged, errorChanged = Signal(), Signal(), Signal()

    def __init__(self, owner: Any, name: str):
        super().__init__(name, owner)
        self.action = action = owner._model.action(name)
        self.last, self.was_enabled = (False, 0.0, ""), False
        self.triggered.connect(callback(self, lambda self, *_: self.run(*[self.data()] * (self.data() is not None))))
        ending(self, action.close, action.subscribe(callback(self, ActionObject.follow)))

    def follow(self, *_: Any) -> None:
        action, before = self.action, self.last
        code = getattr(action.error, "code", 0)
        is_problem = code != CANCELLED and not (self.was_enabled and code in (DISABLED, EXECUTING))
        self.last = (action.executing, action.progress or 0.0, str(action.error or "") if is_problem else "")
        self.setEnabled(action.enabled)
        for old, new, signal in zip(before, self.last, (self.executingChanged, self.progressChanged, self.errorChanged)):
            if old != new:
                signal.emit()

    executing = Property(bool, fget=lambda self: self.last[0], notify=executingChanged)
    progress = Property(float, fget=lambda self: self.last[1], notify=progressChanged)
    error = Property(str, fget=lambda self: self.last[2], notify=errorChanged)

    @Slot()
    @slot("QVariant")
    def run(self, *value: Any) -> None:
        """Runs it: `run({to: 100})`. No error is shown of a run that was cancelled, or refused while it was `enabled`."""
        self.was_enabled = self.isEnabled()
        try:
            self.action.run(*map(from_qml, value))
        except Exception as error:
            self.action.error = error
            self.follow()
            raise

    @slot()
    def cancel(self) -> None:
        self.action.cancel()


# Widgets


def property_of(source: Any, name: str) -> Any:
    at = source.metaObject().indexOfProperty(name)
    return source.metaObject().property(at) if at >= 0 else None


def notifier(source: Any, name: str) -> Any:
    """The signal that notifies of a property."""
    if not (found := property_of(source, name)) or not found.hasNotifySignal():
        raise LookupError(f"{type(source).__name__} has no property {name} that notifies")
    return getattr(source, bytes(found.notifySignal().name()).decode())


def edited(widget: Any) -> str:
    """The property that a person edits, such as `value` of a `QSpinBox`, or else the text or value."""
    user = widget.metaObject().userProperty()
    for name in ("plainText", user.name() if user.isValid() else "", "text", "value"):  # Qt crashes for no property.
        if (found := property_of(widget, name)) and found.isWritable():
            return name
    raise LookupError(f"{type(widget).__name__} has no value and no text. Name the property")


def show(source: Any, name: str, widget: Any, property: str = "", form: Callable[[Any], Any] | None = None) -> Any:
    """Shows a property of a ViewModel, an action, a list or the session in a widget, and returns the widget.

    Without `property` it is the widget's value or text. `form` makes what is shown of the value.
    """
    property = property or edited(widget)

    def follow(widget: Any, *_: Any) -> None:
        value = form(source.property(name)) if form else source.property(name)
        widget.setProperty(property, "" if value is None else value)
    notifier(source, name).connect(callback(widget, follow))
    callback(widget, follow)()
    return widget


class Editor(QObject):
    """Connects a field with what a person edits: a text box of Widgets or QML with its caret, or another widget."""

    def __init__(self, model: Any, field: str, box: Any):
        super().__init__(box)
        self.field, self.box, self.is_showing, self.name = model._hold(field), box, False, edited(box)
        self.tell = functools.partial(model._tell, field)
        notifier(model, given(field)).connect(callback(self, Editor.show))
        (box.textEdited if hasattr(box, "textEdited") else notifier(box, self.name)).connect(callback(self, Editor.edit))
        if has_caret(box):
            box.cursorPositionChanged.connect(callback(self, Editor.move))
        if box.property("inputMethodComposing") is not None:
            box.inputMethodComposingChanged.connect(callback(self, Editor.show))
        self.show()

    def edit(self, *_: Any) -> None:
        if not self.is_showing:
            self.field.edit(from_qml(self.box.property(self.name)), self.caret() if has_caret(self.box) else None)
            self.tell()

    def move(self, *_: Any) -> None:
        if not self.is_showing and self.box.property(self.name) == self.field.value:
            self.field.caret = self.caret()

    def caret(self) -> int:
        """The caret in characters. Qt counts in UTF-16."""
        place = self.box.textCursor().position() if self.name == "plainText" else self.box.property("cursorPosition")
        text = self.box.property(self.name).encode("utf-16-le", "surrogatepass")
        return len(text[: 2 * place].decode("utf-16-le", "replace"))

    def show(self, *_: Any) -> None:
        value = plain(self.field.value)
        if value is None and has_caret(self.box):
            value = ""
        if self.box.property(self.name) == value or value is None or self.box.property("inputMethodComposing"):
            return
        self.is_showing = True
        self.box.setProperty(self.name, value)
        if has_caret(self.box):
            place = len(value[: self.field.caret].encode("utf-16-le", "surrogatepass")) // 2
            if self.name == "plainText":
                (cursor := self.box.textCursor()).setPosition(place)
                self.box.setTextCursor(cursor)
            else:
                self.box.setProperty("cursorPosition", place)
        self.is_showing = False


def has_caret(box: Any) -> bool:
    return hasattr(box, "cursorPositionChanged")


# ViewModels


class Parts(QObject):
    """An object whose parts are made when they are read first."""

    def __init__(self, parent: Any):
        super().__init__(parent)
        self._parts: dict[str, Any] = {}

    def _part(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._parts:
            self._parts[name] = None
            self._parts[name] = make()
        return self._parts[name]


def part(name: str, make: Callable[[Any], Any]) -> Any:
    return Property(QObject, fget=reporting(lambda self: self._part(name, lambda: make(self))), constant=True)


class ViewModelObject(Parts):
    """A ViewModel. Its outputs are properties, lists models, events signals, inputs slots, actions `ActionObject`s.

    A property holds its output from the first reading or connection on. A field is a property that can be set. What
    the ViewModel refused of it is in a property of its own, `speedProblem` for `speed`, until the next edit.
    """

    refused = Signal(str, str)  # The name of an input and the reason.
    _events: ClassVar[dict[str, str]]  # By the names of their signals.
    _problems: ClassVar[dict[str, str]]  # The properties of problems by their fields.

    def __init__(self, model: Any, parent: Any, page: int = 100):
        self._model, self._page = model, page
        super().__init__(parent)

    def _hold(self, name: str) -> Any:
        """Holds a state or a field. The first call of the subscription comes before a reader has read the value."""
        def make() -> Any:
            is_field = name in self._problems
            source = self._model.text(name) if is_field else self._model.value(name)
            if is_field and name not in source.binding.picture.raw:
                source.value = empty(hint_of(self._model, name))
            tell = callback(self, lambda owner, *_: owner._parts[name] and owner._tell(name))
            ending(self, source.close, source.subscribe(tell))
            return source
        return self._part(name, make)

    def _tell(self, name: str) -> None:
        for each in (given(name), self._problems.get(name)):
            if each:
                getattr(self, f"{each}Changed").emit()

    @reporting
    def connectNotify(self, signal: Any) -> None:
        name = bytes(signal.name()).decode()
        if event := self._events.get(name):
            tell = callback(self, lambda owner, event: getattr(owner, name).emit(plain(event.value)))
            self._part(event, lambda: ending(self, self._model.events(tell, event)))
        else:
            self.property(name.removesuffix("Changed"))  # Reading holds it.

    @slot(str, QObject)
    def edit(self, field: str, box: Any) -> Any:
        """Connects a text box, and returns it: `Component.onCompleted: desk.sendList.edit("draft", this)`."""
        if field not in self._problems:
            fields = ", ".join(self._problems) or "none"
            raise LookupError(f"{type(self._model).__name__} has no field {field}. Its fields: {fields}")
        is_text = self._model.members[field].is_text
        if has_caret(box) != is_text and (has_caret(box) or not box.isWidgetType()):
            raise TypeError(f"The field {field} is no text for a {type(box).__name__}. Use another widget, or in QML its "
                            f"property: `value: vm.{given(field)}; onMoved: vm.{given(field)} = value`")
        keep(self, Editor(self, field, box))
        return box


def given(name: str, kind: Any = ViewModelObject) -> str:
    """The name of a member, which differs from those that each object has."""
    return f"{name}_" if hasattr(kind, name) or name == "session" else name


def state(name: str, changed: Any, is_field: bool, first: Any) -> Any:
    @reporting
    def read(self: Any) -> Any:
        value = self._hold(name).value if is_field else self._hold(name).now
        return first if value is None else plain(value)

    @reporting
    def write(self: Any, value: Any) -> None:
        self._hold(name).edit(from_qml(value))
        self._tell(name)
    return Property("QVariant", fget=read, fset=write if is_field else None, notify=changed)


def problem(name: str, changed: Any) -> Any:
    return Property(str, fget=reporting(lambda self: str(self._hold(name).problem or "")), notify=changed)


def input_slot(name: str, has_value: bool) -> Any:
    def call(self: Any, *value: Any) -> None:
        tell = callback(self, lambda owner, _, error: error and owner.refused.emit(name, str(error)))
        self._model.run(name, *map(from_qml, value), done=tell)
    call.__name__ = given(name)
    return slot(*["QVariant"] * has_value)(call)


@functools.lru_cache(None)
def class_of(kind: Any) -> Any:
    events: dict[str, str] = {}
    problems: dict[str, str] = {}
    space: dict[str, Any] = {"_events": events, "_problems": problems}
    for name, member in kind.members.items():
        if "." in name:
            continue
        if member.kind in ("state", "field"):
            space[f"{given(name)}Changed"] = changed = Signal()
            space[given(name)] = state(name, changed, member.kind == "field", empty(hint_of(kind, name)))
        if member.kind == "field":
            problems[name] = shown = given(f"{name}Problem") + "_" * (f"{name}Problem" in kind.members)
            space[f"{shown}Changed"] = changed = Signal()
            space[shown] = problem(name, changed)
        elif member.kind == "event":
            events[given(name)] = name
            space[given(name)] = Signal("QVariant")
        elif member.kind == "input":
            space[given(name)] = input_slot(name, member.parameters != {})
        elif member.kind in ("list", "action"):
            made = RowsModel if member.kind == "list" else ActionObject
            space[given(name)] = part(name, lambda self, made=made, name=name: made(self, name))
    for name, attribute in kind.children.items():
        space[given(name)] = part(name, lambda self, attribute=attribute: adapt(getattr(self._model, attribute), self))
    return type(QObject)(kind.__name__, (ViewModelObject,), space)


def adapt(model: Any, parent: Any) -> Any:
    """The object for a ViewModel."""
    return class_of(type(model))(model, parent)


# Sessions


class SessionObject(Parts):
    """A session. Its properties are the ViewModels by their names. It starts the session, and ends it with the application."""

    stateChanged, sceneChanged, hint = Signal(), Signal(), Signal(str, str)

    def __new__(cls, session: Any, *_: Any) -> Any:
        if cls is not SessionObject:
            return super().__new__(cls)
        return super().__new__(type(QObject)("Session", (cls,), {
            given(name, cls): part(name, lambda self, attribute=attribute: adapt(getattr(self.session, attribute), self))
            for name, attribute in type(session).instances.items()}))

    def __init__(self, session: Any, parent: Any = None):
        super().__init__(parent)
        self.session = session
        self._scenes: list[Any] = []
        self._engines: list[Any] = []
        ending(self, session.watch(callback(self, lambda self, _: self.stateChanged.emit())),
               session.coordinator.watch(callback(self, SessionObject._on_scenes), "scenes"),
               session.prompter.events(callback(self, lambda self, event: self.hint.emit(event.value.text, event.value.level)), "hint"))
        self._application = core.QCoreApplication.instance()
        atexit.register(self.close)  # Until then this object and the application outlive the pages that show it.
        session.start()

    @reporting
    def close(self) -> None:
        """Ends the session, and what `load` shows. The end of the program does it, too."""
        atexit.unregister(self.close)
        for engine in self._engines:
            engine.deleteLater()
            core.QCoreApplication.sendPostedEvents(engine, core.QEvent.Type.DeferredDelete.value)
        self._engines.clear()
        self.session.stop()

    def _on_scenes(self, picture: Any) -> None:
        self._scenes = plain(list(picture.scenes))
        self.sceneChanged.emit()

    state = Property(str, fget=lambda self: self.session.state, notify=stateChanged)
    problem = Property(str, fget=lambda self: str(self.session.problem or ""), notify=stateChanged)
    scene = Property("QVariant", fget=lambda self: self._scenes[-1] if self._scenes else None, notify=sceneChanged)

    @slot(str, str, result=QObject)
    def instance(self, kind: str, id: str) -> Any:
        """An instance of the type that has this name in the contract."""
        model = getattr(self.session, type(self.session).instances[kind])
        return self._part(f"{kind} {id}", lambda: adapt(self.session.instance(type(model), id), self))

    @slot(QObject, "QJSValue" if QT == "PySide6" else "QVariant")
    def navigate(self, stack: Any, pages: Any) -> None:
        """Shows the scenes in a `StackView`: `pages` has a Component for each one, and `other` for the rest.

        A page with a property `scene` gets its scene.
        """
        qml = import_module(f"{QT}.QtQml")
        engine = qml.qmlEngine(stack)
        function = engine.evaluate(NAVIGATE).call([engine.newQObject(stack), pages])

        def follow(self: SessionObject) -> None:
            if is_alive(stack):
                function.call([qml.QJSValue(json.dumps(self._scenes))])
        self.sceneChanged.connect(callback(self, follow))
        follow(self)

    def load(self, file: str) -> Any:
        """Shows a QML file, in which the session is `desk`, and its prompts. The result is the engine."""
        import_module(f"{QT}.QtQuick")  # It has the types of `import QtQuick`.
        engine = import_module(f"{QT}.QtQml").QQmlApplicationEngine()
        self._engines.append(engine)
        engine.rootContext().setContextProperty("desk", self)
        engine.load(file)
        if not engine.rootObjects():
            raise RuntimeError(f"{file} was not loaded: Qt has said why on the standard error")
        for window in engine.rootObjects():
            self.prompts(window)
        return engine

    def prompts(self, window: Any) -> None:
        """Shows what is asked in dialogs over a window of Widgets or QML."""
        keep(self, Prompts(self.session, window))


NAVIGATE = """(function (stack, pages) {
    let shown = []
    return function (text) {
        const scenes = JSON.parse(text)
        let same = 0
        while (same < shown.length && same < scenes.length && shown[same] === scenes[same].id) same++
        if (same === 0) stack.clear()
        else if (same < shown.length) stack.pop(stack.get(same - 1))
        for (const scene of scenes.slice(same)) {
            const page = stack.push(pages[scene.scene] || pages.other)
            if (page && page.hasOwnProperty("scene")) page.scene = scene
        }
        shown = scenes.map(scene => scene.id)
    }
})"""


class Stack(widgets.QStackedWidget):
    """Shows the scenes in Widgets. `pages` makes the page of a scene; that of `other` is for the rest."""

    def __init__(self, desk: SessionObject, pages: dict[str, Callable[[Any], Any]], parent: Any = None):
        super().__init__(parent)
        self.desk, self.pages = desk, pages
        self.shown: dict[str, Any] = {}
        desk.sceneChanged.connect(callback(self, Stack.follow))
        self.follow()

    def follow(self) -> None:
        scenes = {scene["id"]: scene for scene in self.desk._scenes}
        for id in scenes.keys() - self.shown.keys():
            self.shown[id] = (self.pages.get(scenes[id]["scene"]) or self.pages["other"])(scenes[id])
            self.addWidget(self.shown[id])
        for id in self.shown.keys() - scenes.keys():
            self.removeWidget(self.shown[id])
            self.shown.pop(id).deleteLater()
        if scenes:
            self.setCurrentWidget(self.shown[[*scenes][-1]])


# Prompts


class Prompts(QObject):
    """Shows a dialog for each prompt until it is answered here or elsewhere."""

    def __init__(self, session: Any, window: Any):
        super().__init__(window)
        self.setObjectName("prompts")
        self.session, self.window = session, window
        self.dialogs: dict[str, Any] = {}
        ending(self, session.prompter.watch(callback(self, Prompts.follow), "pending"))

    def follow(self, picture: Any) -> None:
        pending = {prompt["id"]: prompt for prompt in plain(list(picture.pending))}
        for id in self.dialogs.keys() - pending.keys():
            self.dialogs[id].setProperty("visible", False)
            self.dialogs.pop(id).deleteLater()
        for id in [id for id in pending if id not in self.dialogs]:
            self.dialogs[id] = dialog = (PromptDialog if self.window.isWidgetType() else self.qml)(pending[id], self.window)
            dialog.answered.connect(functools.partial(callback(self, Prompts.answer), pending[id]))

    def qml(self, prompt: Any, window: Any) -> Any:
        qml = import_module(f"{QT}.QtQml")
        component = qml.QQmlComponent(qml.qmlEngine(window), self)
        component.setData(PROMPT.encode(), core.QUrl())
        if not (dialog := component.createWithInitialProperties({"prompt": prompt, "window": window})):
            raise RuntimeError(component.errorString())
        dialog.setParent(self)
        return dialog

    def answer(self, prompt: Any, button: str, text: str) -> None:
        def done(_: Any, error: Any) -> None:
            if error and prompt["id"] in self.dialogs:
                self.dialogs[prompt["id"]].setProperty("problem", str(error))
        more = {"text": text} if prompt["kind"] == "input" else {}
        self.session.prompter.run("answer", id=prompt["id"], button=button, done=done, **more)


class PromptDialog(widgets.QDialog):
    """A prompt in Widgets. For half a second it takes no key, because somebody may be typing when it appears."""

    answered = Signal(str, str)

    def __init__(self, prompt: Any, window: Any):
        super().__init__(window, windowTitle=prompt["title"], windowModality=Qt.WindowModality.WindowModal, enabled=False)
        self.prompt, is_input = prompt, prompt["kind"] == "input"
        self.message, self.field = widgets.QLabel(prompt["message"] or ""), widgets.QLineEdit(visible=is_input)
        bar, buttons = widgets.QProgressBar(maximum=0, visible=prompt["kind"] == "busy"), widgets.QDialogButtonBox()
        layout = widgets.QVBoxLayout(self)
        for part in (widgets.QLabel(prompt["title"]), self.message, self.field, bar, buttons):
            layout.addWidget(part)
        role = widgets.QDialogButtonBox.ButtonRole
        roles = {"default": role.AcceptRole, "cancel": role.RejectRole, "destructive": role.DestructiveRole}
        for each in prompt["buttons"]:
            button = buttons.addButton(each["title"], roles.get(each["role"], role.ActionRole))
            button.setAutoDefault(False)
            button.setDefault(each["role"] == "default")
            button.clicked.connect(functools.partial(callback(self, PromptDialog.choose), each["id"]))
        QTimer.singleShot(500, callback(self, PromptDialog.enable))
        self.show()

    problem = Property(str, fget=lambda self: self.message.text(), fset=lambda self, text: self.message.setText(text))

    def enable(self) -> None:
        self.setEnabled(True)
        (self.field if self.prompt["kind"] == "input" else self).setFocus()

    def choose(self, button: str, *_: Any) -> None:
        self.answered.emit(button, self.field.text())

    def reject(self) -> None:
        buttons = self.prompt["buttons"]
        for each in buttons:
            if self.isEnabled() and (each["role"] == "cancel" or len(buttons) == 1):
                self.choose(each["id"])


PROMPT = """
import QtQuick
import QtQuick.Controls

Dialog {
    id: dialog
    property var prompt
    property var window
    property string problem
    readonly property bool isInput: prompt.kind === "input"
    signal answered(string button, string text)
    function choose(role) {
        const button = prompt.buttons.find(each => each.role === role || prompt.buttons.length === 1)
        if (button) answered(button.id, field.text)
    }
    parent: window.contentItem; anchors.centerIn: parent; title: prompt.title
    visible: true; modal: true; focus: true; enabled: false; closePolicy: Popup.NoAutoClose
    Timer { interval: 500; running: true; onTriggered: { dialog.enabled = true; (dialog.isInput ? field : box).forceActiveFocus() } }
    Column {
        id: box
        Keys.onEscapePressed: dialog.choose("cancel")
        Keys.onReturnPressed: dialog.choose("default")
        Keys.onEnterPressed: dialog.choose("default")
        Label { text: dialog.problem || dialog.prompt.message || ""; visible: text !== "" }
        TextField { id: field; visible: dialog.isInput }
        BusyIndicator { visible: dialog.prompt.kind === "busy" }
    }
    footer: DialogButtonBox {
        Repeater {
            model: dialog.prompt.buttons
            Button {
                required property var modelData
                objectName: modelData.id; text: modelData.title; DialogButtonBox.buttonRole: DialogButtonBox.ActionRole
                onClicked: dialog.answered(modelData.id, field.text)
            }
        }
    }
}
"""
