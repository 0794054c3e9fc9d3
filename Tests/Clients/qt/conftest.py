"""Runs an application of Qt against the real daemon. PYTHON_CLIENT names the generated client, if it is made already."""
import importlib
import os
import sys
import time

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
pytest.register_assert_rewrite("daemons", "clients", "scenario")

import viewmodel_qt as qt  # noqa: E402
from clients import client_file  # noqa: E402, F401
from fixtures import *  # noqa: E402, F403
from scenario import slow  # noqa: E402, F401

if qt.QT == "PySide6" and sys.version_info < (3, 12):
    raise pytest.UsageError("PySide6 loses references to True under this Python, and aborts: use PyQt6, or Python 3.12")
test, qml, quick = (importlib.import_module(f"{qt.QT}.Qt{part}") for part in ("Test", "Qml", "Quick"))
application = qt.widgets.QApplication.instance() or qt.widgets.QApplication([])


def pump(seconds=0.0):
    """Runs the application."""
    end = time.monotonic() + seconds
    while True:
        application.processEvents()
        qt.core.QCoreApplication.sendPostedEvents(None, qt.core.QEvent.Type.DeferredDelete.value)
        if time.monotonic() >= end:
            return
        time.sleep(0.001)


def until(condition, what="the condition", seconds=30):
    """Runs the application until a condition holds, and returns what it returned."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, f"{what} did not come"
        pump(0.002)
    return result


@pytest.fixture(scope="session")
def client(client_file):
    """The module of the client."""
    sys.path.insert(0, str(client_file.parent))
    return importlib.import_module(client_file.stem)


@pytest.fixture(autouse=True)
def problems(monkeypatch):
    """The exceptions that were reported. A test fails if one is left."""
    found = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: found.append(error))
    yield found
    if found:
        raise found[0]


@pytest.fixture
def open_desk(client, daemon, name, problems):
    """Makes sessions of the test's name as objects of Qt."""
    made = []

    def make(socket=daemon.socket, **how):
        session = client.Session(name, socket=str(socket), dispatch=qt.dispatch(), **how)
        made.append(qt.SessionObject(session))
        return made[-1]
    yield make
    for each in made:
        each.close()
        each.deleteLater()
    pump(0.02)


@pytest.fixture
def desk(open_desk):
    desk = open_desk()
    until(lambda: desk.state == "connected", "the connection")
    return desk


@pytest.fixture
def other(daemon, name):
    """Another client of the session."""
    return daemon.connect(name, linger=60)


@pytest.fixture
def page():
    """Shows QML text with a session as `desk`, and returns the window. A warning of QML fails the test."""
    engines, warnings = [], []

    def make(text, desk):
        engine = qml.QQmlApplicationEngine()
        engine.warnings.connect(lambda new: warnings.extend(each.toString() for each in new))
        engine.rootContext().setContextProperty("desk", desk)
        engine.loadData(f"import QtQuick\nimport QtQuick.Controls\n{text}".encode())
        engines.append(engine)
        assert engine.rootObjects(), warnings
        window = engine.rootObjects()[0]
        window.requestActivate()
        until(lambda: window.isExposed(), "the window")
        return window
    yield make
    for engine in engines:
        engine.deleteLater()
    pump(0.02)
    assert warnings == []


def item(window, name):
    """The item with an objectName."""
    if (found := window.findChild(qt.QObject, name)) is None:
        found = next((each for each in descendants(window.contentItem()) if each.objectName() == name), None)
    assert found is not None, name
    return found


wrappers = []


def descendants(top):
    """The items below an item. PySide6 loses items whose parents Python has forgotten."""
    items = [top]
    for each in items:
        items += each.childItems()
    wrappers.append(items)
    return items


def click(window, name):
    """Clicks an item of QML."""
    target = item(window, name)
    place = target.mapToScene(qt.core.QPointF(target.width() / 2, target.height() / 2)).toPoint()
    test.QTest.mouseClick(window, qt.Qt.MouseButton.LeftButton, qt.Qt.KeyboardModifier.NoModifier, place)
