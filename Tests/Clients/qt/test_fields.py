"""Fields and inputs of each kind, with a contract of a player: what is refused, and what is set while offline."""
import importlib
import json
import subprocess
import sys

import pytest
from conftest import item, pump, qt, test, until
from daemons import CTL, unique

NUMBER, TEXT = {"type": "number"}, {"type": "string"}
CONTRACT = {"x-viewModels": {"player": {
    "inputs": {
        "speed": {"schema": {**NUMBER, "minimum": 0.5, "maximum": 3}, "field": True},
        "note": {"schema": {**TEXT, "maxLength": 3}, "field": True},
        "remark": {"schema": {"type": ["string", "null"]}, "field": True},
        "count": {"schema": {"type": "integer", "minimum": 1, "maximum": 9}, "field": True},
        "mode": {"schema": {"enum": ["once", "again", "mixed"]}, "field": True},
        "loud": {"schema": {"type": "boolean"}, "field": True},
        "jump": {"schema": {**NUMBER, "maximum": 10}}},
    "outputs": {"speed": {"schema": NUMBER, "example": 1}, "note": {"schema": TEXT}, "title": {"schema": {"type": ["string", "null"]}},
        "remark": {"schema": {"type": ["string", "null"]}},
        "count": {"schema": {"type": "integer"}, "example": 4}, "mode": {"schema": {"enum": ["once", "again", "mixed"]}},
        "loud": {"schema": {"type": "boolean"}}}}}}


@pytest.fixture(scope="module")
def contract(tmp_path_factory):
    file = tmp_path_factory.mktemp("player") / "contract.json"
    file.write_text(json.dumps(CONTRACT))
    return file


@pytest.fixture
def player_daemon(own, contract):
    return own(None, "--mock", str(contract), lab=False)


@pytest.fixture
def client(player_daemon, contract, monkeypatch):
    """The client of the contract."""
    command = [*CTL, "--socket", str(player_daemon.socket), "generate", "python"]
    made = unique().replace("-", "_")
    file = contract.with_name(f"{made}.py")
    file.write_text(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    monkeypatch.syspath_prepend(str(contract.parent))
    yield importlib.import_module(made)
    del sys.modules[made]


@pytest.fixture
def desk(open_desk, player_daemon):
    desk = open_desk(socket=player_daemon.socket)
    until(lambda: desk.state == "connected")
    return desk


def values(desk):
    """What the ViewModel has, not what the client shows."""
    read = []
    desk.session.send("viewModel.read", {"id": "player"}).then(lambda call: read.append(call.result["values"]))
    return until(lambda: read)[0]


@pytest.mark.parametrize("kind", ["QLineEdit", "QPlainTextEdit"])
def test_a_text_that_may_be_null_is_edited(desk, kind):
    box = getattr(qt.widgets, kind)()
    text = lambda: box.toPlainText() if kind == "QPlainTextEdit" else box.text()
    desk.player.edit("remark", box)
    until(lambda: values(desk)["remark"] is None and text() == "")
    box.show()
    test.QTest.keyClicks(box, "moon")
    until(lambda: values(desk)["remark"] == "moon")
    desk.session.send("player.remark", {"value": None})
    until(lambda: text() == "", "no text for null")


def test_a_refused_number_shows_its_problem_and_turns_back(desk, page):
    window = page("""ApplicationWindow { visible: true
        Slider { objectName: "speed"; from: 0; to: 9; value: desk.player.speed; onMoved: desk.player.speed = value }
        Label { objectName: "problem"; text: desk.player.speedProblem } }""", desk)
    slider, problem = item(window, "speed"), item(window, "problem")
    until(lambda: slider.property("value") == 1)

    def move(value):
        slider.setProperty("value", value)
        qt.core.QMetaObject.invokeMethod(slider, "moved")
    move(9.0)
    until(lambda: problem.property("text") and desk.player.speed == 1 and slider.property("value") == 1)
    assert values(desk)["speed"] == 1
    move(2.5)
    until(lambda: values(desk)["speed"] == 2.5 and problem.property("text") == "")
    assert slider.property("value") == 2.5


def test_a_refused_text_shows_its_problem_until_the_next_edit(desk):
    box, seen, player = qt.widgets.QLineEdit(), [], desk.player
    player.noteProblemChanged.connect(lambda: seen.append(player.noteProblem))
    player.edit("note", box)
    box.insert("long")
    box.textEdited.emit("long")
    until(lambda: player.noteProblem)
    box.setText("ok")
    box.textEdited.emit("ok")
    until(lambda: player.noteProblem == "" and values(desk)["note"] == "ok")
    box.setText("long")
    box.textEdited.emit("long")
    until(lambda: player.noteProblem)
    player.note = "yes"
    assert player.noteProblem == "" and seen[-1] == ""
    until(lambda: values(desk)["note"] == "yes")


def test_a_refused_input_is_a_signal(desk, page):
    window = page("""ApplicationWindow { visible: true; property string problem
        Connections { target: desk.player; function onRefused(name, text) { problem = name + ": " + text } } }""", desk)
    desk.player.jump(5)
    desk.player.jump(11)
    until(lambda: window.property("problem").startswith("jump: "))
    assert len(window.property("problem")) > len("jump: ")


def test_a_number_that_is_set_offline_arrives(desk, player_daemon):
    player = desk.player
    until(lambda: player.speed == 1)
    player_daemon.kill()
    until(lambda: desk.state == "offline")
    player.speed = 1.75
    pump(0.1)
    assert (player.speed, player.speedProblem) == (1.75, "")
    player_daemon.start()
    until(lambda: desk.state == "connected")
    until(lambda: values(desk)["speed"] == 1.75)
    assert player.speed == 1.75


@pytest.mark.parametrize("name, kind, remedy", [
    ("speed", TypeError, "onMoved"), ("title", LookupError, "no field title.*note"), ("nope", LookupError, "no field nope.*note")])
def test_edit_names_what_is_no_text(desk, problems, name, kind, remedy):
    desk.player.edit(name, qt.widgets.QLineEdit())
    with pytest.raises(kind, match=remedy):
        raise problems.pop()


@pytest.mark.parametrize("make, field, sent, came, refused", [
    (lambda: qt.widgets.QSpinBox(maximum=99), "count", 7, 3, 50),
    (lambda: qt.widgets.QSlider(maximum=99), "count", 7, 3, 50),
    (lambda: qt.widgets.QDoubleSpinBox(maximum=99), "speed", 1.5, 2.5, 50.0),
    (lambda: qt.widgets.QCheckBox(), "loud", True, False, None),
    (lambda: boxes("once", "again", "mixed", "never"), "mode", "again", "mixed", "never")])
def test_a_widget_of_any_kind_edits_a_field(desk, make, field, sent, came, refused):
    widget, label = make(), qt.widgets.QLabel()
    assert desk.player.edit(field, widget) is widget
    assert qt.show(desk.player, f"{field}Problem", label) is label
    name = qt.edited(widget)
    until(lambda: field in desk.session.player.binding().picture.raw)
    first = values(desk)[field]
    until(lambda: widget.property(name) == first)
    widget.setProperty(name, sent)
    until(lambda: values(desk)[field] == sent)
    desk.player.setProperty(field, came)
    until(lambda: widget.property(name) == came)
    if refused is not None:
        widget.setProperty(name, refused)
        until(lambda: label.text() and widget.property(name) == came)


def boxes(*texts):
    box = qt.widgets.QComboBox()
    box.addItems(texts)
    return box


def test_a_widget_shows_a_property_until_it_is_gone(desk):
    label, window = qt.widgets.QLabel(), qt.widgets.QWidget()
    qt.show(desk.player, "title", label)
    qt.show(desk.player, "count", window, "windowTitle", lambda count: f"{count} songs")
    qt.show(desk.player, "count", bar := qt.widgets.QProgressBar())
    qt.show(desk, "state", window, "toolTip")
    until(lambda: (label.text(), window.windowTitle(), bar.value(), window.toolTip()) == ("", "4 songs", 4, "connected"))
    window.deleteLater()
    desk.player.count = 5
    until(lambda: bar.value() == 5)


def test_show_names_what_does_not_notify(desk):
    with pytest.raises(LookupError, match="Player has no property nope"):
        qt.show(desk.player, "nope", qt.widgets.QLabel())


def test_two_boxes_of_a_field_show_the_same(desk):
    first, second = (desk.player.edit("note", qt.widgets.QLineEdit()) for _ in range(2))
    test.QTest.keyClicks(first, "ab")
    assert (second.text(), desk.player.note) == ("ab", "ab")
    test.QTest.keyClicks(second, "c")
    until(lambda: values(desk)["note"] == "abc")
    assert first.text() == "abc"
