"""PROTOCOL section 4, "Sessions on several machines": where a named session lives, and how it comes to another node."""
import signal

import pytest
from farm import SPEED, Within, attach_within, leave
from picture import Picture
from wire import wait_until

AT_ONCE = 1.0
"""Seconds for a session to come from a node that works."""


def open_scene(client, number, key=None, patience=None):
    """Calls an action whose success must be saved. Its effect can be found again by its number."""
    params = {"scene": "help", "arguments": {"n": number}}
    if key:
        params["_meta"] = {"key": key}
    return client.call("coordinator.open", params, patience)


def scenes(client) -> list[int]:
    """The numbers of the scenes that `open_scene` has pushed."""
    return [scene["arguments"]["n"] for scene in client.value("coordinator", "scenes") if "n" in scene["arguments"]]


# Nobody is attached

def test_a_session_goes_round(farm, name):
    """Each node adds a digit. The epochs and the fences differ."""
    epochs, fences, digits = set(), [], ""
    for number in range(9):
        node = farm["abc"[number % 3]]
        client, answer, _ = attach_within(node, name, AT_ONCE)
        epochs.add(answer["epoch"])
        fences.append(farm.fence(name))
        digits += str(number + 1)
        client.call("keypad.press", [str(number + 1)])
        assert client.value("calculator", "led") == digits
        leave(node, client, name)
    assert len(epochs) == 9 and fences == sorted(set(fences)), "each take-over has a larger fence"


def test_a_client_that_changes_its_node_at_once(farm, name):
    """It closes its connection and attaches elsewhere, without a pause."""
    refused = []
    for number in range(12):
        node = farm["abc"[number % 3]]
        client = node.connect()
        with Within(AT_ONCE, "the change of the node"):
            reply = client.ask("session.attach", {"session": name})
        if "error" in reply:
            refused.append(reply["error"])
            wait_until(lambda: "result" in client.ask("session.attach", {"session": name}), "the session")
        client.close()
        node.clients.remove(client)
    assert not refused, f"{len(refused)} of 12 attaches were refused, although nobody was attached: {refused[0]}"


def test_both_nodes_want_a_session_at_once(farm, name):
    a, b, c = farm
    client = a.connect(name)
    client.call("calculator.press", ["7"])
    leave(a, client, name)
    rivals = {node: node.connect() for node in (b, c)}
    ids = {node: client.request("session.attach", {"session": name}) for node, client in rivals.items()}
    replies = {node: rivals[node].reply(ids[node], 5 * SPEED) for node in rivals}
    winners = [node for node, reply in replies.items() if "result" in reply]
    assert len(winners) == 1, replies
    loser = next(node for node in rivals if node not in winners)
    error = replies[loser]["error"]
    assert error["code"] == -32009 and error["data"] == {"node": winners[0].name, "attached": 1}
    assert rivals[winners[0]].value("calculator", "led") == "7"


# Somebody is attached

def test_move_takes_a_session_from_its_clients(farm, name):
    a, b = farm["a"], farm["b"]
    client = a.connect(name)
    picture = Picture(client, "calculator")
    client.call("calculator.press", ["7"])
    napping = client.request("lab.sleep", {"milliseconds": 30_000})
    client.round_trip()
    other, answer, _ = attach_within(b, name, AT_ONCE, move=True)
    assert answer["created"] and answer["restored"] and answer["epoch"] != picture.epoch
    assert other.value("calculator", "led") == "7"
    assert client.reply(napping, 2 * SPEED)["error"]["code"] == -32800
    assert client.notification("session.closed", patience=12 * SPEED) == {"session": name, "reason": "moved", "node": "b"}
    assert picture.take()["led"] == "7"
    assert client.refused("calculator.press", ["9"], -32010)["data"] == {"session": name, "reason": "moved"}
    other.call("calculator.press", ["8"])
    assert other.value("calculator", "led") == "78"
    client.refused("viewModel.list", {}, -32010)
    assert picture.take()["led"] == "7", "no frames of the former session"
    # The way back.
    assert client.attach(name, move=True)["restored"]
    assert client.value("calculator", "led") == "78"
    assert other.notification("session.closed", patience=12 * SPEED)["node"] == "a"


# Ends

def test_sigterm_lets_go_at_once(farm, name):
    a, b = farm["a"], farm["b"]
    client = a.connect(name)
    client.call("calculator.press", ["7"])
    idle = name + "-idle"
    other = a.connect(idle)
    other.call("calculator.press", ["8"])
    leave(a, other, idle)
    a.process.send_signal(signal.SIGTERM)
    assert client.notification("session.closed", patience=13 * SPEED)["reason"] == "stopping"
    assert client.ends(30 * SPEED)
    found, answer, _ = attach_within(b, name, AT_ONCE)
    assert answer["restored"] and found.value("calculator", "led") == "7"
    found, answer, _ = attach_within(b, idle, AT_ONCE)
    assert answer["restored"] and found.value("calculator", "led") == "8"
    assert a.process.wait(60 * SPEED) == 0
    assert farm.query("SELECT count(*) FROM node WHERE name = 'a'") == [["0"]], "the lease is given up"


# Retry keys

@pytest.mark.parametrize("manner", ["unattached", "move", "SIGTERM", "kill -9"])
def test_a_repeated_call_does_not_run_twice(farm, name, manner):
    a, b = farm["a"], farm["b"]
    client = a.connect(name)
    client.call("calculator.press", {"value": "5", "_meta": {"key": "press"}})
    opened = open_scene(client, 1, "open")
    if manner == "SIGTERM":
        a.stop()
    elif manner == "kill -9":
        a.kill()
    elif manner == "unattached":
        leave(a, client, name)
    client, _, _ = attach_within(b, name, farm.lease + 3, move=True)
    assert open_scene(client, 1, "open") == opened
    assert scenes(client) == [1]
    assert type(client.call("calculator.press", {"value": "5", "_meta": {"key": "press"}})["seq"]) is int
    assert client.value("calculator", "led") == "5"
    client.refused("coordinator.open", {"scene": "help", "arguments": {"n": 2}, "_meta": {"key": "open"}}, -32602)
    assert open_scene(client, 2, "another") != opened and scenes(client) == [1, 2]
