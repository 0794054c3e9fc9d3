"""People who sign in at the gateway, each in a browser."""
import os
import secrets
import subprocess

import pytest
from daemons import Daemon, root_only
from gateways import free_port
from openid import OpenIDIssuer, TeamGateway
from wire import wait_until

pytestmark = root_only
PERSON = "aside[aria-label=Person]"
NOBODY = "401"


@pytest.fixture
def provider():
    server = OpenIDIssuer()
    yield server
    server.close()


@pytest.fixture
def team(provider, request):
    """A gateway with TLS at which people sign in."""
    daemon = Daemon({"access": [{"user": TeamGateway.USER, "scope": "delegate"}]}, shared=True)
    request.addfinalizer(daemon.discard)
    gateway = TeamGateway(daemon.start(), provider.url, secrets.token_bytes(32))
    request.addfinalizer(gateway.discard)
    key, certificate = gateway.folder / "tls-key", gateway.folder / "certificate"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    for file in (key, certificate):
        os.chown(file, TeamGateway.USER, TeamGateway.USER)
    host = f"localhost:{free_port()}"
    gateway.listen = host.replace("localhost", "127.0.0.1")
    gateway.config["gateway"] |= {"hosts": host, "tls": {"certificateFile": str(certificate), "keyFile": str(key)}}
    gateway.page = f"https://{host}/"
    return gateway.start()


def call(browser, method, params, session="desk"):
    """The reply to a request of the page."""
    return browser.driver.execute_async_script("""
        const [method, params, session, done] = arguments;
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        fetch(`/rpc?session=${session}`, { method: "POST", headers: { "Content-Type": "application/json" }, body })
            .then(async (reply) => done(reply.ok ? await reply.json() : reply.status));
        """, method, params, session)


def draft(browser):
    return call(browser, "viewModel.read", {"id": "sendList", "outputs": ["draft"]})["result"]["values"]["draft"]


def test_two_people_in_two_browsers_sign_in_and_out(team, provider, open_browser):
    browsers = {}
    for person, name in (("ada", "Ada Lovelace"), ("bob", "Bob")):
        provider.person = person
        browsers[person] = open_browser(team.page, expected_log=(NOBODY, "WebSocket"), accepts_any_certificate=True)
        browsers[person].wait(PERSON, name)
        browsers[person].wait("#connection", "connected")
    ada, bob = browsers.values()
    assert "result" in call(ada, "sendList.draft", ["for Ada"])
    assert (draft(ada), draft(bob)) == ("for Ada", "")

    first = ada.driver.current_window_handle
    ada.driver.switch_to.new_window("tab")
    ada.driver.get(team.page + "app/")
    ada.wait(PERSON, "Ada Lovelace")
    ada.named("button", "Sign out").click()
    ada.wait("h1", "You are signed out")
    ada.driver.switch_to.window(first)
    ada.script("dispatchEvent(new Event('focus'))")
    ada.wait(PERSON, "You are signed out")
    assert call(ada, "session.list", {}) == 401
    assert draft(bob) == ""

    provider.person = "ada"
    ada.named("a", "Sign in").click()
    wait_until(lambda: len(ada.driver.window_handles) == 3, "the sign-in has a tab of its own")
    ada.driver.switch_to.window(first)
    wait_until(lambda: call(ada, "session.list", {}) != 401, "the person is signed in again")
    assert draft(ada) == "for Ada"


def test_a_person_without_a_role_sees_why(team, provider, open_browser):
    provider.person = "eve"
    page = open_browser(team.page, expected_log=("403",), accepts_any_certificate=True)
    page.wait("h1", "No access")
    provider.person = "ada"
    page.named("a", "Try again").click()
    page.wait(PERSON, "Ada Lovelace")
