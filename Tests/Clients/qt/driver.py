"""Runs a program of the documentation until a generator has driven it: driver.py PROGRAM DRIVE SCREENSHOT.

DRIVE is a function of this file. It yields conditions to wait for.
"""
import runpy
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "PythonSupport")]
import viewmodel_qt as qt  # noqa: E402
from importlib import import_module  # noqa: E402

test, quick = import_module(f"{qt.QT}.QtTest"), import_module(f"{qt.QT}.QtQuick")


wrappers = []


def item(name):
    """The visible item of QML with an objectName."""
    items = [qt.gui.QGuiApplication.topLevelWindows()[0].contentItem()]
    for each in items:
        items += each.childItems()
    wrappers.append(items)          # PySide6 loses items whose parents Python has forgotten.
    return next((each for each in items if each.objectName() == name and each.isVisible()), None)


def text(name):
    return found.property("text") if (found := item(name)) else None


def click(name):
    target = item(name)
    place = target.mapToScene(qt.core.QPointF(target.width() / 2, target.height() / 2)).toPoint()
    test.QTest.mouseClick(target.window(), qt.Qt.MouseButton.LeftButton, qt.Qt.KeyboardModifier.NoModifier, place)


def write(name, letters):
    item(name).forceActiveFocus()
    for letter in letters:
        for kind in (qt.core.QEvent.Type.KeyPress, qt.core.QEvent.Type.KeyRelease):
            event = qt.gui.QKeyEvent(kind, ord(letter.upper()), qt.Qt.KeyboardModifier.NoModifier, letter)
            qt.core.QCoreApplication.sendEvent(item(name).window(), event)


def calm():
    """Half a second, in which pages and dialogs move."""
    end = time.monotonic() + 0.5
    return lambda: time.monotonic() > end


def demo():
    yield lambda: text("led") == "0"
    for key in "7*6=":
        click(f"key{key}")
    yield lambda: text("led") == "42" and item("undo").isEnabled()
    click("undo")
    yield lambda: text("led") != "42"
    for key in "6*7=":
        click(f"key{key}")
    click("mine-wallet")
    yield lambda: item("account")
    yield calm()
    write("account", "mallory")
    write("password", "wrong-password")
    yield lambda: item("submit").isEnabled()
    click("submit")
    yield lambda: text("problem") and text("hint")
    click("back")
    yield lambda: item("draft") and not item("account")
    yield calm()
    write("draft", "hello qt")
    yield lambda: item("add").isEnabled()
    click("add")
    yield lambda: text("draft") == "" and item("items").property("count") == 1
    click("million")
    yield lambda: item("rows").property("count") == 1_000_000 and item("rows").property("contentHeight") > 1_000_000
    item("rows").setProperty("contentY", 500_000 * item("rows").property("contentHeight") / 1_000_000)
    row = item("rows")
    yield lambda: any("row 50" in (each.property("text") or "") for each in row.property("contentItem").childItems())
    place = row.mapToScene(qt.core.QPointF(30, 50)).toPoint()
    test.QTest.mouseClick(row.window(), qt.Qt.MouseButton.LeftButton, qt.Qt.KeyboardModifier.NoModifier, place)
    yield lambda: text("current").startswith("row 50")
    click("ask")
    yield lambda: item("ok") and item("ok").isEnabled()
    yield calm()
    yield lambda: row.window().grabWindow().save(sys.argv[3])
    yield calm()
    click("ok")
    yield lambda: not item("ok")


def widgets():
    top = qt.widgets.QApplication.topLevelWidgets

    def part(kind):
        return next(each for each in top() if each.findChild(qt.widgets.QTableView)).findChild(getattr(qt.widgets, kind))
    yield lambda: part("QLabel").text() == "0" and part("QPushButton").text() == "Undo"
    test.QTest.keyClicks(part("QLineEdit"), "hello")
    yield calm()
    yield lambda: part("QLineEdit").text() == "hello" and part("QTableView").model().rowCount() == 0


def drive(*_):
    steps = globals()[sys.argv[2]]()
    for number, condition in enumerate(steps):
        end = time.monotonic() + 30
        while not condition():
            if time.monotonic() > end:
                for window in qt.gui.QGuiApplication.topLevelWindows()[:1]:
                    window.grabWindow().save(sys.argv[3]) if hasattr(window, "grabWindow") else None
                sys.exit(f"step {number} of {sys.argv[2]} failed")
            qt.core.QCoreApplication.processEvents()
            time.sleep(0.002)
    return 0


for kind in (qt.gui.QGuiApplication, qt.widgets.QApplication):
    kind.exec = drive
runpy.run_path(sys.argv[1], run_name="__main__")
