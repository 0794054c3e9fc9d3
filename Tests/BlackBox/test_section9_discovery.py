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


def test_descriptions_come_from_the_source(document):
    press = next(m for m in document["methods"] if m["name"] == "calculator.press")
    assert press.get("summary") or press.get("description")


def test_without_the_lab(own):
    c = own(lab=False).connect()
    assert "lab" not in c.call("rpc.discover")["x-viewModels"]
    c.refused("lab.set", [1], -32601)
    c.refused("viewModel.open", {"type": "lab"}, -32004)
