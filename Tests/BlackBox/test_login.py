"""REFERENCE, login with the provider `local`: wrong passwords, refusals, sign-in and sign-out in all sessions."""
import time

import pytest
from accounts import ACCOUNT, NICKNAME, PASSWORD, register, sign_in, sign_in_locally, top_scene, type_in
from daemons import root_only
from picture import Picture
from wire import ends_within, one_of_three, wait_until


@pytest.fixture
def daemon(own):
    """Accounts belong to the user, so each test has a daemon of its own."""
    return own()


@pytest.fixture
def c(daemon):
    return daemon.connect()


# Wrong passwords

def test_a_wrong_password(daemon, c):
    register(c)
    prompter, login = Picture(c, "prompter"), Picture(c, "login")
    type_in(c, password="wrong password")
    assert c.fails("login.submit", name="invalidCredentials")["retryable"] is False
    assert prompter.event("hint")["text"]
    assert login.take()["state"] == "signedOut" and login.values["user"] is None
    assert login.values["submit.executing"] is False
    daemon.survived()
    assert sign_in(c, ACCOUNT, PASSWORD) == {"account": ACCOUNT, "nickname": NICKNAME}, "the account is usable at once"


def test_an_unknown_account_answers_like_a_wrong_password(daemon, c):
    register(c)
    type_in(c, password="wrong password")
    one = c.fails("login.submit", name="invalidCredentials")
    type_in(c, account="nobody-here", password="wrong password")
    other = c.fails("login.submit", name="invalidCredentials")
    assert one == other
    daemon.survived()


@pytest.mark.parametrize("observed", [False, True], ids=["no binding", "bound"])
@pytest.mark.parametrize("named", [False, True], ids=["anonymous", "named"])
def test_a_wrong_password_in_every_kind_of_session(daemon, observed, named):
    c = daemon.connect("desk" if named else None)
    if observed:
        for id in ("login", "mine", "mine.header", "prompter", "coordinator", "sendList"):
            Picture(c, id)
    for _ in range(3):
        type_in(c, "nobody-here", "wrong password")
        c.fails("login.submit", name="invalidCredentials")
    assert c.value("login", "state") == "signedOut"
    daemon.survived()


def test_the_account_stays_typed_after_a_failure(c):
    register(c)
    type_in(c, password="wrong password")
    c.fails("login.submit", name="invalidCredentials")
    c.call("login.password", [PASSWORD])
    assert c.call("login.submit")["account"] == ACCOUNT


def test_failures_are_slowed_down_from_the_fifth_one_on(daemon, c):
    register(c)
    waits = []
    for n in range(6):
        type_in(c, password="wrong password")
        start = time.monotonic()
        c.fails("login.submit", name="invalidCredentials", patience=30)
        waits.append(time.monotonic() - start)
    assert sorted(waits[:4])[2] < 2.5, f"the first four are not slowed down, though a busy machine may delay one: {waits}"
    assert sum(waits[4:]) > 0.9, f"the fifth and sixth are slowed down: {waits}"
    other = daemon.connect()

    def fail():
        type_in(other, account="somebody-else", password="wrong password")
        other.fails("login.submit", name="invalidCredentials")
    ends_within(1.5, fail, "another account, which is not slowed down,")


@root_only
def test_one_users_sign_ins_do_not_delay_another(own):
    daemon = own({"access": [{"user": "nobody", "scope": "act"}]}, shared=True)
    busy = [daemon.connect(uid=65534) for _ in range(12)]
    c = daemon.connect()
    register(c)

    def attempt():
        for n, client in enumerate(busy):
            type_in(client, f"account-{n}", "wrong password")
        start = time.monotonic()
        assert sign_in(c, ACCOUNT, PASSWORD)["account"] == ACCOUNT
        alone = time.monotonic() - start
        c.call("login.signOut")
        type_in(c, ACCOUNT, PASSWORD)
        ids = [client.request("login.submit") for client in busy]
        start = time.monotonic()
        assert c.call("login.submit", patience=30)["account"] == ACCOUNT
        beside = time.monotonic() - start
        for client, id in zip(busy, ids):
            client.reply(id, patience=40)
        c.call("login.signOut")
        return beside >= 4 * alone + 0.7 and f"{beside:.2f} s beside another user's sign-ins, {alone:.2f} s alone"
    one_of_three(attempt)


@pytest.mark.parametrize("way", ["close", "half"])
def test_a_client_that_goes_while_it_signs_in(daemon, way):
    for n in range(3):
        c = daemon.connect()
        type_in(c, f"nobody-{n}", "wrong password")
        c.request("login.submit")
        c.round_trip()
        c.finish_writing() if way == "half" else None
        c.close()
    time.sleep(0.6)
    daemon.survived()
    c = daemon.connect()
    wait_until(lambda: c.value("login", "state") == "signedOut")


def test_a_cancelled_sign_in(daemon, c):
    type_in(c, "nobody-here", "wrong password")
    id = c.request("login.submit")
    c.cancel(id)
    assert c.reply(id)["error"]["code"] in (-32800, -32000)
    wait_until(lambda: c.value("login", "state") == "signedOut")
    c.refused("login.submit", {"_meta": {"deadline": 1}})
    wait_until(lambda: c.value("login", "state") == "signedOut")
    daemon.survived()


# Refusals

@pytest.mark.parametrize("account, password, problems", [
    ("ab", PASSWORD, (True, False)), ("x" * 65, PASSWORD, (True, False)), (ACCOUNT, "1234567", (False, True)), ("", "", (True, True)), ("ab", "1234567", (True, True)),
])
def test_invalid_fields_disable_submit(c, account, password, problems):
    type_in(c, account, password)
    values = c.values("login")
    assert (values["accountProblem"] is not None, values["passwordProblem"] is not None) == problems
    assert values["submit.enabled"] is False
    c.refused("login.submit", code=-32002)


@pytest.mark.parametrize("account", ["abc", "x" * 64, "ünïcödé", "\U0001f600" * 3])
def test_valid_fields_enable_submit(c, account):
    type_in(c, account, "12345678")
    values = c.values("login")
    assert values["accountProblem"] is None and values["passwordProblem"] is None and values["submit.enabled"] is True


def test_problems_are_null_until_a_field_was_touched(c):
    values = c.values("login")
    assert values["accountProblem"] is None and values["passwordProblem"] is None and values["submit.enabled"] is False
    c.call("login.account", ["ab"])
    assert c.value("login", "accountProblem") and c.value("login", "passwordProblem") is None


@pytest.mark.parametrize("params", [
    {"account": "ab", "password": PASSWORD}, {"account": "x" * 65, "password": PASSWORD}, {"account": ACCOUNT, "password": "1234567"}, {"account": ACCOUNT}, {"password": PASSWORD},
    {"account": ACCOUNT, "password": 12345678}, {"account": ACCOUNT, "password": PASSWORD, "nick": "x"}, {},
])
def test_registering_with_an_invalid_field(c, params):
    error = c.refused("login.register", params, -32602)
    assert PASSWORD not in str(error)


def test_registering_a_taken_account(c):
    register(c)
    data = c.fails("login.register", {"account": ACCOUNT, "password": "another password"}, "accountTaken")
    assert data["retryable"] is False
    assert sign_in(c, ACCOUNT, PASSWORD)["account"] == ACCOUNT


def test_sign_out_is_refused_when_nobody_is_signed_in(c):
    assert c.value("login", "signOut.enabled") is False
    c.refused("login.signOut", code=-32002)


def test_the_device_flow_is_refused_without_oauth(c):
    assert c.value("login", "signInWithDevice.enabled") is False
    c.refused("login.signInWithDevice", code=-32002)


# Good outcomes

def test_registering_does_not_sign_in(c):
    assert register(c) == {"account": ACCOUNT, "nickname": NICKNAME}
    assert c.value("login", "state") == "signedOut"


def test_sign_in_and_out(c):
    register(c)
    login = Picture(c, "login")
    assert sign_in(c, ACCOUNT, PASSWORD) == {"account": ACCOUNT, "nickname": NICKNAME}
    values = login.take()
    assert values["state"] == "signedIn" and values["user"] == {"account": ACCOUNT, "nickname": NICKNAME}
    assert values["submit.enabled"] is False and values["signOut.enabled"] is True
    states = [f["values"]["state"] for f in login.frames if "state" in f["values"]]
    assert states == ["signingIn", "signedIn"]
    c.refused("login.submit", code=-32002)
    assert c.call("login.signOut") is None
    values = login.now()
    assert values["state"] == "signedOut" and values["user"] is None and values["signOut.enabled"] is False


def test_every_session_of_the_user_sees_the_account(daemon, c):
    other = daemon.connect("desk")
    pictures = {id: Picture(other, id) for id in ("login", "mine", "mine.header")}
    sign_in_locally(c)
    pictures["login"].until(lambda v: v["state"] == "signedIn" and v["user"]["nickname"] == NICKNAME)
    pictures["mine"].until(lambda v: v["wallet"][0]["content"] == "0 yuan" and v["wallet"][1]["content"] == "0 pieces")
    pictures["mine.header"].until(lambda v: v["nickname"] == NICKNAME)
    c.call("login.signOut")
    pictures["login"].until(lambda v: v["state"] == "signedOut")
    pictures["mine"].until(lambda v: v["wallet"][0]["content"] == "")
    pictures["mine.header"].until(lambda v: v["nickname"] == "click login")


@root_only
def test_another_users_account_is_another(own):
    daemon = own({"access": [{"user": "nobody", "scope": "act"}]}, shared=True)
    c, other = daemon.connect(), daemon.connect(uid=65534)
    sign_in_locally(c)
    assert other.value("login", "state") == "signedOut" and other.value("mine.header", "nickname") == "click login"


def test_success_pops_the_login_scene_if_it_is_on_top(c):
    c.call("mine.select", ["help"])
    assert top_scene(c) == "login"
    sign_in_locally(c)
    assert top_scene(c) == "root"
    c.call("login.signOut")
    c.call("coordinator.open", {"scene": "login"})
    c.call("coordinator.open", {"scene": "help"})
    sign_in(c, ACCOUNT, PASSWORD)
    assert top_scene(c) == "help"


def test_an_account_outlives_the_daemon(daemon, c):
    sign_in_locally(c)
    daemon.restart(hard=True)
    c = daemon.connect()
    Picture(c, "mine").until(lambda v: not v["autoLogin.executing"])
    assert c.value("login", "state") == "signedIn" and c.value("login", "user") == {"account": ACCOUNT, "nickname": NICKNAME}
    c.call("login.signOut")
    daemon.restart(hard=True)
    assert daemon.connect().value("login", "state") == "signedOut"
