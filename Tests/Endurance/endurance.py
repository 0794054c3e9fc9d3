"""Support for the endurance suites: bystanders, floods, small disks, and what /proc reads of a daemon.

Daemons and clients are those of `Tests/PythonSupport`.
"""
from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pwd
import queue
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import daemons
import pytest
from hooks import figure
from wire import Client, HungUp, connected, wait_until

FULL = os.environ.get("ENDURANCE_FULL", "0") not in ("", "0")
SEED = int(os.environ.get("ENDURANCE_SEED") or int.from_bytes(os.urandom(4), "big"))
HISTORIES = int(os.environ.get("ENDURANCE_HISTORIES") or 1500)
LOCK_SECONDS = float(os.environ.get("ENDURANCE_LOCK_SECONDS") or (60 if FULL else 8))
CORES = os.cpu_count() or 1
GONE = (OSError, HungUp)


def needs_root():
    if os.geteuid() != 0:
        pytest.skip("needs root: the test changes user ids or mounts a tmpfs")


# Users. The daemon serves the uid `n` on event loop `n % cores`.

OTHER_LOOP = 1
SAME_LOOP = min((user.pw_uid for user in pwd.getpwall() if 2 <= user.pw_uid < 200 and user.pw_uid % CORES == 0), default=2)
REFUSED = 65534
USERS = [None, SAME_LOOP, OTHER_LOOP] if os.geteuid() == 0 else [None]


class Daemon(daemons.Daemon):
    """A daemon that the uids `OTHER_LOOP` and `SAME_LOOP` reach, with readings of its process."""

    def __init__(self, config=None, *flags, state=None, **how):
        access = [{"user": pwd.getpwuid(uid).pw_name, "scope": "act"} for uid in sorted({OTHER_LOOP, SAME_LOOP})]
        super().__init__({**({"access": access} if os.geteuid() == 0 else {}), **(config or {})}, *flags, shared=True, **how)
        self.state = Path(state) if state else self.state

    def check(self, what=""):
        """Fails the test when the process has ended."""
        assert self.is_alive, f"the daemon ended with {self.process.returncode} {what}\n{self.last_words}"

    def opened(self) -> list[str]:
        """What the descriptors stand for. Event queues and signals are left out; some are opened after the start."""
        found = []
        for number in os.listdir(f"/proc/{self.process.pid}/fd"):
            with contextlib.suppress(FileNotFoundError):        # closed meanwhile
                found.append(os.readlink(f"/proc/{self.process.pid}/fd/{number}"))
        return [name for name in found if not name.startswith("anon_inode:")]

    @property
    def memory(self) -> float:
        """Anonymous memory in MiB."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024

    def level(self) -> dict:
        with Client(self.socket) as client:
            values = client.values("daemon", "sessions", "connections", "instances")
            return {"descriptors": len(self.opened()), **values}

    def comes_back_to(self, before):
        """Waits until no reading is above `before`."""
        now = {}

        def is_back():
            with contextlib.suppress(*GONE):        # a flood may have left no place for a connection yet
                now.update(self.level())
                return all(now[key] <= before[key] for key in before)
        try:
            wait_until(is_back, "the level", 60, pause=0.25)
        except AssertionError:
            raise AssertionError(f"before: {before}, now: {now}") from None


def connect_many(daemon, count, uid=None) -> list[socket.socket]:
    return [connected(daemon.socket, uid) for _ in range(count)]


def message(method, params=None, identifier=None) -> bytes:
    """One line. Without an identifier it is a notification."""
    content = {"jsonrpc": "2.0", **({} if identifier is None else {"id": identifier}), "method": method}
    return json.dumps({**content, **({} if params is None else {"params": params})}).encode() + b"\n"


def sign_in(client, account="ada", password="correct horse"):
    """Registers the account where it is unknown, and signs the client's user in."""
    # Connections that others opened before are served first.
    client.ask("login.register", {"account": account, "password": password}, 60)

    def is_signed_in():
        state = client.value("login", "state")
        if state == "signedOut":        # another client may just have signed out
            client.call("login.account", [account])
            client.call("login.password", [password])
            client.ask("login.submit")
        return state == "signedIn"
    wait_until(is_signed_in, "the user is signed in", 60)


class Bystander:
    """A client of its own session that does nothing wrong. Each `check` proves that it is served as before."""

    def __init__(self, daemon, session=None, uid=None):
        self.who = f"uid {uid or 0}, session {session or 'anonymous'}"
        self.client = Client(daemon.socket, uid=uid)
        if session:
            self.client.attach(session, linger=0)
        bound = self.client.call("viewModel.bind", {"id": "lab", "outputs": ["value", "double"]})
        self.seq, self.value = bound["seq"], bound["values"]["value"]

    def check(self, patience=60):
        """Sets a value, and compares reply and frame."""
        self.value += 1
        result = self.client.call("lab.set", [self.value], patience)
        frames, self.client.notifications = self.client.notifications, []
        self.client.history.clear()
        self.client.transcript.clear()
        assert [frame["method"] for frame in frames] == ["viewModel.changed"], (self.who, frames)
        params = frames[0]["params"]
        assert params["values"] == {"value": self.value, "double": 2 * self.value}, (self.who, params)
        assert params["seq"] == result["seq"] > self.seq, (self.who, self.seq, params, result)
        self.seq = params["seq"]


class Bystanders:
    """An anonymous one, one in a named session, and two other users on the same and on another event loop."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.all = [Bystander(daemon)] + [Bystander(daemon, "bystander", uid) for uid in USERS]

    def check(self):
        # The store answers in order: when this reply is there, everything asked of it before is done. Thousands of
        # writes to the outbox may precede it, and a slow disk needs a minute for them.
        self.all[0].client.ask("session.close", {"session": "nobody-has-this"}, 150)
        for each in self.all:
            each.check()
        self.daemon.check()

    def close(self):
        for each in self.all:
            each.client.close()


class Pingers:
    """Bystanders of all users in threads, each with a round trip each 5 ms. Each reply must come, with its frame."""

    def __init__(self, daemon, what):
        self.what, self.over, self.problems = what, threading.Event(), []
        self.all = [(uid, Bystander(daemon, f"pinger-{uid or 0}", uid), []) for uid in USERS]
        self.threads = [threading.Thread(target=self._ping, args=each, daemon=True) for each in self.all]

    def _ping(self, uid, bystander, samples):
        try:
            while not self.over.is_set():
                began = time.monotonic()
                bystander.check()
                samples.append(time.monotonic() - began)
                self.over.wait(0.005)
        except BaseException as error:
            self.problems.append(f"{self.what}: uid {uid or 0}: {error!r}")

    def __enter__(self):
        for each in self.threads:
            each.start()
        return self

    def __exit__(self, kind, *_):
        if kind is None:        # the flood lasts until each of them has been served some times
            wait_until(lambda: self.problems or all(len(samples) >= 20 for _, _, samples in self.all), f"replies beside {self.what}", 120)
        self.over.set()
        for each in self.threads:
            each.join(120)
        for _, bystander, _ in self.all:
            bystander.client.close()
        texts = [f"uid {uid or 0}: p50 {self._percentile(samples, 0.5):.1f} p99 {self._percentile(samples, 0.99):.1f} ms" for uid, _, samples in self.all]
        figure(f"{self.what}: " + "; ".join(texts))
        assert kind or not self.problems, self.problems

    @staticmethod
    def _percentile(samples, part) -> float:
        return sorted(samples)[int((len(samples) - 1) * part)] * 1000 if samples else float("nan")


class Flooder:
    """A process of its own that sends the same bytes again and again, as fast as the daemon reads them.

    `prologue` is a list of (method, params) that the child sends first. `act`, when given, is called with the path in an
    endless loop in place of the sending.
    """

    def __init__(self, daemon, *how, **more):
        fork = multiprocessing.get_context("fork")
        self.counter = fork.Value("q", 0, lock=False)
        heard, self.tell = fork.Pipe(duplex=False)
        self.process = fork.Process(target=self._run, args=(daemon.socket, *how), kwargs=more, daemon=True)
        self.process.start()
        said = heard.recv() if heard.poll(120) else "no answer in time"
        if said != "ready":
            self.stop()
            raise RuntimeError(f"the flood did not begin: {said}")

    def _run(self, path, payload=b"", uid=None, prologue=(), connections=1, act=None):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 300)
        try:
            if uid:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
            daemons._die_with_parent()
            clients = [Client(path) for _ in range(0 if act else connections)]
            for client in clients:
                for method, params in prologue:
                    client.call(method, params, 60)
            self.tell.send("ready")
            while act:
                act(path)
                self.counter.value += 1
            self._flood([client.socket for client in clients], payload)
        except BaseException as error:
            self.tell.send(repr(error))

    def _flood(self, sockets, payload):
        offsets, view = dict.fromkeys(sockets, 0), memoryview(payload)
        while sockets:
            readable, writable, _ = select.select(sockets, sockets, [], 1)
            for each in {*readable, *writable}:
                try:
                    if each in readable and not each.recv(1 << 20):
                        raise ConnectionResetError
                    if each in writable:
                        sent = each.send(view[offsets[each]:])
                        offsets[each] = (offsets[each] + sent) % len(payload)
                        self.counter.value += sent
                except BlockingIOError:
                    pass
                except OSError:
                    sockets.remove(each)

    @property
    def sent(self) -> int:
        """Bytes sent, or how often `act` was called."""
        return self.counter.value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.kill()
        self.process.join()


class Manager:
    """Receives what the daemon sends to NOTIFY_SOCKET."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="endurance-notify-")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(os.path.join(self.directory.name, "notify"))
        self.environment = {"NOTIFY_SOCKET": self.socket.getsockname(), "WATCHDOG_USEC": "4000000"}
        self.signs = queue.Queue()
        self.starts = queue.Queue()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while data := self.socket.recv(4096):
            for word, moments in ((b"READY=1", self.starts), (b"WATCHDOG=1", self.signs)):
                if word in data.split(b"\n"):
                    moments.put(time.monotonic())

    def close(self):
        # The thread has left the socket before it is closed. A thread that still waited in recv(2) could later wait for
        # the next socket with this descriptor, and take the replies of its client.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()
        self.directory.cleanup()


class SmallDisk:
    """A tmpfs of a few MiB, which can be filled to the last byte."""

    def __init__(self, mebibytes):
        self.path = Path(tempfile.mkdtemp(prefix="endurance-disk-"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=0755", "endurance", self.path], check=True)

    def fill(self):
        with open(self.path / "filler", "ab", buffering=0) as file:
            for size in (1 << 16, 1 << 12):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"\0" * size)

    def empty(self):
        (self.path / "filler").unlink(missing_ok=True)

    def discard(self):
        subprocess.run(["umount", "-l", self.path], check=False)
        self.path.rmdir()
