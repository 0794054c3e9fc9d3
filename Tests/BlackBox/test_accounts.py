"""REFERENCE, login and mine with the providers `http` and `oauth`: the whole way to a backend, and its faults.

`AccountsTests` and `ReferenceViewModelsTests` have the other answers of backends, tokens, outages and sign-outs. The provider `local` is in
scenarios/login.txt.
"""
from datetime import datetime, timezone

import pytest
from accounts import sign_in, top_scene, type_in
from picture import Picture
from web import Answer, HangUp, JSONBackend, OAuthIssuer, refusal
from wire import wait_until

USER = {"account": "ali", "nickname": "Ali Baba"}


LOGINS = [
    # an answer to /login, the failure of login.submit. `HTTPProviderTests` have the others.
    pytest.param(Answer(422, {"status": "error", "error_desc": "closed on mondays"}), "rejected", id="422"),
    pytest.param(Answer(503, {}, headers={"Retry-After": "9" * 30}), "unreachable", id="a huge Retry-After"),
    pytest.param(HangUp(), "unreachable", id="hang-up"),
    pytest.param(Answer(200, raw=b"[" * 100_000), "unreachable", id="garbage"),
]


@pytest.mark.parametrize("plan, error", LOGINS)
def test_a_sign_in_that_fails_leaves_nothing_behind(http_daemon, backend, plan, error):
    """A sign-in is asked once, and the next one works."""
    backend.set("/login", plan)
    c = http_daemon.connect()
    type_in(c, "ali", JSONBackend.PASSWORD)
    data = c.fails("login.submit", name=error)
    assert data["retryable"] is (error == "unreachable") and len(backend.asked("/login")) == 1
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
    issuer.requests.clear()
    assert c.call("mine.refresh") is None
    assert [r.form["grant_type"] for r in issuer.asked("/token")] == ["refresh_token"], "a token is refreshed once"
    c.call("login.signOut")
    wait_until(lambda: len(issuer.asked("/revoke")) == 2, "both tokens' revocation")


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
