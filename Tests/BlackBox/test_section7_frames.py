"""PROTOCOL section 7: frames, order, atomicity, windows, resume, slow clients, events."""
import itertools
import random
import time

import pytest
from json_patch import equal
from picture import Picture
from wire import ends_within, one_of_three, wait_until


# Atomic frames and order

def test_one_step_makes_one_frame(c):
    picture = Picture(c, "lab")
    c.call("lab.set", [3])
    picture.take()
    assert len(picture.frames) == 1 and picture.frames[0]["values"] == {"value": 3, "double": 6}


def test_an_unchanged_value_is_not_sent(c):
    picture = Picture(c, "lab")
    c.call("lab.set", [0])
    c.call("lab.echo", [None])
    c.call("lab.append", [0])
    c.call("lab.removeRows", {"value": [5]})
    picture.now()
    assert picture.frames == []


def test_only_bound_outputs_are_sent(c):
    Picture(c, "lab", outputs=["rows"])
    c.call("lab.set", [3])
    c.call("lab.ring", ["x"])
    c.round_trip()
    assert c.notifications == []


def test_a_read_while_a_frame_is_held_leaves_no_old_value(c):
    """The client knows a value that was in no frame. It also gets the one that the value turns back to."""
    for method, values in [("lab.set", [1, 2, 3, 2]), ("lab.set", [4, 5, 6, 4])]:
        def attempt():
            c.call(method, [0])
            picture, start = Picture(c, "lab", outputs=["value"], minInterval=300), time.monotonic()
            c.call(method, [values[0]])
            picture.until(lambda shown: shown["value"] == values[0], "the first value")
            c.call(method, [values[1]])
            assert c.value("lab", "value") == values[1]
            for value in values[2:]:
                c.call(method, [value])
            took = time.monotonic() - start
            frame = c.notification("viewModel.changed")
            c.call("viewModel.unbind", {"id": "lab"})
            c.bound.discard("lab")
            if took > 0.3:
                return f"no frame was held all the {took:.2f} s"
            assert frame["values"] == {"value": values[3]}
        one_of_three(attempt)


def test_an_output_that_is_bound_later_brings_no_earlier_events(c):
    c.call("viewModel.bind", {"id": "lab", "outputs": ["value"]})
    for text in "abc":
        c.call("lab.ring", [text])
    answer = c.call("viewModel.bind", {"id": "lab", "outputs": ["value", "bell"]})
    assert not answer.get("events") and not answer.get("lost"), answer


def test_frames_of_one_step_are_written_back_to_back(c):
    c.call("viewModel.open", {"type": "lab", "id": "a"})
    for id in ("calculator", "keypad", "lab", "coordinator"):
        Picture(c, id)
    for key in "12+3":
        c.call("keypad.press", [key])
    c.call("lab.open", {"scene": "help"})
    frames = [n["params"] for n in c.history if isinstance(n, dict) and n.get("method") == "viewModel.changed"]
    steps = [f["seq"] for f in frames]
    assert steps == sorted(steps)
    shared = [s for s in set(steps) if steps.count(s) > 1]
    for step in shared:
        first = steps.index(step)
        assert steps[first:first + steps.count(step)] == [step] * steps.count(step)


def test_the_step_number_belongs_to_the_session(c):
    for id in ("lab", "calculator"):
        c.values(id)
    first = c.call("lab.set", [1])["seq"]
    assert c.call("calculator.press", ["7"])["seq"] == first + 1
    assert c.call("lab.set", [1])["seq"] == first + 1
    assert c.call("viewModel.read", {"id": "coordinator"})["seq"] == first + 1
    c.call("viewModel.open", {"type": "lab", "id": "new"})
    assert c.call("viewModel.read", {"id": "lab"})["seq"] > first + 1, "an instance makes a step"


def test_a_frame_reaches_the_caller_before_the_reply(c):
    picture = Picture(c, "lab")
    for n in range(1, 100):
        id = c.request("lab.set", [n])
        c.reply(id)
        kinds = [("reply" if "id" in m else "frame") for m in c.history[-2:]]
        assert kinds == ["frame", "reply"]
        assert picture.take()["value"] == n


def test_an_actions_frames_reach_the_caller_before_its_reply(c):
    picture = Picture(c, "lab")
    c.call("lab.count", {"to": 20})
    assert picture.take()["value"] == 20 and picture.values["count.executing"] is False


def test_two_clients_see_the_same_pictures(daemon, name):
    """Random inputs of two writers: every picture is consistent, and all are equal in the end."""
    dice = random.Random(7)
    clients = [daemon.connect(name) for _ in range(3)]
    pictures = [Picture(client, "lab", minInterval=interval) for client, interval in zip(clients, (0, 0, 25))]
    for _ in range(400):
        client = dice.choice(clients[:2])
        kind = dice.random()
        if kind < 0.3:
            client.notify("lab.set", [dice.randrange(100)])
        elif kind < 0.5:
            client.notify("lab.append", [dice.randrange(4)])
        elif kind < 0.7:
            client.notify("lab.update", {"id": dice.randrange(1, 60), "text": dice.choice("abc")})
        elif kind < 0.85:
            client.notify("lab.move", {"from": dice.randrange(20), "to": dice.randrange(20)})
        elif kind < 0.95:
            client.notify("lab.removeRows", {"value": [dice.randrange(1, 80)]})
        else:
            client.notify("lab.ring", [str(dice.random())])
    for client in clients[:2]:
        client.round_trip()
    truth = clients[0].values("lab")
    for picture in pictures:
        picture.until(lambda v: equal(v, truth), "the daemon's values")
        assert picture.values["double"] == 2 * picture.values["value"]
    assert pictures[0].events == pictures[1].events == pictures[2].events


def test_a_reply_is_not_behind_notifications(daemon, name):
    """A client with much to read still gets its replies: frames are joined, replies go first."""
    writer, reader = daemon.connect(name), daemon.connect(name, receive_buffer=4096)
    picture = Picture(reader, "lab", outputs=["value", "rows", "bell"])
    for n in range(1, 3000):
        writer.notify("lab.set", [n])
    writer.notify("lab.append", [20_000])
    writer.round_trip()
    reader.call("viewModel.list")
    picture.until(lambda v: v["value"] == 2999 and len(v["rows"]) == 20_000)
    assert len(picture.frames) < 2000, "a reader that lags gets the sum"


def test_memory_for_a_slow_client_is_bounded(own, name):
    daemon = own()
    writer, reader = daemon.connect(name), daemon.connect(name, receive_buffer=4096)
    Picture(reader, "lab", outputs=["echoed"])
    writer.call("lab.echo", ["x" * 200_000])
    before = daemon.resident
    for n in range(200):
        writer.call("lab.echo", ["%06d" % n + "x" * 200_000])
    assert daemon.resident - before < 20 << 20


# Lists

def test_the_smaller_of_patch_and_value_is_sent(c):
    c.call("lab.append", [100])
    picture = Picture(c, "lab", outputs=["rows"])
    c.call("lab.update", {"id": 50, "text": "fifty"})
    c.call("lab.removeRows", {"value": list(range(1, 100))})
    c.call("lab.move", {"from": 0, "to": 0})
    picture.take()
    assert "patch" in picture.frames[0]
    assert "patch" not in picture.frames[1] and picture.frames[1]["values"] == {"rows": [{"id": 100, "text": "row 100"}]}
    assert len(picture.frames) == 2


@pytest.mark.parametrize("steps", [
    [("lab.append", {"value": 3})], [("lab.move", {"from": 0, "to": 199})], [("lab.move", {"from": 199, "to": 0})], [("lab.removeRows", {"value": [1, 100, 200]})],
    [("lab.update", {"id": 7, "text": "~1/ \u0000é"})], [("lab.move", {"from": 5, "to": 9}), ("lab.move", {"from": 9, "to": 5})],
])
def test_patches_give_the_daemons_list(c, steps):
    c.call("lab.append", [200])
    picture = Picture(c, "lab", outputs=["rows"])
    for step in steps:
        c.call(*step)
    picture.take()
    assert picture.values["rows"] == c.value("lab", "rows")


def test_ids_are_never_used_twice(c):
    c.call("lab.append", [3])
    c.call("lab.removeRows", {"value": [1, 2, 3]})
    c.call("lab.append", [1])
    assert c.value("lab", "rows") == [{"id": 4, "text": "row 4"}]


# Windows

def test_a_window_shows_its_rows_only(c):
    c.call("lab.append", [1000])
    picture = Picture(c, "lab", outputs=["rows"], windows={"rows": {"offset": 10, "limit": 5}})
    assert picture.values["rows"] == {"offset": 10, "count": 1000, "rows": [{"id": n, "text": f"row {n}"} for n in range(11, 16)]}
    c.call("lab.update", {"id": 500, "text": "unseen"})
    picture.now()
    assert picture.frames == []
    c.call("lab.update", {"id": 12, "text": "seen"})
    c.call("lab.removeRows", {"value": [1]})
    c.call("lab.append", [1])
    picture.take()
    assert picture.values["rows"]["count"] == 1000 and [r["id"] for r in picture.values["rows"]["rows"]] == [12, 13, 14, 15, 16]
    assert len(picture.frames) == 3


def test_a_million_rows_cost_what_is_shown(own):
    c = own().connect()
    c.call("lab.append", [1_000_000], patience=60)
    picture = Picture(c, "lab", outputs=["rows"], windows={"rows": {"offset": 999_990, "limit": 20}})
    before = len(c.transcript)
    c.call("lab.append", [2])
    picture.take()
    assert picture.values["rows"]["count"] == 1_000_002 and len(picture.values["rows"]["rows"]) == 12
    assert len(c.transcript) - before < 2000


def test_a_window_follows_random_changes(c):
    dice = random.Random(11)
    c.call("lab.append", [100])
    window = {"offset": 20, "limit": 10}
    picture = Picture(c, "lab", outputs=["rows"], windows={"rows": window})
    for _ in range(200):
        kind = dice.random()
        if kind < 0.3:
            c.notify("lab.append", [dice.randrange(3)])
        elif kind < 0.6:
            c.notify("lab.move", {"from": dice.randrange(60), "to": dice.randrange(60)})
        elif kind < 0.8:
            c.notify("lab.removeRows", {"value": [dice.randrange(1, 150)]})
        else:
            c.notify("lab.update", {"id": dice.randrange(1, 150), "text": dice.choice("xyz")})
    picture.now()
    assert picture.values == c.call("viewModel.read", {"id": "lab", "outputs": ["rows"], "windows": {"rows": window}})["values"]


# Resume

def since(picture):
    return {"epoch": picture.epoch, "seq": picture.seq}


def test_a_resume_brings_what_changed(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    a.call("lab.append", [100])
    picture = Picture(a, "lab")
    a.close()
    b.call("lab.set", [5])
    b.call("lab.append", [2])
    b.call("lab.ring", ["missed"])
    again = Picture(daemon.connect(name), "lab", picture.values, since=since(picture))
    assert again.answer["full"] is False and again.answer["values"].keys() <= {"value", "double", "rows"}
    assert again.values == b.values("lab") and again.events == [("bell", "missed")]


def test_a_resume_without_changes_brings_nothing(daemon, name):
    a = daemon.connect(name)
    picture = Picture(a, "lab")
    again = Picture(daemon.connect(name), "lab", picture.values, since=since(picture))
    assert again.answer["full"] is False and again.answer["values"] == {} and not again.answer.get("patch") and not again.answer.get("events")


@pytest.mark.parametrize("wrong", [{"epoch": "another"}, {"seq": 10 ** 15}])
def test_an_unknown_step_gives_the_whole_picture(daemon, name, wrong):
    a = daemon.connect(name)
    picture = Picture(a, "lab")
    a.call("lab.set", [5])
    again = Picture(daemon.connect(name), "lab", since={**since(picture), **wrong})
    assert again.answer["full"] is True and again.values == a.values("lab")


def test_an_instance_made_later_gives_the_whole_picture(daemon, name):
    a = daemon.connect(name)
    picture = Picture(a, "lab")
    a.call("viewModel.close", {"id": "lab"})
    a.call("lab.set", [4])
    again = Picture(daemon.connect(name), "lab", since=since(picture))
    assert again.answer["full"] is True and again.values["value"] == 4


def test_a_resume_of_a_window(daemon, name):
    a = daemon.connect(name)
    a.call("lab.append", [100])
    windows = {"rows": {"offset": 10, "limit": 5}}
    picture = Picture(a, "lab", outputs=["rows"], windows=windows)
    a.call("viewModel.unbind", {"id": "lab"})
    a.call("lab.removeRows", {"value": [1]})
    again = Picture(a, "lab", picture.values, outputs=["rows"], windows=windows, since=since(picture))
    assert again.values == a.call("viewModel.read", {"id": "lab", "outputs": ["rows"], "windows": windows})["values"]


def test_another_life_has_another_epoch(daemon, name):
    a = daemon.connect(name, linger=0)
    a.call("calculator.press", ["7"])
    picture = Picture(a, "calculator")
    a.close()
    b = daemon.connect()
    wait_until(lambda: all(s["session"] != name for s in b.call("session.list")["sessions"]))
    b.attach(name)
    again = Picture(b, "calculator", since=since(picture))
    assert again.answer["full"] is True and again.epoch != picture.epoch and again.values["led"] == "7"


# Events

def test_events_come_in_order_and_are_never_merged(c):
    picture = Picture(c, "lab", minInterval=50)
    for n in range(30):
        c.notify("lab.ring", ["same" if n % 2 else str(n)])
    picture.until(lambda _: len(picture.events) == 30)
    assert [v for _, v in picture.events] == ["same" if n % 2 else str(n) for n in range(30)]
    assert picture.values == c.values("lab")


def test_older_events_are_counted_as_lost(own, name):
    daemon = own({"limits": {"events": 10}})
    a = daemon.connect(name)
    picture = Picture(a, "lab")
    a.call("viewModel.unbind", {"id": "lab"})
    for n in range(25):
        a.call("lab.ring", [str(n)])
    again = Picture(daemon.connect(name), "lab", picture.values, since=since(picture))
    if again.answer["full"] is False:
        assert again.lost == 15 and [v for _, v in again.events] == [str(n) for n in range(15, 25)]


def test_events_for_a_held_binding_are_bounded(own):
    c = own({"limits": {"events": 10}}).connect()
    picture = Picture(c, "lab", minInterval=300)
    c.call("lab.ring", ["first"])
    for n in range(40):
        c.notify("lab.ring", [str(n)])
    picture.until(lambda _: picture.lost + len(picture.events) >= 41)
    assert picture.lost + len(picture.events) == 41 and len(picture.events) <= 21
    assert picture.events[-1] == ("bell", "39")


def test_a_binding_starts_without_old_events(c):
    c.call("lab.ring", ["before"])
    picture = Picture(c, "lab")
    assert picture.events == []


def test_a_frame_waits_no_longer_than_its_interval(c):
    picture = Picture(c, "lab", minInterval=100)
    numbers = itertools.count(1)

    def change():
        for _ in range(3):
            last = next(numbers)
            c.call("lab.set", [last])
        picture.until(lambda v: v["value"] == last)
    ends_within(2, change, "a held frame")
