"""Lists as item models: Qt's own checker, a million rows, selection and place while rows come and go.

ROWS_STEPS and ROWS_SEED choose other runs.
"""
import functools
import os
import random

import pytest
from conftest import item, pump, qt, test, until, wrappers
from scenario import ROWS, scroll_while_rows_change

STEPS = int(os.environ.get("ROWS_STEPS", "10000"))
SEED = int(os.environ.get("ROWS_SEED", "37"))
Fatal = test.QAbstractItemModelTester.FailureReportingMode.Warning


@pytest.fixture
def warnings():
    """The messages of Qt, which the checker writes, too."""
    found = []
    before = qt.core.qInstallMessageHandler(lambda kind, context, text: found.append(text))
    yield found
    qt.core.qInstallMessageHandler(before)


class Changes:
    """Changes rows like other clients do."""

    def __init__(self, client, count, seed):
        self.client, self.chance, self.count, self.last = client, random.Random(seed), count, count

    def step(self):
        chance, count = self.chance, self.count
        at, kind = chance.randrange(count), chance.random()
        if kind < 0.3 or count < 20:
            many = chance.choice([1, 1, 3])
            self.client.notify("lab.append", [many])
            for each in range(many):
                self.client.notify("lab.move", {"from": self.count, "to": at})
                self.count, self.last = self.count + 1, self.last + 1
        elif kind < 0.6:
            rows = self.client.call("viewModel.read", {"id": "lab", "outputs": ["rows"], "windows": {
                "rows": {"offset": at, "limit": 3}}})["values"]["rows"]["rows"]
            gone = [row["id"] for row in rows] if chance.random() < 0.7 else []
            self.client.notify("lab.removeRows", [gone])
            self.count -= len(gone)
        elif kind < 0.9:
            self.client.notify("lab.move", {"from": at, "to": chance.randrange(count)})
        else:
            rows = self.client.call("viewModel.read", {"id": "lab", "outputs": ["rows"], "windows": {
                "rows": {"offset": at, "limit": 1}}})["values"]["rows"]["rows"]
            self.client.notify("lab.update", {"id": rows[0]["id"], "text": f"text {chance.random()}"})


def texts(client, first, last):
    values = client.call("viewModel.read", {"id": "lab", "outputs": ["rows"], "windows": {
        "rows": {"offset": first, "limit": last - first}}})["values"]["rows"]
    return [(row["id"], row["text"]) for row in values["rows"]], values["count"]


def shown(model, first, last):
    return [tuple((model.get(at) or {}).get(name) for name in ("id", "text")) for at in range(first, last)]


def equal(model, client, first, last):
    """Whether rows of the model are those of the ViewModel, which are all loaded."""
    expected, count = texts(client, first, last)
    return model.count == count and shown(model, first, first + len(expected)) == expected


def test_a_checker_of_qt_finds_nothing_in_random_steps(desk, other, warnings):
    model, proxy = desk.lab.rows, qt.core.QSortFilterProxyModel()
    checkers = [test.QAbstractItemModelTester(each, Fatal) for each in (model, proxy)]
    proxy.setSourceModel(model)
    other.call("lab.append", [60])
    until(lambda: model.count == 60)
    changes = Changes(other, 60, SEED)
    for step in range(STEPS):
        changes.step()
        if step % 7 == 0:
            model.data(model.index(changes.chance.randrange(max(1, model.count)), 0))
            model.toggle(changes.chance.randrange(max(1, model.count)))
        if step % 3 == 0:
            pump()
        if step % 500 == 0:
            model.selection.clear()         # Thousands of ranges make Qt slow.
        if step % 2000 == 1999:
            other.round_trip()
            until(lambda: equal(model, other, 0, 40), f"the rows after {step} steps (seed {SEED})")
    del checkers
    assert [text for text in warnings if "FAIL" in text or "qtestmodel" in text.lower() or "Compared" in text] == []


def test_a_checker_sees_a_wrong_model(warnings):
    class Wrong(qt.core.QAbstractTableModel):
        def rowCount(self, parent=qt.QModelIndex()):
            return 3

        def columnCount(self, parent=qt.QModelIndex()):
            return 1

        def data(self, index, role=0):
            return "x"
    model = Wrong()
    checker = test.QAbstractItemModelTester(model, Fatal)
    model.beginInsertRows(qt.QModelIndex(), 0, 0)
    model.endInsertRows()
    assert any("FAIL" in text for text in warnings), warnings
    del checker


@pytest.mark.parametrize("kind", ["QTableView", "QTreeView", "QListView"])
def test_place_and_selection_stay_when_rows_come_above(desk, other, kind):
    model = desk.lab.rows
    other.call("lab.append", [3000])
    until(lambda: model.count == 3000)
    view = model.into(getattr(qt.widgets, kind)())
    if kind == "QListView":
        view.setVerticalScrollMode(view.ScrollMode.ScrollPerPixel)
    view.resize(300, 300)
    view.show()
    view.scrollTo(model.index(1500, 0), view.ScrollHint.PositionAtTop)
    until(lambda: model.get(1505))
    model.select(1505)
    pump(0.1)

    def top():
        index = view.indexAt(qt.core.QPoint(2, 2))
        return (model.get(index.row()) or {}).get("id"), view.visualRect(index).top()
    before = until(lambda: top()[0] and top())
    other.call("lab.move", {"from": 2999, "to": 0})
    other.call("lab.removeRows", [list(range(10, 40))])
    other.call("lab.append", [5])
    other.call("lab.move", {"from": 2974, "to": 1400})
    until(lambda: model.currentRow == 1477)
    pump(0.2)
    assert top() == before
    assert [index.row() for index in model.selection.selectedRows()] == [1477]
    scroll = functools.partial(view.verticalScrollBar().setValue, view.verticalScrollBar().value() + 5)
    once = qt.Qt.ConnectionType.SingleShotConnection
    model.rowsInserted.connect(lambda *_: scroll(), once)      # A person scrolls before the view has moved.
    other.call("lab.move", {"from": 2974, "to": 0})
    until(lambda: model.currentRow == 1478)
    pump(0.2)
    rows = 5 if view.verticalScrollMode() == view.ScrollMode.ScrollPerItem else 0
    assert top()[0] == before[0] + rows and (rows or top()[1] == before[1] - 5), "the scroll is kept"
    changes = []
    model.rows.on_change.append(lambda *_: changes.append(1))
    pump(0.3)
    assert changes == [], "a quiet list loads nothing"
    view.scrollToTop()
    until(lambda: model.rows.peek(0))
    pump(0.2)
    assert model.rows.peek(model.currentRow) is None and model.current["id"] == 1506, "the current row is remembered"
    view.close()


def test_the_selection_goes_with_a_row_that_moves(desk, other):
    model = desk.lab.rows
    other.call("lab.append", [2000])
    until(lambda: model.get(7))
    model.select(7)
    other.call("lab.move", {"from": 7, "to": 3})
    until(lambda: model.currentRow == 3)
    other.call("lab.move", {"from": 3, "to": 1900})
    until(lambda: (model.get(3) or {}).get("id") == 4)
    until(lambda: (model.get(1900) or {}).get("id") == 8, "the row at its new place")
    assert model.currentRow == 1900 and model.current["text"] == "row 8"
    until(lambda: model.get(3) and not model.rows.peek(1900))
    other.call("lab.move", {"from": 1900, "to": 1000})
    until(lambda: model.currentRow < 0)
    until(lambda: (model.get(1000) or {}).get("id") == 8, "the row that moved while it was not loaded")
    assert model.currentRow == 1000 and model.current["text"] == "row 8"
    other.call("lab.removeRows", [[8]])
    until(lambda: model.current is None and not model.selection.hasSelection())
    model.select(0)
    assert [index.row() for index in model.selection.selectedRows()] == [0]


def test_the_selection_stays_when_the_model_is_reset(desk, other):
    model, resets = desk.lab.rows, []
    model.modelReset.connect(lambda: resets.append(model.count))
    other.call("lab.append", [2000])
    until(lambda: model.get(1500))
    model.select(1500)
    other.call("lab.removeRows", [[*range(101, 301, 2)]])
    until(lambda: 1900 in resets, "a reset, because a hundred splices are too many for a frame")
    until(lambda: model.currentRow == 1400)
    assert model.current["text"] == "row 1501" and [index.row() for index in model.selection.selectedRows()] == [1400]


LIST = """ApplicationWindow { visible: true; width: 300; height: 320
    ListView { objectName: "list"; anchors.fill: parent; model: desk.lab.rows
        onCurrentIndexChanged: positionViewAtIndex(currentIndex, ListView.Beginning)
        delegate: ItemDelegate { property int row: index; width: 300; height: 30; text: model.text; highlighted: model.selected
            onClicked: desk.lab.rows.select(index) } } }"""


def delegates(view):
    """What a `ListView` shows: the rows and texts from the top."""
    found = []
    for at in range(0, int(view.height()), 5):
        child = view.property("contentItem")
        inner = child.childAt(50.0, at + view.property("contentY"))
        if inner is not None and inner.property("text") is not None and (not found or found[-1] is not inner):
            found.append(inner)
        wrappers.append([child, inner])
    return found


def test_a_list_view_of_qml_keeps_its_place(desk, other, page):
    model = desk.lab.rows
    other.call("lab.append", [100_000])
    until(lambda: model.count == 100_000)
    window = page(LIST, desk)
    view = item(window, "list")
    view.setProperty("currentIndex", 50_000)
    until(lambda: delegates(view) and delegates(view)[0].property("text").startswith("row "))
    pump(0.1)
    before = [each.property("text") for each in delegates(view)]
    at = int(before[2].split()[1]) - 1
    model.select(at)
    other.call("lab.move", {"from": 99_999, "to": 0})
    other.call("lab.removeRows", [list(range(100, 150))])
    until(lambda: model.currentRow == at - 49)
    pump(0.2)
    assert [each.property("text") for each in delegates(view)] == before
    assert [each.property("text") for each in delegates(view) if each.property("highlighted")] == [before[2]]


class Person:
    """A person with a list of Qt."""

    def __init__(self, desk):
        self.model, self.wait = desk.lab.rows, until

    def begin(self):
        until(lambda: self.model.count == ROWS, "the rows")
        self.jump(ROWS - 1000)
        until(lambda: self.model.get(ROWS - 1000))
        self.model.select(ROWS - 1000)
        return self.model.current["id"]

    def selected(self):
        return [self.model.current["id"]] if self.model.current else []

    def is_selected(self, place):
        return self.model.currentRow == place and [index.row() for index in self.model.selection.selectedRows()] == [place]

    def scroll(self, by, top):
        self.jump(min(max(0, top + by), self.model.count - 1))
        pump(0.05)


class TablePerson(Person):
    """A person with a table of Widgets."""

    def __init__(self, desk, page):
        super().__init__(desk)
        self.view = self.model.into(qt.widgets.QTableView())
        self.view.resize(300, 400)
        self.view.show()

    def jump(self, row):
        self.view.verticalScrollBar().setValue(row)

    def texts(self):
        last = self.view.rowAt(self.view.viewport().height() - 1)
        return [self.model.data(self.model.index(at, 0)) for at in range(self.view.rowAt(0), last + 1)]


class ListPerson(Person):
    """A person with a list of QML."""

    def __init__(self, desk, page):
        super().__init__(desk)
        self.view = item(page(LIST, desk), "list")

    def jump(self, row):
        self.view.setProperty("currentIndex", row)

    def texts(self):
        return [each.property("text") for each in delegates(self.view)]


@pytest.mark.parametrize("kind", [TablePerson, ListPerson])
def test_changes_while_a_person_scrolls(own, open_desk, name, page, kind):
    daemon = own()
    desk = open_desk(socket=daemon.socket, backoff=(0.05, 0.2))
    until(lambda: desk.state == "connected")
    scroll_while_rows_change(kind(desk, page), daemon, name)
