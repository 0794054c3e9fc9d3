"""What a daemon says of its contract is what the file says, and clients do not depend on the order of members."""
from __future__ import annotations

import dataclasses
import inspect
import json
import subprocess

from conftest import generate, load
from daemons import CTL


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


def test_members_are_given_by_name(tmp_path):
    file = tmp_path / "contract.json"
    members = {"from": {"type": "integer"}, "to": {"type": "integer"}}
    schema = {"type": "object", "properties": members, "required": ["from", "to"]}
    file.write_text(json.dumps({
        "components": {"schemas": {"Place": schema}},
        "x-viewModels": {"lamp": {
            "inputs": {"move": {"schema": schema}},
            "outputs": {"place": {"schema": {"$ref": "#/components/schemas/Place"}}},
        }},
    }))
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
