"""REFERENCE, sendList: a delivery, and one that is given up. `SendListTests`, `SessionModelTests` and `HTTPProviderTests` have what
fails; `DaemonKillTests` have kill -9."""
import threading

import pytest
from accounts import add, sign_in
from picture import Picture
from web import Answer
from wire import wait_until


def statuses(c):
    return [item["status"] for item in c.value("sendList", "items")]


def test_sending_presents_a_scene(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    ids = [add(c, f"text {number}") for number in range(3)]
    picture = Picture(c, "sendList")
    assert c.call("sendList.send") == {"sent": 3, "failed": 0}
    picture.now()
    assert list(backend.delivered.items()) == [(id, f"text {number}") for number, id in enumerate(ids)] and statuses(c) == ["sent"] * 3
    scene = c.value("coordinator", "scenes")[-1]
    assert (scene["scene"], scene["style"], scene["arguments"]) == ("sent", "present", {"count": 3})
    progress = [frame["values"]["send.progress"] for frame in picture.frames if "send.progress" in frame.get("values", {})]
    assert progress[-1] is None and progress[:-1] == sorted(progress[:-1]) and all(0 <= part <= 1 for part in progress[:-1])
    c.refused("sendList.send", code=-32002)


@pytest.mark.parametrize("end", ["none", "cancel", "deadline", "close", "hang up", "kill"])
def test_a_sending_that_is_given_up_delivers_its_item_once(http_daemon, backend, end):
    c, other = http_daemon.connect("desk"), http_daemon.connect()
    sign_in(c)
    item, given_up = add(c, "text"), threading.Event()
    backend.set("/messages", lambda request: backend.serve(request) and Answer(201, {}, after=given_up))
    picture = Picture(other, "sendList")
    id = c.request("sendList.send", {"_meta": {"deadline": 6000}} if end == "deadline" else {})
    picture.until(lambda v: v["items"][0]["status"] == "sending")
    other.refused("sendList.remove", [item], -32602)
    c.refused("sendList.send", code=-32003)
    {"cancel": lambda: c.cancel(id), "close": lambda: http_daemon.connect().call("session.close", {"session": "desk"}),
     "hang up": c.close, "kill": http_daemon.kill}.get(end, lambda: None)()
    if end in ("cancel", "deadline", "close"):
        assert c.reply(id)["error"]["code"] == (-32008 if end == "deadline" else -32800)
    given_up.set()
    backend.set("/messages", None)
    if end == "kill":
        http_daemon.restart()
        other = http_daemon.connect()
        assert statuses(other) == ["queued"]
    wait_until(lambda: statuses(other)[0] in ("queued", "sent"), "the item's return")
    if statuses(other) == ["queued"]:
        assert other.call("sendList.send") == {"sent": 1, "failed": 0}
    assert backend.delivered == {item: "text"}
    http_daemon.survived()
