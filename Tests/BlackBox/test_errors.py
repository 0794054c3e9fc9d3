"""PROTOCOL section 2: the data of each error, `found`, unknown members before missing ones, and hints."""
import json
import pwd
import time

import pytest
from daemons import root_only
from picture import Picture
from wire import request, wait_until

NOBODY = pwd.getpwnam("nobody").pw_uid

TABLE = {
    -32700: {"offset"}, -32600: {"reason"}, -32601: {"instance", "member", "suggestions"}, -32602: {"path", "expected", "found"}, -32603: {"incident"},
    -32000: {"error", "details", "retryable"}, -32001: {"limit"}, -32002: {"action"}, -32003: {"action"}, -32005: {"reason"}, -32006: {"limit", "value"},
    -32007: set(), -32008: {"deadline"}, -32010: {"session", "reason"}, -32800: set(),
}
"""The members that section 2's table names, by code. -32004 is apart: one of three members names what is missing."""
MORE = {-32700: {"hint"}, -32600: {"hint", "id"}, -32601: {"hint"}, -32602: {"suggestions"}}
"""Members that an error may have beside them (docs/protocol.md)."""
SEEN = set()
"""The codes that passed `check` in this file."""


def check(error, code):
    """Checks an error against section 2's table and returns its data."""
    assert error["code"] == code, error
    assert isinstance(error["message"], str) and error["message"], error
    data = error.get("data", {})
    if code == -32004:
        kinds = data.keys() & {"session", "instance", "type"}
        assert len(kinds) == 1 and data.keys() == kinds | {"suggestions"}, error
    else:
        missing = set() if code == -32700 else TABLE[code] - data.keys()
        assert not missing, f"{missing} is missing: {error}"
        assert data.keys() <= TABLE[code] | MORE.get(code, set()), error
    if code in (-32007, -32800):
        assert "data" not in error, error
    for name in data.keys() & {"reason", "expected", "found", "hint", "incident", "action", "error", "member", "session", "type"}:
        assert isinstance(data[name], str), error
    for name in data.keys() & {"offset", "deadline", "value"}:
        assert type(data[name]) is int, error
    if "suggestions" in data:
        assert isinstance(data["suggestions"], list) and len(data["suggestions"]) <= 3 and all(isinstance(name, str) for name in data["suggestions"])
    assert "path" not in data or data["path"] == "" or data["path"].startswith("/")
    assert "retryable" not in data or isinstance(data["retryable"], bool)
    hint = data.get("hint")
    assert hint is None or hint and not hint.endswith("."), "a hint is a sentence without its full stop"
    SEEN.add(code)
    return data


# The table

@pytest.mark.parametrize("method, params, code", [
    ("lab.nothing", None, -32601), ("nothing.set", None, -32601), ("nothing", None, -32601), ("rpc.nothing", None, -32601), ("", None, -32601),
    ("session.lst", None, -32601), ("lab.value", None, -32601), ("mine.header.nickname", None, -32601),
    ("lab.set", ["x"], -32602), ("lab.set", None, -32602), ("lab.set", {"valeu": 1}, -32602), ("lab.set", [1, 2], -32602), ("lab.trap", [1], -32602),
    ("lab.update", {"id": 99, "text": "x"}, -32602), ("lab.set", {"value": 1, "_meta": {"key": 1}}, -32602), ("lab.set", {"value": 1, "_meta": None}, -32602),
    ("viewModel.read", None, -32602), ("viewModel.read", {"id": "lab", "outputs": ["valeu"]}, -32602), ("viewModel.bind", {"id": "lab", "windows": {"value": {"offset": 0, "limit": 1}}}, -32602),
    ("viewModel.open", {"type": "lab", "id": "session"}, -32602), ("viewModel.open", {"type": "lab", "id": "calculator"}, -32602), ("viewModel.open", {"type": "mineHeader"}, -32602),
    ("viewModel.open", {"type": "lab", "id": "mineHeader"}, -32602), ("viewModel.open", {"type": "lab", "id": "labMargin"}, -32602),
    ("viewModel.open", {"type": "daemon", "id": "other"}, -32602), ("viewModel.open", {"type": "calculator", "arguments": {"a": 1}}, -32602), ("viewModel.close", {"id": "daemon"}, -32602),
    ("coordinator.open", {"scene": "nothing"}, -32602), ("prompter.answer", {"id": "nothing"}, -32602), ("session.attach", {"session": ".x"}, -32602),
    ("mine.select", ["nothing"], -32602), ("sendList.remove", {"id": "nothing"}, -32602),
    ("lab.trap", None, -32603), ("lab.fail", {"error": "x"}, -32000), ("lab.fail", {"error": "x", "retryable": True}, -32000),
    ("calculator.undo", None, -32002), ("coordinator.back", None, -32002), ("lab.sleep", {"milliseconds": 60000, "_meta": {"deadline": 10}}, -32008),
    ("viewModel.read", {"id": "nothing"}, -32004), ("viewModel.bind", {"id": "nothing"}, -32004), ("viewModel.unbind", {"id": "nothing"}, -32004), ("viewModel.close", {"id": "keypad"}, -32004),
    ("viewModel.open", {"type": "nothing"}, -32004), ("session.close", {"session": "nothing"}, -32004), ("session.attach", {"session": "nothing", "uid": 12345}, -32004),
])
def test_a_refusal_has_the_data_of_the_table(c, method, params, code):
    check(c.refused(method, *([] if params is None else [params])), code)


@pytest.mark.parametrize("text, code", [
    ("{", -32700), ("nonsense", -32700), ("{} {}", -32700), ("[]", -32600), ("[1]", -32600), ("1", -32600), ("{}", -32600), ('{"jsonrpc":"2.0","method":1}', -32600),
    ('{"jsonrpc":"2.0","id":1,"method":"x","params":null}', -32600), ('{"jsonrpc":"2.0","id":{},"method":"x"}', -32600), ('{"jsonrpc":"2.0","id":1,"id":1,"method":"x"}', -32600),
    (" " * (1 << 20) + "[1]", -32001),
])
def test_a_message_that_is_no_request_has_the_data_of_the_table(c, text, code):
    c.send_text(text)
    answer = c.answer()
    data = check((answer[0] if isinstance(answer, list) else answer)["error"], code)
    assert code != -32700 or type(data["offset"]) is int


def test_the_framing_s_errors_have_the_data_of_the_table(daemon):
    c = daemon.connect(headers=True)
    c.send_bytes(b"Content-Length: 0\r\n\r\n")
    assert "at least one" in check(c.answer()["error"], -32700)["hint"]
    c.send_bytes(b"Content-Length: x\r\n\r\n")
    assert "Content-Length" in check(c.answer()["error"], -32700)["hint"]
    assert c.ends()


def test_errors_of_a_running_action_have_the_data_of_the_table(c):
    id = c.request("lab.sleep", {"milliseconds": 60000})
    check(c.refused("lab.sleep", {"milliseconds": 1}), -32003)
    c.cancel(id)
    check(c.reply(id)["error"], -32800)


def test_a_call_after_the_end_of_its_session_has_the_data_of_the_table(daemon, c, name):
    a = daemon.connect(name)
    a.round_trip()
    c.call("session.close", {"session": name})
    assert check(a.refused("lab.set", [1]), -32010) == {"session": name, "reason": "closed"}


def test_a_duplicate_id_has_the_data_of_the_table(c):
    c.request("lab.sleep", {"milliseconds": 60000}, id="twice")
    c.request("lab.set", [1], id="twice")
    data = check(c.answer()["error"], -32600)
    assert data["id"] == "twice" and data["reason"] == "duplicateId" and "no reply yet" in data["hint"]


def test_limits_and_access_have_the_data_of_the_table(own):
    daemon = own({"limits": {"batch": 2, "inFlight": 2, "instancesPerSession": 6, "scenes": 2, "sessionsPerUser": 1, "executions": 1, "connections": 3}, "session": {"lingerSeconds": 60}})
    c = daemon.connect()
    check(c.batch(*[request("lab.set", [1], n) for n in range(3)])["error"], -32006)
    ids = [c.request("lab.sleepConcurrent", {"milliseconds": 60000}), c.request("lab.sleepConcurrent", {"milliseconds": 60000})]
    assert check(c.reply(ids[1])["error"], -32006)["limit"] == "limits.executions"
    assert check(c.refused("viewModel.open", {"type": "page"}), -32004)
    for number in range(9):
        reply = c.ask("viewModel.open", {"type": "calculator", "id": f"c{number}"})
    assert check(reply["error"], -32006)["limit"] == "limits.instancesPerSession"
    other = daemon.connect("first")
    assert check(daemon.connect().refused("session.attach", {"session": "second"}), -32006)["limit"] == "limits.sessionsPerUser"
    refused = daemon.connect()
    assert check(refused.answer()["error"], -32006)["limit"] == "limits.connections"
    other.call("coordinator.open", {"scene": "login"})
    assert check(other.refused("coordinator.open", {"scene": "login"}), -32006)["limit"] == "limits.scenes"


@root_only
def test_a_scope_s_error_has_the_data_of_the_table(own):
    daemon = own({"access": [{"user": "nobody", "scope": "observe"}]}, shared=True)
    check(daemon.connect(uid=NOBODY).refused("lab.set", [1]), -32005)
    check(daemon.connect(uid=NOBODY).refused("session.list", {"all": True}), -32005)
    check(daemon.connect(uid=NOBODY + 1).answer()["error"], -32005)


def test_a_stopping_daemon_s_error_has_the_data_of_the_table(own):
    daemon = own({"shutdown": {"graceSeconds": 20}})
    c = daemon.connect()
    c.request("lab.sleepConcurrent", {"milliseconds": 60000})
    c.round_trip()
    daemon.process.terminate()
    check(wait_until(lambda: c.ask("lab.set", [1]).get("error"), "-32007"), -32007)


@root_only
def test_every_code_of_the_table_was_seen():
    """Runs after the tests of the table. It fails if a code has no case above, or if these were left out by `-k`."""
    assert SEEN == {*TABLE, -32004}


# `found`

@pytest.mark.parametrize("method, params, path, found", [
    ("lab.set", ["5"], "/0", '"5"'), ("lab.set", {"value": "5"}, "/value", '"5"'), ("lab.set", [5.5], "/0", "5.5"), ("lab.set", [True], "/0", "true"), ("lab.set", [None], "/0", "null"),
    ("lab.set", [[1, "a"]], "/0", '[1,"a"]'), ("lab.set", [{"a": None}], "/0", '{"a":null}'), ("lab.set", [""], "/0", '""'), ("lab.set", ['"\n é 😀'], "/0", '"\\"\\n é 😀"'),
    ("lab.set", ["x" * 38], "/0", '"' + "x" * 38 + '"'), ("lab.set", ["x" * 39], "/0", '"' + "x" * 39 + "…"), ("lab.set", [list(range(100))], "/0", json.dumps(list(range(100)), separators=(",", ":"))[:40] + "…"),
    ("lab.set", None, "/value", "nothing"), ("lab.set", [1, "two"], "/1", '"two"'), ("lab.trap", ["x"], "/0", '"x"'), ("calculator.press", ["x"], "/0", '"x"'), ("calculator.press", [5], "/0", "5"),
    ("lab.update", {"id": "1", "text": "x"}, "/id", '"1"'), ("lab.update", {"id": 99, "text": "x"}, "/id", "99"), ("lab.update", {"id": 1}, "/text", "nothing"),
    ("viewModel.read", {"id": "lab", "outputs": ["valeu"]}, "/outputs/0", '"valeu"'), ("viewModel.bind", {"id": "lab", "windows": {"row": {"offset": 0, "limit": 1}}}, "/windows/row", '{"offset":0,"limit":1}'),
    ("viewModel.open", {"type": "lab", "id": "rpc"}, "/id", '"rpc"'), ("viewModel.open", {"type": "mineHeader"}, "/type", '"mineHeader"'), ("viewModel.close", {"id": "daemon"}, "/id", '"daemon"'),
    ("viewModel.open", {"type": "lab", "arguments": [1]}, "/arguments", "[1]"), ("session.attach", {"session": "-"}, "/session", '"-"'), ("coordinator.open", {"scene": "logn"}, "/scene", '"logn"'),
    ("mine.select", ["nothing"], "", '"nothing"'), ("prompter.answer", {"id": "nothing"}, "/id", '"nothing"'),
])
def test_found_is_the_json_text_of_the_value(c, method, params, path, found):
    data = check(c.refused(method, *([] if params is None else [params])), -32602)
    assert data["found"] == found and data["path"].startswith(path), data


def test_found_of_names_still_has_suggestions(c):
    assert check(c.refused("coordinator.open", {"scene": "logn"}), -32602)["suggestions"] == ["login"]
    assert check(c.refused("viewModel.read", {"id": "lab", "outputs": ["valeu"]}), -32602)["suggestions"] == ["value"]


@pytest.mark.parametrize("method, params", [
    ("login.submit", {"password": "hunter2"}), ("login.submit", ["hunter2"]), ("login.account", {"password": "hunter2"}), ("login.account", {"value": "a", "password": "hunter2"}),
    ("login.password", [["hunter2"]]), ("login.password", {"pasword": "hunter2"}), ("login.password", ["a", "hunter2"]), ("login.register", {"account": ["hunter2"], "password": "x"}),
    ("login.register", {"account": "a", "passwort": "hunter2"}), ("login.register", {"account": "a", "password": {"x": "hunter2"}}), ("login.register", ["hunter2"]),
])
def test_a_secret_is_never_shown(c, daemon, method, params):
    error = c.refused(method, params, -32602)
    assert "hunter2" not in json.dumps({**error, "data": {**error["data"], "path": ""}})
    assert "hunter2" not in daemon.log


# Unknown members

@pytest.mark.parametrize("method, params, path, names, suggestions", [
    ("lab.update", {"id": 1, "txt": "x"}, "/txt", "id, text", ["text"]), ("lab.update", {"txt": "x"}, "/txt", "id, text", ["text"]), ("lab.update", {"text": "x", "idd": 1}, "/idd", "id, text", ["id"]),
    ("lab.update", {"id": 1, "text": "x", "zzzz": 1}, "/zzzz", "id, text", []), ("lab.set", {"valeu": 5}, "/valeu", "value", ["value"]), ("lab.set", {"value": 5, "other": 1}, "/other", "value", []),
    ("viewModel.bind", {"output": ["value"]}, "/output", "id, outputs, since, windows, minInterval, patches", ["outputs"]),
    ("viewModel.bind", {"id": "lab", "windows": {"rows": {"offse": 0}}}, "/windows/rows/offse", "offset, limit", ["offset"]), ("viewModel.bind", {"id": "lab", "since": {"sec": 1}}, "/since/sec", "epoch, seq", ["seq"]),
    ("session.attach", {"Session": "x"}, "/Session", "session, linger, client, uid, move", ["session"]), ("session.attach", {"client": {"nam": "x"}}, "/client/nam", "name, version", ["name"]),
    ("viewModel.open", {"typ": "lab"}, "/typ", "type, id, arguments", ["type"]), ("lab.sleep", {"millisecond": 1}, "/millisecond", "milliseconds", ["milliseconds"]),
    ("lab.sleep", {"milliseconds": 1, "_meta": {"deadlin": 1}}, "/_meta/deadlin", "deadline, key", ["deadline"]), ("viewModel.list", {"_meta": {"Key": "x"}}, "/_meta/Key", "deadline, key", ["key"]),
    ("prompter.answer", {"buton": "ok"}, "/buton", "id, button, text", ["button"]), ("coordinator.open", {"arguments": {}, "scenes": "x"}, "/scenes", "scene, arguments", ["scene"]),
])
def test_an_unknown_member_is_named_before_a_missing_one(c, method, params, path, names, suggestions):
    data = check(c.refused(method, params), -32602)
    assert data["path"] == path and data["suggestions"] == suggestions, data
    assert data["expected"].endswith(names), data
    value = params
    for step in path.split("/")[1:]:
        value = value[step]
    assert json.loads(data["found"]) == value


def test_the_members_of_data_have_their_order(c):
    c.send_text('{"jsonrpc":"2.0","id":1,"method":"lab.update","params":{"id":1,"txt":"x"}}')
    text = c.next_text().decode()
    places = [text.index(f'"{name}"') for name in ("path", "expected", "found", "suggestions")]
    assert places == sorted(places), text


# Hints

@pytest.mark.parametrize("text, part", [
    ("{", "one line"), ('  "jsonrpc": "2.0",', "one line"), ('  "params": {', "one line"), ("}", "one line"), ('{"jsonrpc":"2.0","id":9,', "one line"),
    ("{'jsonrpc':'2.0'}", "double quotes"), ('{"jsonrpc":"2.0",}', "No comma"), ('{"a":1}{"a":2}', "A line has one message"), ('{"a":"\\ud800"}', "pair"), ("\ufeff{}", "byte order mark"),
    ('{"a":1}\0', "NUL"), ("[" * 129 + "]" * 129, "128 levels"), ("GET / HTTP/1.1", "without HTTP"), ('{"a":True}', "no True"), ("{a:1}", "name of a member"), (b'{"a":"\xff"}', "UTF-8"),
])
def test_a_parse_error_has_a_hint(c, text, part):
    c.send_text(text)
    data = check(c.answer()["error"], -32700)
    assert part in data["hint"] and type(data["offset"]) is int, data


def test_a_parse_error_of_an_unknown_cause_has_no_hint(c):
    c.send_text("nonsense")
    assert check(c.answer()["error"], -32700) == {"offset": 1}


def test_a_hint_knows_the_framing(daemon):
    c = daemon.connect(headers=True)
    c.send_text('{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "method": "viewModel.list"\n}')
    assert "result" in c.answer()
    c.send_text('{"jsonrpc":"2.0"')
    assert "Content-Length" in check(c.answer()["error"], -32700)["hint"]


@pytest.mark.parametrize("text, reason, part", [
    ('{"jsonrpc":"2.0","id":1,"method":"viewModel.list","params":null}', "params", "instead of null"), ('{"id":1,"method":"viewModel.list"}', "jsonrpc", '"jsonrpc":"2.0"'),
    ('{"jsonrpc":"2.0","id":1,"method":7}', "method", "string"), ('{"jsonrpc":"2.0","id":true,"method":"x"}', "id", "a string, a number or null"), ("[]", "emptyBatch", "at least one"),
    ('{"jsonrpc":"2.0","id":1,"method":"x","method":"x"}', "duplicateMember", "once"), ("7", "notAnObject", "object"), ("[7]", "notAnObject", "object"),
])
def test_an_invalid_request_has_a_hint(c, text, reason, part):
    c.send_text(text)
    answer = c.answer()
    data = check((answer[0] if isinstance(answer, list) else answer)["error"], -32600)
    assert data["reason"] == reason and part in data["hint"], data


@pytest.mark.parametrize("method", ["lab.value", "lab.rows", "lab.bell", "lab.sleep.enabled", "lab.sleep.executing", "mine.header.nickname", "coordinator.scenes", "coordinator.back.enabled", "mine.refresh.progress"])
def test_an_output_that_is_called_says_how_to_read_it(c, method):
    data = check(c.refused(method), -32601)
    assert data["hint"].startswith(f"{method} is an output: viewModel.read"), data
    assert f"{data['instance']}.{data['member']}" == method
    if data["member"] in ("enabled", "executing", "progress"):
        assert data["suggestions"] == [], "the hint names it"


def test_an_instance_that_is_called_says_what_a_method_is(c):
    for method in ("calculator", "calculator.", "coordinator", "mine.header"):
        assert "is an instance" in check(c.refused(method), -32601)["hint"]
    assert "hint" not in check(c.refused("calculater"), -32601)
    assert "hint" not in check(c.refused("lab.sett"), -32601)


def test_a_child_s_type_suggests_the_child(c):
    assert check(c.refused("viewModel.read", {"id": "mineHeader"}), -32004)["suggestions"] == ["mine.header"]
    assert check(c.refused("mineHeader.tap"), -32601)["suggestions"] == ["mine.header"]


# `held` for a client that does not read

def test_a_client_that_does_not_read_is_told_that_frames_wait(daemon, name):
    """Its replies say `held` while a frame waits, also those of an input that changes nothing."""
    other = daemon.connect(name)
    c = daemon.connect(name, receive_buffer=4096)
    picture = Picture(c, "lab")
    for number in range(200):
        other.call("lab.append", [1000])
    c.send_bytes(b"".join(b'{"jsonrpc":"2.0","id":"%d","method":"lab.set","params":[7]}\n' % n for n in range(2)), reading=False)
    wait_until(lambda: other.value("lab", "value") == 7, "the input")
    for id in ("0", "1"):
        assert c.reply(id)["result"]["held"] is True
    picture.until(lambda values: values["value"] == 7)
    assert picture.values == c.values("lab", *picture.values)
    time.sleep(0.05)
    picture.now()
    reply = c.call("lab.set", [7])
    assert "held" not in reply and picture.seq <= reply["seq"], "nothing waits once the client reads"


def test_an_input_over_a_slow_binding_is_held_until_its_frame(c):
    """With `minInterval`, a reply without `held` never comes before the frame that it needs."""
    picture = Picture(c, "lab", outputs=["value"], minInterval=50)
    held = 0
    for number in range(1, 60):
        reply = c.call("lab.set", [number // 3])
        picture.take()
        if reply.get("held"):
            assert reply["held"] is True
            held += 1
        else:
            assert "held" not in reply and picture.values["value"] == number // 3 and picture.seq <= reply["seq"]
        time.sleep(0.004)
    assert held, "the binding held some frames"
    picture.until(lambda values: values["value"] == 59 // 3)


def test_a_batch_of_inputs_says_which_are_held(c):
    picture = Picture(c, "lab", outputs=["value"], minInterval=300)
    first = c.batch(request("lab.set", [1], 1), request("lab.set", [2], 2), request("calculator.press", ["1"], 3))
    assert first[1]["result"]["held"] is True and "held" not in first[2]["result"]
    picture.until(lambda values: values["value"] == 2)


def test_an_input_repeated_with_its_key_says_whether_a_frame_is_held_now(c):
    picture = Picture(c, "lab", outputs=["value"], minInterval=1500)
    c.call("lab.set", [1])
    keyed = {"value": 2, "_meta": {"key": "k"}}
    first = c.call("lab.set", keyed)
    assert first["held"] is True and c.call("lab.set", keyed) == first
    picture.until(lambda values: values["value"] == 2)
    time.sleep(0.35)
    picture.now()
    again = c.call("lab.set", keyed)
    assert again["seq"] == first["seq"] and "held" not in again, "the picture is up to date"
