"""REFERENCE, login and mine with the provider `http`: a backend that refuses, fails, talks garbage, is slow, hangs up or lies."""
import threading
import time

import pytest
from accounts import sign_in, top_scene, type_in
from picture import Picture
from web import Answer, HangUp, JSONBackend, closed_port
from wire import one_of_three, wait_until

GARBAGE = [
    pytest.param(Answer(200, raw=b""), id="empty"), pytest.param(Answer(200, raw=b"<html>"), id="html"), pytest.param(Answer(200, []), id="array"),
    pytest.param(Answer(200, {}), id="no members"), pytest.param(Answer(200, {"token": 5, "auto_login": {"account": "ali"}}), id="token is a number"),
    pytest.param(Answer(200, {"token": "", "auto_login": {"account": "ali"}}), id="empty token"), pytest.param(Answer(200, {"token": "a\r\nX: y", "auto_login": {"account": "ali"}}), id="token with a line end"),
    pytest.param(Answer(200, {"token": "a" * 70_000, "auto_login": {"account": "ali"}}), id="long token"), pytest.param(Answer(200, {"token": "t", "auto_login": {"account": "a\x1b[2J"}}), id="control characters"),
    pytest.param(Answer(200, {"token": "t", "auto_login": None}), id="no user"), pytest.param(Answer(200, {"token": "t", "auto_login": {"account": None}}), id="no account"),
    pytest.param(Answer(200, raw=b"\xff\xfe{}"), id="not UTF-8"),
    pytest.param(Answer(200, raw=b"[" * 100_000), id="deep"), pytest.param(Answer(200, raw=b" " * (3 << 20)), id="3 MiB"), pytest.param(Answer(302, {}, headers={"Location": "/login"}), id="redirect"),
    pytest.param(Answer(204, raw=b""), id="204"), pytest.param(Answer(200, raw=b'{"token":"t","token":"u","auto_login":{"account":"ali"}'), id="torn"),
    pytest.param(Answer(200, {"status": "what"}), id="unknown status"), pytest.param(Answer(599, {}), id="599"),
]
EXPIRIES = ["1e21", "1e12", "1e308", "-1e308", "-1", "0", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1.5", '"3600"', "null", "NaN", "1e400", "true", '"NaN"', "[]",
            "170141183460469231731687303715884105728", "253402300800"]


# The backend says no or nothing

def test_a_401(http_daemon):
    c = http_daemon.connect()
    prompter = Picture(c, "prompter")
    type_in(c, "ali", "wrong password")
    c.fails("login.submit", name="invalidCredentials")
    assert "no such thief" in prompter.event("hint")["text"]
    assert c.value("login", "state") == "signedOut"
    http_daemon.survived()


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422])
def test_a_refusal_is_rejected_with_the_backends_text(http_daemon, backend, status):
    backend.set("/login", Answer(status, {"status": "error", "error_desc": "closed on mondays"}))
    c = http_daemon.connect()
    type_in(c, "ali", JSONBackend.PASSWORD)
    error = c.refused("login.submit", code=-32000)
    assert error["data"]["error"] == "rejected" and error["data"]["retryable"] is False and "closed on mondays" in str(error)
    http_daemon.survived()


@pytest.mark.parametrize("plan", [Answer(500, {}), Answer(502, raw=b"bad gateway"), Answer(503, {}, headers={"Retry-After": "1"}), Answer(503, {}, headers={"Retry-After": "9" * 30}), HangUp(),
                                  pytest.param(Answer(200, {}, delay=4), marks=pytest.mark.slow_provider), Answer(429, {})],
                         ids=["500", "502", "503", "503 with a huge Retry-After", "hang-up", "slow", "429"])
def test_a_failing_backend_is_unreachable(http_daemon, backend, plan):
    backend.set("/login", plan)
    c = http_daemon.connect()
    type_in(c, "ali", JSONBackend.PASSWORD)
    assert c.fails("login.submit", name="unreachable")["retryable"] is True
    assert c.value("login", "state") == "signedOut" and c.value("login", "submit.executing") is False
    assert len(backend.asked("/login")) == 1, "a sign-in is not repeated"
    backend.set("/login", None)
    assert sign_in(c) == {"account": "ali", "nickname": "Ali Baba"}
    http_daemon.survived()


@pytest.mark.parametrize("plan", GARBAGE)
def test_garbage_is_no_sign_in(http_daemon, backend, plan):
    backend.set("/login", plan)
    c = http_daemon.connect()
    type_in(c, "ali", JSONBackend.PASSWORD)
    assert c.refused("login.submit", code=-32000)["data"]["error"] in ("unreachable", "rejected")
    assert c.value("login", "state") == "signedOut"
    http_daemon.survived()


def test_a_refused_connection_is_unreachable(own):
    with closed_port() as port:
        daemon = own({"account": {"provider": "http", "url": f"http://127.0.0.1:{port}"}})
        c = daemon.connect()
        type_in(c, "ali", JSONBackend.PASSWORD)
        assert c.fails("login.submit", name="unreachable")["retryable"] is True
        daemon.survived()


def test_hostile_expiries(http_daemon, backend):
    """Any `expires_in` is clamped or refused. The daemon goes on, and its outputs can be read."""
    c = http_daemon.connect("desk")
    for text in EXPIRIES:
        user = '{"account":"ali","nickname":"Ali Baba"}'
        token = "tok-x"
        backend.tokens.add(token)
        backend.set("/login", Answer(200, raw=f'{{"token":"{token}","expires_in":{text},"auto_login":{user}}}'.encode()))
        type_in(c, "ali", JSONBackend.PASSWORD)
        reply = c.ask("login.submit")
        assert http_daemon.is_alive, f"expires_in {text} ended the daemon: {http_daemon.log[-800:]}"
        assert "result" in reply or reply["error"]["code"] == -32000, (text, reply)
        c.values("login"), c.values("mine"), c.values("mine.header")
        c.ask("mine.refresh")
        if "result" in reply and c.value("login", "signOut.enabled"):
            c.call("login.signOut")
    http_daemon.survived()


def test_hostile_profiles(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    for page in ({"balance": 100}, {"balance": 1e300}, {"coupon_num": 2 ** 70}, {"nickname": 5}, {"balance": "1e999999999"}, {"balance": "NaN"}, {"balance": ""}, {"balance": "-0"}, {"balance": "x" * 5000}, {"coupon_num": "١٢"}, {"coupon_num": "-1"}, {"nickname": ""},
                 {"nickname": "\u0000\u202e\n"}, {"headimg": "javascript:alert(1)"}, {"headimg": "x" * 100_000}, {"user_mobile_mask": ""}, {"nickname": None, "headimg": None, "user_mobile_mask": None,
                  "balance": None, "coupon_num": None}, {"account": "somebody-else"}, {"more": {"a": [1]}}):
        backend.page = {"account": "ali", "nickname": "Ali Baba", **page}
        c.ask("mine.refresh")
        for id in ("login", "mine", "mine.header"):
            c.values(id)
    http_daemon.survived()


def test_a_backend_that_fails_at_sign_out(http_daemon, backend):
    """The sign-out holds here, whatever the backend says."""
    for plan in (Answer(500, {}), HangUp(), Answer(401, {}), Answer(200, raw=b"garbage")):
        c = http_daemon.connect()
        sign_in(c)
        backend.set("/logout", plan)
        assert c.call("login.signOut", patience=20) is None
        assert c.value("login", "state") == "signedOut"
        backend.set("/logout", None)
    http_daemon.survived()


def test_a_backend_that_hangs_at_sign_out(http_daemon, backend):
    """The reply comes at once. The account is signed out, and the next sign-in waits for nothing."""
    backend.set("/logout", Answer(200, {}, delay=12))       # the daemon waits ten seconds for it
    a, b = http_daemon.connect(), http_daemon.connect()

    def attempt():
        sign_in(a)
        begin = time.monotonic()
        assert a.call("login.signOut", patience=20) is None
        return time.monotonic() - begin >= 0.9 and "the reply waited for the backend"
    one_of_three(attempt)
    assert a.value("login", "state") == "signedOut"
    wait_until(lambda: b.value("login", "state") == "signedOut")
    wait_until(lambda: backend.asked("/logout"), "the request")
    begin = time.monotonic()
    sign_in(b)
    assert time.monotonic() - begin < 8, "the sign-in waited for the backend"
    http_daemon.survived()


@pytest.mark.parametrize("named", [False, True], ids=["anonymous", "named"])
@pytest.mark.parametrize("plan", [Answer(401, {}), Answer(500, {}, delay=0.05), HangUp()], ids=["401", "500", "hang-up"])
def test_a_client_that_goes_during_a_sign_in(http_daemon, backend, plan, named):
    """The action of a named session goes on without its caller. An anonymous session ends with its connection."""
    backend.set("/login", plan)
    for n in range(4):
        c = http_daemon.connect(f"desk-{n}" if named else None)
        type_in(c, "ali", "wrong password")
        c.request("login.submit")
        c.round_trip()
        c.close()
    if named:
        wait_until(lambda: len(backend.asked("/login")) == 4, "the requests")
    time.sleep(0.2)
    http_daemon.survived()
    c = http_daemon.connect()
    wait_until(lambda: c.value("login", "state") == "signedOut")


def test_the_session_is_closed_during_a_sign_in(http_daemon, backend):
    late = threading.Event()
    backend.set("/login", Answer(401, {"status": "error", "error_desc": "no"}, after=late))
    a, b = http_daemon.connect("desk"), http_daemon.connect("desk")
    type_in(a, "ali", "wrong password")
    id = a.request("login.submit")
    a.round_trip()
    b.call("session.close")
    assert a.reply(id)["error"]["code"] == -32800
    late.set()
    time.sleep(0.2)
    http_daemon.survived()


def test_registering_is_disabled(http_daemon):
    c = http_daemon.connect()
    assert c.value("login", "register.enabled") is False
    c.refused("login.register", {"account": "abc", "password": "12345678"}, -32002)


# Good outcomes

def test_a_sign_in_shows_the_account(http_daemon, backend):
    c = http_daemon.connect()
    c.call("mine.header.select")
    assert top_scene(c) == "login"
    mine = Picture(c, "mine")
    assert sign_in(c) == {"account": "ali", "nickname": "Ali Baba"}
    assert backend.asked("/login")[0].json == {"account": "ali", "password": JSONBackend.PASSWORD}
    assert top_scene(c) == "root"
    values = mine.until(lambda v: v["wallet"][0]["content"] == "100 yuan" and v["wallet"][1]["content"] == "3 pieces")
    assert values["freshness"]["stale"] is False and values["freshness"]["fetchedAt"]
    assert c.values("mine.header") == {"nickname": "Ali Baba", "phone": JSONBackend.PHONE, "avatar": "http://img.invalid/ali.png"}


def test_a_sign_out_is_told_to_the_backend(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    token = next(iter(backend.tokens))
    c.call("login.signOut")
    wait_until(lambda: backend.asked("/logout"), "the request")
    assert backend.asked("/logout")[0].bearer == token
    assert c.values("mine.header") == {"nickname": "click login", "phone": "", "avatar": None}


def test_a_sign_in_elsewhere_replaces_the_token(http_daemon, backend):
    a, b = http_daemon.connect(), http_daemon.connect()
    type_in(a, "ali", JSONBackend.PASSWORD)
    type_in(b, "ali", JSONBackend.PASSWORD)
    backend.set("/login", lambda request: None)
    ids = a.request("login.submit"), b.request("login.submit")
    replies = a.reply(ids[0]), b.reply(ids[1])
    assert any("result" in reply for reply in replies)
    assert a.value("login", "state") == b.value("login", "state") == "signedIn"
    assert a.call("mine.refresh") is None
