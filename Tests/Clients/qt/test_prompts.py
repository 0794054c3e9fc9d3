"""Prompts as dialogs of Widgets and QML, hints, and navigation."""
import gc

import pytest
from conftest import click, item, pump, qt, quick, test, until
from test_text import send_key


@pytest.fixture(params=["widgets", "qml"])
def window(request, desk, page):
    """A window with a text box that has the focus, and with the session's prompts."""
    if request.param == "qml":
        made = page("""ApplicationWindow { visible: true; width: 500; height: 400
            TextField { objectName: "box"; focus: true } }""", desk)
    else:
        made = qt.widgets.QWidget()
        box = qt.widgets.QLineEdit(made)
        box.setObjectName("box")
        made.resize(500, 400)
        made.show()
        box.setFocus()
        made.activateWindow()
    desk.prompts(made)
    gc.collect()
    pump(0.1)
    yield made
    made.close()
    if request.param == "widgets":
        made.deleteLater()


def dialogs(window):
    return list(window.findChild(qt.QObject, "prompts").dialogs.values())


def key(window, letter, code=None):
    """A key goes to what has the focus."""
    if window.isWidgetType():
        target = qt.widgets.QApplication.activeModalWidget() or window
        target = target.focusWidget() or target
    else:
        target = window
    if code is None:
        send_key(target, letter)
    else:
        test.QTest.keyClick(target, code)


def ask(other, kind, **more):
    return other.request("lab.prompt", {"kind": kind, "title": "Really?", **more})


def wait_for_keys(window):
    dialog = until(lambda: dialogs(window) and dialogs(window)[0])
    until(lambda: dialog.property("enabled"))
    pump(0.1)
    return dialog


@pytest.mark.parametrize("code", ["Key_Return", "Key_Escape", "Key_Space"])
def test_a_dialog_takes_no_key_at_first(desk, window, other, code):
    id = ask(other, "confirm", message="It cannot be undone.")
    dialog = until(lambda: dialogs(window) and dialogs(window)[0])
    for _ in range(5):
        key(window, "", getattr(qt.Qt.Key, code))
        pump(0.03)
    assert not dialog.property("enabled") and dialogs(window) == [dialog]
    wait_for_keys(window)
    key(window, "", qt.Qt.Key.Key_Escape)
    assert other.reply(id)["result"]["button"] == "cancel"
    until(lambda: dialogs(window) == [])


@pytest.mark.parametrize("code", ["Key_Return", "Key_Enter", "Key_Space"])
def test_no_key_chooses_what_is_dangerous_by_default(desk, window, other, code):
    id = ask(other, "confirm")
    wait_for_keys(window)
    key(window, "", getattr(qt.Qt.Key, code))
    pump(0.3)
    if code == "Key_Space":
        assert dialogs(window), "no button has the focus"
        key(window, "", qt.Qt.Key.Key_Return)
    assert other.reply(id)["result"]["button"] == "ok"


def test_an_input_is_typed_and_answered(desk, window, other):
    id = ask(other, "input")
    wait_for_keys(window)
    for letter in "name":
        key(window, letter)
    key(window, "", qt.Qt.Key.Key_Return)
    assert other.reply(id)["result"]["text"] == "name"


def test_an_answer_that_is_refused_leaves_the_dialog(desk, window, other, daemon):
    ask(other, "confirm")
    dialog = wait_for_keys(window)
    daemon.kill()
    until(lambda: desk.state == "offline")
    key(window, "", qt.Qt.Key.Key_Escape)
    shown = until(lambda: dialog.message.text() if window.isWidgetType() else dialog.property("problem"))
    assert dialogs(window) == [dialog] and "offline" in shown
    daemon.start()
    until(lambda: dialogs(window) == [])


def test_an_alert_and_a_busy_prompt(desk, window, other):
    id = ask(other, "alert")
    wait_for_keys(window)
    key(window, "", qt.Qt.Key.Key_Return)
    other.reply(id)
    until(lambda: dialogs(window) == [])
    id = ask(other, "busy", milliseconds=700)
    until(lambda: dialogs(window))
    key(window, "", qt.Qt.Key.Key_Escape)
    other.reply(id)
    until(lambda: dialogs(window) == [])


def test_a_prompt_that_is_answered_elsewhere_goes(desk, window, other):
    id = ask(other, "confirm")
    until(lambda: dialogs(window))
    prompt = other.value("prompter", "pending")[0]["id"]
    other.call("prompter.answer", {"id": prompt, "button": "delete"})
    assert other.reply(id)["result"]["button"] == "delete"
    until(lambda: dialogs(window) == [])


def test_a_button_is_clicked(desk, window, other):
    id = ask(other, "confirm")
    dialog = wait_for_keys(window)
    if window.isWidgetType():
        next(each for each in dialog.findChildren(qt.widgets.QPushButton) if each.text() == "Delete").click()
    else:
        click(window, "delete")
    assert other.reply(id)["result"]["button"] == "delete"


def test_a_hint_is_a_signal(desk, other):
    heard = []
    desk.hint.connect(lambda *news: heard.append(news))
    pump(0.1)
    other.call("lab.hint", {"text": "Look", "level": "warning"})
    until(lambda: heard == [("Look", "warning")])


def test_a_stack_of_widgets_shows_the_scenes(desk, other):
    def page(scene):
        return qt.widgets.QLabel(scene["scene"])
    stack = qt.Stack(desk, {"root": page, "login": lambda scene: qt.widgets.QLabel("please"), "other": page})
    until(lambda: stack.count() == 1 and stack.currentWidget().text() == "root")
    root = stack.currentWidget()
    other.call("coordinator.open", {"scene": "login"})
    until(lambda: stack.currentWidget().text() == "please")
    other.call("lab.open", {"scene": "elsewhere"})
    until(lambda: stack.currentWidget().text() == "elsewhere" and stack.count() == 3)
    desk.coordinator.back.run()
    until(lambda: stack.currentWidget().text() == "please")
    desk.coordinator.back.run()
    until(lambda: stack.currentWidget() is root and stack.count() == 1)


def test_a_stack_view_shows_the_scenes(desk, other, page):
    window = page("""ApplicationWindow { visible: true; width: 300; height: 200
        StackView { id: stack; objectName: "stack"; anchors.fill: parent
            Component.onCompleted: desk.navigate(this, {root: home, login: login, other: other}) }
        Component { id: home; Label { text: "home" } }
        Component { id: login; Label { property var scene; text: scene ? desk[scene.instance].state : "" } }
        Component { id: other; Label { property var scene; text: scene ? scene.scene : "" } }
        }""", desk)
    stack = item(window, "stack")

    def texts():
        return stack.property("depth"), stack.property("currentItem").property("text")
    until(lambda: texts() == (1, "home"))
    other.call("coordinator.open", {"scene": "login"})
    until(lambda: texts() == (2, "signedOut"))
    other.call("lab.open", {"scene": "elsewhere"})
    until(lambda: texts() == (3, "elsewhere"))
    desk.coordinator.back.run()
    until(lambda: texts() == (2, "signedOut"))
    pump(0.5)
    desk.coordinator.back.run()
    until(lambda: texts() == (1, "home"))
    assert isinstance(stack, quick.QQuickItem)
