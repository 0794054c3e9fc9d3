"""Prompts as dialogs, hints as toasts, and the pages of the coordinator."""
import threading

import pytest
from conftest import command, descendants, kit, pause, texts, until
from gi.repository import Adw, Gtk


@pytest.fixture
def page(desk, show):
    """A window with an entry, in which prompts and hints are shown."""
    entry = Gtk.Entry()
    overlay = Adw.ToastOverlay(child=entry)
    window = show(overlay)
    kit.prompts(desk, overlay)
    until(lambda: desk.bindings["prompter", ""].seq, "the prompter")
    entry.grab_focus()
    return window, entry, overlay


def dialogs():
    return [window for window in Gtk.Window.get_toplevels() if isinstance(window, Adw.MessageDialog) and window.get_visible()]


@pytest.fixture
def ask(other):
    """Lets the ViewModel show a prompt, and returns what becomes of it."""
    def make(**prompt):
        answer = []
        thread = threading.Thread(target=lambda: answer.append(other.call("lab.prompt", prompt)), daemon=True)
        thread.start()
        until(dialogs, "the dialog")
        return lambda: until(lambda: answer and answer[0], "the answer")
    return make


def press(dialog, title):
    next(button for button in descendants(dialog, Gtk.Button) if title in (button.get_label(), *texts(button))).emit("clicked")


def test_a_confirm_prompt_is_answered(page, ask):
    answer = ask(kind="confirm", title="Really?", message="It <b>is</b> gone then")
    dialog = until(lambda: dialogs()[0])
    assert dialog.get_heading() == "Really?" and dialog.get_body() == "It <b>is</b> gone then"
    assert dialog.get_default_response() == "ok" and dialog.get_close_response() == "cancel"
    assert dialog.get_response_appearance("delete") == Adw.ResponseAppearance.DESTRUCTIVE
    until(dialog.get_mapped)
    press(dialog, "Delete")
    assert answer()["button"] == "delete"
    until(lambda: not dialogs())


def test_an_input_prompt_returns_the_text(page, ask):
    answer = ask(kind="input", title="Your name?")
    until(lambda: dialogs()[0].is_active())
    pause(0.6)
    until(lambda: list(descendants(dialogs()[0], Gtk.Entry)))
    next(descendants(dialogs()[0], Gtk.Entry)).grab_focus()
    command("xdotool", "type", "--delay", "40", "Ada")
    command("xdotool", "key", "Return")
    assert answer()["text"] == "Ada"


def test_a_busy_prompt_goes_by_itself(page, ask):
    answer = ask(kind="busy", title="Wait", milliseconds=1000)
    until(lambda: list(descendants(dialogs()[0], Gtk.Spinner)))
    answer()
    until(lambda: not dialogs())


def test_nobody_answers_by_typing(page, ask):
    """The keys of somebody who types go on into the box, and the answer needs half a second without one."""
    window, entry, _ = page
    answer, typed = ask(kind="confirm", title="Really?"), "one two\nthree "
    until(lambda: dialogs()[0].is_active())
    command("xdotool", "type", "--delay", "40", typed)
    assert dialogs() and entry.get_text() == typed.replace("\n", "")
    pause(0.6)
    command("xdotool", "key", "Return")
    assert answer()["button"] == "ok"


def test_a_dialog_that_is_closed_without_an_answer_is_shown_again(page, desk, other):
    prompt = {"id": "x", "title": "Really?", "message": None, "kind": "confirm"}
    buttons = [type("Button", (), {"id": id, "title": id, "role": role}) for id, role in (("a", "default"), ("b", "destructive"))]
    answers = []
    dialog = kit.prompt_dialog(type("Prompt", (), {**prompt, "buttons": buttons}), page[0], lambda *what: answers.append(what[1:]))
    dialog.present()
    until(dialog.is_active)
    pause(0.6)
    command("xdotool", "key", "Escape")
    until(lambda: answers == [(None, None)])


def test_a_prompt_stays_until_its_answer_has_arrived(own, connect, name, show):
    daemon = own()
    desk, overlay = connect(name, daemon.socket), Adw.ToastOverlay(child=Gtk.Entry())
    show(overlay)
    kit.prompts(desk, overlay)
    client = daemon.connect(name)
    client.send({"jsonrpc": "2.0", "method": "lab.prompt", "params": {"kind": "confirm", "title": "Really?"}})
    first = until(lambda: dialogs() and dialogs()[0])
    until(first.get_mapped)
    daemon.kill()
    until(lambda: desk.state == "offline")
    press(first, "Keep")
    until(lambda: dialogs() and dialogs()[0] is not first, "the dialog again")
    daemon.drop_clients()
    daemon.start()
    until(lambda: not dialogs(), "the prompt goes with its action")


def test_a_hint_is_a_toast(page, other):
    other.call("lab.hint", {"text": "Saved <now>", "level": "info"})
    until(lambda: "Saved <now>" in [label.get_text() for label in descendants(page[2], Gtk.Label)])


def test_pages_follow_the_scenes(desk, other, show):
    made = []

    def make(scene):
        made.append(scene.scene)
        return Gtk.Label(label=f"{scene.scene} {scene.instance}")
    pages = kit.Scenes(desk, make)
    pages.insert_action_group("coordinator", kit.Actions(desk.coordinator))
    show(pages)
    until(lambda: texts(pages) == ["root None"])
    other.call("coordinator.open", {"scene": "login"})
    until(lambda: texts(pages)[-1:] == ["login login"])
    other.call("coordinator.open", {"scene": "help"})
    until(lambda: pages.get_visible_child().get_label() == "help None")
    pages.activate_action("coordinator.back")
    until(lambda: pages.get_visible_child().get_label() == "login login")
    other.call("coordinator.back")
    until(lambda: pages.get_visible_child().get_label() == "root None" and len([*pages.get_pages()]) == 1)
    assert made == ["root", "login", "help"]
