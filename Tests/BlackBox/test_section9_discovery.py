"""PROTOCOL section 9: `rpc.discover`."""
import hashlib
import json

import pytest

TYPES = {"calculator", "keypad", "login", "mine", "sendList", "lab", "coordinator", "prompter", "daemon"}


@pytest.fixture(scope="module")
def document(_shared_daemon):
    if not _shared_daemon.is_alive:
        _shared_daemon.start()
    return _shared_daemon.connect().call("rpc.discover")


def test_params_of_discover(c):
    c.refused("rpc.discover", {"x": 1}, -32602)
    assert c.call("rpc.discover", []) == c.call("rpc.discover", {})


def test_the_document_is_openrpc(document):
    assert document["openrpc"].startswith("1.3") and document["info"]["title"] and document["info"]["version"]
    names = [m["name"] for m in document["methods"]]
    assert len(names) == len(set(names))
    for method in document["methods"]:
        assert method.keys() >= {"name", "params", "result"}, method["name"]
        for param in method["params"]:
            assert param["name"] and "schema" in param
        assert method["result"]["name"] and "schema" in method["result"]
        for error in method.get("errors", []):
            assert isinstance(error.get("code", 0), int)


def without_descriptions(value):
    if isinstance(value, list):
        return [without_descriptions(element) for element in value]
    if isinstance(value, dict):
        return {
            name: without_descriptions(member)
            for name, member in value.items()
            if not (name == "description" and isinstance(member, str))
        }
    return value


def test_the_hash_of_the_contract(c, document):
    contract = without_descriptions({name: document[name] for name in ("components", "x-viewModels") if name in document})
    # The names are ASCII and the numbers are integers, for which this is the canonical form of RFC 8785.
    canonical = json.dumps(contract, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert document["info"]["x-contract"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert c.call("session.attach", {"session": "contract"})["contract"] == document["info"]["x-contract"]


def test_the_protocols_methods_are_there(document):
    names = {m["name"] for m in document["methods"]}
    assert names >= {"session.attach", "session.list", "session.close", "viewModel.open", "viewModel.close", "viewModel.list", "viewModel.read",
                     "viewModel.bind", "viewModel.unbind", "rpc.discover", "$/cancelRequest"}


def params_of(document, name):
    return {p["name"] for p in next(m for m in document["methods"] if m["name"] == name)["params"]}


def test_new_params_are_described(document):
    assert params_of(document, "session.attach") >= {"session", "linger", "client", "uid"}
    assert params_of(document, "session.close") >= {"session", "uid"}
    assert params_of(document, "session.list") >= {"all"}
    assert params_of(document, "viewModel.bind") >= {"id", "outputs", "since", "windows", "minInterval", "patches"}


def test_each_type_is_described(document):
    assert document["x-viewModels"].keys() >= TYPES
    for name, type in document["x-viewModels"].items():
        assert type.keys() >= {"description", "inputs", "outputs", "actions", "children"}, name
        assert all(i.keys() >= {"schema", "description"} for i in type["inputs"].values())
        assert all(o["kind"] in ("state", "list", "event") and "schema" in o for o in type["outputs"].values())
        assert all(a["policy"] in ("exclusive", "latest", "queued", "concurrent", "shared") for a in type["actions"].values())


@pytest.mark.parametrize("action, errors", [
    ("login.submit", {"invalidCredentials": False, "unreachable": True, "rejected": False}),
    ("login.register", {"accountTaken": False}),
    ("login.signInWithDevice", {"invalidCredentials": False, "unreachable": True, "rejected": False}),
    ("mine.autoLogin", {"unreachable": True, "rejected": False, "signedOut": False}),
    ("mine.refresh", {"unreachable": True, "rejected": False, "signedOut": False}),
    ("sendList.send", {"signedOut": False}),
    ("sendList.retry", {"signedOut": False}),
    ("prompter.answer", {"alreadyAnswered": False}),
])
def test_failures_are_declared(document, action, errors):
    type, name = action.split(".")
    declared = document["x-viewModels"][type]["actions"][name]["errors"]
    assert {error["error"]: error["retryable"] for error in declared} == errors
    assert all(error["description"] and error["details"] is None for error in declared)


def test_each_input_and_action_is_a_method(document):
    names = {m["name"] for m in document["methods"]}
    for type in TYPES:
        contract = document["x-viewModels"][type]
        for member in [*contract["inputs"], *contract["actions"]]:
            assert f"{type}.{member}" in names
    assert "mine.header.select" in names and "header" in document["x-viewModels"]["mine"]["children"]


def test_notifications_are_described(document):
    assert {n["name"] for n in document["x-notifications"]} >= {"viewModel.changed", "viewModel.closed", "session.closed"}


def test_what_is_listed_is_what_is_there(document, c):
    for type in TYPES:
        contract = document["x-viewModels"][type]
        values = c.values(type)
        for name, output in contract["outputs"].items():
            assert (name in values) == (output["kind"] != "event"), f"{type}.{name}"
        for action in contract["actions"]:
            assert {f"{action}.enabled", f"{action}.executing", f"{action}.progress"} <= values.keys()


def test_outputs_have_the_order_of_the_wire(document, c):
    for type in sorted(TYPES):
        listed = [name for name, output in document["x-viewModels"][type]["outputs"].items() if output["kind"] != "event"]
        assert listed == list(c.call("viewModel.bind", {"id": type})["values"]), type


def schemas_of(value, direction):
    """The schemas in a contract that describe values of a direction, with their places."""
    for name, type in value["x-viewModels"].items():
        if direction == "sent":
            yield f"{name}.arguments", type["arguments"]
        for member, input in type["inputs"].items():
            if direction == "sent":
                yield f"{name}.{member}", input["schema"]
        for member, output in type["outputs"].items():
            if direction == "received":
                yield f"{name}.{member}", output["schema"]
        for member, action in type["actions"].items():
            yield (f"{name}.{member}", action["params"]) if direction == "sent" else (f"{name}.{member}", action["result"])
    for method in value["methods"]:
        if direction == "sent":
            yield from ((f"{method['name']}.{param['name']}", param["schema"]) for param in method["params"])
        else:
            yield method["name"], method["result"]["schema"]
    if direction == "received":
        for notification in value["x-notifications"]:
            yield from ((f"{notification['name']}.{param['name']}", param["schema"]) for param in notification["params"])


def parts(schema):
    yield schema
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from parts(schema[name])
    for part in [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]:
        yield from parts(part)


def test_each_reference_has_a_component(document):
    components = document["components"]["schemas"]
    text = json.dumps(document)
    for name in {reference.split('"')[0] for reference in text.split('"$ref": "#/components/schemas/')[1:]}:
        assert name in components
    assert {"Key", "CalculatorOperation", "Row", "Prompt", "Prompt.Kind", "Scene", "OutboxMessage"} <= components.keys()


def test_only_params_are_closed(document):
    for place, schema in schemas_of(document, "sent"):
        for part in parts(schema):
            assert "properties" not in part or part["additionalProperties"] is False, place
    received = [*schemas_of(document, "received"), *document["components"]["schemas"].items()]
    for place, schema in received:
        assert all(part.get("additionalProperties") is not False for part in parts(schema)), place


def misfit(value, schema, components):
    """The first part of a value that its schema does not allow, or None."""
    if "$ref" in schema:
        return misfit(value, components[schema["$ref"].split("/")[-1]], components)
    if "anyOf" in schema:
        found = [misfit(value, part, components) for part in schema["anyOf"]]
        return None if None in found else found
    if "enum" in schema and value not in schema["enum"]:
        return value, schema
    kinds = {"null": type(None), "boolean": bool, "integer": int, "number": (int, float), "string": str, "array": list,
             "object": dict}
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return value, schema
    if isinstance(value, list):
        return next(filter(None, (misfit(part, schema.get("items", {}), components) for part in value)), None)
    if isinstance(value, dict):
        missing = set(schema.get("required", [])) - value.keys()
        properties = schema.get("properties", {})
        return missing or next(
            filter(None, (misfit(part, properties.get(name, {}), components) for name, part in value.items())), None
        )
    return None


def test_values_have_all_that_their_schemas_require(document, c):
    c.call("lab.append", [2])
    c.call("sendList.draft", ["text"])
    c.call("sendList.add")
    c.call("calculator.press", ["1"])
    components = document["components"]["schemas"]
    for type in sorted(TYPES):
        outputs = document["x-viewModels"][type]["outputs"]
        for name, value in c.values(type).items():
            assert misfit(value, outputs[name]["schema"], components) is None, f"{type}.{name}"
    assert misfit({"id": 1}, {"$ref": "#/components/schemas/Row"}, components) == {"text"}


def test_types_say_where_they_are(document):
    types = document["x-viewModels"]
    assert all(types[name]["builtIn"] is True for name in ("coordinator", "prompter", "daemon"))
    assert types["lab"]["instance"] == "lab" and "builtIn" not in types["lab"]
    assert types["mineHeader"]["child"] == ["mine.header"] and "instance" not in types["mineHeader"]
    assert {"scene": "login", "instance": "login"} in document["x-scenes"]
    assert {"scene": "wallet", "instance": None} in document["x-scenes"]


def test_fields_are_marked(document):
    fields = {
        f"{type}.{name}" for type, contract in document["x-viewModels"].items()
        for name, input in contract["inputs"].items() if input.get("field")
    }
    assert fields >= {"sendList.draft"} and "login.account" not in fields


def test_bounds_are_described_and_enforced(document, c):
    inputs = document["x-viewModels"]["lab"]["inputs"]
    assert inputs["append"]["schema"] == {"type": "integer", "format": "int64", "minimum": 0, "maximum": 10_000_000}
    assert inputs["set"]["schema"]["minimum"] == -(2 ** 53)
    error = c.refused("lab.append", [10_000_001], -32602)
    assert error["data"] == {"path": "/0", "expected": "an integer from 0 to 10000000", "found": "10000001"}
    c.refused("lab.append", {"value": -1}, -32602)
    c.refused("lab.set", [2 ** 53 + 1], -32602)
    c.call("lab.set", [2 ** 53])


def test_options_of_calls_are_described(document):
    methods = {method["name"]: method for method in document["methods"]}
    option = methods["lab.sleep"]["params"][-1]
    assert option["name"] == "_meta" and not option["required"]
    assert option["schema"]["properties"].keys() == {"deadline", "key"}
    assert methods["lab.set"]["params"][-1]["schema"]["properties"].keys() == {"key"}
    assert "_meta" not in params_of(document, "session.list")


def test_passwords_are_marked(document):
    login = document["x-viewModels"]["login"]
    for schema in (login["inputs"]["password"]["schema"], login["actions"]["register"]["params"]["properties"]["password"]):
        assert schema["format"] == "password" and schema["writeOnly"] is True


def test_descriptions_come_from_the_source(document):
    press = next(m for m in document["methods"] if m["name"] == "calculator.press")
    assert press.get("summary") or press.get("description")


def test_without_the_lab(own):
    c = own(lab=False).connect()
    assert "lab" not in c.call("rpc.discover")["x-viewModels"]
    c.refused("lab.set", [1], -32601)
    c.refused("viewModel.open", {"type": "lab"}, -32004)
