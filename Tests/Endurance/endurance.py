"""Support for the endurance suites: daemons, raw clients, floods, bystanders and what /proc reads of a process."""
from __future__ import annotations

import atexit
import ctypes
import json
import mmap
import os
import pwd
import queue
import select
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

import pytest

COMMAND = shlex.split(os.environ.get("VIEWMODELD", ""))
FULL = os.environ.get("ENDURANCE_FULL", "0") not in ("", "0")
REQUIRE_ALL = os.environ.get("REQUIRE_ALL", "0") not in ("", "0")
SEED = int(os.environ.get("ENDURANCE_SEED") or int.from_bytes(os.urandom(4), "big"))
HISTORIES = int(os.environ.get("ENDURANCE_HISTORIES") or 1500)
LOCK_SECONDS = float(os.environ.get("ENDURANCE_LOCK_SECONDS") or (60 if FULL else 8))
FIGURES: list[str] = []

_libc = ctypes.CDLL(None, use_errno=True)
_running: set = set()
_disks: set = set()


class Disturbed(AssertionError):
    """A time that is too long. The machine may be the reason, so `conftest.py` repeats the test; one calm run of three is enough."""


def calm(condition, what):
    if not condition:
        raise Disturbed(what)


def figure(text):
    """Prints a measured figure, also in the summary at the end."""
    print(text)
    FIGURES.append(text)


def needs_package(name, is_installed):
    """Skips a test without a package of the system. With REQUIRE_ALL=1, it fails."""
    if not is_installed:
        (pytest.fail if REQUIRE_ALL else pytest.skip)(f"{name} is not installed: apt-get install {name}")


def needs_root():
    if os.geteuid() != 0:
        pytest.skip("needs root: the test changes user ids or mounts a tmpfs")


def die_with_parent():
    _libc.prctl(1, signal.SIGKILL)                                    # PR_SET_PDEATHSIG


@atexit.register
def _clean_up():
    for daemon in list(_running):
        daemon.discard()
    for disk in list(_disks):
        disk.discard()


def eventually(condition, seconds=10.0, pause=0.02):
    """Calls `condition` until it returns something true, and returns that. Returns the last value when time is up."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(pause)


# Users. The daemon serves the uid `n` on event loop `n % cores`.

CORES = os.cpu_count() or 1


def user_name(uid):
    return pwd.getpwuid(uid).pw_name


def _exists(uid):
    try:
        return bool(user_name(uid))
    except KeyError:
        return False


OTHER_LOOP = 1
SAME_LOOP = next((uid for uid in range(2, 200) if uid % CORES == 0 and _exists(uid)), 2)
REFUSED = 65534


def open_to_others(**more):
    """A configuration that admits the uids `OTHER_LOOP` and `SAME_LOOP`, with further sections."""
    config = {"socket": {"mode": "0666"},
              "access": [{"user": user_name(uid), "scope": "act"} for uid in sorted({OTHER_LOOP, SAME_LOOP})]}
    config.update(more)
    return config


# The daemon.

class Daemon:
    """A daemon process with a socket, a state directory and a log of its own."""

    def __init__(self, config=None, env=None, lab=True, state=None, uid=None, arguments=()):
        self.directory = tempfile.mkdtemp(prefix="endurance-")
        os.chmod(self.directory, 0o755)
        self.path = os.path.join(self.directory, "run", "d.sock")
        os.mkdir(os.path.dirname(self.path), 0o755)
        self.state = state or os.path.join(self.directory, "state")
        self.log_path = os.path.join(self.directory, "log")
        self.uid = uid
        if uid is not None:
            os.chown(os.path.dirname(self.path), uid, uid)
            if state is None:
                os.mkdir(self.state, 0o700)
                os.chown(self.state, uid, uid)
        self.config_path = os.path.join(self.directory, "config.yaml")
        self.write_config(config or {})
        self.arguments = ["--socket", self.path, "--state-directory", self.state, "--config", self.config_path,
                          *(["--lab"] if lab else []), *arguments]
        self.env = {key: value for key, value in os.environ.items()
                    if not key.startswith("VIEWMODELD") and key not in (
                        "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "WATCHDOG_USEC", "WATCHDOG_PID",
                        "STATE_DIRECTORY", "JOURNAL_STREAM")}
        self.env.update(HOME=self.directory, **(env or {}))
        self.prefix = []
        self.process = None
        _running.add(self)

    def write_config(self, config):
        with open(self.config_path, "w") as file:
            json.dump(config, file)                                   # JSON is YAML.
        os.chmod(self.config_path, 0o644)

    def spawn(self, **how):
        if not COMMAND:
            pytest.fail("VIEWMODELD is not set: it is the command line of the daemon to test", pytrace=False)
        if self.uid is not None:
            how.update(user=self.uid, group=self.uid, extra_groups=[])
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([*self.prefix, *COMMAND, *self.arguments], env=self.env, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, preexec_fn=die_with_parent, **how)
        return self

    def is_answering(self):
        try:
            with Client(self.path) as client:
                client.result("viewModel.list", timeout=5)
            return True
        except (OSError, Gone, TimeoutError):
            return False

    def wait_until_answering(self, seconds=20.0):
        if not eventually(lambda: not self.alive or self.is_answering(), seconds, 0.005):
            pytest.fail(f"the daemon does not answer: {self.log()}")
        self.check("at its start")
        return self

    def start(self, **how):
        return self.spawn(**how).wait_until_answering()

    def client(self, session=None, uid=None, **params):
        try:
            client = Client(self.path, uid)
            if session is not None:
                client.result("session.attach", {"session": session, **params})
            return client
        except (Gone, OSError):
            if self.process is not None and eventually(lambda: not self.alive, 1):
                self.check("(noticed by a new client)")
            raise

    @property
    def pid(self):
        return self.process.pid

    @property
    def alive(self):
        return self.process is not None and self.process.poll() is None

    def check(self, what=""):
        """Fails the test when the process has ended."""
        if not self.alive:
            pytest.fail(f"the daemon ended with {self.process.returncode} {what}\n{self.log()}")

    def log(self, size=1500):
        with open(self.log_path, "rb") as file:
            return file.read()[-size:].decode("utf-8", "replace")

    def whole_log(self):
        with open(self.log_path, "rb") as file:
            return file.read().decode("utf-8", "replace")

    def signal(self, number):
        self.process.send_signal(number)

    def terminate(self, seconds=20.0):
        """Sends SIGTERM and returns the exit code and the seconds that the end took. The code of a hang is `None`."""
        began = time.monotonic()
        self.signal(signal.SIGTERM)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        return code, time.monotonic() - began

    def describe(self, hangs=False):
        """What became of the process: its exit code or, where it hangs, what it still answers and its threads' stacks."""
        if self.process is None:
            return "not started"
        if not self.alive:
            return f"ended with {self.process.returncode}\n{self.log(800)}"
        text = f"alive, {self.descriptors()} descriptors, {self.threads()} threads, {self.memory():.0f} MiB\n{self.log(800)}"
        if not hangs:
            return text
        text += self.describe_answers()
        if shutil.which("gdb"):
            text += subprocess.run(["gdb", "-p", str(self.pid), "-batch", "-ex", "thread apply all bt 14"],
                                   capture_output=True, text=True, timeout=60).stdout[-12000:]
        return text

    def describe_answers(self):
        """Which requests new clients get a reply to: on each event loop, without the store, from it and to it."""
        lines = []
        for uid in (None, SAME_LOOP, OTHER_LOOP):
            for method, params in [("viewModel.list", None), ("session.close", {"session": "nobody-has-this"}),
                                   ("session.close", {"session": "nobody-has-that"}),
                                   ("session.attach", {"session": "new", "linger": 0})]:
                try:
                    with Client(self.path, uid) as client:
                        lines.append(f"uid {uid or 0}, {method} {params}: {str(client.call(method, params, 3))[:200]}")
                except (OSError, Gone, TimeoutError, Refusal) as error:
                    lines.append(f"uid {uid or 0}, {method} {params}: {error!r}")
        return "\n".join(lines) + "\n"

    def kill(self):
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait(10)

    def restart(self):
        """kill -9 and a new start on the same state."""
        self.kill()
        return self.start()

    def discard(self):
        self.kill()
        _running.discard(self)
        shutil.rmtree(self.directory, ignore_errors=True)

    # Readings.

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def opened(self, descriptor):
        """What a descriptor stands for; nothing if it was closed meanwhile."""
        try:
            return os.readlink(f"/proc/{self.pid}/fd/{descriptor}")
        except FileNotFoundError:
            return None

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def memory(self):
        """Anonymous memory in MiB."""
        with open(f"/proc/{self.pid}/smaps_rollup") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Anonymous:")) / 1024

    def level(self):
        """Descriptors, sessions and instances, as the ViewModel `daemon` and /proc show them.

        Descriptors of signals and of event queues are left out, because the daemon opens some after it accepts connections.
        """
        with self.client() as client:
            values = client.result("viewModel.read", {"id": "daemon"})["values"]
            names = [self.opened(each) for each in os.listdir(f"/proc/{self.pid}/fd")]
            descriptors = len([name for name in names if name and not name.startswith("anon_inode:")])
        return {"descriptors": descriptors, "sessions": values["sessions"], "connections": values["connections"],
                "instances": values["instances"]}

    def comes_back_to(self, before, seconds=15.0):
        """Waits until no reading is above `before`, and fails the test when that does not happen."""
        now = {}

        def is_back():
            now.clear()
            now.update(self.level())
            return all(now[key] <= before[key] for key in before)
        assert eventually(is_back, seconds, 0.25), f"before: {before}, now: {now}"


# Clients.

class Gone(Exception):
    """The daemon closed the connection."""


class Refusal(Exception):
    """The daemon answered with an error."""

    def __init__(self, error):
        super().__init__(json.dumps(error))
        self.code = error["code"]
        self.data = error.get("data")


def connect(path, uid=None):
    """A connected socket of the given user. A forked child connects, because the kernel records who did."""
    if uid is None or uid == os.geteuid():
        made = socket.socket(socket.AF_UNIX)
        made.connect(path)
        return made
    return connect_many(path, 1, uid)[0]


def connect_many(path, count, uid=None):
    if uid is None or uid == os.geteuid():
        return [connect(path) for _ in range(count)]
    needs_root()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            ours.close()
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            left = count
            while left:
                some = [connect(path) for _ in range(min(left, 100))]
                socket.send_fds(theirs, [b"."], [each.fileno() for each in some])
                for each in some:
                    each.close()
                left -= len(some)
            status = 0
        except BaseException as error:
            try:
                theirs.sendall(b"!" + repr(error).encode())
            except OSError:
                pass
        finally:
            os._exit(status)
    theirs.close()
    made = []
    try:
        ours.settimeout(60)
        while len(made) < count:
            data, descriptors, _, _ = socket.recv_fds(ours, 4096, 100)
            made += [socket.socket(fileno=each) for each in descriptors]
            if not descriptors:
                raise OSError(f"user {uid} could not connect: {data[1:].decode() or 'the child ended'}")
    finally:
        ours.close()
        os.waitpid(child, 0)
    return made


def message(method, params=None, identifier=None):
    """One line. Without an identifier it is a notification."""
    content = {"jsonrpc": "2.0", "method": method}
    if identifier is not None:
        content["id"] = identifier
    if params is not None:
        content["params"] = params
    return json.dumps(content).encode() + b"\n"


def is_readable(end, seconds):
    poll = select.poll()                                              # select() refuses descriptors from 1024 on.
    poll.register(end, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


class Client:
    """A connection with line framing. Notifications from the daemon are kept in `frames` in the order of arrival."""

    def __init__(self, path, uid=None):
        self.socket = connect(path, uid)
        self.input = b""
        self.frames = []
        self.serial = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def request(self, method, params=None):
        self.serial += 1
        self.send(message(method, params, self.serial))
        return self.serial

    def notify(self, method, params=None):
        self.send(message(method, params))

    def receive(self, timeout=20.0):
        end = time.monotonic() + timeout
        pieces = None
        while b"\n" not in self.input:
            left = end - time.monotonic()
            if left <= 0 or not is_readable(self.socket, left):
                raise TimeoutError(f"no message within {timeout} s")
            try:
                data = self.socket.recv(1 << 18)
            except ConnectionResetError:
                data = b""
            if not data:
                raise Gone("the daemon closed the connection")
            self.input += data
        line, self.input = self.input.split(b"\n", 1)
        return json.loads(line)

    def reply(self, identifier, timeout=20.0):
        end = time.monotonic() + timeout
        while True:
            received = self.receive(max(end - time.monotonic(), 0.001))
            if isinstance(received, dict) and "method" in received:
                self.frames.append(received)
            elif isinstance(received, dict) and received.get("id") == identifier:
                return received
            elif isinstance(received, dict) and received.get("id") is None and "error" in received:
                raise Refusal(received["error"])

    def call(self, method, params=None, timeout=20.0):
        """The whole reply."""
        return self.reply(self.request(method, params), timeout)

    def result(self, method, params=None, timeout=20.0):
        reply = self.call(method, params, timeout)
        if "error" in reply:
            raise Refusal(reply["error"])
        return reply["result"]

    def refusal(self, method, params=None, timeout=20.0):
        """The error of a request, or `None` when it succeeded."""
        return self.call(method, params, timeout).get("error")


def sign_in(client, account="ada", password="correct horse"):
    """Registers the account where it is unknown, and signs the client's user in."""
    client.call("login.register", {"account": account, "password": password})

    def is_signed_in():
        state = client.result("viewModel.read", {"id": "login", "outputs": ["state"]})["values"]["state"]
        if state == "signedOut":                                      # Another client may just have signed out.
            client.result("login.account", [account])
            client.result("login.password", [password])
            client.call("login.submit")
        return state == "signedIn"
    assert eventually(is_signed_in, 60), "the user is not signed in"


# Bystanders.

class Bystander:
    """A client of its own session that does nothing wrong. Each `check` proves that it is served as before."""

    def __init__(self, daemon, session=None, uid=None):
        self.daemon = daemon
        self.who = f"uid {uid or 0}, session {session or 'anonymous'}"
        self.client = daemon.client(session, uid, linger=0)
        bound = self.client.result("viewModel.bind", {"id": "lab", "outputs": ["value", "double"]})
        self.seq = bound["seq"]
        self.value = bound["values"]["value"]

    def check(self, timeout=15.0):
        """Sets a value and compares reply and frame. Returns the seconds of the round trip."""
        value = self.value + 1
        began = time.monotonic()
        try:
            result = self.client.result("lab.set", [value], timeout)
        except (Gone, OSError) as error:
            self.daemon.check(f"(noticed by the bystander {self.who})")
            raise type(error)(f"the bystander {self.who} was disturbed: {error!r}") from error
        took = time.monotonic() - began
        frames, self.client.frames = self.client.frames, []
        assert [frame["method"] for frame in frames] == ["viewModel.changed"], (self.who, frames)
        params = frames[0]["params"]
        assert params["values"] == {"value": value, "double": 2 * value}, (self.who, params)
        assert params["seq"] > self.seq and result["seq"] == params["seq"], (self.who, self.seq, params, result)
        self.seq, self.value = params["seq"], value
        return took


class Bystanders:
    """An anonymous one, one in a named session, and two other users on the same and on another event loop."""

    def __init__(self, daemon, users=True):
        self.daemon = daemon
        self.users = users
        self.all = [Bystander(daemon), Bystander(daemon, "bystander")]
        if users and os.geteuid() == 0:
            self.all += [Bystander(daemon, "bystander", SAME_LOOP), Bystander(daemon, "bystander", OTHER_LOOP)]

    def check(self):
        # The store answers in order: when this reply is there, everything asked of it before is done. Thousands of
        # writes to the outbox may precede it, and a slow disk needs a minute for them.
        try:
            self.all[0].client.call("session.close", {"session": "nobody-has-this"}, 150)
        except (Gone, OSError) as error:
            self.daemon.check("(noticed by a bystander)")
            raise type(error)(f"a bystander was disturbed: {error!r}") from error
        for each in self.all:
            each.check()
        self.daemon.check()

    def close(self):
        for each in self.all:
            each.client.close()

    def renew(self):
        """Connects anew, after a restart of the daemon."""
        self.close()
        self.__init__(self.daemon, self.users)


INTERVAL = 0.005


class Pinger(threading.Thread):
    """Measures the round trips of a bystander, one each 5 ms, in a thread.

    A reply that is late delays the requests behind it. The percentiles count those requests with the time from
    the moment at which they were due.
    """

    def __init__(self, daemon, label, uid=None):
        super().__init__(daemon=True)
        self.label = label
        self.bystander = Bystander(daemon, f"pinger-{uid or 0}", uid)
        self.samples = []
        self.problem = None
        self.over = threading.Event()

    def run(self):
        try:
            while not self.over.is_set():
                took = self.bystander.check(25)
                while took > 0:
                    self.samples.append(took)
                    took -= INTERVAL
                time.sleep(max(INTERVAL + took, 0.001))
        except BaseException as error:
            self.problem = error

    def stop(self):
        self.over.set()
        self.join(65)
        self.bystander.client.close()

    def percentile(self, part):
        ordered = sorted(self.samples)
        return ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1000 if ordered else float("nan")

    def __str__(self):
        return (f"{self.label}: p50 {self.percentile(0.5):.1f} p99 {self.percentile(0.99):.1f} "
                f"max {self.percentile(1):.0f} ms ({len(self.samples)})")


class Pingers:
    """One pinger of the same user, one of another user on the same event loop, one on another event loop."""

    def __init__(self, daemon):
        self.all = [Pinger(daemon, "same uid")]
        if os.geteuid() == 0:
            self.all += [Pinger(daemon, "same loop", SAME_LOOP), Pinger(daemon, "other loop", OTHER_LOOP)]

    def __enter__(self):
        for each in self.all:
            each.start()
        return self

    def __exit__(self, *_):
        for each in self.all:
            each.stop()

    def judge(self, what, most=250.0):
        figure(f"{what}: " + "; ".join(map(str, self.all)))
        for each in self.all:
            assert each.problem is None, f"{what}: {each.label}: {each.problem}"
            assert len(each.samples) >= 20, f"{what}: {each.label} has {len(each.samples)} samples only"
            calm(each.percentile(0.99) < most, f"{what}: {each}")


# Floods.

class Flooder:
    """A process of its own that sends the same bytes again and again, as fast as the daemon reads them.

    `prologue` is a list of (method, params) that the child sends first, and whose replies it awaits. `act`, when
    given, is called with the path in an endless loop in place of the sending.
    """

    def __init__(self, path, payload=b"", uid=None, prologue=(), connections=1, act=None, reads=True):
        self.counters = mmap.mmap(-1, 64)
        ready, tell = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(ready)
                die_with_parent()
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.alarm(120)
                if uid:
                    os.setgroups([])
                    os.setresgid(uid, uid, uid)
                    os.setresuid(uid, uid, uid)
                    die_with_parent()
                clients = []
                if act is None:
                    for _ in range(connections):
                        client = Client(path)
                        for method, params in prologue:
                            client.result(method, params, 60)
                        clients.append(client)
                os.write(tell, b"1")
                if act is not None:
                    while True:
                        act(path)
                        self._count(0, 1)
                self._flood([client.socket for client in clients], payload, reads)
            except BaseException as error:
                try:
                    os.write(tell, repr(error).encode()[:400])
                    os.write(2, f"flooder: {error!r}\n".encode())
                except OSError:
                    pass
            finally:
                os._exit(1)
        os.close(tell)
        said = os.read(ready, 500) if select.select([ready], [], [], 60)[0] else b"no answer in time"
        os.close(ready)
        if said != b"1":
            self.stop()
            raise RuntimeError(f"the flood did not begin: {said.decode()}")

    def _count(self, slot, amount):
        value = struct.unpack_from("q", self.counters, 8 * slot)[0]
        struct.pack_into("q", self.counters, 8 * slot, value + amount)

    def _flood(self, sockets, payload, reads):
        for each in sockets:
            each.setblocking(False)
        offsets = dict.fromkeys(sockets, 0)
        view = memoryview(payload)
        while sockets:
            readable, writable, _ = select.select(sockets if reads else [], sockets, [], 1)
            for each in readable:
                try:
                    data = each.recv(1 << 20)
                except BlockingIOError:
                    continue
                except ConnectionResetError:
                    data = b""
                if not data:
                    sockets.remove(each)
                    self._count(2, 1)
                self._count(1, len(data))
            for each in writable:
                try:
                    sent = each.send(view[offsets[each]:])
                except BlockingIOError:
                    continue
                except OSError:
                    if each in sockets:
                        sockets.remove(each)
                        self._count(2, 1)
                    continue
                offsets[each] = (offsets[each] + sent) % len(payload)
                self._count(0, sent)

    @property
    def sent(self):
        """Bytes sent, or how often `act` was called."""
        return struct.unpack_from("q", self.counters, 0)[0]

    @property
    def received(self):
        return struct.unpack_from("q", self.counters, 8)[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.pid:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            os.waitpid(self.pid, 0)
            self.pid = 0


# The service manager and the disk.

class Manager:
    """Receives what the daemon sends to NOTIFY_SOCKET, with the time of each datagram."""

    def __init__(self, watchdog_seconds=4.0):
        self.directory = tempfile.mkdtemp(prefix="endurance-notify-")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(os.path.join(self.directory, "notify"))
        self.env = {"NOTIFY_SOCKET": os.path.join(self.directory, "notify"),
                    "WATCHDOG_USEC": str(int(watchdog_seconds * 1e6))}
        self.signs = []
        self.starts = queue.Queue()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while data := self.socket.recv(4096):
            if b"READY=1" in data.split(b"\n"):
                self.starts.put(time.monotonic())
            if b"WATCHDOG=1" in data.split(b"\n"):
                self.signs.append(time.monotonic())

    def wait_until_ready(self, seconds):
        """Waits for the next READY=1, and returns its time on the monotonic clock."""
        return self.starts.get(timeout=seconds)

    def longest_silence(self, since):
        """The longest time between two signs of life from `since` until now."""
        moments = [since, *(sign for sign in self.signs if sign > since), time.monotonic()]
        return max(later - earlier for earlier, later in zip(moments, moments[1:]))

    def close(self):
        # The thread has left the socket before it is closed. A thread that still waited in recv(2) could later wait for
        # the next socket with this descriptor, and take the replies of its client.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class SmallDisk:
    """A tmpfs of a few MiB, which can be filled to the last byte."""

    def __init__(self, mebibytes):
        self.path = tempfile.mkdtemp(prefix="endurance-disk-")
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=0755", "endurance", self.path], check=True)
        _disks.add(self)

    def fill(self):
        with open(os.path.join(self.path, "filler"), "ab", buffering=0) as file:
            for size in (1 << 16, 1 << 12):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    pass

    @property
    def is_filled(self):
        return os.path.exists(os.path.join(self.path, "filler"))

    def empty(self):
        os.unlink(os.path.join(self.path, "filler"))

    def remount(self, option):
        subprocess.run(["mount", "-o", f"remount,{option}", self.path], check=True)

    def discard(self):
        if self in _disks:
            _disks.discard(self)
            subprocess.run(["umount", "-l", self.path], check=False)
            os.rmdir(self.path)
