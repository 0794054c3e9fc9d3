"""REFERENCE, mine and mine.header: the four outcomes of autoLogin, refresh, the cache, selecting rows."""
import threading
import time

import pytest
from accounts import sign_in, sign_in_locally, top_scene
from picture import Picture
from web import Answer, HangUp, JSONBackend
from wire import wait_until

OUTAGES = {"500": Answer(500, {}), "hang-up": HangUp(), "slow": Answer(200, {}, delay=4), "garbage": Answer(200, raw=b"<html>")}
MARKS = {"slow": pytest.mark.slow_provider}
EACH_OUTAGE = pytest.mark.parametrize("outage", [pytest.param(name, marks=MARKS.get(name, ())) for name in OUTAGES])


def signed_in_and_restarted(daemon, backend, *, name="desk", before=lambda: None):
    """Signs in, lets the instance of `mine` be saved, kills the daemon and starts it again."""
    c = daemon.connect(name)
    sign_in(c)
    Picture(c, "mine").until(lambda v: v["wallet"][0]["content"] == "100 yuan" and not v["autoLogin.executing"])
    daemon.kill()
    backend.forget()
    before()
    daemon.restart()
    return daemon.connect()


# Unreachable

@EACH_OUTAGE
def test_unreachable_shows_the_cached_account(http_daemon, backend, outage):
    c = signed_in_and_restarted(http_daemon, backend, before=lambda: backend.set("/auto_login", OUTAGES[outage]))
    c.attach("desk")
    mine = Picture(c, "mine")
    assert mine.values["wallet"][0]["content"] == "100 yuan" and mine.values["freshness"]["stale"] is True
    assert c.values("mine.header")["nickname"] == "Ali Baba" and c.value("login", "state") == "signedIn"
    assert c.fails("mine.autoLogin", name="unreachable")["retryable"] is True
    http_daemon.survived()


def test_auto_login_runs_again_by_itself(http_daemon, backend):
    c = signed_in_and_restarted(http_daemon, backend, before=lambda: backend.set("/auto_login", HangUp()))
    c.attach("desk")
    mine = Picture(c, "mine")
    wait_until(lambda: len(backend.asked("/auto_login")) >= 2, "a second attempt", patience=12)
    backend.set("/auto_login", None)
    mine.until(lambda v: v["freshness"]["stale"] is False, "a fresh page", patience=20)


@pytest.mark.parametrize("end", ["close the instance", "close the session", "leave"])
def test_an_instance_goes_while_it_waits_to_try_again(http_daemon, backend, end):
    c = signed_in_and_restarted(http_daemon, backend, before=lambda: backend.set("/auto_login", Answer(500, {})))
    c.attach("desk", linger=0)
    c.values("mine")
    wait_until(lambda: backend.asked("/auto_login"), "an attempt")
    c.call("viewModel.close", {"id": "mine"}) if end == "close the instance" else c.call("session.close") if end == "close the session" else c.close()
    time.sleep(0.3)
    asked = len(backend.asked("/auto_login"))
    time.sleep(1.3)
    assert len(backend.asked("/auto_login")) <= asked, "no further attempts"
    http_daemon.survived()


def test_an_outage_is_no_crash_loop(http_daemon, backend):
    """`mine` signs in by itself and named sessions restore it. A backend that is down ends no daemon."""
    c = signed_in_and_restarted(http_daemon, backend, before=lambda: backend.set("/auto_login", Answer(500, {})))
    for _ in range(3):
        client = http_daemon.connect("desk")
        client.values("mine")
        wait_until(lambda: backend.asked("/auto_login"), "an attempt")
        time.sleep(0.1)
        backend.forget()
        http_daemon.restart(hard=True)
    http_daemon.survived()


def test_a_refused_connection(own, http_daemon, backend):
    c = signed_in_and_restarted(http_daemon, backend, before=backend.close)
    c.attach("desk")
    c.fails("mine.autoLogin", name="unreachable")
    assert c.value("mine", "freshness")["stale"] is True
    http_daemon.survived()


@EACH_OUTAGE
@pytest.mark.parametrize("action", ["refresh", "autoLogin"])
def test_an_outage_while_signed_in_makes_the_page_stale(http_daemon, backend, outage, action):
    c = http_daemon.connect()
    sign_in(c)
    Picture(c, "mine").until(lambda v: not v["autoLogin.executing"])
    c.call("mine.refresh")
    backend.set("/auto_login", OUTAGES[outage])
    assert c.fails(f"mine.{action}", name="unreachable")["retryable"] is True
    values = c.values("mine")
    assert values["wallet"][0]["content"] == "100 yuan" and values["freshness"]["stale"] is True
    assert c.value("login", "state") == "signedIn"
    http_daemon.survived()
    backend.set("/auto_login", None)
    assert c.call("mine.refresh") is None
    assert c.value("mine", "freshness")["stale"] is False


# The backend says no

@pytest.mark.parametrize("plan", [Answer(200, {"status": "error", "error_desc": "the cave is closed"}), Answer(401, {"status": "error", "error_desc": "the cave is closed"}), Answer(403, {"status": "error", "error_desc": "the cave is closed"})],
                         ids=["200", "401", "403"])
def test_a_refused_token_signs_out(http_daemon, backend, plan):
    c = signed_in_and_restarted(http_daemon, backend, before=lambda: backend.set("/auto_login", plan))
    c.attach("other")
    prompter, login, mine = Picture(c, "prompter"), Picture(c, "login"), Picture(c, "mine")
    login.until(lambda v: v["state"] == "signedOut" and v["user"] is None)
    mine.until(lambda v: v["wallet"][0]["content"] == "" and not v["autoLogin.executing"])
    assert "the cave is closed" in prompter.event("hint")["text"]
    backend.forget()
    assert c.call("mine.autoLogin") is None
    assert backend.requests == [], "the token is removed"
    http_daemon.restart(hard=True)
    assert http_daemon.connect().value("login", "state") == "signedOut"


def test_a_refusal_while_a_caller_waits_is_null(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    c.call("mine.autoLogin")
    prompter = Picture(c, "prompter")
    backend.tokens.clear()
    assert c.call("mine.autoLogin") is None
    assert "the cave is closed" in prompter.event("hint")["text"]
    assert c.value("login", "state") == "signedOut"
    http_daemon.survived()


def test_refresh_with_a_refused_token(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    backend.tokens.clear()
    c.fails("mine.refresh", name="signedOut")
    assert c.value("login", "state") == "signedOut"
    c.refused("mine.refresh", code=-32002)
    http_daemon.survived()


# No token, a good token

def test_without_a_token_nothing_is_asked(http_daemon, backend):
    c = http_daemon.connect()
    Picture(c, "mine").until(lambda v: not v["autoLogin.executing"])
    assert c.call("mine.autoLogin") is None
    assert backend.requests == [] and c.value("login", "state") == "signedOut"


def test_a_good_token_fills_the_account(http_daemon, backend):
    c = signed_in_and_restarted(http_daemon, backend, before=lambda: backend.page.update(balance="250"))
    c.attach("another")
    mine = Picture(c, "mine")
    mine.until(lambda v: v["wallet"][0]["content"] == "250 yuan" and v["freshness"]["stale"] is False and not v["autoLogin.executing"])
    assert len(backend.asked("/auto_login")) == 1, "once by itself"
    assert backend.asked("/auto_login")[0].bearer in backend.tokens
    assert c.call("mine.autoLogin") == {"account": "ali", "nickname": "Ali Baba"}
    Picture(http_daemon.connect("another"), "mine").until(lambda v: not v["autoLogin.executing"])
    assert len(backend.asked("/auto_login")) == 2, "not again for a second client"


def test_what_was_fetched_is_shown_at_once(http_daemon, backend):
    c = signed_in_and_restarted(http_daemon, backend, before=lambda: backend.set("/auto_login", Answer(200, {}, delay=0.8)))
    values = c.values("mine")
    assert values["wallet"][0]["content"] == "100 yuan" and values["freshness"]["stale"] is True and values["freshness"]["fetchedAt"]


def test_an_equal_page_sends_nothing(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    header = Picture(c, "mine.header")
    for _ in range(3):
        c.call("mine.refresh")
    header.now()
    assert header.frames == []


def test_a_change_reaches_every_session_in_one_frame(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    pictures = [Picture(http_daemon.connect(f"desk-{n}"), "mine.header") for n in range(5)]
    for picture in pictures:
        picture.until(lambda v: v["nickname"] == "Ali Baba")
        Picture(picture.client, "mine").until(lambda v: not v["autoLogin.executing"])
        picture.frames.clear()
    backend.page.update(nickname="Morgiana", user_mobile_mask="139****0001")
    c.call("mine.refresh")
    for picture in pictures:
        picture.until(lambda v: v["nickname"] == "Morgiana")
        assert len(picture.frames) == 1 and picture.frames[0]["values"] == {"nickname": "Morgiana", "phone": "139****0001"}


def test_auto_login_is_shared(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    c.call("mine.autoLogin")
    backend.forget()
    asked = threading.Event()
    backend.set("/auto_login", Answer(200, {"status": "ok", "auto_login": backend.page}, after=asked))
    ids = [c.request("mine.autoLogin") for _ in range(5)]
    c.round_trip()
    asked.set()
    assert all(c.reply(id)["result"]["account"] == "ali" for id in ids)
    assert len(backend.asked("/auto_login")) == 1


def test_sign_out_empties_the_cache(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    c.call("login.signOut")
    http_daemon.restart(hard=True)
    values = http_daemon.connect().values("mine")
    assert values["wallet"][0]["content"] == "" and values["freshness"]["fetchedAt"] is None


# Rows and scenes

def test_the_rows(own):
    values = own().connect().values("mine")
    assert values["wallet"] == [{"id": "balance", "title": "balance", "image": "wdqb_ye", "content": ""}, {"id": "redPacket", "title": "red envelopes", "image": "redPacket", "content": ""}]
    assert values["services"] == [{"id": "wallet", "title": "my wallet", "image": "wodi_qb"}, {"id": "support", "title": "contact customer service", "image": "wodi_dianhua"},
                                  {"id": "cooperation", "title": "I want cooperation", "image": "wodi_lishi-1"}]
    assert values["others"] == [{"id": "help", "title": "help", "image": "xx_1"}, {"id": "feedback", "title": "I want feedback", "image": "wyfk"}]


@pytest.mark.parametrize("value", ["nonsense", "", "login", 5, None])
def test_selecting_an_unknown_row(c, value):
    c.refused("mine.select", {"value": value}, -32602)
    assert top_scene(c) == "root"


def test_selecting_leads_to_login_or_to_the_scene(own):
    c = own().connect()
    for row in ("wallet", "support", "cooperation", "help", "feedback"):
        c.call("mine.select", [row])
        assert top_scene(c) == "login"
        c.call("coordinator.back")
    c.call("mine.header.select")
    assert top_scene(c) == "login"
    sign_in_locally(c)
    for row in ("wallet", "support", "cooperation", "help", "feedback"):
        c.call("mine.select", [row])
        assert top_scene(c) == row
    c.call("mine.header.select")
    assert top_scene(c) == "profile"


def test_masked_numbers_only(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    assert c.value("mine.header", "phone") == JSONBackend.PHONE
