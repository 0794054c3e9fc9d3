"""One client floods. The others measure their round trips, the service manager hears signs of life, memory is bounded."""
from __future__ import annotations

import functools
import json
import os
import resource
import select
import socket
import time

import pytest
from conversations import CONVERSATIONS, SLOW, batch, lines
from endurance import (FULL, OTHER_LOOP, REFUSED, SAME_LOOP, Bystanders, Client, Daemon, Flooder, Gone,
                       Manager, Pingers, calm, connect, connect_many, eventually, figure, message, needs_root, open_to_others)

SECONDS = 4.0 if FULL else 1.5
MANY = 4000


def configuration(**limits):
    made = open_to_others() if os.geteuid() == 0 else {}
    made["session"] = {"lingerSeconds": 1}
    if limits:
        made["limits"] = limits
    return made


@functools.cache
def idle_memory():
    """Anonymous memory of a daemon that has served a few clients and has come to rest, in MiB."""
    daemon = Daemon(config=configuration()).start()
    try:
        bystanders = Bystanders(daemon)
        bystanders.check()
        time.sleep(2.5)
        bystanders.check()
        bystanders.close()
        return daemon.memory()
    finally:
        daemon.discard()


def flood(daemon, what, payload=b"", seconds=SECONDS, most=250.0, **how):
    """Measures the bystanders while the flood runs. Returns the flood's counts and how much memory grew, in MiB."""
    before = idle_memory()
    with Flooder(daemon.path, payload, **how) as flooder:
        with Pingers(daemon) as pingers:
            time.sleep(seconds)
        sent, received = flooder.sent, flooder.received
    daemon.check(f"during the flood: {what}")
    assert sent > 0, f"{what}: nothing was sent"
    grown = daemon.memory() - before
    unit = "calls" if "act" in how else "bytes"
    pingers.judge(f"{what} ({sent} {unit} sent, {received} received, memory {grown:+.0f} MiB)", most)
    return sent, received, grown


def uids():
    return [0, OTHER_LOOP] if os.geteuid() == 0 else [None]


def repeated(text, size=1 << 16):
    return text * max(1, size // len(text))


# The rows of `lab` grow with each message, by its contract. The conversation about windows adds 1,000 each time: one
# message about a million rows takes long, and fairness counts messages. The flood of everything leaves out all rows.
FLOODS = [name for name in CONVERSATIONS if not any(part in name for part in ("large", "long", "slow", "windows"))]
MIXED = [name for name in FLOODS if name not in SLOW
         and not any(method == "lab.append" for method, _ in CONVERSATIONS[name])]


def flood_of(name, notifications):
    messages = CONVERSATIONS[name]
    return b"".join(b"".join(lines(messages, "flood", 1 + number * len(messages), notifications))
                    for number in range(600 // len(messages)))


# Growth that one flood may cause: what its own connection may hold (limits.bufferBytes, twice) and what the
# allocator keeps.
GROWTH = 48


@pytest.mark.limit(120)
@pytest.mark.parametrize("kind", ["requests", "notifications"])
@pytest.mark.parametrize("name", FLOODS if FULL else [])
def test_a_flood_of_one_method(launch, name, kind):
    daemon = launch(config=configuration())
    growth = flood(daemon, f"{name} as {kind}", flood_of(name, kind == "notifications"), 1.5)[2]
    assert growth < (600 if name in GROWS else GROWTH)


# A scrypt hash needs 32 MiB while it is computed, and the items of an outbox are the user's own.
GROWS = {"login.register", "login.submit", "sendList.add", "sendList.send"}


@pytest.mark.limit(120)
@pytest.mark.parametrize("uid", uids(), ids=lambda uid: f"uid{uid}")
@pytest.mark.parametrize("kind", ["requests", "notifications", "batches"])
def test_a_flood_of_all_methods(launch, kind, uid):
    daemon = launch(config=configuration())
    if kind == "batches":
        payload = b"".join(batch(CONVERSATIONS[name] * 10, "flood") for name in MIXED)
    else:
        payload = b"".join(b"".join(lines(CONVERSATIONS[name], "flood", 1 + 3 * index, kind == "notifications"))
                           for index, name in enumerate(MIXED * 10))
    flood(daemon, f"all methods as {kind}, from uid {uid}", payload, SECONDS, uid=uid)
    assert eventually(lambda: daemon.memory() < 400, 5), f"{daemon.memory():.0f} MiB"


@pytest.mark.limit(120)
@pytest.mark.parametrize("uid", uids(), ids=lambda uid: f"uid{uid}")
def test_a_flood_of_descriptions(launch, uid):
    daemon = launch(config=configuration())
    payload = repeated(message("rpc.discover", None, 1))
    growth = flood(daemon, f"rpc.discover, from uid {uid}", payload, uid=uid)[2]
    assert growth < GROWTH


def many_sessions(daemon, count, uid=None):
    """Makes named sessions of 64 characters that stay."""
    with Client(daemon.path, uid) as client:
        waiting = []
        for number in range(count):
            waiting.append(client.request("session.attach", {"session": f"{number:04}" + "n" * 60, "linger": 86400}))
            if len(waiting) == 50:
                for identifier in waiting:
                    assert "result" in client.reply(identifier)
                waiting.clear()
        for identifier in waiting:
            assert "result" in client.reply(identifier)


@pytest.mark.limit(180)
@pytest.mark.parametrize("kind", ["requests", "notifications"])
def test_a_flood_of_session_lists(launch, kind):
    """The user has 4,000 named sessions. The flood comes in bursts of 64 KiB. The watchdog hears signs of life."""
    manager = Manager(4)
    try:
        daemon = launch(config=configuration(), env=manager.env)
        many_sessions(daemon, MANY)
        payload = repeated(message("session.list", None, 1 if kind == "requests" else None))
        began = time.monotonic()
        flood(daemon, f"session.list of {MANY} as {kind}", payload, max(SECONDS, 3))
        silence = manager.longest_silence(began)
        figure(f"session.list of {MANY} as {kind}: the longest time without WATCHDOG=1: {silence:.1f} s")
        calm(silence < 4, f"no sign of life for {silence:.1f} s")
    finally:
        manager.close()


@pytest.mark.limit(180)
def test_a_burst_of_session_lists_as_fast_as_possible(launch):
    """64 KiB of notifications, then no more. They delay no other client."""
    daemon = launch(config=configuration())
    many_sessions(daemon, MANY)
    with Pingers(daemon) as pingers:
        time.sleep(0.2)
        with Client(daemon.path) as client:
            client.send((message("session.list") * 1600)[:1 << 16])
            time.sleep(SECONDS)
    pingers.judge(f"one burst of 64 KiB session.list of {MANY}")
    daemon.check()


@pytest.mark.limit(120)
@pytest.mark.parametrize("kind", ["requests", "notifications"])
def test_a_flood_of_unknown_methods(launch, kind):
    """The session has 1,000 instances whose names resemble the unknown one."""
    daemon = launch(config=configuration())
    prologue = [("viewModel.open", {"type": "keypad", "id": "q" * 58 + f"x{number:04}"}) for number in range(1000)]
    identifier = 1 if kind == "requests" else None
    for length in (64, 85, 1000):
        payload = repeated(message("q" * length + ".m", None, identifier))
        flood(daemon, f"unknown methods of {length} bytes as {kind}", payload, SECONDS / 2, prologue=prologue)
    payload = repeated(message("viewModel.open", {"type": "q" * 60}, identifier))
    flood(daemon, f"unknown types as {kind}", payload, SECONDS / 2, prologue=prologue)
    payload = repeated(message("coordinator.open", {"scene": "q" * 60}, identifier))
    flood(daemon, f"unknown scenes as {kind}", payload, SECONDS / 2, prologue=prologue)


@pytest.mark.limit(180)
def test_scenes_are_bounded_and_going_back_is_cheap(launch):
    """One more scene than `limits.scenes` is refused. Bystanders do not notice a flood of `coordinator.back`."""
    manager = Manager(4)
    try:
        daemon = launch(config=configuration(), env=manager.env)
        before = idle_memory()
        with daemon.client("scenes") as client:
            client.send(message("coordinator.open", {"scene": "help"}) * (100_000 if FULL else 30_000))
            refused = client.refusal("coordinator.open", {"scene": "help"}, 60)
            began = time.monotonic()
            with Pingers(daemon) as pingers:
                for _ in range(40):
                    client.request("coordinator.back")
                with Flooder(daemon.path, repeated(message("coordinator.open", {"scene": "help"})
                                                   + message("coordinator.back", None, 1)),
                             prologue=[("session.attach", {"session": "scenes"})]):
                    time.sleep(SECONDS)
            grown = daemon.memory() - before
            silence = manager.longest_silence(began)
        pingers.judge(f"coordinator.back behind many scenes (memory {grown:+.0f} MiB, silence {silence:.1f} s)")
        assert refused and refused["code"] == -32006, refused
        assert refused["data"]["limit"] == "limits.scenes" and refused["data"]["value"] == 64, refused
        assert grown < GROWTH
        calm(silence < 4, f"no sign of life for {silence:.1f} s")
    finally:
        manager.close()


@pytest.mark.limit(120)
def test_scenes_with_large_arguments_are_bounded(launch):
    daemon = launch(config=configuration())
    before = idle_memory()
    with daemon.client("large") as client:
        refused = 0
        for number in range(100):
            error = client.refusal("coordinator.open", {"scene": "help", "arguments": {"text": "x" * 900_000}})
            refused += bool(error)
        grown = daemon.memory() - before
        figure(f"100 scenes with arguments of 900 kB: {refused} refused, memory {grown:+.0f} MiB")
    assert refused >= 36, refused
    assert grown < 64 + GROWTH


@pytest.mark.limit(120)
def test_a_long_calculation_is_bounded(launch):
    """The newest 1,000 operations are kept. A flood of `undo` behind a long calculation delays nobody."""
    daemon = launch(config=configuration())
    before = idle_memory()
    with daemon.client("long") as client:
        client.send((message("calculator.press", ["1"]) + message("calculator.press", ["+"])) * (60_000 if FULL else 20_000))
        kept = client.result("viewModel.read", {"id": "calculator"}, 60)["values"]["operations"]
        assert len(kept) <= 1000, len(kept)
    payload = repeated(message("calculator.press", ["1"]) + message("calculator.press", ["+"])
                       + message("calculator.undo", None, 1))
    flood(daemon, "calculator.undo behind 1,000 operations", payload, prologue=[("session.attach", {"session": "long"})])
    assert daemon.memory() - before < GROWTH


@pytest.mark.limit(300)
def test_many_views_of_a_long_outbox_cost_one_comparison(launch):
    """1,000 instances of `sendList` show one row each of a long outbox. Messages come and go.

    With 9,900 messages a change took 1.1 to 1.6 s while each instance compared the whole list. With one list for the
    session it takes about 10 ms, most of it for 1,000 frames.
    """
    items = 9_900 if FULL else 5_000
    daemon = launch(config=configuration())
    with daemon.client("outbox") as client:
        waiting = []
        for number in range(items):
            client.notify("sendList.draft", [f"{number} " + "x" * 100])
            client.result("sendList.add", None, 60)
        for number in range(1000):
            client.notify("viewModel.open", {"type": "sendList", "id": f"q{number}"})
            waiting.append(client.request("viewModel.bind", {"id": f"q{number}", "outputs": ["items"],
                                                             "windows": {"items": {"offset": 0, "limit": 1}}}))
        for identifier in waiting:
            assert "result" in client.reply(identifier, 60)
        times = []
        with Pingers(daemon) as pingers:
            for number in range(30):
                began = time.monotonic()
                client.result("sendList.draft", [f"another {number}"])
                added = client.result("sendList.add", None, 60)["id"]
                times.append(time.monotonic() - began)
                client.result("sendList.remove", [added], 60)
        shown = client.result("viewModel.read", {"id": "q999", "windows": {"items": {"offset": items - 1, "limit": 9}}})
        assert shown["values"]["items"]["count"] == items, shown
    times.sort()
    pingers.judge(f"sendList.add with {items} messages and 1,000 instances, {times[len(times) // 2] * 1000:.1f} ms each")


def attach_and_close(path):
    with Client(path) as client:
        for number in range(50):
            client.send(message("session.attach", {"session": f"storm-{number}", "linger": 0}, "a")
                        + message("calculator.press", ["7"]) + message("calculator.clear", None, "b")
                        + message("session.close", None, "c"))
            answered = 0
            while answered < 3:
                answered += "id" in client.receive()


def attach_and_vanish(path):
    with Client(path) as client:
        client.send(message("session.attach", {"session": f"storm-{time.monotonic_ns() % 50}", "linger": 0}, 1)
                    + message("calculator.press", ["7"]) + message("calculator.clear", None, 2))


@pytest.mark.limit(120)
@pytest.mark.parametrize("storm", [attach_and_close, attach_and_vanish])
def test_a_storm_of_sessions(launch, storm):
    daemon = launch(config=configuration())
    before = daemon.level()
    growth = flood(daemon, storm.__name__, act=storm)[2]
    assert growth < GROWTH
    daemon.comes_back_to(before, 20)


# Connections.

def knock(path):
    try:
        connect(path).close()
    except (BlockingIOError, ConnectionResetError):
        pass


def knock_and_talk(path):
    """A refused client that sends as fast as the daemon reads."""
    try:
        end = connect(path)
        end.setblocking(False)
        for _ in range(200):
            try:
                end.send(b"x" * 65536)
            except BlockingIOError:
                select.select([], [end], [], 0.01)
        end.close()
    except OSError:
        pass


@pytest.mark.limit(120)
@pytest.mark.parametrize("who", ["a user", "a refused user", "a refused user who talks", "a user over the limit"])
def test_a_flood_of_connections(launch, who):
    """Bystanders measure their round trips and, beside that, how long a new connection waits for its first reply."""
    needs_root()
    daemon = launch(config=configuration(**({"connectionsPerUser": 64} if who == "a user over the limit" else {})))
    before = daemon.level()
    uid = {"a user": OTHER_LOOP, "a user over the limit": OTHER_LOOP}.get(who, REFUSED)
    act = knock_and_talk if "talks" in who else knock
    held = connect_many(daemon.path, 60, OTHER_LOOP) if who == "a user over the limit" else []
    if held:
        act = knock_and_talk
    first_replies = []
    with Pingers(daemon) as pingers:
        with Flooder(daemon.path, act=act, uid=uid) as one, Flooder(daemon.path, act=act, uid=uid) as other:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                began = time.monotonic()
                with Client(daemon.path, SAME_LOOP if len(first_replies) % 2 else None) as client:
                    client.result("viewModel.list")
                first_replies.append((time.monotonic() - began) * 1000)
                time.sleep(0.01)
            calls = one.sent + other.sent
    for each in held:
        each.close()
    daemon.check()
    first_replies.sort()
    figure(f"connections of {who} ({calls}): a new client's first reply p50 {first_replies[len(first_replies) // 2]:.0f} "
           f"max {first_replies[-1]:.0f} ms")
    pingers.judge(f"connections of {who} ({calls})")
    assert calls > 50
    calm(first_replies[int(len(first_replies) * 0.9)] < 500, f"new clients waited {first_replies} ms")
    daemon.comes_back_to(before)


@pytest.mark.limit(300)
def test_thousands_of_connections(launch):
    """16,384 in full mode, where the machine gives as many descriptors; else 3,000."""
    wanted = 16384 if FULL else 3000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted + 500:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted + 500, wanted + 500))
        except (ValueError, OSError):
            pytest.skip(f"needs {wanted + 500} descriptors, the machine gives {hard}")
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    daemon = launch(config=configuration(connections=wanted + 8, connectionsPerUser=wanted + 8))
    bystanders = Bystanders(daemon)
    before, memory = daemon.level(), idle_memory()
    began = time.monotonic()
    ends = []
    try:
        left = wanted - before["connections"]
        for number in range(left):
            ends.append(connect(daemon.path))
        for end in ends:
            end.sendall(message("viewModel.list", None, 1))
        for end in ends:
            assert b'"result"' in end.recv(4096)
        took = time.monotonic() - began
        time.sleep(2)
        grown = daemon.memory() - memory
        bystanders.check()
        refused = 0
        extra = []
        for _ in range(20):
            end = connect(daemon.path)
            end.settimeout(30)
            try:
                end.sendall(message("viewModel.list", None, 1))
            except BrokenPipeError:                                   # The daemon was faster.
                pass
            said = end.recv(4096)
            refused += b"-32006" in said
            extra.append(end)
        assert 0 < refused < 20, refused
        bystanders.check()
        figure(f"{len(ends)} connections answered within {took:.1f} s, {grown * 1024 / len(ends):.1f} KiB each")
    finally:
        for end in [*ends, *locals().get("extra", [])]:
            end.close()
    bystanders.check()
    daemon.comes_back_to(before, 30)
    bystanders.close()
    assert grown * 1024 / wanted < 64, f"{grown:.0f} MiB"


@pytest.mark.limit(120)
@pytest.mark.parametrize("kind", ["half a line", "half a header", "half a body", "one byte at a time"])
def test_slow_senders(launch, kind):
    """Thousands of connections of one user each hold the beginning of a message."""
    count = 4000 if FULL else 1500
    daemon = launch(config=configuration())
    before, memory = daemon.level(), idle_memory()
    ends = connect_many(daemon.path, count, OTHER_LOOP if os.geteuid() == 0 else None)
    start = {"half a line": b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":["' + b"x" * 4000,
             "half a header": b"Content-Length: 1" + b"0" * 10 + b"\r\nX: " + b"y" * 4000,
             "half a body": b"Content-Length: 900000\r\n\r\n" + b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 4000,
             "one byte at a time": b"{"}[kind]
    with Pingers(daemon) as pingers:
        for end in ends:
            try:
                end.sendall(start)
            except (BrokenPipeError, ConnectionResetError):
                pass                                                  # A header that is answered with an error.
        end_of_test = time.monotonic() + SECONDS
        while kind == "one byte at a time" and time.monotonic() < end_of_test:
            for end in ends[:500]:
                end.sendall(b" ")
            time.sleep(0.01)
        time.sleep(0 if kind == "one byte at a time" else SECONDS / 2)
        grown = daemon.memory() - memory
    pingers.judge(f"{count} connections with {kind} (memory {grown:+.0f} MiB)")
    for end in ends:
        end.close()
    assert grown < count * 24 / 1024 + GROWTH
    daemon.comes_back_to(before, 20)


# Memory. The figures are MiB.

USER = 32


@pytest.mark.limit(120)
def test_unfinished_messages_of_many_connections_are_bounded(launch):
    """Each connection of one user holds 900 kB of an unfinished line, beyond `limits.bytesPerUser` together."""
    daemon = launch(config=configuration(bytesPerUser=USER << 20))
    bystanders = Bystanders(daemon, users=False)
    memory = idle_memory()
    ends = connect_many(daemon.path, 120, OTHER_LOOP if os.geteuid() == 0 else None)
    closed = 0
    for end in ends:
        end.settimeout(10)
        try:
            end.sendall(b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":["' + b"x" * 900_000)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            closed += 1
    time.sleep(1)
    grown = daemon.memory() - memory
    figure(f"108 MB of unfinished lines with limits.bytesPerUser {USER} MiB: memory {grown:+.0f} MiB, "
           f"{closed} connections closed while sending")
    bystanders_of_root_check(bystanders)
    for end in ends:
        end.close()
    assert grown < 2 * USER + GROWTH


def bystanders_of_root_check(bystanders):
    if os.geteuid() == 0:
        bystanders.check()


@pytest.mark.limit(120)
def test_unread_replies_of_many_connections_are_bounded(launch):
    """40 connections of one user each leave 7 MB of replies unread."""
    daemon = launch(config=configuration(bytesPerUser=USER << 20))
    bystanders = Bystanders(daemon, users=False)
    with daemon.client() as client:
        length = len(json.dumps(client.result("rpc.discover")))
    memory = idle_memory()
    ends = connect_many(daemon.path, 40, OTHER_LOOP if os.geteuid() == 0 else None)
    for number, end in enumerate(ends):
        try:
            end.settimeout(5)
            end.sendall(message("session.attach", {"session": f"u-{number}", "client": {"name": "hoarder", "version": "1"}}, 0)
                        + b"".join(message("rpc.discover", None, 1 + each) for each in range(7_000_000 // length)))
        except OSError:
            pass
    time.sleep(1.5)
    grown = daemon.memory() - memory
    gone = sum(is_closed(end) for end in ends)
    figure(f"280 MB of unread replies with limits.bytesPerUser {USER} MiB: memory {grown:+.0f} MiB, {gone} connections closed")
    bystanders_of_root_check(bystanders)
    named = "bytesPerUser" in daemon.whole_log()
    for end in ends:
        end.close()
    assert grown < 2 * USER + GROWTH
    assert gone > 0
    assert named, f"the log does not name the limit: {daemon.log()}"


def is_closed(end):
    """Whether the daemon has closed the connection. Reads nothing."""
    poll = select.poll()
    poll.register(end, select.POLLRDHUP | select.POLLHUP)
    return bool(poll.poll(0))


@pytest.mark.limit(120)
@pytest.mark.parametrize("member", ["lab.fail", "lab.echo", "sendList.draft"])
def test_retry_keys_are_bounded(launch, member):
    """1,000 calls with a key of their own and 200 kB of params each."""
    daemon = launch(config=configuration(bytesPerUser=USER << 20))
    bystanders = Bystanders(daemon, users=False)
    memory = idle_memory()
    with daemon.client(uid=OTHER_LOOP if os.geteuid() == 0 else None) as client:
        for number in range(1000):
            text = f"{number}" + "x" * (200_000 if member != "sendList.draft" else 60_000)
            params = {"error": text} if member == "lab.fail" else {"value": text}
            try:
                client.call(member, {**params, "_meta": {"key": f"key-{number}"}})
            except (Gone, BrokenPipeError, ConnectionResetError):
                break
        grown = daemon.memory() - memory
    figure(f"1,000 retry keys of {member}: memory {grown:+.0f} MiB")
    bystanders_of_root_check(bystanders)
    assert grown < USER + GROWTH


@pytest.mark.limit(60)
def test_a_retry_key_is_at_most_128_bytes(launch):
    daemon = launch()
    with daemon.client() as client:
        for method, params in (("lab.fail", {"error": "e"}), ("lab.set", {"value": 1})):
            error = client.refusal(method, {**params, "_meta": {"key": "k" * 129}})
            assert error and error["code"] == -32602 and error["data"]["path"] == "/_meta/key", (method, error)
            error = client.refusal(method, {**params, "_meta": {"key": "k" * 128}})
            assert error is None or error["code"] == -32000, (method, error)


@pytest.mark.limit(120)
@pytest.mark.parametrize("member", ["sleepQueued", "sleepConcurrent", "sleepShared", "sleepLatest", "ask"])
def test_executions_that_notifications_start_are_bounded(launch, member):
    """An action has at most `limits.executions` at a time. The end of the session ends them all at once."""
    daemon = launch(config=configuration())
    params = {"title": "?"} if member == "ask" else {"milliseconds": 86_400_000}
    before, memory = daemon.level(), idle_memory()
    count = 200_000 if FULL else 60_000
    with daemon.client() as client:
        client.socket.settimeout(60)
        client.send(message(f"lab.{member}", params) * count)
        client.result("viewModel.list", None, 60)
        grown = daemon.memory() - memory
        refused = None
        if member in ("sleepQueued", "sleepConcurrent", "ask"):
            refused = client.refusal(f"lab.{member}", params)
    with Pingers(daemon) as pingers:
        time.sleep(SECONDS / 2)
    pingers.judge(f"the end of a session after {count} notifications of lab.{member} (memory {grown:+.0f} MiB)")
    if member in ("sleepQueued", "sleepConcurrent", "ask"):
        assert refused["code"] == -32006 and refused["data"]["limit"] == "limits.executions", refused
    assert grown < GROWTH
    daemon.comes_back_to(before)


@pytest.mark.limit(120)
@pytest.mark.parametrize("uid", [OTHER_LOOP, SAME_LOOP], ids=["another loop", "the same loop"])
def test_frames_for_a_client_that_does_not_read_are_bounded(launch, uid):
    """An admin is bound to another user's session and stops reading. The owner echoes 300 times 200 kB."""
    needs_root()
    daemon = launch(config=configuration())
    with daemon.client("watched", uid) as owner, Client(daemon.path) as admin:
        admin.result("session.attach", {"session": "watched", "uid": uid})
        admin.result("viewModel.bind", {"id": "lab", "outputs": ["echoed"]})
        owner.result("lab.echo", ["x" * 200_000])
        memory = idle_memory()
        with Pingers(daemon) as pingers:
            for number in range(300):
                owner.result("lab.echo", [f"{number}" + "x" * 200_000])
        grown = daemon.memory() - memory
        figure(f"300 frames of 200 kB for an admin of uid 0 who does not read, owner uid {uid}: memory {grown:+.0f} MiB")
        # The admin reads again. The last frame has the latest value.
        while not admin.receive()["params"]["values"]["echoed"].startswith("299x"):
            pass
        with pytest.raises(TimeoutError):
            admin.receive(0.5)
    pingers.judge("frames of 200 kB beside an admin who does not read")
    assert grown < 24


@pytest.mark.limit(120)
def test_an_outbox_is_bounded(launch):
    """`sendList.add` beyond `limits.outboxBytesPerUser` is refused, and a text beyond 64 KiB, too."""
    daemon = launch(config=configuration(outboxBytesPerUser=4 << 20, outboxItemsPerUser=500))
    memory = idle_memory()
    with daemon.client() as client:
        error = client.refusal("sendList.draft", ["x" * 70_000]) or client.refusal("sendList.add")
        assert error and error["code"] == -32602, error
        kept, refused = 0, None
        for number in range(200):
            client.result("sendList.draft", ["y" * 60_000])
            refused = client.refusal("sendList.add")
            if refused:
                break
            kept += 1
        assert refused and refused["code"] == -32006, refused
        assert refused["data"]["limit"] == "limits.outboxBytesPerUser", refused
        assert kept * 60_000 <= 4 << 20
        for item in client.result("viewModel.read", {"id": "sendList"})["values"]["items"]:
            client.result("sendList.remove", [item["id"]])
        for number in range(500):
            client.result("sendList.draft", ["z"])
            client.result("sendList.add")
        client.result("sendList.draft", ["z"])
        refused = client.refusal("sendList.add")
        assert refused and refused["data"]["limit"] == "limits.outboxItemsPerUser", refused
    assert daemon.memory() - memory < GROWTH


@pytest.mark.limit(120)
def test_saved_sessions_are_bounded(launch):
    """The oldest is erased beyond `limits.savedSessionsPerUser`. One beyond `limits.savedBytesPerSession` is not saved."""
    daemon = launch(config=configuration(savedSessionsPerUser=20, savedBytesPerSession=100_000))
    for number in range(40):
        with daemon.client(f"kept-{number}", linger=0) as client:
            client.result("calculator.press", ["7"])
            client.result("calculator.clear")
            client.result("sendList.draft", [f"{number}"])
    with daemon.client("large", linger=0) as client:
        # Several scenes, as no single text may be that large.
        for number in range(5):
            client.call("coordinator.open", {"scene": "help", "arguments": {"text": "x" * 40_000}})

    def restored(name):
        with daemon.client() as client:
            return client.result("session.attach", {"session": name, "linger": 0})["restored"]
    eventually(lambda: False, 0.5)
    found = [number for number in range(40) if restored(f"kept-{number}")]
    assert len(found) <= 20 and 39 in found, found
    with daemon.client("large", linger=0) as client:
        scenes = client.result("viewModel.read", {"id": "coordinator"})["values"]["scenes"]
        assert len(json.dumps(scenes)) <= 100_000, "a state above the bound was saved"
    assert "savedBytesPerSession" in daemon.whole_log()


# An hour of everything, in short.

@pytest.mark.limit(900)
def test_memory_after_repeated_abuse(launch):
    """The same floods again and again. Memory after the last rounds is not above memory after the first ones."""
    daemon = launch(config=configuration())
    rounds = 40 if FULL else 6
    readings = []
    names = [name for name in MIXED if not name.startswith("sendList")]
    payload = b"".join(b"".join(lines(CONVERSATIONS[name], "flood", 1 + 3 * index)) for index, name in enumerate(names * 10))
    for number in range(rounds):
        with Flooder(daemon.path, payload, connections=4):
            time.sleep(2 if FULL else 0.5)
        ends = connect_many(daemon.path, 300)
        for end in ends:
            end.sendall(b"".join(lines(CONVERSATIONS["viewModel.bind, windows"], "w")))
        for end in ends:
            end.close()
        daemon.check()
        time.sleep(0.3)
        readings.append(daemon.memory())
    figure("anonymous memory after each round of abuse, MiB: " + " ".join(f"{each:.0f}" for each in readings))
    half = len(readings) // 2
    assert max(readings[half:]) < max(readings[:half]) + 24, readings
