"""CONFIGURATION, store.url: a daemon without its database, and copies to PostgreSQL and back. `Tests/Farm` has several machines."""
import base64
import hashlib
import os
import re
import sqlite3
from contextlib import closing

import pytest
from accounts import ACCOUNT, PASSWORD, add, register, sign_in
from daemons import REQUIRE_ALL, run_program
from postgres import IS_THERE, Postgres

needs_postgres = pytest.mark.skipif(not IS_THERE and not REQUIRE_ALL, reason="needs PostgreSQL 15")


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
    register(client)
    sign_in(client, ACCOUNT, PASSWORD)
    for text in ("first", "second\0", "dritte ü"):
        add(client, text)
    return picture(client)


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
    ada = ((1 << 31) + 5, hashlib.sha256(b"issuer|ada").digest())
    aside = (os.getuid(), "settings", "\x01aside 1 nick", b'"Anna"')
    with closing(sqlite3.connect(first.state / "viewmodeld.sqlite")) as file, file:
        file.execute("INSERT INTO lastingValue (uid, owner, name, text) VALUES (?, ?, ?, ?)", aside)
        file.execute("INSERT INTO person VALUES (?, ?)", ada)
    results = [copy(first.state, "--to"), copy(first.state, "--to")]
    assert [result.returncode for result in results] == [0, 73] and "has records already" in results[1].stderr
    second = own({**shared("second"), "access": [{"user": 5000, "scope": "delegate"}]}, shared=True)
    if os.getuid() == 0:                # only root can connect as another user
        for subject, number in (("issuer|bob", ada[0] + 1), ("issuer|ada", ada[0])):
            assert second.connect(uid=5000).call("connection.actFor", {"subject": subject}) == {"user": number}
    client = second.connect()
    assert client.attach("desk")["restored"] and picture(client) == expected
    used = copy(tmp_path / "back", "--from")
    assert used.returncode == 73 and "second" in used.stderr
    second.stop()
    results.append(copy(tmp_path / "back", "--from"))
    with closing(sqlite3.connect(tmp_path / "back/viewmodeld.sqlite")) as file:
        assert aside in file.execute("SELECT uid, owner, name, text FROM lastingValue").fetchall()
        assert ada in file.execute("SELECT uid, subject FROM person").fetchall()
    counts = [dict(re.findall(r"^(.*): (\d+) \([0-9a-f]{16}\)$", result.stdout, re.M)) for result in results]
    assert counts[0].pop("people") == "1" and counts[2].pop("people") == ("2" if os.getuid() == 0 else "1")
    assert counts[0] == counts[2] and (counts[0]["accounts"], counts[0]["outbox items"], counts[0]["sessions"]) == ("1", "3", "1")
    third = own(key, "--state-directory", str(tmp_path / "back"))
    client = third.connect()
    assert client.attach("desk")["restored"] and picture(client) == expected
