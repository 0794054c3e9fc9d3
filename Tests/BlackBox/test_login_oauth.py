"""REFERENCE, login and mine with the provider `oauth`: the device grant with all its endings, passwords, refresh, revocation."""
import time
from datetime import datetime, timezone

import pytest
from accounts import sign_in, type_in
from picture import Picture
from web import Answer, HangUp, OAuthIssuer, closed_port, oauth_config, refusal
from wire import wait_until

NUMBERS = ["1e21", "1e12", "1e308", "-1", "-1e308", "0", "9223372036854775808", "1e400", "NaN", '"600"', "null", "true", "1e17", "170141183460469231731687303715884105728", "253402300800"]


def begin(c):
    """Begins a device grant and returns the picture of `login` that shows it."""
    login = Picture(c, "login")
    id = c.request("login.signInWithDevice")
    login.until(lambda v: v["device"], "the device code")
    return login, id


def raw_device(issuer, **members):
    fields = {"device_code": '"dev-c0de-5ecret"', "user_code": '"ABCD"', "verification_uri": '"https://a.invalid/d"', "expires_in": "600", "interval": "1", **members}
    return Answer(200, raw=("{" + ",".join(f'"{k}":{v}' for k, v in fields.items() if v is not None) + "}").encode())


# The device grant goes wrong

@pytest.mark.parametrize("error, pending", [("access_denied", 0), ("access_denied", 1), ("expired_token", 0), ("invalid_grant", 0), ("server_is_on_fire", 0)])
def test_a_grant_that_is_refused(oauth_daemon, issuer, error, pending):
    c = oauth_daemon.connect("desk")
    issuer.next("/token", *[refusal("authorization_pending")] * pending, refusal(error, "the person said no"))
    login, id = begin(c)
    reply = c.reply(id, patience=12)
    assert reply["error"]["code"] == -32000 and reply["error"]["data"]["error"] in ("rejected", "denied", "expired"), reply
    values = login.now()
    assert values["device"] is None and values["state"] == "signedOut" and values["signInWithDevice.executing"] is False
    oauth_daemon.survived()


@pytest.mark.parametrize("plan", [Answer(500, {}), Answer(200, {}), Answer(200, raw=b"garbage"), Answer(200, raw=b""), HangUp(), Answer(400, {"error": "invalid_client"}), Answer(404, {}), Answer(400, raw=b""),
                                  Answer(200, {"device_code": "d"}), Answer(200, {"device_code": "d", "user_code": 5, "verification_uri": "x", "expires_in": 5})],
                         ids=["500", "no members", "garbage", "empty", "hang-up", "refused", "404", "silent 400", "torn", "code is a number"])
def test_a_grant_that_cannot_begin(oauth_daemon, issuer, plan):
    issuer.set("/device", plan)
    c = oauth_daemon.connect()
    assert c.refused("login.signInWithDevice", code=-32000)["data"]["error"] in ("unreachable", "rejected", "unsupported")
    assert c.value("login", "device") is None and c.value("login", "state") == "signedOut"
    oauth_daemon.survived()


@pytest.mark.parametrize("member", ["expires_in", "interval"])
def test_hostile_numbers_of_a_grant(oauth_daemon, issuer, member):
    c = oauth_daemon.connect("desk")
    for number in NUMBERS:
        issuer.set("/device", raw_device(issuer, **{member: number}))
        id = c.request("login.signInWithDevice")
        c.drain(0.05)
        assert oauth_daemon.is_alive, f"{member} {number} ended the daemon: {oauth_daemon.log[-800:]}"
        device = c.value("login", "device")
        if device is not None:
            end = datetime.fromisoformat(device["expiresAt"])
            assert abs((end - datetime.now(timezone.utc)).days) < 400, f"{member} {number}: {end}"
        c.cancel(id)
        reply = c.reply(id)
        assert reply["error"]["code"] in (-32000, -32800), reply
        wait_until(lambda: c.value("login", "device") is None)
    oauth_daemon.survived()


def test_hostile_numbers_of_a_token(oauth_daemon, issuer):
    c = oauth_daemon.connect("desk")
    for number in NUMBERS:
        issuer.set("/token", lambda request: Answer(200, raw=(
            '{"access_token":"%s","token_type":"Bearer","refresh_token":"r","expires_in":%s}' % ((issuer.tokens(), sorted(issuer.access)[-1])[1], number)).encode()))
        type_in(c, "ali", OAuthIssuer.PASSWORD)
        reply = c.ask("login.submit")
        assert oauth_daemon.is_alive, f"expires_in {number} ended the daemon: {oauth_daemon.log[-800:]}"
        assert "result" in reply or reply["error"]["code"] == -32000
        c.ask("mine.refresh")
        for id in ("login", "mine", "mine.header"):
            c.values(id)
        if c.value("login", "signOut.enabled"):
            issuer.set("/token", None)
            c.call("login.signOut")
    oauth_daemon.survived()


def test_a_code_that_expires(oauth_daemon, issuer):
    issuer.device["expires_in"] = 2
    c = oauth_daemon.connect()
    login, id = begin(c)
    reply = c.reply(id, patience=10)
    assert reply["error"]["data"]["error"] in ("rejected", "expired")
    assert login.now()["device"] is None and login.values["state"] == "signedOut"
    oauth_daemon.survived()


def test_slow_down_lengthens_the_interval(oauth_daemon, issuer):
    issuer.next("/token", refusal("slow_down"))
    issuer.granted = True
    c = oauth_daemon.connect()
    start = time.monotonic()
    login, id = begin(c)
    assert c.reply(id, patience=40)["result"]["account"] == "ali"
    assert time.monotonic() - start > 6.5, "1 s, then 1 + 5 s"


@pytest.mark.parametrize("plan", [Answer(500, {}), HangUp()], ids=["500", "hang-up"])
def test_an_outage_while_waiting_ends_nothing(oauth_daemon, issuer, plan):
    """RFC 8628 lets the client go on after a failure of the network."""
    issuer.next("/token", plan)
    issuer.granted = True
    c = oauth_daemon.connect()
    login, id = begin(c)
    reply = c.reply(id, patience=14)
    assert "result" in reply or reply["error"]["data"]["error"] == "unreachable", reply
    oauth_daemon.survived()


@pytest.mark.parametrize("end", ["cancel", "deadline", "session", "instance"])
def test_a_grant_that_is_given_up(oauth_daemon, issuer, end):
    a, b = oauth_daemon.connect("desk"), oauth_daemon.connect("desk")
    login = Picture(b, "login")
    id = a.request("login.signInWithDevice", {"_meta": {"deadline": 2500}} if end == "deadline" else {})
    login.until(lambda v: v["device"])
    if end == "cancel":
        a.cancel(id)
    elif end == "session":
        b.call("session.close")
    elif end == "instance":
        b.call("viewModel.close", {"id": "login"})
    assert a.reply(id)["error"]["code"] == (-32008 if end == "deadline" else -32800)
    c = oauth_daemon.connect()
    wait_until(lambda: c.value("login", "device") is None, "the code's end")
    assert c.value("login", "state") == "signedOut"
    asked = len(issuer.asked("/token"))
    time.sleep(1.3)
    assert len(issuer.asked("/token")) <= asked + 1, "no further questions"
    oauth_daemon.survived()


def test_a_client_that_goes_while_a_code_is_shown(oauth_daemon, issuer):
    issuer.set("/token", refusal("access_denied"))
    for _ in range(3):
        c = oauth_daemon.connect()
        begin(c)
        c.close()
    time.sleep(1.5)
    oauth_daemon.survived()
    c = oauth_daemon.connect()
    assert c.value("login", "state") == "signedOut" and c.value("login", "device") is None


# Passwords, discovery, refresh

@pytest.mark.parametrize("plan, error", [
    (refusal("invalid_grant", "no such thief"), "invalidCredentials"), (refusal("invalid_client", status=401), "rejected"), (refusal("unauthorized_client"), "rejected"),
    (Answer(500, {}), "unreachable"), (HangUp(), "unreachable"), (Answer(200, {}), "unreachable"), (Answer(200, {"access_token": "a b\r\n", "token_type": "Bearer"}), "unreachable"),
    (Answer(200, {"access_token": "a", "token_type": "mac"}), "unreachable"),
    pytest.param(Answer(200, {}, delay=4), "unreachable", marks=pytest.mark.slow_provider),
], ids=["wrong password", "wrong client", "no grant", "500", "hang-up", "no members", "bad token", "mac", "slow"])
def test_a_password_that_is_refused(oauth_daemon, issuer, plan, error):
    issuer.set("/token", plan)
    c = oauth_daemon.connect()
    type_in(c, "ali", "wrong password")
    data = c.fails("login.submit", name=error)
    assert data["retryable"] is (error == "unreachable")
    assert c.value("login", "state") == "signedOut"
    oauth_daemon.survived()


@pytest.mark.parametrize("plan", [Answer(500, {}), Answer(401, {}), Answer(200, []), Answer(200, {"sub": 5}), HangUp()], ids=["500", "401", "array", "sub is a number", "hang-up"])
def test_a_userinfo_that_fails(oauth_daemon, issuer, plan):
    issuer.set("/userinfo", plan)
    c = oauth_daemon.connect()
    type_in(c, "ali", OAuthIssuer.PASSWORD)
    c.refused("login.submit", code=-32000)
    assert c.value("login", "state") == "signedOut"
    oauth_daemon.survived()


@pytest.mark.parametrize("plan", [Answer(500, {}), Answer(200, raw=b"garbage"), HangUp(),
                                  Answer(200, {"issuer": "http://evil.invalid", "token_endpoint": "http://evil.invalid/token"}),
                                  Answer(200, {"issuer": 5})], ids=["500", "garbage", "hang-up", "another issuer", "issuer is a number"])
def test_a_discovery_that_fails(oauth_daemon, issuer, plan):
    for path in ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"):
        issuer.set(path, plan)
    c = oauth_daemon.connect()
    type_in(c, "ali", OAuthIssuer.PASSWORD)
    c.fails("login.submit", name="unreachable", patience=20)
    c.fails("login.signInWithDevice", name="unreachable", patience=20)
    oauth_daemon.survived()


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999/x", "https://[::1]:65536/x", "http://[]/x", "http://127.0.0.1:0/x", "file:///x"])
@pytest.mark.parametrize("member", ["token_endpoint", "userinfo_endpoint", "revocation_endpoint", "device_authorization_endpoint"])
def test_metadata_with_an_address_that_cannot_be_used(oauth_daemon, issuer, member, url):
    metadata = {"issuer": issuer.url, "token_endpoint": issuer.url + "/token", "device_authorization_endpoint": issuer.url + "/device",
                "userinfo_endpoint": issuer.url + "/userinfo", "revocation_endpoint": issuer.url + "/revoke", member: url}
    for path in ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"):
        issuer.set(path, Answer(200, metadata))
    c = oauth_daemon.connect()
    type_in(c, "ali", OAuthIssuer.PASSWORD)
    c.fails("login.submit", name="unreachable", patience=20)
    c.fails("login.signInWithDevice", name="unreachable", patience=20)
    oauth_daemon.survived()


def test_a_fresh_token_that_userinfo_refuses(oauth_daemon, issuer):
    issuer.set("/userinfo", refusal("invalid_token", "the cave is closed", 401))
    c = oauth_daemon.connect()
    type_in(c, "ali", OAuthIssuer.PASSWORD)
    assert c.fails("login.submit", name="rejected")["retryable"] is False
    assert c.value("login", "state") == "signedOut"
    oauth_daemon.survived()


def test_a_user_without_a_name(oauth_daemon, issuer):
    issuer.user = {"sub": ""}
    c = oauth_daemon.connect()
    type_in(c, "ali", OAuthIssuer.PASSWORD)
    c.fails("login.submit", name="unreachable")
    assert c.value("login", "state") == "signedOut"
    oauth_daemon.survived()


def test_a_refused_connection(own):
    with closed_port() as port:
        issuer = {"issuer": f"http://127.0.0.1:{port}", "clientId": "x", "passwordGrant": True}
        daemon = own({"account": {"provider": "oauth", "oauth": issuer}})
        c = daemon.connect()
        type_in(c, "ali", OAuthIssuer.PASSWORD)
        c.fails("login.submit", name="unreachable", patience=20)
        c.fails("login.signInWithDevice", name="unreachable", patience=20)
        daemon.survived()


def test_without_the_password_grant_submit_is_disabled(own, issuer):
    c = own(oauth_config(issuer, passwordGrant=False)).connect()
    type_in(c, "ali", OAuthIssuer.PASSWORD)
    c.refused("login.submit", code=-32002)
    assert c.value("login", "signInWithDevice.enabled") is True
    c.refused("login.register", {"account": "abc", "password": "12345678"}, -32002)


@pytest.mark.parametrize("plan", [refusal("invalid_grant", "the cave is closed"), Answer(401, {"error": "invalid_client"})], ids=["invalid_grant", "401"])
def test_a_refresh_token_that_is_no_longer_good_signs_out(oauth_daemon, issuer, plan):
    c = oauth_daemon.connect()
    sign_in(c)
    login = Picture(c, "login")
    issuer.access.clear()
    issuer.set("/token", plan)
    c.fails("mine.refresh", name="signedOut")
    login.until(lambda v: v["state"] == "signedOut")
    oauth_daemon.survived()


def test_an_outage_during_a_refresh_keeps_the_token(oauth_daemon, issuer):
    c = oauth_daemon.connect()
    sign_in(c)
    issuer.access.clear()
    issuer.set("/token", Answer(500, {}))
    c.fails("mine.refresh", name="unreachable", patience=20)
    assert c.value("login", "state") == "signedIn"
    issuer.set("/token", None)
    assert c.call("mine.refresh") is None
    oauth_daemon.survived()


# Good outcomes

def test_the_device_grant(oauth_daemon, issuer):
    c, other = oauth_daemon.connect(), oauth_daemon.connect()
    login, id = begin(c)
    device = login.values["device"]
    assert device.keys() == {"userCode", "verificationUri", "verificationUriComplete", "expiresAt"}
    assert device["userCode"] == "ABCD-EFGH" and device["verificationUri"] == "https://a.invalid/device"
    assert 500 < (datetime.fromisoformat(device["expiresAt"]) - datetime.now(timezone.utc)).total_seconds() <= 601
    assert login.values["state"] == "signingIn" or login.values["signInWithDevice.executing"]
    assert other.value("login", "device") == device
    assert issuer.asked("/device")[0].form["client_id"] == "black-box"
    issuer.granted = True
    assert c.reply(id)["result"] == {"account": "ali", "nickname": "Ali Baba"}
    values = login.now()
    assert values["state"] == "signedIn" and values["device"] is None
    assert "dev-c0de" not in bytes(c.transcript).decode(), "the device code stays in the daemon"
    assert c.values("mine.header")["phone"].endswith("4711") and "*" in c.values("mine.header")["phone"]


def test_a_password_grant(oauth_daemon, issuer):
    c = oauth_daemon.connect()
    assert sign_in(c) == {"account": "ali", "nickname": "Ali Baba"}


def test_an_expired_token_is_refreshed_once(oauth_daemon, issuer):
    c = oauth_daemon.connect()
    sign_in(c)
    issuer.access.clear()
    issuer.forget()
    assert c.call("mine.refresh") is None
    assert [r.form["grant_type"] for r in issuer.asked("/token")] == ["refresh_token"] and len(issuer.asked("/userinfo")) == 2


def test_a_token_is_refreshed_before_it_expires(oauth_daemon, issuer):
    issuer.token_extra = {"expires_in": 1}
    c = oauth_daemon.connect()
    sign_in(c)
    time.sleep(1.1)
    issuer.forget()
    assert c.call("mine.refresh") is None
    assert len(issuer.asked("/token")) == 1 and len(issuer.asked("/userinfo")) == 1, "no request with an expired token"


def test_a_sign_out_revokes(oauth_daemon, issuer):
    c = oauth_daemon.connect()
    sign_in(c)
    c.call("login.signOut")
    wait_until(lambda: len(issuer.asked("/revoke")) == 2, "both tokens' revocation")
    assert issuer.access == issuer.refresh == set()
