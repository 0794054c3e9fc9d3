"""REFERENCE, Restoring, and PROTOCOL section 4: what comes back after a linger, a stop, a kill -9, and for whom."""
import pytest
from accounts import type_in
from daemons import root_only
from picture import Picture
from wire import wait_until

ACTOR = 1
QUICK = {"session": {"saveIntervalMilliseconds": 20}}
HELP = ("coordinator.open", {"scene": "help", "arguments": {"a": [1, "é"]}})
"""Its reply says that all that came before is saved."""


@pytest.mark.parametrize("end", ["linger", "stop", "kill"])
def test_a_named_session_comes_back(own, end):
    daemon = own()
    c = daemon.connect("desk", linger=0)
    c.call("viewModel.open", {"type": "sendList", "id": "second"})
    c.call("second.draft", ["a draft of its own"])
    c.call("sendList.draft", ["a draft"])
    for key in "12+3":
        c.call("keypad.press", [key])
    c.call("lab.set", [5])
    type_in(c, "some-account", "some password")
    c.call(*HELP)
    before = {id: c.values(id) for id in ("coordinator", "calculator")}
    epoch = c.call("viewModel.read", {"id": "calculator"})["epoch"]
    if end == "linger":
        c.close()
        other = daemon.connect()
        wait_until(lambda: other.call("session.list") == {"sessions": []}, "the session's end")
    else:
        daemon.restart(hard=end == "kill")
    c = daemon.connect()
    reply = c.attach("desk")
    assert reply["created"] is True and reply["restored"] is True and reply["epoch"] != epoch
    instances = {each["id"]: each["type"] for each in c.call("viewModel.list")["instances"]}
    assert instances.items() >= {"second": "sendList", "sendList": "sendList", "keypad": "keypad"}.items() and "lab" not in instances
    assert {id: c.values(id) for id in before} == before
    assert c.value("sendList", "draft") == "a draft" and c.value("second", "draft") == "a draft of its own"
    login = c.values("login")
    assert login["accountProblem"] is None and login["submit.enabled"] is False, "inputs of login are not restored"
    for path in [daemon.state, *daemon.state.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_an_anonymous_session_does_not_come_back(own):
    daemon = own(QUICK)
    c = daemon.connect()
    c.call("sendList.draft", ["gone"])
    c.call(*HELP)
    daemon.restart(hard=True)
    assert daemon.connect().value("sendList", "draft") == ""
    assert b"gone" not in daemon.on_disk()


@root_only
def test_saved_sessions_belong_to_their_user_also_for_administrators(own, name):
    """A name is looked up among the caller's own sessions first. With `uid` it is that user's, and stays so."""
    daemon = own({"access": [{"user": "daemon", "scope": "act"}]}, shared=True)
    c = daemon.connect()
    for uid, text in ((None, "root's own"), (ACTOR, "the actor's")):
        client = daemon.connect(name, linger=0, uid=uid)
        client.call("sendList.draft", [text])
        client.close()
    wait_until(lambda: c.call("session.list", {"all": True}) == {"sessions": []}, "the end of both sessions")
    assert c.attach(name)["restored"] is True and c.value("sendList", "draft") == "root's own"
    assert c.call("session.attach", {"session": name, "uid": ACTOR, "linger": 60})["restored"] is True
    assert c.value("sendList", "draft") == "the actor's"
    owner = daemon.connect(uid=ACTOR)
    assert owner.attach(name)["created"] is False
    picture = Picture(c, "lab")
    for number in range(1, 100):
        owner.notify("lab.set", [number])
    picture.until(lambda values: values["value"] == 99)
    assert c.call("session.close", {"session": name, "uid": ACTOR}) is None
    assert daemon.connect(uid=ACTOR).attach(name)["restored"] is False
