"""REFERENCE, Restoring, and PROTOCOL section 4: what comes back after a linger, a stop, a kill -9, and from a damaged file."""
import glob
import os
import random
import sqlite3

import pytest
from accounts import type_in
from daemons import Daemon, needs, unique
from wire import wait_until

QUICK = {"session": {"saveIntervalMilliseconds": 20}}
HELP = ("coordinator.open", {"scene": "help", "arguments": {"a": [1, "é"]}})
"""Its reply says that all that came before is saved."""


def databases(daemon):
    return [p for p in daemon.state.rglob("*") if p.is_file() and p.read_bytes()[:15] == b"SQLite format 3"]


HOSTILE = [b"", b"[]", b"{}", b"null", b"[", b"\xff\xfe", b"1e400", b'"x"', b"9223372036854775808",
           b'[{"id":"scene-9223372036854775807","scene":"help","style":"push","instance":null,"arguments":{}}]',
           b'[{"id":"root","scene":"root","style":"root","instance":null,"arguments":{}},'
           b'{"id":"root","scene":"x","style":"root","instance":null,"arguments":{}}]']


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_saved_value_changed_by_hand_ends_nothing(own, text):
    """Each value of a saved session is replaced. The daemon attaches and goes on without what it cannot use."""
    daemon = own(QUICK)
    c = daemon.connect("desk")
    for key in "12+3":
        c.call("calculator.press", [key])
    c.call("sendList.draft", ["text"])
    c.call(*HELP)
    assert daemon.stop() == 0
    changed = 0
    for file in databases(daemon):
        with sqlite3.connect(file) as db:
            for (table,) in db.execute("select name from sqlite_master where type='table' and name like '%ession%'").fetchall():
                columns = [c for c in db.execute(f'pragma table_info("{table}")') if not c[5] and (c[2] == "BLOB" or c[1] in ("value", "state"))]
                for column in columns:
                    changed += db.execute(f'update "{table}" set "{column[1]}" = ?', (text,)).rowcount
    assert changed, "the test found no saved values"
    daemon.restart()
    c = daemon.connect()
    reply = c.ask("session.attach", {"session": "desk"})
    assert "result" in reply or reply["error"]["code"] in (-32603, -32004)
    for method, params in [("viewModel.read", {"id": "calculator"}), ("viewModel.read", {"id": "sendList"}), HELP, ("coordinator.back", {}),
                           ("calculator.press", ["7"]), ("calculator.undo", {}), ("mine.header.select", {})]:
        c.ask(method, params)
    daemon.survived()


def test_a_damaged_database_is_kept_and_refused(own):
    daemon = own(QUICK)
    daemon.connect("desk").call("sendList.draft", ["text"])
    daemon.stop()
    file, damaged = databases(daemon)[0], b"SQLite format 3\0" + os.urandom(8000)
    for content in (damaged, b"this is no database" * 500):
        file.write_bytes(content)
        daemon.launch()
        assert daemon.process.wait(20) == 71 and file.name in daemon.log
        assert any(path.is_file() and path.read_bytes() == content for path in daemon.state.rglob("*")), "the damaged file is kept"


@pytest.mark.parametrize("end", ["linger", "stop", "kill"])
def test_a_named_session_comes_back(own, end):
    daemon = own()
    c = daemon.connect("desk", linger=0)
    c.call("viewModel.open", {"type": "sendList", "id": "second"})
    c.call("second.draft", ["a draft of its own"])
    c.call("sendList.draft", ["a draft"])
    for key in "12+3":
        c.call("keypad.press", [key])
    c.call("lab.set", [5])
    type_in(c, "some-account", "some password")
    c.call(*HELP)
    before = {id: c.values(id) for id in ("coordinator", "calculator")}
    epoch = c.call("viewModel.read", {"id": "calculator"})["epoch"]
    if end == "linger":
        c.close()
        other = daemon.connect()
        wait_until(lambda: other.call("session.list") == {"sessions": []}, "the session's end")
    else:
        daemon.restart(hard=end == "kill")
    c = daemon.connect()
    reply = c.attach("desk")
    assert reply["created"] is True and reply["restored"] is True and reply["epoch"] != epoch
    instances = {each["id"]: each["type"] for each in c.call("viewModel.list")["instances"]}
    assert instances.items() >= {"second": "sendList", "sendList": "sendList", "keypad": "keypad"}.items() and "lab" not in instances
    assert {id: c.values(id) for id in before} == before
    assert c.value("sendList", "draft") == "a draft" and c.value("second", "draft") == "a draft of its own"
    login = c.values("login")
    assert login["accountProblem"] is None and login["submit.enabled"] is False, "inputs of login are not restored"
    for path in [daemon.state, *daemon.state.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_an_anonymous_session_does_not_come_back(own):
    daemon = own(QUICK)
    c = daemon.connect()
    c.call("sendList.draft", ["gone"])
    c.call(*HELP)
    daemon.restart(hard=True)
    assert daemon.connect().value("sendList", "draft") == ""
    assert b"gone" not in daemon.on_disk(log=False)


def test_a_change_is_written_without_an_action(own):
    daemon = own()
    daemon.connect("desk").call("sendList.draft", ["written by itself"])
    for _ in range(3):
        daemon.wait_on_disk("written by itself")
        daemon.restart(hard=True)
        c = daemon.connect()
        assert c.attach("desk")["restored"] is True and c.value("sendList", "draft") == "written by itself"


def test_what_actions_acknowledged_is_written_at_once(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 60_000}})
    c = daemon.connect("desk")
    for key in "7+":
        c.call("calculator.press", [key])
    ids = [c.request(*HELP) for _ in range(30)] + [c.request("calculator.undo")]
    assert all("result" in c.reply(id) for id in ids)
    daemon.restart(hard=True)
    c = daemon.connect("desk")
    assert len(c.value("coordinator", "scenes")) == 31 and c.value("calculator", "operations") == []


@pytest.mark.parametrize("seed", range(3))
def test_every_answer_comes_while_sessions_and_instances_close(own, seed):
    """Actions wait for a save. Their replies come also when the session, the instance or the other client goes meanwhile."""
    daemon = own({"session": {"saveIntervalMilliseconds": 1}})
    dice = random.Random(seed)
    kinds = [HELP, ("coordinator.back", {}), ("calculator.undo", {}), ("keypad.press", {"value": "7"}), ("keypad.press", {"value": "+"}),
             ("sendList.draft", {"value": "text"}), ("sendList.add", {}), ("viewModel.close", {"id": "calculator"})]
    for number in range(40):
        clients = [daemon.connect(f"desk-{number}", linger=0) for _ in range(2)]
        ids = []
        for _ in range(dice.randrange(5, 30)):
            client = dice.choice(clients)
            method, params = dice.choice(kinds) if dice.random() < 0.96 else ("session.close", {})
            ids.append((client, client.request(method, params), method))
        for client, id, method in ids:
            assert client.reply(id), f"{method} in round {number}"
        for client in clients:
            client.close()
        daemon.clients.clear()
    daemon.survived()


def test_a_closed_session_is_not_written_again(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 1}})
    for number in range(5):
        c = daemon.connect(f"desk-{number}")
        c.call("sendList.draft", ["text"])
        c.call("session.close")
        c.call("sendList.draft", ["late"])
    daemon.restart()
    assert [daemon.connect().attach(f"desk-{number}")["restored"] for number in range(5)] == [False] * 5


FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


@pytest.mark.parametrize("clocks", [["+0", "@1970-01-01 00:10:00"], ["+0", "+3650d"], ["+40d", "+0", "-40d"]], ids=["behind", "ahead", "both"])
def test_a_clock_that_is_wrong_erases_no_session(own, clocks):
    if not FAKETIME:
        needs("faketime")
    daemon = own({"session": {"saveIntervalMilliseconds": 20, "keepDays": 1}}, start=False)
    stamp = daemon.folder / "clock"
    daemon.environment = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(stamp), "DONT_FAKE_MONOTONIC": "1"}
    # `env` loads the library first, and hands on what the library adds to the environment.
    daemon.command = lambda *more: ["env", *Daemon.command(daemon, *more)]
    names: list[str] = []
    for clock in clocks * 2:
        stamp.write_text(clock + "\n")
        daemon.start()
        for name in [*names, unique()]:
            client = daemon.connect()
            assert client.attach(name, linger=0)["restored"] is (name in names), (clock, name)
            client.call("calculator.press", ["7"])
            names += [] if name in names else [name]
        for client in daemon.clients:
            client.close()
        daemon.clients.clear()
        daemon.stop()
