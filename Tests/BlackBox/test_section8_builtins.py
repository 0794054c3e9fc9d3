"""PROTOCOL section 8: coordinator, prompter, daemon."""
import time

import pytest
from picture import Picture
from wire import wait_until

ROOT_SCENE = {"id": "root", "scene": "root", "style": "root", "instance": None, "arguments": {}}


def scenes(c):
    return c.value("coordinator", "scenes")


# coordinator

def test_back_is_disabled_at_the_root(c):
    assert scenes(c) == [ROOT_SCENE]
    assert c.value("coordinator", "back.enabled") is False
    c.refused("coordinator.back", code=-32002)


def test_an_unknown_scene_is_refused(c):
    error = c.refused("coordinator.open", {"scene": "hepl"}, -32602)
    assert error["data"]["path"] == "/scene" and "help" in error["data"]["suggestions"]
    assert scenes(c) == [ROOT_SCENE]


@pytest.mark.parametrize("params", [{}, {"scene": 1}, {"scene": "help", "arguments": 1}, {"scene": "help", "arguments": []}, {"scene": "help", "more": 1}])
def test_bad_params_of_open(c, params):
    c.refused("coordinator.open", params, -32602)


def fill(c, limit):
    """Opens scenes until one is refused, and returns the error. The root may count or not."""
    for _ in range(limit + 2):
        if error := c.ask("coordinator.open", {"scene": "help"}).get("error"):
            return error
    raise AssertionError(f"{len(scenes(c))} scenes are open")


@pytest.mark.parametrize("limit", [5, None])
def test_one_scene_too_many_is_refused(own, limit):
    c = own({"limits": {"scenes": limit}} if limit else None).connect()
    limit = limit or 64
    error = fill(c, limit)
    assert error["code"] == -32006 and error["data"] == {"limit": "limits.scenes", "value": limit}
    full = len(scenes(c))
    assert full in (limit, limit + 1)
    c.call("coordinator.back")
    c.call("coordinator.open", {"scene": "wallet"})
    assert scenes(c)[-1]["scene"] == "wallet" and len(scenes(c)) == full


def test_a_push_beyond_the_limit_is_logged_and_does_nothing(own):
    daemon = own({"limits": {"scenes": 3}})
    c = daemon.connect()
    fill(c, 3)
    before, log = scenes(c), len(daemon.log)
    for _ in range(5):
        assert "seq" in c.call("mine.select", ["help"])
        assert "seq" in c.call("mine.header.select")
    assert c.refused("lab.open", {"scene": "help"}, -32006)["data"] == {"limit": "limits.scenes", "value": 3}
    assert scenes(c) == before
    wait_until(lambda: "scene" in daemon.log[log:].lower(), "a line in the log")


def test_open_and_back(c):
    picture = Picture(c, "coordinator")
    opened = c.call("coordinator.open", {"scene": "help", "arguments": {"a": [1]}})
    top = picture.take()["scenes"][-1]
    assert top == {"id": opened["id"], "scene": "help", "style": "push", "instance": None, "arguments": {"a": [1]}}
    c.call("coordinator.open", {"scene": "login"})
    assert picture.take()["scenes"][-1]["instance"] == "login" and picture.values["scenes"][-1]["arguments"] == {}
    assert picture.values["back.enabled"] is True
    c.call("coordinator.back")
    c.call("coordinator.back")
    assert picture.take()["scenes"] == [ROOT_SCENE] and picture.values["back.enabled"] is False


def test_scene_ids_are_unique(c):
    ids = [c.call("coordinator.open", {"scene": "help"})["id"] for _ in range(10)]
    c.call("coordinator.back")
    ids.append(c.call("coordinator.open", {"scene": "help"})["id"])
    assert len(set(ids)) == 11


# prompter

@pytest.mark.parametrize("params, path", [({"id": "nope"}, "/id"), ({}, None), ({"id": 1}, "/id"), ({"id": "nope", "button": 5}, None)])
def test_an_answer_to_no_prompt(c, params, path):
    data = c.refused("prompter.answer", params, -32602)["data"]
    assert path is None or data["path"] == path


def asking(c, title="Sure?"):
    picture = Picture(c, "prompter")
    id = c.request("lab.ask", {"title": title})
    return picture, id, picture.until(lambda v: v["pending"])["pending"][0]


@pytest.mark.parametrize("answer", [{"button": "maybe"}, {}, {"text": "x"}])
def test_a_wrong_answer_leaves_the_prompt(c, answer):
    picture, id, prompt = asking(c)
    c.refused("prompter.answer", {"id": prompt["id"], **answer}, -32602)
    assert picture.now()["pending"] == [prompt]
    c.call("prompter.answer", {"id": prompt["id"], "button": "cancel"})
    assert c.reply(id)["result"] == {"button": "cancel"}


def test_the_first_answer_wins(daemon, name):
    a, b = daemon.connect(name), daemon.connect(name)
    picture, id, prompt = asking(a)
    assert prompt["kind"] == "confirm" and prompt["title"] == "Sure?" and prompt.keys() == {"id", "kind", "title", "message", "buttons"}
    assert [(x["id"], x["role"]) for x in prompt["buttons"]] == [("ok", "default"), ("cancel", "cancel")]
    assert b.call("prompter.answer", {"id": prompt["id"], "button": "ok"}) is None
    assert a.reply(id)["result"] == {"button": "ok"}
    assert picture.now()["pending"] == []
    a.fails("prompter.answer", {"id": prompt["id"], "button": "cancel"}, "alreadyAnswered")


def test_a_prompt_goes_with_its_action(c):
    picture, id, prompt = asking(c)
    c.cancel(id)
    assert c.reply(id)["error"]["code"] == -32800
    assert picture.now()["pending"] == []
    c.fails("prompter.answer", {"id": prompt["id"], "button": "ok"}, "alreadyAnswered")


def test_a_prompt_goes_with_its_instance(c):
    picture, id, prompt = asking(c)
    c.call("viewModel.close", {"id": "lab"})
    assert c.reply(id)["error"]["code"] == -32800
    # The reply comes with the cancellation; the prompt goes when the action's body has ended.
    picture.until(lambda values: values["pending"] == [], "the end of the prompt")


def test_prompts_stand_side_by_side(c):
    picture = Picture(c, "prompter")
    ids = [c.request("lab.ask", {"title": t}) for t in ("one", "two", "three")]
    pending = picture.until(lambda v: len(v["pending"]) == 3)["pending"]
    assert len({p["id"] for p in pending}) == 3
    for prompt in reversed(pending):
        c.call("prompter.answer", {"id": prompt["id"], "button": "ok"})
    for id in ids:
        assert "result" in c.reply(id)


def test_a_hint_is_an_event(c):
    picture = Picture(c, "prompter")
    for key in ("1", "/", "0", "="):
        c.call("calculator.press", [key])
    hint = picture.event("hint")
    assert hint.keys() == {"text", "level"} and hint["level"] == "error" and hint["text"]


# daemon

def test_health(own):
    daemon = own()
    c, other = daemon.connect(), daemon.connect("desk")
    values = wait_until(lambda: (v := c.values("daemon"))["connections"] == 2 and v, "two connections", pause=0.2)
    assert values["state"] == "running" and isinstance(values["version"], str)
    assert values["uptimeSeconds"] >= 0 and values["sessions"] >= 1 and values["instances"] >= 3
    assert 1 << 20 < values["residentBytes"] < 1 << 30
    assert values["storage"].keys() == {"path", "bytes", "healthy"} and values["storage"]["healthy"] is True
    assert str(daemon.state) in values["storage"]["path"]
    assert values["socket"] == {"path": str(daemon.socket), "healthy": True, "losses": 0}


def test_health_is_sampled_at_most_once_a_second(c):
    def samples():
        return sum("uptimeSeconds" in frame.get("values", {}) for frame in picture.frames)
    start = time.monotonic()
    picture = Picture(c, "daemon")
    c.drain(1.3)
    picture.until(lambda _: samples() >= 2, "two samples")
    assert samples() <= 1 + time.monotonic() - start


def test_stopping_is_shown(own):
    daemon = own({"shutdown": {"graceSeconds": 2}})
    c = daemon.connect()
    picture = Picture(c, "daemon")
    id = c.request("lab.sleep", {"milliseconds": 400})
    c.round_trip()
    daemon.process.terminate()
    picture.until(lambda v: v["state"] == "stopping")
    assert c.reply(id)["result"]["slept"] == 400, "an action has its grace"
    assert daemon.process.wait(10) == 0
