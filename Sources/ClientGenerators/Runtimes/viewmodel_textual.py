"""Binds the widgets of Textual (https://textual.textualize.io) to ViewModels.

The session comes from the file that `viewmodelctl generate python` writes. Lists, values, fields and members have the
names of the contract.
"""

from __future__ import annotations

import asyncio
import re
import sys
from typing import Any, Callable, ClassVar, Mapping, TypeVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Button, Digits, Input, Label, LoadingIndicator, Static

W = TypeVar("W", bound=Widget)

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKUP = {"content", "update", "label", "border_title", "border_subtitle", "tooltip"}  # Textual reads markup in these.


def plain(value: Any) -> Content:
    """The text of a value, without markup and without characters that control the terminal."""
    return Content(printable("" if value is None else str(value)))


def printable(text: str) -> str:
    """Replaces the characters that control a terminal or the direction of writing."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def bind(widget: W, **outputs: Any) -> W:
    """Sets attributes of a widget to outputs while the widget is mounted.

    `bind(Label(), content=…)` takes a value such as `desk.calculator.value("led")`, or a tuple of a value and a
    function that converts it. The attribute may also be a method, such as `update`.
    """
    pairs = {name: each if isinstance(each, tuple) else (each, lambda it: it) for name, each in outputs.items()}

    def show(name: str, convert: Callable[[Any], Any], value: Any) -> None:
        shown = convert(value)
        if name in _MARKUP and not isinstance(widget, Digits) and isinstance(shown, (str, int, float, type(None))):
            shown = plain(shown)
        elif isinstance(shown, str):
            shown = printable(shown)
        if callable(method := getattr(widget, name)):
            method(shown)
        else:
            setattr(widget, name, shown)

    async def follow() -> None:
        try:
            for name, (value, convert) in pairs.items():
                # `call_next` shows it in the widget's own context, and reports an error of `convert`.
                value.subscribe(lambda it, name=name, convert=convert: widget.call_next(show, name, convert, it))
            await asyncio.Event().wait()
        finally:  # Textual cancels the worker of a widget that is removed.
            for value, _ in pairs.values():
                value.close()

    widget.call_later(lambda: widget.run_worker(follow(), group="bind"))
    return widget


class RowList(ScrollView, can_focus=True):
    """A list of any length, of which only the visible rows are loaded.

    The visible rows and the selected one stay in place while rows come and go above them. `row` is the selected row,
    or None, also after it was removed. `Highlighted` is posted when `row` changes, `Selected` for Enter and for a click
    on the selected row.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("up", "move(-1)"), ("down", "move(1)"), ("pageup", "move(0, -1)"), ("pagedown", "move(0, 1)"),
        ("home", "select(0)"), ("end", f"select({sys.maxsize})"), ("enter", "choose"),
    ]  # fmt: skip
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor"}
    DEFAULT_CSS = """
    RowList { height: 1fr; overflow-x: hidden; background: $surface; }
    RowList > .row-list--cursor { background: $block-cursor-blurred-background; }
    RowList:focus > .row-list--cursor { background: $block-cursor-background; color: $block-cursor-foreground; }
    """
    row: reactive[Any] = reactive(None)

    class Highlighted(Message):
        def __init__(self, list: RowList, row: Any) -> None:
            super().__init__()
            self.list, self.row = list, row

    class Selected(Highlighted):
        pass

    def __init__(self, rows: Any, text: Callable[[Any], str | Text], **options: Any) -> None:
        """Shows `rows`, such as `desk.lab.list("rows")`, each by its `text`."""
        super().__init__(**options)
        self.rows, self.text = rows, text
        self.cursor: int | None = None  # The index of the selected row.
        self._place = 0  # Where the arrow keys continue.
        self._row_id: Any = None  # The id of the row that was selected last, also after its removal.

    def on_mount(self) -> None:
        self.rows.on_splice.append(self._splice)
        self.rows.on_change.append(self._change)
        self.virtual_size = Size(0, len(self.rows))

    def on_unmount(self) -> None:
        self.rows.close()

    def watch_row(self, row: Any) -> None:
        self.post_message(self.Highlighted(self, row))

    def action_select(self, index: int) -> None:
        """Selects a row, and scrolls to it."""
        if length := len(self.rows):
            self.cursor = self._place = max(0, min(index, length - 1))
            self._row_id = None
            self._adopt()
            self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
            self.refresh()

    def action_move(self, rows: int, pages: int = 0) -> None:
        if self.cursor is None:  # The first key selects a visible row.
            top = self.scroll_offset.y
            self.action_select(max(top, min(self._place, top + self.size.height - 1)))
        else:
            self.action_select(self.cursor + rows + pages * self.size.height)

    def action_choose(self) -> None:
        if self.row is not None:
            self.post_message(self.Selected(self, self.row))

    def on_click(self, event: events.Click) -> None:
        if (offset := event.get_content_offset(self)) is not None:
            index = self.scroll_offset.y + offset.y
            if index == self.cursor:
                self.action_choose()
            elif index < len(self.rows):
                self.action_select(index)

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: Any) -> None:
        super().scroll_to(x, y, **{**options, "animate": False})  # An animation keeps its end while rows move.

    def render_lines(self, crop: Region) -> list[Strip]:
        top = self.scroll_offset.y
        visible = range(top, min(top + self.size.height, len(self.rows)))
        self.rows.show(visible.start, visible.stop)
        self._find(visible)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        row = self.rows.peek(index) if index < len(self.rows) else None
        text = self.text(row) if row is not None else "…" if index < len(self.rows) else ""
        style = self.get_component_rich_style("row-list--cursor") if index == self.cursor else self.rich_style
        parts = (Text(text) if isinstance(text, str) else text).render(self.app.console)
        segments = [Segment(printable(each.text.replace("\n", " ")), each.style) for each in parts]
        return Strip(segments).adjust_cell_length(self.size.width).apply_style(style)

    def _adopt(self) -> None:
        row = self.rows.peek(self.cursor)
        if row is not None or self._row_id is None:  # A row whose page was dropped remains known.
            self._row_id, self.row = None if row is None else row.id, row

    def _find(self, places: range) -> None:
        """Selects the row that was selected last again, if it is at one of the places."""
        if self.cursor is None and self._row_id is not None:
            for place in places:
                if (row := self.rows.peek(place)) is not None and row.id == self._row_id:
                    self.cursor = self._place = place
                    self.row = row

    def _change(self, first: int, last: int) -> None:
        self._find(range(first, last))
        if self.cursor is not None and first <= self.cursor < last:
            self._adopt()
        self.refresh()

    def _splice(self, at: int, removed: int, inserted: int) -> None:
        def moved(place: int) -> int | None:
            return place if place < at else None if place < at + removed else place + inserted - removed

        def near(place: int) -> int:
            return min(place, at + inserted) if (exact := moved(place)) is None else exact

        top, was_selected = self.scroll_offset.y, self.cursor is not None
        self._place = near(self._place) if self._row_id is not None else 0
        if self.cursor is not None:
            self.cursor = moved(self.cursor)
        if self.cursor is None:
            self.call_next(self._settle)
            # A moved row is removed and inserted. After an unknown change the row is near its place.
            low, high = (at, at + inserted) if inserted <= 64 else (self._place - 256, self._place + 256)
            self._find(range(max(at, low), min(at + inserted, high)))
        self.virtual_size = Size(0, len(self.rows))
        if top or at or was_selected:  # A list at its top without a selection shows new rows.
            self.scroll_to(y=near(top), force=True)
        self.refresh()

    def _settle(self) -> None:
        """Drops the selected row if it is gone after all splices of a frame."""
        if self.cursor is None:
            self.row = None


class Field(Input):
    """A text box for a field, such as `desk.send_list.text("draft")`."""

    def __init__(self, text: Any, **options: Any) -> None:
        super().__init__(**{"select_on_focus": False, **options})  # The focus may come after the first keys.
        self.text = text

    def on_mount(self) -> None:
        self.text.subscribe(self._show)

    def on_unmount(self) -> None:
        self.text.close()

    def _show(self, value: str, caret: int) -> None:
        self.value, self.cursor_position = value or "", caret
        problem = self.text.problem
        self.set_class(problem is not None, "-invalid")
        self.tooltip = problem and plain(problem)

    async def on_key(self, event: events.Key) -> None:
        bound = self.screen.active_bindings.get(event.key)
        if bound and bound.node is self and not event.is_printable:
            event.stop().prevent_default()  # Textual would move the caret after the letters that come next.
            await self.app.run_action(bound.binding.action, self)

    def watch_value(self, value: str) -> None:
        if value != (self.text.value or ""):
            self.text.edit(value, self.cursor_position)

    def watch_selection(self) -> None:
        if self.value == (self.text.value or "") and self.cursor_position != self.text.caret:
            self.text.edit(self.value, self.cursor_position)


class ActionButton(Button):
    """A button that runs a member, such as `ActionButton("Undo", "calculator.undo")`, and follows `enabled`."""

    def __init__(self, label: str, member: str, *values: Any, **options: Any) -> None:
        arguments = ", ".join(map(repr, (member, *values)))
        super().__init__(label, action=f"app.run({arguments})", disabled=True, **options)
        self.member = member

    def follow(self) -> None:
        self.disabled = not self.app.check_action("run", (self.member,))

    on_mount = follow


class Scenes(Container):
    """Shows the top scene of the coordinator. Its children are the root scene, and Escape goes back.

    `pages` has a function for each other scene. It gets the scene, with `id`, `scene`, `instance` and `arguments`, and
    returns a widget.
    """

    def __init__(self, pages: Mapping[str, Callable[[Any], Widget]], *children: Widget, **options: Any) -> None:
        super().__init__(*children, **options)
        self.pages = pages
        self._shown: dict[str, list[Widget]] = {}
        self._focused: dict[str, Widget | None] = {}
        self._top = ""

    def on_mount(self) -> None:
        app: Any = self.app
        app.bind("escape", "run('coordinator.back')", description="Back")
        self._root = list(self.children)
        self._scenes = app.desk.coordinator.value("scenes")
        self._scenes.subscribe(lambda scenes: self.call_next(self._show, scenes))

    def on_unmount(self) -> None:
        self._scenes.close()

    async def _show(self, scenes: list[Any]) -> None:
        self._focused[self._top] = self.screen.focused
        for scene in scenes:
            if scene.id not in self._shown:
                make = self.pages.get(scene.scene, lambda it: Label(plain(f"{it.scene} {it.arguments or ''}")))
                self._shown[scene.id] = self._root if scene.scene == "root" else [make(scene)]
                if scene.scene != "root":
                    await self.mount(*self._shown[scene.id])
        for gone in self._shown.keys() - {scene.id for scene in scenes}:
            self._focused.pop(gone, None)
            if (page := self._shown.pop(gone)) is not self._root:
                await self.remove_children(page)
        before, self._top = self._top, scenes[-1].id if scenes else self._top
        if before == self._top:
            return
        for widget in self.children:
            widget.display = widget in self._shown[self._top]
        if before or self._shown[self._top] is not self._root:
            inside = [each for page in self._shown[self._top] for each in page.query("*") if each.focusable]
            self.screen.set_focus(self._focused.get(self._top) or next(iter(inside), None))


class Prompt(ModalScreen[None]):
    """A question to the person.

    The keys do what they did before until none was pressed for half a second. Then the focus is in the text box, or on
    the button that cancels or is the only one: Enter does no harm.
    """

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "cancel")]
    DEFAULT_CSS = """
    Prompt { align: center middle; }
    Prompt > Vertical { width: 60; height: auto; padding: 1 2; border: thick $primary; background: $surface; }
    Prompt Label { width: 100%; margin-bottom: 1; }
    Prompt Horizontal { height: auto; align-horizontal: right; }
    """
    VARIANTS: ClassVar[dict[str, Any]] = {"default": "primary", "destructive": "error"}

    def __init__(self, prompt: Any, prompter: Any) -> None:
        super().__init__()
        self.prompt, self.prompter, self._is_armed = prompt, prompter, False
        harmless = [each for each in prompt.buttons if each.role != "destructive"]
        cancels = [each for each in harmless if each.role == "cancel" or len(prompt.buttons) == 1]
        self._safe = cancels[0].id if cancels else None
        self._proper = next((each.id for each in harmless if each.role == "default"), None)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(plain(self.prompt.title).stylize("bold"))
            if self.prompt.message:
                yield Label(plain(self.prompt.message))
            if self.prompt.kind == "input":
                yield Input()
            if self.prompt.kind == "busy":
                yield LoadingIndicator()
            with Horizontal(disabled=True):
                for each in self.prompt.buttons:
                    variant = self.VARIANTS.get(each.role, "default")
                    yield Button(plain(each.title), variant, name=each.id, action=f"screen.answer({each.id!r})")

    def on_mount(self) -> None:
        self._guard = self.set_timer(0.5, self._arm)

    def _arm(self) -> None:
        self._is_armed, self.query_one(Horizontal).disabled = True, False
        safe = [each for each in self.query(Button) if each.name == self._safe]
        self.set_focus(next(iter([*self.query(Input), *safe]), None))

    async def on_key(self, event: events.Key) -> None:
        if not self._is_armed:
            self._guard.stop()
            self._guard = self.set_timer(0.5, self._arm)
            event.stop().prevent_default()
            below = self.app.screen_stack[-2]
            focused, bound = below.focused, below.active_bindings.get(event.key)
            if focused and (isinstance(focused, Field) or focused.check_consume_key(event.key, event.character)):
                focused.post_message(events.Key(event.key, event.character))
            elif bound and bound.enabled:
                await self.app.run_action(bound.binding.action, bound.node)

    def on_paste(self, event: events.Paste) -> None:
        if not self._is_armed and (focused := self.app.screen_stack[-2].focused):
            focused.post_message(events.Paste(event.text))

    def on_input_submitted(self) -> None:
        self.action_answer(self._proper)

    def action_cancel(self) -> None:
        self.action_answer(self._safe)

    def action_answer(self, button: str | None) -> None:
        app: Any = self.app
        text = {"text": box.value for box in self.query(Input)}
        if button is not None:
            self.prompter.run("answer", id=self.prompt.id, button=button, **text, done=app.report)


class ViewModelApp(App[None]):
    """An app with a session, which shows its prompts, its hints, failed actions, and whether the daemon is there.

    A key with the action `run('calculator.press', '7')` runs `press` of `desk.calculator`; a dictionary has the params
    that have names. `cancel('lab.count')` cancels an action. The keys of disabled actions are dim in the footer.
    """

    DEFAULT_CSS = """
    ViewModelApp #offline { dock: top; height: auto; background: $error; color: $text; display: none; }
    ViewModelApp.-offline #offline { display: block; }
    """

    def __init__(self, desk: Any, **options: Any) -> None:
        super().__init__(**options)
        self.desk = desk
        self._members: dict[str, Any] = {}
        self._seen: dict[str, tuple[Any, ...]] = {}

    async def on_mount(self) -> None:
        await self.mount(Static(id="offline"))
        self.desk.start()
        self._unwatch = self.desk.watch(lambda state: self.call_next(self._connection, state))
        self.desk.prompter.value("pending").subscribe(lambda pending: self.call_next(self._ask, pending))
        self.desk.prompter.events(lambda event: self.call_next(self._hint, event.value), "hint")

    def on_unmount(self) -> None:
        self._unwatch()
        self.desk.stop()

    def _connection(self, state: str) -> None:
        self.screen_stack[0].query_one("#offline", Static).content = plain(f"Offline. {self.desk.problem or ''}")
        self.set_class(state != "connected", "-offline")
        self._follow()

    def _hint(self, hint: Any) -> None:
        severity: Any = "information" if hint.level == "info" else hint.level
        self.notify(printable(hint.text), severity=severity, markup=False)

    def _ask(self, pending: list[Any]) -> None:
        shown = next((each for each in self.screen_stack if isinstance(each, Prompt)), None)
        if shown and shown.prompt.id not in [each.id for each in pending]:
            shown.pop_until_active()
            self.pop_screen()
            shown = None
        if pending and not shown:
            self.push_screen(Prompt(pending[0], self.desk.prompter))

    def _member(self, path: str) -> Any:
        """The action of this path, or the ViewModel of an input."""
        if path not in self._members:
            instance, _, name = path.rpartition(".")
            found: Any = self.desk
            for part in instance.split("."):
                names = type(found).instances if found is self.desk else type(found).children
                found = getattr(found, names.get(part, part))
            if type(found).members[name].kind == "action":
                found = found.action(name)
                found.subscribe(lambda action: self.call_next(self._change, path, action))
            self._members[path] = found
        return self._members[path]

    def _change(self, path: str, action: Any) -> None:
        before, now = self._seen.get(path, (None,) * 3), (action.error, action.enabled, action.executing)
        self._seen[path] = now
        if now[0] is not before[0]:
            self.report(None, now[0])
        if now[1:] != before[1:]:
            self._follow()

    def _follow(self) -> None:
        for screen in self.screen_stack:
            screen.refresh_bindings()
            for button in screen.query(ActionButton):
                button.follow()

    def report(self, _: Any, error: Exception | None) -> None:
        """Shows the error of a call, unless it was cancelled or another was quicker."""
        if error is not None and getattr(error, "code", None) not in (-32800, -32002, -32003):
            self.notify(printable(str(error)), severity="error", markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in ("run", "cancel"):
            return super().check_action(action, parameters)
        found = self._member(str(parameters[0]))
        if action == "cancel":
            return bool(found.executing) or None
        return getattr(found, "enabled", self.desk.state == "connected") or None

    def action_run(self, path: str, *values: Any) -> None:
        found, name = self._member(path), path.rpartition(".")[2]
        named = {key: value for each in values if isinstance(each, dict) for key, value in each.items()}
        plain = [each for each in values if not isinstance(each, dict)]
        if hasattr(found, "enabled"):
            found.run(*plain, **named)
        else:
            found.run(name, *plain, **named, done=self.report)

    def action_cancel(self, path: str) -> None:
        self._member(path).cancel()
