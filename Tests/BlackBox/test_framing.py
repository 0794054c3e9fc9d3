"""PROTOCOL section 1 with the shipped program. `JSONRPCTests` have what the framings and the syntax of JSON accept and refuse;
`ConnectionTests` and the table of `ConnectionStateTests` in `ViewModelServerTests` have the ends of a stream."""
import pytest

LIST = b'{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}'
BOTH = pytest.mark.parametrize("headers", [False, True], ids=["lines", "headers"])


def sized(size, id=1) -> bytes:
    """A request of exactly this many bytes."""
    head = b'{"jsonrpc":"2.0","id":%d,"method":"lab.echo","params":["' % id
    return head + b"x" * (size - len(head) - 3) + b'"]}'


@BOTH
def test_a_message_over_the_limit_is_refused_and_the_connection_goes_on(own, headers):
    c = own({"limits": {"messageBytes": 200}}).connect(headers=headers)
    for size in (201, 1000):
        c.send_text(sized(size))
        answer = c.answer()
        assert (answer["id"], answer["error"]["code"], answer["error"]["data"]) == (None, -32001, {"limit": 200})
    c.send_text(sized(200))
    assert "result" in c.reply(1) and c.is_silent()


@BOTH
def test_bytes_may_arrive_one_by_one_and_many_messages_at_once(daemon, headers):
    c = daemon.connect(headers=headers)
    for byte in c.framing.wrap(LIST):
        c.send_bytes(bytes([byte]))
    assert "result" in c.reply(1)
    c.send_bytes(b"".join(c.framing.wrap(sized(100, n)) for n in range(2000)))
    assert [c.answer()["id"] for _ in range(2000)] == list(range(2000))
