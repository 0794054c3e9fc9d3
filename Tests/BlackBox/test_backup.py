"""viewmodeld backup and restore: beside a daemon under load, killed at any moment, as root.

`ViewModelStoreTests` check what the commands do to files: links, devices, drafts, former databases, journals, wrong files, full disks.
"""
import os
import random
import re
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest
from accounts import add, sign_in
from daemons import PROGRAM, clean_environment, needs, needs_ctl, root_only, run_program
from wire import wait_until

PASSWORD = "correct horse"
ROOM = {"limits": {"outboxItemsPerUser": 100_000, "outboxBytesPerUser": 1 << 30}}


def backup(daemon, file, *flags):
    return run_program("backup", "--state-directory", daemon.state, *flags, file)


def restore(state, file):
    return run_program("restore", "--state-directory", state, file)


def texts(c):
    return [item["text"] for item in c.value("sendList", "items")]


@pytest.fixture
def kept(own, tmp_path):
    """A stopped daemon with an item, an account, a token and a session, and a backup of it."""
    daemon = own()
    c = daemon.connect("desk")
    add(c, "first")
    c.call("login.register", {"account": "anna", "password": PASSWORD})
    sign_in(c, "anna", PASSWORD)
    c.call("calculator.press", ["7"])
    assert daemon.stop() == 0
    file = tmp_path / "backup.sqlite"
    assert backup(daemon, file).returncode == 0
    return daemon, file


@pytest.fixture
def synced(tmp_path_factory):
    """The environment in which programs note what they sync and name, and the function that takes their notes."""
    needs("clang")
    folder = tmp_path_factory.mktemp("synced")
    library, notes = folder / "synced.so", folder / "notes"
    subprocess.run(["clang", "-shared", "-fPIC", "-Werror", "-o", library, Path(__file__).with_name("synced.c")], check=True)

    def take():
        lines = [line.split(" ", 1) for line in notes.read_text().splitlines()]
        notes.unlink()
        return [f"{what} " + re.sub(r"-[0-9a-f]+\.draft$", "-*.draft", os.path.basename(path)) for what, path in lines]
    return {"LD_PRELOAD": str(library), "SYNCED": str(notes)}, take


@needs_ctl
def test_a_file_is_on_the_disk_before_its_name_and_a_name_before_the_next_step(kept, own, tmp_path, synced):
    daemon, _ = kept
    environment, take = synced

    def expect(notes, *steps):
        assert any(notes[at:at + len(steps)] == [*steps] for at in range(len(notes))), (steps, notes)

    def run(*words):
        result = run_program(*words, environment=environment)
        assert result.returncode == 0, result.stderr
        return take()
    copy, state, database = tmp_path / "copy", ["--state-directory", daemon.state], "viewmodeld.sqlite"
    for force in [], ["--force"]:
        expect(run("backup", *force, *state, copy), "sync viewmodeld-backup-*.draft", "name copy", f"sync {tmp_path.name}")
    notes = run("restore", *state, copy)
    former, = [note for note in notes if "before-restore" in note]
    expect(notes, former, "sync state", f"name {database}", "sync state")
    assert notes.index(f"sync {database}.restored") < notes.index(former)
    notes = run("vault", "rotate", *state)
    expect(notes, "sync vault.key.new", "sync state")
    expect(notes, "name vault.key", "sync state")
    other = own(environment=environment)
    c = other.connect()
    c.call("login.register", {"account": "anna", "password": PASSWORD})
    sign_in(c, "anna", PASSWORD)
    notes = take()
    expect(notes, f"sync {database}.new", f"name {database}", "sync state")
    expect(notes, "sync vault.key.new", "name vault.key", "sync state")
    contract = tmp_path / "contract"
    contract.write_text(other.ctl("rpc", "rpc.discover").stdout)
    generate = other.ctl("generate", "python", "--from", contract, "--output", tmp_path / "client.py", environment=environment)
    assert generate.returncode == 0, generate.stderr
    expect(take(), "sync .viewmodel-*.draft", "name client.py")


class Writer(threading.Thread):
    """A client that adds items to the outbox, and notes each text whose addition was acknowledged."""

    def __init__(self, daemon, number):
        super().__init__(daemon=True)
        self.client, self.number, self.acknowledged, self.ends = daemon.connect(), number, [], threading.Event()
        self.start()

    def run(self):
        while not self.ends.is_set():
            text = f"writer {self.number} item {len(self.acknowledged)} " + "x" * random.randrange(400)
            add(self.client, text)
            self.acknowledged.append(text)


def test_a_backup_under_load_has_everything_that_was_acknowledged_before(own, tmp_path):
    daemon = own(ROOM)
    writers, registrar, rounds = [Writer(daemon, number) for number in range(3)], daemon.connect(), []
    for number in range(3):
        wait_until(lambda: all(len(each.acknowledged) > 30 * (number + 1) for each in writers), "acknowledged items", 60)
        registrar.call("login.register", {"account": f"user{number}", "password": PASSWORD})
        before = [list(each.acknowledged) for each in writers]
        file = tmp_path / f"backup{number}"
        result = backup(daemon, file)
        assert result.returncode == 0 and f"{file.stat().st_size} bytes" in result.stdout, result.stderr
        assert file.stat().st_mode & 0o777 == 0o600
        rounds.append((file, before))
    for each in writers:
        each.ends.set()
        each.join(20)
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name for file, _ in rounds]
    daemon.stop()
    for number, (file, before) in enumerate(rounds):
        other = own(start=False)
        assert restore(other.state, file).returncode == 0
        c = other.start().connect()
        # A fast machine has more than 1 MiB by now, which is read after the first reply.
        found = wait_until(lambda: texts(c), "the items")
        for writer, acknowledged in zip(writers, before):
            mine = [text for text in found if text.startswith(f"writer {writer.number} ")]
            assert mine[:len(acknowledged)] == acknowledged, f"backup {number} has lost acknowledged items"
            assert mine[:-1] == writer.acknowledged[:len(mine) - 1], "what was added meanwhile is there up to one moment"
        sign_in(c, f"user{number}", PASSWORD)
        assert other.stop() == 0


def test_a_restored_state_needs_its_key_and_has_everything_else(kept, own):
    daemon, file = kept
    other, key = own(start=False), (daemon.state / "vault.key").read_text()
    assert key.strip().encode() not in file.read_bytes()
    result = restore(other.state, file)
    assert result.returncode == 0 and not result.stderr and str(other.state / "viewmodeld.sqlite") in result.stdout
    assert str(other.state / "vault.key") in result.stdout and "vault clear" in result.stdout
    assert (other.state / "viewmodeld.sqlite").stat().st_mode & 0o777 == 0o600
    other.launch()
    assert other.process.wait(20) == 78 and "vault.key is missing" in other.log and "vault clear" in other.log
    (other.state / "vault.key").touch(mode=0o600)
    (other.state / "vault.key").write_text(key)
    c = other.start().connect("desk")
    assert c.value("calculator", "led") == "7" and texts(c) == ["first"] and c.value("login", "user")["account"] == "anna"


def kill_at_random(command, tmp_path, check, rounds=12):
    """Runs a command and kills it after a random number of its system calls' time, at least once in the end."""
    limit = 0.05
    for number in range(rounds):
        process = subprocess.Popen([str(word) for word in command], env=clean_environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.wait(limit * random.random())
            limit *= 0.9
        except subprocess.TimeoutExpired:
            process.kill()
            limit *= 1.3
        process.communicate()
        check()


def test_a_backup_that_is_killed_leaves_a_whole_file_or_none(own, tmp_path):
    daemon, file = own(ROOM), tmp_path / "backup"
    c = daemon.connect()
    for number in range(300):
        add(c, f"{number} " + "x" * 20_000)
    assert backup(daemon, file).returncode == 0

    def check():
        with sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("SELECT count(*) FROM outbox").fetchone() == (300,)
        for draft in set(tmp_path.iterdir()) - {file}:
            assert draft.name.startswith("viewmodeld-backup-") and draft.suffix == ".draft" and draft.stat().st_mode & 0o777 == 0o600
            draft.unlink()
    kill_at_random([*PROGRAM, "backup", "--force", "--state-directory", daemon.state, file], tmp_path, check, 25)
    assert backup(daemon, file, "--force").returncode == 0 and list(tmp_path.iterdir()) == [file]


def test_a_restore_that_is_killed_leaves_the_old_state_or_the_new_one(own, tmp_path):
    daemon, file = own(ROOM), tmp_path / "backup"
    c = daemon.connect()
    for number in range(200):
        add(c, f"{number} " + "x" * 4000)       # together below 1 MiB, which the first reply shows whole
    assert backup(daemon, file).returncode == 0
    add(c, "the newest")
    daemon.stop()

    def check():
        c = daemon.start().connect()
        found = texts(c)
        assert len(found) in (200, 201), f"{len(found)} items"
        if len(found) == 200:
            add(c, "the newest")
        daemon.stop()
    kill_at_random([*PROGRAM, "restore", "--state-directory", daemon.state, file], tmp_path, check)


@root_only
def test_root_restores_for_the_owner_of_the_state_directory(own, tmp_path):
    daemon, file = own(), tmp_path / "backup.sqlite"
    add(daemon.connect("desk"), "first")
    daemon.stop()
    assert backup(daemon, file).returncode == 0
    tmp_path.chmod(0o700)
    os.chmod(daemon.folder, 0o755)
    for path in [daemon.state, *daemon.state.iterdir()]:
        os.chown(path, 12345, 12346)
    assert restore(daemon.state, file).returncode == 0
    assert backup(daemon, tmp_path / "other").returncode == 0
    assert {(path.stat().st_uid, path.stat().st_gid) for path in daemon.state.iterdir()} == {(12345, 12346)}
