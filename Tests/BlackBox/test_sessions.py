"""PROTOCOL section 4: how sessions end and come back. The rows of scenarios/sessions.txt and users.txt have the rest."""
import pytest
from daemons import Daemon, root_only
from picture import Picture
from wire import Client, HungUp, wait_until

ACTOR = 1
ACCESS = [{"user": "daemon", "scope": "act"}]


@pytest.fixture(scope="module")
def shared_daemon():
    daemon = Daemon({"access": ACCESS}, shared=True)
    yield daemon
    daemon.discard()


def is_over(client, name):
    listed = client.call("session.list", {"all": True})["sessions"]
    return all(entry["session"] != name for entry in listed)


def test_linger_zero_ends_the_session_with_its_last_connection(daemon, c, name):
    a, b = daemon.connect(name, linger=0), daemon.connect(name)
    a.call("calculator.press", ["7"])
    a.call("lab.set", [6])
    a.close()
    assert b.value("lab", "value") == 6
    b.close()
    wait_until(lambda: is_over(c, name), "the session's end")
    reply = c.attach(name)
    assert reply["created"] is True and reply["restored"] is True
    assert c.value("lab", "value") == 0 and c.value("calculator", "led") == "7"


def test_closing_erases_what_was_saved(daemon, c, name):
    a = daemon.connect(name, linger=0)
    a.call("calculator.press", ["7"])
    a.close()
    wait_until(lambda: is_over(c, name), "the session's end")
    assert c.call("session.close", {"session": name}) is None
    assert c.attach(name)["restored"] is False and c.value("calculator", "led") == "0"


@pytest.mark.parametrize("headers", [False, True], ids=["lines", "headers"])
def test_no_call_is_acknowledged_after_the_end_of_its_session(daemon, c, name, headers):
    a = daemon.connect(name, headers=headers)
    a.round_trip()
    ids = []
    for number in range(300):
        opening = ("coordinator.open", {"scene": "help", "_meta": {"key": f"k{number}"}})
        ids.append(a.request(*(opening if number % 2 else ("lab.set", [number]))))
        if number == 100:
            closing = c.request("session.close", {"session": name})
    replies = [a.reply(id) for id in ids]
    assert c.reply(closing)["result"] is None
    end = next(at for at, message in enumerate(a.history) if message.get("method") == "session.closed")
    late = [message for message in a.history[end:] if message.get("id") in ids]
    assert {message.get("error", {}).get("code") for message in late} <= {-32010}
    assert all("result" in reply or reply["error"]["code"] in (-32010, -32800, -32006) for reply in replies)


def test_the_daemons_end_is_told_before_the_connection_closes(own):
    daemon = own({"shutdown": {"graceSeconds": 0}})
    named, plain = daemon.connect("desk"), daemon.connect()
    named.round_trip()
    plain.round_trip()
    assert daemon.stop() == 0
    assert named.notification("session.closed") == {"session": "desk", "reason": "stopping"}
    with pytest.raises(HungUp):
        named.next()
    assert plain.ends() and not [n for n in plain.notifications if n["method"] == "session.closed"]


@root_only
def test_saved_sessions_belong_to_their_user_also_for_administrators(daemon, c, name):
    """A name is looked up among the caller's own sessions first. With `uid` it is that user's, and stays so."""
    for uid, text in ((None, "root's own"), (ACTOR, "the actor's")):
        client = daemon.connect(name, linger=0, uid=uid)
        client.call("sendList.draft", [text])
        client.close()
    wait_until(lambda: is_over(c, name), "the end of both sessions")
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


@root_only
def test_limits_are_counted_for_each_user(own):
    daemon = own({"access": ACCESS, "limits": {"connectionsPerUser": 2}}, shared=True)
    first, second = daemon.connect_when_free(uid=ACTOR), daemon.connect_when_free(uid=ACTOR)
    third = Client(daemon.socket, uid=ACTOR)
    assert third.answer()["error"]["data"] == {"limit": "limits.connectionsPerUser", "value": 2} and third.ends()
    daemon.connect().round_trip()
    second.round_trip()
    first.close()
    daemon.connect_when_free(uid=ACTOR)
