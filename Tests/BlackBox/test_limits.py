"""The bounds of CONFIGURATION.md that are filled by bytes and files. Rows of scenarios/ and Swift tests fill the others."""
import contextlib
import os

import pytest
from picture import Picture
from wire import HungUp, wait_until

BIG, LONG = "x" * 900_000, "i" * 900_000
MIB = 1 << 20
GONE = (BrokenPipeError, ConnectionResetError, HungUp)


def test_the_saved_session_that_was_attached_to_longest_ago_is_erased(own):
    daemon = own({"limits": {"savedSessionsPerUser": 3}, "session": {"saveIntervalMilliseconds": 20}})
    desk = daemon.connect("desk")           # a session with a client makes no room for others, and needs none
    desk.call("coordinator.open", {"scene": "help"})
    for name in ("a", "b", "a", "c"):
        client = daemon.connect(name, linger=0)
        client.call("coordinator.open", {"scene": "help"})
        client.close()
        wait_until(lambda: len(desk.call("session.list")["sessions"]) == 1, "the session's end")
    daemon.restart(hard=True)
    restored = {name: daemon.connect().attach(name)["restored"] for name in ("desk", "a", "c", "b")}
    assert restored == {"desk": True, "a": True, "c": True, "b": False}


def test_a_session_over_its_bound_is_not_saved_and_the_log_says_so_once(own):
    daemon = own({"limits": {"savedBytesPerSession": 10_000}, "session": {"saveIntervalMilliseconds": 10}})
    small = daemon.connect("small", linger=0)
    small.call("sendList.draft", ["x" * 5000])
    small.close()
    large = daemon.connect("large", linger=0)
    for number in range(5):
        large.call("sendList.draft", [f"{number}" + "x" * 30_000])
        large.call("coordinator.open", {"scene": "help"})       # its reply waits for the save
    large.close()
    c = daemon.connect()
    wait_until(lambda: c.call("session.list") == {"sessions": []}, "the end of all named sessions")
    assert c.attach("small")["restored"] is True and c.value("sendList", "draft") == "x" * 5000
    c.attach("large")
    assert c.value("sendList", "draft") == ""
    assert len([line for line in daemon.log.splitlines() if "large" in line and "savedBytesPerSession" in line]) == 1


def prepared(daemon, session, **attach):
    client = daemon.connect(receive_buffer=4096)
    client.attach(session, **attach)
    return client


def fill(client, times):
    """Makes the daemon owe `times` replies of 900 kB, and reads none."""
    for _ in range(times):
        client.request("viewModel.read", {"id": "lab", "outputs": ["echoed"]})


def test_a_client_that_lags_gets_the_sum_and_its_replies_first(own, name):
    daemon = own()
    writer, reader = daemon.connect(name), daemon.connect(name, receive_buffer=4096)
    picture = Picture(reader, "lab", outputs=["value", "rows", "bell", "echoed"])
    for number in range(1, 3000):
        writer.notify("lab.set", [number])
    writer.notify("lab.append", [20_000])
    writer.call("lab.echo", ["x" * 200_000])
    before = daemon.resident
    for number in range(200):
        writer.call("lab.echo", ["%06d" % number + "x" * 200_000])
    assert daemon.resident - before < 20 << 20, "what waits for a client does not grow"
    reader.send({"jsonrpc": "2.0", "id": "held", "method": "lab.set", "params": [7]})
    # A slow daemon may have sent all that waited before it reads the request. The picture is up to date then.
    assert reader.reply("held")["result"].get("held") or picture.take()["value"] == 7
    picture.until(lambda values: values["value"] == 7 and len(values["rows"]) == 20_000 and values["echoed"][:6] == "000199")
    assert sum("echoed" in frame.get("values", {}) for frame in picture.frames) < 200, "frames are joined: no buffer holds 40 MB"


LIMIT = 16 * MIB


def unread_replies(daemon, name):
    """The connection that holds most is closed and named; the others get all."""
    hog = prepared(daemon, name, client={"name": "the-hog", "version": "1"})
    fill(hog, 8)
    others = [prepared(daemon, name) for _ in range(20)]
    for other in others:
        fill(other, 1)
    wait_until(lambda: "the-hog" in daemon.log, "a line in the log")
    assert hog.ends() and len(hog.answers) < 8
    assert all("result" in other.answer() for other in others)


def unfinished_messages(daemon, name):
    for _ in range(120):
        with contextlib.suppress(*GONE):
            daemon.connect().send_bytes(b"[" + b" " * 1_000_000)


def ids_of_requests(daemon, name):
    """The actions of a session that lingers go on; the ids of their requests go with the connection."""
    for number in range(4):
        client = daemon.connect("hog", linger=600)
        with pytest.raises(GONE):
            for each in range(100):
                client.request("lab.sleepConcurrent", {"milliseconds": 600_000}, id=f"{number} {each}{LONG}")
            client.answer()


def refusals(c, calls):
    """How many of the calls succeed before one is refused for the bytes of the user."""
    for number, (method, params) in enumerate(calls):
        if error := c.ask(method, params).get("error"):
            assert error["code"] == -32006 and error["data"]["limit"] == "limits.bytesPerUser", error
            return number
    raise AssertionError("nothing was refused")


def last_values_of_inputs(daemon, name):
    """A value takes the place of its former one, and the end of an instance makes room."""
    c = daemon.connect(name)
    for number in range(40):
        c.call("viewModel.open", {"type": "lab", "id": f"i{number}"})
    calls = [(f"i{number}.echo", [f"{number}{LONG}"]) for number in range(40)]
    taken = refusals(c, calls)
    assert 11 <= taken <= 14 and c.value("i30", "echoed") is None
    for method, params in calls[:5] * 5:
        c.call(method, params)
    for number in range(5):
        c.call("viewModel.close", {"id": f"i{number}"})
    assert 4 <= refusals(c, calls[20:]) <= 6


def arguments_of_scenes(daemon, name):
    refusals(daemon.connect(name), [("coordinator.open", {"scene": "help", "arguments": {"a": "x" * 65_000}})] * 1000)


def kept_events(daemon, name):
    c = daemon.connect(name)
    picture = Picture(c, "lab", outputs=["bell"])
    c.call("viewModel.unbind", {"id": "lab"})
    for number in range(100):
        c.call("lab.ring", [f"{number}" + "r" * 500_000])
    since = {"epoch": picture.epoch, "seq": picture.seq}
    again = Picture(daemon.connect(name), "lab", picture.values, outputs=["bell"], since=since)
    assert again.answer["full"] is False and again.lost + len(again.events) == 100 and again.events[-1][1][:2] == "99"


def remembered_keys(daemon, name):
    c = daemon.connect(name)
    for number in range(80):
        for method, params in (("lab.fail", {"error": f"{number}{LONG}", "retryable": False}), ("lab.ring", {"value": f"{number}{LONG}"})):
            c.ask(method, {**params, "_meta": {"key": f"k{number}"}})
        c.transcript.clear()
        c.history.clear()


def executions_of_notifications(daemon, name):
    c = daemon.connect(name)
    for action in ("sleepConcurrent", "sleepQueued", "sleepShared", "sleepLatest"):
        note = b'{"jsonrpc":"2.0","method":"lab.%s","params":{"milliseconds":600000}}\n' % action.encode()
        c.send_bytes(note * 20_000)
    assert c.refused("lab.sleepQueued", {"milliseconds": 1}, -32006)["data"] == {"limit": "limits.executions", "value": 256}


@pytest.mark.parametrize("hold", [unread_replies, unfinished_messages, ids_of_requests, last_values_of_inputs, arguments_of_scenes,
                                  kept_events, remembered_keys, executions_of_notifications], ids=lambda hold: hold.__name__)
def test_what_a_user_holds_is_bounded(own, name, hold):
    daemon = own({"limits": {"bytesPerUser": LIMIT, "scenes": 2000}, "access": [{"user": "nobody", "scope": "act"}]}, shared=True)
    bystander = daemon.connect(uid=65534 if os.geteuid() == 0 else None)
    daemon.connect(name).call("lab.echo", [BIG])
    before = daemon.resident
    hold(daemon, name)
    bystander.round_trip()
    # A scene stands in the list, in its encoding and in what is saved.
    most = (8 if hold is arguments_of_scenes else 4) * LIMIT
    assert daemon.resident - before < most, f"{(daemon.resident - before) / MIB:.0f} MiB are held"
    daemon.survived()
