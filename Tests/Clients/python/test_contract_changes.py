"""A program that uses a generated client runs unchanged after a change that `viewmodelctl diff` calls additive."""
from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import random
import subprocess

from conftest import generate, load
from daemons import CTL

NAMES = ["ab", "aB", "a_b", "a-b", "AB", "from", "to", "self", "class", "名前", "имя", "имяПоля", "é", "ﬁ", "fi", "1st", "key"]
INTEGER = {"type": "integer"}


def an_object(chance, members):
    required = [name for name in members if chance.random() < 0.3]
    return {"type": "object", "properties": {name: INTEGER for name in members}, "required": required}


def changed(chance, schema):
    """The object with one more member, one fewer, another order, or a member that is required or not."""
    members = list(schema["properties"])
    kind = chance.randrange(6)
    if kind == 0:
        chance.shuffle(members)
    elif kind == 1 and members:
        required = set(schema["required"]) ^ {chance.choice(members)}
        return {**schema, "required": sorted(required)}
    else:
        members.insert(chance.randint(0, len(members)), chance.choice([n for n in NAMES if n not in members]))
    return {**schema, "properties": {name: INTEGER for name in members}}


def contract(sent, received):
    return {
        "components": {"schemas": {"Place": received}},
        "x-viewModels": {"lamp": {
            "inputs": {"move": {"schema": sent}},
            "outputs": {"place": {"schema": {"$ref": "#/components/schemas/Place"}}},
        }},
    }


def severities(old, new):
    result = subprocess.run(
        [*CTL, "--output", "json", "diff", str(old), str(new)], capture_output=True, text=True, timeout=60
    )
    assert result.returncode in (0, 1), result.stderr
    return {json.loads(line)["severity"] for line in result.stdout.splitlines()}


def test_a_contract_file_has_the_contract_of_its_mock(own, tmp_path):
    place = {"$ref": "#/components/schemas/Place"}
    written = {
        "components": {"schemas": {
            "Place": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
        }},
        "x-viewModels": {"map": {
            "inputs": {"go": {"schema": place}, "many": {"schema": {"type": "array", "items": place}}},
            "outputs": {"here": {"schema": place, "example": {"lat": 1}}},
            "actions": {"fly": {"params": {"type": "object", "properties": {"to": place, "via": place}}}},
        }},
    }
    file, sent = tmp_path / "written.json", tmp_path / "sent.json"
    file.write_text(json.dumps(written))
    daemon = own(None, "--mock", str(file), lab=False)
    command = [*CTL, "--socket", str(daemon.socket), "rpc", "rpc.discover"]
    sent.write_text(subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout)
    result = subprocess.run([*CTL, "--output", "json", "diff", str(file), str(sent)], capture_output=True, text=True, timeout=60)
    changes = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(change["severity"], change["place"]) for change in changes] == []


def call(client, arguments):
    """What a call sends: the params."""
    sent = []

    class Lamp(client.Lamp):
        def __init__(self):
            self.client = type("Client", (), {"time_limit": 1})()

        async def _call(self, method, params, *_, **__):
            sent.append((method, params))

    asyncio.run(Lamp().move(**arguments))
    return sent


def test_additive_changes_leave_the_meaning_of_calls_and_reads(tmp_path):
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    additive = 0
    for number in range(30):
        sent, received = (an_object(chance, chance.sample(NAMES, 4)) for _ in range(2))
        clients, files = [], []
        for version in ("old", "new"):
            file = tmp_path / f"{version}{number}.json"
            file.write_text(json.dumps(contract(sent, received)))
            module = tmp_path / f"{version}{number}.py"
            module.write_text(generate("--from", str(file)))
            files.append(file)
            clients.append(load(module, f"changes_{version}{number}"))
            sent, received = changed(chance, sent), changed(chance, received)
        if severities(*files) - {"additive"}:
            continue
        additive += 1
        old, new = clients
        options = {"self", "key", "retry"}
        names = [name for name in inspect.signature(old.Lamp.move).parameters if name not in options]
        arguments = {name: index for index, name in enumerate(names)}
        assert call(old, arguments) == call(new, arguments), f"seed {seed}, contract {number}"
        members = json.loads(files[0].read_text())["components"]["schemas"]["Place"]["properties"]
        value = {name: index for index, name in enumerate(members)}
        places = [client.Place.from_json(value) for client in clients]
        for field in dataclasses.fields(places[0]):
            assert getattr(places[0], field.name) == getattr(places[1], field.name), f"seed {seed}, contract {number}"
        assert old.Place(**vars(places[0])).to_json() == value
    assert additive > 3, f"seed {seed}"


def test_members_are_given_by_name(tmp_path):
    file = tmp_path / "contract.json"
    schema = {"type": "object", "properties": {"from": INTEGER, "to": INTEGER}, "required": ["from", "to"]}
    file.write_text(json.dumps(contract(schema, schema)))
    module = tmp_path / "by_name.py"
    module.write_text(generate("--from", str(file)))
    client = load(module, "by_name")
    for function in (client.Lamp.move, client.Place):
        kinds = [p.kind for p in inspect.signature(function).parameters.values() if p.name != "self"]
        assert set(kinds) == {inspect.Parameter.KEYWORD_ONLY}
    place = client.Place(to=1, from_=2)
    assert (place.from_, place.to, place.__match_args__) == (2, 1, ())
    assert place == client.Place(from_=2, to=1) == dataclasses.replace(place) and hash(place) == hash(place)
    assert repr(place) == "Place(from_=2, to=1)"
