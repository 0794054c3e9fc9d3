"""Lists of a ViewModel as list models of GTK: what is emitted, what is shown, what is selected.

LIST_SEED and LIST_STEPS choose another and a longer random run.
"""
import gc
import os
import random
import threading
import time

import pytest
from conftest import command, descendants, kit, pause, texts, until
from gi.repository import Gio, GLib, GObject, Gtk
from wire import TooLate

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
    """The texts of the rows inside of the view, in order of their places."""
    found = []
    for label in descendants(view, Gtk.Label):
        row = label.get_parent()
        done, bounds = row.compute_bounds(view)
        if done and bounds.origin.y + bounds.size.height > 0 and bounds.origin.y < view.get_height():
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


class Changes(threading.Thread):
    """Changes rows all over the list, `rate` times a second, until it is stopped."""

    def __init__(self, client, rate, count, seed):
        super().__init__()
        self.client, self.rate, self.count, self.chance = client, rate, count, random.Random(seed)
        self.done, self.stopped, self.kept = 0, False, set()

    def run(self):
        begin, next_id = time.monotonic(), self.count
        while not self.stopped:
            if (wait := begin + self.done / self.rate - time.monotonic()) > 0:
                time.sleep(wait)
            kind, place = self.chance.randrange(4), lambda: self.chance.choice([self.chance.randrange(500), self.chance.randrange(self.count)])
            if kind == 0:
                self.client.send({"jsonrpc": "2.0", "method": "lab.append", "params": [1]})
                self.count, next_id = self.count + 1, next_id + 1
            elif kind == 1:
                id = self.chance.randrange(1, next_id)
                self.client.send({"jsonrpc": "2.0", "method": "lab.update", "params": {"id": id, "text": f"text {id}"}})
            elif kind == 2:
                self.client.send({"jsonrpc": "2.0", "method": "lab.move", "params": {"from": self.count - 1, "to": place()}})
            else:
                self.client.send({"jsonrpc": "2.0", "method": "lab.move", "params": {"from": place(), "to": place()}})
            self.done += 1
        self.client.round_trip()

    def finish(self):
        self.stopped = True
        until(lambda: not self.is_alive(), "the last change")


def agree(rows, view, client):
    """Each row that is shown is that of the ViewModel."""
    def differences():
        expected, shown = [row["text"] for row in client.value("lab", "rows")], visible(view)
        place = expected.index(shown[0]) if shown and shown[0] in expected else 0
        wrong = [(at, item.props.text, *expected[at:at + 1]) for at, item in sorted(rows._at.items())
                 if item.row and rows.list.peek(at) and [item.props.text] != expected[at:at + 1]]
        return [*wrong, *(pair for pair in zip(shown, expected[place:]) if len({*pair}) > 1), *{len(rows), len(expected)} - {len(rows)}]
    try:
        until(lambda: not differences(), "the rows of the ViewModel", 60)
    except TooLate:
        pytest.fail(f"{differences()}")


def test_a_person_scrolls_while_rows_come_and_go(own, connect, name, show):
    """The shared scenario: 200 changes a second, a kill -9 in between, a selection that stays with its row."""
    daemon = own()
    desk, client = connect(name, daemon.socket), daemon.connect(name)
    for life in range(2):
        client.call("lab.append", [3000])
        if life == 0:
            rows = kit.Rows(desk.lab, "rows")
            view, adjustment = listing(rows, show)
            checker = Checker(rows, sample=20)
        until(lambda: len(rows) >= 3000 and rows[0].row, "the rows", 30)
        scroll_to(view, 300)
        until(lambda: rows[300].row is not None)
        rows.select_item(300, True)
        chosen = rows.props.selected_item.row.id
        changes, chance = Changes(daemon.connect(name), 200, 3000, SEED + life), random.Random(SEED)
        changes.start()
        begin = time.monotonic()
        while time.monotonic() < begin + 6:
            scroll_to(view, chance.choice([0, 150, 300, 450, chance.randrange(len(rows))]))
            pause(0.2)
            assert rows.props.selected in ([chosen], []), "no other row is selected"
        print(f"{changes.done / (time.monotonic() - begin):.0f} changes a second")
        changes.finish()
        agree(rows, view, client)
        checker.check()
        expected = [row["id"] for row in client.value("lab", "rows")]
        if rows.props.selected:
            scroll_to(view, expected.index(chosen))
            until(lambda: rows.is_selected(expected.index(chosen)))
        if life == 0:
            daemon.kill()
            until(lambda: desk.state == "offline")
            daemon.drop_clients()
            daemon.start()
            client = daemon.connect(name)
            until(lambda: desk.state == "connected" and len(rows) == 0, "the new life")
            checker.check()
