"""REFERENCE, lab: the members that show client authors the kinds that its first members do not have, and `labPage`."""
import pytest
from picture import Picture
from wire import wait_until

SAMPLE = {"date": "2026-02-03T04:05:06Z", "data": "AAH/", "double": -1e-3, "optional": "x", "nested": {"name": "é", "latitude": -90, "longitude": 180},
          "colour": "red", "uuid": "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "decimal": "0.10", "list": ["", "\U0001f600"], "dictionary": {"": 0}}


def test_the_default_instance_has_no_child(c):
    c.values("lab")
    assert [entry["id"] for entry in c.call("viewModel.list")["instances"] if entry["id"].startswith("lab")] == ["lab"]


def test_a_sample_is_shown_as_it_was_set(c):
    picture = Picture(c, "lab", outputs=["sample"])
    first = picture.values["sample"]
    assert first["optional"] is None and first.keys() == SAMPLE.keys()
    c.call("lab.setSample", SAMPLE)
    shown = picture.take()["sample"]
    assert float(shown.pop("decimal")) == 0.1 and shown == {name: value for name, value in SAMPLE.items() if name != "decimal"}
    c.call("lab.setSample", {name: value for name, value in SAMPLE.items() if name != "optional"})
    assert c.value("lab", "sample")["optional"] is None


@pytest.mark.parametrize("member, value", [
    ("date", "yesterday"), ("data", "*"), ("double", "1"), ("optional", 1), ("nested", {"name": "x"}), ("nested", []), ("colour", "pink"), ("uuid", "x"), ("decimal", "x"),
    ("list", [1]), ("dictionary", {"a": "1"}), ("date", None), ("more", 1),
])
def test_a_member_of_another_type_is_refused(c, member, value):
    before = c.value("lab", "sample")
    assert c.refused("lab.setSample", {**SAMPLE, member: value}, -32602)["data"]["path"].startswith(f"/{member}")
    assert c.value("lab", "sample") == before


def test_a_text_that_is_no_UUID_is_refused_in_words(c):
    assert c.refused("lab.setSample", {**SAMPLE, "uuid": "x"}, -32602)["data"]["expected"].startswith("a UUID such as ")


def test_a_field_that_is_rewritten(c):
    picture = Picture(c, "lab", outputs=["code"])
    c.call("lab.code", ["  ab c "])
    assert picture.take()["code"] == "AB C"
    count = len(picture.frames)
    assert "held" not in c.call("lab.code", ["ab c"])
    assert picture.take()["code"] == "AB C" and len(picture.frames) == count, "an equal value is not sent"


def test_a_field_that_refuses(c):
    c.call("lab.word", ["tea"])
    assert c.refused("lab.word", {"value": "tea4"}, -32602)["data"]["path"] == "/value"
    assert c.value("lab", "word") == "tea"


@pytest.mark.parametrize("params, level", [({}, "info"), ({"level": "info"}, "info"), ({"level": "warning"}, "warning"), ({"level": "error"}, "error")])
def test_hints_of_each_level(c, params, level):
    c.call("viewModel.bind", {"id": "prompter", "outputs": ["hint"]})
    c.call("lab.hint", {"text": "Look", **params})
    assert c.notification("viewModel.changed")["events"] == [{"output": "hint", "value": {"text": "Look", "level": level}}]
    c.refused("lab.hint", {"text": "Look", "level": "fatal"}, -32602)


@pytest.mark.parametrize("kind, buttons, answer, result", [
    ("alert", ["default"], {}, {"button": None, "text": None}), ("confirm", ["default", "destructive", "cancel"], {"button": "delete"}, {"button": "delete", "text": None}),
    ("input", ["default", "cancel"], {"button": "ok", "text": "tea"}, {"button": None, "text": "tea"}), ("input", ["default", "cancel"], {"button": "cancel", "text": "tea"}, {"button": None, "text": None}),
])
def test_prompts_of_each_kind(c, kind, buttons, answer, result):
    id = c.request("lab.prompt", {"kind": kind, "title": "Now?", "message": "Think"})
    prompt, = wait_until(lambda: c.value("prompter", "pending"))
    assert prompt["kind"] == kind and prompt["title"] == "Now?" and prompt["message"] == "Think" and [b["role"] for b in prompt["buttons"]] == buttons
    c.call("prompter.answer", {"id": prompt["id"], **answer})
    assert c.reply(id)["result"] == result
    assert c.value("prompter", "pending") == []


def test_a_busy_prompt_goes_by_itself(c):
    id = c.request("lab.prompt", {"kind": "busy", "title": "Now?", "milliseconds": 150})
    prompt, = wait_until(lambda: c.value("prompter", "pending"))
    assert prompt["kind"] == "busy" and prompt["buttons"] == [] and prompt["message"] is None
    assert c.reply(id)["result"] == {"button": None, "text": None}
    assert c.value("prompter", "pending") == []


def test_prompts_at_once(c):
    ids = [c.request("lab.prompt", {"kind": "confirm", "title": str(n)}) for n in range(3)]
    prompts = wait_until(lambda: len(p := c.value("prompter", "pending")) == 3 and p)
    for id, prompt in reversed(list(zip(ids, prompts))):
        c.call("prompter.answer", {"id": prompt["id"], "button": "ok"})
        assert c.reply(id)["result"]["button"] == "ok"


def test_declared_failures(c):
    declared = c.call("rpc.discover")["x-viewModels"]["lab"]["actions"]["book"]["errors"]
    assert {(e["error"], e["retryable"], e["details"] is None) for e in declared} == {("soldOut", False, False), ("officeBusy", True, False), ("officeClosed", False, True)}
    assert c.call("lab.book", {"seats": 10}) == {"seats": 10}
    assert c.fails("lab.book", {"seats": 11}, "soldOut") == {"error": "soldOut", "retryable": False, "details": {"seatsLeft": 10, "nextShow": "2001-01-01T00:00:00Z"}}
    assert c.fails("lab.book", {"seats": 100}, "officeBusy") == {"error": "officeBusy", "retryable": True, "details": {"seconds": 2.5}}
    assert c.fails("lab.book", {"seats": 1000}, "officeClosed") == {"error": "officeClosed", "retryable": False, "details": None}


def test_a_page_has_arguments_and_a_child(c):
    assert c.value("labPage", "title") == "Untitled"
    assert c.call("viewModel.open", {"type": "labPage", "id": "notes", "arguments": {"title": "Notes"}})["created"] is True
    c.refused("viewModel.open", {"type": "labPage", "arguments": {"title": 1}}, -32602)
    c.refused("viewModel.open", {"type": "labPage", "arguments": {"titel": "x"}}, -32602)
    c.refused("viewModel.open", {"type": "labMargin"}, -32602)
    page, margin = Picture(c, "notes"), Picture(c, "notes.margin")
    c.call("notes.text", ["Tea"])
    seq = c.call("notes.margin.note", ["hot"])["seq"]
    assert page.take() == {"title": "Notes", "text": "Tea", "summary": "Tea (hot)"} and margin.take() == {"note": "hot", "length": 3}
    assert page.frames[-1]["seq"] == margin.frames[-1]["seq"] == seq


def test_a_page_comes_back_after_a_kill(own, name):
    daemon = own()
    c = daemon.connect(name)
    c.call("viewModel.open", {"type": "labPage", "id": "notes", "arguments": {"title": "Notes"}})
    c.call("notes.text", ["Tea"])
    c.call("notes.margin.note", ["hot"])
    c.call("lab.set", [5])
    c.call("coordinator.open", {"scene": "help"})       # its reply says that all is saved
    daemon.restart(hard=True)
    c = daemon.connect(name)
    assert c.values("notes") == {"title": "Notes", "text": "Tea", "summary": "Tea (hot)"}
    assert c.values("notes.margin") == {"note": "hot", "length": 3}
    assert c.value("lab", "value") == 0, "no instance of lab is restored"
