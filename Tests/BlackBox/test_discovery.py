"""PROTOCOL section 9: `rpc.discover`, against what is on the wire. `ViewModelHostTests` look at the document itself."""
import hashlib
import json

import pytest

TYPES = ["calculator", "coordinator", "daemon", "keypad", "lab", "login", "mine", "prompter", "sendList"]
FAILURES = {
    "login.submit": {"invalidCredentials": False, "unreachable": True, "rejected": False}, "login.register": {"accountTaken": False},
    "login.signInWithDevice": {"invalidCredentials": False, "unreachable": True, "rejected": False},
    "mine.autoLogin": {"unreachable": True, "rejected": False, "signedOut": False}, "sendList.send": {"signedOut": False},
    "mine.refresh": {"unreachable": True, "rejected": False, "signedOut": False}, "prompter.answer": {"alreadyAnswered": False},
    "lab.book": {"soldOut": False, "officeBusy": True, "officeClosed": False},
}


@pytest.fixture(scope="module")
def document(shared_daemon):
    if not shared_daemon.is_alive:
        shared_daemon.start()
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


def test_the_document_is_openrpc_and_has_each_method_once(document):
    assert document["openrpc"].startswith("1.3") and document["info"]["title"] and document["info"]["version"]
    methods = {method["name"]: method for method in document["methods"]}
    assert len(methods) == len(document["methods"])
    assert methods.keys() >= {"session.attach", "session.list", "session.close", "viewModel.open", "viewModel.close", "viewModel.list",
                              "viewModel.read", "viewModel.bind", "viewModel.unbind", "rpc.discover", "$/cancelRequest", "mine.header.select"}
    for name, method in methods.items():
        assert all(param["name"] and "schema" in param for param in method["params"]) and "schema" in method["result"], name
        assert all(isinstance(error["code"], int) for error in method.get("errors", [])), name
    for type in TYPES:
        contract = document["x-viewModels"][type]
        assert contract.keys() >= {"description", "inputs", "outputs", "actions", "children"}, type
        assert {f"{type}.{member}" for member in [*contract["inputs"], *contract["actions"]]} <= methods.keys()
        assert all(a["policy"] in ("exclusive", "latest", "queued", "concurrent", "shared") for a in contract["actions"].values())
    assert {n["name"] for n in document["x-notifications"]} >= {"viewModel.changed", "viewModel.closed", "session.closed"}
    assert methods["calculator.press"].get("summary") or methods["calculator.press"]["description"]
    assert {"scene": "login", "instance": "login"} in document["x-scenes"]
    types = document["x-viewModels"]
    assert types["daemon"]["builtIn"] is True and types["lab"]["instance"] == "lab" and types["mineHeader"]["child"] == ["mine.header"]
    assert types["sendList"]["inputs"]["draft"]["field"] is True and "field" not in types["login"]["inputs"]["account"]


@pytest.mark.parametrize("action", FAILURES)
def test_failures_are_declared(document, action):
    type, name = action.split(".")
    declared = document["x-viewModels"][type]["actions"][name]["errors"]
    assert {error["error"]: error["retryable"] for error in declared} == FAILURES[action]
    assert all(error["description"] and "details" in error for error in declared)


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
    c.call("sendList.draft", ["text"])
    c.call("sendList.add")
    outputs, components = document["x-viewModels"][type]["outputs"], document["components"]["schemas"]
    values = c.call("viewModel.bind", {"id": type})["values"]
    assert [name for name, output in outputs.items() if output["kind"] != "event"] == list(values)
    for name, value in values.items():
        assert misfit(value, outputs[name]["schema"], components) is None, name
    assert misfit({"id": 1}, {"$ref": "#/components/schemas/Row"}, components) == {"text"}, "the check itself finds faults"


def test_bounds_options_and_passwords_are_described(document):
    methods = {method["name"]: method for method in document["methods"]}
    inputs = document["x-viewModels"]["lab"]["inputs"]
    assert inputs["append"]["schema"] == {"type": "integer", "format": "int64", "minimum": 0, "maximum": 10_000_000}
    assert methods["lab.sleep"]["params"][-1]["name"] == "_meta"
    assert methods["lab.sleep"]["params"][-1]["schema"]["properties"].keys() == {"deadline", "key"}
    assert methods["lab.set"]["params"][-1]["schema"]["properties"].keys() == {"key"}
    login = document["x-viewModels"]["login"]
    for schema in (login["inputs"]["password"]["schema"], login["actions"]["register"]["params"]["properties"]["password"]):
        assert schema["format"] == "password" and schema["writeOnly"] is True


def test_without_the_lab(own):
    c = own(lab=False).connect()
    assert "lab" not in c.call("rpc.discover")["x-viewModels"]
    c.refused("lab.set", [1], -32601)
    c.refused("viewModel.open", {"type": "lab"}, -32004)
