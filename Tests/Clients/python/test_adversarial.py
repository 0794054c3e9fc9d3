"""The client of a contract that is hard on generators: it type-checks, imports, and values survive a round trip."""
import dataclasses
import inspect
import json
import os
import subprocess
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest
from adversarial import KEYWORDS, contract
from clients import generated, load
from test_types import mypy, pyright, pythons


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    """The client. ADVERSARIAL_CLIENT names another file."""
    if given := os.environ.get("ADVERSARIAL_CLIENT"):
        return Path(given)
    return generated(tmp_path_factory.mktemp("adversarial"), "adversary", contract())


@pytest.fixture(scope="module")
def adversary(file):
    return load(file, "adversary")


@pytest.mark.parametrize("check", [mypy, pyright])
def test_it_is_clean(file, tmp_path, check):
    (tmp_path / "adversary.py").write_bytes(file.read_bytes())
    result = check(tmp_path, "adversary.py")
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-1000:]


@pytest.mark.parametrize("version", sorted(pythons()))
def test_it_imports(file, version):
    command = [pythons()[version], "-W", "error", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


def test_formats_survive_a_round_trip(adversary):
    raw = {"date": "2026-01-02T03:04:05.678901Z", "data": "AP8=", "more": "", "money": "12.30", "secret": "x", "int64": 2**63 - 1,
           "uuid": "12345678-1234-5678-1234-567812345678", "double": 1, "any": {"a": [1]}, "nothing": None, "both": None, "new": 1}
    value = adversary.Everything.from_json(raw)
    assert value.date == datetime(2026, 1, 2, 3, 4, 5, 678901, timezone.utc)
    assert (value.data, value.money, value.uuid) == (b"\x00\xff", Decimal("12.30"), UUID(raw["uuid"]))
    assert (value.int64, value.double, value.both) == (2**63 - 1, 1.0, None)
    written = json.loads(json.dumps(value.to_json(), default=adversary.plain))
    assert written == {name: raw[name] for name in raw if name != "new"}
    for both in ("text", 3):
        assert adversary.Everything.from_json({**raw, "both": both}).both == both
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.double = 2


@pytest.mark.parametrize("text, expected", [
    ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, 0, timezone.utc)),
    ("2026-01-02t03:04:05.1z", datetime(2026, 1, 2, 3, 4, 5, 100_000, timezone.utc)),
    ("2026-01-02T03:04:05.1234567+02:00", datetime(2026, 1, 2, 3, 4, 5, 123_456, timezone(timedelta(hours=2)))),
])
def test_dates(adversary, text, expected):
    assert adversary.as_date(text) == expected


@pytest.mark.parametrize("member, wrong", [
    ("date", "yesterday"), ("date", 5), ("data", "%"), ("money", "x"), ("uuid", "1"), ("int64", 1.5), ("int64", True), ("double", "1"),
    ("secret", None), ("both", []),
])
def test_a_value_of_another_type_is_refused(adversary, member, wrong):
    raw = {"date": "2026-01-02T03:04:05Z", "data": "", "more": "", "money": "1", "secret": "", "int64": 1, "double": 1,
           "uuid": "12345678-1234-5678-1234-567812345678", "any": None, "nothing": None, "both": None}
    adversary.Everything.from_json(raw)
    with pytest.raises(adversary.UnexpectedValue):
        adversary.Everything.from_json({**raw, member: wrong})


def test_names_follow_the_rule(adversary):
    names = [field.name for field in dataclasses.fields(adversary.Odd)]
    assert len(set(names)) == len(names) and all(name.isidentifier() and not name.startswith("_") for name in names)
    assert names[:8] == ["from_", "From", "FROM", "self_", "x_u2d_y", "x_y", "x_u20_y", "xY"]
    raw = {name: name for name in contract()["components"]["schemas"]["Odd"]["properties"]}
    assert adversary.Odd.from_json(raw).to_json() == raw


def made(folder, name, types):
    """The module of the client for these types."""
    return load(generated(folder, name, {"info": {"title": "taken"}, "x-viewModels": types}), name)


def test_no_instance_has_the_name_of_an_attribute_of_a_session(adversary, daemon, tmp_path):
    with adversary.Session(socket=str(daemon.socket)).sync() as session:
        own = {*vars(session), *dir(adversary.SyncClient), *vars(session.session), *dir(adversary.Client)}
    # `session` is no name for a ViewModel.
    types = {name: {"inputs": {"poke": {}}} for name in sorted({name.strip("_") for name in own} - {"session"})}
    taken = made(tmp_path, "taken_by_sessions", types)
    for kind in (taken.Session, taken.SyncSession):
        found = {name for name in vars(kind) if not name.startswith("__")} - {"contract", "daemon_name", "instances", "sync"}
        assert len(found) >= 2 * len(types) and not found & own
    with taken.Session(socket=str(daemon.socket)).sync() as session:
        assert (session.session.move_.id, session.move_.target.id) == ("move", "move")


def test_no_parameter_hides_a_name_of_the_runtime(adversary, tmp_path):
    readers = [name for name in dir(adversary) if name.startswith("as_")]
    string = {"type": "string"}
    params = {"type": "object", "properties": {name: string for name in readers}, "required": readers}
    actions = {"go": {"params": params, "result": {"type": "array", "items": string}}}
    taken = made(tmp_path, "taken_by_readers", {"lab": {"actions": actions}})
    names = set(inspect.signature(taken.Lab.go).parameters)
    assert len(readers) > 10 and names == {"self", "deadline", "key", "retry", *(f"{name}_" for name in readers)}


def test_optional_members_are_left_out_and_null_ones_are_not(adversary):
    value = adversary.Optional(needed=None)
    assert value.to_json() == {"needed": None} and value == adversary.Optional.from_json({"needed": None})
    assert adversary.Optional(needed=None, second=5).to_json() == {"needed": None, "second": 5}


def test_a_value_may_contain_itself(adversary):
    raw = {"value": "a", "children": [{"value": "b", "children": [], "parent": None}], "parent": None}
    tree = adversary.Tree.from_json(raw)
    assert tree.children[0].value == "b"
    assert json.loads(json.dumps(tree, default=adversary.plain)) == raw


def test_an_unknown_case_keeps_its_raw_value(adversary):
    read = adversary.as_case
    assert [read(case) for case in ("red", "ultraviolet", 7, None, True)] == ["red", "ultraviolet", 7, None, True]
    with pytest.raises(adversary.UnexpectedValue):
        read(["red"])


def test_failures_have_typed_details(adversary):
    def error(kind, details):
        return kind(-32000, "It failed", {"error": "notFound", "details": details, "retryable": True})
    first = error(adversary.NotFoundError, {"name": "x"})
    assert first.details.name == "x" and first.retryable and first.error == "notFound"
    second = error(adversary.HardWalkNotFoundError, {"path": "y"})
    assert second.details.path == "y" and isinstance(second, adversary.ActionFailed)


def test_each_keyword_is_an_output(adversary):
    picture = adversary.HardPicture({word: word for word in KEYWORDS})
    found = [name for name in dir(type(picture)) if not name.startswith("_") and getattr(picture, name, None) in KEYWORDS]
    assert len(found) == len(set(KEYWORDS))


def test_members_are_given_by_name(adversary, tmp_path):
    members = {"from": {"type": "integer"}, "to": {"type": "integer"}}
    place = {"type": "object", "properties": members, "required": ["from", "to"]}
    client = made(tmp_path, "by_name", {"lamp": {"inputs": {"move": {"schema": place}}}})
    for function in (client.Lamp.move, adversary.Optional):
        kinds = [p.kind for p in inspect.signature(function).parameters.values() if p.name != "self"]
        assert set(kinds) == {inspect.Parameter.KEYWORD_ONLY}
    value = adversary.Optional(second=1, needed="x")
    assert (value.needed, value.second, value.__match_args__) == ("x", 1, ())
    assert value == adversary.Optional(needed="x", second=1) == dataclasses.replace(value) and hash(value) == hash(adversary.Optional(needed="x", second=1))
    assert repr(value).startswith("Optional(") and "needed='x'" in repr(value)
