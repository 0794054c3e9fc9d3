"""Clocks of machines that differ. Leases are times of the database's clock, and no node's clock matters."""
import pytest
from daemons import needs
from farm import FAKETIME, attach_within, leave
from test_moving import AT_ONCE, open_scene, scenes

DAY = 86_400


@pytest.fixture
def farm(make_farm):
    """The clocks of `a` and `b` can be set."""
    if not FAKETIME:
        needs("faketime")
    return make_farm(clocks=("a", "b"))


@pytest.mark.parametrize("step", [DAY, -DAY, 3600, -3600, 30, -30])
def test_a_repeated_call_does_not_run_twice_on_a_machine_with_another_clock(farm, name, step):
    a, b = farm["a"], farm["b"]
    client = a.connect(name)
    opened = open_scene(client, 1, "open")
    client.call("calculator.press", {"value": "5", "_meta": {"key": "press"}})
    b.step_clock(step)
    client, _, _ = attach_within(b, name, AT_ONCE, move=True)
    assert open_scene(client, 1, "open") == opened and scenes(client) == [1]
    client.call("calculator.press", {"value": "5", "_meta": {"key": "press"}})
    assert client.value("calculator", "led") == "5"
    # And on the way back.
    opened = open_scene(client, 2, "open 2")
    client, _, _ = attach_within(a, name, AT_ONCE, move=True)
    assert open_scene(client, 2, "open 2") == opened and scenes(client) == [1, 2]


@pytest.mark.parametrize("step", [DAY, -DAY])
def test_a_step_of_the_clock_changes_no_owner(farm, name, step):
    a, b = farm["a"], farm["b"]
    client = a.connect()
    epoch = client.attach(name)["epoch"]
    for node in (a, b):
        node.step_clock(step)
        assert b.connect().refused("session.attach", {"session": name}, -32009)["data"]["node"] == "a"
        open_scene(client, 1 if node is a else 2)
    client.drain(2 * farm.lease)
    assert client.notifications == [] and client.call("viewModel.read", {"id": "calculator"})["epoch"] == epoch
    leave(a, client, name)
    client, answer, _ = attach_within(b, name, 2 * farm.lease)
    assert answer["restored"] and scenes(client) == [1, 2]


def test_a_killed_node_is_taken_over_whatever_its_clock_was(farm, name):
    a, c = farm["a"], farm["c"]
    a.step_clock(DAY)
    client = a.connect(name)
    open_scene(client, 1)
    leave(a, client, name)
    a.kill()
    client, answer, _ = attach_within(c, name, farm.lease + 3)
    assert answer["restored"] and scenes(client) == [1]
