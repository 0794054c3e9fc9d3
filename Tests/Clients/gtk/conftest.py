"""Sessions and windows of GTK before a real daemon. Each test runs the main loop until a condition is true."""
import os
import subprocess
import time
import traceback

import pytest

pytest.register_assert_rewrite("daemons", "clients", "scenario")
os.environ.update(GTK_A11Y="none", GSK_RENDERER="cairo", GDK_BACKEND="x11", ADW_DISABLE_PORTAL="1")

import viewmodel_gtk as kit  # noqa: E402, F401
from clients import client_file, load  # noqa: E402, F401
from daemons import unique  # noqa: E402
from fixtures import *  # noqa: E402, F403
from gi.repository import Adw, GLib, Gtk  # noqa: E402
from scenario import slow  # noqa: E402, F401
from wire import TooLate  # noqa: E402

Adw.init()


def until(condition, what="the condition", patience=20):
    """Runs the main loop until the condition is true, and returns its value."""
    end, ticks = time.monotonic() + patience, GLib.timeout_add(5, lambda: True, priority=GLib.PRIORITY_LOW)
    try:
        while not (value := condition()):
            if time.monotonic() > end:
                raise TooLate(f"{what} did not come true in time")
            GLib.MainContext.default().iteration(True)
        return value
    finally:
        GLib.source_remove(ticks)


def pause(seconds):
    """Runs the main loop for some time."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() > end)


def command(*arguments, patience=20):
    """Runs a program, and the main loop while it runs."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    until(lambda: process.poll() is not None, " ".join(arguments), patience)
    assert process.returncode == 0
    return process.stdout.read()


def descendants(widget, kind=Gtk.Widget):
    """The widgets below one that are shown, in order."""
    child = widget.get_first_child()
    while child:
        if child.get_mapped():
            if isinstance(child, kind):
                yield child
            yield from descendants(child, kind)
        child = child.get_next_sibling()


def texts(widget):
    return [label.get_label() for label in descendants(widget, Gtk.Label)]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(call):
    """Lets a failed test let go of its widgets. GTK aborts if Python collects them together with their models."""
    yield
    if call.excinfo:
        traceback.clear_frames(call.excinfo.tb)
        for frame, _ in traceback.walk_tb(call.excinfo.tb):
            frame.f_locals  # Python 3.11 keeps what pytest has read of it until it is read again.


@pytest.fixture(scope="session", autouse=True)
def window_manager():
    """Keys reach the window that the window manager has made active."""
    process = subprocess.Popen(["openbox", "--sm-disable"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield
    process.kill()
    process.wait()


@pytest.fixture(scope="session")
def vm(client_file):
    """The module of the client."""
    return load(client_file, "viewmodels")


@pytest.fixture
def connect(vm, daemon, request):
    """Makes connected sessions of a name."""
    def make(name, socket=None, client=vm):
        desk = client.Session(name, socket=str(socket or daemon.socket), dispatch=GLib.idle_add, backoff=(0.02, 0.2))
        request.addfinalizer(desk.stop)
        desk.start()
        until(lambda: desk.state == "connected", "the connection")
        return desk
    return make


@pytest.fixture
def desk(connect, name):
    return connect(name)


@pytest.fixture
def other(daemon, name):
    """Another client of the same session, which blocks."""
    return daemon.connect(name)


@pytest.fixture
def show(request):
    """Shows a widget in a window, which is active when it returns."""
    def make(child, height=400):
        window = Gtk.Window(default_width=400, default_height=height, child=child, title=unique("window"))
        request.addfinalizer(window.destroy)
        window.present()
        until(window.is_active, "the active window")
        return window
    return make
