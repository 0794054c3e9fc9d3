"""PROTOCOL section 1: transport, line framing, header framing, sizes, the end of the stream."""
import json
import socket
from pathlib import Path

import pytest
from wire import Client, HungUp, request

LIST = b'{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}'
SUITE = Path(__file__).parent.parent / "JSONRPCTests" / "Vectors" / "json-test-suite" / "test_parsing"


def parse_error(answer):
    assert answer["id"] is None and answer["error"]["code"] == -32700, answer
    return answer["error"]


def echo(size, id=1):
    """A request of exactly this many bytes."""
    head = b'{"jsonrpc":"2.0","id":%d,"method":"lab.echo","params":["' % id
    return head + b"x" * (size - len(head) - 3) + b'"]}'


# Messages that are not JSON

@pytest.mark.parametrize("text", [
    b"{", b"}", b"nonsense", b'{"jsonrpc":"2.0","id":1,"method":"viewModel.list"', b'{"jsonrpc":"2.0","id":01,"method":"viewModel.list"}',
    LIST + LIST, LIST + b" 1", b"[1,]", b"{'a':1}", b'"\t"', b"tru", b"+1", b"NaN", b'{"a":1,}', b"\x00", LIST + b"\x00", b"/**/" + LIST,
    b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":["\\ud800"]}', b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":["\\udc00x"]}',
    b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":["\\ud800\\ud800"]}', b'{"\\ud800":1}',
])
def test_a_message_that_is_not_json_is_a_parse_error(c, text):
    c.send_text(text)
    parse_error(c.answer())
    assert c.is_silent()


@pytest.mark.parametrize("data", [b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80"])
@pytest.mark.parametrize("place", [b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":["%s"]}', b'{"jsonrpc":"2.0","id":"%s","method":"viewModel.list"}',
                                   LIST + b"%s", b"%s", b'{"jsonrpc":"2.0","id":1,"method":"viewModel.list","unnamed":"%s"}'])
def test_invalid_utf8_anywhere_is_a_parse_error(c, data, place):
    c.send_text(place.replace(b"%s", data))
    parse_error(c.answer())
    assert c.is_silent()


@pytest.mark.parametrize("before", [0, 1])
def test_a_byte_order_mark_is_a_parse_error(c, before):
    for _ in range(before):
        c.round_trip()
    c.send_text(b"\xef\xbb\xbf" + LIST)
    parse_error(c.answer())
    assert c.is_silent()


def test_a_torn_message_reports_the_offset(c):
    c.send_text('{"jsonrpc":"2.0","id":9,')
    assert parse_error(c.answer()).get("data", {}).get("offset", 24) == 24


@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"b":', b"}]")])
def test_nesting_beyond_128_levels_is_a_parse_error(c, opening, closing):
    def nested(levels):
        count = levels // sum(opening.count(bracket) for bracket in b"[{")
        return b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":{"value":' + opening * count + b"1" + closing * count + b"}}"
    c.send_text(nested(128))
    parse_error(c.answer())
    c.send_text(opening * 100_000)
    parse_error(c.answer())
    c.send_text(nested(126))
    assert "result" in c.reply(1)


def test_the_public_json_test_suite_is_present():
    assert len(list(SUITE.glob("*.json"))) > 300


@pytest.mark.parametrize("headers", [False, True], ids=["lines", "headers"])
def test_the_public_json_test_suite(daemon, headers):
    """`n_*` is refused, `y_*` is accepted within the protocol's stricter rules, `i_*` may be either."""
    c = daemon.connect(headers=headers)
    wrong = []
    for file in sorted(SUITE.glob("*.json")):
        text = file.read_bytes()
        if not headers:
            if b"\n" in text or b"\r" in text or not text.strip() or text[:1] in b"cC":
                continue
            c.send_text(b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":{"value":' + text + b"}}")
        else:
            c.send_text(b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":{"value":\n' + text + b"\n}}")
        answer = c.answer()
        accepted = "result" in answer
        if file.name.startswith("y_") and not accepted or file.name.startswith("n_") and accepted:
            wrong.append((file.name, answer))
    assert wrong == []
    assert c.is_silent()


# Sizes

@pytest.mark.parametrize("headers", [False, True], ids=["lines", "headers"])
def test_a_message_over_the_limit_is_refused_and_the_connection_goes_on(daemon, headers):
    c = daemon.connect(headers=headers)
    limit = 1 << 20
    for size in (limit + 1, 2 * limit, 5 * limit):
        c.send_text(echo(size))
        answer = c.answer()
        assert answer["id"] is None and answer["error"]["code"] == -32001 and answer["error"]["data"]["limit"] == limit
        assert c.is_silent()
    c.send_text(echo(limit))
    assert "result" in c.reply(1)


def test_the_line_end_does_not_count(c):
    c.send_bytes(echo(1 << 20) + b"\r\n")
    assert "result" in c.reply(1)


def test_a_small_limit_of_the_configuration_holds(own):
    c = own({"limits": {"messageBytes": 100}}).connect()
    c.send_text(echo(101))
    assert c.answer()["error"]["data"]["limit"] == 100
    c.send_text(echo(100))
    assert "result" in c.reply(1)


def test_an_oversized_message_is_never_buffered(own):
    daemon = own()
    c = daemon.connect()
    c.round_trip()
    before = daemon.resident
    for _ in range(40):
        c.send_bytes(b"y" * (1 << 20))
    grown = daemon.resident - before
    assert c.answer()["error"]["code"] == -32001
    c.send_bytes(b"\n")
    assert c.is_silent()
    assert grown < 12 << 20, f"40 MiB without a line end grew the daemon by {grown >> 20} MiB"


# The end of the stream

def raw_exchange(daemon, data):
    """Writes, half-closes and reads to the end, as `socat -` does."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(10)
        s.connect(str(daemon.socket))
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        received = b""
        while piece := s.recv(1 << 16):
            received += piece
    return [json.loads(line) for line in received.splitlines()]


def test_the_end_of_the_stream_ends_a_torn_last_line(daemon):
    answers = raw_exchange(daemon, b'{"jsonrpc":"2.0","id":1,')
    assert len(answers) == 1
    parse_error(answers[0])


@pytest.mark.parametrize("data, ids", [
    (LIST, [1]), (LIST + b"\r", [1]), (LIST + b"\n" + LIST.replace(b'"id":1', b'"id":2'), [1, 2]), (b"", []), (b"\n \n", []), (b"  ", []),
    (b'{"jsonrpc":"2.0","method":"lab.set","params":[1]}', []),
    (LIST + b"\n" + b'{"jsonrpc":"2.0","id":2,"method":"lab.sleep","params":{"milliseconds":80}}', [1, 2]),
])
def test_the_end_of_the_stream_ends_the_last_line(daemon, data, ids):
    answers = raw_exchange(daemon, data)
    assert sorted(a["id"] for a in answers) == ids and all("result" in a for a in answers)


def test_a_last_line_without_line_end_over_the_limit_is_refused(daemon):
    answers = raw_exchange(daemon, b"z" * ((1 << 20) + 5))
    assert [a["error"]["code"] for a in answers] == [-32001]


def test_a_half_close_in_header_framing_discards_an_unfinished_body(daemon):
    c = daemon.connect(headers=True)
    c.send_text(LIST)
    c.send_bytes(b"Content-Length: 500\r\n\r\n" + LIST)
    c.finish_writing()
    assert "result" in c.reply(1)
    assert c.ends() and c.answers == [], "no answer to the torn body"


def test_a_half_closed_client_gets_every_reply_and_then_the_end(daemon):
    c = daemon.connect()
    slow = c.request("lab.sleepConcurrent", {"milliseconds": 150})
    for number in range(50):
        c.request("lab.set", [number])
    c.send([request("lab.sleepConcurrent", {"milliseconds": 60}, "b")])
    c.finish_writing()
    assert c.ends()
    assert len(c.answers) == 52 and any(isinstance(a, list) for a in c.answers)
    assert next(a for a in c.answers if isinstance(a, dict) and a["id"] == slow)["result"]["slept"] == 150


def test_a_half_close_without_a_word_closes(daemon):
    c = daemon.connect()
    c.finish_writing()
    assert c.ends()


# Lines

def test_blank_lines_and_carriage_returns_are_ignored(c):
    c.send_bytes(b"\n\r\n \n\t \r\n" + LIST + b"\r\n\n\n" + LIST.replace(b'"id":1', b'"id":2') + b" \t\r\n")
    assert [c.answer()["id"], c.answer()["id"]] == [1, 2]
    assert c.is_silent()


def test_bytes_may_arrive_one_by_one(c):
    for byte in b'{"jsonrpc":"2.0","id":"\xf0\x9d\x84\x9e","method":"viewModel.list"}\n':
        c.send_bytes(bytes([byte]))
    assert c.answer()["id"] == "\U0001d11e"


def test_many_messages_may_arrive_in_one_write(c):
    c.send_bytes(b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"lab.set","params":[%d]}\n' % (n, n) for n in range(2000)))
    assert [c.answer()["id"] for _ in range(2000)] == list(range(2000))


@pytest.mark.parametrize("value", ["line\nbreak", "\r\n", "\u2028", "\0\x1f\x7f", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "\\\"/", "é" * 3000])
def test_the_daemon_writes_one_message_a_line(c, value):
    c.call("lab.echo", [value])
    before = len(c.transcript)
    assert c.value("lab", "echoed") == value
    written = bytes(c.transcript[before:])
    assert written.endswith(b"\n") and written.count(b"\n") == 1


# Header framing

@pytest.mark.parametrize("header", [
    b"Content-Type: x\r\n", b"Content-Length: 5\r\nContent-Length: 5\r\n", b"Content-Length: -1\r\n", b"Content-Length: +5\r\n", b"Content-Length: 5x\r\n",
    b"Content-Length: \r\n", b"Content-Length: 1234567890123456789\r\n", b"Content-Length: 0x10\r\n", b"Content-Length: 1 0\r\n", b"content-length\r\n",
    b"Content-Length: 5\r\ncontent-length: 6\r\n", b"Content-Length: 5.0\r\n",
])
def test_a_malformed_header_block_is_answered_and_closes(daemon, header):
    c = daemon.connect(headers=True)
    c.send_bytes((b"" if header[:1] in b"cC" else b"C: 1\r\n") + header + b"\r\n" + LIST)
    parse_error(c.answer())
    assert c.ends() and c.answers == []


def test_a_header_block_over_8_kib_is_answered_and_closes(daemon):
    c = daemon.connect(headers=True)
    c.send_bytes(b"Content-Length: 5\r\nX: " + b"x" * 9000 + b"\r\n\r\n")
    parse_error(c.answer())
    assert c.ends()


def test_an_empty_body_is_a_parse_error_and_the_connection_goes_on(daemon):
    c = daemon.connect(headers=True)
    c.send_bytes(b"Content-Length: 0\r\n\r\n")
    parse_error(c.answer())
    assert c.is_silent()


@pytest.mark.parametrize("text", [b"{", b"\xff", b"[1,]"])
def test_a_bad_body_keeps_the_connection(daemon, text):
    c = daemon.connect(headers=True)
    c.send_text(text)
    parse_error(c.answer())
    assert c.is_silent()


@pytest.mark.parametrize("header", [
    b"Content-Length: %d\r\n\r\n", b"content-length:%d\r\n\r\n", b"CONTENT-LENGTH:\t %d \t\r\n\r\n",
    b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n", b"Content-Length: 0000000000000%d\r\nX-Other: 1\r\n\r\n",
    b"Cookie: a\r\nContent-Length: %d\r\nAccept: " + b"x" * 8000 + b"\r\n\r\n",
])
def test_header_framing_accepts(daemon, header):
    c = daemon.connect(headers=True)
    c.send_bytes(header % len(LIST) + LIST)
    assert "result" in c.reply(1)


def test_a_header_length_counts_bytes(daemon):
    c = daemon.connect(headers=True)
    c.call("lab.echo", ["ü\n漢"])
    assert c.value("lab", "echoed") == "ü\n漢"


def test_a_body_may_have_line_breaks(daemon):
    c = daemon.connect(headers=True)
    c.send_text(LIST.replace(b",", b",\r\n\n"))
    assert "result" in c.reply(1)


def test_header_framing_byte_by_byte(daemon):
    c = daemon.connect(headers=True)
    for byte in c.framing.wrap(LIST):
        c.send_bytes(bytes([byte]))
    assert "result" in c.reply(1)


def test_a_line_connection_stays_one(c):
    c.round_trip()
    c.send_bytes(b"Content-Length: 50\r\n")
    parse_error(c.answer())
    assert c.is_silent()


def test_a_refused_connection_gets_one_line_and_is_closed(own):
    daemon = own({"limits": {"connections": 1}})
    first = daemon.connect_when_free()
    second = Client(daemon.socket)
    answer = second.answer()
    assert answer["id"] is None and answer["error"]["code"] == -32006 and answer["error"]["data"] == {"limit": "limits.connections", "value": 1}
    assert second.ends() and second.answers == []
    with pytest.raises(HungUp):
        second.next()
    first.round_trip()
