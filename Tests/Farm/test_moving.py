"""PROTOCOL section 4, "Sessions on several machines": a node that stops, and calls that are repeated on another one.

The tables of `MachineTests` have where a session lives and how it moves; the schedules move sessions of real nodes.
"""
import signal

import pytest
from farm import SPEED, attach_within, leave

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
