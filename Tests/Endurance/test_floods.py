"""One client floods. The others get each reply meanwhile, the service manager hears signs of life, memory is bounded.

How long the others wait is printed as figures. The bounds of bytes, keys and executions are in `Tests/BlackBox/test_limits.py`.
"""
import contextlib
import functools
import os
import resource
import select
import time

import pytest
from conversations import CONVERSATIONS, SLOW, batch, lines
from endurance import (FULL, GONE, OTHER_LOOP, REFUSED, SAME_LOOP, USERS, Bystanders, Client, Daemon, Flooder, Pingers, connect_many,
                       connected, figure, message, needs_root)
from wire import is_ready, wait_until

SECONDS = 4.0 if FULL else 1.5
MANY = 4000
GROWTH = 48
"""MiB that one flood may add: what its own connection may hold (limits.bufferBytes, twice) and what the allocator keeps."""


def configuration(**limits):
    return {"session": {"lingerSeconds": 1}, "limits": limits}


@functools.cache
def idle_memory() -> float:
    """Anonymous memory of a daemon that has served a few clients, in MiB."""
    daemon = Daemon(configuration()).start()
    try:
        bystanders = Bystanders(daemon)
        for _ in range(50):
            bystanders.check()
        bystanders.close()
        return daemon.memory
    finally:
        daemon.discard()


def repeated(*texts, size=1 << 16) -> bytes:
    text = b"".join(texts)
    return text * max(1, size // len(text))


# The rows of `lab` grow with each message, by its contract. The conversation about windows adds 1,000 each time.
NAMES = [name for name in CONVERSATIONS if not any(part in name for part in ("large", "long", "slow", "windows"))]
# A connection that is restricted floods no longer.
MIXED = [name for name in NAMES if name not in {*SLOW, "session.restrict"}
         and not any(method == "lab.append" for method, _ in CONVERSATIONS[name])]


def all_methods(*, notifications=False) -> bytes:
    return b"".join(b"".join(lines(CONVERSATIONS[name], "flood", 1 + 3 * index, notifications)) for index, name in enumerate(MIXED * 10))


RESEMBLING = [("viewModel.open", {"type": "keypad", "id": "q" * 58 + f"x{number:04}"}) for number in range(1000)]
SESSIONS = [("session.attach", {"session": f"{number:04}" + "n" * 60, "linger": 86400}) for number in range(MANY)]
LONG_SUM = [("calculator.press", ["1"] if number % 2 else ["+"]) for number in range(2000)]
SCENES = [("coordinator.open", {"scene": "help"})] * 60
FLOODS = {
    # what the flooding client does first, and what it then sends for ever; `None` is a request, False a notification
    "all methods as requests": ([], lambda: all_methods()),
    "all methods as notifications": ([], lambda: all_methods(notifications=True)),
    "all methods in batches": ([], lambda: b"".join(batch(CONVERSATIONS[name] * 10, "flood") for name in MIXED)),
    "rpc.discover": ([], lambda: repeated(message("rpc.discover", None, 1))),
    "session.list of 4,000": (SESSIONS, lambda: repeated(message("session.list", None, 1))),
    "session.list of 4,000, notified": (SESSIONS, lambda: repeated(message("session.list"))),
    "unknown names beside 1,000 that resemble them": (RESEMBLING, lambda: b"".join(
        repeated(message("q" * length + ".m", None, 1), size=8000) for length in (64, 85, 1000))
        + repeated(message("viewModel.open", {"type": "q" * 60}, 1), message("coordinator.open", {"scene": "q" * 60}), size=8000)),
    "coordinator.back and open": (SCENES, lambda: repeated(message("coordinator.back"), message("coordinator.open", {"scene": "help"}))),
    "undo behind 1,000 operations": (LONG_SUM, lambda: repeated(
        message("calculator.press", ["1"]), message("calculator.press", ["+"]), message("calculator.undo", None, 1))),
    "moves among 20,000 rows": ([("lab.append", [20_000])], lambda: repeated(message("lab.move", {"from": 0, "to": 19_999}))),
    "100 kB of text": ([], lambda: message("lab.echo", ["x" * 100_000])),
    "parse errors": ([], lambda: b"{\n" * 30_000),
    "blank lines": ([], lambda: b"\n" * 60_000),
    # A scrypt hash needs 32 MiB while it is computed, and the items of an outbox are the user's own.
    **{name: ([], lambda name=name: b"".join(lines(CONVERSATIONS[name], "flood", number * 3 + 1)[-1] for number in range(300)))
       for name in (NAMES if FULL else ())},
}
LARGE = {"login.register", "login.submit", "sendList.add", "sendList.send"}


@pytest.mark.parametrize("uid", [None, OTHER_LOOP] if os.geteuid() == 0 else [None])
@pytest.mark.parametrize("name", FLOODS)
def test_a_flood(launch, manager, name, uid):
    """The flood lasts until each bystander has been served some times, and the service manager has heard signs of life."""
    prologue, payload = FLOODS[name]
    daemon = launch(configuration(), environment=manager.environment)
    before = idle_memory()
    with Flooder(daemon, payload(), uid=uid, prologue=prologue) as flooder:
        with Pingers(daemon, f"{name}, from uid {uid or 0}"):
            while not manager.signs.empty():
                manager.signs.get()
            time.sleep(SECONDS)
            manager.signs.get(timeout=120)
            wait_until(lambda: flooder.sent > 0, "the first bytes of the flood", 60)
    daemon.check(f"during the flood: {name}")
    if name not in LARGE:
        most = GROWTH + (40 if prologue else 0)
        wait_until(lambda: daemon.memory - before < most, f"memory that grew by less than {most} MiB", 60, pause=0.2)


def attach_and_close(path):
    with Client(path) as client:
        for number in range(50):
            client.send_bytes(message("session.attach", {"session": f"storm-{number}", "linger": 0}, "a") + message("calculator.press", ["7"])
                              + message("calculator.clear", None, "b") + message("session.close", None, "c"))
            for identifier in "abc":
                client.reply(identifier)


def attach_and_vanish(path):
    with Client(path) as client:
        client.send_bytes(message("session.attach", {"session": f"storm-{time.monotonic_ns() % 50}", "linger": 0}, 1)
                          + message("calculator.press", ["7"]) + message("calculator.clear", None, 2))


def knock(path):
    with contextlib.suppress(BlockingIOError, ConnectionResetError):
        connected(path).close()


def knock_and_talk(path):
    """A refused client that sends as fast as the daemon reads."""
    with contextlib.suppress(OSError), connected(path) as end:
        end.setblocking(False)
        for _ in range(200):
            try:
                end.send(b"x" * 65536)
            except BlockingIOError:
                select.select([], [end], [], 0.01)


STORMS = {"sessions that are closed": (attach_and_close, None), "sessions whose clients vanish": (attach_and_vanish, None),
          "connections of a user": (knock, OTHER_LOOP), "connections of a refused user": (knock, REFUSED),
          "connections of a refused user who talks": (knock_and_talk, REFUSED), "connections over the limit": (knock_and_talk, OTHER_LOOP)}


@pytest.mark.parametrize("name", STORMS)
def test_a_storm(launch, name):
    """Bystanders and new clients are served meanwhile, and nothing is left afterwards."""
    act, uid = STORMS[name]
    if uid:
        needs_root()
    daemon = launch(configuration(**({"connectionsPerUser": 64} if "limit" in name else {})))
    before, memory = daemon.level(), idle_memory()
    held = connect_many(daemon, 60, OTHER_LOOP) if "limit" in name else []
    pingers = Pingers(daemon, name)  # they connect before the storm takes the connections of their user
    with Flooder(daemon, act=act, uid=uid) as one, Flooder(daemon, act=act, uid=uid) as other, pingers:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end or one.sent + other.sent < 20:
            with Client(daemon.socket, uid=SAME_LOOP if os.geteuid() == 0 else None) as client:
                client.call("viewModel.list", patience=60)
    for each in held:
        each.close()
    daemon.comes_back_to(before)
    wait_until(lambda: daemon.memory - memory < GROWTH, "memory that comes back", 60, pause=0.2)


def test_thousands_of_connections(launch):
    """16,384 in full mode, where the machine gives as many descriptors; else 3,000."""
    wanted = 16384 if FULL else 3000
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(hard, wanted + 500),) * 2)
    except (ValueError, OSError):
        pytest.skip(f"needs {wanted + 500} descriptors, the machine gives {hard}")
    daemon = launch(configuration(connections=wanted + 8, connectionsPerUser=wanted + 8))
    bystanders = Bystanders(daemon)
    before, memory = daemon.level(), idle_memory()
    ends = connect_many(daemon, wanted - before["connections"])
    try:
        for end in ends:
            end.sendall(message("viewModel.list", None, 1))
        for end in ends:
            assert b'"result"' in end.recv(4096)
        grown = daemon.memory - memory
        figure(f"{len(ends)} connections, {grown * 1024 / len(ends):.1f} KiB each")
        extra = connect_many(daemon, 20)
        wait_until(lambda: any(is_ready(end, select.POLLIN, 0) for end in extra), "a refusal")
        assert b"-32006" in next(end for end in extra if is_ready(end, select.POLLIN, 0)).recv(4096)
        ends += extra
        bystanders.check()
    finally:
        for end in ends:
            end.close()
    daemon.comes_back_to(before)
    bystanders.check()
    bystanders.close()
    assert grown * 1024 / wanted < 64, f"{grown:.0f} MiB"


BEGINNINGS = {
    "half a line": b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":["' + b"x" * 4000,
    "half a header": b"Content-Length: 10\r\nX: " + b"y" * 4000,
    "half a body": b"Content-Length: 900000\r\n\r\n" + b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 4000, "one byte at a time": b"{",
}


@pytest.mark.parametrize("kind", BEGINNINGS)
def test_slow_senders(launch, kind):
    """Thousands of connections of one user each hold the beginning of a message."""
    count = 4000 if FULL else 1500
    daemon = launch(configuration())
    before, memory = daemon.level(), idle_memory()
    ends = connect_many(daemon, count, USERS[-1])
    with Pingers(daemon, f"{count} connections with {kind}"):
        for end in ends:
            with contextlib.suppress(*GONE):        # a header that is answered with an error
                end.sendall(BEGINNINGS[kind])
                for _ in range(20 if kind == "one byte at a time" else 0):
                    end.sendall(b" ")
        grown = daemon.memory - memory
    for end in ends:
        end.close()
    assert grown < count * 24 / 1024 + GROWTH
    daemon.comes_back_to(before)


TEXTS = b"".join(message("lab.echo", [f"{number}" + "e" * 80_000]) for number in range(5))


def hang_up_with_unread_frames(daemon):
    """A client binds, brings about frames of 80 kB and hangs up without reading them."""
    with connected(daemon.socket) as end, contextlib.suppress(*GONE):
        end.settimeout(0.4)
        end.sendall(message("viewModel.bind", {"id": "lab"}, 1) + TEXTS)


@pytest.mark.limit(2700 if FULL else 900)
def test_memory_after_repeated_abuse(launch):
    """The same floods again and again. Memory after the last rounds is not above memory after the first ones."""
    daemon, readings = launch(configuration()), []
    names = [name for name in MIXED if not name.startswith("sendList")]
    payload = b"".join(b"".join(lines(CONVERSATIONS[name], "flood", 1 + 3 * index)) for index, name in enumerate(names * 10))
    before = daemon.level()
    for _ in range(40 if FULL else 6):
        with Flooder(daemon, payload, connections=4) as flooder:
            wait_until(lambda: flooder.sent > (40 << 20 if FULL else 4 << 20), "some MiB of the flood", 120)
        ends = connect_many(daemon, 300)
        for end in ends:
            end.sendall(b"".join(lines(CONVERSATIONS["viewModel.bind, windows"], "w")))
        for end in ends:
            end.close()
        for _ in range(50):
            hang_up_with_unread_frames(daemon)
        daemon.comes_back_to(before)
        readings.append(daemon.memory)
    figure("anonymous memory after each round of abuse, MiB: " + " ".join(f"{each:.0f}" for each in readings))
    half = len(readings) // 2
    assert max(readings[half:]) < max(readings[:half]) + 24, readings
