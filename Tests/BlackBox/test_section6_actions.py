"""PROTOCOL section 6: inputs, fields, actions, policies, the gate, cancelling, deadlines, retry keys."""
import time

import pytest
from picture import Picture
from wire import request, wait_until


def frames_with(picture, output):
    return [frame["values"] for frame in picture.frames if output in frame.get("values", {})]


# Refusals

@pytest.mark.parametrize("meta, path", [
    (1, "/_meta"), (None, "/_meta"), ("x", "/_meta"), ([], "/_meta"), ({"deadline": "x"}, "/_meta/deadline"), ({"deadline": -1}, "/_meta/deadline"),
    ({"key": 1}, "/_meta/key"), ({"deadlin": 5}, "/_meta/deadlin"), ({"deadline": 10 ** 30}, "/_meta/deadline"), ({"key": "k" * 129}, "/_meta/key"), ({"key": "é" * 65}, "/_meta/key"),
], ids=lambda value: str(value)[:24].encode("ascii", "replace").decode())
@pytest.mark.parametrize("method, params", [("lab.sleep", {"milliseconds": 1}), ("lab.set", {"value": 1}), ("viewModel.list", {}), ("session.list", {}), ("lab.trap", {})])
def test_a_wrong_meta_is_refused(c, meta, path, method, params):
    data = c.refused(method, {**params, "_meta": meta}, -32602)["data"]
    assert data["path"] == path
    assert c.value("lab", "value") == 0


def test_a_disabled_action_is_refused(c):
    assert c.refused("calculator.undo", code=-32002)["data"] == {"action": "undo"}
    assert c.refused("calculator.clear", code=-32002)["data"] == {"action": "clear"}


def test_an_executing_action_is_refused_and_left_alone(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    picture = Picture(a, "lab")
    first = a.request("lab.sleep", {"milliseconds": 60000})
    a.round_trip()
    frames = len(picture.take() and picture.frames)
    for client in (a, b):
        assert client.refused("lab.sleep", {"milliseconds": 1}, -32003)["data"] == {"action": "sleep"}
    picture.take()
    assert len(picture.frames) == frames, "a refusal is seen by its caller only"
    a.cancel(first)
    assert a.reply(first)["error"]["code"] == -32800
    assert a.call("lab.sleep", {"milliseconds": 1})["order"] == 1, "no refused call has run"


def test_an_unexpected_error_leaks_nothing(c, daemon):
    error = c.refused("lab.trap", code=-32603)
    assert error["data"].keys() == {"incident"} and error["data"]["incident"] in daemon.log
    assert "Trap" not in bytes(c.transcript).decode() and ".swift" not in bytes(c.transcript).decode()
    assert c.refused("lab.trap", code=-32603)["data"] != error["data"]
    assert c.value("lab", "trap.executing") is False


@pytest.mark.parametrize("retryable", [True, False])
def test_a_declared_failure_has_a_name(c, retryable):
    data = c.fails("lab.fail", {"error": "outOfLuck", "retryable": retryable}, "outOfLuck")
    assert data["retryable"] is retryable


def test_one_execution_too_many_is_refused(own, name):
    daemon = own({"limits": {"executions": 3}})
    a, b = daemon.connect(name), daemon.connect(name)
    for action in ("sleepConcurrent", "sleepQueued"):
        ids = [a.request(f"lab.{action}", {"milliseconds": 60000}) for _ in range(3)]
        a.round_trip()
        for client in (a, b):
            assert client.refused(f"lab.{action}", {"milliseconds": 1}, -32006)["data"] == {"limit": "limits.executions", "value": 3}
        assert a.call("lab.sleepLatest", {"milliseconds": 1}), "another action has executions of its own"
        a.cancel(ids[1])
        assert a.reply(ids[1])["error"]["code"] == -32800
        again = b.request(f"lab.{action}", {"milliseconds": 1})
        if action == "sleepQueued":
            a.cancel(ids[0])
            a.cancel(ids[2])
        assert b.reply(again)["result"]["slept"] == 1
        for id in (ids[0], ids[2]):
            a.cancel(id)
            a.reply(id)


@pytest.mark.parametrize("action", ["sleepConcurrent", "sleepQueued"])
def test_executions_of_notifications_are_bounded(own, action):
    daemon = own()
    c = daemon.connect()
    c.values("lab")
    before = daemon.resident
    for _ in range(20):
        c.send_bytes(b'{"jsonrpc":"2.0","method":"lab.%s","params":{"milliseconds":600000}}\n' % action.encode() * 2000)
    assert c.refused(f"lab.{action}", {"milliseconds": 1}, -32006)["data"] == {"limit": "limits.executions", "value": 256}
    assert daemon.resident - before < 30 << 20


@pytest.mark.parametrize("action", ["sleepShared", "sleepLatest"])
def test_callers_of_one_execution_are_bounded(own, action):
    daemon = own()
    c = daemon.connect()
    c.values("lab")
    before = daemon.resident
    for _ in range(20):
        c.send_bytes(b'{"jsonrpc":"2.0","method":"lab.%s","params":{"milliseconds":600000}}\n' % action.encode() * 2000)
    c.round_trip()
    assert daemon.resident - before < 30 << 20
    daemon.survived()


# Inputs

def test_the_reply_to_an_input_is_the_step(c):
    picture = Picture(c, "lab")
    reply = c.call("lab.set", [3])
    picture.take()
    assert reply == {"seq": picture.seq} and picture.values["value"] == 3
    assert c.call("lab.set", [3]) == reply, "an input that changes nothing makes no step"


def test_the_reply_says_when_a_frame_is_held(c):
    picture = Picture(c, "lab", minInterval=1500)
    c.call("lab.set", [1])
    reply = c.call("lab.set", [2])
    assert reply["held"] is True
    again = c.call("lab.set", [2])
    assert again["held"] is True, "an earlier change still waits"
    assert c.value("lab", "value") == 2
    other = c.call("calculator.press", ["1"])
    assert "held" not in other, "a frame of another instance does not count"
    picture.until(lambda v: v["value"] == 2)
    assert picture.seq >= reply["seq"]
    time.sleep(0.45)
    picture.now()
    assert "held" not in c.call("lab.set", [2]), "the picture is up to date"


def test_without_a_binding_nothing_is_held(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    Picture(a, "lab", minInterval=1000)
    a.call("lab.set", [1])
    a.call("lab.set", [2])
    assert "held" not in b.call("lab.set", [3])
    Picture(b, "lab")
    assert "held" not in b.call("lab.set", [4])


def test_a_reply_without_held_follows_its_frame(c):
    picture = Picture(c, "sendList", outputs=["draft"])
    for text in ("", "a", "a", "ab", "abc", "ab"):
        reply = c.call("sendList.draft", [text])
        picture.take()
        assert "held" not in reply and picture.values["draft"] == text and picture.seq <= reply["seq"]


def test_a_field_over_a_held_binding(c):
    """A text box that types while frames are held shows the right text at the end: it reads the output."""
    picture = Picture(c, "sendList", outputs=["draft"], minInterval=200)
    for end in range(1, 20):
        reply = c.call("sendList.draft", ["hello, wide world!!!"[:end]])
    assert reply.get("held") is True and c.value("sendList", "draft") == "hello, wide world!!!"[:19]
    picture.until(lambda v: v["draft"] == "hello, wide world!!!"[:19])


def test_a_field_with_two_writers_keeps_the_last(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    pictures = Picture(a, "sendList"), Picture(b, "sendList")
    a.call("sendList.draft", ["from a"])
    b.call("sendList.draft", ["from b"])
    for picture in pictures:
        picture.until(lambda v: v["draft"] == "from b")


@pytest.mark.parametrize("key", ["k", "k" * 128, "é" * 64], ids=["short", "128 bytes", "64 characters"])
def test_an_input_with_a_key_is_applied_once(c, key):
    meta = {"_meta": {"key": key}}
    first = c.call("lab.append", {"value": 2, **meta})
    c.call("lab.set", [9])
    assert c.call("lab.append", {"value": 2, **meta}) == first
    assert len(c.value("lab", "rows")) == 2
    c.refused("lab.append", {"value": 3, **meta}, -32602)
    c.call("lab.append", {"value": 2, "_meta": {"key": key[:-1] + "x"}})
    assert len(c.value("lab", "rows")) == 4


def test_a_key_on_an_input_survives_a_reconnect(daemon, name):
    a = daemon.connect(name)
    a.notify("lab.append", {"value": 2, "_meta": {"key": "k"}})
    a.round_trip()
    a.close()
    b = daemon.connect(name)
    b.call("lab.append", {"value": 2, "_meta": {"key": "k"}})
    assert len(b.value("lab", "rows")) == 2


def test_a_refused_input_leaves_its_key_free(c):
    c.refused("lab.update", {"id": 1, "text": "x", "_meta": {"key": "k"}}, -32602)
    c.call("lab.append", [1])
    c.call("lab.update", {"id": 1, "text": "x", "_meta": {"key": "k"}})
    assert c.value("lab", "rows")[0]["text"] == "x"


def test_an_input_ignores_the_deadline(c):
    assert "seq" in c.call("lab.set", {"value": 3, "_meta": {"deadline": 0}})
    assert c.value("lab", "value") == 3


def test_keys_of_inputs_and_actions_are_separate(c):
    c.call("lab.set", {"value": 3, "_meta": {"key": "k"}})
    assert c.call("lab.sleepConcurrent", {"milliseconds": 1, "_meta": {"key": "k"}})["order"] == 1
    c.call("viewModel.open", {"type": "lab", "id": "other"})
    c.call("other.set", {"value": 4, "_meta": {"key": "k"}})
    assert c.value("other", "value") == 4


def test_an_input_without_a_value(c):
    for params in ([], {}):
        assert "seq" in c.call("mine.header.select", params)
    assert "seq" in c.call("mine.header.select")
    c.refused("mine.header.select", {"value": 1}, -32602)
    c.refused("mine.header.select", [1], -32602)


def test_a_value_that_is_an_object_goes_by_its_members(c):
    c.call("lab.append", [3])
    c.call("lab.update", {"id": 2, "text": "two"})
    c.refused("lab.update", {"value": {"id": 2, "text": "x"}}, -32602)
    c.refused("lab.update", [{"id": 2, "text": "x"}], -32602)
    assert c.value("lab", "rows")[1] == {"id": 2, "text": "two"}


# Policies

def test_exclusive_comes_in_one_frame_each(c):
    picture = Picture(c, "lab")
    c.call("lab.sleep", {"milliseconds": 20})
    picture.take()
    assert frames_with(picture, "sleep.executing") == [{"sleep.executing": True, "sleep.enabled": False}, {"sleep.executing": False, "sleep.enabled": True}]


@pytest.mark.parametrize("action", ["sleepLatest", "sleepQueued", "sleepConcurrent", "sleepShared"])
def test_other_policies_stay_enabled(c, action):
    picture = Picture(c, "lab")
    c.call(f"lab.{action}", {"milliseconds": 20})
    picture.take()
    assert frames_with(picture, f"{action}.executing") == [{f"{action}.executing": True}, {f"{action}.executing": False}]
    assert frames_with(picture, f"{action}.enabled") == []


def test_latest_cancels_the_former(c):
    first = c.request("lab.sleepLatest", {"milliseconds": 60000})
    second = c.request("lab.sleepLatest", {"milliseconds": 5})
    assert c.answer()["id"] == first and c.reply(second)["result"] == {"slept": 5, "order": 1}


def test_queued_runs_one_after_the_other(c):
    picture = Picture(c, "lab")
    ids = [c.request("lab.sleepQueued", {"milliseconds": n}) for n in (60, 1, 30)]
    assert [c.reply(id)["result"]["order"] for id in ids] == [1, 2, 3]
    picture.take()
    assert len(frames_with(picture, "sleepQueued.executing")) == 2, "executing stays true between them"


def test_a_waiting_call_can_be_cancelled_and_can_run_out_of_time(c):
    first = c.request("lab.sleepQueued", {"milliseconds": 60000})
    second = c.request("lab.sleepQueued", {"milliseconds": 1})
    third = c.request("lab.sleepQueued", {"milliseconds": 1, "_meta": {"deadline": 60}})
    c.cancel(second)
    assert c.reply(second)["error"]["code"] == -32800
    assert c.reply(third)["error"] == {"code": -32008, "message": c.history[-1]["error"]["message"], "data": {"deadline": 60}}
    c.cancel(first)
    assert c.reply(first)["error"]["code"] == -32800
    assert c.call("lab.sleepQueued", {"milliseconds": 1})["order"] == 1, "no call that was given up has run"


def test_concurrent_runs_side_by_side(c):
    picture = Picture(c, "lab")
    ids = [c.request("lab.sleepConcurrent", {"milliseconds": n}) for n in (60000, 60000, 20)]
    assert c.answer()["id"] == ids[2]
    for id in ids[1::-1]:
        c.cancel(id)
        assert c.answer()["id"] == id
    picture.take()
    assert len(frames_with(picture, "sleepConcurrent.executing")) == 2


def test_shared_gives_all_callers_the_same(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    first = a.request("lab.sleepShared", {"milliseconds": 1500})
    a.round_trip()
    second = b.request("lab.sleepShared", {"milliseconds": 999})
    assert a.reply(first)["result"] == b.reply(second)["result"] == {"slept": 1500, "order": 1}


SHARING = pytest.mark.parametrize("action, key", [("sleepShared", None), ("sleep", "k"), ("sleepConcurrent", "k")])


@SHARING
def test_one_of_several_callers_cancels(daemon, name, action, key):
    meta = {"_meta": {"key": key}} if key else {}
    clients = [daemon.connect(name) for _ in range(2)]
    ids = []
    for client in clients:
        ids.append(client.request(f"lab.{action}", {"milliseconds": 1500, **meta}))
        client.round_trip()
    clients[0].cancel(ids[0])
    assert clients[0].reply(ids[0])["error"]["code"] == -32800
    assert clients[0].value("lab", f"{action}.executing") is True
    assert clients[1].reply(ids[1])["result"] == {"slept": 1500, "order": 1}


@SHARING
def test_the_work_stops_with_its_last_caller(daemon, name, action, key):
    meta = {"_meta": {"key": key}} if key else {}
    clients = [daemon.connect(name) for _ in range(2)]
    ids = []
    for client in clients:
        ids.append(client.request(f"lab.{action}", {"milliseconds": 60000, **meta}))
        client.round_trip()
    for client, id in zip(clients, ids):
        assert client.value("lab", f"{action}.executing") is True
        client.cancel(id)
        assert client.reply(id)["error"]["code"] == -32800
    assert clients[0].value("lab", f"{action}.executing") is False


# The gate

def test_params_come_before_everything(c):
    id = c.request("lab.sleep", {"milliseconds": 200, "_meta": {"key": "k"}})
    c.refused("lab.sleep", {"milliseconds": "x"}, -32602)
    c.refused("lab.sleep", {"milliseconds": "x", "_meta": {"key": "k"}}, -32602)
    c.refused("calculator.undo", {"x": 1}, -32602)
    assert "result" in c.reply(id)


def test_the_key_comes_before_executing_and_the_condition(c):
    sleep = [request("lab.sleep", {"milliseconds": 100, "_meta": {"key": key}}, n) for n, key in enumerate(["k", "k", "other"])]
    first, same, other = c.batch(*sleep)
    assert other["error"]["code"] == -32003 and first["result"] == same["result"]
    for key in "7+":
        c.call("calculator.press", [key])
    assert c.call("calculator.undo", {"_meta": {"key": "k"}}) is None
    assert c.call("calculator.undo", {"_meta": {"key": "k"}}) is None
    c.refused("calculator.undo", {"_meta": {"key": "other"}}, -32002)


# Cancelling and deadlines

def test_a_cancelled_action_has_really_ended(c):
    picture = Picture(c, "lab")
    id = c.request("lab.sleep", {"milliseconds": 60000})
    c.cancel(id)
    assert c.reply(id)["error"]["code"] == -32800
    assert picture.take()["sleep.executing"] is False
    assert c.call("lab.sleep", {"milliseconds": 1})["order"] == 1


@pytest.mark.parametrize("params", [{"id": 12345}, {"id": "1"}, {"id": None}, {"id": 1.0}, {}, [1], {"id": {}}, {"id": []}])
def test_cancelling_what_is_not_there_is_ignored(c, params):
    id = c.request("lab.sleep", {"milliseconds": 60}, id=1)
    c.notify("$/cancelRequest", params)
    if params == {"id": 1.0}:
        c.send_text('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1.0}}')
    assert "result" in c.reply(id)
    assert c.is_silent()


def test_cancelling_as_a_request_is_answered_null(c):
    id = c.request("lab.sleep", {"milliseconds": 60000})
    assert c.call("$/cancelRequest", {"id": id}) is None
    assert c.reply(id)["error"]["code"] == -32800
    assert c.call("$/cancelRequest", {"id": "never was"}) is None


def test_cancelling_concerns_one_connection(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    a.request("lab.sleep", {"milliseconds": 150}, id=1)
    a.round_trip()
    b.cancel(1)
    b.round_trip()
    assert "result" in a.reply(1)


def test_a_cancelled_count_changes_nothing_more(c):
    picture = Picture(c, "lab")
    id = c.request("lab.count", {"to": 10 ** 6, "every": 2})
    picture.until(lambda v: v["value"] >= 3)
    c.cancel(id)
    assert c.reply(id)["error"]["code"] == -32800
    picture.take()
    assert picture.values["count.executing"] is False and picture.values["count.progress"] is None
    c.drain(0.05)
    assert c.notifications == []


@pytest.mark.parametrize("deadline", [0, 1, 80])
def test_the_deadline_cancels(c, deadline):
    error = c.refused("lab.sleep", {"milliseconds": 60000, "_meta": {"deadline": deadline}}, -32008)
    assert error["data"] == {"deadline": deadline}
    assert c.value("lab", "sleep.executing") is False


@pytest.mark.parametrize("deadline", [10_000, 2 ** 53, 2 ** 63 - 1])
def test_a_deadline_that_is_not_reached(c, deadline):
    reply = c.ask("lab.sleep", {"milliseconds": 5, "_meta": {"deadline": deadline}})
    assert "result" in reply or deadline > 2 ** 53 and reply["error"]["code"] == -32602


# Retry keys

def test_a_key_runs_once_and_repeats_the_outcome(c):
    params = {"milliseconds": 5, "_meta": {"key": "k"}}
    first = c.call("lab.sleepConcurrent", params)
    assert c.call("lab.sleepConcurrent", params) == first
    assert c.call("lab.sleepConcurrent", {"milliseconds": 5, "_meta": {"key": "k", "deadline": 5000}}) == first, "_meta does not count"
    c.refused("lab.sleepConcurrent", {"milliseconds": 6, "_meta": {"key": "k"}}, -32602)
    assert c.call("lab.sleepConcurrent", {"milliseconds": 5})["order"] == 2


@pytest.mark.parametrize("action, params", [("fail", {"error": "boom", "retryable": True}), ("trap", {})])
def test_a_key_repeats_a_failure(c, action, params):
    params = {**params, "_meta": {"key": "k"}}
    assert c.refused(f"lab.{action}", params) == c.refused(f"lab.{action}", params)


def test_a_key_repeats_a_cancellation_and_a_deadline(c):
    params = {"milliseconds": 60000, "_meta": {"key": "k"}}
    id = c.request("lab.sleepConcurrent", params)
    c.cancel(id)
    assert c.reply(id)["error"]["code"] == -32800
    c.refused("lab.sleepConcurrent", params, -32800)
    c.refused("lab.sleepConcurrent", {"milliseconds": 60000, "_meta": {"key": "d", "deadline": 20}}, -32008)
    c.refused("lab.sleepConcurrent", {"milliseconds": 60000, "_meta": {"key": "d", "deadline": 20}}, -32008)


def test_a_refusal_is_not_remembered(c):
    c.refused("calculator.undo", {"_meta": {"key": "k"}}, -32002)
    for key in "7+":
        c.call("calculator.press", [key])
    c.call("calculator.undo", {"_meta": {"key": "k"}})
    assert c.value("calculator", "operations") == []


def test_a_key_makes_a_retry_after_a_reconnect_safe(daemon, name):
    a = daemon.connect(name)
    a.request("lab.sleep", {"milliseconds": 120, "_meta": {"key": "k"}})
    a.round_trip()
    a.close()
    b = daemon.connect(name)
    assert b.call("lab.sleep", {"milliseconds": 120, "_meta": {"key": "k"}})["order"] == 1
    assert b.call("lab.sleep", {"milliseconds": 1})["order"] == 2


def test_a_key_belongs_to_its_instance(c):
    c.call("viewModel.open", {"type": "lab", "id": "other"})
    params = {"milliseconds": 1, "_meta": {"key": "k"}}
    assert c.call("lab.sleepConcurrent", params)["order"] == 1 and c.call("other.sleepConcurrent", params)["order"] == 1
    c.call("viewModel.close", {"id": "other"})
    assert c.call("lab.sleepConcurrent", params)["order"] == 1


@pytest.mark.parametrize("method, params", [("lab.fail", {"error": "{}", "retryable": False}), ("lab.echo", {"value": "{}"}), ("lab.ring", {"value": "{}"})])
def test_remembered_keys_do_not_grow_without_end(own, method, params):
    """What is remembered with a key is bounded, also when each call has large params."""
    daemon = own({"limits": {"events": 1}})
    c = daemon.connect()
    c.values("lab")
    text = "x" * 900_000
    for n in range(80):
        large = {name: value and text + str(n) for name, value in params.items()}
        c.ask(method, {**large, "_meta": {"key": f"k{n}"}})
        c.transcript.clear()
        c.history.clear()
        if n == 4:
            before = daemon.resident
    assert daemon.resident - before < 30 << 20


# Life

def test_an_action_goes_on_without_its_caller(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    picture = Picture(b, "lab")
    a.request("lab.count", {"to": 5, "every": 20})
    a.round_trip()
    a.close()
    picture.until(lambda v: v["value"] == 5 and not v["count.executing"])


def test_a_notification_runs_an_action(c):
    picture = Picture(c, "lab")
    c.notify("lab.count", {"to": 3})
    picture.until(lambda v: v["value"] == 3 and not v["count.executing"])


def test_progress_is_null_unless_executing(c):
    picture = Picture(c, "lab", outputs=["count.progress", "count.executing", "value"])
    c.call("lab.count", {"to": 4, "every": 5})
    picture.take()
    numbers = [f["values"]["count.progress"] for f in picture.frames if "count.progress" in f["values"]]
    assert numbers[-1] is None and all(n is None or 0 <= n <= 1 for n in numbers) and sorted(numbers[:-1], key=lambda n: n or 0) == numbers[:-1]
    assert [f["values"]["value"] for f in picture.frames if "value" in f["values"]] == [1, 2, 3, 4]


def test_refusals_in_a_burst_change_nothing(c):
    id = c.request("lab.sleep", {"milliseconds": 60000})
    answer = c.batch(*[request("lab.sleep", {"milliseconds": 1}, f"n{n}") for n in range(100)])
    assert all(part["error"]["code"] == -32003 for part in answer)
    c.cancel(id)
    assert c.reply(id)["error"]["code"] == -32800
    wait_until(lambda: c.value("lab", "sleep.enabled"))
    assert c.call("lab.sleep", {"milliseconds": 1})["order"] == 1, "no refused call has run"
