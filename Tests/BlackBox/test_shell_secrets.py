"""The shell shows no password, whatever the type that declares it: values, lists, events, results and details."""
import json
import os
import subprocess

import pytest
from daemons import CTL, clean_environment, run_program

pytestmark = pytest.mark.skipif(not CTL or not os.access(CTL[0], os.X_OK), reason="there is no viewmodelctl beside VIEWMODELD, and VIEWMODELCTL is not set")

SECRET, DOTS = "s3cret-77", "•••"
PASSWORD = {"type": "string", "format": "password"}


def an_object(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


ROW = an_object(id={"type": "integer"}, name={"type": "string"}, code=PASSWORD)
NODE = {"type": "object", "properties": {"pin": {"$ref": "#/components/schemas/Pin"}, "next": {"anyOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]}}, "required": ["pin"]}
CONTRACT = {
    "components": {"schemas": {"Node": NODE, "Pin": PASSWORD}},
    "x-viewModels": {
        "safe": {
            "outputs": {
                "name": {"schema": {"type": "string"}, "example": "plain"},
                "pin": {"schema": PASSWORD, "example": SECRET},
                "maybe": {"schema": {"anyOf": [PASSWORD, {"type": "null"}]}, "example": SECRET},
                "none": {"schema": {"anyOf": [PASSWORD, {"type": "null"}]}},
                "tree": {"schema": {"$ref": "#/components/schemas/Node"}, "example": {"pin": SECRET, "next": {"pin": SECRET, "next": None}}},
                "table": {"schema": {"type": "object", "additionalProperties": PASSWORD}, "example": {"a": SECRET, "b": SECRET}},
                "either": {"schema": {"anyOf": [an_object(one=PASSWORD), an_object(two={"type": "string"})]}, "example": {"one": SECRET}},
                "words": {"schema": {"type": "array", "items": PASSWORD}, "example": [SECRET, SECRET]},
                "keys": {"kind": "list", "schema": {"type": "array", "items": ROW}, "example": [{"id": i, "name": f"key {i}", "code": f"{SECRET}-{i}"} for i in range(3)]},
                "told": {"kind": "event", "schema": PASSWORD},
            },
            "inputs": {"note": {"schema": {"type": "string"}}},
            "actions": {"issue": {"result": an_object(token=PASSWORD, count={"type": "integer"}), "example": {"token": SECRET, "count": 7},
                                  "errors": [{"error": "weak", "details": an_object(tried=PASSWORD, least={"type": "integer"})}]}},
            "children": {"box": "box"},
        },
        "sealed": {"arguments": an_object(pin=PASSWORD)},
        "box": {"outputs": {"word": {"schema": PASSWORD, "example": SECRET}}},
    },
}


@pytest.fixture
def ctl(own, name, tmp_path):
    file = tmp_path / "contract.json"
    file.write_text(json.dumps(CONTRACT))
    daemon = own(None, "--mock", str(file), lab=False)

    def run(*arguments, input=None):
        stdin = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
        return subprocess.run([*CTL, "--socket", str(daemon.socket), "--session", name, *arguments], env=clean_environment(daemon.folder), capture_output=True, text=True, timeout=20, **stdin)
    run.daemon, run.session = daemon, name
    return run


@pytest.mark.parametrize("arguments, remedy", [
    (["wait", "box", f"word={SECRET}"], "wait for a change: word --change"), (["wait", "safe", f"keys/0/code={SECRET}"], "wait for a change: keys/0/code --change"),
    (["open", "sealed", f"pin={SECRET}"], "write pin=@- and type it"), (["open", "sealed", "--json", json.dumps({"pin": SECRET})], "write pin=@- and type it"),
    (["rpc", "viewModel.open", json.dumps({"type": "sealed", "arguments": {"pin": SECRET}})], "write pin=@- with the verb open and type it"),
])
def test_a_password_among_the_arguments_is_warned_of(ctl, arguments, remedy):
    result = ctl("--timeout", "10", *arguments)
    assert f"warning: other users can see the password in the list of processes; {remedy}" in result.stderr, result


@pytest.mark.parametrize("schema", [{"type": "string", "minLength": 2 ** 63 - 1}, {"type": "array", "minItems": 2 ** 63 - 1, "items": {}}])
def test_a_mock_asks_for_an_example_of_what_is_too_long_to_make_up(own, tmp_path, schema):
    file = tmp_path / "contract.json"
    file.write_text(json.dumps({"x-viewModels": {"m": {"outputs": {"a": {"schema": schema}}}}}))
    ended = run_program("--check-config", "--mock", file)
    assert ended.returncode == 78 and "example" in ended.stderr, ended


def test_a_password_is_dots_wherever_an_output_has_it(ctl):
    shown = json.loads(ctl("read", "safe").stdout)
    assert shown.pop("keys") == [{"id": i, "name": f"key {i}", "code": DOTS} for i in range(3)]
    assert {k: v for k, v in shown.items() if not k.startswith("issue.")} == {
        "name": "plain", "pin": DOTS, "maybe": DOTS, "none": None, "tree": {"pin": DOTS, "next": {"pin": DOTS, "next": None}},
        "table": {"a": DOTS, "b": DOTS}, "either": {"one": DOTS}, "words": [DOTS, DOTS]}
    assert json.loads(ctl("read", "safe", "--show-secrets").stdout)["tree"]["next"]["pin"] == SECRET


@pytest.mark.parametrize("verb", [["read", "safe"], ["read", "safe", "pin"], ["read", "safe", "keys"], ["read", "safe", "keys", "--window", "keys=1,1"], ["read", "safe.box"],
                                  ["watch", "safe", "--count", "0"], ["watch", "safe", "--count", "0", "--exec", "cat"], ["watch", "safe.box", "word", "--count", "0"],
                                  ["wait", "safe", f"pin={SECRET}"], ["wait", "safe", "keys/1/code!=x"], ["wait", "safe", "tree/next!=null"], ["call", "safe.issue"],
                                  ["rpc", "safe.issue"], ["rpc", "viewModel.read", '{"id":"safe"}'], ["rpc", "viewModel.bind", '{"id":"safe","windows":{"keys":{"offset":0,"limit":2}}}']])
@pytest.mark.parametrize("form", ["json", "text"])
def test_no_verb_shows_a_password(ctl, verb, form):
    hidden = ctl(*verb, "--output", form)
    assert hidden.returncode == 0, hidden.stderr
    assert SECRET not in hidden.stdout + hidden.stderr and DOTS in hidden.stdout
    shown = ctl(*verb, "--output", form, "--show-secrets")
    assert SECRET in shown.stdout and shown.returncode == 0


def test_an_instance_of_another_name_has_the_same_secrets(ctl):
    assert ctl("open", "safe", "--id", "desk").returncode == 0
    for verb in (["read", "desk"], ["read", "desk.box"], ["call", "desk.issue"], ["watch", "desk", "--count", "0"]):
        result = ctl(*verb)
        assert SECRET not in result.stdout and DOTS in result.stdout, verb


def test_frames_patches_and_events_have_none(ctl):
    watch = subprocess.Popen([*CTL, "--socket", str(ctl.daemon.socket), "--session", ctl.session, "watch", "safe", "keys", "told", "--count", "2"],
                             stdout=subprocess.PIPE, text=True, env=clean_environment(ctl.daemon.folder))
    try:
        first = json.loads(watch.stdout.readline())
        rows = [{"id": i, "name": f"key {i}", "code": f"{SECRET}-{i}"} for i in range(4)]
        for output, value in (("safe.keys", rows), ("safe.told", SECRET)):
            assert ctl("call", "mock.set", f"output={output}", f"value:={json.dumps(value)}").returncode == 0
        lines = [json.loads(line) for line in watch.stdout]
        assert watch.wait(10) == 0
    finally:
        watch.kill()
        watch.stdout.close()
    assert [row["code"] for row in first["values"]["keys"]] == [DOTS] * 3
    assert [row["code"] for row in lines[0]["values"]["keys"]] == [DOTS] * 4
    assert lines[-1]["events"] == [{"output": "told", "value": DOTS}]


def test_the_details_of_a_failure_have_none(ctl):
    failure = {"member": "safe.issue", "failure": {"error": "weak", "details": {"tried": SECRET, "least": 8}}}
    assert ctl("call", "mock.on", "--json", json.dumps(failure)).returncode == 0
    for form in ("json", "text"):
        result = ctl("--output", form, "call", "safe.issue")
        assert result.returncode == 1 and SECRET not in result.stderr and DOTS in result.stderr and "8" in result.stderr
        assert SECRET in ctl("--output", form, "call", "safe.issue", "--show-secrets").stderr


def test_the_lines_of_a_script_show_none(ctl):
    script = "read safe pin\ncall safe.issue\n"
    hidden, shown = ctl("script", input=script), ctl("script", "--show-secrets", input=script)
    assert hidden.returncode == 0 and SECRET not in hidden.stdout and hidden.stdout.count(DOTS) == 2
    assert shown.stdout.count(SECRET) == 2


def test_other_numbers_keep_their_digits(ctl):
    assert json.loads(ctl("call", "safe.issue").stdout) == {"token": DOTS, "count": 7}
    assert ctl("rpc", "viewModel.read", '{"id":"safe","outputs":["name"]}').stdout.rstrip().endswith('"values":{"name":"plain"}}')
