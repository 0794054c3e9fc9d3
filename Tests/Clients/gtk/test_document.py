"""The program of `docs/clients/gtk.md` before a real daemon."""
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import command, descendants, texts, until
from gi.repository import Adw, Gio, GLib, Gtk

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/clients/gtk.md").read_text()
PROGRAM = re.findall("```python\n(.*?)```", PAGE, re.DOTALL)[-1]


def button(widget, title):
    return next(each for each in descendants(widget, Gtk.Button) if each.get_label() == title)


def window():
    return next((each for each in Gtk.Window.get_toplevels() if isinstance(each, Adw.ApplicationWindow)), None)


@pytest.fixture
def program(vm, daemon, tmp_path, monkeypatch):
    """The program's window. Its application runs on the main loop of the test."""
    monkeypatch.setenv("VIEWMODELD_SOCKET", str(daemon.socket))
    (tmp_path / "demo.py").write_text(PROGRAM)
    spec = importlib.util.spec_from_file_location("demo", tmp_path / "demo.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    application = module.Demo(application_id="org.example.Test", flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.register()
    application.activate()
    until(lambda: window() and window().is_active())
    yield window()
    window().destroy()


def open_tab(program, title):
    stack = next(each for each in descendants(program, Gtk.Stack) if each.get_child_by_name(title))
    stack.set_visible_child_name(title)
    return until(lambda: stack.get_visible_child())


def test_the_program_is_short():
    lines = PROGRAM.splitlines()
    assert len(lines) < 120 and len(re.sub("```.*?```", "", PAGE, flags=re.DOTALL).split()) <= 500
    plumbing = [line for line in lines if re.search(r"import|Session\(|insert_action_group|Scenes\(|prompts\(|start\(\)", line)]
    assert len(plumbing) <= 10
    assert (ROOT / "docs/images/kit-gtk.png").stat().st_size <= 40 << 10


def test_the_program(program, daemon):
    client = daemon.connect("desk")
    until(lambda: "0" in texts(program), "the calculator")
    for key in "12+30=":
        button(program, key).emit("clicked")
    until(lambda: {"42", "+ 30", "12"} <= set(texts(program)))
    button(program, "Undo").emit("clicked")
    until(lambda: "42" not in texts(program) and "+ 30" not in texts(program))

    page = open_tab(program, "Rows")
    button(page, "A million rows").emit("clicked")
    until(lambda: "row 1" in texts(page), "the rows", 60)
    view = next(descendants(page, Gtk.ListView))
    until(lambda: view.get_vadjustment().get_upper() > 1_000_000)
    view.activate_action("list.scroll-to-item", GLib.Variant("u", 777_776))
    until(lambda: "row 777777" in texts(page), "a row far below")
    view.get_model().select_item(777_776, True)
    until(lambda: "Selected: [777777]" in texts(page))
    client.call("lab.move", {"from": 999_999, "to": 5})
    until(lambda: view.get_model().is_selected(777_777))
    button(page, "Count").emit("clicked")
    bar = next(descendants(page, Gtk.ProgressBar))
    until(lambda: 0 < bar.get_fraction() < 1)
    button(page, "Stop").emit("clicked")
    until(lambda: bar.get_fraction() == 0 and button(page, "Count").is_sensitive())
    next(descendants(page, Gtk.Entry)).set_text("Really go on?")
    button(page, "Ask").emit("clicked")
    dialog = until(lambda: next((each for each in Gtk.Window.get_toplevels() if isinstance(each, Adw.MessageDialog)), None))
    assert dialog.get_heading() == "Really go on?"
    until(dialog.get_mapped)
    button(dialog, "OK").emit("clicked")
    until(lambda: client.value("prompter", "pending") == [] and not dialog.get_visible())

    page = open_tab(program, "Messages")
    entry = next(descendants(page, Gtk.Entry))
    until(lambda: not button(page, "Add").is_sensitive())
    entry.set_text("hello")
    until(button(page, "Add").is_sensitive)
    button(page, "Add").emit("clicked")
    until(lambda: {"hello", "queued"} <= set(texts(page)) and entry.get_text() == "")

    client.call("login.register", {"account": "someone", "password": "long enough", "nickname": "Some One"})
    page = open_tab(program, "Mine")
    until(lambda: "my wallet" in texts(page))
    button(page, "click login").emit("clicked")
    account = until(lambda: next((each for each in descendants(program, Gtk.Entry) if each.get_placeholder_text() == "Account"), None))
    password = next(descendants(program, Gtk.PasswordEntry))
    account.set_text("someone")
    password.set_text("wrong password")
    until(button(program, "Sign in").is_sensitive)
    button(program, "Sign in").emit("clicked")
    until(lambda: list(descendants(program, Gtk.Revealer)) or any("password" in text.lower() for text in texts(program)), "the hint")
    password.set_text("long enough")
    until(button(program, "Sign in").is_sensitive)
    button(program, "Sign in").emit("clicked")
    until(lambda: "Some One" in [each.get_label() for each in descendants(program, Gtk.Button)])
    page = open_tab(program, "Messages")
    button(page, "Send").emit("clicked")
    until(lambda: any("sent" in text and "count" in text for text in texts(program)), "the scene")
    button(program, "Back").emit("clicked")
    until(lambda: "Calculator" in texts(program))


def test_the_program_ends_well(own, client_file, tmp_path):
    daemon = own()
    (tmp_path / "demo.py").write_text(PROGRAM)
    folders = [str(client_file.parent), str(ROOT / "Sources/ClientGenerators/Runtimes")]
    environment = {**os.environ, "VIEWMODELD_SOCKET": str(daemon.socket), "PYTHONPATH": ":".join(folders)}
    process = subprocess.Popen([sys.executable, tmp_path / "demo.py"], env=environment, stderr=subprocess.PIPE, text=True)
    command("xdotool", "search", "--sync", "--onlyvisible", "--name", "ViewModels", "windowactivate", "--sync")
    until(lambda: daemon.attached("desk") == 1)
    command("xdotool", "key", "alt+F4")
    until(lambda: process.poll() is not None)
    problems = [line for line in process.stderr.read().splitlines() if line and "dbus" not in line and "session bus" not in line]
    assert (process.returncode, problems) == (0, [])
