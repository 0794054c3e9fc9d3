import asyncio
import json
import os
import pathlib
import threading

import browser as browsers
import pytest
from fault_proxy import Fault, FaultProxy
from fixtures import *  # noqa: F403
from gateways import GATEWAY, Gateway
from openid import provider  # noqa: F401

#: A directory of page files that replaces those in the program, for work on the page.
PAGE = ["--page", os.environ["VIEWMODEL_PAGE"]] if os.environ.get("VIEWMODEL_PAGE") else []


def pytest_collection_modifyitems(items):
    if not GATEWAY or not os.access(GATEWAY[0], os.X_OK):
        raise pytest.UsageError("VIEWMODEL_GATEWAY names no program")


@pytest.fixture
def daemon(own):
    return own()


@pytest.fixture
def gateways(request):
    """Starts gateways before a daemon or a line."""
    return maker(request, lambda daemon: Gateway(daemon, None, *PAGE))


@pytest.fixture
def slow_line(daemon):
    """A Unix socket in front of the daemon's, on which each part takes up to 150 milliseconds each way."""
    slow = Fault(delay_up=0.15, delay_down=0.15)
    line = FaultProxy(str(daemon.folder / "slow.sock"), str(daemon.socket), default=slow)
    loop = asyncio.new_event_loop()

    def run(work):
        asyncio.run_coroutine_threadsafe(work, loop).result(30)
    threading.Thread(target=loop.run_forever, daemon=True).start()
    run(line.__aenter__())
    line.socket = line.listen
    yield line
    run(line.__aexit__())
    loop.call_soon_threadsafe(loop.stop)


@pytest.fixture
def gateway(gateways, daemon):
    return gateways(daemon)


@pytest.fixture(scope="module")
def spare_browsers():
    """Browsers of earlier tests of the file, for the next ones."""
    spare = []
    yield spare
    for one in spare:
        one.driver.quit()


@pytest.fixture
def open_browser(spare_browsers):
    """Opens browsers at an address. At the end each must have a console without errors, among which are violations of the policy."""
    opened = []

    def start(address="about:blank", expected_log=(), scheme="light", **options):
        browser = spare_browsers.pop() if spare_browsers and not options else browsers.start(**options)
        opened.append((browser, not options))
        browser.expected_log = expected_log
        browser.show_scheme(scheme)
        browser.driver.get(address)
        return browser

    yield start
    consoles = [one.console() for one, _ in opened]
    for one, is_common in opened:
        if is_common:
            one.forget()
            spare_browsers.append(one)
        else:
            one.driver.quit()
    assert not any(consoles), consoles


@pytest.fixture
def page(gateway, open_browser):
    """The inspector with control."""
    one = open_browser(gateway.url("act"))
    one.wait("#connection", "connected")
    return one


@pytest.fixture
def lab(page):
    """The inspector that shows the lab of the session "desk"."""
    page.attach("desk")
    page.show("lab")
    return page


@pytest.fixture
def mock(own, tmp_path):
    """Starts a daemon that has a contract and no program."""
    def start(contract, **how):
        path = tmp_path / "contract.json"
        path.write_text(contract if isinstance(contract, str) else json.dumps(contract))
        return own(None, "--mock", str(path), lab=False, **how)
    return start


@pytest.fixture
def mocked(mock, gateways, open_browser):
    """Starts such a daemon, and returns its inspector, attached to a session."""
    def start(contract):
        browser = open_browser(gateways(mock(contract)).url("act"), ("WebSocket", "Failed to load resource"))
        browser.attach("desk")
        return browser
    return start


@pytest.fixture
def screenshot():
    """Keeps a picture if SCREENSHOTS names a directory."""
    def keep(page, name):
        if target := os.environ.get("SCREENSHOTS"):
            pathlib.Path(target).mkdir(parents=True, exist_ok=True)
            page.driver.save_screenshot(str(pathlib.Path(target) / f"{name}.png"))
    return keep
