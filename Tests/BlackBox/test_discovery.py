"""PROTOCOL section 9: `rpc.discover`, against what is on the wire. `DiscoveryTests` look at the document,
and `lab.contract.json` of `Tests/Clients/swift` has the whole contract."""
import hashlib
import json

import pytest
from accounts import add

TYPES = ["calculator", "coordinator", "daemon", "keypad", "lab", "login", "mine", "prompter", "sendList"]


@pytest.fixture(scope="module")
def document(shared_daemon):
    return shared_daemon.connect().call("rpc.discover")


def without_descriptions(value):
    if isinstance(value, list):
        return [without_descriptions(each) for each in value]
    if isinstance(value, dict):
        return {k: without_descriptions(v) for k, v in value.items() if not (k == "description" and isinstance(v, str))}
    return value


def test_the_hash_of_the_contract(c, document):
    contract = without_descriptions({name: document[name] for name in ("components", "x-viewModels")})
    # The names are ASCII and the numbers are integers, for which this is the canonical form of RFC 8785.
    canonical = json.dumps(contract, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert document["info"]["x-contract"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert c.call("session.attach", {})["contract"] == document["info"]["x-contract"]


def misfit(value, schema, components):
    """The first part of a value that its schema does not allow, or None."""
    if "$ref" in schema:
        return misfit(value, components[schema["$ref"].split("/")[-1]], components)
    if "anyOf" in schema:
        found = [misfit(value, part, components) for part in schema["anyOf"]]
        return None if None in found else found
    kinds = {"null": type(None), "boolean": bool, "integer": int, "number": (int, float), "string": str, "array": list, "object": dict}
    if "enum" in schema and value not in schema["enum"] or "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return value, schema
    parts = [(part, schema.get("items", {})) for part in value] if isinstance(value, list) else []
    if isinstance(value, dict):
        if missing := set(schema.get("required", [])) - value.keys():
            return missing
        parts = [(part, schema.get("properties", {}).get(name, {})) for name, part in value.items()]
    return next(filter(None, (misfit(part, each, components) for part, each in parts)), None)


@pytest.mark.parametrize("type", TYPES)
def test_what_is_listed_is_what_is_on_the_wire(document, c, type):
    """The outputs in their order, and values that fit their schemas."""
    c.call("lab.append", [2])
    add(c, "text")
    outputs, components = document["x-viewModels"][type]["outputs"], document["components"]["schemas"]
    values = c.call("viewModel.bind", {"id": type})["values"]
    assert [name for name, output in outputs.items() if output["kind"] != "event"] == list(values)
    for name, value in values.items():
        assert misfit(value, outputs[name]["schema"], components) is None, name
    assert misfit({"id": 1}, {"$ref": "#/components/schemas/Row"}, components) == {"text"}, "the check itself finds faults"


def test_without_the_lab(own):
    c = own(lab=False).connect()
    assert "lab" not in c.call("rpc.discover")["x-viewModels"]
    c.refused("lab.set", [1], -32601)
    c.refused("viewModel.open", {"type": "lab"}, -32004)
