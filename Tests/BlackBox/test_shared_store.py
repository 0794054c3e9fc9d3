"""CONFIGURATION, store.url: daemons that keep everything in one PostgreSQL database. `Tests/Farm` has them on several machines."""
import base64
import os
import re

import pytest
from accounts import ACCOUNT, sign_in_locally
from daemons import run_program
from postgres import IS_THERE, Postgres
from wire import Refused, wait_until

needs_postgres = pytest.mark.skipif(not IS_THERE and os.environ.get("REQUIRE_ALL", "") in ("", "0"), reason="needs PostgreSQL 15")


@pytest.fixture
def database():
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture
def shared(tmp_path, database):
    """Makes the configuration of a machine. All have one vault key."""
    file = tmp_path / "shared.key"
    file.write_text(base64.b64encode(bytes(range(32))).decode())
    file.chmod(0o600)
    return lambda node: {"store": {"url": database.url}, "node": {"name": node}, "vault": {"keyFile": str(file)}}


@pytest.mark.parametrize("url", [
    "mysql://me:hunter2@example.org/db", "hunter2", "postgresql:hunter2", "postgresql://me:hunter2@example.org/db",
    "postgresql://me@example.org/db?password=hunter2",
    "postgresql://example.org/?passfile=/hunter2", "postgresql://example.org/db",
])
def test_an_address_that_the_daemon_refuses_is_not_repeated(own, url):
    daemon = own({"store": {"url": url}}, start=False).launch()
    assert daemon.process.wait(20) == 78 and "store.url" in daemon.log and "hunter2" not in daemon.log


def test_a_database_that_is_not_there(own, tmp_path):
    url = f"postgresql://viewmodeld@/postgres?host={tmp_path}"
    daemon = own({"store": {"url": url}}, start=False).launch()
    assert daemon.process.wait(30) == 73 and str(tmp_path) in daemon.log
    (tmp_path / "file").touch()
    for command in ("backup", "restore"):
        result = run_program(command, "--config", daemon.folder / "viewmodeld.yaml", "--state-directory", daemon.state, tmp_path / "file")
        assert result.returncode == 78 and "pg_dump" in result.stderr and "store.url" in result.stderr


def picture(client):
    items = [(item["text"], item["status"]) for item in client.value("sendList", "items")]
    return client.value("calculator", "led"), client.value("login", "user"), items


def fill(daemon):
    """Makes a record of each kind: an account, a token and a page, items, a session."""
    client = daemon.connect("desk")
    client.call("keypad.press", ["7"])
    sign_in_locally(client)
    for text in ("first", "second\0", "dritte ü"):
        client.call("sendList.draft", [text])
        client.call("sendList.add")
    return picture(client)


@needs_postgres
def test_what_one_machine_has_is_on_the_next_with_the_same_key(own, database, shared):
    first = own(shared("first"))
    expected = fill(first)
    other = own({**shared("other"), "vault": {}}, start=False).launch()
    assert other.process.wait(30) == 78 and "key" in other.log
    second = own(shared("second"))
    client = second.connect()
    data = client.refused("session.attach", {"session": "desk"}, -32009)["data"]
    assert data == {"node": "first", "attached": 1}
    assert client.attach("desk", move=True)["restored"] and picture(client) == expected and expected[1]["account"] == ACCOUNT
    closed = first.clients[0].notification("session.closed")
    assert closed == {"session": "desk", "reason": "moved", "node": "second"}
    watcher = first.connect()
    listed = wait_until(lambda: watcher.call("session.list")["sessions"], "the session elsewhere")
    assert [(entry["session"], entry["node"]) for entry in listed] == [("desk", "second")]


@needs_postgres
def test_a_copy_to_the_database_and_back_has_everything(own, tmp_path, database, shared):
    config, key = tmp_path / "viewmodeld.yaml", {"vault": shared("x")["vault"]}
    config.write_text(f"vault: {{keyFile: {key['vault']['keyFile']}}}\n")

    def copy(state, direction):
        return run_program("store", "copy", "--config", config, "--state-directory", state, direction, database.url, timeout=60)
    assert copy(tmp_path / "nothing", "--to").returncode == 73
    assert run_program("store", "copy", "--to", database.url, "--from", database.url).returncode == 64
    first = own(key)
    expected = fill(first)
    assert copy(first.state, "--to").returncode == 73, "a daemon uses the state directory"
    first.stop()
    results = [copy(first.state, "--to"), copy(first.state, "--to")]
    assert [result.returncode for result in results] == [0, 73] and "has records already" in results[1].stderr
    second = own(shared("second"))
    client = second.connect()
    assert client.attach("desk")["restored"] and picture(client) == expected
    used = copy(tmp_path / "back", "--from")
    assert used.returncode == 73 and "second" in used.stderr
    second.stop()
    results.append(copy(tmp_path / "back", "--from"))
    counts = [dict(re.findall(r"^(.*): (\d+) \([0-9a-f]{16}\)$", result.stdout, re.M)) for result in results]
    assert counts[0] == counts[2] and (counts[0]["accounts"], counts[0]["outbox items"], counts[0]["sessions"]) == ("1", "3", "1")
    third = own(key, "--state-directory", str(tmp_path / "back"))
    client = third.connect()
    assert client.attach("desk")["restored"] and picture(client) == expected


@needs_postgres
def test_a_daemon_without_its_database_says_so_and_the_log_has_a_line_for_each_end(own, database, shared):
    daemon = own(shared("alone"))
    client, other = daemon.connect(), daemon.connect()
    assert "storage" not in client.attach("desk", linger=600)
    database.stop()
    wait_until(lambda: other.attach("desk").get("storage") == "unavailable", "the loss of the database")
    for _ in range(20):
        with pytest.raises(Refused):
            other.call("coordinator.open", {"scene": "help"})
    assert "storage" in client.attach("desk") and not client.attach("desk")["created"]
    database.start()
    wait_until(lambda: "available again" in daemon.log, "the line in the log", 60)
    assert "storage" not in client.attach("desk")
    assert [daemon.log.count(text) for text in ("The database is not available", "available again", "cannot be reached")] == [1, 1, 0]
