"""Faults of the machine by real means: full and read-only disks, locks, damage, no descriptors, clock steps."""
from __future__ import annotations

import glob
import hashlib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

import pytest
from endurance import (FULL, LOCK_SECONDS, SEED, Bystanders, Gone, Manager, Pingers, calm, connect, eventually, figure,
                       needs_root, open_to_others, sign_in, needs_package)

DAEMON_UID = 12345


def items(client):
    """The items of the outbox. Whether the first picture is whole is a test of its own, in `test_signals.py`."""
    def read():
        return {item["id"]: item["text"] for item in
                client.result("viewModel.read", {"id": "sendList"})["values"]["items"]}
    return read() or eventually(read, 1)


def database(state):
    """The SQLite file in the state directory."""
    found = [path for path in glob.glob(os.path.join(state, "*"))
             if os.path.isfile(path) and open(path, "rb").read(15) == b"SQLite format 3"]
    assert len(found) == 1, os.listdir(state)
    return found[0]


def is_honest(error):
    """Whether an error names a fault of the daemon or an action that may be tried again, and no invented reason."""
    return error["code"] in (-32603, -32000, -32006)


# A full disk.

def add_until_refused(client, text, most=400):
    """Adds items. Returns those that were acknowledged, and the first error."""
    kept = {}
    for number in range(most):
        error = client.refusal("sendList.draft", [f"{number} {text}"])
        if error:
            return kept, error
        reply = client.call("sendList.add")
        if "error" in reply:
            return kept, reply["error"]
        kept[reply["result"]["id"]] = f"{number} {text}"
    return kept, None


@pytest.fixture
def full(launch, small_disk):
    """A daemon whose disk has been filled, with a signed-in user and a saved session. Gives daemon, disk, bystanders, items."""
    disk = small_disk(8)
    daemon = launch(state=os.path.join(disk.path, "state"), config={"session": {"saveIntervalMilliseconds": 20}})
    with daemon.client("saved", linger=0) as client:
        client.result("calculator.press", ["7"])
        client.result("calculator.press", ["+"])
        client.result("sendList.draft", ["the draft"])
        client.call("lab.open", {"scene": "help"})
    bystanders = Bystanders(daemon, users=False)
    disk.fill()
    with daemon.client() as client:
        kept, error = add_until_refused(client, "x" * 50_000)
        more, _ = add_until_refused(client, "y")
    assert error is not None, "the disk did not become full"
    yield daemon, disk, bystanders, {**kept, **more}, error
    daemon.check()
    bystanders.check()
    bystanders.close()


def recovers(daemon, disk, kept):
    """With room again, work goes on. After kill -9 what was acknowledged is there."""
    if disk.is_filled:
        disk.empty()
    with daemon.client() as client:
        client.result("sendList.draft", ["room again"])
        kept = {**kept, client.result("sendList.add")["id"]: "room again"}
    daemon.restart()
    with daemon.client() as client:
        there = items(client)
    missing = set(kept) - set(there)
    assert not missing, f"acknowledged and lost: {len(missing)} of {len(kept)}"


def test_full_disk_outbox(full):
    """`sendList.add` fails. The item is not in the list, and the draft is still there."""
    daemon, disk, bystanders, kept, error = full
    assert is_honest(error), error
    with daemon.client() as client:
        client.result("sendList.draft", ["z" * 60_000])
        error = client.refusal("sendList.add")
        assert error and is_honest(error), error
        values = client.result("viewModel.read", {"id": "sendList"})["values"]
        assert values["draft"] == "z" * 60_000
        assert set(kept) == {item["id"] for item in values["items"]}
    bystanders.check()
    with daemon.client() as client:
        disk.empty()
        client.result("sendList.draft", ["room again"])
        kept[client.result("sendList.add")["id"]] = "room again"
    daemon.kill()
    daemon.start()
    with daemon.client() as client:
        assert not set(kept) - set(items(client))
    bystanders.renew()


def test_full_disk_session(full):
    """`calculator.undo` in a named session acknowledges only what is on the disk. Restored is what was acknowledged."""
    daemon, disk, bystanders, _, _ = full
    acknowledged, refused = None, 0
    with daemon.client("desk") as client:
        for number in range(1, 30):
            client.result("sendList.draft", [f"{number} " + "d" * 60_000])
            client.result("calculator.press", ["1"])
            client.result("calculator.press", ["+"])
            client.result("calculator.press", ["2"])
            error = client.refusal("calculator.undo")
            if error is None:
                acknowledged = number
            else:
                assert is_honest(error), error
                refused += 1
    daemon.check()
    figure(f"full disk: {refused} of 29 saves that `calculator.undo` waited for were refused")
    daemon.kill()
    disk.empty()
    daemon.start()
    bystanders.renew()
    with daemon.client() as client:
        restored = client.result("session.attach", {"session": "desk"})["restored"]
        draft = client.result("viewModel.read", {"id": "sendList"})["values"]["draft"]
    found = int(draft.split()[0]) if restored and draft else 0
    assert acknowledged is None or found >= acknowledged, f"acknowledged {acknowledged}, restored {found}, refused {refused}"
    assert refused > 0 or acknowledged == 29


def test_full_disk_attach(full):
    """`session.attach` of a saved and of a new name works, if with nothing restored. Actions in it run."""
    daemon, disk, bystanders, kept, _ = full
    for name in ("saved", "new", "saved", "new-2"):
        with daemon.client() as client:
            reply = client.call("session.attach", {"session": name, "linger": 0})
            assert "result" in reply, (name, reply)
            client.result("calculator.press", ["7"])
            assert "led" in client.result("viewModel.read", {"id": "calculator"})["values"]
    bystanders.check()
    recovers(daemon, disk, kept)
    bystanders.renew()


def test_full_disk_register_and_sign_in(full):
    """What fails leaves no trace: with room again the same account is registered and signs in."""
    daemon, disk, bystanders, kept, _ = full
    refused = 0
    with daemon.client() as client:
        names = []
        for number in range(60):
            error = client.refusal("login.register", {"account": f"ada-{number}-" + "a" * 50, "password": "correct horse",
                                                      "nickname": "n" * 900})
            if error:
                assert is_honest(error) and (error.get("data") or {}).get("error") != "accountTaken", error
                refused += 1
                names.append(f"ada-{number}-" + "a" * 50)
                if refused == 3:
                    break
        assert refused, "every registration succeeded on a full disk"
        disk.empty()
        for name in names:
            assert client.refusal("login.register", {"account": name, "password": "correct horse"}) is None
        disk.fill()
        add_until_refused(client, "x" * 50_000)
        client.result("login.account", [names[0]])
        client.result("login.password", ["correct horse"])
        error = client.refusal("login.submit")
        state = client.result("viewModel.read", {"id": "login", "outputs": ["state"]})["values"]["state"]
        assert error is None or is_honest(error), error
        assert state == ("signedOut" if error else "signedIn"), (error, state)
        disk.empty()
        if error:
            assert eventually(lambda: client.call("login.password", ["correct horse"]) and client.call("login.submit")
                              and client.result("viewModel.read", {"id": "login"})["values"]["state"] == "signedIn", 30, 1)
    recovers(daemon, disk, kept)
    bystanders.renew()


def test_full_disk_vault_and_cache(launch, small_disk):
    """The disk fills while somebody is signed in. `mine` shows the account, refreshes, and signing out works."""
    disk = small_disk(8)
    daemon = launch(state=os.path.join(disk.path, "state"))
    bystanders = Bystanders(daemon, users=False)
    with daemon.client("page") as client:
        sign_in(client)
        client.result("viewModel.bind", {"id": "mine"})
        disk.fill()
        _, error = add_until_refused(client, "x" * 50_000)
        add_until_refused(client, "y")
        assert error, "the disk did not become full"
        for _ in range(20):
            error = client.refusal("mine.refresh")
            assert error is None or is_honest(error), error
            header = client.result("viewModel.read", {"id": "mine.header"})["values"]
            assert header["nickname"] not in ("", None), header
        error = client.refusal("login.signOut")
        state = client.result("viewModel.read", {"id": "login"})["values"]["state"]
        assert error is None or is_honest(error), error
        bystanders.check()
        disk.empty()
        if state == "signedIn":
            assert client.refusal("login.signOut") is None
    daemon.restart()
    with daemon.client() as client:
        assert client.result("viewModel.read", {"id": "login"})["values"]["state"] == "signedOut"
        client.call("mine.autoLogin")
        assert client.result("viewModel.read", {"id": "mine.header"})["values"]["nickname"] == "click login"


def test_full_disk_session_close_erases_or_fails(full):
    """A `session.close` that was acknowledged leaves no saved session behind."""
    daemon, disk, bystanders, kept, _ = full
    with daemon.client() as client:
        error = client.refusal("session.close", {"session": "saved"})
        assert error is None or is_honest(error), error
    daemon.kill()
    disk.empty()
    daemon.start()
    bystanders.renew()
    with daemon.client() as client:
        restored = client.result("session.attach", {"session": "saved"})["restored"]
    assert not (error is None and restored)


def test_full_disk_end_and_start(full):
    """SIGTERM ends the daemon with 0 in time. A start without room ends with 73 or serves."""
    daemon, disk, bystanders, kept, _ = full
    with daemon.client("last") as client:
        client.result("sendList.draft", ["q" * 60_000])
        code, took = daemon.terminate(8)
    assert code == 0, (code, daemon.log())
    daemon.spawn()
    eventually(lambda: not daemon.alive or daemon.is_answering(), 30)
    served = daemon.alive
    if not served:
        assert daemon.process.returncode == 73, (daemon.process.returncode, daemon.log())
    else:
        daemon.wait_until_answering()
    figure(f"full disk: SIGTERM took {took:.1f} s, a start " + ("served" if served else "ended with 73"))
    disk.empty()
    if not served:
        daemon.start()
    with daemon.client() as client:
        assert not set(kept) - set(items(client))
    bystanders.renew()


def test_a_full_disk_does_not_flood_the_log(full):
    """Twenty sessions that cannot be saved for two seconds write a bounded number of lines."""
    daemon, disk, bystanders, _, _ = full
    begin = len(daemon.whole_log())
    clients = [daemon.client(f"noisy-{number}") for number in range(20)]
    end = time.monotonic() + 2
    while time.monotonic() < end:
        for number, client in enumerate(clients):
            client.result("sendList.draft", [f"{time.monotonic()}" + "n" * 20_000])
    text = daemon.whole_log()[begin:]
    for client in clients:
        client.close()
    figure(f"full disk: 20 sessions that cannot be saved write {text.count(chr(10))} lines in 2 s")
    assert text.count("\n") < 150, text[-1500:]


@pytest.mark.limit(120)
def test_the_disk_fills_and_empties_at_random(launch, small_disk):
    """While clients work. At the end, after kill -9, each acknowledged item is there."""
    disk = small_disk(8)
    daemon = launch(state=os.path.join(disk.path, "state"))
    over = threading.Event()
    kept, problems = {}, []

    def work(session):
        try:
            with daemon.client(session) as client:
                while not over.is_set():
                    client.result("sendList.draft", [session + "x" * 3000])
                    reply = client.call("sendList.add")
                    if "result" in reply:
                        kept[reply["result"]["id"]] = True
                        if len(kept) > 800:
                            oldest = next(iter(kept))
                            if "result" in client.call("sendList.remove", [oldest]):
                                del kept[oldest]
                    elif not is_honest(reply["error"]):
                        problems.append(reply["error"])
                    client.call("calculator.clear")
        except (OSError, Gone, TimeoutError, pytest.fail.Exception) as error:
            problems.append(error)
    workers = [threading.Thread(target=work, args=(f"w{number}",)) for number in range(3)]
    for each in workers:
        each.start()
    dice = random.Random(SEED)
    try:
        for _ in range(40 if FULL else 8):
            time.sleep(dice.random() * 0.2)
            disk.fill()
            time.sleep(dice.random() * 0.2)
            disk.empty()
    finally:
        over.set()
        for each in workers:
            each.join(30)
    daemon.check()
    problems = [each for each in problems if not (isinstance(each, dict) and each["code"] == -32602)]
    assert not problems, problems[:3]
    daemon.restart()
    with daemon.client() as client:
        missing = set(kept) - set(items(client))
    assert not missing, f"seed {SEED}: acknowledged and lost: {missing}"


# A state directory that cannot be written.

@pytest.mark.parametrize("kind", ["new", "with a database"])
def test_a_state_directory_of_another_owner(launch, kind):
    """A start of an ordinary user ends with 73 and changes nothing."""
    needs_root()
    daemon = launch(start=False, uid=DAEMON_UID)
    if kind == "with a database":
        daemon.start()
        daemon.terminate()
    for path in (daemon.state, *glob.glob(daemon.state + "/*")):
        os.chown(path, 0, 0)
        os.chmod(path, 0o755 if os.path.isdir(path) else 0o644)
    before = sorted(os.listdir(daemon.state))
    assert daemon.spawn().process.wait(15) == 73, (daemon.process.returncode, daemon.log())
    assert sorted(os.listdir(daemon.state)) == before
    assert daemon.state in daemon.whole_log()


def test_the_state_directory_becomes_read_only_while_it_runs(launch):
    """The daemon of an ordinary user works with the files that it has open, and ends with 0."""
    needs_root()
    daemon = launch(uid=DAEMON_UID)
    bystanders = Bystanders(daemon, users=False)
    for path in (daemon.state, *glob.glob(daemon.state + "/*")):
        os.chown(path, 0, 0)
        os.chmod(path, 0o555 if os.path.isdir(path) else 0o444)
    with daemon.client("desk") as client:
        error = client.refusal("sendList.draft", ["x"]) or client.refusal("sendList.add")
        assert error is None or is_honest(error), error
        client.result("calculator.press", ["7"])
        error = client.refusal("calculator.clear")
        assert error is None or is_honest(error), error
    bystanders.check()
    assert daemon.terminate()[0] == 0


def test_a_read_only_file_system(launch, small_disk):
    """A start ends with 73. When the file system is writable again, what was acknowledged is there."""
    disk = small_disk(8)
    daemon = launch(state=os.path.join(disk.path, "state"))
    with daemon.client() as client:
        client.result("sendList.draft", ["kept"])
        kept = client.result("sendList.add")["id"]
    daemon.kill()
    disk.remount("ro")
    assert daemon.spawn().process.wait(15) == 73, (daemon.process.returncode, daemon.log())
    disk.remount("rw")
    daemon.start()
    with daemon.client() as client:
        assert kept in items(client)


def test_the_state_directory_is_removed(launch):
    """The daemon lives, says errors or works on, and ends with 0. A new start begins anew."""
    daemon = launch()
    bystanders = Bystanders(daemon, users=False)
    with daemon.client("desk") as client:
        client.result("calculator.press", ["7"])
        client.result("calculator.clear")
        shutil.rmtree(daemon.state)
        for number in range(20):
            client.result("sendList.draft", [f"{number}"])
            error = client.refusal("sendList.add")
            assert error is None or is_honest(error), error
            client.result("calculator.press", ["7"])
            error = client.refusal("calculator.clear")
            assert error is None or is_honest(error), error
    with daemon.client("other") as client:
        client.result("calculator.press", ["7"])
    bystanders.check()
    assert daemon.terminate()[0] == 0
    daemon.start()


# A locked database.

LOCK = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""


class Lock:
    """Another process that holds SQLite's write lock."""

    def __init__(self, path):
        self.process = subprocess.Popen([sys.executable, "-c", LOCK, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"locked\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


@pytest.mark.limit(180)
def test_a_locked_database(launch):
    """ENDURANCE_LOCK_SECONDS says for how long. Bystanders, signs of life and reads go on, writes wait or fail."""
    manager = Manager(4)
    try:
        daemon = launch(env=manager.env, config=open_to_others() if os.geteuid() == 0 else None)
        with daemon.client("saved", linger=0) as client:
            client.result("calculator.press", ["7"])
            client.result("calculator.press", ["+"])
            client.result("calculator.undo")
        answers = {}
        began = time.monotonic()
        with Lock(database(daemon.state)), Pingers(daemon) as pingers:
            with daemon.client() as adder, daemon.client() as attacher:
                adder.result("sendList.draft", ["while it is locked"])
                waiting = adder.request("sendList.add")
                attached = attacher.request("session.attach", {"session": "saved"})
                attacher.request("session.attach", {"session": "new"})
                while time.monotonic() < began + LOCK_SECONDS:
                    daemon.check("while its database is locked")
                    time.sleep(0.1)
                    if "add" not in answers:
                        try:
                            answers["add"] = (adder.reply(waiting, 0.05), time.monotonic() - began)
                        except TimeoutError:
                            pass
                    if "attach" not in answers:
                        try:
                            answers["attach"] = (attacher.reply(attached, 0.05), time.monotonic() - began)
                        except TimeoutError:
                            pass
                silence = manager.longest_silence(began)
        daemon.check("after its database was locked")
        said = {key: (("result" if "result" in reply else reply["error"]["code"]), f"{took:.1f} s")
                for key, (reply, took) in answers.items()}
        figure(f"database locked for {LOCK_SECONDS:g} s: the longest time without WATCHDOG=1: {silence:.1f} s; answers: {said}")
        pingers.judge(f"database locked for {LOCK_SECONDS:g} s")
        if "add" in answers:
            assert "error" in answers["add"][0] and is_honest(answers["add"][0]["error"]), answers
        calm(silence < 4, f"no sign of life for {silence:.1f} s")
        with daemon.client("saved") as client:
            client.result("sendList.draft", ["afterwards"])
            added = client.result("sendList.add")["id"]
            client.result("calculator.press", ["7"])
            client.result("calculator.clear")
        daemon.restart()
        with daemon.client() as client:
            assert added in items(client)
    finally:
        manager.close()


def test_a_start_while_the_database_is_locked(launch):
    """A start ends with 73 or serves after the lock. It does not hang for ever, and loses nothing."""
    daemon = launch()
    with daemon.client() as client:
        client.result("sendList.draft", ["kept"])
        kept = client.result("sendList.add")["id"]
    daemon.terminate()
    with Lock(database(daemon.state)):
        daemon.spawn()
        eventually(lambda: not daemon.alive, 8)
        assert daemon.alive or daemon.process.returncode == 73, (daemon.process.returncode, daemon.log())
    if daemon.alive:
        daemon.wait_until_answering()
    else:
        daemon.start()
    with daemon.client() as client:
        assert kept in items(client)


# A damaged database.

def header(data):
    return b"\xff" * 100 + data[100:]


def schema(data):
    return data[:100] + os.urandom(3996) + data[4096:]


def half(data):
    return data[:len(data) // 2 // 4096 * 4096 + 100]


def garbage(data):
    return bytes(random.Random(SEED).randbytes(len(data)))


def nothing_but_text(data):
    return b"This is no database.\n" * 50


@pytest.mark.parametrize("damage", [header, schema, half, garbage, nothing_but_text])
def test_a_damaged_database(launch, damage):
    """The start ends with 71. The damaged file is kept byte for byte, under its name."""
    daemon = launch()
    with daemon.client("desk") as client:
        for number in range(50):
            client.result("sendList.draft", [f"{number}" + "x" * 2000])
            client.result("sendList.add")
    daemon.terminate()
    path = database(daemon.state)
    with open(path, "rb") as file:
        sound = file.read()
    broken = damage(sound)
    for companion in glob.glob(path + "-*"):
        os.unlink(companion)
    with open(path, "wb") as file:
        file.write(broken)
    daemon.spawn()
    code = None
    try:
        code = daemon.process.wait(15)
    except subprocess.TimeoutExpired:
        pass
    assert code == 71, (code, daemon.log())
    with open(path, "rb") as file:
        assert hashlib.sha256(file.read()).digest() == hashlib.sha256(broken).digest(), "the damaged file was changed"
    assert path in daemon.whole_log()
    with open(path, "wb") as file:
        file.write(sound)
    daemon.start()
    with daemon.client() as client:
        assert len(items(client)) == 50


@pytest.mark.limit(120)
def test_the_log_of_the_database_is_cut_at_random(launch):
    """A power failure tears SQLite's log. The daemon starts or ends with 71; it never traps."""
    dice = random.Random(SEED)
    daemon = launch()
    with daemon.client("desk") as client:
        for number in range(40):
            client.result("sendList.draft", [f"{number}"])
            client.result("sendList.add")
    daemon.kill()
    saved = daemon.state + ".saved"
    shutil.copytree(daemon.state, saved)
    codes = []
    for _ in range(40 if FULL else 12):
        shutil.rmtree(daemon.state)
        shutil.copytree(saved, daemon.state)
        path = database(daemon.state) + "-wal"
        if os.path.exists(path) and os.path.getsize(path):
            with open(path, "r+b") as file:
                file.seek(dice.randrange(os.path.getsize(path)))
                file.write(dice.randbytes(dice.choice([1, 8, 5000])))
                if dice.random() < 0.5:
                    file.truncate(dice.randrange(os.path.getsize(path)))
        daemon.spawn()
        eventually(lambda: not daemon.alive or "Listening" in daemon.log(300), 10)
        if daemon.alive:
            daemon.wait_until_answering()
            with daemon.client("desk") as client:
                items(client)
            daemon.check()
            daemon.kill()
            codes.append(0)
        else:
            codes.append(daemon.process.returncode)
    assert set(codes) <= {0, 71}, codes


# No descriptors.

def test_no_descriptors_left(launch):
    """Who is connected goes on. Who connects is served when descriptors are there again. The log does not fill."""
    daemon = launch(config={"session": {"lingerSeconds": 1}})
    bystanders = Bystanders(daemon, users=False)
    before = daemon.level()
    with daemon.client("desk") as client:
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (daemon.descriptors() + 3, 20000))
        guests = [connect(daemon.path) for _ in range(60)]
        time.sleep(1)
        bystanders.check()
        for number in range(20):
            client.result("sendList.draft", [f"{number}"])
            assert client.result("sendList.add")["id"]
            client.result("calculator.press", ["7"])
            client.result("calculator.clear")
        attach = client.call("session.attach", {"session": "desk-2"})
        assert "result" in attach, attach
        lines = daemon.whole_log().count("No connection can be accepted")
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (20000, 20000))
        for guest in guests:
            guest.sendall(b'{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}\n')
            guest.settimeout(10)
            assert b'"result"' in guest.recv(4096)
            guest.close()
        assert lines <= 3, lines
    bystanders.check()
    daemon.comes_back_to(before)


def test_sigterm_without_descriptors(launch):
    daemon = launch(config={"shutdown": {"graceSeconds": 1}})
    with daemon.client("desk") as client:
        client.result("calculator.press", ["7"])
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (daemon.descriptors(), 20000))
        guests = [connect(daemon.path) for _ in range(20)]
        time.sleep(0.3)
        code, took = daemon.terminate()
        assert code == 0
        calm(took < 3, f"the end took {took:.1f} s")
        for guest in guests:
            guest.close()
    daemon.start()
    with daemon.client() as client:
        assert client.result("session.attach", {"session": "desk"})["restored"]


def test_a_stop_uses_no_global_queue(launch):
    """libdispatch may end a process that uses its global queues and cannot open a file.

    A thread of a global queue is named "…-qos", one of another queue "…-qos.overcommit".
    """
    needs_package("strace", shutil.which("strace"))
    daemon = launch(start=False, config={"shutdown": {"graceSeconds": 2}})
    trace = os.path.join(daemon.directory, "trace")
    # The tracer is a grandchild, so the process keeps its number.
    daemon.prefix = ["strace", "-D", "-f", "-qq", "-e", "trace=prctl", "-o", trace]
    daemon.start()
    with daemon.client("desk") as client:
        client.notify("lab.sleep", {"milliseconds": 60000})
        client.result("calculator.press", ["7"])
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (0, 20000))
        assert daemon.terminate(8)[0] == 0
    names = re.findall(r'PR_SET_NAME, "([^"]*)"', open(trace).read())
    assert any(name.endswith("-qos.overcommit") for name in names), names
    assert not any(name.endswith("-qos") for name in names), names
    daemon.prefix = []
    daemon.start()
    with daemon.client() as client:
        assert client.result("session.attach", {"session": "desk"})["restored"]


# Clock steps.

FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


@pytest.mark.parametrize("step", ["+1d", "-1d", "+3650d", "-9000d", "+0.5", "@2038-01-19 03:14:06"],
                         ids=["a day ahead", "a day back", "ten years ahead", "into the past", "half a second", "the year 2038"])
def test_the_clock_is_set(launch, step):
    """By libfaketime. Deadlines, naps and lingering count on: they do not depend on the time of day."""
    needs_package("faketime", FAKETIME)
    daemon = launch(start=False)
    stamp = os.path.join(daemon.directory, "time")

    def turn(text):
        with open(stamp + ".new", "w") as file:
            file.write(text + "\n")
        os.rename(stamp + ".new", stamp)
    turn("+0")
    daemon.env.update(LD_PRELOAD=FAKETIME, FAKETIME_TIMESTAMP_FILE=stamp, FAKETIME_NO_CACHE="1", DONT_FAKE_MONOTONIC="1")
    # At its first load libfaketime enlarges the environment. Swift finds a program's arguments beside the environment
    # that the kernel made, and sees none then. `env` loads the library first and hands on what it added.
    daemon.prefix = ["env"]
    daemon.start()
    bystanders = Bystanders(daemon, users=False)
    with daemon.client("desk", linger=60) as client, daemon.client("held", linger=60) as held:
        began = time.monotonic()
        nap = client.request("lab.sleep", {"milliseconds": 700})
        deadline = held.request("lab.sleep", {"milliseconds": 60000, "_meta": {"deadline": 700}})
        turn(step)
        assert "result" in client.reply(nap)
        assert held.reply(deadline)["error"]["code"] == -32008
        took = time.monotonic() - began
        assert took > 0.6, took
        calm(took < 3, f"the nap and the deadline took {took:.1f} s")
        client.result("sendList.draft", ["x"])
        added = client.result("sendList.add")["id"]
        client.result("calculator.press", ["7"])
        sessions = client.result("session.list")["sessions"]
        seen = next(each for each in sessions if each["session"] == "desk")["created"]
        made = daemon.client("later", linger=60)
        now = next(each for each in made.result("session.list")["sessions"] if each["session"] == "later")["created"]
        made.close()
    if step.startswith(("+1d", "-1d", "+3650d", "-9000d", "@")):
        assert seen[:10] != now[:10], f"the clock of the daemon did not step: {seen}, {now}"
    bystanders.check()
    with daemon.client() as client:
        time.sleep(1)
        reply = client.result("session.attach", {"session": "desk"})
        assert not reply["created"], "the session did not linger for its minute"
    turn("+0")
    bystanders.check()
    assert daemon.terminate(8)[0] == 0
    daemon.env.pop("LD_PRELOAD")
    daemon.start()
    with daemon.client() as client:
        assert added in items(client)


# The memory of the machine is not unlimited.

def test_a_limit_on_memory_ends_nothing_else(launch):
    """A message that the daemon has no memory for may end it; the next start has everything that was acknowledged."""
    daemon = launch()
    with daemon.client() as client:
        client.result("sendList.draft", ["kept"])
        kept = client.result("sendList.add")["id"]
        resource.prlimit(daemon.pid, resource.RLIMIT_DATA, (int(daemon.memory() + 30) << 20, resource.RLIM_INFINITY))
        try:
            for number in range(50):
                client.call("lab.echo", ["x" * 900_000])
        except (Gone, OSError):
            pass
    daemon.restart()
    with daemon.client() as client:
        assert kept in items(client)
