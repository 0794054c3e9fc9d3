"""REFERENCE, sendList: refusals, failures of the backend, kill -9 between acknowledge and read, exactly one delivery."""
import random
import threading
import time

import pytest
from daemons import unique
from accounts import sign_in, sign_in_locally, top_scene
from picture import Picture
from web import Answer, HangUp, oauth_config
from wire import HungUp, wait_until

SHORT = {"session": {"saveIntervalMilliseconds": 50}}


def add(c, text):
    c.call("sendList.draft", [text])
    return c.call("sendList.add")["id"]


def items(c):
    return c.value("sendList", "items")


def statuses(c):
    return [item["status"] for item in items(c)]


def test_retry_keys_belong_to_their_session(daemon):
    clients = [daemon.connect(unique()) for _ in range(2)] + [daemon.connect() for _ in range(2)]
    texts = [unique()] * 4
    for _ in range(2):
        for c, text in zip(clients, texts):
            c.call("sendList.draft", [text])
            c.call("sendList.add", {"_meta": {"key": "k"}})
    assert [item["text"] for item in items(clients[0]) if item["text"] in texts] == texts


# Refusals

@pytest.mark.parametrize("draft", ["", " ", "\n\t ", "\u3000\u00a0"])
def test_a_blank_draft_cannot_be_added(daemon, draft):
    c = daemon.connect()
    c.call("sendList.draft", [draft])
    assert c.values("sendList", "draft", "add.enabled") == {"draft": draft, "add.enabled": False}
    c.refused("sendList.add", code=-32002)


@pytest.mark.parametrize("value", ["unknown", "", 5, None])
def test_an_unknown_item_cannot_be_removed_or_retried(daemon, value):
    c = daemon.connect()
    c.refused("sendList.remove", {"value": value}, -32602)
    assert c.refused("sendList.retry", {"id": value}, -32602)["data"]["path"] == "/id"


def test_nothing_can_be_sent_signed_out(own):
    c = own().connect()
    c.refused("sendList.send", code=-32002)
    add(c, "text")
    assert c.value("sendList", "send.enabled") is False
    c.refused("sendList.send", code=-32002)


def test_an_item_that_has_not_failed_cannot_be_retried(own):
    c = own().connect()
    id = add(c, "text")
    c.refused("sendList.retry", {"id": id}, -32602)


def test_an_item_that_is_being_sent_cannot_be_removed(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    id = add(c, "text")
    asked = threading.Event()
    backend.set("/messages", Answer(201, {}, after=asked))
    picture = Picture(c, "sendList")
    sending = c.request("sendList.send")
    picture.until(lambda v: v["items"][0]["status"] == "sending")
    c.refused("sendList.remove", [id], -32602)
    c.refused("sendList.send", code=-32003)
    asked.set()
    assert c.reply(sending)["result"] == {"sent": 1, "failed": 0}


# The backend fails

@pytest.mark.parametrize("status", [200, 201, 400, 403, 404, 413, 422])
def test_a_refused_message_is_not_tried_again(http_daemon, backend, status):
    c = http_daemon.connect()
    sign_in(c)
    add(c, "refused")
    backend.set("/messages", Answer(status, {"status": "error", "error_desc": "too rude"}))
    assert c.call("sendList.send") == {"sent": 0, "failed": 1}
    item = items(c)[0]
    assert item["status"] == "failed" and item["attempts"] == 1 and "too rude" in item["problem"]
    assert len(backend.asked("/messages")) == 1 and top_scene(c) == "root"
    http_daemon.survived()


@pytest.mark.parametrize("plans", [[Answer(500, {})], [HangUp()], [HangUp(serve=True)]], ids=["500", "hang-up", "served but lost"])
def test_a_failure_is_tried_again(http_daemon, backend, plans):
    c = http_daemon.connect()
    sign_in(c)
    id = add(c, "again")
    backend.next("/messages", *plans)
    assert c.call("sendList.send", patience=30) == {"sent": 1, "failed": 0}
    assert items(c)[0]["attempts"] == len(plans) + 1 and backend.delivered == {id: "again"}
    assert {r.headers["idempotency-key"] for r in backend.asked("/messages")} == {id}


def test_after_four_attempts_an_item_has_failed(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    id = add(c, "in vain")
    backend.set("/messages", Answer(503, {}))
    start = time.monotonic()
    assert c.call("sendList.send", patience=60) == {"sent": 0, "failed": 1}
    assert len(backend.asked("/messages")) == 4 and 1.5 < time.monotonic() - start < 30
    assert items(c)[0]["status"] == "failed" and items(c)[0]["attempts"] == 4 and items(c)[0]["problem"]
    assert c.value("sendList", "send.enabled") is True
    backend.set("/messages", None)
    assert c.call("sendList.retry", {"id": id}) == {"status": "sent"}


def test_a_401_that_no_token_cures_signs_out(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    add(c, "one")
    add(c, "two")
    backend.tokens.clear()
    c.fails("sendList.send", name="signedOut")
    assert statuses(c) == ["queued", "queued"] and c.value("login", "state") == "signedOut"
    http_daemon.survived()
    sign_in(c)
    assert c.call("sendList.send") == {"sent": 2, "failed": 0}


def test_a_401_that_a_fresh_token_cures(oauth_daemon, issuer):
    c = oauth_daemon.connect()
    sign_in(c)
    add(c, "one")
    issuer.access.clear()
    assert c.call("sendList.send") == {"sent": 1, "failed": 0}
    assert list(issuer.delivered.values()) == ["one"]


def test_a_401_and_a_refused_refresh_sign_out(own, issuer):
    daemon = own(oauth_config(issuer))
    c = daemon.connect("desk")
    sign_in(c)
    add(c, "one")
    issuer.access.clear()
    issuer.refresh.clear()
    c.fails("sendList.send", name="signedOut")
    assert statuses(c) == ["queued"] and c.value("login", "state") == "signedOut"
    daemon.survived()


@pytest.mark.parametrize("end", ["cancel", "deadline", "close", "hang up"])
def test_a_sending_that_is_given_up_queues_its_item_again(http_daemon, backend, end):
    c, other = http_daemon.connect("desk"), http_daemon.connect()
    sign_in(c)
    add(c, "text")
    given_up = threading.Event()
    backend.set("/messages", Answer(201, {}, after=given_up))
    picture = Picture(other, "sendList")
    id = c.request("sendList.send", {"_meta": {"deadline": 1500}} if end == "deadline" else {})
    picture.until(lambda v: v["items"][0]["status"] == "sending")
    if end == "cancel":
        c.cancel(id)
    elif end == "close":
        other.call("viewModel.list")
        http_daemon.connect().call("session.close", {"session": "desk"})
    elif end == "hang up":
        c.close()
    if end != "hang up":
        assert c.reply(id)["error"]["code"] in (-32800, -32008)
    given_up.set()
    picture.until(lambda v: v["items"][0]["status"] in ("queued", "sent"), "the item's return")
    backend.set("/messages", None)
    if statuses(other) == ["queued"]:
        assert other.call("sendList.send") == {"sent": 1, "failed": 0}
    assert len(backend.delivered) <= 1
    http_daemon.survived()


# kill -9

def test_an_acknowledged_item_survives_a_kill(own):
    daemon = own()
    ids = []
    for n in range(8):
        c = daemon.connect()
        ids.append(add(c, f"text {n}"))
        daemon.restart(hard=True)
    assert [i["id"] for i in items(daemon.connect())] == ids


def test_kill_between_acknowledge_and_read(own):
    """Kills the daemon while it answers. Each reply that a client has read is on disk."""
    daemon = own()
    dice = random.Random(3)
    acknowledged = []
    for _ in range(6):
        c = daemon.connect()
        for n in range(30):
            c.request("sendList.draft", [f"text {n}"])
            c.request("sendList.add")
        victim = threading.Timer(dice.uniform(0.002, 0.05), daemon.process.kill)
        victim.start()
        try:
            while True:
                answer = c.answer()
                if "id" in (answer.get("result") or {}):
                    acknowledged.append(answer["result"]["id"])
                if len(c.answers) == 0 and answer["id"] == 60:
                    break
        except (HungUp, OSError):
            pass
        victim.join()
        daemon.process.wait()
        daemon.restart()
    kept = [item["id"] for item in items(daemon.connect())]
    assert set(acknowledged) <= set(kept) and len(kept) == len(set(kept))
    assert [id for id in kept if id in set(acknowledged)] == acknowledged, "oldest first"


def test_a_kill_while_sending_queues_again_and_delivers_once(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    ids = [add(c, f"text {n}") for n in range(3)]
    killed = threading.Event()
    backend.set("/messages", Answer(201, {}, after=killed))
    picture = Picture(c, "sendList")
    c.request("sendList.send")
    picture.until(lambda v: any(i["status"] == "sending" for i in v["items"]))
    http_daemon.kill()
    killed.set()
    backend.set("/messages", None)
    http_daemon.restart()
    c = http_daemon.connect()
    assert statuses(c) == ["queued"] * 3
    assert c.call("sendList.send") == {"sent": 3, "failed": 0}
    assert sorted(backend.delivered) == sorted(ids)


def test_a_removed_item_stays_removed(own):
    daemon = own()
    c = daemon.connect()
    ids = [add(c, f"text {n}") for n in range(3)]
    c.call("sendList.remove", [ids[1]])
    wait_until(lambda: len(items(c)) == 2)
    daemon.restart()
    assert [i["id"] for i in items(daemon.connect())] == [ids[0], ids[2]]


# Good outcomes

def test_adding_empties_the_draft(own):
    c = own().connect()
    picture = Picture(c, "sendList")
    id = add(c, "  text with spaces ")
    values = picture.now()
    assert values["draft"] == "" and values["add.enabled"] is False
    assert values["items"] == [{"id": id, "text": "  text with spaces ", "status": "queued", "attempts": 0, "problem": None}]


def test_sending_presents_a_scene(http_daemon, backend):
    c = http_daemon.connect()
    sign_in(c)
    ids = [add(c, f"text {n}") for n in range(3)]
    picture = Picture(c, "sendList")
    assert c.call("sendList.send") == {"sent": 3, "failed": 0}
    picture.now()
    assert list(backend.delivered.items()) == [(id, f"text {n}") for n, id in enumerate(ids)]
    assert statuses(c) == ["sent"] * 3
    scene = c.value("coordinator", "scenes")[-1]
    assert scene["scene"] == "sent" and scene["style"] == "present" and scene["arguments"] == {"count": 3}
    progress = [f["values"]["send.progress"] for f in picture.frames if "send.progress" in f.get("values", {})]
    assert progress[-1] is None and progress[:-1] == sorted(progress[:-1]) and all(0 <= p <= 1 for p in progress[:-1])
    c.refused("sendList.send", code=-32002)


def test_the_local_provider_takes_a_message_at_once(own):
    c = own().connect()
    sign_in_locally(c)
    add(c, "text")
    assert c.call("sendList.send") == {"sent": 1, "failed": 0}


def test_two_sessions_share_the_work(http_daemon, backend):
    a, b = http_daemon.connect(), http_daemon.connect()
    sign_in(a)
    for n in range(10):
        add(a, f"text {n}")
    backend.set("/messages", lambda request: time.sleep(0.03))
    ids = a.request("sendList.send"), b.request("sendList.send")
    results = [client.reply(id) for client, id in zip((a, b), ids)]
    assert sum(r["result"]["sent"] for r in results if "result" in r) == 10
    assert len(backend.asked("/messages")) == 10


def test_the_outbox_belongs_to_the_user(daemon):
    a, b = daemon.connect(), daemon.connect("desk")
    picture = Picture(b, "sendList")
    id = add(a, "seen everywhere")
    picture.until(lambda v: id in [i["id"] for i in v["items"]])
    assert picture.values["draft"] == "", "the draft belongs to the session"


def test_the_draft_is_restored(own):
    daemon = own(SHORT)
    daemon.connect("desk").call("sendList.draft", ["half a sent"])
    daemon.wait_on_disk("half a sent")
    daemon.restart(hard=True)
    assert daemon.connect("desk").value("sendList", "draft") == "half a sent"
