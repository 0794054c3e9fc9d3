"""REFERENCE, Restoring, and PROTOCOL section 4: what comes back after a linger, a stop, a kill -9, and from a damaged file."""
import os
import random

import pytest
from accounts import type_in
from wire import wait_until

QUICK = {"session": {"saveIntervalMilliseconds": 20}}
HELP = ("coordinator.open", {"scene": "help", "arguments": {"a": [1, "é"]}})
"""Its reply says that all that came before is saved."""


def databases(daemon):
    return [p for p in daemon.state.rglob("*") if p.is_file() and p.read_bytes()[:15] == b"SQLite format 3"]


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
