"""viewmodeld backup and restore: beside a daemon under load, killed at any moment, wrong files, full and read-only disks."""
import base64
import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import threading
import time

import pytest
from accounts import sign_in
from daemons import PROGRAM, clean_environment, root_only, run_program
from wire import wait_until

PASSWORD = "correct horse"


def backup(daemon, file, *flags):
    return run_program("backup", "--state-directory", daemon.state, *flags, file)


def restore(state, file):
    return run_program("restore", "--state-directory", state, file)


def add(c, text):
    c.call("sendList.draft", [text])
    return c.call("sendList.add")["id"]


def texts(c):
    return [item["text"] for item in c.value("sendList", "items")]


@pytest.fixture
def kept(own, tmp_path):
    """A stopped daemon with an item, an account and a session, and a backup of it."""
    daemon = own()
    c = daemon.connect("desk")
    add(c, "first")
    c.call("login.register", {"account": "anna", "password": PASSWORD})
    c.call("calculator.press", ["7"])
    assert daemon.stop() == 0
    file = tmp_path / "backup.sqlite"
    assert backup(daemon, file).returncode == 0
    return daemon, file


class Writer(threading.Thread):
    """A client that adds items to the outbox, and notes each text whose addition was acknowledged."""

    def __init__(self, daemon, number):
        super().__init__(daemon=True)
        self.client, self.number, self.acknowledged, self.ends = daemon.connect(), number, [], threading.Event()
        self.start()

    def run(self):
        count = 0
        while not self.ends.is_set():
            text = f"writer {self.number} item {count} " + "x" * random.randrange(400)
            self.client.call("sendList.draft", [text])
            self.client.call("sendList.add")
            self.acknowledged.append(text)
            count += 1


def test_a_backup_under_load_has_everything_that_was_acknowledged_before(own, tmp_path):
    daemon = own({"limits": {"outboxItemsPerUser": 100_000}})
    writers = [Writer(daemon, number) for number in range(4)]
    registered = 0
    registrar = daemon.connect()
    rounds = []
    for number in range(4):
        wait_until(lambda: all(len(each.acknowledged) > 30 * (number + 1) for each in writers), "acknowledged items", 60)
        registrar.call("login.register", {"account": f"user{registered}", "password": PASSWORD})
        registered += 1
        before = [list(each.acknowledged) for each in writers]
        file = tmp_path / f"backup{number}"
        result = backup(daemon, file)
        assert result.returncode == 0, result.stderr
        assert f"{file.stat().st_size} bytes" in result.stdout
        assert file.stat().st_mode & 0o777 == 0o600
        rounds.append((file, before, registered))
    during = [len(each.acknowledged) for each in writers]
    for each in writers:
        each.ends.set()
        each.join(20)
    assert all(count > len(before) for count, before in zip(during, rounds[0][1])), "no client wrote during the backups"
    daemon.survived()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"backup{number}" for number in range(4)]
    daemon.stop()
    everything = [set(each.acknowledged) for each in writers]
    for number, (file, before, count) in enumerate(rounds):
        other = own(start=False)
        assert restore(other.state, file).returncode == 0
        other.start()
        c = other.connect()
        # A fast machine has more than 1 MiB by now, which is read after the first reply.
        found = wait_until(lambda: texts(c), "the items")
        assert len(found) == len(set(found))
        for writer, acknowledged in enumerate(before):
            mine = [text for text in found if text.startswith(f"writer {writer} ")]
            assert mine[:len(acknowledged)] == acknowledged, f"backup {number} has lost acknowledged items"
            # What was added during the backup is there up to one moment. One addition may not be acknowledged yet.
            assert len(set(mine) - everything[writer]) <= 1
        for user in range(count):
            sign_in(c, f"user{user}", PASSWORD)
            c.call("login.signOut")
        assert other.stop() == 0


def test_a_restored_state_has_sessions_accounts_and_items(kept, own):
    daemon, file = kept
    other = own(start=False)
    result = restore(other.state, file)
    assert result.returncode == 0 and not result.stderr
    assert str(other.state / "viewmodeld.sqlite") in result.stdout
    other.start()
    c = other.connect("desk")
    assert c.value("calculator", "led") == "7" and texts(c) == ["first"]
    sign_in(c, "anna", PASSWORD)
    assert {path.name: path.stat().st_mode & 0o777 for path in other.state.iterdir()}["viewmodeld.sqlite"] == 0o600


def test_a_restore_keeps_the_former_database_and_can_be_undone(kept):
    daemon, file = kept
    daemon.start()
    add(daemon.connect(), "second")
    daemon.kill()
    result = restore(daemon.state, file)
    assert result.returncode == 0
    # It is one file, also with the log that a killed daemon has left.
    former, = [path for path in daemon.state.iterdir() if "before-restore" in path.name]
    assert str(former) in result.stdout
    daemon.start()
    assert texts(daemon.connect()) == ["first"]
    daemon.stop()
    assert restore(daemon.state, former).returncode == 0
    daemon.start()
    assert texts(daemon.connect()) == ["first", "second"]


def test_a_restore_refuses_a_state_directory_in_use(kept):
    daemon, file = kept
    daemon.start()
    add(daemon.connect(), "second")
    before = sorted(path.name for path in daemon.state.iterdir())
    result = restore(daemon.state, file)
    assert result.returncode == 73 and f"process {daemon.process.pid}" in result.stderr and "stop" in result.stderr
    assert sorted(path.name for path in daemon.state.iterdir()) == before
    assert texts(daemon.connect()) == ["first", "second"]


def test_a_restore_refuses_a_database_that_another_program_has_open(kept):
    daemon, file = kept
    daemon.start()
    add(daemon.connect(), "second")
    daemon.kill()
    with contextlib.closing(sqlite3.connect(daemon.state / "viewmodeld.sqlite")) as other:
        assert other.execute("SELECT count(*) FROM outbox").fetchall() == [(2,)]
        result = restore(daemon.state, file)
    assert result.returncode == 73 and "sqlite3" in result.stderr and not result.stdout
    assert not [path for path in daemon.state.iterdir() if "before-restore" in path.name]
    daemon.start()
    assert texts(daemon.connect()) == ["first", "second"]
    daemon.stop()
    assert restore(daemon.state, file).returncode == 0


def test_tokens_need_their_key(own, tmp_path):
    daemon = own()
    c = daemon.connect()
    c.call("login.register", {"account": "anna", "password": PASSWORD})
    sign_in(c, "anna", PASSWORD)
    file = tmp_path / "backup"
    assert backup(daemon, file).returncode == 0
    key = (daemon.state / "vault.key").read_text()
    assert key.strip() not in file.read_bytes().decode("latin-1")
    other = own(start=False)
    result = restore(other.state, file)
    assert result.returncode == 0 and str(other.state / "vault.key") in result.stdout and "vault clear" in result.stdout
    other.launch()
    assert other.process.wait(20) == 78 and "vault.key is missing" in other.log
    (other.state / "vault.key").touch(mode=0o600)
    (other.state / "vault.key").write_text(key)
    other.start()
    assert other.connect().value("login", "user")["account"] == "anna"


def test_a_key_of_the_configuration_is_named_only_if_it_is_missing(own, tmp_path):
    key, file = tmp_path / "key", tmp_path / "backup"
    key.touch(mode=0o600)
    key.write_text(base64.b64encode(os.urandom(32)).decode())
    daemon = own({"vault": {"keyFile": str(key)}})
    c = daemon.connect()
    c.call("login.register", {"account": "anna", "password": PASSWORD})
    sign_in(c, "anna", PASSWORD)
    daemon.stop()
    assert backup(daemon, file).returncode == 0
    configured = ["restore", "--state-directory", daemon.state, "--config", daemon.folder / "viewmodeld.yaml", file]
    result = run_program(*configured)
    assert result.returncode == 0 and "key" not in result.stdout
    result = run_program(*configured[:3], "--config", tmp_path / "none", file)
    assert result.returncode == 78 and "none" in result.stderr
    result = restore(daemon.state, file)
    assert result.returncode == 0 and "the file of vault.keyFile" in result.stdout
    key.unlink()
    result = run_program(*configured)
    assert result.returncode == 0 and f"is in place: {key}." in result.stdout


def test_a_backup_replaces_a_file_only_if_told(kept, tmp_path):
    daemon, file = kept
    content = file.read_bytes()
    result = backup(daemon, file)
    assert result.returncode == 73 and "--force" in result.stderr and file.read_bytes() == content
    daemon.start()
    add(daemon.connect(), "second")
    assert backup(daemon, file, "--force").returncode == 0
    assert b"second" in file.read_bytes()
    assert backup(daemon, daemon.state / "copy").returncode == 73
    assert backup(daemon, tmp_path / "none" / "copy").returncode == 73
    result = run_program("backup", "--state-directory", tmp_path / "none", tmp_path / "copy")
    assert result.returncode == 73 and "--state-directory" in result.stderr
    assert run_program("backup").returncode == 64
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.sqlite"]


def of_another_application(file):
    file.unlink()
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE notes (text)")


def of_a_newer_version(file):
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('later')")


WRONG = {
    "text": (71, "no database", lambda file: file.write_text("SQLite format 4\n" * 1000)),
    "empty": (71, "no database", lambda file: file.write_bytes(b"")),
    "truncated": (71, "damaged", lambda file: file.write_bytes(file.read_bytes()[:-4096])),
    "truncated in a page": (71, "damaged", lambda file: file.write_bytes(file.read_bytes()[:10_000])),
    "of another application": (71, "no database", of_another_application),
    "of a newer version": (71, "newer version", of_a_newer_version),
    "missing": (73, "No such file", lambda file: file.unlink()),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_file_is_refused_with_the_remedy_and_changes_nothing(kept, kind):
    daemon, file = kept
    code, reason, spoil = WRONG[kind]
    spoil(file)
    before = {path.name: path.read_bytes() for path in daemon.state.iterdir()}
    result = restore(daemon.state, file)
    assert result.returncode == code and not result.stdout
    assert result.stderr.startswith(f"viewmodeld: {file} ") and reason in result.stderr and result.stderr.count("\n") == 1
    after = {path.name: path.read_bytes() for path in daemon.state.iterdir()}
    assert {**before, "lock": b""} == {**after, "lock": b""}
    daemon.start()
    assert texts(daemon.connect()) == ["first"]


def test_a_backup_that_is_killed_leaves_a_whole_file_or_none(own, tmp_path):
    daemon = own({"limits": {"outboxItemsPerUser": 100_000, "outboxBytesPerUser": 1 << 30}})
    c = daemon.connect()
    for number in range(300):
        add(c, f"{number} " + "x" * 20_000)
    file, checked = tmp_path / "backup", 0
    command = [*PROGRAM, "backup", "--force", "--state-directory", str(daemon.state), str(file)]
    started = time.monotonic()
    subprocess.run(command, env=clean_environment(tmp_path), check=True, capture_output=True)
    duration = time.monotonic() - started
    for number in range(25):
        started = time.monotonic()
        process = subprocess.Popen(command, env=clean_environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.wait(random.random() * duration)
            duration = time.monotonic() - started
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        with sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("SELECT count(*) FROM outbox").fetchone() == (300,)
        checked += process.returncode == -signal.SIGKILL
        # What a killed backup leaves has the name that docs/backup.md gives, and is private.
        for draft in set(tmp_path.iterdir()) - {file}:
            assert re.fullmatch("viewmodeld-backup-[0-9a-f]{1,16}[.]draft", draft.name)
            assert draft.stat().st_mode & 0o777 == 0o600
            draft.unlink()
    assert checked, "no backup was killed"
    assert backup(daemon, file, "--force").returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"backup"}


def test_a_restore_that_is_killed_leaves_the_old_state_or_the_new_one(own, tmp_path):
    daemon = own({"limits": {"outboxItemsPerUser": 100_000, "outboxBytesPerUser": 1 << 30}})
    c = daemon.connect()
    for number in range(200):
        add(c, f"{number} " + "x" * 4000)       # together below 1 MiB, which the first reply shows whole
    file = tmp_path / "backup"
    assert backup(daemon, file).returncode == 0
    add(c, "the newest")
    daemon.stop()
    command = [*PROGRAM, "restore", "--state-directory", str(daemon.state), str(file)]
    duration, kills = 0.5, 0
    for number in range(12):
        started = time.monotonic()
        process = subprocess.Popen(command, env=clean_environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.wait(duration * random.random())
            duration = time.monotonic() - started
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate()
        daemon.start()
        found = texts(daemon.connect())
        assert len(found) in (200, 201), f"{len(found)} items"
        if len(found) == 200:
            add(daemon.connect(), "the newest")
        daemon.stop()
    assert kills


TRANSACTION = """
import os, signal, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode = DELETE")
db.execute("PRAGMA cache_size = 1")     # changed pages go to the file before the transaction ends
db.execute("BEGIN")
for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
    db.execute(f'DELETE FROM "{table}"')
db.execute("CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)"
           " SELECT hex(randomblob(500)) FROM n")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_transaction_in_rollback_mode_that_was_killed_is_undone(kept):
    """A restore leaves such a journal if it is killed while it ends the use of the former database's log."""
    daemon, _ = kept
    database = daemon.state / "viewmodeld.sqlite"
    assert subprocess.run(["python3", "-c", TRANSACTION, database]).returncode == -signal.SIGKILL
    journal = daemon.state / "viewmodeld.sqlite-journal"
    assert journal.stat().st_size
    daemon.start()
    assert texts(daemon.connect()) == ["first"]
    assert not journal.exists()
    assert daemon.stop() == 0


def test_second_names_that_a_killed_restore_left_are_gone(kept):
    daemon, file = kept
    database = daemon.state / "viewmodeld.sqlite"
    second = daemon.state / "viewmodeld.sqlite.before-restore-2026-01-01T000000Z"
    other = daemon.state / "viewmodeld.sqlite.before-restore-2026-01-01T000001Z"
    draft = daemon.state / "viewmodeld.sqlite.restored"
    os.link(database, second)
    second.with_name(second.name + "-wal").write_bytes(b"x" * 100)
    for copy in (other, draft):
        copy.write_bytes(file.read_bytes())
    daemon.start()
    add(daemon.connect(), "second")
    assert daemon.stop() == 0
    assert sorted(path.name for path in daemon.state.iterdir() if "sqlite" in path.name) == [database.name, other.name]
    os.link(database, second)
    assert restore(daemon.state, file).returncode == 0
    assert not second.exists() or second.stat().st_ino != database.stat().st_ino
    daemon.start()
    assert texts(daemon.connect()) == ["first"]


def test_the_log_of_a_missing_database_is_kept(own):
    daemon = own()
    add(daemon.connect(), "first")
    daemon.kill()
    database = daemon.state / "viewmodeld.sqlite"
    assert (daemon.state / "viewmodeld.sqlite-wal").stat().st_size
    away = database.rename(daemon.folder / "away.sqlite")
    daemon.start()
    assert texts(daemon.connect()) == []
    assert daemon.stop() == 0
    log, = [path for path in daemon.state.iterdir() if path.name.endswith("-wal")]
    assert "The database was missing, but not its log" in daemon.log and log.name in daemon.log
    # Both in place again, nothing is lost.
    database.unlink()
    away.rename(database)
    log.rename(daemon.state / "viewmodeld.sqlite-wal")
    daemon.start()
    assert texts(daemon.connect()) == ["first"]


@pytest.fixture
def small_disk(tmp_path):
    """A tmpfs of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "backup", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@root_only
def test_a_full_and_a_read_only_disk_are_named(kept, small_disk):
    daemon, file = kept
    result = backup(daemon, small_disk / "copy")
    assert result.returncode == 73 and "the disk is full" in result.stderr and str(small_disk) in result.stderr
    assert list(small_disk.iterdir()) == []
    result = restore(small_disk / "state", file)
    assert result.returncode == 73 and "the disk is full" in result.stderr
    assert [path.name for path in (small_disk / "state").iterdir()] == ["lock"]
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    result = backup(daemon, small_disk / "copy")
    assert result.returncode == 73 and "Read-only file system" in result.stderr and "Choose a directory" in result.stderr
    result = restore(small_disk / "state", file)
    assert result.returncode == 73 and "Read-only file system" in result.stderr


@root_only
def test_a_backup_whose_name_may_not_last_is_there_and_the_message_says_so(kept, own, tmp_path):
    """In a folder that its owner cannot read, a file gets its name, but the folder cannot be synced."""
    daemon, _ = kept
    user = 12345
    for path in [daemon.state, *daemon.state.iterdir()]:
        os.chown(path, user, user)
    os.chmod(daemon.folder, 0o755)
    box = daemon.folder / "box"
    box.mkdir(mode=0o300)
    os.chown(box, user, user)
    command = [*PROGRAM, "backup", "--state-directory", daemon.state, box / "copy"]
    result = subprocess.run(command, env=clean_environment(tmp_path), user=user, group=user, extra_groups=[], capture_output=True, text=True)
    assert result.returncode == 73 and not result.stdout
    assert result.stderr.startswith(f"viewmodeld: {box}/copy is in place and complete") and "Permission denied" in result.stderr
    assert [path.name for path in box.iterdir()] == ["copy"]
    assert restore(own(start=False).state, box / "copy").returncode == 0


@root_only
def test_root_restores_for_the_owner_of_the_state_directory(kept, own, tmp_path):
    daemon, file = kept
    tmp_path.chmod(0o700)
    os.chmod(daemon.folder, 0o755)
    for path in [daemon.state, *daemon.state.iterdir()]:
        os.chown(path, 12345, 12346)
    before = len(list(daemon.state.iterdir()))
    result = restore(daemon.state, file)
    assert result.returncode == 0, result.stderr
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in daemon.state.iterdir()}
    assert owners == {(12345, 12346)} and len(list(daemon.state.iterdir())) == before + 1
    # Root backs up the state of another user, and leaves it usable for that one.
    assert backup(daemon, tmp_path / "other").returncode == 0
    assert {path.stat().st_uid for path in daemon.state.iterdir()} == {12345}


def test_the_example_of_the_configuration_is_valid(tmp_path):
    result = run_program("configuration")
    assert result.returncode == 0
    file = tmp_path / "viewmodeld.yaml"
    file.write_text(result.stdout)
    assert run_program("--check-config", "--config", file).returncode == 0
    keys = json.loads(run_program("configuration", "--json").stdout)
    assert all(key["variable"] in result.stdout for key in keys)
    assert len(keys) > 40 and {"name", "meaning", "expectation", "variable", "default", "live"} == set(keys[0])
