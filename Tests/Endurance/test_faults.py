"""Faults of the machine by real means: full and read-only disks, locks, damage, no descriptors, clock steps.

`ViewModelStoreTests` have what the store promises of its files; here clients see it.
"""
import contextlib
import glob
import os
import random
import re
import resource
import shutil
import sqlite3
import time
from pathlib import Path

import pytest
from accounts import add
from daemons import needs
from endurance import FULL, LOCK_SECONDS, SEED, Bystanders, Pingers, connect_many, needs_root, sign_in
from wire import wait_until

DAEMON_UID = 12345
QUICK = {"session": {"saveIntervalMilliseconds": 20}}


def items(client) -> dict:
    """The items of the outbox. One above 1 MiB comes with the frame after the first."""
    return wait_until(lambda: {item["id"]: item["text"] for item in client.value("sendList", "items")}, "the items")


def database(state) -> Path:
    found = [path for path in Path(state).iterdir() if path.is_file() and path.open("rb").read(15) == b"SQLite format 3"]
    assert len(found) == 1, found
    return found[0]


def honest(client, method, params=None, patience=None) -> bool:
    """Whether a call succeeded. Its error names a fault of the daemon or an action that may be tried again, and no invented reason."""
    error = client.ask(method, *([] if params is None else [params]), patience=patience).get("error")
    assert error is None or error["code"] in (-32603, -32000, -32006) and error.get("data", {}).get("error") != "accountTaken", error
    return error is None


def add_until_refused(client, size) -> dict:
    kept = {}
    while honest(client, "sendList.draft", [text := f"{len(kept)} " + "x" * size]):
        reply = client.ask("sendList.add")
        if "error" in reply:
            assert reply["error"]["data"]["error"] == "storeUnavailable" and reply["error"]["data"]["retryable"] is True, reply
            break
        kept[reply["result"]["id"]] = text
    return kept


class FullDisk:
    """A daemon whose disk has been filled, with a signed-in user, a saved session and items."""

    def __init__(self, daemon, disk):
        self.daemon, self.disk = daemon, disk
        with daemon.connect("saved", linger=0) as client:
            client.call("sendList.draft", ["the draft"])
            sign_in(client)
            first = add(client, "first")
            client.call("coordinator.open", {"scene": "help"})
        self.bystanders = Bystanders(daemon)
        disk.fill()
        with daemon.connect() as client:
            self.kept = {first: "first", **add_until_refused(client, 50_000), **add_until_refused(client, 1)}

    def starts_again(self):
        """After kill -9, and with room again."""
        self.bystanders.close()
        self.daemon.kill()
        self.disk.empty()
        self.daemon.start()
        self.bystanders = Bystanders(self.daemon)

    def recovers(self):
        """With room again, work goes on. After kill -9 what was acknowledged is there, in the list and the log."""
        self.bystanders.check()
        self.disk.empty()
        with self.daemon.connect() as client:
            client.call("sendList.draft", ["room again"])
            self.kept[wait_until(lambda: client.ask("sendList.add").get("result"), "room again")["id"]] = "room again"
        self.bystanders.close()
        self.daemon.restart(hard=True)
        with self.daemon.connect() as client:
            assert not self.kept.keys() - items(client).keys(), "acknowledged and lost"


@pytest.fixture
def full(launch, small_disk):
    disk = small_disk(8)
    return FullDisk(launch(QUICK, state=disk.path / "state"), disk)


def the_outbox(full, client):
    """An addition fails, the item is not in the list, and the draft is still there. A removal holds."""
    client.call("sendList.draft", ["z" * 60_000])
    assert not honest(client, "sendList.add") and client.value("sendList", "draft") == "z" * 60_000
    assert items(client).keys() == full.kept.keys()
    removed, _ = full.kept.popitem()
    client.call("sendList.remove", [removed])
    wait_until(lambda: removed not in [item["id"] for item in client.value("sendList", "items")], "the removal")
    assert client.value("daemon", "storage")["healthy"] is False


def accounts(full, client):
    """What fails leaves no trace: with room again the same account is registered. The signed-in user goes on, and signs out."""
    names = [f"ada-{number}-" + "a" * 50 for number in range(60)]
    refused = [name for name in names if not honest(client, "login.register", {"account": name, "password": "correct horse", "nickname": "n" * 900})]
    assert refused, "every registration succeeded on a full disk"
    for _ in range(5):
        honest(client, "mine.refresh")
        assert client.value("mine.header", "nickname")
    signed_out = honest(client, "login.signOut")
    full.disk.empty()
    for name in refused[:3]:
        client.call("login.register", {"account": name, "password": "correct horse"})
    wait_until(lambda: signed_out or honest(client, "login.signOut"), "the sign-out")
    assert client.value("login", "state") == "signedOut"


def attaching_and_closing(full, client):
    """An attach of a saved and of a new name works. A close that was acknowledged leaves no saved session behind."""
    for name in ("saved", "new", "saved", "new-2"):
        with full.daemon.connect(name, linger=0) as other:
            other.call("calculator.press", ["7"])
    closed = honest(client, "session.close", {"session": "saved"})
    full.starts_again()
    assert not (closed and full.daemon.connect().attach("saved")["restored"])


def a_session(full, _):
    """An action acknowledges only what is on the disk. Restored is what was acknowledged."""
    acknowledged = 0
    with full.daemon.connect("desk") as client:
        for number in range(1, 30):
            client.call("sendList.draft", [f"{number} " + "d" * 60_000])
            for key in "1+2":
                client.call("calculator.press", [key])
            acknowledged = number if honest(client, "calculator.undo") else acknowledged
    full.starts_again()
    draft = full.daemon.connect("desk").value("sendList", "draft")
    assert int((draft or "0").split()[0]) >= acknowledged


def the_end_and_the_start(full, _):
    """SIGTERM ends the daemon with 0. A start without room ends with 73 or serves."""
    full.bystanders.close()
    with full.daemon.connect("last") as client:
        client.call("sendList.draft", ["q" * 60_000])
        assert full.daemon.stop(60) == 0
    full.daemon.launch()
    wait_until(lambda: not full.daemon.is_alive or "Listening" in full.daemon.log[-500:], "a start or its end", 60)
    assert full.daemon.is_alive or full.daemon.process.returncode == 73
    full.starts_again()


@pytest.mark.parametrize("look", [the_outbox, accounts, attaching_and_closing, a_session, the_end_and_the_start], ids=lambda look: look.__name__)
def test_a_full_disk(full, look):
    look(full, full.daemon.connect())
    full.recovers()


def test_a_state_directory_of_another_owner_and_one_that_becomes_read_only(launch):
    """A start of an ordinary user ends with 73 and changes nothing. A daemon that runs works with the files that it has open."""
    needs_root()
    daemon = launch(start=False)
    daemon.state.mkdir(mode=0o700)
    for path in (daemon.state, daemon.folder, daemon.socket.parent):
        os.chown(path, DAEMON_UID, DAEMON_UID)
    daemon.log_file.touch()
    daemon.start(user=DAEMON_UID, group=DAEMON_UID, extra_groups=[])
    bystanders = Bystanders(daemon)
    for path in (daemon.state, *daemon.state.iterdir()):
        os.chown(path, 0, 0)
        path.chmod(0o555 if path.is_dir() else 0o444)
    with daemon.connect("desk") as client:
        honest(client, "sendList.draft", ["x"])
        honest(client, "sendList.add")
        client.call("calculator.press", ["7"])
        honest(client, "calculator.clear")
    bystanders.check()
    assert daemon.stop() == 0
    before = sorted(daemon.state.iterdir())
    daemon.launch(user=DAEMON_UID, group=DAEMON_UID, extra_groups=[])
    assert daemon.process.wait(30) == 73 and sorted(daemon.state.iterdir()) == before and str(daemon.state) in daemon.log


def test_the_state_directory_is_removed(launch):
    """The daemon lives, says errors or works on, and ends with 0. A new start begins anew."""
    daemon = launch()
    bystanders = Bystanders(daemon)
    with daemon.connect("desk") as client:
        shutil.rmtree(daemon.state)
        for number in range(20):
            client.call("sendList.draft", [f"{number}"])
            honest(client, "sendList.add")
            client.call("calculator.press", ["7"])
            honest(client, "calculator.clear")
    bystanders.check()
    assert daemon.stop() == 0
    daemon.start()


@contextlib.contextmanager
def locked(path):
    """Holds SQLite's write lock. Nothing else in this process may open the file meanwhile: its end would release the lock."""
    connection = sqlite3.connect(path, timeout=10, isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        connection.close()


def test_a_locked_database(launch, manager):
    """ENDURANCE_LOCK_SECONDS says for how long. Bystanders, signs of life and reads go on, writes wait or fail."""
    daemon = launch(environment=manager.environment)
    with daemon.connect("saved", linger=0) as client:
        client.call("coordinator.open", {"scene": "help"})
    adder, attacher = daemon.connect(), daemon.connect()
    with locked(database(daemon.state)), Pingers(daemon, f"database locked for {LOCK_SECONDS:g} s"):
        adder.call("sendList.draft", ["while it is locked"])
        waiting = adder.request("sendList.add")
        attacher.request("session.attach", {"session": "saved"})
        end = time.monotonic() + LOCK_SECONDS
        while time.monotonic() < end or manager.signs.qsize() < 3:
            daemon.check("while its database is locked")
            time.sleep(0.1)
    reply = adder.reply(waiting, 60)
    assert "result" in reply or reply["error"]["data"]["error"] == "storeUnavailable", reply
    with daemon.connect("saved") as client:
        added = add(client, "afterwards")
    daemon.restart(hard=True)
    assert added in items(daemon.connect())
    daemon.stop()
    with locked(database(daemon.state)):
        daemon.launch()
        time.sleep(2)
        assert daemon.is_alive or daemon.process.returncode == 73
    if not daemon.is_alive:
        daemon.launch()
    daemon.wait_ready(60)
    assert added in items(daemon.connect())


def test_the_log_of_the_database_is_cut_at_random(launch):
    """A power failure tears SQLite's log. The daemon starts or ends with 71; it never traps."""
    dice, daemon = random.Random(SEED), launch()
    with daemon.connect("desk") as client:
        for number in range(40):
            add(client, f"{number}")
    daemon.kill()
    saved = daemon.state.with_suffix(".saved")
    shutil.copytree(daemon.state, saved)
    for _ in range(40 if FULL else 12):
        shutil.rmtree(daemon.state)
        shutil.copytree(saved, daemon.state)
        path = Path(f"{database(daemon.state)}-wal")
        with path.open("r+b") as file:
            file.seek(dice.randrange(path.stat().st_size))
            file.write(dice.randbytes(dice.choice([1, 8, 5000])))
            if dice.random() < 0.5:
                file.truncate(dice.randrange(path.stat().st_size))
        daemon.log_file.write_text("")
        daemon.launch()
        wait_until(lambda: not daemon.is_alive or "Listening" in daemon.log, "a start or its end", 60)
        if daemon.is_alive:
            daemon.connect("desk").value("sendList", "items")
            daemon.check()
            daemon.kill()
        assert daemon.process.returncode in (71, -9)


def test_no_descriptors_left(launch):
    """Who is connected goes on. Who connects is served when descriptors are there again. The log does not fill."""
    daemon = launch({"session": {"lingerSeconds": 1}})
    bystanders = Bystanders(daemon)
    before = daemon.level()
    with daemon.connect("desk") as client:
        resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (daemon.descriptors + 3, 20000))
        guests = connect_many(daemon, 60)
        wait_until(lambda: "No connection can be accepted" in daemon.log, "the line of the log")
        bystanders.check()
        for number in range(20):
            add(client, f"{number}")
        client.attach("desk-2")
        assert daemon.log.count("No connection can be accepted") <= 3
        resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (20000, 20000))
        for guest in guests:
            guest.sendall(b'{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}\n')
            assert b'"result"' in guest.recv(4096)
            guest.close()
    bystanders.check()
    daemon.comes_back_to(before)


def test_a_stop_without_descriptors_uses_no_global_queue(launch):
    """libdispatch may end a process that uses its global queues and cannot open a file.

    A thread of a global queue is named "…-qos", one of another queue "…-qos.overcommit".
    """
    needs("strace")
    daemon = launch({"shutdown": {"graceSeconds": 2}}, start=False)
    trace = daemon.folder / "trace"
    # The tracer is a grandchild, so the process keeps its number.
    daemon.prefix = ["strace", "-D", "-f", "-qq", "-e", "trace=prctl", "-o", str(trace)]
    daemon.start()
    with daemon.connect("desk") as client:
        client.notify("lab.sleep", {"milliseconds": 60000})
        client.call("coordinator.open", {"scene": "help"})
        resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (0, 20000))
        assert daemon.stop(60) == 0
    names = re.findall(r'PR_SET_NAME, "([^"]*)"', trace.read_text())
    assert any(name.endswith("-qos.overcommit") for name in names) and not any(name.endswith("-qos") for name in names), names
    daemon.prefix = []
    daemon.start()
    assert daemon.connect().attach("desk")["restored"]


FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


@pytest.mark.parametrize("step", ["+1d", "-1d", "+3650d", "-9000d", "@2038-01-19 03:14:06"])
def test_the_clock_is_set(launch, step):
    """By libfaketime. Deadlines, naps and lingering count on: they do not depend on the time of day."""
    if not FAKETIME:
        needs("faketime")
    daemon = launch(start=False)
    stamp = daemon.folder / "time"

    def turn(text):
        stamp.with_suffix(".new").write_text(text + "\n")
        stamp.with_suffix(".new").rename(stamp)
    turn("+0")
    daemon.environment = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(stamp), "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}
    # `env` loads the library first, and hands on what the library adds to the environment.
    daemon.prefix = ["env"]
    daemon.start()
    bystanders = Bystanders(daemon)
    created = lambda client, name: next(each["created"] for each in client.call("session.list")["sessions"] if each["session"] == name)
    with daemon.connect("desk", linger=60) as client, daemon.connect("held", linger=60) as held:
        nap = client.request("lab.sleep", {"milliseconds": 700})
        deadline = held.request("lab.sleep", {"milliseconds": 60000, "_meta": {"deadline": 700}})
        turn(step)
        assert "result" in client.reply(nap, 60) and held.reply(deadline, 60)["error"]["code"] == -32008
        added = add(client, "x")
        later = daemon.connect("later", linger=60)
        assert created(client, "desk")[:10] != created(later, "later")[:10], "the clock of the daemon did not step"
    bystanders.check()
    wait_until(lambda: daemon.attached("desk") == 0, "the client's end")
    assert not daemon.connect().attach("desk")["created"], "the session did not linger for its minute"
    assert daemon.stop(60) == 0
    daemon.environment, daemon.prefix = {}, []
    daemon.start()
    assert added in items(daemon.connect())
