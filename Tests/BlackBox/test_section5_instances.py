"""PROTOCOL section 5: open, close, list, read, bind, unbind."""
import pytest
from picture import BIND_MEMBERS, Picture

BUILT_IN = ["coordinator", "prompter", "daemon"]


def ids(c):
    return [entry["id"] for entry in c.call("viewModel.list")["instances"]]


# Refusals

def test_an_unknown_type(c):
    data = c.refused("viewModel.open", {"type": "calculater"}, -32004)["data"]
    assert data["type"] == "calculater" and "calculator" in data["suggestions"]


@pytest.mark.parametrize("method", ["viewModel.read", "viewModel.bind", "viewModel.unbind", "viewModel.close"])
def test_an_unknown_instance(c, method):
    data = c.refused(method, {"id": "calculatr"}, -32004)["data"]
    assert data["instance"] == "calculatr"
    assert method in ("viewModel.unbind", "viewModel.close") or "calculator" in data["suggestions"]
    c.refused(method, {"id": "lab.child"}, -32004)


@pytest.mark.parametrize("id", BUILT_IN)
def test_a_built_in_cannot_be_closed_or_opened_elsewhere(c, id):
    c.refused("viewModel.close", {"id": id}, -32602)
    c.refused("viewModel.open", {"type": id, "id": "another"}, -32602)
    c.refused("viewModel.open", {"type": "lab", "id": id}, -32602)
    assert c.call("viewModel.open", {"type": id, "id": id}) == {"id": id, "type": id, "created": False}
    assert ids(c) == BUILT_IN or set(ids(c)) == set(BUILT_IN)


def test_a_child_cannot_be_closed(c):
    c.values("mine")
    c.refused("viewModel.close", {"id": "mine.header"}, -32602)
    assert "mine.header" in ids(c)


def test_an_instance_that_is_not_in_being_cannot_be_closed(c):
    assert c.refused("viewModel.close", {"id": "lab"}, -32004)["data"]["instance"] == "lab"
    assert "lab" not in ids(c)


def test_an_id_that_names_an_instance_of_another_type(c):
    c.call("viewModel.open", {"type": "lab", "id": "x"})
    c.refused("viewModel.open", {"type": "keypad", "id": "x"}, -32602)


def test_an_unknown_output_is_refused(c):
    for method in ("viewModel.read", "viewModel.bind"):
        assert c.refused(method, {"id": "lab", "outputs": ["value", "valu"]}, -32602)["data"]["path"] == "/outputs/1"
    c.call("lab.set", [1])
    c.round_trip()
    assert c.notifications == [], "a refused bind binds nothing"


@pytest.mark.parametrize("windows, path", [
    ({"rows": {"offset": -1, "limit": 1}}, "/windows/rows/offset"), ({"rows": {"offset": 0, "limit": -1}}, "/windows/rows/limit"), ({"rows": {"offset": 0}}, None),
    ({"rows": 5}, "/windows/rows"), ({"value": {"offset": 0, "limit": 1}}, "/windows/value"), ({"nothing": {"offset": 0, "limit": 1}}, "/windows/nothing"),
    ({"bell": {"offset": 0, "limit": 1}}, "/windows/bell"), ([], "/windows"), ({"rows": {"offset": 0, "limit": 1, "more": 1}}, None),
])
def test_a_bad_window_is_refused(c, windows, path):
    for method in ("viewModel.read", "viewModel.bind"):
        data = c.refused(method, {"id": "lab", "windows": windows}, -32602)["data"]
        assert path is None or data["path"] == path


@pytest.mark.parametrize("since", [5, {}, {"epoch": "x"}, {"epoch": 1, "seq": 1}, {"epoch": "x", "seq": -1}, {"epoch": "x", "seq": "1"}])
def test_a_bad_since_is_refused(c, since):
    c.refused("viewModel.bind", {"id": "lab", "since": since}, -32602)


# Open, list, close

def test_opening_twice_returns_the_instance(c):
    assert c.call("viewModel.open", {"type": "lab", "id": "x"})["created"] is True
    c.call("x.set", [3])
    assert c.call("viewModel.open", {"type": "lab", "id": "x"}) == {"id": "x", "type": "lab", "created": False}
    assert c.value("x", "value") == 3 and c.value("lab", "value") == 0


def test_opening_without_an_id_makes_a_fresh_one(c):
    opened = [c.call("viewModel.open", {"type": "lab"}) for _ in range(5)]
    assert len({o["id"] for o in opened}) == 5 and all(o["created"] and o["type"] == "lab" for o in opened)


def test_the_listing_is_in_order_of_creation(c):
    for id in ("z", "a", "m"):
        c.call("viewModel.open", {"type": "lab", "id": id})
    c.values("mine")
    entries = c.call("viewModel.list")["instances"]
    assert {e["id"] for e in entries[:3]} == set(BUILT_IN) and [e["id"] for e in entries[3:]] == ["z", "a", "m", "mine", "mine.header"]
    assert {e["id"]: e["type"] for e in entries}["z"] == "lab"


def test_closing_cancels_tells_and_takes_the_children(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    Picture(a, "lab")
    Picture(b, "lab")
    Picture(a, "mine.header")
    id = b.request("lab.sleep", {"milliseconds": 60000})
    b.round_trip()
    assert a.call("viewModel.close", {"id": "lab"}) is None
    assert b.reply(id)["error"]["code"] == -32800
    assert a.notification("viewModel.closed") == {"id": "lab"} and b.notification("viewModel.closed") == {"id": "lab"}
    a.call("viewModel.close", {"id": "mine"})
    assert a.notification("viewModel.closed", lambda p: p["id"] == "mine.header")
    assert not [id for id in ids(a) if id.startswith("mine") or id == "lab"]


def test_a_closed_default_instance_begins_anew(c):
    picture = Picture(c, "lab")
    c.call("lab.set", [5])
    picture.take()
    c.call("viewModel.close", {"id": "lab"})
    assert c.value("lab", "value") == 0
    c.notifications.clear()
    c.call("lab.set", [6])
    c.round_trip()
    assert c.notifications == [], "the binding ended with the instance"


def test_no_frame_follows_a_close(c):
    Picture(c, "lab", minInterval=60)
    for n in range(20):
        c.notify("lab.set", [n])
    close = c.request("viewModel.close", {"id": "lab"})
    c.reply(close)
    c.notifications.clear()
    c.drain(0.15)
    assert not [n for n in c.notifications if n["method"] == "viewModel.changed"]


# Read, bind, unbind

def test_a_reading(c):
    reply = c.call("viewModel.read", {"id": "lab"})
    assert reply.keys() == {"id", "epoch", "seq", "values"}
    values = reply["values"]
    assert "bell" not in values and values["value"] == 0 and values["double"] == 0 and values["rows"] == [] and values["echoed"] is None
    for action in ("sleep", "sleepLatest", "sleepQueued", "sleepConcurrent", "sleepShared", "fail", "trap", "count", "ask", "open"):
        assert values[f"{action}.enabled"] is True and values[f"{action}.executing"] is False and values[f"{action}.progress"] is None
    assert c.values("lab", "value", "sleep.enabled", "bell") == {"value": 0, "sleep.enabled": True}
    assert c.call("viewModel.read", {"id": "lab", "outputs": []})["values"] == {}


def test_a_reading_with_a_window(c):
    c.call("lab.append", [50])
    window = lambda offset, limit: c.call("viewModel.read", {"id": "lab", "outputs": ["rows"], "windows": {"rows": {"offset": offset, "limit": limit}}})["values"]["rows"]
    assert window(10, 2) == {"offset": 10, "count": 50, "rows": [{"id": 11, "text": "row 11"}, {"id": 12, "text": "row 12"}]}
    assert window(49, 10)["rows"] == [{"id": 50, "text": "row 50"}]
    assert window(50, 10)["rows"] == [] and window(2 ** 62, 2 ** 62)["rows"] == [] and window(0, 0)["rows"] == []


def test_a_reading_does_not_bind(c):
    c.values("lab")
    c.call("lab.set", [1])
    assert c.notifications == []


def test_the_answer_of_bind(c):
    reply = c.call("viewModel.bind", {"id": "lab"})
    assert {"id", "epoch", "seq", "full", "values"} <= reply.keys() <= BIND_MEMBERS and reply["full"] is True
    assert reply["values"] == c.values("lab")
    assert c.call("viewModel.bind", {"id": "lab", "outputs": ["value"]})["values"] == {"value": 0}


def test_binding_again_replaces_the_binding(c):
    Picture(c, "lab", outputs=["value"])
    picture = Picture(c, "lab", outputs=["double"])
    c.call("lab.set", [2])
    assert [n["params"]["values"] for n in c.notifications] == [{"double": 4}]
    picture.take()


def test_unbinding(c):
    Picture(c, "lab")
    assert c.call("viewModel.unbind", {"id": "lab"}) is None
    c.call("lab.set", [1])
    c.round_trip()
    assert c.notifications == []


@pytest.mark.parametrize("end", [("viewModel.unbind", {"id": "lab"}), ("viewModel.bind", {"id": "lab", "outputs": []}), ("session.attach", {"session": "elsewhere"}), ("session.close", {})])
def test_no_frame_of_a_binding_follows_its_end(c, end):
    Picture(c, "lab", minInterval=40)
    for n in range(1, 10):
        c.notify("lab.set", [n])
    c.call(*end)
    c.notifications.clear()
    c.drain(0.12)
    assert c.notifications == []


def test_min_interval_joins_frames(c):
    picture = Picture(c, "lab", minInterval=150)
    for n in range(1, 40):
        c.call("lab.set", [n])
    picture.until(lambda v: v["value"] == 39)
    assert len(picture.frames) <= 3 and picture.values["double"] == 78


def test_without_patches_a_changed_list_comes_whole(c):
    c.call("lab.append", [200])
    picture = Picture(c, "lab", outputs=["rows"], patches=False)
    c.call("lab.append", [1])
    c.call("lab.update", {"id": 5, "text": "five"})
    c.call("lab.move", {"from": 0, "to": 100})
    picture.take()
    assert len(picture.frames) == 3
    for frame in picture.frames:
        assert "patch" not in frame and isinstance(frame["values"]["rows"], list)
    assert picture.values["rows"] == c.value("lab", "rows")


def test_without_patches_a_window_comes_whole(c):
    c.call("lab.append", [300])
    picture = Picture(c, "lab", outputs=["rows"], patches=False, windows={"rows": {"offset": 100, "limit": 100}})
    c.call("lab.update", {"id": 150, "text": "x"})
    assert "patch" not in picture.now() and len(picture.frames) == 1
    assert "patch" not in picture.frames[0] and len(picture.frames[0]["values"]["rows"]["rows"]) == 100


def test_without_patches_a_resumed_list_comes_whole(daemon, name):
    a = daemon.connect(name)
    a.call("lab.append", [200])
    picture = Picture(a, "lab", outputs=["rows"], patches=False)
    a.call("viewModel.unbind", {"id": "lab"})
    a.call("lab.append", [1])
    again = Picture(a, "lab", picture.values, outputs=["rows"], patches=False, since={"epoch": picture.epoch, "seq": picture.seq})
    assert again.answer["full"] is False and "patch" not in again.answer
    assert len(again.values["rows"]) == 201


def test_with_patches_true_a_small_change_comes_as_a_patch(c):
    c.call("lab.append", [200])
    picture = Picture(c, "lab", outputs=["rows"], patches=True)
    c.call("lab.append", [1])
    picture.take()
    assert "patch" in picture.frames[0] and "values" not in picture.frames[0]
    assert picture.values["rows"] == c.value("lab", "rows")
