"""PROTOCOL section 7 with random histories, slow clients and long lists. The rows of scenarios/frames.txt have the rest."""
import random

import pytest
from json_patch import equal
from picture import Picture
from wire import HeaderFraming, LineFraming

OPERATIONS = {
    "lab.set": lambda dice: [dice.randrange(100)],
    "lab.append": lambda dice: [dice.randrange(4)],
    "lab.update": lambda dice: {"id": dice.randrange(1, 60), "text": dice.choice(["a", "b", "~1/ \0é"])},
    "lab.move": lambda dice: {"from": dice.randrange(20), "to": dice.randrange(20)},
    "lab.removeRows": lambda dice: {"value": [dice.randrange(1, 80)]},
    "lab.ring": lambda dice: [str(dice.random())],
}


@pytest.mark.parametrize("seed", range(3))
def test_clients_of_all_kinds_see_the_same_pictures(daemon, name, seed):
    """Random inputs of two writers: each picture is consistent (`picture.py`), and all are the daemon's in the end."""
    dice, window = random.Random(seed), {"rows": {"offset": 5, "limit": 10}}
    clients = [daemon.connect(name) for _ in range(4)]
    kinds = [{}, {"patches": False}, {"minInterval": 5}, {"windows": window}]
    pictures = [Picture(client, "lab", **kind) for client, kind in zip(clients, kinds)]
    for _ in range(400):
        method = dice.choice([*OPERATIONS, "lab.append"])
        clients[dice.randrange(2)].notify(method, OPERATIONS[method](dice))
    for client in clients[:2]:
        client.round_trip()
    for client, picture, kind in zip(clients, pictures, kinds):
        params = {"id": "lab", **({"windows": window} if "windows" in kind else {})}
        truth = client.call("viewModel.read", params)["values"]
        picture.until(lambda values: equal(values, truth), "the daemon's values")
        assert picture.values["double"] == 2 * picture.values["value"]
    assert pictures[0].events == pictures[1].events == pictures[2].events == pictures[3].events


def test_frames_come_before_the_reply_that_they_belong_to(c):
    picture = Picture(c, "lab")
    for number in range(1, 50):
        c.call("lab.set", [number])
        assert ["reply" if "id" in message else "frame" for message in c.history[-2:]] == ["frame", "reply"]
        assert picture.take()["value"] == number
    c.call("lab.count", {"to": 70})
    assert picture.take()["value"] == 70 and picture.values["count.executing"] is False
    assert [frame["values"]["value"] for frame in picture.frames[49:] if "value" in frame["values"]] == list(range(50, 71))


def test_a_client_that_lags_gets_the_sum_and_its_replies_first(own, name):
    daemon = own()
    writer, reader = daemon.connect(name), daemon.connect(name, receive_buffer=4096)
    picture = Picture(reader, "lab", outputs=["value", "rows", "bell", "echoed"])
    for number in range(1, 3000):
        writer.notify("lab.set", [number])
    writer.notify("lab.append", [20_000])
    writer.call("lab.echo", ["x" * 200_000])
    before = daemon.resident
    for number in range(200):
        writer.call("lab.echo", ["%06d" % number + "x" * 200_000])
    assert daemon.resident - before < 20 << 20, "what waits for a client does not grow"
    reader.send({"jsonrpc": "2.0", "id": "held", "method": "lab.set", "params": [7]})
    assert reader.reply("held")["result"]["held"] is True
    picture.until(lambda values: values["value"] == 7 and len(values["rows"]) == 20_000 and values["echoed"][:6] == "000199")
    assert sum("echoed" in frame.get("values", {}) for frame in picture.frames) < 200, "frames are joined: no buffer holds 40 MB"


def test_a_million_rows_cost_what_is_shown(own):
    c = own().connect()
    c.call("lab.append", [1_000_000], patience=60)
    picture = Picture(c, "lab", outputs=["rows"], windows={"rows": {"offset": 999_990, "limit": 20}})
    before = len(c.transcript)
    c.call("lab.append", [2])
    picture.take()
    assert picture.values["rows"]["count"] == 1_000_002 and len(picture.values["rows"]["rows"]) == 12
    assert len(c.transcript) - before < 2000


def test_frames_that_wait_are_joined_and_sent_when_their_interval_has_passed(c):
    picture = Picture(c, "lab", minInterval=50)
    for number in range(1, 31):
        c.notify("lab.ring", ["same" if number % 2 else str(number)])
        c.notify("lab.set", [number])
    picture.until(lambda values: values["value"] == 30 and len(picture.events) == 30)
    assert "held" not in c.call("lab.set", [30]), "the picture is up to date"
    assert [value for _, value in picture.events] == ["same" if number % 2 else str(number) for number in range(1, 31)]


# The tests' own client

@pytest.mark.parametrize("frame", [
    {"seq": 5, "values": {"a": 2}}, {"seq": 6}, {"seq": 6, "values": {"a": 1}}, {"seq": 6.5, "values": {"a": 2}},
    {"seq": 6, "patch": [{"op": "remove", "path": "/b"}]}, {"seq": 6, "events": [{"value": 1}]}, {"seq": 6, "more": 1, "values": {"a": 2}},
])
def test_a_picture_rejects_a_wrong_frame(frame):
    picture = object.__new__(Picture)
    picture.instance, picture.seq, picture.values, picture.events, picture.lost, picture.frames = "x", 5, {"a": 1}, [], 0, []
    with pytest.raises((AssertionError, KeyError)):
        picture.apply({"id": "x", **frame})


@pytest.mark.parametrize("framing", [LineFraming, HeaderFraming])
def test_framings_join_chunks_of_any_size(framing):
    data = b"".join(map(framing.wrap, [b"[1]", b"", b"{}"]))
    for size in (1, 2, 7, 100):
        reader, bodies = framing(), []
        for start in range(0, len(data), size):
            bodies += reader.feed(data[start:start + size])
        assert bodies == [b"[1]", b"", b"{}"]
