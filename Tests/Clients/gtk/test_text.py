"""Text boxes: a field with two writers, over a slow line, and the inputs that have no output."""
import re

import pytest
from conftest import command, kit, pause, until
from gi.repository import Adw, Gtk
from scenario import type_slowly


def shown(box):
    return box.get_text(), box.get_position()


@pytest.mark.parametrize("kind", [Gtk.Entry, Gtk.Text, Gtk.SearchEntry, Gtk.PasswordEntry, Adw.EntryRow, Gtk.EditableLabel])
def test_a_box_shows_what_the_viewmodel_makes_of_it(desk, other, kind):
    box = kind()
    kit.edit(desk.lab, "code", box)
    box.set_text("ab")
    until(lambda: box.get_text() == "AB")
    other.call("lab.code", ["other"])
    until(lambda: box.get_text() == "OTHER")
    assert other.value("lab", "code") == "OTHER"


def test_the_caret_and_the_selection_stay_at_their_letters(desk, other):
    box = Gtk.Entry()
    kit.edit(desk.lab, "word", box)
    other.call("lab.word", ["hello moon"])
    until(lambda: box.get_text() == "hello moon")
    box.select_region(6, 10)
    other.call("lab.word", ["well, hello moon"])
    until(lambda: box.get_text() == "well, hello moon")
    assert box.get_selection_bounds() == (12, 16)
    other.call("lab.word", ["hello moon"])
    until(lambda: box.get_text() == "hello moon")
    assert box.get_selection_bounds() == (6, 10)


def test_a_refused_text_is_marked_and_the_old_one_shown(desk, other):
    box = Gtk.Entry()
    kit.edit(desk.lab, "word", box)
    box.set_text("moon")
    until(lambda: other.value("lab", "word") == "moon")
    box.insert_text("7", -1)  # `set_text` deletes first, and the empty text may be sent.
    until(lambda: box.has_css_class("error"))
    until(lambda: box.get_text() == "moon", "the text of the ViewModel")
    assert box.has_css_class("error"), "the reason stays until the next letter"
    assert re.fullmatch("Invalid params: path /value, expected .* without digits.*, found .*", box.get_tooltip_text())
    box.set_text("sun")
    until(lambda: not box.has_css_class("error") and box.get_tooltip_text() is None)
    until(lambda: other.value("lab", "word") == "sun")
    box.insert_text("7", -1)
    until(lambda: box.has_css_class("error") and box.get_text() == "sun")
    other.call("lab.word", ["sky"])
    until(lambda: box.get_text() == "sky" and not box.has_css_class("error") and box.get_tooltip_text() is None)


class Box:
    """A text box of a window, and a person with a keyboard."""

    def __init__(self, box, show):
        self.box, self.wait = box, until
        show(box)
        box.grab_focus()

    def type(self, text):
        command("xdotool", "type", "--delay", "40", text)

    def keys(self, key, count):
        command("xdotool", "key", "--delay", "40", *[key] * count)

    def text(self):
        return self.box.get_text()


@pytest.mark.parametrize("member, made", [("sendList.draft", str), ("lab.code", str.upper)])
def test_no_key_and_no_caret_is_lost_on_a_slow_line(connect, other, name, slow, show, member, made):
    desk, box = connect(name, slow), Gtk.Entry()
    instance, field = member.split(".")
    kit.edit(getattr(desk, {"sendList": "send_list"}.get(instance, instance)), field, box)
    type_slowly(Box(box, show), other, member, made)
    assert box.get_position() == len("see the quick brown red ")


def test_what_is_typed_while_the_daemon_is_away_arrives(own, connect, name, show):
    daemon = own()
    desk, box = connect(name, daemon.socket), Gtk.Entry()
    kit.edit(desk.lab, "word", box)
    show(box)
    box.grab_focus()
    command("xdotool", "type", "--delay", "40", "before")
    until(lambda: daemon.connect(name).value("lab", "word") == "before")
    daemon.kill()
    until(lambda: desk.state == "offline")
    command("xdotool", "type", "--delay", "40", " and after")
    daemon.drop_clients()
    daemon.start()
    until(lambda: daemon.connect(name).value("lab", "word") == "before and after")
    assert shown(box) == ("before and after", 16)


def test_an_input_without_an_output_is_sent_again(own, connect, name):
    daemon = own()
    desk, account, password = connect(name, daemon.socket), Gtk.Entry(), Gtk.PasswordEntry()
    kit.edit(desk.login, "account", account)
    kit.edit(desk.login, "password", password)
    group = kit.Actions(desk.login)
    account.set_text("someone")
    password.set_text("long enough")
    until(lambda: group.get_action_enabled("submit"))
    daemon.kill()
    until(lambda: not group.get_action_enabled("submit"))
    daemon.drop_clients()
    daemon.start()
    until(lambda: group.get_action_enabled("submit"), "the account and the password in the new life")
    account.set_text("x" * 2000)
    until(lambda: account.has_css_class("error"))
    account.set_text("someone")
    until(lambda: not account.has_css_class("error"))


def test_a_box_that_is_gone_holds_nothing(desk, show):
    box = Gtk.Entry()
    kit.edit(desk.lab, "word", box)
    window = show(box)
    until(lambda: desk.bindings["lab", ""].holds)
    window.set_child(None)
    del box
    until(lambda: not desk.bindings.get(("lab", "")) or not desk.bindings["lab", ""].holds)
    pause(0)
