"""CONFIGURATION, store.url: daemons that keep everything in one PostgreSQL database."""
import base64
import os
import re

import pytest
from accounts import ACCOUNT, NICKNAME, sign_in_locally
from daemons import run_program, unique
from postgres import IS_THERE, Postgres
from wire import Client, Refused, wait_until

needs_postgres = pytest.mark.skipif(not IS_THERE and os.environ.get("REQUIRE_ALL", "") in ("", "0"), reason="needs PostgreSQL 15")


@pytest.fixture(scope="module")
def database():
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture
def key(tmp_path):
    """The vault key of all daemons."""
    file = tmp_path / "shared.key"
    file.write_text(base64.b64encode(bytes(range(32))).decode())
    file.chmod(0o600)
    return str(file)


def shared(database, key, node):
    return {"store": {"url": database.url}, "node": {"name": node}, "vault": {"keyFile": key}}


@pytest.mark.parametrize("url", ["mysql://me:hunter2@example.org/db", "hunter2", "postgresql:hunter2"])
def test_an_address_that_is_none(tmp_path, url):
    file = tmp_path / "viewmodeld.yaml"
    file.write_text(f"store: {{url: '{url}'}}\n")
    result = run_program("--check-config", "--config", file, home=tmp_path)
    assert result.returncode == 78 and "store.url" in result.stderr and "hunter2" not in result.stderr


@pytest.mark.parametrize("url", [
    "postgresql://me:hunter2@example.org/db", "postgresql://me@example.org/db?password=hunter2", "postgresql://example.org/?passfile=/hunter2", "postgresql://example.org/db",
])
def test_an_address_that_the_daemon_refuses(own, tmp_path, url):
    file = tmp_path / "viewmodeld.yaml"
    file.write_text(f"store: {{url: '{url}'}}\n")
    result = run_program("--check-config", "--config", file, home=tmp_path)
    assert result.returncode == 78 and "store.url" in result.stderr and "hunter2" not in result.stderr
    daemon = own({"store": {"url": url}}, start=False)
    daemon.launch()
    assert daemon.process.wait(20) == 78
    assert "store.url" in daemon.log and "hunter2" not in daemon.log


def test_a_database_that_is_not_there(own, tmp_path):
    daemon = own({"store": {"url": f"postgresql://viewmodeld@/postgres?host={tmp_path}"}}, start=False)
    daemon.launch()
    assert daemon.process.wait(30) == 73
    assert str(tmp_path) in daemon.log or "postgres" in daemon.log


@needs_postgres
def test_a_session_and_an_account_of_one_machine_are_on_the_next(own, database, key):
    first = own(shared(database, key, "first"))
    client = first.connect("desk")
    client.call("keypad.press", ["7"])
    assert sign_in_locally(client) == {"account": ACCOUNT, "nickname": NICKNAME}
    first.stop()
    second = own(shared(database, key, "second"))
    client = second.connect()
    assert client.attach("desk")["restored"]
    assert client.value("calculator", "led") == "7"
    assert client.value("login", "state") == "signedIn" and client.value("login", "user")["account"] == ACCOUNT


@needs_postgres
def test_a_machine_with_another_vault_key_does_not_start(own, database, key):
    own(shared(database, key, "first"))
    other = own({"store": {"url": database.url}, "node": {"name": "other"}}, start=False)
    other.launch()
    assert other.process.wait(30) == 78
    assert "key" in other.log


def copy(state, config, direction, url):
    return run_program("store", "copy", "--config", config, "--state-directory", state, direction, url, timeout=60)


@pytest.fixture
def fresh(database):
    """The address of a database without tables."""
    name = unique("db").replace("-", "_")
    database.execute(f'CREATE DATABASE "{name}"')
    return database.url.replace("/postgres?", f"/{name}?")


def fill(daemon):
    """Makes a record of each kind: an account, a token and a page, items of each status, a session, a user's value."""
    client = daemon.connect("desk")
    client.call("keypad.press", ["7"])
    sign_in_locally(client)
    for text in ["first", "second\0", "dritte ü"]:
        client.call("sendList.draft", [text])
        client.call("sendList.add")
    return picture(client)


def picture(client):
    items = [(item["text"], item["status"]) for item in client.value("sendList", "items")]
    return client.value("calculator", "led"), client.value("login", "user"), items


@needs_postgres
def test_a_copy_to_the_database_and_back_has_everything(own, tmp_path, fresh, key):
    config = tmp_path / "viewmodeld.yaml"
    config.write_text(f"vault: {{keyFile: {key}}}\n")
    first = own({"vault": {"keyFile": key}})
    expected = fill(first)
    assert copy(first.state, config, "--to", fresh).returncode == 73, "a daemon used the state directory"
    first.stop()
    result = copy(first.state, config, "--to", fresh)
    assert result.returncode == 0, result.stderr
    counts = dict(re.findall(r"^(.*): (\d+) \([0-9a-f]{16}\)$", result.stdout, re.M))
    assert counts["accounts"] == "1" and counts["tokens"] == "1" and counts["outbox items"] == "3" and counts["sessions"] == "1"

    again = copy(first.state, config, "--to", fresh)
    assert again.returncode == 73 and "has records already" in again.stderr

    second = own({"store": {"url": fresh}, "vault": {"keyFile": key}, "node": {"name": "second"}})
    client = second.connect()
    assert client.attach("desk")["restored"]
    assert picture(client) == expected
    used = copy(tmp_path / "back", config, "--from", fresh)
    assert used.returncode == 73 and "second" in used.stderr
    second.stop()

    back = copy(tmp_path / "back", config, "--from", fresh)
    assert back.returncode == 0, back.stderr
    assert dict(re.findall(r"^(.*): (\d+) \([0-9a-f]{16}\)$", back.stdout, re.M)) == counts
    third = own({"vault": {"keyFile": key}}, "--state-directory", str(tmp_path / "back"))
    client = third.connect()
    assert client.attach("desk")["restored"]
    assert picture(client) == expected


@needs_postgres
def test_a_copy_needs_something_to_copy_and_one_direction(tmp_path, fresh):
    config = tmp_path / "viewmodeld.yaml"
    config.write_text("{}\n")
    nothing = copy(tmp_path / "nothing", config, "--to", fresh)
    assert nothing.returncode == 73 and "nothing" in nothing.stderr
    both = run_program("store", "copy", "--to", fresh, "--from", fresh)
    assert both.returncode == 64 and "one database" in both.stderr


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_backup_of_a_database_is_left_to_postgresql(tmp_path, command):
    config = tmp_path / "viewmodeld.yaml"
    config.write_text("store: {url: 'postgresql://me@example.org/db'}\n")
    file = tmp_path / "file"
    if command == "restore":
        file.write_bytes(b"")
    result = run_program(command, "--config", config, "--state-directory", tmp_path / "state", file)
    assert result.returncode == 78 and "pg_dump" in result.stderr and "store.url" in result.stderr


@needs_postgres
def test_an_attach_without_the_database_says_so_and_the_log_has_a_line_for_each_end(own, key):
    database = Postgres()
    try:
        daemon = own(shared(database, key, "alone"))
        client = daemon.connect()
        assert "storage" not in client.attach("desk", linger=600)
        database.stop()
        with Client(daemon.socket) as other:
            wait_until(lambda: other.attach("desk").get("storage") == "unavailable", "the loss of the database")
            for _ in range(20):
                with pytest.raises(Refused):
                    other.call("coordinator.open", {"scene": "help"})
        assert "storage" in client.attach("desk") and not client.attach("desk")["created"]
        database.start()
        wait_until(lambda: "available again" in daemon.log, "the line in the log", 30)
        assert "storage" not in client.attach("desk")
        assert daemon.log.count("The database is not available") == 1
        assert daemon.log.count("available again") == 1
        assert "cannot be reached" not in daemon.log
    finally:
        database.remove()
