"""The bounds of CONFIGURATION.md, each set small and filled to the brim.

Some bounds are filled elsewhere: `messageBytes` and `connections` (section 1), `inFlight` (2), `sessionsPerUser` and
`connectionsPerUser` (4), `executions` (6), `events` (7), `scenes` (8), `savedBytesPerSession` also in `test_restoring.py`.
"""
import os
import socket
import time

import pytest
from accounts import sign_in_locally
from daemons import root_only
from picture import Picture
from wire import Client, HungUp, TooLate, one_of_three, request, wait_until


def no_sessions(client):
    wait_until(lambda: client.call("session.list") == {"sessions": []}, "the end of all named sessions")


# Connections, instances, batches

def test_connections_fill_and_come_back(own):
    daemon = own({"limits": {"connections": 20}})
    clients = [daemon.connect_when_free() for _ in range(20)]
    for _ in range(50):
        extra = Client(daemon.socket)
        assert extra.answer()["error"]["data"] == {"limit": "limits.connections", "value": 20}
        assert extra.ends()
        extra.close()
    clients.pop().close()
    daemon.connect_when_free()
    for client in clients:
        client.round_trip()


def test_instances_fill_and_come_back(own):
    c = own({"limits": {"instancesPerSession": 10}}).connect()
    error = None
    for n in range(20):
        reply = c.ask("viewModel.open", {"type": "lab", "id": f"i{n}"})
        if error := reply.get("error"):
            break
    assert error["code"] == -32006 and error["data"] == {"limit": "limits.instancesPerSession", "value": 10}
    count = len(c.call("viewModel.list")["instances"])
    assert 5 <= count <= 13
    for method, params in (("mine.select", ["help"]), ("viewModel.read", {"id": "mine"}), ("calculator.press", ["1"])):
        assert c.refused(method, params)["code"] == -32006, "a default instance counts, and so do children"
    assert len(c.call("viewModel.list")["instances"]) == count
    c.call("viewModel.close", {"id": "i0"})
    c.call("calculator.press", ["1"])


def test_a_batch_of_exactly_the_limit(own):
    c = own({"limits": {"batch": 3}}).connect()
    assert len(c.batch(*[request("viewModel.list", id=n) for n in range(3)])) == 3
    assert c.batch(*[request("viewModel.list", id=n) for n in range(4)])["error"]["data"] == {"limit": "limits.batch", "value": 3}


# Saved sessions

def test_the_saved_session_that_was_attached_to_longest_ago_is_erased(own):
    daemon = own({"limits": {"savedSessionsPerUser": 3}})
    watcher = daemon.connect()
    for name in ("a", "b", "c", "a", "d"):
        client = daemon.connect(name, linger=0)
        client.call("calculator.press", ["7"])
        client.close()
        no_sessions(watcher)
    restored = {}
    for name in ("a", "c", "d", "b"):
        client = daemon.connect()
        restored[name] = client.attach(name, linger=60)["restored"]
    assert restored == {"b": False, "a": True, "c": True, "d": True}


@root_only
def test_saved_sessions_of_another_user_do_not_count(own):
    daemon = own({"limits": {"savedSessionsPerUser": 2}, "access": [{"user": "nobody", "scope": "act"}]}, shared=True)
    watcher, other = daemon.connect(), daemon.connect(uid=65534)
    client = daemon.connect("mine", linger=0)
    client.call("calculator.press", ["7"])
    client.close()
    no_sessions(watcher)
    for name in "abcd":
        client = daemon.connect(name, linger=0, uid=65534)
        client.call("calculator.press", ["7"])
        client.close()
        no_sessions(other)
    assert watcher.attach("mine")["restored"] is True


def test_a_session_over_its_bound_is_not_saved_and_the_log_says_so_once(own, name):
    daemon = own({"limits": {"savedBytesPerSession": 10_000}, "session": {"saveIntervalMilliseconds": 10}})
    c = daemon.connect(name, linger=0)
    for n in range(5):
        c.call("sendList.draft", [f"{n}" + "x" * 30_000])
        time.sleep(0.05)
    c.close()
    watcher = daemon.connect()
    no_sessions(watcher)
    watcher.attach(name)
    assert watcher.value("sendList", "draft") == ""
    words = ("saved", "large", "limit", "savedbytespersession")
    lines = [line for line in daemon.log.splitlines() if name in line and any(word in line.lower() for word in words)]
    assert len(lines) == 1, lines


def test_a_session_below_its_bound_is_saved(own, name):
    daemon = own({"limits": {"savedBytesPerSession": 10_000}})
    c = daemon.connect(name, linger=0)
    c.call("sendList.draft", ["x" * 5000])
    c.close()
    watcher = daemon.connect()
    no_sessions(watcher)
    assert watcher.attach(name)["restored"] is True and watcher.value("sendList", "draft") == "x" * 5000


# The outbox

def add(c, text):
    c.call("sendList.draft", [text])
    return c.ask("sendList.add")


def test_the_outbox_is_full_by_items(own):
    daemon = own({"limits": {"outboxItemsPerUser": 3}})
    c = daemon.connect()
    ids = [add(c, f"text {n}")["result"]["id"] for n in range(3)]
    error = add(c, "one more")["error"]
    assert error["code"] == -32006 and error["data"] == {"limit": "limits.outboxItemsPerUser", "value": 3}
    assert c.value("sendList", "draft") == "one more" and [i["id"] for i in c.value("sendList", "items")] == ids
    c.call("sendList.remove", [ids[0]])
    wait_until(lambda: "result" in c.ask("sendList.add"), "a free place")
    daemon.restart(hard=True)
    c = daemon.connect()
    assert add(c, "again")["error"]["code"] == -32006


def test_the_outbox_is_full_by_bytes(own):
    daemon = own({"limits": {"outboxBytesPerUser": 100_000}})
    c = daemon.connect()
    for _ in range(2):
        assert "result" in add(c, "é" * 20_000)
    error = add(c, "é" * 20_000)["error"]
    assert error["code"] == -32006 and error["data"] == {"limit": "limits.outboxBytesPerUser", "value": 100_000}
    assert "result" in add(c, "small")


@pytest.mark.parametrize("text, fits", [("x" * 65_536, True), ("x" * 65_537, False), ("é" * 32_768, True), ("é" * 32_769, False)],
                         ids=["64 KiB", "a byte more", "64 KiB of é", "two bytes more"])
def test_one_text_has_at_most_64_kib(own, text, fits):
    c = own().connect()
    typed = c.ask("sendList.draft", [text])
    answer = typed if "error" in typed else c.ask("sendList.add")
    assert ("result" in answer) == fits
    assert fits or answer["error"]["code"] == -32602
    assert len(c.value("sendList", "items")) == int(fits)


def test_sent_items_beyond_200_fall_away(own):
    daemon = own()
    c = daemon.connect()
    sign_in_locally(c)
    ids = [add(c, f"{n}")["result"]["id"] for n in range(210)]
    assert c.call("sendList.send", patience=60) == {"sent": 210, "failed": 0}
    kept = wait_until(lambda: (i := c.value("sendList", "items")) and len(i) == 200 and i, "200 items")
    assert [item["id"] for item in kept] == ids[10:]


# Buffers

BIG = 900_000


def fill(client, times):
    """Makes the daemon owe `times` replies of 900 kB, and reads none."""
    for _ in range(times):
        client.request("viewModel.read", {"id": "lab", "outputs": ["echoed"]})


def prepared(daemon, session, **attach):
    client = daemon.connect(receive_buffer=4096)
    client.attach(session, **attach)
    return client


def test_a_client_that_takes_no_replies_is_not_read_from(own, name):
    daemon = own({"limits": {"bufferBytes": 65_536}})
    writer = daemon.connect(name)
    writer.call("lab.echo", ["x" * BIG])
    reader = prepared(daemon, name)
    fill(reader, 1)
    time.sleep(0.1)
    reader.notify("lab.set", [5])
    time.sleep(0.2)
    assert writer.value("lab", "value") == 0
    reader.answer()
    wait_until(lambda: writer.value("lab", "value") == 5, "the message that waited")


def test_a_client_that_stalls_is_closed_and_named(own, name):
    daemon = own({"limits": {"bufferBytes": 65_536, "stallSeconds": 1}})
    writer = daemon.connect(name)
    writer.call("lab.echo", ["x" * BIG])
    stalled = prepared(daemon, name, client={"name": "stalled-one", "version": "1"})
    fill(stalled, 3)
    start = time.monotonic()
    wait_until(lambda: "stalled-one" in daemon.log, "a line in the log", patience=8)
    assert time.monotonic() - start > 0.7
    line = next(line for line in daemon.log.splitlines() if "stalled-one" in line)
    assert str(os.getpid()) in line and "uid" in line
    assert stalled.ends() and len(stalled.answers) < 3
    writer.round_trip()


def test_a_client_that_reads_slowly_is_not_closed(own, name):
    daemon = own({"limits": {"bufferBytes": 65_536, "stallSeconds": 1}})
    writer = daemon.connect(name)
    writer.call("lab.echo", ["x" * BIG])

    def attempt():
        slow = prepared(daemon, name)
        fill(slow, 1)
        slow.socket.setblocking(True)
        received, end = b"", time.monotonic() + 2.2
        try:
            while time.monotonic() < end:
                received += slow.socket.recv(30_000)
                time.sleep(0.08)
            slow.socket.setblocking(False)
            slow.arrived.extend(slow.framing.feed(received))
            assert "result" in slow.answer()
            slow.round_trip()
        except (HungUp, OSError):
            return "the daemon closed the connection"
    one_of_three(attempt)


def test_bytes_of_a_user_close_the_connection_that_holds_most(own, name):
    limit = 16 << 20
    daemon = own({"limits": {"bytesPerUser": limit}})
    writer = daemon.connect(name)
    writer.call("lab.echo", ["x" * BIG])
    before = daemon.resident
    hog = prepared(daemon, name, client={"name": "the-hog", "version": "1"})
    fill(hog, 8)
    others = [prepared(daemon, name) for _ in range(20)]
    for other in others:
        fill(other, 1)
        time.sleep(0.01)
    wait_until(lambda: "the-hog" in daemon.log, "a line in the log")
    assert hog.ends() and len(hog.answers) < 8
    for other in others:
        assert "result" in other.answer(), "the others keep their connections"
    writer.round_trip()
    assert daemon.resident - before < 3 * limit


def test_one_users_connections_together_are_bounded(own, name):
    """Many connections, each below its own bound, hold no more than the user may."""
    limit = 16 << 20
    daemon = own({"limits": {"bytesPerUser": limit}})
    writer = daemon.connect(name)
    writer.call("lab.echo", ["x" * BIG])
    before = daemon.resident
    many = [prepared(daemon, name) for _ in range(40)]
    for client in many:
        try:
            fill(client, 5)
        except (BrokenPipeError, ConnectionResetError):
            pass
    time.sleep(0.5)
    grown = daemon.resident - before
    assert grown < 80 << 20, f"{grown >> 20} MiB are held of 172"
    closed = 0
    for client in many:
        try:
            for _ in range(5):
                client.answer()
        except HungUp:
            closed += 1
        except TooLate:
            pytest.fail("a connection is neither served nor closed")
    assert 0 < closed < 40
    writer.round_trip()


@root_only
def test_bytes_of_one_user_do_not_concern_another(own, name):
    daemon = own({"limits": {"bytesPerUser": 16 << 20}, "access": [{"user": "nobody", "scope": "act"}]}, shared=True)
    bystander = daemon.connect("desk", uid=65534, receive_buffer=4096)
    bystander.call("lab.echo", ["y" * BIG])
    fill(bystander, 5)
    writer = daemon.connect(name)
    writer.call("lab.echo", ["x" * BIG])
    many = [prepared(daemon, name) for _ in range(20)]
    for client in many:
        try:
            fill(client, 5)
        except (BrokenPipeError, ConnectionResetError):
            pass
    time.sleep(0.3)
    for _ in range(5):
        assert "result" in bystander.answer()


def test_waiting_input_counts(own):
    """Unfinished messages of many connections are bounded, too."""
    limit = 16 << 20
    daemon = own({"limits": {"bytesPerUser": limit}})
    bystander = daemon.connect()
    bystander.round_trip()
    before = daemon.resident
    for _ in range(60):
        client = daemon.connect()
        try:
            client.send_bytes(b"[" + b" " * 1_000_000)
        except (BrokenPipeError, ConnectionResetError):
            pass
    time.sleep(0.2)
    assert daemon.resident - before < 3 * limit, f"{(daemon.resident - before) >> 20} MiB are held"
    daemon.survived()


LONG = "i" * 900_000


def test_ids_of_unanswered_requests_count(own):
    """A connection is closed for the ids of its requests under way, and the daemon forgets them."""
    limit = 16 << 20
    daemon = own({"limits": {"bytesPerUser": limit}})
    bystander = daemon.connect()
    bystander.round_trip()
    hog = daemon.connect()
    hog.attach("hog", linger=600, client={"name": "the-hog", "version": "1"})
    before = daemon.resident
    with pytest.raises((BrokenPipeError, ConnectionResetError, HungUp)):
        for n in range(100):
            hog.request("lab.sleepConcurrent", {"milliseconds": 600_000}, id=f"{n}{LONG}")
        hog.answer()
    wait_until(lambda: "the-hog" in daemon.log, "a line in the log")
    bystander.round_trip()
    # The session lingers, and its actions go on. Their ids have gone with the connection.
    for n in range(8):
        again = daemon.connect("hog")
        with pytest.raises((BrokenPipeError, ConnectionResetError, HungUp)):
            for m in range(100):
                again.request("lab.sleepConcurrent", {"milliseconds": 600_000}, id=f"{n} {m}{LONG}")
            again.answer()
    assert daemon.resident - before < 4 * limit, f"{(daemon.resident - before) >> 20} MiB are held"


def test_ids_of_answered_requests_do_not_count(own):
    c = own({"limits": {"bytesPerUser": 4 << 20}}).connect()
    for n in range(30):
        assert "result" in c.reply(c.request("lab.sleep", {"milliseconds": 1}, id=f"{n}{LONG}"))
        reply = c.batch(request("lab.sleep", {"milliseconds": 1}, id=f"{n}{LONG}"), request("viewModel.list", id="x"))
        assert len(reply) == 2
    c.round_trip()


def refusals(c, calls):
    """How many of the calls succeed before one is refused for the bytes of the user."""
    for number, (method, params) in enumerate(calls):
        if error := c.ask(method, params).get("error"):
            assert error["code"] == -32006 and error["data"]["limit"] == "limits.bytesPerUser", error
            return number
    pytest.fail("nothing was refused")


def test_last_values_of_inputs_count(own, name):
    """Instances with a long value each are bounded. Closing them makes room, and so does a shorter value."""
    limit = 16 << 20
    daemon = own({"limits": {"bytesPerUser": limit}})
    bystander = daemon.connect()
    c = daemon.connect(name)
    for n in range(40):
        c.call("viewModel.open", {"type": "lab", "id": f"i{n}"})
    calls = [(f"i{n}.echo", [f"{n}{LONG}"]) for n in range(40)]
    # A message counts while it arrives. That is why there is room for 12 values or for 13.
    taken = refusals(c, calls)
    assert taken in (12, 13)
    assert c.value("i30", "echoed") is None, "a refused value is not set"
    # Each of these takes the place of one that counts.
    for method, params in calls[:5] * 5:
        c.call(method, params)
    for n in range(5):
        c.call(f"i{n}.echo", ["short"])
    taken += refusals(c, calls[20:]) - 5
    assert taken in (12, 13)
    for n in range(5, 10):
        c.call("viewModel.close", {"id": f"i{n}"})
    taken += refusals(c, calls[30:]) - 5
    assert taken in (12, 13)
    bystander.round_trip()
    c.call("session.close")
    other = daemon.connect()
    other.call("viewModel.open", {"type": "lab", "id": "x"})
    other.call("x.echo", [LONG])


def test_drafts_of_many_sessions_count(own):
    limit = 8 << 20
    daemon = own({"limits": {"bytesPerUser": limit}})
    draft, taken = "d" * 65_000, 0
    for session in range(4):
        c = daemon.connect(f"s{session}", linger=600)
        for n in range(50):
            c.call("viewModel.open", {"type": "sendList", "id": f"i{n}"})
            error = c.ask(f"i{n}.draft", [f"{n}{draft}"[:65_000]]).get("error")
            assert error is None or error["data"]["limit"] == "limits.bytesPerUser", error
            taken += error is None
    assert limit * 3 // 4 - 200_000 < taken * 65_000 <= limit * 3 // 4


def test_kept_events_are_bounded_in_bytes(own, name):
    daemon = own()
    c = daemon.connect(name)
    picture = Picture(c, "lab")
    c.call("viewModel.unbind", {"id": "lab"})
    before = daemon.resident
    for n in range(100):
        c.call("lab.ring", [f"{n}" + "r" * 500_000])
    grown = daemon.resident - before
    again = Picture(daemon.connect(name), "lab", picture.values, since={"epoch": picture.answer["epoch"], "seq": picture.answer["seq"]})
    assert again.answer["full"] is False
    assert again.lost == 98 and [value[:2] for _, value in again.events] == ["98", "99"]
    assert grown < 24 << 20, f"{grown >> 20} MiB are held"


def test_arguments_of_scenes_count(own):
    limit = 4 << 20
    daemon = own({"limits": {"bytesPerUser": limit}})
    scene = ("coordinator.open", {"scene": "help", "arguments": {"a": "x" * 65_000}})
    first, second = daemon.connect("first"), daemon.connect("second")
    for _ in range(45):
        first.call(*scene)
    assert refusals(second, [scene] * 10) in (2, 3)
    for _ in range(2):
        first.call("coordinator.back")
    assert refusals(second, [scene] * 10) == 2
    first.call("session.close")
    for _ in range(40):
        second.call(*scene)


# The log

@pytest.mark.parametrize("text", [b'{"jsonrpc":"2.0","result":1}\n', b"{\n", b"Content-Length: x\r\n\r\n", b"", b'{"jsonrpc":"2.0","id":1,"method":"session.attach","params":{"linger":0}}\n'],
                         ids=["answer", "parse error", "bad header", "nothing", "attach"])
def test_reconnecting_clients_do_not_fill_the_log(own, text):
    daemon = own()
    for _ in range(1500):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(str(daemon.socket))
            s.sendall(text)
    daemon.survived()
    assert len(daemon.log.splitlines()) < 200
