"""PROTOCOL section 1, and what only bytes show of section 2: parse errors, both framings, sizes, the end of the stream, ids."""
import re
from pathlib import Path

import pytest
from scenarios import check_error
from wire import Client

LIST = b'{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}'
ECHO = b'{"jsonrpc":"2.0","id":1,"method":"lab.echo","params":["%s"]}'
SUITE = Path(__file__).parents[1] / "JSONRPCTests" / "Vectors" / "json-test-suite" / "test_parsing"
BOTH = pytest.mark.parametrize("headers", [False, True], ids=["lines", "headers"])

PARSE_ERRORS = [
    # a message, a part of the hint, the offset
    (b"{", "one line", None), (b"}", "one line", None), (b'  "jsonrpc": "2.0",', "one line", None), (b'{"jsonrpc":"2.0","id":9,', "one line", 24),
    (b"nonsense", None, 1), (LIST + LIST, "A line has one message", None), (LIST + b" 1", "one message", None), (b'{"a":1,}', "No comma", None),
    (b"{'a':1}", "double quotes", None), (b'"\t"', None, None), (b"+1", None, None), (b"NaN", None, None), (b'{"a":True}', "no True", None),
    (b"{a:1}", "name of a member", None), (LIST + b"\0", "NUL", None), (b"/**/" + LIST, None, None), (b"GET / HTTP/1.1", "without HTTP", None),
    (ECHO % b"\\ud800", "pair", None), (ECHO % b"\\udc00x", "pair", None), (b'{"\\ud800":1}', "pair", None),
    (b"\xef\xbb\xbf" + LIST, "byte order mark", None),
    (ECHO % b"\xff", "UTF-8", None), (ECHO % b"\xed\xa0\x80", "UTF-8", None), (LIST + b"\xc0\xaf", None, None), (b"\x80", None, None),
    (b'{"jsonrpc":"2.0","id":"\xe2\x82","method":"x"}', "UTF-8", None), (b"[" * 129 + b"]" * 129, "128 levels", None),
    (b"[" * 100_000, "128 levels", None),
]


def parse_error(answer) -> dict:
    assert answer["id"] is None and answer["error"]["code"] == -32700, answer
    check_error(answer["error"])
    return answer["error"].get("data", {})


def sized(size, id=1) -> bytes:
    """A request of exactly this many bytes."""
    head = b'{"jsonrpc":"2.0","id":%d,"method":"lab.echo","params":["' % id
    return head + b"x" * (size - len(head) - 3) + b'"]}'


@pytest.mark.parametrize("text, hint, offset", PARSE_ERRORS, ids=[repr(row[0][:30]) for row in PARSE_ERRORS])
def test_a_message_that_is_not_json(c, text, hint, offset):
    c.send_text(text)
    data = parse_error(c.answer())
    assert (hint or "") in data.get("hint", ""), data
    assert offset is None or data["offset"] == offset
    assert c.is_silent()


def test_nesting_of_128_levels_is_taken(c):
    c.send_text(ECHO.replace(b'"%s"', b"[" * 126 + b"1" + b"]" * 126))
    assert "result" in c.reply(1)


@BOTH
def test_the_public_json_test_suite(daemon, headers):
    """`n_*` is refused, `y_*` is accepted within the protocol's stricter rules, `i_*` may be either."""
    c = daemon.connect(headers=headers)
    files, wrong = sorted(SUITE.glob("*.json")), []
    assert len(files) > 300
    for file in files:
        text = file.read_bytes()
        if not headers and (b"\n" in text or b"\r" in text or not text.strip() or text[:1] in b"cC"):
            continue
        c.send_text(ECHO.replace(b'"%s"', text) if not headers else ECHO.replace(b'"%s"', b"\n" + text + b"\n"))
        accepted = "result" in c.answer()
        wrong += [file.name] if file.name[:2] == ("n_" if accepted else "y_") and "structure_no_data" not in file.name else []
    assert wrong == [] and c.is_silent()


@pytest.mark.parametrize("written", ["1", "-0", "1.0", "1.50", "1e3", "1E+3", "12345678901234567890", "1e400", "null", '""', '"x"', '"\\u0000é"'])
def test_an_id_is_echoed_as_written(c, written):
    pattern = re.compile(r'"id"\s*:\s*' + re.escape(written) + r"\s*[,}]")
    for message in ('{"jsonrpc":"2.0","id":%s,"method":"viewModel.list"}', '{"jsonrpc":"2.0","id":%s,"method":"nothing"}',
                    '[{"jsonrpc":"2.0","id":%s,"method":"viewModel.list"}]'):
        c.send_text(message % written)
        assert pattern.search(c.next_text().decode())


# Sizes

@BOTH
def test_a_message_over_the_limit_is_refused_and_the_connection_goes_on(own, headers):
    c = own({"limits": {"messageBytes": 200}}).connect(headers=headers)
    for size in (201, 1000):
        c.send_text(sized(size))
        answer = c.answer()
        assert (answer["id"], answer["error"]["code"], answer["error"]["data"]) == (None, -32001, {"limit": 200})
    c.send_text(sized(200))
    assert "result" in c.reply(1) and c.is_silent()
    if not headers:
        c.send_bytes(sized(200) + b"\r\n")      # the line end does not count
        assert "result" in c.reply(1)


def test_an_oversized_message_is_never_buffered(own):
    daemon = own()
    c = daemon.connect()
    c.round_trip()
    before = daemon.resident
    for _ in range(40):
        c.send_bytes(b"y" * (1 << 20))
    assert c.answer()["error"] == {"code": -32001, "message": c.history[-1]["error"]["message"], "data": {"limit": 1 << 20}}
    c.send_bytes(b"\n")
    assert c.is_silent()
    assert daemon.resident - before < 12 << 20


# The end of the stream

@pytest.mark.parametrize("data, ids", [
    (LIST, [1]), (LIST + b"\r", [1]), (LIST + b"\n" + LIST.replace(b'"id":1', b'"id":2'), [1, 2]), (b"", []), (b"\n \n", []),
    (b'{"jsonrpc":"2.0","method":"lab.set","params":[1]}', []), (b'{"jsonrpc":"2.0","id":1,', [None]),
    (LIST + b'\n{"jsonrpc":"2.0","id":2,"method":"lab.sleep","params":{"milliseconds":80}}', [1, 2]),
])
def test_the_end_of_the_stream_ends_the_last_line(daemon, data, ids):
    """As `socat -` does it: write, half-close, read to the end."""
    c = daemon.connect()
    c.send_bytes(data)
    c.finish_writing()
    assert c.ends() and [answer["id"] for answer in c.answers] == ids
    assert all("result" in answer or answer["id"] is None for answer in c.answers)


def test_a_half_close_with_headers_discards_an_unfinished_body(daemon):
    c = daemon.connect(headers=True)
    c.send_text(LIST)
    c.send_bytes(b"Content-Length: 500\r\n\r\n" + LIST)
    c.finish_writing()
    assert "result" in c.reply(1)
    assert c.ends() and c.answers == []


# Lines

def test_blank_lines_and_carriage_returns_are_ignored(c):
    c.send_bytes(b"\n\r\n \n\t \r\n" + LIST + b"\r\n\n\n" + LIST.replace(b'"id":1', b'"id":2') + b" \t\r\n")
    assert [c.answer()["id"], c.answer()["id"]] == [1, 2] and c.is_silent()
    c.send_bytes(b"Content-Length: 50\r\n")     # the framing does not change any more
    parse_error(c.answer())


@BOTH
def test_bytes_may_arrive_one_by_one_and_many_messages_at_once(daemon, headers):
    c = daemon.connect(headers=headers)
    for byte in c.framing.wrap(LIST):
        c.send_bytes(bytes([byte]))
    assert "result" in c.reply(1)
    c.send_bytes(b"".join(c.framing.wrap(sized(100, n)) for n in range(2000)))
    assert [c.answer()["id"] for _ in range(2000)] == list(range(2000))


@pytest.mark.parametrize("value", ["line\nbreak", "\r\n", "\u2028", "\0\x1f\x7f", "\U0001f600", "\\\"/", "é" * 3000])
def test_the_daemon_writes_one_message_a_line(c, value):
    c.call("lab.echo", [value])
    before = len(c.transcript)
    assert c.value("lab", "echoed") == value
    assert c.transcript[before:].endswith(b"\n") and c.transcript[before:].count(b"\n") == 1


# Headers

@pytest.mark.parametrize("header", [
    b"Content-Type: x\r\n", b"Content-Length: 5\r\nContent-Length: 5\r\n", b"Content-Length: -1\r\n",
    b"Content-Length: +5\r\n", b"Content-Length: 5x\r\n",
    b"Content-Length: \r\n", b"Content-Length: 1234567890123456789\r\n", b"Content-Length: 1 0\r\n",
    b"Content-Length: 5\r\nX: " + b"x" * 9000 + b"\r\n",
])
def test_a_malformed_header_block_is_answered_and_closes(daemon, header):
    c = daemon.connect(headers=True)
    c.send_bytes((b"" if header[:1] in b"cC" else b"C: 1\r\n") + header + b"\r\n" + LIST)
    parse_error(c.answer())
    assert c.ends() and c.answers == []


@pytest.mark.parametrize("text, hint", [(b"", "at least one"), (b"{", "Content-Length"), (b"\xff", "")])
def test_a_bad_body_keeps_the_connection(daemon, text, hint):
    c = daemon.connect(headers=True)
    c.send_text(text)
    assert hint in parse_error(c.answer()).get("hint", "") and c.is_silent()


@pytest.mark.parametrize("header", [
    b"Content-Length: %d\r\n\r\n", b"content-length:%d\r\n\r\n", b"CONTENT-LENGTH:\t %d \t\r\n\r\n",
    b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 0000000000000%d\r\nX-Other: 1\r\n\r\n",
    b"Cookie: a\r\nContent-Length: %d\r\nAccept: " + b"x" * 8000 + b"\r\n\r\n",
])
def test_header_framing_accepts(daemon, header):
    c = daemon.connect(headers=True)
    body = LIST.replace(b",", b",\r\n\n")
    c.send_bytes(header % len(body) + body)
    assert "result" in c.reply(1)
    c.call("lab.echo", ["ü\n漢"])
    assert c.value("lab", "echoed") == "ü\n漢"


def test_a_refused_connection_gets_one_line_and_is_closed(own):
    daemon = own({"limits": {"connections": 1}})
    first = daemon.connect_when_free()
    for _ in range(20):
        with Client(daemon.socket) as second:
            answer = second.answer()
            assert answer["id"] is None and answer["error"]["code"] == -32006
            assert answer["error"]["data"] == {"limit": "limits.connections", "value": 1} and second.ends() and second.answers == []
    first.close()
    daemon.connect_when_free().round_trip()
