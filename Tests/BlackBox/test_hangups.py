"""Clients that go at any moment. Nobody else notices, and what they held comes back."""
import json
import os
import random
import socket
import struct
import time

import pytest
from daemons import root_only
from wire import Client, one_of_three, request, wait_until

METHODS = {
    "attach": ("session.attach", {"session": "{own}", "linger": 0}),
    "attach elsewhere": ("session.attach", {"session": "{own}-2", "linger": 0}),
    "attach with uid": ("session.attach", {"session": "{own}", "uid": 65534}),
    "close own": ("session.close", {}),
    "close by name": ("session.close", {"session": "{own}"}),
    "close unknown": ("session.close", {"session": "nope"}),
    "sessions": ("session.list", {}),
    "all sessions": ("session.list", {"all": True}),
    "instances": ("viewModel.list", {}),
    "open": ("viewModel.open", {"type": "lab"}),
    "bind": ("viewModel.bind", {"id": "lab", "minInterval": 1}),
    "bind health": ("viewModel.bind", {"id": "daemon"}),
    "read": ("viewModel.read", {"id": "mine"}),
    "unbind": ("viewModel.unbind", {"id": "lab"}),
    "close instance": ("viewModel.close", {"id": "lab"}),
    "discover": ("rpc.discover", {}),
    "input": ("lab.set", {"value": 7}),
    "large input": ("lab.echo", {"value": "x" * 200_000}),
    "rows": ("lab.append", {"value": 2000}),
    "press": ("keypad.press", {"value": "7"}),
    "undo": ("calculator.undo", {}),
    "sleep": ("lab.sleep", {"milliseconds": 30}),
    "long sleep": ("lab.sleepQueued", {"milliseconds": 60_000}),
    "shared sleep": ("lab.sleepShared", {"milliseconds": 20, "_meta": {"key": "k", "deadline": 10}}),
    "count": ("lab.count", {"to": 50, "every": 1}),
    "ask": ("lab.ask", {"title": "?"}),
    "trap": ("lab.trap", {}),
    "fail": ("lab.fail", {"error": "x"}),
    "scene": ("coordinator.open", {"scene": "help"}),
    "draft": ("sendList.draft", {"value": "text"}),
    "add": ("sendList.add", {}),
    "register": ("login.register", {"account": "user-{n}", "password": "correct horse"}),
    "account": ("login.account", {"value": "user-1"}),
    "password": ("login.password", {"value": "not the password"}),
    "submit": ("login.submit", {}),
    "auto login": ("mine.autoLogin", {}),
    "cancel": ("$/cancelRequest", {"id": 1}),
    "unknown": ("no.such", {}),
}

_count = iter(range(1 << 30))


def message(name, own, id=1) -> bytes:
    method, params = METHODS[name]
    text = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    if id is None:
        text = text.replace('"id": null, ', "")
    return text.replace("{own}", own).replace("{n}", str(next(_count))).encode() + b"\n"


def knock(daemon, own=None):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(10)
    s.connect(str(daemon.socket))
    if own:
        s.sendall(message("attach", own, 0))
        received = b""
        while not received.endswith(b"\n"):
            piece = s.recv(1 << 16)
            if not piece:
                raise ConnectionResetError("the daemon closed the connection")
            received += piece
    return s


def reset(s):
    s.close()


def half_close(s):
    s.shutdown(socket.SHUT_WR)
    time.sleep(0.001)
    s.close()


def stop_reading(s):
    s.shutdown(socket.SHUT_RD)
    time.sleep(0.001)
    s.close()


def leave_unread(s):
    time.sleep(0.004)
    s.close()


def read_one_byte(s):
    s.settimeout(0.05)
    try:
        s.recv(1)
    except TimeoutError:
        pass
    s.close()


WAYS = {"close": reset, "half-close": half_close, "stop reading": stop_reading, "leave unread": leave_unread, "read one byte": read_one_byte}


@pytest.fixture
def counts(daemon):
    """Checks that descriptors, connections and sessions come back."""
    watcher = daemon.connect()
    watcher.values("daemon")
    before = daemon.descriptors
    yield
    if not daemon.is_alive:
        return
    wait_until(lambda: daemon.descriptors <= before + 1, "the descriptors' return")
    listed = lambda: [s for s in watcher.call("session.list")["sessions"] if s["attached"] or s["expires"] is None]
    wait_until(lambda: listed() == [], "the sessions' end")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("attached", [False, True], ids=["anonymous", "attached"])
def test_hanging_up_after_each_method(daemon, counts, way, attached):
    for name in METHODS:
        for _ in range(2):
            own = f"hang-{next(_count)}"
            s = knock(daemon, own if attached else None)
            s.sendall(message(name, own))
            WAYS[way](s)
        assert daemon.is_alive, f"the daemon ended after {name}: {daemon.last_words}"
    daemon.survived()


@pytest.mark.parametrize("attached", [False, True], ids=["anonymous", "attached"])
def test_hanging_up_in_the_middle_of_each_method(daemon, counts, attached):
    for name in METHODS:
        own = f"hang-{next(_count)}"
        text = message(name, own)
        for cut in (1, len(text) // 2, len(text) - 1):
            s = knock(daemon, own if attached else None)
            s.sendall(text[:cut])
            reset(s)
        assert daemon.is_alive, f"the daemon ended after half of {name}: {daemon.last_words}"
    daemon.survived()


@pytest.mark.parametrize("first", ["close own", "close by name", "close unknown", "attach", "attach with uid", "attach elsewhere"])
def test_a_batch_goes_no_further_after_a_hangup(daemon, counts, first):
    for second in METHODS:
        own = f"hang-{next(_count)}"
        s = knock(daemon, own)
        parts = [message(name, own, id).strip() for id, name in enumerate((first, second, first), 1)]
        s.sendall(b"[" + b",".join(parts) + b"]\n")
        reset(s)
    assert daemon.is_alive, daemon.last_words
    daemon.survived()


def test_two_clients_of_one_session_go_one_after_the_other(daemon, counts):
    for name in METHODS:
        own = f"hang-{next(_count)}"
        a, b = knock(daemon, own), knock(daemon, own)
        b.sendall(message("bind", own, 5))
        a.sendall(message(name, own))
        reset(a)
        b.sendall(message("input", own, 6))
        reset(b)
        assert daemon.is_alive, f"the daemon ended after {name}: {daemon.last_words}"
    daemon.survived()


def test_the_other_client_of_the_session_goes_on(daemon, counts):
    for name in METHODS:
        if name in ("close own", "close by name"):
            continue
        own = f"hang-{next(_count)}"
        stays = daemon.connect(own, linger=0)
        goes = knock(daemon, own)
        goes.sendall(message(name, own))
        reset(goes)
        assert stays.call("keypad.press", ["1"]), name
        stays.close()


def test_random_histories(daemon, counts):
    """The seed and the number of histories can be set: BLACKBOX_SEED, BLACKBOX_HISTORIES."""
    seed = int(os.environ.get("BLACKBOX_SEED", "20261123"))
    histories = int(os.environ.get("BLACKBOX_HISTORIES", "500"))
    names = list(METHODS)
    for history in range(histories):
        dice = random.Random(f"{seed}-{history}")
        own = f"random-{next(_count)}"
        open_sockets = []
        try:
            for _ in range(dice.randrange(1, 4)):
                open_sockets.append(knock(daemon, own if dice.random() < 0.6 else None))
            for _ in range(dice.randrange(1, 8)):
                s = dice.choice(open_sockets)
                kind = dice.random()
                text = message(dice.choice(names), own, dice.choice([1, 2, 3, None]))
                if kind < 0.6:
                    s.sendall(text)
                elif kind < 0.75:
                    s.sendall(text[:dice.randrange(len(text))])
                elif kind < 0.85:
                    parts = [message(dice.choice(names), own, dice.choice([n, None])).strip() for n in range(dice.randrange(1, 5))]
                    s.sendall(b"[" + b",".join(parts) + b"]\n")
                else:
                    s.sendall(text * dice.randrange(2, 20))
                if dice.random() < 0.3:
                    s.setblocking(False)
                    try:
                        s.recv(1 << dice.randrange(16))
                    except BlockingIOError:
                        pass
                    s.settimeout(10)
        except OSError:
            pass
        dice.shuffle(open_sockets)
        for s in open_sockets:
            try:
                WAYS[dice.choice(list(WAYS))](s)
            except OSError:
                s.close()
        assert daemon.is_alive, f"seed {seed}, history {history} ended the daemon with {daemon.process.returncode}: {daemon.last_words}"
    daemon.survived()


def test_a_connection_reset_with_unread_data(daemon, counts):
    for _ in range(50):
        s = knock(daemon)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.sendall(message("discover", "x") * 10 + b'{"jsonrpc":')
        s.close()
    daemon.survived()


def test_clients_that_connect_and_say_nothing(daemon, counts):
    for _ in range(200):
        knock(daemon).close()
    daemon.survived()


def test_refused_clients_that_write_as_fast_as_they_can(own):
    """A refused client holds the accepting thread for a few reads only."""
    daemon = own({"limits": {"connectionsPerUser": 2}})
    one, two = daemon.connect_when_free(), daemon.connect_when_free()
    child = os.fork()
    if child == 0:
        try:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                s = socket.socket(socket.AF_UNIX)
                try:
                    s.connect(str(daemon.socket))
                    while time.monotonic() < end:
                        s.sendall(b"x" * 65536)
                except OSError:
                    pass
                s.close()
        finally:
            os._exit(0)

    def attempt():
        slowest = 0
        for _ in range(10):
            start = time.monotonic()
            with Client(daemon.socket) as extra:
                assert extra.answer()["error"]["code"] == -32006
            slowest = max(slowest, time.monotonic() - start)
            time.sleep(0.05)
        return slowest >= 0.6 and f"a connect waited {slowest:.2f} s"
    try:
        one_of_three(attempt)
        one.round_trip()
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


@root_only
def test_an_administrator_hangs_up_in_another_users_session(own):
    daemon = own({"access": [{"user": "nobody", "scope": "act"}, {"user": "daemon", "scope": "admin"}]}, shared=True)
    owner = daemon.connect("desk", uid=65534)
    owner.call("lab.set", [1])
    for uid in (0, 1):
        for name in ("bind", "input", "sleep", "close instance", "discover", "add"):
            for way in WAYS.values():
                admin = Client(daemon.socket, uid=uid)
                admin.send_bytes(json.dumps(request("session.attach", {"session": "desk", "uid": 65534}, 1)).encode() + b"\n" + message(name, "desk", 2))
                way(admin.socket)
    assert daemon.is_alive, daemon.last_words
    assert owner.call("lab.set", [2])
    daemon.survived()
