"""Text boxes over a slow line: no key is lost, and the caret stays."""
import gc

import pytest
from conftest import item, pump, qt, test, until
from scenario import type_slowly

QML = """ApplicationWindow { visible: true; width: 300; height: 100
    %s { objectName: "box"; focus: true; Component.onCompleted: desk.%s.edit("%s", this) } }"""


def send_key(target, letter):
    for kind in (qt.core.QEvent.Type.KeyPress, qt.core.QEvent.Type.KeyRelease):
        event = qt.gui.QKeyEvent(kind, ord(letter[0].upper()), qt.Qt.KeyboardModifier.NoModifier, letter)
        qt.core.QCoreApplication.sendEvent(target, event)


class Box:
    """A text box of Widgets or QML, and a person who types into it."""

    wait = staticmethod(until)

    def __init__(self, kind, page, desk, model, field):
        if kind.startswith("Q"):
            self.box = self.window = getattr(qt.widgets, kind)()
            getattr(desk, model).edit(field, self.box)
            self.window.show()
        else:
            self.window = page(QML % (kind, model, field), desk)
            gc.collect()
            self.box = item(self.window, "box")
        pump(0.05)

    def text(self):
        return self.box.toPlainText() if hasattr(self.box, "toPlainText") else self.box.property("text")

    @property
    def caret(self):
        return self.box.textCursor().position() if hasattr(self.box, "textCursor") else self.box.property("cursorPosition")

    def type(self, text):
        for letter in text:
            test.QTest.keyClicks(self.window, letter) if self.box is self.window else send_key(self.window, letter)
            pump(0.04)

    def keys(self, key, count):
        self.go(0 if key == "Home" else self.caret + (count if key == "Right" else -count))

    def go(self, place):
        if hasattr(self.box, "textCursor"):
            cursor = self.box.textCursor()
            cursor.setPosition(place)
            self.box.setTextCursor(cursor)
        else:
            self.box.setProperty("cursorPosition", place)


KINDS = ["QLineEdit", "QPlainTextEdit", "TextField", "TextArea"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("member, made", [("sendList.draft", str), ("lab.code", str.upper)])
def test_typing_over_a_slow_line_loses_no_key_and_no_caret(open_desk, slow, page, kind, other, member, made):
    desk = open_desk(socket=slow)
    until(lambda: desk.state == "connected")
    box = Box(kind, page, desk, *member.split("."))
    pump(0.5)
    type_slowly(box, other, member, made)
    assert box.caret == len("see the quick brown red ")


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_the_viewmodel_rewrites_is_shown_with_the_caret_behind_the_same_letter(open_desk, slow, page, kind):
    desk = open_desk(socket=slow)
    until(lambda: desk.state == "connected")
    box = Box(kind, page, desk, "lab", "code")
    box.type("abxd")
    box.go(2)
    box.type("y")
    until(lambda: box.text() == "ABYXD")
    assert box.caret == 3
    assert desk.lab.code == "ABYXD"


def test_a_text_of_another_client_moves_the_caret_by_characters(desk, other):
    box = qt.widgets.QLineEdit()
    desk.sendList.edit("draft", box)
    for letter in "ab\U0001f600cd":
        send_key(box, letter)
    until(lambda: other.value("sendList", "draft") == "ab\U0001f600cd")
    box.setCursorPosition(4)
    other.call("sendList.draft", ["\U0001f600\U0001f600ab\U0001f600cd"])
    until(lambda: box.text().startswith("\U0001f600"))
    assert (box.text(), box.cursorPosition()) == ("\U0001f600\U0001f600ab\U0001f600cd", 8)


def test_a_field_is_a_property_that_can_be_set(desk, other, page):
    window = page("""ApplicationWindow { visible: true
        TextField { objectName: "box"; text: desk.sendList.draft; onTextEdited: desk.sendList.draft = text } }""", desk)
    until(lambda: desk.session.state == "connected")
    desk.sendList.draft = "hello"
    until(lambda: other.value("sendList", "draft") == "hello" and item(window, "box").property("text") == "hello")
    other.call("sendList.draft", ["bye"])
    until(lambda: item(window, "box").property("text") == "bye")


def test_what_is_typed_offline_arrives(desk, daemon, name):
    box = qt.widgets.QLineEdit()
    desk.sendList.edit("draft", box)
    test.QTest.keyClicks(box, "before ")
    pump(0.2)
    daemon.kill()
    until(lambda: desk.state == "offline")
    test.QTest.keyClicks(box, "after")
    daemon.start()
    until(lambda: desk.state == "connected")
    boss = daemon.connect(name)
    until(lambda: boss.value("sendList", "draft") == "before after")
    assert box.text() == "before after" and box.cursorPosition() == 12


def test_an_action_finds_what_was_typed_before_it(open_desk, slow, other):
    desk = open_desk(socket=slow)
    box = desk.sendList.edit("draft", qt.widgets.QLineEdit())
    box.returnPressed.connect(desk.sendList.add.run)
    until(lambda: desk.state == "connected")
    for word in ("first", "second"):
        test.QTest.keyClicks(box, word)
        until(desk.sendList.add.isEnabled)
        test.QTest.keyClicks(box, " words\r")
        until(lambda: box.text() == "")
    assert [each["text"] for each in other.value("sendList", "items")] == ["first words", "second words"]
    pump(0.4)
    assert (box.text(), desk.sendList.draft, other.value("sendList", "draft")) == ("", "", "")
