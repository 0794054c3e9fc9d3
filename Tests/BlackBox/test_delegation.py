"""PROTOCOL section 4, "Delegation": a front acts for people, whose data belongs to their numbers."""
import hashlib
import os
import sqlite3
import time
from contextlib import closing

import pytest
from accounts import add, register, sign_in
from daemons import root_only, run_program

FRONT, ACTOR = 5000, 1
ADA, BOB = "https://sso.example.org|ada", "https://sso.example.org|bob"
CONFIG = {"access": [{"user": FRONT, "scope": "delegate"}, {"user": ACTOR, "scope": "act"}]}

pytestmark = root_only


@pytest.fixture
def daemon(own):
    return own(CONFIG, shared=True)


def person(daemon, subject, session=None, **params):
    """A connection of a person, and the number."""
    client = daemon.connect(uid=FRONT)
    number = client.call("connection.actFor", {"subject": subject, **params})["user"]
    if session:
        client.attach(session)
    return client, number


def texts(client):
    return [item["text"] for item in client.value("sendList", "items")]


def test_people_of_one_front_have_nothing_in_common(daemon):
    (ada, ada_number), (bob, bob_number) = person(daemon, ADA, "desk"), person(daemon, BOB, "desk")
    assert ada_number != bob_number and min(ada_number, bob_number) >= 1 << 31
    register(ada, "ada", "correct horse", "Ada")
    sign_in(ada, "ada", "correct horse")
    add(ada, "from Ada")
    bob.call("sendList.draft", ["Bob's draft"])
    assert bob.value("login", "state") == "signedOut" and texts(bob) == []
    assert ada.value("sendList", "draft") == ""
    assert [entry["attached"] for entry in bob.call("session.list")["sessions"]] == [1]
    other, number = person(daemon, ADA)
    assert number == ada_number and other.attach("desk")["created"] is False
    assert other.value("login", "state") == "signedIn" and texts(other) == ["from Ada"]
    # Nor with the users of the machine, who do not exist for them.
    unix = daemon.connect(uid=ACTOR)
    assert unix.call("session.list") == {"sessions": []} and unix.value("login", "state") == "signedOut"
    for uid in (0, ACTOR, FRONT, bob_number):
        assert other.refused("session.attach", {"session": "desk", "uid": uid}, -32005)


@pytest.mark.parametrize("way", ["stop", "kill", "restore"])
def test_a_person_keeps_number_and_data(daemon, tmp_path, way):
    ada, number = person(daemon, ADA, "desk")
    person(daemon, BOB)
    register(ada, "ada", "correct horse", "Ada")
    sign_in(ada, "ada", "correct horse")
    add(ada, "from Ada")
    if way == "restore":
        daemon.stop()
        file = tmp_path / "backup.sqlite"
        assert run_program("backup", "--state-directory", daemon.state, file).returncode == 0
        daemon.start()
        _, later = person(daemon, "https://sso.example.org|eve")
        daemon.stop()
        assert run_program("restore", "--state-directory", daemon.state, file).returncode == 0
        daemon.drop_clients()
        daemon.start()
    else:
        daemon.restart(hard=way == "kill")
    _, bob_number = person(daemon, BOB)
    ada, again = person(daemon, ADA)
    assert (again, bob_number) == (number, number + 1)
    assert ada.attach("desk")["restored"] is True
    assert ada.value("login", "state") == "signedIn" and texts(ada) == ["from Ada"]


@pytest.mark.parametrize("subject", ["1000", "uid:1000", "|1000", "issuer|0", str(ACTOR)])
def test_no_subject_is_a_user_of_the_machine(daemon, subject):
    client, number = person(daemon, subject)
    assert number >= 1 << 31
    unix = daemon.connect("desk", uid=ACTOR)
    assert client.attach("desk")["created"] is True
    unix.call("lab.set", [5])
    assert client.value("lab", "value") == 0


def test_a_front_is_bound_within_ten_seconds(daemon):
    idle, refused = daemon.connect(uid=FRONT), daemon.connect(uid=FRONT)
    begun = time.monotonic()
    refused.refused("session.list", code=-32005)
    refused.refused("connection.actFor", {"subject": ADA}, -32005)
    bound, _ = person(daemon, ADA)
    assert idle.ends(15) and refused.ends(5)
    assert time.monotonic() - begun > 9
    bound.round_trip()


def test_people_who_are_known_go_on_when_the_numbers_run_out(daemon):
    _, number = person(daemon, ADA)
    daemon.stop()
    with closing(sqlite3.connect(daemon.state / "viewmodeld.sqlite")) as store, store:
        store.execute("INSERT INTO person VALUES (?, x'00')", [(1 << 32) - 2])
    daemon.drop_clients()
    daemon.start()
    late = daemon.connect(uid=FRONT)
    error = late.refused("connection.actFor", {"subject": BOB}, -32006)
    assert error["data"] == {"limit": "people", "value": (1 << 31) - 1} and late.ends()
    assert "All user numbers of people are given" in daemon.log and "Look at the disk" not in daemon.log
    ada, again = person(daemon, ADA, "desk")
    assert again == number
    ada.call("sendList.draft", ["saved"])


def test_neither_the_log_nor_the_store_has_a_subject(daemon):
    secrets = [b"sso.example.org", b"Ada Lovelace", b"countess"]
    daemon.config["log"] = {"level": "debug"}
    daemon.restart()
    ada, number = person(daemon, ADA, "desk", name="Ada Lovelace", claims={"title": "countess"})
    ada.call("sendList.draft", ["saved"])
    ada.call("coordinator.open", {"scene": "help"})
    daemon.connect(uid=FRONT).refused("connection.actFor", {"subject": ADA, "name": "Ada Lovelace\n"}, -32602)
    daemon.connect(uid=ACTOR).refused("connection.actFor", {"subject": ADA}, -32005)
    daemon.stop()
    log = daemon.log
    assert f"user={number}" in log and f"subject={hashlib.sha256(ADA.encode()).hexdigest()}" in log
    for secret in secrets:
        assert secret.decode() not in log and secret not in daemon.on_disk()


def test_access_that_changes_ends_the_connections(daemon):
    ada, _ = person(daemon, ADA)
    unix = daemon.connect(uid=ACTOR)
    unix.round_trip()
    daemon.config["access"] = [{"user": FRONT, "scope": "act"}, {"user": ACTOR, "scope": "delegate"}]
    daemon.command()
    os.kill(daemon.process.pid, 1)
    assert ada.ends() and unix.ends()
    assert daemon.connect(uid=FRONT).refused("connection.actFor", {"subject": ADA}, -32005)
    assert daemon.connect(uid=ACTOR).call("connection.actFor", {"subject": ADA})["user"] == 1 << 31
