"""CONFIGURATION, store.url: daemons that keep everything in one PostgreSQL database."""
import base64
import os

import pytest
from accounts import ACCOUNT, NICKNAME, sign_in_locally
from daemons import run_program
from postgres import IS_THERE, Postgres

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
def test_an_address_that_the_daemon_refuses(own, url):
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
