from __future__ import annotations

import json
import os
import pathlib
import shutil
import tempfile

import pytest

import browser as browsers
import programs


def pytest_collection_modifyitems(items):
    missing = [name for name in ("VIEWMODELD", "VIEWMODEL_GATEWAY") if not os.environ.get(name)]
    if missing:
        raise pytest.UsageError(f"Set {' and '.join(missing)} to the path of the program")


@pytest.fixture
def folder():
    """A short path: the path of a socket has at most 107 bytes."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="vmb-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def daemon(folder):
    one = programs.Daemon(folder).start()
    yield one
    one.stop()


@pytest.fixture
def gateway(folder, daemon):
    one = programs.Gateway(folder, daemon.socket).start()
    yield one
    one.stop()


@pytest.fixture
def open_browser(folder):
    """Starts browsers. At the end each must have a console without errors, among which are violations of the policy."""
    opened = []

    def start(**options):
        opened.append(browsers.start(folder / "downloads", **options))
        return opened[-1]

    yield start
    consoles = [one.console() for one in opened]
    for one in opened:
        one.driver.quit()
    assert not any(consoles), consoles


@pytest.fixture
def page(gateway, open_browser):
    """The inspector with control."""
    one = open_browser()
    one.driver.get(f"{gateway.origin}/#{gateway.token()}")
    one.wait("#connection", "connected")
    return one


@pytest.fixture
def mocked(folder, open_browser):
    """Starts a daemon that has a contract and no program, and returns its inspector, attached to a session."""
    started = []

    def start(contract):
        path = folder / "contract.json"
        path.write_text(json.dumps(contract))
        started.append(programs.Daemon(folder, "--mock", str(path)).start())
        started.append(programs.Gateway(folder, started[0].socket).start())
        browser = open_browser()
        browser.expected_log = ("WebSocket", "Failed to load resource")
        browser.driver.get(f"{started[1].origin}/#{started[1].token()}")
        browser.attach("desk")
        return browser

    yield start
    for one in reversed(started):
        one.stop()


@pytest.fixture
def screenshot():
    """Keeps a picture if SCREENSHOTS names a directory."""
    def keep(page, name):
        if target := os.environ.get("SCREENSHOTS"):
            pathlib.Path(target).mkdir(parents=True, exist_ok=True)
            page.driver.save_screenshot(str(pathlib.Path(target) / f"{name}.png"))
    return keep
