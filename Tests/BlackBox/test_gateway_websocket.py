"""The WebSocket of the gateway: RFC 6455 by the cases of Autobahn's test suite (1 to 7 and 10), and the relay to the daemon."""
import json
from socket import SHUT_WR

import pytest
from daemons import unique
from gateways import BINARY, CLOSE, PING, PONG, TEXT, Closed, frame, needs_gateway
from wire import PATIENCE, wait_until

pytestmark = needs_gateway


@pytest.fixture
def socket(gateway):
    with gateway.web_socket("act") as socket:
        yield socket
    gateway.survived()


def text_of(length) -> bytes:
    """A valid request whose text has this length, with padding in an ignored member."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "viewModel.list", "padding": ""}
    return json.dumps({**message, "padding": "x" * (length - len(json.dumps(message)))}).encode()


REQUEST, MIB = text_of(100), 1 << 20


def fragments(data, *cuts):
    parts = [data[start:end] for start, end in zip((0, *cuts), (*cuts, len(data)))]
    return [frame(0 if at else TEXT, part, fin=at == len(parts) - 1) for at, part in enumerate(parts)]


CLOSINGS = {
    # what is sent: the code with which the gateway closes
    "a binary message": ([frame(BINARY, b"\xfe")], 1003), "a ping of 126 bytes": ([frame(PING, b"\xfe" * 126)], 1002),
    **{f"reserved bit {rsv} of {opcode}": ([frame(opcode, b"", rsv=rsv)], 1002)
        for rsv in (1, 2, 4, 7) for opcode in (TEXT, BINARY, CLOSE, PING, PONG)},
    **{f"opcode {opcode}": ([frame(TEXT, REQUEST), frame(opcode, b"x"), frame(PING)], 1002) for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
    "a fragmented ping": ([frame(PING, b"x", fin=False), frame(0, b"y")], 1002), "a fragmented pong": ([frame(PONG, b"x", fin=False)], 1002),
    "a continuation first": ([frame(0, b"x")], 1002), "a text in a text": ([frame(TEXT, b"x", fin=False), frame(TEXT, b"y")], 1002),
    "a continuation too much": ([*fragments(REQUEST, 50), frame(0, b"z")], 1002), "no mask": ([frame(TEXT, REQUEST, mask=None)], 1002),
    **{f"the length {head!r}": ([head + b"\1\2\3\4"], 1002) for head in (b"\x81\xfe\x00\x7d",
        b"\x81\xff" + (125).to_bytes(8), b"\x81\xff\x80" + bytes(7))},
    **{f"the announced length {length}": ([frame(TEXT, b"{", length=length)], 1009) for length in (MIB + 1, (1 << 63) - 1)},
    "fragments above the limit": ([frame(TEXT, b" " * 65536, fin=False), *[frame(0, b" " * 65536, fin=False)] * 15, frame(0, b" ", fin=False)], 1009),
    "a close in a message": ([frame(TEXT, REQUEST[:10], fin=False), frame(CLOSE, b"\x03\xe8")], 1000),
    "a close of a byte": ([frame(CLOSE, b"\x03")], 1002),
    "a close of 126 bytes": ([frame(CLOSE, b"\x03\xe8" + b"r" * 124)], 1002),
    "a reason that is not UTF-8": ([frame(CLOSE, b"\x03\xe8\xce\xba\xed\xa0\x80")], 1007),
    **{f"the code {code}": ([frame(CLOSE, code.to_bytes(2) + b"r" * 123)], code) for code in (1000, 1001, 1003, 1007, 1011, 3000, 4999)},
    **{f"the code {code}": ([frame(CLOSE, code.to_bytes(2))], 1002) for code in (0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65535)},
    **{f"the text {data!r}": ([frame(TEXT, data)], 1007) for data in (
        b"\xce\xba\xe1\xbd\xb9\xed\xa0\x80edited", b"\xf8\x88\x80\x80\x80", b"\xf7\xbf\xbf\xbf", b"\xf4\x90\x80\x80", b"\x80", b"\xbf\x80", b"\xc0 ",
        b"\xe0 ", b"\xf0 ", b"\xfe", b"\xff", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xc1\xbf",
        b"\xe0\x9f\xbf", b"\xed\xaf\xbf\xed\xb0\x80",
        b"\xce\xba\xe1\xbd")},
    "a wrong text before its end": ([frame(TEXT, b"\xce\xba", fin=False), frame(0, b"\xf4\x90", fin=False, length=100)], 1007),
}


@pytest.mark.parametrize("case", CLOSINGS)
def test_what_closes_the_connection(socket, case):
    frames, code = CLOSINGS[case]
    socket.send_raw(b"".join(frames))
    assert socket.closing() == code


ANSWERS = {
    # what is sent: the control frames and the messages that come back, errors by their codes
    "an empty text": ([frame(TEXT, b"")], [], [-32700]), "a ping": ([frame(PING, b"\xfb\0\xff")], [(PONG, b"\xfb\0\xff")], []),
    "the longest ping": ([frame(PING, b"\xfe" * 125)], [(PONG, b"\xfe" * 125)], []),
    "an unsolicited pong": ([frame(PONG, b"x"), frame(PING)], [(PONG, b"")], []),
    "fragments": (fragments(REQUEST, 0, 50, 50, 100), [], ["result"]), "fragments of a byte": (fragments(REQUEST, *range(1, 100)), [], ["result"]),
    "a ping between fragments": ([frame(TEXT, REQUEST[:30], fin=False), frame(PING, b"1"), frame(PONG),
        frame(0, REQUEST[30:])], [(PONG, b"1")], ["result"]),
    **{f"the mask {mask!r}": ([frame(TEXT, REQUEST, mask=mask)], [], ["result"]) for mask in (b"\0\0\0\0", b"\xff\0\xff\0")},
    **{f"the text {text!r}": ([frame(TEXT, text)], [], [-32700]) for text in ("κόσμε", "\0", "\x7f", "\u0080",
        "\u07ff", "\ud7ff", "\ue000", "\uffff", "\U0010ffff")},
    "line feeds in a message": ([frame(TEXT, b'{\n"jsonrpc":"2.0",\r\n"id":1,\n"method":"viewModel.list"}\n')], [], ["result"]),
    "two messages in a text": ([frame(TEXT, REQUEST + b"\n" + REQUEST)], [], [-32700]),
    "headers": ([frame(TEXT, b"Content-Length: 2\r\n\r\n{}")], [], [-32700]),
    "a bomb of empty fragments": ([frame(TEXT, b"", fin=False), frame(0, b"", fin=False) * 300_000, frame(0, REQUEST)], [], ["result"]),
}


@pytest.mark.parametrize("chop", [None, 1], ids=["whole", "bytes"])
@pytest.mark.parametrize("case", ANSWERS)
def test_what_is_answered(gateway, socket, case, chop):
    frames, controls, messages = ANSWERS[case]
    data, before = b"".join(frames), gateway.resident
    for start in range(0, len(data), chop if chop and len(data) < 2000 else len(data)):
        socket.send_raw(data[start:start + (chop if chop and len(data) < 2000 else len(data))])
    assert [socket.next_control() for _ in controls] == controls
    replies = [socket.next_message() for _ in messages]
    assert ["result" if "result" in reply else reply["error"]["code"] for reply in replies] == messages
    assert socket.call("viewModel.list", identifier="alive")["result"]
    assert gateway.resident - before < 4 * MIB


@pytest.mark.parametrize("after", [b"", frame(PING), frame(TEXT, REQUEST), frame(CLOSE, b"\x03\xe8")])
def test_nothing_after_a_close_counts(socket, after):
    socket.send_raw(frame(CLOSE, b"\x03\xe8reason") + after)
    assert socket.next_control() == (CLOSE, b"\x03\xe8")
    with pytest.raises(Closed, match="1006"):
        socket.next_frame()


def test_requests_batches_and_notifications_cross(gateway, socket):
    name = unique()
    assert socket.call("session.attach", {"session": name, "linger": 0})["result"]["created"]
    bound = socket.call("viewModel.bind", {"id": "calculator", "outputs": ["led"]})["result"]
    socket.send([{"jsonrpc": "2.0", "id": number, "method": "calculator.press", "params": [str(number)]} for number in (1, 2)])
    assert [socket.next_message()["params"]["values"] for _ in range(2)] == [{"led": "1"}, {"led": "12"}]
    assert [entry["id"] for entry in socket.next_message()] == [1, 2]
    with gateway.web_socket("act") as other:
        other.call("session.attach", {"session": name})
        other.call("calculator.press", ["3"])
        assert socket.next_message()["params"]["values"] == {"led": "123"}
        since = {"epoch": bound["epoch"], "seq": bound["seq"]}
        resumed = other.call("viewModel.bind", {"id": "calculator", "outputs": ["led"], "since": since})["result"]
        assert resumed["full"] is False and resumed["values"] == {"led": "123"}
    assert len(json.dumps(socket.call("rpc.discover")["result"])) > 65536


@pytest.mark.parametrize("is_attached", (True, False))
@pytest.mark.parametrize("end", ("close", "shutdown"))
def test_what_a_client_sends_before_its_end_takes_effect(gateway, end, is_attached):
    for _ in range(5):
        session = {"session": unique(), "linger": 60}
        messages = [{"jsonrpc": "2.0", "method": "calculator.press", "params": ["x" * 60000]}] * 5
        messages += [{"jsonrpc": "2.0", "method": "calculator.press", "params": ["7"]}]
        with gateway.web_socket("act") as watcher, gateway.web_socket("act") as socket:
            if is_attached:
                socket.call("session.attach", session)
            else:
                messages.insert(0, {"jsonrpc": "2.0", "id": 1, "method": "session.attach", "params": session})
            socket.send_raw(b"".join(frame(TEXT, json.dumps(message)) for message in messages))
            socket.send_raw(frame(CLOSE, b"\x03\xe8")) if end == "close" else socket.socket.shutdown(SHUT_WR)
            watcher.call("session.attach", session)
            read = {"id": "calculator", "outputs": ["led"]}
            wait_until(lambda: watcher.call("viewModel.read", read)["result"]["values"]["led"] == "7", "the last message")


def test_a_killed_daemon_closes_with_1013_and_the_session_comes_back(gateways):
    gateway = gateways()
    with gateway.web_socket("act") as socket:
        socket.call("session.attach", {"session": "desk", "linger": 60})
        socket.call("calculator.press", ["7"])
        socket.call("coordinator.open", {"scene": "help"})      # its reply says that all is saved
        gateway.daemon.kill()
        assert socket.closing() == 1013
    with gateway.web_socket("act") as socket:
        assert socket.closing() == 1013
    gateway.daemon.start()
    with gateway.web_socket("act") as socket:
        assert socket.call("session.attach", {"session": "desk"})["result"]["restored"]
        assert socket.call("viewModel.read", {"id": "calculator", "outputs": ["led"]})["result"]["values"] == {"led": "7"}


def test_a_gateway_that_stops_closes_with_1001_and_its_cookies_stay_valid(gateways):
    gateway = gateways()
    cookie = gateway.cookie("act")
    with gateway.web_socket(headers=cookie) as socket:
        socket.call("viewModel.list")
        gateway.process.terminate()
        assert socket.closing() == 1001
    assert gateway.process.wait(PATIENCE) == 0
    gateway.restart()
    assert gateway.get("/session", cookie).json == {"scope": "act"}


def test_a_client_that_does_not_answer_pings_is_gone_and_one_that_answers_stays(gateways):
    gateway = gateways({"pingSeconds": 3})
    with gateway.web_socket() as silent, gateway.web_socket() as lively:
        pings = 0
        with pytest.raises(Closed, match="1006"):
            while True:
                opcode, payload = silent.next_control()
                pings += opcode == PING
                lively.send_raw(frame(PONG, payload))
        assert pings >= 2
        assert lively.call("viewModel.list")["result"]


def test_a_reader_that_never_reads_does_not_grow_the_gateway(gateways):
    """The daemon's rules for slow clients hold: the picture waits there as dirty outputs, and requests are not read."""
    gateway = gateways({"pingSeconds": 3600})
    with gateway.web_socket("act", receive_buffer=4096) as slow, gateway.web_socket("act") as writer:
        for socket in (slow, writer):
            socket.call("session.attach", {"session": "desk"})
        slow.send({"jsonrpc": "2.0", "id": 1, "method": "viewModel.bind", "params": {"id": "calculator"}})
        before = gateway.resident
        for number in range(20000):
            writer.send({"jsonrpc": "2.0", "method": "calculator.press", "params": [str(number % 10)]})
        writer.call("viewModel.list")
        slow.socket.settimeout(1)
        with pytest.raises(TimeoutError):
            for number in range(200000):
                slow.send({"jsonrpc": "2.0", "id": number + 2, "method": "rpc.discover"})
        assert gateway.resident - before < 4 * MIB
    gateway.survived()
