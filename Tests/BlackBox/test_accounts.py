"""REFERENCE, login and mine with the providers `http` and `oauth`: backends that refuse, fail, talk garbage, hang up or lie.

`AccountsTests` and `ReferenceViewModelsTests` have the edges of tokens, times and addresses. The provider `local` is in
scenarios/login.txt.
"""
import json
import threading
from datetime import datetime, timezone

import pytest
from accounts import sign_in, top_scene, type_in
from picture import Picture
from web import Answer, HangUp, JSONBackend, OAuthIssuer, closed_port, oauth_config, refusal
from wire import wait_until

CLOSED = {"status": "error", "error_desc": "the cave is closed"}
USER = {"account": "ali", "nickname": "Ali Baba"}
SLOW = pytest.mark.slow_provider


def row(plan, error, *marks, id):
    return pytest.param(plan, error, id=id, marks=marks)


LOGINS = [
    # an answer to /login, the failure of login.submit
    *[row(Answer(status, {"status": "error", "error_desc": "closed on mondays"}), "rejected", id=str(status)) for status in (400, 403, 404, 422)],
    *[row(Answer(status, {}), "unreachable", id=str(status)) for status in (429, 500, 503, 599)], row(HangUp(), "unreachable", id="hang-up"),
    row(Answer(503, {}, headers={"Retry-After": "9" * 30}), "unreachable", id="a huge Retry-After"),
    row(Answer(200, {}, delay=4), "unreachable", SLOW, id="slow"),
    *[row(Answer(200, raw=raw), None, id=f"raw {raw[:12]!r}") for raw in (b"", b"<html>", b"\xff\xfe{}",
        b"[" * 100_000, b" " * (3 << 20), b'{"token":"t"')],
    *[row(Answer(200, content), None, id=json.dumps(content)[:40]) for content in (
        [], {}, {"token": 5, "auto_login": USER}, {"token": "", "auto_login": USER},
        {"token": "a\r\nX: y", "auto_login": USER}, {"token": "a" * 70_000, "auto_login": USER},
        {"token": "t", "auto_login": {"account": "a\x1b[2J"}}, {"token": "t", "auto_login": None}, {"token": "t", "auto_login": {"account": None}})],
    row(Answer(302, {}, headers={"Location": "/login"}), None, id="redirect"), row(Answer(204, raw=b""), None, id="204"),
]


@pytest.mark.parametrize("plan, error", LOGINS)
def test_a_sign_in_that_fails_leaves_nothing_behind(http_daemon, backend, plan, error):
    """Without a named failure either one is right. A sign-in is asked once, and the next one works."""
    backend.set("/login", plan)
    c = http_daemon.connect()
    type_in(c, "ali", JSONBackend.PASSWORD)
    data = c.fails("login.submit")
    assert data["error"] == error or error is None and data["error"] in ("unreachable", "rejected")
    assert data["retryable"] is (data["error"] == "unreachable") and len(backend.asked("/login")) == 1
    assert c.values("login", "state", "submit.executing") == {"state": "signedOut", "submit.executing": False}
    backend.set("/login", None)
    assert sign_in(c) == USER
    http_daemon.survived()


def test_a_wrong_password_is_told_in_the_backends_words(http_daemon):
    c = http_daemon.connect()
    prompter = Picture(c, "prompter")
    type_in(c, "ali", "wrong password")
    c.fails("login.submit", name="invalidCredentials")
    assert "no such thief" in prompter.event("hint")["text"]
    c.refused("login.register", {"account": "abc", "password": "12345678"}, -32002)


@pytest.mark.parametrize("provider", ["http", "oauth"])
def test_a_refused_connection_is_unreachable(own, provider):
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}"
        c = own({"account": {"provider": provider, "url": url, "oauth": {"issuer": url, "clientId": "x", "passwordGrant": True}}}).connect()
        type_in(c, "ali", JSONBackend.PASSWORD)
        assert c.fails("login.submit", name="unreachable", patience=20)["retryable"] is True


@pytest.mark.parametrize("plan", [Answer(500, {}), HangUp(), Answer(401, {}), Answer(200, {}, delay=11)], ids=["500", "hang-up", "401", "hangs"])
def test_a_sign_out_holds_whatever_the_backend_says(http_daemon, backend, plan):
    a, b = http_daemon.connect(), http_daemon.connect()
    sign_in(a)
    token = next(iter(backend.tokens))
    backend.set("/logout", plan)
    assert a.call("login.signOut") is None and a.value("login", "state") == "signedOut"
    wait_until(lambda: b.value("login", "state") == "signedOut", "the other session")
    wait_until(lambda: backend.asked("/logout"), "the request")
    assert backend.asked("/logout")[0].bearer == token and sign_in(b) == USER


# mine

def test_a_sign_in_shows_the_account_and_an_equal_page_sends_nothing(http_daemon, backend):
    c = http_daemon.connect()
    c.call("mine.header.select")
    assert top_scene(c) == "login"
    mine, header = Picture(c, "mine"), Picture(c, "mine.header")
    assert sign_in(c) == USER and top_scene(c) == "root"
    assert backend.asked("/login")[0].json == {"account": "ali", "password": JSONBackend.PASSWORD}
    values = mine.until(lambda v: [row["content"] for row in v["wallet"]] == ["100 yuan", "3 pieces"])
    assert values["freshness"]["stale"] is False and values["freshness"]["fetchedAt"]
    assert header.now() == {"nickname": "Ali Baba", "phone": JSONBackend.PHONE, "avatar": "http://img.invalid/ali.png"}
    header.frames.clear()
    c.call("mine.refresh")
    backend.page.update(nickname="Morgiana", user_mobile_mask="139****0001")
    c.call("mine.refresh")
    header.until(lambda v: v["nickname"] == "Morgiana")
    assert [frame["values"] for frame in header.frames] == [{"nickname": "Morgiana", "phone": "139****0001"}], "one frame for both"
    c.call("login.signOut")
    assert c.values("mine.header") == {"nickname": "click login", "phone": "", "avatar": None}


def signed_in_and_restarted(daemon, backend, before):
    c = daemon.connect("desk")
    sign_in(c)
    Picture(c, "mine").until(lambda v: v["wallet"][0]["content"] == "100 yuan" and not v["autoLogin.executing"])
    daemon.kill()
    backend.forget()
    before()
    daemon.restart()
    return daemon.connect("desk")


OUTAGES = [pytest.param(plan, id=id, marks=marks) for id, plan, marks in [
    ("500", Answer(500, {}), ()), ("hang-up", HangUp(), ()), ("slow", Answer(200, {}, delay=4), SLOW), ("garbage", Answer(200, raw=b"<html>"), ())]]


@pytest.mark.parametrize("plan", OUTAGES)
def test_an_outage_shows_the_cached_page_as_stale_and_is_tried_again(http_daemon, backend, plan):
    c = signed_in_and_restarted(http_daemon, backend, lambda: backend.set("/auto_login", plan))
    mine = Picture(c, "mine")
    assert mine.values["wallet"][0]["content"] == "100 yuan" and mine.values["freshness"]["stale"] is True
    assert c.values("mine.header")["nickname"] == "Ali Baba" and c.value("login", "state") == "signedIn"
    for action in ("autoLogin", "refresh"):
        assert c.fails(f"mine.{action}", name="unreachable", patience=30)["retryable"] is True
    backend.set("/auto_login", None)
    mine.until(lambda v: v["freshness"]["stale"] is False, "a fresh page", patience=40)
    http_daemon.survived()


@pytest.mark.parametrize("plan", [Answer(200, CLOSED), Answer(401, CLOSED), Answer(403, CLOSED)], ids=["200", "401", "403"])
def test_a_refused_token_signs_out(http_daemon, backend, plan):
    c = signed_in_and_restarted(http_daemon, backend, lambda: backend.set("/auto_login", plan))
    prompter, mine = Picture(c, "prompter"), Picture(c, "mine")
    Picture(c, "login").until(lambda v: v["state"] == "signedOut" and v["user"] is None)
    mine.until(lambda v: v["wallet"][0]["content"] == "" and not v["autoLogin.executing"])
    backend.forget()
    assert c.call("mine.autoLogin") is None and backend.requests == [], "the token is removed"
    backend.set("/auto_login", None)
    sign_in(c)
    backend.tokens.clear()
    c.fails("mine.refresh", name="signedOut")
    assert "the cave is closed" in prompter.event("hint")["text"] and c.value("login", "state") == "signedOut"
    c.refused("mine.refresh", code=-32002)
    http_daemon.restart(hard=True)
    c = http_daemon.connect()
    assert c.value("login", "state") == "signedOut"
    assert c.values("mine", "freshness")["freshness"]["fetchedAt"] is None, "the cache is empty"


def test_a_good_token_fills_the_account_with_one_request(http_daemon, backend):
    backend.page.update(balance="100")
    c = signed_in_and_restarted(http_daemon, backend, lambda: backend.page.update(balance="250"))
    Picture(c, "mine").until(lambda v: v["wallet"][0]["content"] == "250 yuan" and not v["freshness"]["stale"] and not v["autoLogin.executing"])
    Picture(http_daemon.connect("desk"), "mine")
    assert len(backend.asked("/auto_login")) == 1, "once by itself, not again for a second client"
    asked = threading.Event()
    backend.set("/auto_login", Answer(200, {"status": "ok", "auto_login": backend.page}, after=asked))
    ids = [c.request("mine.autoLogin") for _ in range(5)]
    wait_until(lambda: len(backend.asked("/auto_login")) == 2, "the request")
    asked.set()
    assert all(c.reply(id)["result"] == USER for id in ids) and len(backend.asked("/auto_login")) == 2, "it is shared"


# OAuth

def begin(c):
    """Begins a device grant and returns the picture of `login` that shows it."""
    login = Picture(c, "login")
    id = c.request("login.signInWithDevice")
    login.until(lambda v: v["device"], "the device code")
    return login, id


def test_the_device_grant(oauth_daemon, issuer):
    c, other = oauth_daemon.connect(), oauth_daemon.connect()
    issuer.next("/token", refusal("authorization_pending"), refusal("slow_down"), HangUp())
    login, id = begin(c)
    device = login.values["device"]
    assert device.keys() == {"userCode", "verificationUri", "verificationUriComplete", "expiresAt"} and device["userCode"] == "ABCD-EFGH"
    assert 0 < (datetime.fromisoformat(device["expiresAt"]) - datetime.now(timezone.utc)).total_seconds() <= 601
    assert other.value("login", "device") == device and issuer.asked("/device")[0].form["client_id"] == "black-box"
    issuer.granted = True
    assert c.reply(id, patience=60)["result"] == USER
    assert login.now()["state"] == "signedIn" and login.values["device"] is None
    assert "dev-c0de" not in bytes(c.transcript).decode(), "the device code stays in the daemon"
    assert c.values("mine.header")["phone"].endswith("4711") and "*" in c.values("mine.header")["phone"]
    Picture(c, "mine").until(lambda v: not v["autoLogin.executing"])
    issuer.access.clear()
    issuer.forget()
    assert c.call("mine.refresh") is None
    assert [r.form["grant_type"] for r in issuer.asked("/token")] == ["refresh_token"], "a token is refreshed once"
    c.call("login.signOut")
    wait_until(lambda: len(issuer.asked("/revoke")) == 2, "both tokens' revocation")


@pytest.mark.parametrize("end", ["access_denied", "expired_token", "server_is_on_fire", "expires", "cancel", "deadline", "session", "instance"])
def test_a_device_grant_that_ends_without_a_sign_in(oauth_daemon, issuer, end):
    if "_" in end:
        issuer.set("/token", refusal(end, "the person said no"))
    if end == "expires":
        issuer.device["expires_in"] = 4
    a, b = oauth_daemon.connect("desk"), oauth_daemon.connect("desk")
    login = Picture(b, "login")
    id = a.request("login.signInWithDevice", {"_meta": {"deadline": 3000}} if end == "deadline" else {})
    login.until(lambda v: v["device"])
    ends = {"cancel": lambda: a.cancel(id), "session": lambda: b.call("session.close"),
        "instance": lambda: b.call("viewModel.close", {"id": "login"})}
    ends.get(end, lambda: None)()
    error = a.reply(id, patience=30)["error"]
    assert error["code"] == {"deadline": -32008}.get(end, -32800 if end in ends else -32000), error
    assert error["code"] != -32000 or error["data"]["error"] in ("rejected", "denied", "expired")
    c = oauth_daemon.connect()
    wait_until(lambda: c.value("login", "device") is None, "the code's end")
    assert c.value("login", "state") == "signedOut"
    oauth_daemon.survived()


FAULTS = [
    # a path, an answer to it, the failure of login.submit or of login.signInWithDevice
    ("/token", refusal("invalid_grant", "no such thief"), "invalidCredentials"), ("/token", refusal("invalid_client", status=401), "rejected"),
    ("/token", refusal("unauthorized_client"), "rejected"), ("/token", Answer(500, {}), "unreachable"), ("/token", HangUp(), "unreachable"),
    ("/token", Answer(200, {}), "unreachable"), ("/token", Answer(200, {"access_token": "a b\r\n", "token_type": "Bearer"}), "unreachable"),
    ("/token", Answer(200, {"access_token": "a", "token_type": "mac"}), "unreachable"), ("/userinfo", Answer(500, {}), "unreachable"),
    ("/userinfo", refusal("invalid_token", "the cave is closed", 401), "rejected"), ("/userinfo", Answer(200, {"sub": 5}), "unreachable"),
    ("/userinfo", HangUp(), "unreachable"), ("/device", Answer(500, {}), "unreachable"), ("/device", Answer(200, raw=b"garbage"), "unreachable"),
    ("/device", HangUp(), "unreachable"), ("/device", Answer(400, {"error": "invalid_client"}), "rejected"),
    ("/device", Answer(200, {"device_code": "d"}), "unreachable"),
    ("/.well-known", Answer(500, {}), "unreachable"), ("/.well-known", Answer(200, raw=b"garbage"), "unreachable"),
    ("/.well-known", HangUp(), "unreachable"),
    ("/.well-known", Answer(200, {"issuer": "http://evil.invalid", "token_endpoint": "http://evil.invalid/token"}), "unreachable"),
]


@pytest.mark.parametrize("path, plan, error", FAULTS, ids=[f"{at}: {row[0]}, {row[2]}" for at, row in enumerate(FAULTS)])
def test_an_issuer_that_fails(oauth_daemon, issuer, path, plan, error):
    for each in ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration") if path == "/.well-known" else (path,):
        issuer.set(each, plan)
    c = oauth_daemon.connect()
    type_in(c, "ali", OAuthIssuer.PASSWORD)
    for action in ("submit", "signInWithDevice") if path == "/.well-known" else ("signInWithDevice",) if path == "/device" else ("submit",):
        assert c.fails(f"login.{action}", name=error, patience=20)["retryable"] is (error == "unreachable")
    assert c.values("login", "state", "device") == {"state": "signedOut", "device": None}
    oauth_daemon.survived()


def test_the_password_grant_and_its_refresh(own, oauth_daemon, issuer):
    c = oauth_daemon.connect()
    assert sign_in(c) == USER
    issuer.access.clear()
    issuer.set("/token", Answer(500, {}))
    c.fails("mine.refresh", name="unreachable", patience=20)
    assert c.value("login", "state") == "signedIn", "an outage keeps the token"
    issuer.set("/token", refusal("invalid_grant", "the cave is closed"))
    c.fails("mine.refresh", name="signedOut")
    assert c.value("login", "state") == "signedOut"
    c = own(oauth_config(issuer, passwordGrant=False)).connect()
    type_in(c, "ali", OAuthIssuer.PASSWORD)
    c.refused("login.submit", code=-32002)
    assert c.value("login", "signInWithDevice.enabled") is True
