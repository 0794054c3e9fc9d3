"""PROTOCOL section 2: JSON-RPC 2.0, ids, params, batches, requests in flight, error codes."""
import json
import re

import pytest
from wire import request


def error(answer, code, id=None):
    assert isinstance(answer, dict) and answer.get("error", {}).get("code") == code, f"{code} expected: {answer}"
    assert answer["id"] == id and type(answer["id"]) is type(id), answer
    assert isinstance(answer["error"]["message"], str) and answer["error"]["message"]
    data = answer["error"].get("data") or {}
    assert code != -32600 or isinstance(data["reason"], str) and data["reason"], f"-32600 has a reason: {answer}"
    return data


# Requests that are not valid

@pytest.mark.parametrize("text, id", [
    ('{"jsonrpc":"2.0","method":1,"params":"bar"}', None), ('{"jsonrpc":"2.0","id":7,"method":1}', 7), ('{"jsonrpc":"2.0","id":7}', 7), ("{}", None),
    ('{"jsonrpc":"1.0","id":7,"method":"viewModel.list"}', 7), ('{"jsonrpc":2.0,"id":7,"method":"viewModel.list"}', 7), ('{"id":7,"method":"viewModel.list"}', 7),
    ('{"jsonrpc":"2.0","id":"a","method":null}', "a"), ('{"jsonrpc":"2.0","id":7,"method":"viewModel.list","params":null}', 7),
    ('{"jsonrpc":"2.0","id":7,"method":"viewModel.list","params":"x"}', 7), ('{"jsonrpc":"2.0","id":7,"method":"viewModel.list","params":1}', 7),
    ('{"jsonrpc":"2.0","id":[],"method":"viewModel.list"}', None), ('{"jsonrpc":"2.0","id":{},"method":"viewModel.list"}', None),
    ('{"jsonrpc":"2.0","id":true,"method":"viewModel.list"}', None), ('{"JSONRPC":"2.0","id":7,"method":"viewModel.list"}', 7),
    ('{"jsonrpc":"2.0","id":7,"Method":"viewModel.list"}', 7), ("1", None), ('"x"', None), ("null", None), ("true", None),
    ('{"jsonrpc":"2.0","method":"viewModel.list","params":null}', None), ('{"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"viewModel.list"}', 7),
    ('{"jsonrpc":"2.0","id":7,"method":"viewModel.list","method":"viewModel.list"}', 7), ('{"jsonrpc":"2.0","id":7,"method":"viewModel.list","params":{},"params":{}}', 7),
    ('{"jsonrpc":"2.0","id":7,"id":8,"method":"viewModel.list"}', None), ('{"jsonrpc":"2.0","id":7,"id":7,"method":"viewModel.list"}', None),
])
def test_an_invalid_request_is_answered(c, text, id):
    c.send_text(text)
    error(c.answer(), -32600, id)
    assert c.is_silent()


@pytest.mark.parametrize("method", ["", "x", ".", "..", "lab", "lab.", ".set", "lab.nothing", "nobody.set", "rpc.x", "rpc.", "rpc.Discover", "session.nothing", "viewModel.x",
                                    "Session.list", "lab.Set", "lab.value", "$/x", "lab.set ", "mine.header", "mine.header.nothing", "session.close.x", "\0", "漢字.字", "x" * 5000])
def test_an_unknown_method(c, method):
    data = c.refused(method, code=-32601).get("data") or {}
    assert isinstance(data.get("suggestions", []), list)


def test_an_unknown_method_suggests_what_is_close(c):
    data = c.refused("calculator.prss", ["1"], -32601)["data"]
    assert data["instance"] == "calculator" and data["member"] == "prss" and "press" in data["suggestions"]
    data = c.refused("calclator.press", ["1"], -32601)["data"]
    assert data["instance"] == "calclator" and any("calculator" in s for s in data["suggestions"])
    assert any("session.list" in s or s == "list" for s in c.refused("session.lst", code=-32601)["data"]["suggestions"])


def test_a_long_name_gets_no_suggestions(c):
    """Suggestions are for names below 64 bytes."""
    data = c.refused("q" * 100 + ".m", code=-32601).get("data") or {}
    assert not data.get("suggestions")


@pytest.mark.parametrize("text", [
    '{"jsonrpc":"2.0","method":"nothing"}', '{"jsonrpc":"2.0","method":"lab.nothing"}', '{"jsonrpc":"2.0","method":"lab.set","params":["x"]}',
    '{"jsonrpc":"2.0","method":"lab.trap"}', '{"jsonrpc":"2.0","method":"lab.fail","params":{"error":"x"}}', '{"jsonrpc":"2.0","method":"calculator.undo"}',
    '{"jsonrpc":"2.0","method":"viewModel.bind","params":{"id":"nothing"}}', '{"jsonrpc":"2.0","method":"session.close","params":{"session":"nope"}}',
    '{"jsonrpc":"2.0","method":"rpc.discover"}', '{"jsonrpc":"2.0","method":"session.list"}', '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":9}}',
    '[{"jsonrpc":"2.0","method":"nothing"},{"jsonrpc":"2.0","method":"lab.trap"}]',
    '{"jsonrpc":"2.0","id":1,"result":1}', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', '[{"jsonrpc":"2.0","id":1,"result":1}]',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
])
def test_notifications_and_answers_are_never_answered(c, text):
    c.send_text(text)
    assert c.is_silent()


# Ids

@pytest.mark.parametrize("written", ["1", "0", "-0", "-1", "1.0", "1.50", "1e3", "1E+3", "12345678901234567890", "0.1", "1e400", "9007199254740993", "null", '"x"', '""',
                                     "123456789012345678901234567890.125"])
def test_an_id_is_echoed_as_written(c, written):
    pattern = re.compile(r'"id"\s*:\s*' + re.escape(written) + r"\s*[,}]")
    for method in ("viewModel.list", "nothing"):
        c.send_text('{"jsonrpc":"2.0","id":%s,"method":"%s"}' % (written, method))
        text = c.next_text().decode()
        assert pattern.search(text), text[:200]
    c.send_text('[{"jsonrpc":"2.0","id":%s,"method":"viewModel.list"}]' % written)
    assert pattern.search(c.next_text().decode())


def test_a_string_id_comes_back_equal(c):
    for text in ("a\"\\/\b\f\n\r\t", "\u0000\u001f", "\U0001d11e é", "x" * 10_000):
        for ascii in (True, False):
            c.send_text(json.dumps(request("viewModel.list", id=text), ensure_ascii=ascii))
            assert c.answer()["id"] == text


@pytest.mark.parametrize("first, second", [("1", "1"), ("1.0", "1.0"), ('"A"', '"\\u0041"'), ("null", "null"), ("12345678901234567890", "12345678901234567890")])
def test_an_id_in_use_is_refused_with_id_null(c, first, second):
    c.send_text('{"jsonrpc":"2.0","id":%s,"method":"lab.sleep","params":{"milliseconds":120}}\n' % first
                + '{"jsonrpc":"2.0","id":%s,"method":"lab.set","params":[5]}' % second)
    data = error(c.answer(), -32600)
    assert data["reason"] == "duplicateId" and data["id"] == json.loads(second)
    assert c.answer()["result"]["slept"] == 120
    assert c.value("lab", "value") == 0, "the refused request has no effect"


@pytest.mark.parametrize("first, second", [("1", '"1"'), ("1", "1.0"), ("10", "1e1"), ("null", '"null"'), ("0", "-0"), ('"a"', '"A"')])
def test_ids_that_are_written_differently_are_different(c, first, second):
    for id in (first, second):
        c.send_text('{"jsonrpc":"2.0","id":%s,"method":"lab.sleepConcurrent","params":{"milliseconds":50}}' % id)
    assert "result" in c.answer() and "result" in c.answer()


def test_an_id_may_be_used_again_after_its_reply(c):
    for _ in range(3):
        c.request("lab.sleep", {"milliseconds": 1}, id="again")
        assert "result" in c.reply("again")


def test_ids_of_a_batch_stay_in_use_until_it_is_answered(c):
    c.send([request("lab.sleep", {"milliseconds": 60000}, "slow"), request("lab.set", [1], "quick")])
    c.request("lab.set", [2], id="quick")
    assert error(c.answer(), -32600)["id"] == "quick"
    c.cancel("slow")
    assert [reply["id"] for reply in c.answer()] == ["slow", "quick"]
    assert c.value("lab", "value") == 1


# Params

@pytest.mark.parametrize("method, params, path", [
    ("lab.set", {"valeu": 1}, None), ("lab.set", {"value": 1, "more": 2}, "/more"), ("lab.set", [], None), ("lab.set", {}, None), ("lab.set", [1, 2], None),
    ("lab.set", {"value": "1"}, "/value"), ("lab.set", [True], None), ("lab.set", [1.5], None), ("lab.set", [None], None), ("lab.set", [[1]], None), ("lab.set", [1e300], None),
    ("lab.set", [2 ** 63], None), ("lab.set", [10 ** 40], None), ("lab.ring", [1], None), ("lab.update", {"id": 1}, None), ("lab.update", {"id": "1", "text": "x"}, "/id"),
    ("lab.update", {"id": 1, "text": "x", "more": 1}, "/more"), ("lab.update", [1, "x"], None), ("lab.removeRows", {"value": [1, "a"]}, "/value/1"), ("lab.sleep", {}, None),
    ("lab.sleep", {"milliseconds": "1"}, "/milliseconds"), ("lab.sleep", [1], None), ("lab.trap", {"value": 1}, None), ("lab.trap", [1], None),
    ("viewModel.read", ["lab"], None), ("session.attach", ["a"], None), ("rpc.discover", [1], None), ("viewModel.read", {}, None), ("viewModel.read", {"id": 1}, "/id"),
    ("viewModel.read", {"id": "lab", "outptus": []}, "/outptus"), ("viewModel.read", {"id": "lab", "outputs": ["value", "valeu"]}, "/outputs/1"),
    ("viewModel.list", {"x": 1}, "/x"), ("viewModel.bind", {"id": "lab", "minInterval": -1}, "/minInterval"), ("viewModel.bind", {"id": "lab", "patches": 1}, "/patches"),
    ("viewModel.bind", {"id": "lab", "windows": {"rows": {"offset": -1, "limit": 2}}}, "/windows/rows/offset"), ("session.attach", {"session": ".x"}, "/session"),
    ("session.list", {"all": 1}, "/all"), ("session.close", {"session": 1}, "/session"), ("session.attach", {"linger": -1}, "/linger"),
])
def test_invalid_params_name_the_place(c, method, params, path):
    data = c.refused(method, params, -32602)["data"]
    assert {"path", "expected", "found"} <= data.keys()
    assert data["path"] == "" or data["path"].startswith("/")
    assert path is None or data["path"] == path, data


@pytest.mark.parametrize("number", ["1.5e-9223372036854775808", "10e9223372036854775807", "1e99999999999999999999", "-1e-99999999999999999999", "0e9223372036854775808", "1" * 400])
def test_hostile_numbers_do_no_harm(c, number):
    """A number with any exponent is either kept or refused. Comparing it with the next value ends nothing."""
    for text in (number, "2", "[%s]" % number, '{"a":%s}' % number, number, number):
        c.send_text('{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":[%s]}' % text)
        answer = c.answer()
        assert "result" in answer or answer["error"]["code"] == -32602, answer
    for method, member in (("lab.set", "value"), ("lab.append", "value"), ("lab.sleep", "milliseconds"), ("lab.count", "to")):
        c.send_text('{"jsonrpc":"2.0","id":1,"method":"%s","params":{"%s":%s,"_meta":{"deadline":1}}}' % (method, member, number))
        answer = c.answer()
        assert "result" in answer or answer["error"]["code"] in (-32602, -32008), answer


@pytest.mark.parametrize("params", [[], {}])
def test_no_params_can_be_written_in_three_ways(c, params):
    c.call("viewModel.list")
    c.call("viewModel.list", params)
    assert c.refused("lab.trap", params)["code"] == -32603
    assert c.refused("lab.trap")["code"] == -32603


@pytest.mark.parametrize("text, value", [("1.0", 1), ("-3.000", -3), ("1e2", 100), ("9007199254740992", 1 << 53)])
def test_an_integer_may_be_written_with_a_point(c, text, value):
    c.send_text('{"jsonrpc":"2.0","id":1,"method":"lab.set","params":{"value":%s}}' % text)
    assert "result" in c.reply(1)
    assert c.value("lab", "value") == value


def test_unnamed_members_are_ignored(c):
    c.send_text('{"jsonrpc":"2.0","id":1,"method":"viewModel.list","x":1,"x":2,"result":null,"meta":{}}')
    assert "result" in c.reply(1)


# Batches

def test_an_empty_batch_is_one_error(c):
    error(c.batch(), -32600)


@pytest.mark.parametrize("entries", [[1], [1, 2, 3], [[]], [None], ["x", {}, True]])
def test_invalid_entries_of_a_batch_are_answered_one_by_one(c, entries):
    answer = c.batch(*entries)
    assert len(answer) == len(entries)
    for part in answer:
        error(part, -32600)


def test_a_batch_over_the_limit_is_refused_as_a_whole(c):
    data = error(c.batch(*[request("lab.set", [5], n) for n in range(101)]), -32006)
    assert data == {"limit": "limits.batch", "value": 100}
    error(c.batch(*[request("lab.set", [5]) for n in range(101)]), -32006)
    assert c.value("lab", "value") == 0
    assert len(c.batch(*[request("viewModel.list", id=n) for n in range(100)])) == 100


def test_a_batch_is_answered_in_the_order_of_its_requests(c):
    answer = c.batch(request("lab.sleep", {"milliseconds": 80}, 1), request("lab.set", [7]), {"foo": 1}, request("no.such", id=2),
                     request("viewModel.read", {"id": "lab", "outputs": ["value"]}, 3))
    assert [part["id"] for part in answer] == [1, None, 2, 3]
    assert [part.get("error", {}).get("code") for part in answer] == [None, -32600, -32601, None]
    assert answer[3]["result"]["values"] == {"value": 7}, "entries start in order"


def test_a_batch_of_notifications_is_not_answered(c):
    c.send([request("lab.set", [n]) for n in range(9)])
    assert c.is_silent()
    assert c.value("lab", "value") == 8


def test_a_slow_batch_does_not_hold_up_later_requests(c):
    c.send([request("lab.sleep", {"milliseconds": 150}, "slow")])
    c.round_trip()
    assert c.answer()[0]["id"] == "slow"


def test_the_same_id_twice_in_a_batch(c):
    answer = c.batch(request("lab.set", [1], 5), request("lab.set", [2], 5))
    assert "result" in answer[0] and answer[1]["error"]["data"]["reason"] == "duplicateId" and answer[1]["id"] is None
    assert c.value("lab", "value") == 1


def test_an_attach_within_a_batch_moves_what_follows(c, daemon, name):
    other = daemon.connect(name)
    other.call("lab.set", [3])
    answer = c.batch(request("lab.set", [9], 1), request("session.attach", {"session": name}, 2),
                     request("viewModel.read", {"id": "lab", "outputs": ["value"]}, 3), request("lab.set", [4], 4))
    assert [part["id"] for part in answer] == [1, 2, 3, 4] and answer[2]["result"]["values"] == {"value": 3}
    assert other.value("lab", "value") == 4


def test_cancelling_within_a_batch(c):
    answer = c.batch(request("lab.sleep", {"milliseconds": 60000}, 1), request("$/cancelRequest", {"id": 1}))
    assert answer[0]["error"]["code"] == -32800


# Order and requests in flight

def test_one_request_too_many_is_refused_and_notifications_are_read(own):
    c = own({"limits": {"inFlight": 4}}).connect()
    ids = [c.request("lab.sleepConcurrent", {"milliseconds": 60000}) for _ in range(4)]
    data = error(c.reply(c.request("viewModel.list")), -32006, 5)
    assert data == {"limit": "limits.inFlight", "value": 4}
    c.notify("lab.set", [3])
    c.cancel(ids[0])
    assert c.reply(ids[0])["error"]["code"] == -32800
    assert c.value("lab", "value") == 3, "one place is free again"
    answer = c.batch(request("lab.set", [4], "a"), request("lab.set", [5], "b"))
    assert "result" in answer[0] and error(answer[1], -32006, "b")["limit"] == "limits.inFlight"
    for id in ids[1:]:
        c.cancel(id)
        c.reply(id)


def test_the_default_of_256_requests_in_flight(c, daemon):
    ids = [c.request("lab.sleepConcurrent", {"milliseconds": 60000}) for _ in range(256)]
    c.request("viewModel.list")
    assert c.answer()["error"]["data"] == {"limit": "limits.inFlight", "value": 256}
    assert daemon.connect().call("viewModel.list"), "another connection is not concerned"
    for id in ids:
        c.cancel(id)
        assert c.reply(id)["error"]["code"] == -32800


def test_inputs_are_applied_before_the_next_message(c):
    for n in range(200):
        c.notify("lab.set", [n])
        reading = c.request("viewModel.read", {"id": "lab", "outputs": ["value"]})
        assert c.reply(reading)["result"]["values"]["value"] == n


def test_actions_end_in_any_order(c):
    slow, quick = (c.request("lab.sleepConcurrent", {"milliseconds": n}) for n in (60000, 10))
    assert c.answer()["id"] == quick
    c.cancel(slow)
    assert c.answer()["id"] == slow
