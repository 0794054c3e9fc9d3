"""REFERENCE, sendList: failures of the backend, kill -9 between acknowledge and read, exactly one delivery."""
import random
import threading

import pytest
from accounts import sign_in, sign_in_locally, top_scene
from picture import Picture
from web import Answer, HangUp
from wire import HungUp, wait_until


def add(c, text):
    c.call("sendList.draft", [text])
    return c.call("sendList.add")["id"]


def items(c):
    return c.value("sendList", "items")


def statuses(c):
    return [item["status"] for item in items(c)]


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


@pytest.mark.parametrize("status", [200, 400, 404, 422])
def test_a_refused_message_is_not_tried_again(http_daemon, backend, status):
    c = http_daemon.connect()
    sign_in(c)
    add(c, "refused")
    backend.set("/messages", Answer(status, {"status": "error", "error_desc": "too rude"}))
    assert c.call("sendList.send") == {"sent": 0, "failed": 1}
    item = items(c)[0]
    assert item["status"] == "failed" and item["attempts"] == 1 and "too rude" in item["problem"]
    assert len(backend.asked("/messages")) == 1 and top_scene(c) == "root"


@pytest.mark.parametrize("plans, sent", [([Answer(500, {})], True), ([HangUp(), HangUp(serve=True)], True), ([Answer(503, {})] * 4, False)],
                         ids=["500", "hang-ups", "four times 503"])
def test_a_failure_is_tried_again_up_to_four_times(http_daemon, backend, plans, sent):
    c = http_daemon.connect()
    sign_in(c)
    id = add(c, "again")
    backend.next("/messages", *plans)
    assert c.call("sendList.send", patience=60) == {"sent": int(sent), "failed": int(not sent)}
    assert len(backend.asked("/messages")) == items(c)[0]["attempts"] == min(4, len(plans) + 1)
    assert {request.headers["idempotency-key"] for request in backend.asked("/messages")} == {id}
    if not sent:
        assert items(c)[0]["status"] == "failed" and items(c)[0]["problem"] and c.value("sendList", "send.enabled") is True
        assert c.call("sendList.retry", {"id": id}) == {"status": "sent"}
    assert backend.delivered == {id: "again"}


def test_a_401_that_a_fresh_token_does_not_cure_signs_out(http_daemon, backend, oauth_daemon, issuer):
    c = http_daemon.connect()
    sign_in(c)
    add(c, "one")
    add(c, "two")
    backend.tokens.clear()
    c.fails("sendList.send", name="signedOut")
    assert statuses(c) == ["queued", "queued"] and c.value("login", "state") == "signedOut"
    sign_in(c)
    assert c.call("sendList.send") == {"sent": 2, "failed": 0}
    c = oauth_daemon.connect()
    sign_in(c)
    add(c, "one")
    issuer.access.clear()
    assert c.call("sendList.send") == {"sent": 1, "failed": 0} and list(issuer.delivered.values()) == ["one"]
    add(c, "two")
    issuer.access.clear()
    issuer.refresh.clear()
    c.fails("sendList.send", name="signedOut")
    assert statuses(c) == ["sent", "queued"] and c.value("login", "state") == "signedOut"


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


def test_the_newest_200_of_the_sent_are_kept(own):
    c = own().connect()
    sign_in_locally(c)
    ids = [add(c, f"{number}") for number in range(205)]
    assert c.call("sendList.send", patience=60) == {"sent": 205, "failed": 0}
    assert wait_until(lambda: (kept := [item["id"] for item in items(c)]) and len(kept) == 200 and kept, "200 items") == ids[5:]


def test_kills_between_acknowledge_and_read(own):
    """Kills the daemon while it answers. Each reply that a client has read is on disk, in its order, once."""
    daemon, dice, acknowledged = own(), random.Random(3), []
    for _ in range(8):
        c = daemon.connect()
        for number in range(30):
            c.request("sendList.draft", [f"text {number}"])
            c.request("sendList.add")
        kill_at = dice.randrange(60)
        try:
            for number in range(61):
                if number == kill_at:
                    daemon.kill()
                answer = c.answer()
                acknowledged += [answer["result"]["id"]] if "id" in (answer.get("result") or {}) else []
        except (HungUp, OSError):
            daemon.restart(hard=True)
    kept = [item["id"] for item in items(daemon.connect())]
    assert len(kept) == len(set(kept)) and [id for id in kept if id in set(acknowledged)] == acknowledged
