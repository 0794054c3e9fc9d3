"""PROTOCOL section 4: attach, linger, list, close. Sessions of other users are in `test_section4_users.py`."""
import json
import time
from datetime import datetime

import pytest
from picture import Picture
from wire import HungUp, request, wait_until


# Refusals

@pytest.mark.parametrize("params", [
    {"session": ""}, {"session": "a b"}, {"session": ".x"}, {"session": "-x"}, {"session": "x" * 65}, {"session": "é"}, {"session": "a/b"}, {"session": 1}, {"session": None, "x": 1},
    {"linger": -1}, {"linger": "5"}, {"linger": True}, {"client": "me"}, {"client": {"name": 1}}, {"more": 1}, {"uid": "root"}, {"uid": -1}, {"uid": 1.5},
    {"session": "a", "_meta": {"key": 1}}, {"session": "a", "_meta": 5},
])
def test_bad_params_of_attach(c, params):
    c.refused("session.attach", params, -32602)
    assert c.call("session.close") is None, "the connection still has its anonymous session"


@pytest.mark.parametrize("session", ["nope", "x" * 64])
def test_closing_an_unknown_session(c, session):
    assert c.refused("session.close", {"session": session}, -32004)["data"]["session"] == session


def test_closing_an_unknown_session_suggests_what_is_close(daemon, c):
    daemon.connect("walnut-tree")
    assert "walnut-tree" in c.refused("session.close", {"session": "walnut-treee"}, -32004)["data"]["suggestions"]


def test_a_session_over_the_limit_is_refused(own):
    daemon = own({"limits": {"sessionsPerUser": 2}})
    first, second = daemon.connect("a", linger=0), daemon.connect("b")
    third = daemon.connect()
    assert third.refused("session.attach", {"session": "c"}, -32006)["data"] == {"limit": "limits.sessionsPerUser", "value": 2}
    third.call("lab.set", [1])
    assert third.attach("b")["created"] is False, "an existing one is not a further one"
    first.close()
    wait_until(lambda: "result" in third.ask("session.attach", {"session": "c"}), "a free place")
    assert second.call("viewModel.list")


# Attach

@pytest.mark.parametrize("session", ["a", "0", "A-b_c.9", "x" * 64, "9..", "a-"])
def test_good_names(c, session):
    assert c.attach(session, linger=0)["session"] == session


def test_the_reply_of_attach(c, name):
    reply = c.attach(name, linger=60, client={"name": "black box", "version": "1"})
    assert reply.keys() >= {"session", "created", "restored", "epoch", "linger", "daemon", "protocol", "features", "limits"}
    assert reply["session"] == name and reply["created"] is True and reply["restored"] is False
    assert reply["linger"] == 60 and reply["protocol"] == 1 and isinstance(reply["epoch"], str)
    assert reply["features"] == [] and reply["limits"] == {"messageBytes": 1048576}
    assert reply["daemon"]["name"] == "viewmodeld" and reply["daemon"]["version"]


def test_attach_without_a_name_makes_one_up(daemon, c):
    first, second = c.call("session.attach", {}), daemon.connect().call("session.attach", {})
    assert first["session"] != second["session"] and first["created"] and second["created"]
    assert daemon.connect().attach(first["session"])["created"] is False


def test_linger_is_cut_to_its_maximum_and_the_last_one_holds(daemon, name):
    a, b = daemon.connect(), daemon.connect()
    assert a.attach(name, linger=10 ** 12)["linger"] == 86400
    assert b.attach(name)["linger"] == 86400, "without one a living session keeps its own"
    assert b.attach(name, linger=7)["linger"] == 7
    assert a.attach(name)["linger"] == 7


def test_linger_of_the_configuration(own, name):
    c = own({"session": {"lingerSeconds": 11, "maximumLingerSeconds": 20}}).connect()
    assert c.attach(name)["linger"] == 11
    assert c.attach(name, linger=21)["linger"] == 20


def test_two_connections_share_the_view_models_and_have_bindings_of_their_own(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    pictures = Picture(a, "lab", outputs=["value"]), Picture(b, "lab", outputs=["double"])
    a.call("lab.set", [4])
    assert pictures[0].take() == {"value": 4}
    assert pictures[1].until(lambda v: v["double"] == 8) == {"double": 8}


def test_anonymous_sessions_do_not_meet(daemon, c):
    c.call("lab.set", [4])
    assert daemon.connect().value("lab", "value") == 0


def test_attaching_elsewhere_ends_the_bindings(daemon, c, name):
    Picture(c, "lab")
    c.attach(name)
    c.call("lab.set", [4])
    c.round_trip()
    assert c.notifications == []


def test_attaching_again_ends_the_bindings(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    Picture(a, "lab")
    a.attach(name)
    b.call("lab.set", [4])
    a.round_trip()
    assert a.notifications == []


def test_leaving_an_anonymous_session_cancels_its_actions(c, name):
    id = c.request("lab.sleep", {"milliseconds": 60000})
    c.attach(name)
    assert c.reply(id)["error"]["code"] == -32800


def test_leaving_a_named_session_leaves_its_actions(daemon, c, name):
    watcher = daemon.connect(name)
    picture = Picture(watcher, "lab")
    c.attach(name)
    c.notify("lab.count", {"to": 3, "every": 30})
    c.attach(name + "-2")
    picture.until(lambda v: v["value"] == 3 and not v["count.executing"])


def test_an_epoch_belongs_to_a_session(daemon, c, name):
    epoch = c.attach(name)["epoch"]
    assert c.call("viewModel.read", {"id": "lab"})["epoch"] == epoch == daemon.connect().attach(name)["epoch"]
    assert c.attach(name + "-2")["epoch"] != epoch


# Linger

def test_a_session_stays_for_its_linger(daemon, name):
    a = daemon.connect(name, linger=60)
    a.call("lab.set", [6])
    a.notify("lab.count", {"to": 9, "every": 20})
    a.round_trip()
    a.close()
    b = daemon.connect()
    assert b.attach(name)["created"] is False
    Picture(b, "lab").until(lambda v: v["value"] == 9)


def test_linger_zero_ends_the_session_at_once(daemon, name):
    a = daemon.connect(name, linger=0)
    a.call("lab.set", [6])
    a.close()
    b = daemon.connect()
    wait_until(lambda: name not in [s["session"] for s in b.call("session.list")["sessions"]], "the session's end")
    assert b.attach(name)["created"] is True
    assert b.value("lab", "value") == 0, "lab is not restored"


def test_linger_begins_when_the_last_connection_goes(daemon, name):
    a, b = daemon.connect(name, linger=0), daemon.connect(name)
    a.call("lab.set", [6])
    a.close()
    time.sleep(0.05)
    assert b.value("lab", "value") == 6


# List

def test_a_listing_counts_and_dates(daemon, c, name):
    a, b = daemon.connect(name, linger=50), daemon.connect(name)
    a.call("lab.set", [1])
    find = lambda: next(s for s in c.call("session.list")["sessions"] if s["session"] == name)
    entry = find()
    assert entry.keys() == {"session", "attached", "instances", "created", "expires"}
    assert entry["attached"] == 2 and entry["instances"] == len(a.call("viewModel.list")["instances"]) and entry["expires"] is None
    assert abs(datetime.fromisoformat(entry["created"]).timestamp() - time.time()) < 60
    a.close()
    b.close()
    entry = wait_until(lambda: find() if find()["attached"] == 0 else None)
    assert 0 < datetime.fromisoformat(entry["expires"]).timestamp() - time.time() <= 51


def test_a_listing_has_no_anonymous_and_no_saved_sessions(own):
    daemon = own()
    c = daemon.connect()
    assert c.call("session.list") == {"sessions": []}
    gone = daemon.connect("gone", linger=0)
    gone.call("calculator.press", ["7"])
    gone.close()
    wait_until(lambda: c.call("session.list") == {"sessions": []}, "an empty listing")
    assert c.attach("gone")["restored"] is True


# Close

def test_closing_tells_the_others_and_leaves_them_without_a_session(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    a.call("lab.set", [5])
    Picture(b, "lab")
    id = b.request("lab.sleep", {"milliseconds": 60000})
    b.round_trip()
    assert a.call("session.close") is None
    assert b.reply(id)["error"]["code"] == -32800
    assert b.notification("session.closed") == {"session": name, "reason": "closed"}
    b.notifications.clear()
    assert a.value("lab", "value") == 0, "the closer is anonymous now"
    for method, params in [("lab.set", [6]), ("lab.sleep", {"milliseconds": 1}), ("viewModel.read", {"id": "lab"}), ("viewModel.open", {"type": "lab"}), ("session.close", {})]:
        assert b.refused(method, params, -32010)["data"] == {"session": name, "reason": "closed"}
    b.notify("lab.set", [6])
    assert b.call("session.list")["sessions"] == a.call("session.list")["sessions"] and "openrpc" in b.call("rpc.discover")
    assert b.notifications == [] and a.notifications == []
    assert b.attach(name)["created"] is True and b.value("lab", "value") == 0


@pytest.mark.parametrize("headers", [False, True], ids=["lines", "headers"])
def test_no_call_is_acknowledged_after_the_end_of_its_session(daemon, c, name, headers):
    a = daemon.connect(name, headers=headers)
    a.round_trip()
    ids = []
    for number in range(300):
        ids.append(a.request("coordinator.open", {"scene": "help", "_meta": {"key": f"k{number}"}}) if number % 2 else a.request("lab.set", [number]))
        if number == 100:
            closing = c.request("session.close", {"session": name})
    replies = [a.reply(id) for id in ids]
    assert c.reply(closing)["result"] is None
    end = next(index for index, message in enumerate(a.history) if message.get("method") == "session.closed")
    late = [message for message in a.history[end:] if message.get("id") in ids]
    assert {message["error"]["code"] for message in late if "error" in message} <= {-32010} and not [message for message in late if "result" in message]
    assert all("result" in reply or reply["error"]["code"] in (-32010, -32800, -32006) for reply in replies)


def test_a_batch_goes_on_in_the_session_that_it_attaches_to(daemon, c, name):
    a = daemon.connect(name)
    a.round_trip()
    c.call("session.close", {"session": name})
    a.notification("session.closed")
    answer = a.batch(request("lab.set", [7], id=1001), request("lab.set", [8]), request("session.attach", {"session": name}, id=1002), request("viewModel.read", {"id": "lab", "outputs": ["value"]}, id=1003))
    assert answer[0]["error"]["code"] == -32010 and answer[1]["result"]["created"] and answer[2]["result"]["values"] == {"value": 0}


def test_closing_by_name_from_elsewhere(daemon, c, name):
    a = daemon.connect(name)
    assert c.call("session.close", {"session": name}) is None
    assert a.notification("session.closed")["reason"] == "closed"
    assert c.attach(name)["created"] is True


def test_closing_an_anonymous_session_begins_another(c):
    c.call("lab.set", [5])
    assert c.call("session.close") is None
    assert c.value("lab", "value") == 0


def test_closing_erases_what_was_saved(daemon, c, name):
    a = daemon.connect(name, linger=0)
    a.call("calculator.press", ["7"])
    a.close()
    wait_until(lambda: all(s["session"] != name for s in c.call("session.list")["sessions"]))
    assert c.call("session.close", {"session": name}) is None
    assert c.attach(name)["restored"] is False
    assert c.value("calculator", "led") == "0"


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


# Order

def test_attach_is_ordered_with_its_neighbours(c, name):
    before = c.request("lab.set", [1])
    attach = c.request("session.attach", {"session": name})
    after = c.request("lab.set", [2])
    read = c.request("viewModel.read", {"id": "lab", "outputs": ["value"]})
    assert [c.answer()["id"] for _ in range(4)] == [before, attach, after, read]


def test_meta_is_checked_and_ignored_by_protocol_methods(c, name):
    meta = {"_meta": {"deadline": 1, "key": "k"}}
    assert c.attach(name, **meta)["created"] is True
    assert c.attach(name, **meta)["created"] is False
    c.call("viewModel.list", meta)
    c.call("session.list", meta)


def test_a_client_name_is_for_logs_only(c, name):
    c.transcript.clear()
    c.attach(name, client={"name": "x" * 20000, "version": "\n\r\x1b[31m"})
    assert "xxxx" not in json.dumps(c.call("session.list"))
