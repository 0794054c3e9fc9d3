"""Limits of people: each person has them alone, and all browsers and gateways of a person together."""
import http.client
import secrets
import socket
import threading
import time
import urllib.parse

import pytest
from daemons import root_only, unique
from gateways import WebSocket
from openid import HOST, OpenIDIssuer, TeamGateway, Visitor
from web import Answer
from wire import connected, wait_until

pytestmark = root_only


@pytest.fixture(scope="module")
def provider(request):
    server = OpenIDIssuer()
    request.addfinalizer(server.close)
    return server


@pytest.fixture
def front(own, provider, request):
    """Starts a daemon with these limits, and gateways before it that share a key."""
    def start(daemon_limits=None, count=2, **gateway_limits):
        daemon = own({"access": [{"user": TeamGateway.USER, "scope": "delegate"}], "limits": daemon_limits or {}}, shared=True)
        key = secrets.token_bytes(32)
        made = [TeamGateway(daemon, provider.url, key) for _ in range(count)]
        for gateway in made:
            request.addfinalizer(gateway.discard)
            gateway.config["gateway"]["limits"] = gateway_limits
            gateway.start()
        return made if count > 1 else made[0]
    return start


@pytest.fixture
def browser(provider, request):
    """Opens a browser of a person at a gateway; `socket()` is a page of it with a session."""
    def open_browser(gateway, person) -> Visitor:
        visitor = Visitor(gateway)
        assert visitor.sign_in(provider, person).status == 303

        def page(session=None) -> WebSocket:
            made = visitor.web_socket()
            request.addfinalizer(made.__exit__)
            if session:
                result(made, "session.attach", {"session": session, "linger": 600})
            return made
        visitor.page = page
        return visitor
    return open_browser


def result(page, method, params=None):
    reply = page.call(method, params)
    assert "result" in reply, reply
    return reply["result"]


def refusal(page, method, params=None) -> str:
    """The limit that a request exceeds."""
    error = page.call(method, params)["error"]
    assert error["code"] == -32006, error
    return error["data"]["limit"]


def browsers(browser, gateways):
    """Two browsers of Ada at two gateways, and one of Bob."""
    return browser(gateways[0], "ada"), browser(gateways[1], "ada"), browser(gateways[1], "bob")


def test_sessions_count_for_a_person_at_all_gateways(front, browser):
    one, two, bob = browsers(browser, front({"sessionsPerUser": 3}))
    one.page("a"), two.page("b"), two.page("c"), one.page("b")
    for ada in (one, two):
        assert refusal(ada.page(), "session.attach", {"session": "d"}) == "limits.sessionsPerUser"
    assert ada.rpc("session.list")["sessions"][2]["session"] == "c"
    for name in "abc":
        bob.page(name)
    result(two.page("a"), "session.close")
    one.page("d")


def test_connections_to_the_daemon_count_for_a_person_at_all_gateways(front, browser):
    one, two, bob = browsers(browser, front({"connectionsPerUser": 4}))
    pages = [one.page("desk"), two.page("desk"), one.page("desk"), two.page("desk")]
    for ada in (one, two):
        assert ada.page().closing() == 1013
        reply = ada.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": "session.list"})
        assert reply.status == 503 and "limits.connectionsPerUser" in reply.json["error"], reply
    for _ in range(4):
        bob.page("desk")
    pages[0].socket.shutdown(socket.SHUT_RDWR)
    wait_until(lambda: one.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": "session.list"}).status == 200, "room for a request")
    assert one.gateway.log.count("A connection to the daemon has ended") == 1 and "accepts connections again" not in one.gateway.log


def test_bytes_count_for_a_person_at_all_gateways(front, browser):
    one, two, bob = browsers(browser, front({"bytesPerUser": 16 << 20}))
    pages = [one.page("a"), two.page("b")]
    value = "x" * 900_000

    def fill(page):
        """How many values fit."""
        for number in range(20):
            name = unique("i")
            result(page, "viewModel.open", {"type": "lab", "id": name})
            error = page.call(f"{name}.echo", [f"{number}{value}"]).get("error")
            if error:
                assert error["data"]["limit"] == "limits.bytesPerUser", error
                return number
        return 20
    assert 11 <= fill(pages[0]) < 20
    assert fill(pages[1]) <= 1
    assert 11 <= fill(bob.page("a")) < 20


def test_what_waits_to_be_sent_counts_for_a_person_at_all_gateways(front, browser):
    one, two, bob = browsers(browser, front({"outboxItemsPerUser": 3}))
    for number, person in enumerate([one, two, one, bob, two]):
        page = person.page(f"desk{number}")
        result(page, "sendList.draft", [f"text {number}"])
        if number < 4:
            result(page, "sendList.add")
    assert refusal(page, "sendList.add") == "limits.outboxItemsPerUser"


def test_a_front_has_the_connections_of_all_people(own):
    daemon = own({"access": [{"user": TeamGateway.USER, "scope": "delegate"}], "limits": {"connectionsPerUser": 2}}, shared=True)
    clients = [daemon.connect(uid=TeamGateway.USER) for _ in range(20)]
    numbers = [client.call("connection.actFor", {"subject": f"issuer|{index // 2}"})["user"] for index, client in enumerate(clients)]
    assert len(set(numbers)) == 10
    error = daemon.connect(uid=TeamGateway.USER).refused("connection.actFor", {"subject": "issuer|3"}, -32006)
    assert error["data"]["limit"] == "limits.connectionsPerUser"


def test_a_thousand_tabs_of_a_person_shut_nobody_out(front, browser):
    gateway = front(count=1, connections=60, connectionsPerPerson=50)
    first, second, bob = browser(gateway, "ada"), browser(gateway, "ada"), browser(gateway, "bob")
    pages = [ada.page() for ada in [first, second] * 25]
    for number in range(1000):
        assert (first, second)[number % 2].get("/events?id=calculator").status == 429
    reply = second.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": "session.list"})
    assert reply.status == 429 and reply.headers["Retry-After"], reply
    with pytest.raises(AssertionError):
        first.page()
    mine = [bob.page("desk") for _ in range(5)]
    assert bob.rpc("session.list")["sessions"] and result(mine[0], "lab.set", [1])
    assert gateway.log.count("A person has too many connections") == 1
    result(pages[0], "session.list")
    pages[1].socket.shutdown(socket.SHUT_RDWR)
    wait_until(lambda: second.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": "session.list"}).status == 200, "room for a request")


def test_a_gateway_that_is_full_says_so(front, browser):
    gateway = front(count=1, connections=3)
    ada, bob = browser(gateway, "ada"), browser(gateway, "bob")
    pages = [ada.page("desk"), ada.page("desk"), bob.page("desk")]
    for _ in range(20):
        reply = bob.get("/")
        assert reply.status == 503 and reply.headers["Retry-After"], reply
    assert gateway.log.count("Raise gateway.limits.connections") == 1
    # A reply is not owed to all of them at once.
    silent = [connected(gateway.listen) for _ in range(50)]
    for page in pages:
        result(page, "session.list")
    for each in [*silent, pages[0].socket]:
        each.shutdown(socket.SHUT_RDWR)
    wait_until(lambda: bob.get("/").status == 200, "room for a request")


def test_a_rush_of_sign_ins_is_told_to_come_again(front, provider):
    gateway, go = front(count=1), threading.Event()
    provider.set("/token", lambda request: Answer(400, {"error": "invalid_grant"}, after=go))
    waiting = []
    try:
        for _ in range(256 + 20):
            visitor = Visitor(gateway)
            state = dict(urllib.parse.parse_qsl(visitor.begin()))["state"]
            waiting.append(connected(gateway.listen))
            head = f"GET /signed-in?code=x&state={state} HTTP/1.1\r\nHost: {HOST}\r\nCookie: {visitor.header['Cookie']}\r\n\r\n"
            waiting[-1].sendall(head.encode())
        replies = []
        for each in waiting[256:]:
            replies.append(http.client.HTTPResponse(each))
            replies[-1].begin()
        assert [reply.status for reply in replies] == [503] * 20 and all(reply.headers["Retry-After"] for reply in replies)
    finally:
        go.set()
        provider.set("/token", None)
        for each in waiting:
            each.close()


def test_sessions_that_begin_at_once_ask_the_provider_one_after_the_other(front, browser, provider):
    gateway, asked = front(count=1), []
    pages = [browser(gateway, "ada").page() for _ in range(20)]
    provider.set("/userinfo", lambda request: asked.append(time.monotonic()))
    begun = time.monotonic()
    try:
        wait_until(lambda: len(asked) >= len(pages), "a question about each session", 60, 0.5)
    finally:
        provider.set("/userinfo", None)
    assert asked[0] - begun > 25 and asked[-1] - asked[0] > 5
    for page in pages:
        result(page, "session.list")
