"""Text boxes over slow and broken lines: after quiet all are equal, with one writer no key is lost and no caret jumps.

Times are a fiftieth of the real ones: 0 to 10 milliseconds stand for delays of 0 to 500. FIELD_SEED and FIELD_RUNS choose
other and more random runs.
"""
import asyncio
import os
import random

import pytest
from clients import generated, load
from daemons import unique
from fault_proxy import Fault, FaultProxy
from scripted import Script

SEED = int(os.environ.get("FIELD_SEED", "17"))
RUNS = int(os.environ.get("FIELD_RUNS", "12"))
SCALE = 1 / 50
WORDS = "the quick brown fox jumps over the lazy dog"


def client_of(vm, name, relay):
    return vm.Session(name, socket=relay.listen, backoff=(0.002, 0.02), time_limit=30)


async def relayed(socket, tmp_path, chance):
    """A relay that delays both ways and sometimes stalls."""
    relay = FaultProxy(str(tmp_path / unique("f")), str(socket), seed=chance.randrange(1 << 30))
    slow = chance.uniform(0, 0.5) * SCALE
    stall = chance.choice([None, chance.randrange(200, 3000)])
    relay.default = Fault(delay_up=slow, delay_down=chance.uniform(0, 0.5) * SCALE, stall_down=stall, stall=1.5 * SCALE)
    return relay


async def write(box, chance, letters, relay=None):
    """Types letters at the caret."""
    for letter in letters:
        box.edit(box.value[:box.caret] + letter + box.value[box.caret:], box.caret + 1)
        if relay and chance.random() < 0.05:
            relay.cut()
        await asyncio.sleep(chance.uniform(0, 0.12) * SCALE)


async def type_text(box, chance, text, relay=None):
    """Types a text at the caret, with jumps of the caret and corrections, and returns what the box must show."""
    expected = box.value
    for letter in text:
        at = box.caret
        if chance.random() < 0.1 and at > 0:
            expected = expected[: at - 1] + expected[at:]
            box.edit(expected, at - 1)
        else:
            if chance.random() < 0.1:
                at = chance.randrange(len(expected) + 1)
            expected = expected[:at] + letter + expected[at:]
            box.edit(expected, at + 1)
        assert box.value == expected
        if relay and chance.random() < 0.05:
            relay.cut()
        await asyncio.sleep(chance.uniform(0, 0.12) * SCALE)
        assert box.value == expected, "the ViewModel took a key away"
    return expected


@pytest.mark.parametrize("seed", range(SEED, SEED + RUNS))
async def test_one_writer_loses_no_key(vm, daemon, tmp_path, seed):
    chance = random.Random(seed)
    interval = chance.choice([0, 0, 0.3, 1.5]) * SCALE
    name = unique("field")
    async with await relayed(daemon.socket, tmp_path, chance) as relay, client_of(vm, name, relay) as client:
        box = await client.send_list.draft_field(interval=interval)
        changes = []
        box.on_change.append(changes.append)
        expected = await type_text(box, chance, WORDS, relay if chance.random() < 0.5 else None)
        caret = box.caret
        assert await box.settle() == expected and box.problem is None
        assert box.caret == caret and changes == [], "the ViewModel echoes, so that nothing jumps"
        assert (await client.send_list.read("draft")).draft == expected
        await box.binding.wait(lambda p: p.draft == expected, timeout=30)


# What writers type into a field: of `sendList`, which echoes, and of the lab, which writes `code` in upper case, without
# blanks around it, and refuses digits in `word`.
LETTERS = {"draft": WORDS, "code": "ab c XYZ", "word": "abc4"}


@pytest.mark.parametrize("member", LETTERS)
@pytest.mark.parametrize("seed", range(SEED, SEED + RUNS))
async def test_writers_agree_after_quiet(vm, daemon, tmp_path, member, seed):
    chance = random.Random(f"{member} {seed}")
    name, letters = unique("field"), LETTERS[member]
    async with await relayed(daemon.socket, tmp_path, chance) as one, await relayed(daemon.socket, tmp_path, chance) as two, \
            client_of(vm, name, one) as first, client_of(vm, name, two) as second:
        models = [client.send_list if member == "draft" else client.lab for client in (first, second)]
        boxes = [
            await getattr(model, f"{member}_field")(interval=chance.choice([0, 0.3, 1.5]) * SCALE)
            for model in (models if member == "draft" or chance.random() < 0.5 else models[:1])
        ]

        async def write_and_wait(box, chance):
            for _ in range(25):
                await write(box, chance, chance.choice(letters), one)
                if chance.random() < 0.3:
                    await box.settle()
        await asyncio.gather(*(write_and_wait(box, random.Random(chance.random())) for box in boxes))
        for box in boxes:
            await box.settle()
        text = (await models[0].read(member)).raw[member]
        for box in boxes:
            await box.binding.wait(lambda p: p.raw[member] == text, timeout=30)
        await asyncio.sleep(0)
        for box in boxes:
            assert box.value == text and 0 <= box.caret <= len(text)
        if boxes[1:] == [] and member == "code":
            boxes[0].edit("", 0)
            await write(boxes[0], chance, "aXb")
            assert await boxes[0].settle() == "AXB" and boxes[0].caret == 3, "no key is lost, and the caret is behind them"


async def test_a_field_has_one_box(session):
    boxes = [await session.lab.code_field() for _ in range(3)]
    assert boxes[0] is boxes[1] is boxes[2] is not await session.lab.word_field()
    binding = boxes[0].binding
    assert (len(binding.fields), binding.on_change) == (2, [])
    await binding.close()
    assert await session.lab.code_field() is not boxes[0]


@pytest.mark.parametrize("interval", [0, 0.02])
async def test_a_refused_text_and_an_emptied_field(vm, session, interval):
    box = await session.send_list.draft_field(interval=interval)
    box.edit("hello", 2)
    await box.settle()
    box.edit("x" * 70_000)
    assert await box.settle() == "hello" and isinstance(box.problem, vm.InvalidParams)
    box.edit("hello!", 6)
    assert await box.settle() == "hello!" and box.problem is None
    box.edit("x\ud83d")         # no text: half of a character
    await box.settle()
    assert box.problem
    await session.send_list.add()
    await box.binding.wait(lambda p: p.draft == "", timeout=30)
    await asyncio.sleep(0)
    assert (box.value, box.caret) == ("", 0)


async def test_a_text_of_another_client_is_shown_when_the_box_is_quiet(session, desk):
    box = await session.send_list.draft_field()
    changes = []
    box.on_change.append(changes.append)
    box.edit("abc def", 7)
    await box.settle()
    async with desk() as other:
        await other.send_list.draft("abXc def")
        await box.binding.wait(lambda p: p.draft == "abXc def", timeout=30)
        await asyncio.sleep(0)
        assert (box.value, box.caret, changes) == ("abXc def", 8, ["abXc def"])


@pytest.mark.parametrize("old, new, caret, moved", [
    ("abc", "ABC", 3, 3), ("abc ", "abc", 4, 3), ("abc", "", 2, 0), ("", "abc", 0, 0),
    ("hello", "hello world", 2, 2), ("world", "hello world", 3, 9), ("aa", "a", 2, 1),
    ("axbc", "AXBC", 2, 2), ("one two", "one 2", 7, 5), ("one two", "one 2", 5, 5), ("ab", "ab", 1, 1),
])
def test_the_caret_keeps_its_place_by_prefix_and_suffix(vm, old, new, caret, moved):
    assert vm.moved_caret(old, new, caret) == moved


PLACE = {"type": "object", "properties": {"lat": {"type": "number"}, "note": {"type": "string"}}, "required": ["lat"]}
SCHEMAS = {"Place": PLACE, "Point": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


# A field's type, its first value and another one in JSON, and the params that the daemon expects for the latter.
TYPES = {
    "object": (PLACE, {"lat": 1}, {"lat": 2, "note": "n"}, {"lat": 2, "note": "n"}),
    "named": (ref("Place"), {"lat": 1}, {"lat": 2}, {"lat": 2}),
    "map": ({"type": "object", "additionalProperties": {"type": "integer"}}, {}, {"a": 1}, {"a": 1}),
    "objects": ({"anyOf": [ref("Place"), ref("Point")]}, {"lat": 1}, {"x": 3}, {"x": 3}),
    "nothing": ({"anyOf": [ref("Place"), {"type": "null"}]}, None, {"lat": 2}, {"value": {"lat": 2}}),
    "either": ({"anyOf": [ref("Place"), {"type": "string"}]}, "s", {"lat": 2}, {"value": {"lat": 2}}),
    "anything": ({}, 1, {"a": 1}, {"value": {"a": 1}}),
    "array": ({"type": "array", "items": ref("Point")}, [], [{"x": 1}], {"value": [{"x": 1}]}),
}


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    members = {name: {"schema": schema, "description": ""} for name, (schema, *_) in TYPES.items()}
    form = {
        "inputs": {name: {**member, "field": True} for name, member in members.items()},
        "outputs": {name: {**member, "kind": "state"} for name, member in members.items()}, "actions": {}, "children": {},
    }
    document = {"openrpc": "1.3.2", "info": {"title": "typed", "version": "1"}, "methods": [],
                "components": {"schemas": SCHEMAS}, "x-viewModels": {"form": {"description": "", "instance": "form", **form}}}
    return load(generated(tmp_path_factory.mktemp("typed"), "typed", document), "typed")


@pytest.mark.parametrize("name", TYPES)
async def test_a_field_sends_what_its_input_sends(typed, path, name):
    _, first, second, expected = TYPES[name]
    async with Script(path, id="form", values={name: first}) as server, typed.Session("s", socket=path) as session:
        box = await getattr(session.form, f"{name}_field")()
        box.edit(box._read(second))
        await box.settle()
        received = [params for _, method, params in server.received if method.startswith("form.")]
        assert box.problem is None and received == [expected]
