"""Lists of a ViewModel as list models of GTK: what is emitted, what is shown, what is selected.

LIST_SEED and LIST_STEPS choose another and a longer random run.
"""
import functools
import gc
import os
import random

import pytest
from conftest import command, descendants, kit, pause, texts, until
from gi.repository import Gio, GLib, GObject, Gtk
from scenario import ROWS, scroll_while_rows_change

SEED = int(os.environ.get("LIST_SEED", "37"))
STEPS = int(os.environ.get("LIST_STEPS", "10000"))


class Checker:
    """Follows `items-changed` of a list model as GTK does, and compares with what the model has.

    An item is one object at its place until a signal says that it has gone. `check` looks at every item.
    """

    def __init__(self, model, sample=None):
        self.model, self.sample, self.problems = model, sample, []
        self.items = [None] * model.get_n_items()
        self.look(0, len(self.items))
        self.handler = model.connect("items-changed", self.changed)

    def changed(self, _, at, removed, added):
        if at + removed > len(self.items):
            self.problems.append(f"{removed} items are removed at {at} of {len(self.items)}")
        self.items[at:at + removed] = [None] * added
        if self.model.get_n_items() != len(self.items):
            self.problems.append(f"n-items is {self.model.get_n_items()} and not {len(self.items)}, after {at} -{removed} +{added}")
        self.look(at, added)

    def look(self, at, count):
        """Takes the items that have come, at most `sample`."""
        places = range(at, at + count)
        for place in places if not self.sample or count <= self.sample else [*places[:self.sample // 2], *places[-self.sample // 2:]]:
            if place < len(self.items):
                self.items[place] = self.model.get_item(place)
                if self.items[place] is None:
                    self.problems.append(f"there is no item {place} of {len(self.items)}")

    def check(self):
        if self.model.get_n_items() != len(self.items):
            self.problems.append(f"n-items is {self.model.get_n_items()}, the signals make {len(self.items)}")
        if self.model.get_item(len(self.items)) is not None:
            self.problems.append("there is an item after the last one")
        for at, item in enumerate(self.items):
            if item is not None:
                now = self.model.get_item(at)
                if now is not item:
                    self.problems.append(f"item {at} became another object without a signal")
                if not isinstance(now, GObject.type_from_name(self.model.get_item_type().name).pytype):
                    self.problems.append(f"item {at} is a {type(now)}")
        assert self.problems == []


class Wrong(GObject.Object, Gio.ListModel):
    """A list model with one fault."""

    def __init__(self, fault):
        super().__init__()
        self.fault, self.items = fault, [kit.Row() for _ in range(5)]

    def do_get_item_type(self):
        return Gtk.Widget.__gtype__ if self.fault == "type" else kit.Row.__gtype__

    def do_get_n_items(self):
        return len(self.items)

    def do_get_item(self, at):
        if self.fault == "fresh":
            return kit.Row()
        if self.fault == "end":
            return self.items[min(at, len(self.items) - 1)]
        return self.items[at] if at < len(self.items) else None

    def change(self):
        """Moves the first item to the end, and adds one before it."""
        first = self.items.pop(0)
        if self.fault != "silent":
            self.items_changed(0, 1, 0)
        self.items += [kit.Row(), first] if self.fault != "early" else [first]
        self.items_changed(3 if self.fault == "place" else 4, 9 if self.fault == "range" else 0, 2)
        if self.fault == "early":
            self.items.append(kit.Row())
        if self.fault == "swap":
            self.items[0], self.items[1] = self.items[1], self.items[0]


@pytest.mark.parametrize("fault", ["type", "fresh", "end", "silent", "place", "range", "early", "swap", None])
def test_the_checker_finds_a_fault(fault):
    model = Wrong(fault)
    checker = Checker(model)
    model.change()
    if fault is None:
        return checker.check()
    with pytest.raises(AssertionError):
        checker.check()


def ids(rows):
    return [item.row and item.row.id for item in rows]


def step(chance, other, count):
    """A random change of the list by another client. It returns the number of rows."""
    kind = "removeRows" if count > 150 else chance.choice(["append", "append", "update", "update", "move", "move", "removeRows", "batch"])
    present = [row["id"] for row in other.value("lab", "rows")] if kind in ("update", "removeRows") else []
    if kind == "append" or count < 5:
        other.call("lab.append", [chance.randrange(1, 4)])
    elif kind == "update":
        other.call("lab.update", {"id": chance.choice(present), "text": f"text {chance.random()}"})
    elif kind == "removeRows":
        other.call("lab.removeRows", [chance.sample(present, min(len(present), chance.randrange(1, 4 + count // 4)))])
    else:
        for _ in range(chance.randrange(1, 8) if kind == "batch" else 1):
            other.call("lab.move", {"from": chance.randrange(count), "to": chance.randrange(count)})
    return other.call("viewModel.read", {"id": "lab", "outputs": ["rows"], "windows": {"rows": {"offset": 0, "limit": 0}}})["values"]["rows"]["count"]


def test_random_steps(desk, other):
    """The model and what was signalled are the same after each step, and the ViewModel's rows when it is quiet."""
    chance, count = random.Random(SEED), 30
    print("seed", SEED)
    other.call("lab.append", [count])
    rows = kit.Rows(desk.lab, "rows", page=10)
    until(lambda: len(rows) == count)
    checker = Checker(rows)
    for nth in range(STEPS):
        count = step(chance, other, count)
        if chance.random() < 0.7:
            GLib.MainContext.default().iteration(False)
            checker.check()
        if nth % 500 == 499:
            expected = [(row["id"], row["text"]) for row in other.value("lab", "rows")]
            until(lambda: [(item.props.id, item.props.text) for item in rows] == expected, "the rows")
            checker.check()


def test_a_row_notifies_and_keeps_its_object_when_it_moves(desk, other):
    other.call("lab.append", [5])
    rows = kit.Rows(desk.lab, "rows")
    until(lambda: ids(rows) == [1, 2, 3, 4, 5])
    items, seen = [*rows], []
    items[1].connect("notify::text", lambda item, _: seen.append(item.props.text))
    other.call("lab.update", {"id": 2, "text": "two"})
    until(lambda: seen == ["two"])
    other.call("lab.move", {"from": 1, "to": 4})
    until(lambda: ids(rows) == [1, 3, 4, 5, 2])
    assert rows[4] is items[1] and rows[1] is items[2] and seen == ["two"]


def test_a_placeholder_becomes_the_row(desk, other):
    other.call("lab.append", [100_000])
    rows = kit.Rows(desk.lab, "rows")
    until(lambda: len(rows) == 100_000)
    item, signals = rows[70_000], []
    rows.connect("items-changed", lambda *what: signals.append(what))
    assert item.row is None and item.props.text is None and item.props.id == 0
    until(lambda: item.row)
    assert item.props.text == "row 70001" and rows[70_000] is item and signals == []


def listing(rows, show):
    def line(show):
        label = Gtk.Label(xalign=0)
        show("text", label, "label")
        return label
    view = Gtk.ListView(model=rows, factory=kit.factory(line))
    scrolled = Gtk.ScrolledWindow(child=view)
    show(scrolled)
    return view, scrolled.get_vadjustment()


def visible(view):
    """The texts of the rows inside of the view, in order of their places. GTK keeps rows of the outside above it."""
    found = []
    for label in descendants(view, Gtk.Label):
        row = label.get_parent()
        done, bounds = row.compute_bounds(view)
        if done and 0 <= bounds.origin.y < view.get_height():
            found.append((bounds.origin.y, label.get_label()))
    return [text for _, text in sorted(found)]


def scroll_to(view, at):
    until(lambda: view.get_vadjustment().get_upper() > view.get_height(), "the layout")     # GTK 4.8 scrolls to nowhere without it.
    view.activate_action("list.scroll-to-item", GLib.Variant("u", at))


@pytest.mark.parametrize("multiple", [False, True])
def test_a_selected_row_stays_selected(desk, other, show, multiple):
    other.call("lab.append", [1000])
    rows = kit.Rows(desk.lab, "rows", multiple=multiple)
    view, _ = listing(rows, show)
    until(lambda: "row 5" in texts(view))
    rows.select_item(4, True)
    rows.select_item(6, False)
    chosen = [5, 7] if multiple else [7]
    assert rows.props.selected == chosen and rows.props.selected_item.props.id == chosen[0]
    other.call("lab.move", {"from": 6, "to": 0})
    until(lambda: rows.is_selected(0))
    other.call("lab.removeRows", [[1, 2]])
    other.call("lab.move", {"from": 999 - 2, "to": 0})
    until(lambda: rows.is_selected(1) and rows[0].row.id == 1000)
    assert sorted(rows.props.selected) == chosen
    assert [at for at in range(20) if rows.is_selected(at)] == [at for at in range(20) if rows[at].row.id in chosen]
    selection = rows.get_selection()
    assert [selection.get_nth(nth) for nth in range(selection.get_size())] == [at for at in range(20) if rows.is_selected(at)]
    scroll_to(view, 900)
    until(lambda: "row 900" in texts(view))
    gc.collect()
    assert sorted(rows.props.selected) == chosen
    seen = []
    rows.connect("notify::selected", lambda *_: seen.append(rows.props.selected))
    other.call("lab.removeRows", [[7]])
    until(lambda: seen)
    assert 7 not in rows.props.selected


def select_out_of_sight(desk, other, show):
    """Selects the row 6 of 10,000 and scrolls away. Returns the rows, their view, and the splices from then on."""
    other.call("lab.append", [10_000])
    rows = kit.Rows(desk.lab, "rows")
    view, _ = listing(rows, show)
    until(lambda: "row 6" in texts(view))
    rows.select_item(5, True)
    scroll_to(view, 9000)
    until(lambda: "row 9001" in visible(view) and rows.list.peek(5) is None)
    splices = []
    rows.connect("items-changed", lambda _, *splice: splices.append(splice))
    return rows, view, splices


def select_where_it_is_unknown(desk, other, show):
    """Selects the row 6 of 10,000, which then moves where no rows are loaded. Returns the rows and their view."""
    rows, view, splices = select_out_of_sight(desk, other, show)
    other.call("lab.move", {"from": 5, "to": 3000})
    until(lambda: len(splices) >= 2)
    pause(0.2)
    assert rows.props.selected == [6]
    return rows, view


def test_a_selected_row_that_moves_unseen_stays_selected(desk, other, show):
    rows, view = select_where_it_is_unknown(desk, other, show)
    scroll_to(view, 3000)
    until(lambda: rows.is_selected(3000))
    other.call("lab.removeRows", [[6]])
    until(lambda: rows.props.selected == [])


def test_a_selected_row_stays_selected_when_the_whole_list_is_replaced(desk, other, show):
    rows, view, splices = select_out_of_sight(desk, other, show)
    other.call("lab.removeRows", [[*range(101, 301, 2)]])
    until(lambda: splices == [(0, 10_000, 9_900)], "one splice, because a hundred are too many for a frame")
    pause(0.2)
    assert rows.props.selected == [6]
    scroll_to(view, 0)
    until(lambda: "row 6" in visible(view) and rows.is_selected(5))


def test_a_selected_row_leaves_the_selection_with_the_daemon(own, connect, name, show):
    daemon = own()
    rows, view = select_where_it_is_unknown(connect(name, daemon.socket), daemon.connect(name), show)
    daemon.restart(hard=True)
    until(lambda: len(rows) == 0 and rows.props.selected == [], "the empty list of the new life")


@pytest.mark.parametrize("removed, back", [(10_000, 0), (10_000, 5), (10_000, 10_000), (9_980, 0)])
def test_a_removed_row_leaves_the_selection(desk, other, show, removed, back):
    """If no row is left, also if others come at once, and if all rows that are left are loaded."""
    rows, view = select_where_it_is_unknown(desk, other, show)
    other.call("lab.removeRows", [[*range(1, removed + 1)]])
    if back:
        other.call("lab.append", [back])
    until(lambda: len(rows) == 10_000 - removed + back and rows.props.selected == [], "the selection is empty")


def test_a_selected_row_that_only_its_page_brought_leaves_the_selection(desk, other):
    """No view has asked for its object."""
    other.call("lab.append", [10_000])
    rows = kit.Rows(desk.lab, "rows")
    until(lambda: len(rows) == 10_000 and rows[5].row)
    rows.select_item(5, True)
    seen = [rows[at] for at in range(9000, 9020)]
    until(lambda: seen[0].row and rows.list.peek(5) is None)
    other.call("lab.move", {"from": 5, "to": 3000})
    pause(0.2)
    rows.list.show(2990, 3010)
    until(lambda: rows.is_selected(3000))
    other.call("lab.removeRows", [[6]])
    until(lambda: rows.props.selected == [], "the selection is empty")


def test_selection_by_the_keyboard(desk, other, show):
    other.call("lab.append", [50])
    rows = kit.Rows(desk.lab, "rows", multiple=True)
    view, _ = listing(rows, show)
    until(lambda: "row 9" in texts(view))
    until(lambda: view.grab_focus() and view.get_focus_child())
    command("xdotool", "key", "End", "Home")
    until(lambda: rows.props.selected == [1])
    command("xdotool", "key", "shift+Down", "shift+Down")
    until(lambda: rows.props.selected == [1, 2, 3])
    command("xdotool", "key", "ctrl+a")
    until(lambda: len(rows.props.selected) == 50)
    command("xdotool", "key", "ctrl+shift+a")
    until(lambda: rows.props.selected == [])


def test_rows_that_come_above_move_nothing(desk, other, show):
    other.call("lab.append", [10_000])
    rows = kit.Rows(desk.lab, "rows")
    view, adjustment = listing(rows, show)
    until(lambda: len(rows) == 10_000)
    scroll_to(view, 5000)
    until(lambda: "row 5001" in visible(view))
    pause(0.3)
    before = visible(view)
    for _ in range(20):
        other.call("lab.move", {"from": 9_999, "to": 10})
    other.call("lab.removeRows", [[*range(100, 200)]])
    until(lambda: len(rows) == 9_900 and rows[9_899].row is not None)
    pause(0.3)
    assert visible(view) == before


class Person:
    """A person with a list in a window."""

    def __init__(self, desk, show):
        self.rows, self.wait = kit.Rows(desk.lab, "rows"), functools.partial(until, patience=60)
        self.view, _ = listing(self.rows, show)
        self.checker = Checker(self.rows, sample=20)

    def begin(self):
        until(lambda: len(self.rows) == ROWS, "the rows")
        scroll_to(self.view, ROWS - 1000)
        until(lambda: self.rows[ROWS - 1000].row)
        self.rows.select_item(ROWS - 1000, True)
        return self.rows.props.selected_item.row.id

    def texts(self):
        return visible(self.view)

    def selected(self):
        return self.rows.props.selected

    def is_selected(self, place):
        self.checker.check()
        return self.rows.is_selected(place)

    def scroll(self, by, top):
        scroll_to(self.view, min(max(0, top + by), len(self.rows) - 1))
        pause(0.05)


def test_a_person_scrolls_while_rows_come_and_go(own, connect, name, show):
    daemon = own()
    scroll_while_rows_change(Person(connect(name, daemon.socket), show), daemon, name)
