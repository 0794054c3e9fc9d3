"""REFERENCE, Restoring, and PROTOCOL section 4: what comes back after a linger, a stop, a kill -9, and from a damaged file."""
import glob
import os
import random
import sqlite3
import time
from pathlib import Path

import pytest
from accounts import type_in
from daemons import Daemon, needs, unique
from picture import Picture
from wire import one_of_three, wait_until

QUICK = {"session": {"saveIntervalMilliseconds": 20}}


def databases(daemon):
    return [p for p in daemon.state.rglob("*") if p.is_file() and p.read_bytes()[:15] == b"SQLite format 3"]


# Hostile state

def session_values(daemon):
    """Yields (database, table, column) of what is saved of sessions."""
    for file in databases(daemon):
        with sqlite3.connect(file) as db:
            for (table,) in db.execute("select name from sqlite_master where type='table' and name like '%ession%'").fetchall():
                columns = db.execute(f'pragma table_info("{table}")').fetchall()
                yield file, table, [c[1] for c in columns], [c[1] for c in columns if c[5]]


HOSTILE = [b"", b"[]", b"{}", b"null", b"[", b"\xff\xfe", b"1e400", b'"x"', b'[{"id":"scene-9223372036854775807","scene":"help","style":"push","instance":null,"arguments":{}}]', b"9223372036854775808",
           b'[{"id":"root","scene":"root","style":"root","instance":null,"arguments":{}},{"id":"root","scene":"x","style":"root","instance":null,"arguments":{}}]']


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_saved_value_changed_by_hand_ends_nothing(own, text):
    """Each value of a saved session is replaced. The daemon starts, attaches and goes on without what it cannot use."""
    daemon = own(QUICK)
    c = daemon.connect("desk")
    for key in "12+3":
        c.call("calculator.press", [key])
    c.call("sendList.draft", ["text"])
    c.call("coordinator.open", {"scene": "help"})
    assert daemon.stop() == 0
    changed = 0
    for file, table, columns, keys in session_values(daemon):
        with sqlite3.connect(file) as db:
            for column in columns:
                if column in keys:
                    continue
                kinds = {k for (k,) in db.execute(f'select distinct typeof("{column}") from "{table}"')}
                if kinds & {"blob"} or column.lower() in ("value", "content", "text", "state", "json"):
                    changed += db.execute(f'update "{table}" set "{column}" = ?', (text,)).rowcount
    assert changed, "the test found no saved values"
    daemon.restart()
    c = daemon.connect()
    reply = c.ask("session.attach", {"session": "desk"})
    assert "result" in reply or reply["error"]["code"] in (-32603, -32004)
    for id in ("coordinator", "calculator", "sendList"):
        c.ask("viewModel.read", {"id": id})
    c.ask("coordinator.open", {"scene": "wallet"})
    c.ask("coordinator.back")
    c.ask("calculator.press", ["7"])
    c.ask("calculator.undo")
    c.ask("mine.header.select")
    daemon.survived()


def test_a_damaged_database_is_kept_and_refused(own):
    daemon = own(QUICK)
    daemon.connect("desk").call("sendList.draft", ["text"])
    daemon.stop()
    file = databases(daemon)[0]
    damaged = b"SQLite format 3\0" + os.urandom(8000)
    for side in file.parent.glob(file.name + "-*"):
        side.unlink()
    file.write_bytes(damaged)
    daemon.launch()
    assert daemon.process.wait(20) == 71
    assert any(p.is_file() and p.read_bytes() == damaged for p in daemon.state.rglob("*")), "the damaged file is kept"
    assert file.name in daemon.log


# What comes back

@pytest.mark.parametrize("end", ["linger", "stop", "kill"])
def test_a_named_session_comes_back(own, end):
    daemon = own({"session": {"saveIntervalMilliseconds": 100}})
    c = daemon.connect("desk", linger=0)
    c.call("viewModel.open", {"type": "sendList", "id": "second"})
    c.call("second.draft", ["a draft of its own"])
    c.call("sendList.draft", ["a draft"])
    for key in "12+3":
        c.call("keypad.press", [key])
    c.call("lab.set", [5])
    type_in(c, "some-account", "some password")
    c.call("coordinator.open", {"scene": "help", "arguments": {"a": [1, "é"]}})     # its reply says that all is saved
    before = {id: c.values(id) for id in ("coordinator", "calculator")}
    epoch = c.call("viewModel.read", {"id": "calculator"})["epoch"]
    if end == "linger":
        c.close()
        other = daemon.connect()
        wait_until(lambda: other.call("session.list") == {"sessions": []})
    else:
        daemon.restart(hard=end == "kill")
    c = daemon.connect()
    reply = c.attach("desk")
    assert reply["created"] is True and reply["restored"] is True and reply["epoch"] != epoch
    instances = {e["id"]: e["type"] for e in c.call("viewModel.list")["instances"]}
    assert instances.items() >= {"second": "sendList", "sendList": "sendList", "keypad": "keypad"}.items() and "lab" not in instances
    assert c.values("coordinator") == before["coordinator"] and c.values("calculator") == before["calculator"]
    assert c.value("sendList", "draft") == "a draft" and c.value("second", "draft") == "a draft of its own"
    login = c.values("login")
    assert login["accountProblem"] is None and login["submit.enabled"] is False, "inputs of login are not restored"
    c.call("keypad.press", ["="])
    assert c.value("calculator", "led") == "15"


def test_an_anonymous_session_does_not_come_back(own):
    daemon = own(QUICK)
    daemon.connect().call("sendList.draft", ["gone"])
    time.sleep(0.2)
    daemon.restart(hard=True)
    assert daemon.connect().value("sendList", "draft") == ""
    assert b"gone" not in daemon.on_disk(log=False)


def test_state_is_written_within_a_second(own):
    daemon = own()

    def attempt():
        name = unique()
        daemon.connect(name).call("sendList.draft", ["written"])
        time.sleep(1.5)
        daemon.restart(hard=True)
        return daemon.connect(name).value("sendList", "draft") != "written" and "the draft is lost"
    one_of_three(attempt)


def test_what_an_action_acknowledged_is_written_at_once(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 60_000}})
    for n in range(4):
        c = daemon.connect("desk")
        c.call("coordinator.open", {"scene": "help"})
        daemon.restart(hard=True)
        c = daemon.connect("desk")
        assert len(c.value("coordinator", "scenes")) == n + 2
    for key in "7+":
        c.call("calculator.press", [key])
    c.call("calculator.undo")
    daemon.restart(hard=True)
    assert daemon.connect("desk").value("calculator", "operations") == []


def test_many_answers_wait_for_one_save(own):
    daemon = own()
    c = daemon.connect("desk")
    ids = [c.request("coordinator.open", {"scene": "help"}) for _ in range(50)]
    assert all("result" in c.reply(id) for id in ids)
    daemon.restart(hard=True)
    assert len(daemon.connect("desk").value("coordinator", "scenes")) == 51


@pytest.mark.parametrize("closer", [0, 1], ids=["the same client", "another client"])
def test_a_close_does_not_swallow_answers_that_wait_for_a_save(daemon, closer):
    for _ in range(15):
        session = unique()
        clients = [daemon.connect(session, linger=0) for _ in range(2)]
        ids = [clients[0].request("coordinator.open", {"scene": "help"}) for _ in range(2)]
        clients[closer].call("session.close")
        for id in ids:
            assert clients[0].reply(id)


@pytest.mark.parametrize("seed", range(3))
def test_every_answer_comes_while_sessions_and_instances_close(own, seed):
    """Actions wait for a save. Their replies come also when the session, the instance or the other client goes meanwhile."""
    daemon = own({"session": {"saveIntervalMilliseconds": 1}})
    dice = random.Random(seed)
    kinds = [("coordinator.open", {"scene": "help"}), ("coordinator.back", {}), ("calculator.undo", {}), ("keypad.press", {"value": "7"}), ("keypad.press", {"value": "+"}),
             ("sendList.draft", {"value": "text"}), ("sendList.add", {}), ("viewModel.close", {"id": "calculator"}), ("viewModel.close", {"id": "sendList"})]
    for round in range(60):
        clients = [daemon.connect(f"desk-{round}", linger=0) for _ in range(2)]
        ids = []
        for _ in range(dice.randrange(5, 30)):
            client = dice.choice(clients)
            method, params = dice.choice(kinds) if dice.random() < 0.96 else ("session.close", {})
            ids.append((client, client.request(method, params), method))
        for client, id, method in ids:
            assert client.reply(id), f"{method} in round {round}"
        for client in clients:
            client.close()
        daemon.clients.clear()
    daemon.survived()


def test_a_restored_session_is_restored_again(own):
    daemon = own(QUICK)
    daemon.connect("desk").call("sendList.draft", ["a draft to keep"])
    daemon.wait_on_disk("a draft to keep")
    for _ in range(3):
        time.sleep(0.1)
        daemon.restart(hard=True)
        c = daemon.connect()
        assert c.attach("desk")["restored"] is True and c.value("sendList", "draft") == "a draft to keep"


def test_a_closed_session_is_not_written_again(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 100}})
    for n in range(5):
        c = daemon.connect(f"desk-{n}")
        c.call("sendList.draft", ["text"])
        c.call("session.close")
        c.call("sendList.draft", ["late"])
    time.sleep(0.3)
    daemon.restart(hard=True)
    for n in range(5):
        assert daemon.connect().attach(f"desk-{n}")["restored"] is False


def test_a_session_that_was_too_large_is_saved_again_with_its_next_action(own):
    daemon = own({"limits": {"savedBytesPerSession": 1500}})
    c = daemon.connect("desk")
    for draft in ("x" * 1800, ""):
        c.call("sendList.draft", [draft])
        for key in "1+2=":
            c.call("calculator.press", [key])
        c.call("calculator.undo")       # answered when it is saved, unless the session is too large
    led = c.value("calculator", "led")
    daemon.restart(hard=True)
    again = daemon.connect()
    assert again.attach("desk")["restored"] is True
    assert again.value("calculator", "led") == led


def test_a_session_with_a_client_does_not_make_room_for_others(own):
    daemon = own({"limits": {"savedSessionsPerUser": 2}, **QUICK})
    desk = daemon.connect("desk")
    desk.call("calculator.press", ["7"])
    time.sleep(0.2)
    for name in "abcd":
        with daemon.connect(name, linger=0) as other:
            other.call("calculator.press", ["8"])
            time.sleep(0.1)
    daemon.restart(hard=True)
    again = daemon.connect()
    assert again.attach("desk")["restored"] is True
    assert again.value("calculator", "led") == "7"


def test_saved_sessions_are_erased_after_their_days(own):
    daemon = own({"session": {"saveIntervalMilliseconds": 20, "keepDays": 0}})
    daemon.connect("desk").call("sendList.draft", ["text"])
    time.sleep(0.2)
    daemon.restart()
    time.sleep(0.2)
    assert daemon.connect().attach("desk")["restored"] is False


def test_a_binding_resumes_across_a_restart_with_a_whole_picture(own):
    daemon = own(QUICK)
    picture = Picture(daemon.connect("desk"), "calculator")
    picture.client.call("calculator.press", ["7"])
    picture.take()
    picture.client.call("coordinator.open", {"scene": "help"})      # its reply says that all is saved
    daemon.restart(hard=True)
    again = Picture(daemon.connect("desk"), "calculator", since={"epoch": picture.epoch, "seq": picture.seq})
    assert again.answer["full"] is True and again.values["led"] == "7"


def test_files_are_private(own):
    daemon = own()
    daemon.connect("desk").call("sendList.draft", ["text"])
    assert daemon.state.stat().st_mode & 0o777 == 0o700
    for path in Path(daemon.state).rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o777 == 0o600, path


FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


@pytest.mark.parametrize("clocks", [
    ["+0", "@1970-01-01 00:10:00"], ["+0", "+3650d"], ["@1970-01-01 00:10:00", "+3650d", "+0"], ["+40d", "+0", "-40d"],
], ids=["behind", "ahead", "behind and ahead", "forty days"])
def test_a_clock_that_is_wrong_erases_no_session(own, clocks):
    if not FAKETIME:
        needs("faketime")
    daemon = own({"session": {"saveIntervalMilliseconds": 20, "keepDays": 1}}, start=False)
    stamp = daemon.folder / "clock"
    daemon.environment = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(stamp), "DONT_FAKE_MONOTONIC": "1"}
    # `env` loads the library first, and hands on what the library adds to the environment.
    daemon.command = lambda *more: ["env", *Daemon.command(daemon, *more)]
    for number, clock in enumerate(clocks * 2):
        stamp.write_text(clock + "\n")
        daemon.start()
        for former in range(number + 1):
            client = daemon.connect()
            assert client.attach(f"desk{former}", linger=0)["restored"] is (former < number), (clock, former)
            client.call("calculator.press", ["7"])
        for client in daemon.clients:
            client.close()
        daemon.clients.clear()
        daemon.stop()
