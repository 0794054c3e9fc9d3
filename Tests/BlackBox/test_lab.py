"""REFERENCE, lab: its inputs and actions at their bounds."""
import pytest
from picture import Picture


@pytest.mark.parametrize("method, params, path", [
    ("lab.set", {"value": 2 ** 53 + 1}, "/value"), ("lab.set", {"value": -(2 ** 53) - 1}, "/value"), ("lab.set", [2 ** 63], None), ("lab.append", {"value": -1}, "/value"),
    ("lab.append", {"value": 10 ** 7 + 1}, "/value"), ("lab.append", [2 ** 62], None), ("lab.update", {"id": 9, "text": "x"}, "/id"), ("lab.update", {"id": 0, "text": "x"}, "/id"), ("lab.move", {"from": 0, "to": 3}, "/to"),
    ("lab.move", {"from": 3, "to": 0}, "/from"), ("lab.move", {"from": -1, "to": 0}, "/from"), ("lab.move", {"from": 0, "to": 2 ** 62}, "/to"), ("lab.removeRows", {"value": "1"}, None),
    ("lab.ring", {"value": None}, None), ("lab.fail", {"retryable": True}, "/error"), ("lab.fail", {"error": 5, "retryable": True}, "/error"), ("lab.open", {}, "/scene"), ("lab.ask", {"title": 1}, "/title"),
    ("lab.count", {"to": "5"}, "/to"), ("lab.count", {"to": 2 ** 53 + 1}, None), ("lab.count", {"to": 5, "every": -1}, None), ("lab.sleep", {"milliseconds": -1}, None),
])
def test_a_value_out_of_range_is_refused(c, method, params, path):
    c.call("lab.append", [3])
    before = c.call("viewModel.read", {"id": "lab"})
    data = c.refused(method, params, -32602)["data"]
    assert path is None or data["path"] == path, data
    after = c.call("viewModel.read", {"id": "lab"})
    assert after["values"] == before["values"]


@pytest.mark.parametrize("milliseconds", [2 ** 31, 2 ** 53, 2 ** 62, 2 ** 63 - 1])
@pytest.mark.parametrize("action", ["sleep", "sleepLatest", "sleepQueued", "sleepConcurrent", "sleepShared"])
def test_a_very_long_sleep_can_be_cancelled(c, action, milliseconds):
    id = c.request(f"lab.{action}", {"milliseconds": milliseconds})
    c.cancel(id)
    assert c.reply(id)["error"]["code"] in (-32800, -32602)


def test_negative_counts_end_at_once(c):
    assert c.call("lab.count", {"to": -5}) is None
    assert c.value("lab", "value") == 0


@pytest.mark.parametrize("value", [0, 1, -1, 2 ** 53, -(2 ** 53)])
def test_double_is_twice_the_value(c, value):
    c.call("lab.set", [value])
    assert c.values("lab", "value", "double") == {"value": value, "double": 2 * value}


@pytest.mark.parametrize("value", [None, True, 0, -1.5, "", "x", [], {}, [[]], {"a": {"b": [None]}}, {"_meta": 1}, {"": 1}, "\u0000", 10 ** 30, 1e-300, ["\U0001d11e"]])
def test_echo(c, value):
    picture = Picture(c, "lab", outputs=["echoed"])
    c.call("lab.echo", {"value": value})
    assert picture.take()["echoed"] == value == c.value("lab", "echoed")


def test_rows(c):
    c.call("lab.append", [4])
    c.call("lab.move", {"from": 0, "to": 3})
    ids = lambda: [row["id"] for row in c.value("lab", "rows")]
    assert ids() == [2, 3, 4, 1]
    c.call("lab.move", {"from": 2, "to": 0})
    assert ids() == [4, 2, 3, 1]
    c.call("lab.removeRows", {"value": [1, 4, 99, -1, 1]})
    assert ids() == [2, 3]
    c.call("lab.append", [2])
    assert c.value("lab", "rows")[2:] == [{"id": 5, "text": "row 5"}, {"id": 6, "text": "row 6"}]


def test_the_most_rows(own):
    daemon = own()
    c = daemon.connect()
    c.call("lab.append", [10 ** 6], patience=60)
    c.refused("lab.append", [10 ** 7 + 1], -32602)
    rows = c.call("viewModel.read", {"id": "lab", "outputs": ["rows"], "windows": {"rows": {"offset": 10 ** 6 - 1, "limit": 5}}})["values"]["rows"]
    assert rows == {"offset": 10 ** 6 - 1, "count": 10 ** 6, "rows": [{"id": 10 ** 6, "text": "row 1000000"}]}


def test_order_counts_completions_of_all_policies(c):
    orders = [c.call(f"lab.{action}", {"milliseconds": 1})["order"] for action in ("sleep", "sleepLatest", "sleepQueued", "sleepConcurrent", "sleepShared")]
    assert orders == [1, 2, 3, 4, 5]


def test_open_pushes_a_scene_of_any_name(c):
    c.call("lab.open", {"scene": "nobody registered this"})
    scene = c.value("coordinator", "scenes")[-1]
    assert scene["scene"] == "nobody registered this" and scene["instance"] is None
    c.call("lab.open", {"scene": "login"})
    assert c.value("coordinator", "scenes")[-1]["instance"] == "login"


def test_a_count_can_be_fast(c):
    picture = Picture(c, "lab", outputs=["value"])
    c.call("lab.count", {"to": 2000})
    assert picture.take()["value"] == 2000
    assert [f["seq"] for f in picture.frames] == sorted({f["seq"] for f in picture.frames})
