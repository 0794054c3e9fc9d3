"""PROTOCOL section 4: nodes that die or are cut off, and a database that is away for a while."""
import time

import pytest
from farm import SPEED, Within, attach_within
from hooks import figure
from picture import Picture
from test_moving import open_scene, scenes
from wire import wait_until

AWAY = 6.5
"""Seconds within which a node that waits for the database gives up. A transaction may take 5."""
BACK = 5.0
"""Seconds within which a node notices that the database is there again. It tries at least every 1.5 seconds."""
INPUT = 5.0 * SPEED
"""Seconds for an input. It does not wait for the database, as an action does for `AWAY`."""


def unavailable(client, number, key=None):
    """An action that cannot be saved now."""
    params = {"scene": "help", "arguments": {"n": number}, **({"_meta": {"key": key}} if key else {})}
    with Within(AWAY, "the refusal"):
        data = client.fails("coordinator.open", params, "storeUnavailable")
    assert data["retryable"] is True


# kill -9. `test_moving.py` and `test_clocks.py` have the take-over.


def test_a_node_that_dies_between_the_message_and_the_session(farm, name):
    """The message is stored, and the session with the outcome of the key is not. The repeated call adds no second one."""
    a, b = farm["a"], farm["b"]
    client = a.connect(name)
    client.call("sendList.draft", [name])
    time.sleep(1.5)
    hold = farm.server.session(farm.database, f"BEGIN; SELECT FROM viewmodeld.session_owner WHERE name = '{name}' FOR UPDATE;")
    try:
        client.request("sendList.add", {"_meta": {"key": "add"}})
        wait_until(lambda: farm.query(f"SELECT count(*) FROM outbox WHERE text = '{name}'") == [["1"]], "the stored message", 4 * SPEED, pause=0.05)
        a.kill()
    finally:
        hold.stdin.close()
        hold.wait(10)
    client, _, _ = attach_within(b, name, farm.lease + 3, move=True)
    if client.value("sendList", "draft") != name:
        client.call("sendList.draft", [name])
    added = client.call("sendList.add", {"_meta": {"key": "add"}})
    assert [item["id"] for item in client.value("sendList", "items") if item["text"] == name] == [added["id"]]


def test_a_node_that_is_cut_off(farm, name):
    """It goes on in memory. Another node takes its session over, and its clients hear of that when the line is back."""
    a, b = farm["a"], farm["b"]
    client = a.connect(name)
    picture = Picture(client, "calculator")
    client.call("calculator.press", ["7"])
    open_scene(client, 1)
    farm.network.cut("a")
    client.call("calculator.press", ["8"], patience=INPUT)
    assert picture.now()["led"] == "78"
    unavailable(client, 2)
    other, answer, took = attach_within(b, name, farm.lease + 3, move=True)
    figure(f"a node that was cut off {AWAY} s ago at most: its session came after {took:.1f} s")
    assert answer["restored"] and other.value("calculator", "led") == "7" and scenes(other) == [1]
    client.call("calculator.press", ["9"], patience=INPUT)
    assert picture.now()["led"] == "789", "inputs work on"
    other.call("calculator.press", ["1"])
    open_scene(other, 3)
    farm.network.heal("a")
    with Within(BACK, "session.closed") as limit:
        closed = client.notification("session.closed", patience=limit.left + 2)
    figure(f"session.closed came {limit.took:.1f} s after the line was back")
    assert closed == {"session": name, "reason": "moved", "node": "b"}
    assert client.refused("calculator.press", ["9"], -32010)["data"] == {"session": name, "reason": "moved"}
    time.sleep(1.5)
    assert other.value("calculator", "led") == "71" and scenes(other) == [1, 3]
    client.attach(name, move=True)
    assert client.value("calculator", "led") == "71" and scenes(client) == [1, 3]


def test_a_database_that_is_away(farm, name):
    a = farm["a"]
    client = a.connect()
    epoch = client.attach(name)["epoch"]
    picture, health = Picture(client, "calculator"), Picture(client, "daemon", outputs=["storage"])
    assert health.values["storage"]["healthy"] is True
    farm.server.stop()
    client.call("calculator.press", ["7"], patience=INPUT)
    assert picture.now()["led"] == "7", "inputs work, and what is bound stays"
    unavailable(client, 1, "one")
    health.until(lambda values: values["storage"]["healthy"] is False, "an unhealthy storage", AWAY * SPEED)
    client.call("calculator.press", ["8"], patience=INPUT)
    assert picture.now()["led"] == "78"
    farm.server.start()
    with Within(BACK, "a healthy storage") as limit:
        health.until(lambda values: values["storage"]["healthy"] is True, "a healthy storage", limit.left + 2)
    figure(f"healthy {limit.took:.1f} s after the database was back")
    open_scene(client, 1, "one", patience=10 * AWAY * SPEED)
    assert scenes(client) == [1]
    assert client.call("viewModel.read", {"id": "calculator"})["epoch"] == epoch
    assert picture.now()["led"] == client.value("calculator", "led") == "78"


@pytest.mark.limit(120)
@pytest.mark.parametrize("seconds", [4, 8, 14])
def test_a_database_that_is_back_finds_sessions_in_use_where_they_are(make_farm, name, seconds):
    """Also when no lease could be renewed in time."""
    farm = make_farm(lease=10)
    a, b = farm["a"], farm["b"]
    client = a.connect(name)
    open_scene(client, 1)
    wait_until(lambda: farm.attached(name) == 1, "the report")
    farm.server.restart(pause=seconds)
    other = b.connect()

    def refusal():
        reply = other.ask("session.attach", {"session": name}, 20 * SPEED)
        return reply["error"] if reply.get("error", {}).get("code") != -32000 else None
    error = wait_until(refusal, "the answer", 10 * SPEED)
    assert error["code"] == -32009 and error["data"] == {"node": "a", "attached": 1}
    time.sleep(5)
    assert farm.owner(name) == "a"
    open_scene(client, 2)
    assert scenes(client) == [1, 2]


def test_a_node_that_starts_without_the_database(farm):
    """It waits, says so and ends, and it starts when the database is there."""
    a = farm["a"]
    a.stop()
    farm.server.stop()
    former = len(a.log)
    launched = time.monotonic()
    a.launch()
    assert a.process.wait(30 * SPEED) == 73
    # A shorter time could reach the limit of starts in the unit, a hundred in five minutes.
    assert time.monotonic() - launched >= 5
    assert "The daemon ends, and its service manager starts it again" in a.log[former:]
    assert "by itself" not in a.log[former:]
    farm.server.start()
    a.start()
