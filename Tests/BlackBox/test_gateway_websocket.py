"""The WebSocket of the gateway: RFC 6455 by the cases of Autobahn's test suite (1 to 7 and 10), and the relay to the daemon."""
import json
import time
from socket import SHUT_WR

import pytest
from gateways import BINARY, CLOSE, GATEWAY, PING, PONG, TEXT, Closed, Gateway, WebSocket, frame
from daemons import unique
from wire import PATIENCE, one_of_three, wait_until

pytestmark = pytest.mark.skipif(not GATEWAY, reason="VIEWMODEL_GATEWAY names no program")


@pytest.fixture(scope="module")
def gateway(_shared_daemon):
    if not _shared_daemon.is_alive:
        _shared_daemon.start()
    gateway = Gateway(_shared_daemon).start()
    yield gateway
    gateway.discard()


@pytest.fixture
def socket(gateway):
    with gateway.web_socket("act") as socket:
        yield socket
    gateway.survived()


def text_of(length) -> bytes:
    """A valid request whose text has this length: an echo of the lab with padding in an ignored member."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "viewModel.list", "padding": ""}
    missing = length - len(json.dumps(message))
    assert missing >= 0
    return json.dumps({**message, "padding": "x" * missing}).encode()


def answers(socket):
    """Checks that the connection still carries messages."""
    assert socket.call("viewModel.list", identifier="alive")["result"]["instances"] is not None


# 1: framing. The daemon answers what it got, so the text arrived whole.

@pytest.mark.parametrize("length", [76, 125, 126, 127, 128, 65535, 65536, 1 << 20])
@pytest.mark.parametrize("chop", [None, 997, 1])
def test_a_text_of_any_length_arrives(socket, length, chop):
    data = frame(TEXT, text_of(length))
    if chop == 1 and length > 200:
        pytest.skip("slow")
    for start in range(0, len(data), chop or len(data)):
        socket.send_raw(data[start:start + (chop or len(data))])
    assert "result" in socket.next_message()


def test_an_empty_text_is_an_empty_message(socket):
    socket.send_raw(frame(TEXT, b""))
    assert socket.next_message()["error"]["code"] == -32700
    answers(socket)


@pytest.mark.parametrize("length", [0, 125, 65536])
def test_binary_messages_are_refused(socket, length):
    socket.send_raw(frame(BINARY, b"\xfe" * length))
    assert socket.closing() == 1003


# 2: pings and pongs.

@pytest.mark.parametrize("payload", [b"", b"Hello, world!", bytes(range(0xfb, 0x100)) + b"\0\xff", b"\xfe" * 125])
def test_a_ping_is_answered_with_its_payload(socket, payload):
    socket.send_raw(frame(PING, payload))
    assert socket.next_control() == (PONG, payload)
    answers(socket)


def test_a_ping_of_126_bytes_is_an_error(socket):
    socket.send_raw(frame(PING, b"\xfe" * 126))
    assert socket.closing() == 1002


def test_a_ping_in_single_bytes_is_answered(socket):
    for byte in frame(PING, b"\xfe" * 125):
        socket.send_raw(bytes([byte]))
    assert socket.next_control() == (PONG, b"\xfe" * 125)


@pytest.mark.parametrize("payload", [b"", b"unsolicited"])
def test_an_unsolicited_pong_is_ignored(socket, payload):
    socket.send_raw(frame(PONG, payload) + frame(PING, b"p"))
    assert socket.next_control() == (PONG, b"p")


def test_the_last_of_many_pings_is_answered(socket):
    socket.send_raw(b"".join(frame(PING, b"payload-%d" % number) for number in range(10)))
    while socket.next_control()[1] != b"payload-9":
        pass
    answers(socket)


# 3: reserved bits.

@pytest.mark.parametrize("rsv", range(1, 8))
@pytest.mark.parametrize("opcode", [TEXT, BINARY, CLOSE, PING, PONG])
def test_reserved_bits_are_an_error(socket, rsv, opcode):
    socket.send_raw(frame(opcode, b"" if opcode == CLOSE else b"x", rsv=rsv))
    assert socket.closing() == 1002


# 4: opcodes.

@pytest.mark.parametrize("opcode", [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
@pytest.mark.parametrize("payload", [b"", b"reserved opcode payload"])
def test_reserved_opcodes_are_an_error(socket, opcode, payload):
    socket.send_raw(frame(TEXT, text_of(100)) + frame(opcode, payload) + frame(PING))
    assert socket.closing() == 1002


# 5: fragments.

REQUEST = text_of(100)


@pytest.mark.parametrize("opcode", [PING, PONG])
def test_fragmented_control_frames_are_an_error(socket, opcode):
    socket.send_raw(frame(opcode, b"fragment1", fin=False) + frame(0, b"fragment2"))
    assert socket.closing() == 1002


@pytest.mark.parametrize("cuts", [(50,), (0, 50, 50, 100), tuple(range(1, 100))])
def test_fragments_are_one_message(socket, cuts):
    parts = [REQUEST[start:end] for start, end in zip((0, *cuts), (*cuts, len(REQUEST)))]
    frames = [frame(0 if index else TEXT, part, fin=index == len(parts) - 1) for index, part in enumerate(parts)]
    socket.send_raw(b"".join(frames))
    assert "result" in socket.next_message()
    for one in frames:
        socket.send_raw(one)
    assert "result" in socket.next_message()


def test_control_frames_may_come_between_fragments(socket):
    socket.send_raw(frame(TEXT, REQUEST[:30], fin=False) + frame(PING, b"1"))
    assert socket.next_control() == (PONG, b"1")
    socket.send_raw(frame(0, REQUEST[30:60], fin=False) + frame(PONG) + frame(PING, b"2"))
    assert socket.next_control() == (PONG, b"2")
    socket.send_raw(frame(0, REQUEST[60:]))
    assert "result" in socket.next_message()


@pytest.mark.parametrize("frames", [
    [frame(0, b"x")], [frame(0, b"x", fin=False)], [frame(0, b"x", fin=False), frame(0, b"y"), frame(TEXT, REQUEST)],
    [frame(TEXT, b"x", fin=False), frame(TEXT, b"y")], [frame(TEXT, b"x", fin=False), frame(BINARY, b"y")],
    [frame(TEXT, REQUEST[:50], fin=False), frame(0, REQUEST[50:]), frame(0, b"z")],
])
def test_a_continuation_needs_a_beginning(socket, frames):
    socket.send_raw(b"".join(frames))
    assert socket.closing() == 1002


# 6: UTF-8. The texts of the cases 6.3 to 6.23, as (valid, bytes).

TEXTS = [
    *[(True, text.encode()) for text in ["κόσμε", "Hello-µ@ßöäüàá-UTF-8!!", "\0", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000",
                                         "\ufffd", "\uffff", "\U00010000", "\U0010ffff", "\ufffe", "\U0001fffe", "\U0010fffe", "€" * 400]],
    *[(False, data) for data in [
        b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80\x65\x64\x69\x74\x65\x64", b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80",
        b"\xf7\xbf\xbf\xbf", b"\xfb\xbf\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf\xbf", b"\xf4\x90\x80\x80", b"\x80", b"\xbf", b"\x80\xbf",
        b"\x80\xbf\x80\xbf\x80\xbf", bytes(range(0x80, 0xc0)), b"".join(bytes([b, 0x20]) for b in range(0xc0, 0xe0)),
        b"".join(bytes([b, 0x20]) for b in range(0xe0, 0xf0)), b"\xf0 ", b"\xfe", b"\xff", b"\xfe\xfe\xff\xff", b"\xc0\xaf", b"\xe0\x80\xaf",
        b"\xf0\x80\x80\xaf", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xed\xaf\xbf",
        b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80",
    ]],
]


@pytest.mark.parametrize("cut", ["whole", "bytes"])
@pytest.mark.parametrize("valid, data", TEXTS)
def test_texts_are_utf8(socket, valid, data, cut):
    if cut == "whole":
        socket.send_raw(frame(TEXT, data))
    else:
        for index in range(len(data)):
            socket.send_raw(frame(0 if index else TEXT, data[index:index + 1], fin=index == len(data) - 1))
    if valid:
        assert socket.next_message()["error"]["code"] == -32700
        answers(socket)
    else:
        assert socket.closing() == 1007


def test_a_text_that_ends_in_a_character_is_an_error(socket):
    socket.send_raw(frame(TEXT, b"\xce\xba\xe1\xbd"))
    assert socket.closing() == 1007


@pytest.mark.parametrize("beginning, fault", [(b"\xce\xba\xe1\xbd\xb9", b"\xf4\x90"), (b"abc", b"\xff"), (b"\xce", b"\x20")])
def test_a_wrong_text_is_an_error_before_its_end(socket, beginning, fault):
    """6.4: the gateway does not wait for the rest of the message, nor of the frame."""
    socket.send_raw(frame(TEXT, beginning, fin=False))
    time.sleep(0.05)
    socket.send_raw(frame(0, fault, fin=False, length=100))
    assert socket.closing() == 1007


# 7: closing.

def test_a_close_is_answered_and_ends_the_connection(socket):
    socket.send_raw(frame(CLOSE, b"\x03\xe8reason"))
    assert socket.next_control() == (CLOSE, b"\x03\xe8")
    with pytest.raises(Closed, match="1006"):
        socket.next_frame()


@pytest.mark.parametrize("after", [frame(PING), frame(TEXT, REQUEST), frame(CLOSE, b"\x03\xe8")])
def test_nothing_after_a_close_counts(socket, after):
    socket.send_raw(frame(CLOSE) + after)
    assert socket.next_control() == (CLOSE, b"")
    with pytest.raises(Closed, match="1006"):
        socket.next_frame()


def test_a_close_in_a_fragmented_message_ends_it(socket):
    socket.send_raw(frame(TEXT, REQUEST[:10], fin=False) + frame(CLOSE, b"\x03\xe8"))
    assert socket.closing() == 1000


@pytest.mark.parametrize("code", [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999])
def test_valid_close_codes_are_echoed(socket, code):
    socket.send_raw(frame(CLOSE, code.to_bytes(2) + b"r" * 123))
    assert socket.closing() == code


@pytest.mark.parametrize("code", [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535])
def test_invalid_close_codes_are_an_error(socket, code):
    socket.send_raw(frame(CLOSE, code.to_bytes(2)))
    assert socket.closing() == 1002


def test_a_close_of_one_byte_is_an_error(socket):
    socket.send_raw(frame(CLOSE, b"\x03"))
    assert socket.closing() == 1002


def test_a_close_of_126_bytes_is_an_error(socket):
    socket.send_raw(frame(CLOSE, b"\x03\xe8" + b"r" * 124))
    assert socket.closing() == 1002


def test_the_reason_of_a_close_is_utf8(socket):
    socket.send_raw(frame(CLOSE, b"\x03\xe8\xce\xba\xed\xa0\x80"))
    assert socket.closing() == 1007


# Masks and lengths, which Autobahn leaves to the framing.

def test_a_frame_without_a_mask_is_an_error(socket):
    socket.send_raw(frame(TEXT, REQUEST, mask=None))
    assert socket.closing() == 1002


@pytest.mark.parametrize("mask", [b"\0\0\0\0", b"\xff\0\xff\0", b"\x01\x02\x03\x04"])
def test_any_mask_is_removed(socket, mask):
    data = frame(TEXT, REQUEST, mask=mask)
    for cut in range(1, len(data), 7):
        socket.send_raw(data[:cut])
        time.sleep(0.002)
        socket.send_raw(data[cut:])
        assert "result" in socket.next_message()


@pytest.mark.parametrize("head", [b"\x81\xfe\x00\x7d", b"\x81\xff" + (125).to_bytes(8), b"\x81\xff" + (65535).to_bytes(8), b"\x81\xff\x80" + bytes(7)])
def test_a_length_has_its_shortest_form(socket, head):
    socket.send_raw(head + b"\1\2\3\4")
    assert socket.closing() == 1002


# 10 and the limits.

def test_a_long_text_in_small_frames_arrives(socket):
    data = text_of(65536)
    parts = [data[start:start + 1300] for start in range(0, len(data), 1300)]
    for index, part in enumerate(parts):
        socket.send_raw(frame(0 if index else TEXT, part, fin=index == len(parts) - 1))
    assert "result" in socket.next_message()


@pytest.mark.parametrize("length", [(1 << 20) + 1, 2 << 30, (1 << 63) - 1])
def test_a_message_above_the_limit_is_refused_when_it_is_announced(socket, length):
    socket.send_raw(frame(TEXT, b"{", length=length))
    assert socket.closing() == 1009


def test_fragments_above_the_limit_are_refused(socket):
    part = b" " * 65536
    socket.send_raw(frame(TEXT, part, fin=False) + frame(0, part, fin=False) * 15)
    socket.send_raw(frame(0, b" ", fin=False))
    assert socket.closing() == 1009


# The relay.

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
    with gateway.web_socket("act") as again:
        again.call("session.attach", {"session": name})
        since = {"epoch": bound["epoch"], "seq": bound["seq"]}
        resumed = again.call("viewModel.bind", {"id": "calculator", "outputs": ["led"], "since": since})["result"]
        assert resumed["full"] is False and resumed["values"] == {"led": "123"}


def test_line_feeds_in_a_message_do_not_split_it(socket):
    socket.send('{\n"jsonrpc":"2.0",\r\n"id":1,\n"method":"viewModel.list"}\n')
    assert socket.next_message()["id"] == 1
    socket.send('{"jsonrpc":"2.0","id":2,"method":"viewModel.list"}\n{"jsonrpc":"2.0","id":3,"method":"viewModel.list"}')
    assert socket.next_message()["error"]["code"] == -32700
    socket.send("Content-Length: 2\r\n\r\n{}")
    assert socket.next_message()["error"]["code"] == -32700
    answers(socket)


def test_a_long_reply_arrives_whole(socket):
    document = socket.call("rpc.discover")["result"]
    assert document["openrpc"] and len(json.dumps(document)) > 65536


def test_the_scope_observe_cannot_change_anything(gateway):
    with gateway.web_socket("observe") as socket:
        for method, params in [("calculator.press", ["1"]), ("viewModel.open", {"type": "calculator"}), ("session.close", {})]:
            assert socket.call(method, params)["error"]["code"] == -32005, method
        assert socket.call("viewModel.read", {"id": "calculator"})["result"]["values"]["led"] == "0"
        # A scope is never raised again.
        assert socket.call("session.restrict", {"scope": "admin"})["result"] == {"scope": "observe"}
        assert socket.call("calculator.press", ["1"])["error"]["code"] == -32005


def test_a_page_never_has_the_scope_admin(gateway):
    with gateway.web_socket("act") as socket:
        assert socket.call("session.list", {"all": True})["error"]["code"] == -32005


def test_the_id_of_the_gateways_own_request_is_free(socket):
    assert socket.call("viewModel.list", identifier="gateway")["result"]
    assert socket.call("viewModel.list", identifier="gateway")["result"]


def test_a_flood_of_pipelined_requests_is_answered_in_full(socket):
    import threading
    requests = [{"jsonrpc": "2.0", "id": number, "method": "calculator.press", "params": ["C"]} for number in range(5000)]
    sender = threading.Thread(target=lambda: [socket.send(request) for request in requests])
    sender.start()
    replies = set()
    while len(replies) < len(requests):
        replies.add(socket.next_message()["id"])
    sender.join()


# The end of the daemon and of the gateway.

def test_a_killed_daemon_closes_with_1013_and_the_picture_resumes(own):
    daemon = own()
    gateway = Gateway(daemon).start()
    try:
        with gateway.web_socket("act") as socket:
            socket.call("session.attach", {"session": "desk", "linger": 60})
            socket.call("calculator.press", ["7"])
            socket.call("coordinator.open", {"scene": "help"})      # its reply says that all is saved
            daemon.kill()
            assert socket.closing() == 1013
        with gateway.web_socket("act") as socket:
            assert socket.closing() == 1013
        assert gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "session.list"}).status == 503
        daemon.start()
        with gateway.web_socket("act") as socket:
            assert socket.call("session.attach", {"session": "desk"})["result"]["restored"]
            assert socket.call("viewModel.read", {"id": "calculator", "outputs": ["led"]})["result"]["values"] == {"led": "7"}
        gateway.survived()
    finally:
        gateway.discard()


def test_a_gateway_that_stops_closes_with_1001_and_its_cookies_stay_valid(own):
    gateway = Gateway(own()).start()
    try:
        cookie = gateway.cookie("act")
        with gateway.web_socket(headers=cookie) as socket:
            answers(socket)
            gateway.process.terminate()
            assert socket.closing() == 1001
        assert gateway.process.wait(PATIENCE) == 0
        gateway.restart()
        assert gateway.get("/session", cookie).json == {"scope": "act"}
    finally:
        gateway.discard()


def test_a_client_that_does_not_answer_pings_is_gone(own):
    gateway = Gateway(own(), {"pingSeconds": 2}).start()
    try:
        started = time.monotonic()
        with gateway.web_socket() as silent, gateway.web_socket() as lively:
            answers(lively)
            pings = 0
            try:
                while True:
                    opcode, _, _ = silent.next_frame()
                    pings += opcode == PING
                    lively.send_raw(frame(PONG))
            except Closed as closed:
                assert closed.code == 1006
            assert pings == 2
            assert 4 < time.monotonic() - started < 30
            answers(lively)
    finally:
        gateway.discard()


def test_a_slow_reader_that_answers_each_ping_stays(own):
    """While its channel is full, no ping reaches it."""
    gateway = Gateway(own(), {"pingSeconds": 1}).start()

    def attempt():
        with WebSocket(gateway, {**gateway.cookie(), "Origin": gateway.origin}, receive_buffer=65536) as socket:
            count = 60
            for number in range(count):
                socket.send({"jsonrpc": "2.0", "id": number, "method": "rpc.discover"})
            started, rest, replies = time.monotonic(), 0, 0
            while replies < count:
                try:
                    opcode, fin, payload = socket.next_frame()
                except Closed:
                    return f"closed after {time.monotonic() - started:.1f} s"
                replies += fin and opcode in (0, TEXT)
                if opcode == PING:
                    socket.send_raw(frame(PONG, payload))
                rest += len(payload)
                if rest > 20000:
                    time.sleep(0.1)
                    rest = 0
            assert time.monotonic() - started > 6
    try:
        one_of_three(attempt)
    finally:
        gateway.discard()


@pytest.mark.parametrize("is_attached", (True, False))
@pytest.mark.parametrize("end", ("close", "shutdown"))
def test_what_a_client_sends_before_its_end_takes_effect(own, end, is_attached):
    gateway = Gateway(own()).start()
    try:
        for number in range(10):
            session = {"session": f"desk{number}", "linger": 60}
            with gateway.web_socket("act") as watcher, gateway.web_socket("act") as socket:
                if is_attached:
                    socket.call("session.attach", session)
                messages = [] if is_attached else [{"jsonrpc": "2.0", "id": 1, "method": "session.attach", "params": session}]
                messages += [{"jsonrpc": "2.0", "method": "calculator.press", "params": ["x" * 60000]}] * 5
                messages += [{"jsonrpc": "2.0", "method": "calculator.press", "params": ["7"]}]
                socket.send_raw(b"".join(frame(TEXT, json.dumps(message)) for message in messages))
                if end == "close":
                    socket.send_raw(frame(CLOSE, b"\x03\xe8"))
                else:
                    socket.socket.shutdown(SHUT_WR)
                watcher.call("session.attach", session)
                read = {"id": "calculator", "outputs": ["led"]}
                wait_until(lambda: watcher.call("viewModel.read", read)["result"]["values"]["led"] == "7", "the last message")
        assert gateway.idle_descriptors < 30
    finally:
        gateway.discard()


def test_a_reader_that_never_reads_does_not_grow_the_gateway(own):
    """The daemon's rules for slow clients hold: the picture waits there as dirty outputs."""
    daemon = own()
    gateway = Gateway(daemon, {"pingSeconds": 3600}).start()
    try:
        with gateway.web_socket("act") as slow, gateway.web_socket("act") as writer:
            for socket in (slow, writer):
                socket.call("session.attach", {"session": "desk"})
            slow.send({"jsonrpc": "2.0", "id": 1, "method": "viewModel.bind", "params": {"id": "calculator"}})
            before = gateway.resident
            for number in range(20000):
                writer.send({"jsonrpc": "2.0", "method": "calculator.press", "params": [str(number % 10)]})
            writer.call("viewModel.list")
            # Replies that nobody reads: the gateway stops to read requests, then the sender is stopped.
            slow.socket.settimeout(1)
            with pytest.raises(TimeoutError):
                for number in range(200000):
                    slow.send({"jsonrpc": "2.0", "id": number + 2, "method": "rpc.discover"})
            assert gateway.resident - before < 4 << 20, gateway.resident - before
        gateway.survived()
    finally:
        gateway.discard()


def test_a_bomb_of_fragments_does_not_grow_the_gateway(own):
    gateway = Gateway(own()).start()
    try:
        with gateway.web_socket() as socket:
            before = gateway.resident
            socket.send_raw(frame(TEXT, b"", fin=False))
            for _ in range(200):
                socket.send_raw(frame(0, b"", fin=False) * 5000)
            socket.send_raw(frame(0, REQUEST))
            assert "result" in socket.next_message()
            assert gateway.resident - before < 4 << 20, gateway.resident - before
    finally:
        gateway.discard()
