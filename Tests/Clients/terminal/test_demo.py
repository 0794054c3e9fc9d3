"""The program of docs/clients/terminal.md in a real terminal."""
import re
import time

from scenario import type_slowly
from wire import wait_until


def test_keys_run_inputs_and_actions_and_follow_enabled(terminal, desk):
    demo = terminal()
    demo.enables("Million")
    demo.disables("Undo")
    demo.keys("6", "*", "7", "=")
    demo.shows("* 7")
    demo.enables("Undo")
    assert desk.value("calculator", "led") == "42"
    demo.keys("u", "u", "u", "u")
    demo.hides("* 7")
    demo.disables("Undo")
    assert desk.value("calculator", "led") == "0" and "disabled" not in demo.screen
    demo.keys("8", "/", "0", "=")
    demo.shows("Cannot divide by zero")


def test_an_action_shows_progress_and_is_cancelled(terminal, desk):
    demo = terminal(tab="Rows")
    demo.shows("Counted to 0")
    demo.disables("Cancel")
    demo.keys("n")
    demo.enables("Cancel")
    wait_until(lambda: re.search(r" [1-9]\d?%", demo.screen), "progress")
    demo.keys("x")
    wait_until(lambda: desk.value("lab", "count.executing") is False, "the end of the action")
    demo.disables("Cancel")
    assert 0 < desk.value("lab", "value") < 100


def test_a_prompt_takes_no_key_while_a_person_types(terminal, desk):
    demo = terminal(tab="Send")
    demo.hides("Quit")      # The field has the focus, and takes letters.
    demo.type("abc")
    question = desk.request("lab.prompt", {"kind": "confirm", "title": "Delete it?"})
    demo.type("d\x7fe yes no ok\x7f\x7fko", pause=0.1)
    demo.keys("Enter")
    demo.shows("Delete it?", "abce yes no ko")
    wait_until(lambda: desk.value("sendList", "draft") == "abce yes no ko", "the text")
    assert desk.value("prompter", "pending"), "the question is not answered"
    time.sleep(1)       # a pause of the person
    demo.keys("Enter")
    assert desk.reply(question)["result"] == {"button": "cancel", "text": None}
    demo.hides("Delete it?")
    demo.type("!")
    wait_until(lambda: desk.value("sendList", "draft") == "abce yes no ko!", "the focus in the field")


def test_a_prompt_asks_for_a_text(terminal, desk):
    demo = terminal()
    question = desk.request("lab.prompt", {"kind": "input", "title": "[b]Your name", "message": "or\x1b[31m none"})
    demo.shows("[b]Your name", "or\N{REPLACEMENT CHARACTER}[31m none")
    time.sleep(1)       # a pause of the person
    demo.type("Ada")
    demo.keys("Enter")
    assert desk.reply(question)["result"] == {"button": None, "text": "Ada"}
    again = desk.request("lab.prompt", {"kind": "busy", "title": "Wait a moment", "milliseconds": 1500})
    demo.shows("Wait a moment")
    demo.keys("Enter", "Escape")
    assert desk.reply(again)["result"] == {"button": None, "text": None}
    demo.hides("Wait a moment")


def test_the_coordinator_shows_scenes(terminal, desk):
    desk.call("login.register", {"account": "ada", "password": "Lovelace-1815"})
    demo = terminal(tab="Mine")
    demo.shows("click login", "contact customer service")
    demo.disables("Back")
    demo.keys("Down", "Down", "Enter")
    demo.shows("Account", "Sign in")
    demo.hides("contact customer service")
    demo.hides("Quit")
    demo.type("ad")
    demo.shows("3 to 64 characters")
    demo.keys("Escape")
    demo.shows("contact customer service")
    demo.keys("Enter")
    demo.shows("Sign in")
    demo.type("ada")
    demo.keys("Tab")
    time.sleep(1)       # Keys that come at once after Tab go to the widget before.
    demo.type("Lovelace-1815")
    demo.hides("8 characters")
    wait_until(lambda: desk.value("login", "submit.enabled"), "the password")
    demo.keys("Tab")
    demo.shows("Quit")     # The button has the focus.
    demo.keys("Enter")
    demo.shows("ada", "contact customer service")
    demo.keys("Enter")
    demo.shows("support")
    assert [each["scene"] for each in desk.value("coordinator", "scenes")] == ["root", "support"]
    demo.hides("contact customer service")
    demo.keys("Escape")
    demo.shows("contact customer service")


class Box:
    """The field of the page for messages."""

    def __init__(self, demo):
        self.demo, self.wait, self.type = demo, wait_until, demo.type

    def keys(self, key, count):
        self.demo.keys(*[key] * count)

    def text(self):
        return next(iter(re.findall("see the.*dog", self.demo.screen)), "")


def test_a_field_on_a_slow_line_loses_no_key_and_no_caret(terminal, desk, slow):
    demo = terminal(slow, "Send")
    demo.hides("Quit")      # The field has the focus, and takes letters.
    type_slowly(Box(demo), desk, "sendList.draft")
    demo.keys("Tab")
    demo.shows("Quit")     # The button has the focus.
    demo.keys("Enter")
    demo.shows("queued  see the quick")
    wait_until(lambda: desk.value("sendList", "draft") == "", "the emptied field")
    demo.shows("Message")


def test_a_lost_daemon_is_shown_and_no_key_waits_for_it(terminal, desk, daemon):
    demo = terminal()
    demo.keys("5", "=")
    demo.enables("Undo")
    daemon.stop()
    demo.shows("Offline")
    demo.disables("Undo")
    demo.keys("7", "m", "u", "BTab", "Right")
    demo.shows("Counted")   # The program has read the keys.
    daemon.start()
    demo.hides("Offline")
    again = daemon.connect("desk")
    demo.enables("Undo")
    assert again.value("calculator", "led") == "5" and again.value("lab", "rows") == []


def test_a_program_that_starts_before_the_daemon(own, terminal):
    daemon = own(start=False)
    demo = terminal(daemon.socket)
    demo.shows("Offline", "Undo")
    daemon.start()
    demo.hides("Offline")
    demo.keys("5", "=")
    demo.enables("Undo")
