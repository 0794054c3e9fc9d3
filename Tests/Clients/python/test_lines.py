"""What a client does when its session ends, when its connection is dead, and when a message is too long."""
import asyncio
import gc
import json
import os
import socket
import threading

import pytest
from scripted import ANSWERED, Script, is_ping, until

ENDED = {"code": -32010, "message": "The session has ended"}


@pytest.mark.parametrize("is_told", ["before", "after", "never"])
@pytest.mark.parametrize("reason", ["closed", "failed", "stopping"])
async def test_a_call_that_was_refused_after_the_end_of_its_session_is_repeated(vm, path, reason, is_told):
    refused = {"error": {**ENDED, "data": {"session": "s", "reason": reason}}}

    def answer(message, connection):
        if connection > 1 or message["method"] in ("session.attach", "viewModel.bind"):
            return ANSWERED
        if is_ping(message):
            return {"result": None}
        if message["method"] == "lab.set" and is_told == "before":
            server.closed(1, reason)
        if message["method"] == "lab.append" and is_told == "after":
            asyncio.get_running_loop().call_soon(server.closed, 1, reason)
        if message["method"] == "lab.append" and reason == "stopping":
            asyncio.get_running_loop().call_later(0.01, server.writers[0].close)
        return refused

    async with Script(path, answer) as server, vm.Session("s", socket=path, backoff=(0.001, 0.01)) as session:
        binding = await session.lab.bind("value")
        await asyncio.gather(session.lab.set(1), session.lab.ring("x", retry=True), session.lab.append(1))
        for method in ("lab.set", "lab.ring", "lab.append"):
            assert server.calls(method) == [1, 2]
        await binding.wait(lambda p: p.value == 2)


@pytest.mark.parametrize("keyed", [False, True])
async def test_no_call_is_lost_when_another_client_closes_the_session(vm, daemon, name, keyed):
    """Inputs are answered in order: each ran before the end, or it was refused and runs in the next session."""
    async with vm.Session(name, socket=str(daemon.socket), linger=60, backoff=(0.001, 0.01)) as session, \
            vm.Session(name, socket=str(daemon.socket)) as other:
        seen = []
        rows = await other.lab.bind("rows")
        rows.on_change.append(lambda picture: seen.append((other.epoch, len(picture.rows))))
        calls = [asyncio.ensure_future(session.lab.append(1, retry=keyed)) for _ in range(100)]
        await rows.wait(lambda picture: len(picture.rows) > 0, timeout=30)
        calls += [asyncio.ensure_future(session.lab.append(1, retry=keyed)) for _ in range(50)]
        await other.call("session.close")
        await asyncio.gather(*calls)
        left = (await session.lab.read("rows")).rows.total
        before = max(count for _, count in seen)
        assert left + before <= 150, "no call runs twice"


async def test_only_calls_without_an_answer_have_an_unknown_outcome(vm, path):
    def answer(message, connection):
        if message["method"] == "session.attach" or connection > 1:
            return ANSWERED
        if is_ping(message):
            return {"result": None}
        if message["method"] == "lab.ring":
            server.closed(1, "closed")
            return {"error": {**ENDED, "data": {"session": "s", "reason": "closed"}}}
        if message["method"] == "lab.append":       # A daemon that knows no better runs it in an anonymous session.
            return ANSWERED
        return None
    async with Script(path, answer) as server, vm.Session("s", socket=path, backoff=(0.001, 0.01)) as session:
        calls = session.lab.set(1), session.lab.ring("x"), session.lab.append(1), session.lab.append(2, retry=True)
        under_way, refused, late, keyed = await asyncio.gather(*calls, return_exceptions=True)
        assert refused is None
        assert all(isinstance(one, vm.OutcomeUnknown) for one in (under_way, late, keyed))
        assert server.calls("lab.set") == [1] and server.calls("lab.append") == [1, 1] and server.calls("lab.ring") == [1, 2]


async def test_a_call_that_was_refused_after_a_move_fails_with_it(vm, path):
    def answer(message, connection):
        if message["method"] == "session.attach":
            return ANSWERED
        if is_ping(message):
            return {"result": None}
        return {"error": {**ENDED, "data": {"session": "s", "reason": "moved", "node": "berlin"}}} if message["method"] == "lab.set" else None
    async with Script(path, answer) as server:
        session = await vm.Session("s", socket=path).__aenter__()
        under_way, refused = await asyncio.gather(session.lab.sleep(milliseconds=9), session.lab.set(1), return_exceptions=True)
        assert isinstance(under_way, vm.OutcomeUnknown)
        assert isinstance(refused, vm.SessionMoved) and refused.node == "berlin"
        await until(lambda: session.connection_state == "closed")
        assert len(server.writers) == 1


@pytest.mark.parametrize("code", [-32010, -32007])
async def test_a_repeated_call_that_is_refused_may_have_run_before(vm, path, code):
    def answer(message, connection):
        if message["method"] == "session.attach":
            return {"result": {"session": "s", "epoch": "e1" if connection < 3 else "e2"}}
        if message["method"] == "lab.append" and connection == 2:
            asyncio.get_running_loop().call_later(0.01, server.writers[1].close)
            return {"error": {"code": code, "message": "no", "data": {"session": "s", "reason": "closed"}}}
        return None
    async with Script(path, answer) as server, vm.Session("s", socket=path, backoff=(0.001, 0.01)) as session:
        call = asyncio.ensure_future(session.lab.append(1, retry=True))
        await until(lambda: server.calls("lab.append"))
        server.writers[0].close()
        with pytest.raises(vm.OutcomeUnknown):
            await call
        assert server.calls("lab.append") == [1, 2]


async def test_nothing_is_written_after_the_end_of_a_session(vm, path):
    """The server answers nothing and keeps the connection, so that the client waits for a second."""
    async def serve(reader, writer):
        async for line in reader:
            message = json.loads(line)
            if message["method"] == "session.attach":
                writer.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"session": "s", "epoch": "e"}}).encode() + b"\n")
            else:
                writer.write(b'{"jsonrpc":"2.0","method":"session.closed","params":{"session":"s","reason":"closed"}}\n')
        await asyncio.sleep(30)
    async with await asyncio.start_unix_server(serve, path):
        session = await vm.Session("s", socket=path).__aenter__()
        call = asyncio.ensure_future(session.lab.append(1))
        await until(lambda: session._left)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        session.notify("lab.set", {"value": 1})
        await session.close()
        session.notify("lab.set", {"value": 1})


async def test_a_resumed_binding_that_is_refused_is_not_resumed_twice(vm, path):
    def answer(message, connection):
        if connection == 2 and message["method"] == "viewModel.bind":
            server.closed(2, "closed")
            return {"error": {**ENDED, "data": {"session": "s", "reason": "closed"}}}
        return ANSWERED
    async with Script(path, answer) as server, vm.Session("s", socket=path, backoff=(0.001, 0.01)) as session:
        binding = await session.lab.bind("value")
        server.writers[0].close()
        await binding.wait(lambda p: p.value == 3)
        await session.lab.set(1)
        assert server.calls("viewModel.bind") == [1, 2, 3]


@pytest.fixture
def tick(vm, monkeypatch):
    """The clock by which clients watch for silence: each tick lets half of the time pass on the newest connection."""
    watches, after = [], vm.Client.after

    def watched_after(client, name, seconds, work):
        if name == "beat":
            watches.append(work)
        else:
            after(client, name, seconds, work)

    async def tick(count):
        for _ in range(count):
            await until(lambda: watches)
            watches.pop()()
            await asyncio.sleep(0)
    monkeypatch.setattr(vm.Client, "after", watched_after)
    return tick


async def test_a_dead_connection_is_left(vm, desk, proxy, tick):
    async with proxy() as relay, desk(socket=relay.listen, linger=60, backoff=(0.001, 0.01)) as session:
        states = []
        session.on_state.append(states.append)
        binding = await session.lab.bind("value")
        relay.stall()
        under_way = asyncio.ensure_future(session.lab.sleep(milliseconds=60_000))
        await tick(6)
        with pytest.raises(vm.OutcomeUnknown):
            await under_way
        await session.lab.set(7)
        assert binding.picture.value == 7 and states == ["reconnecting", "connected"] and len(relay.reports) == 2


async def test_silence_is_no_dead_connection(vm, path, tick):
    """A daemon that answers pings may let a call wait, and nobody asks it while nothing is awaited."""
    def answer(message, connection):
        return {"result": None} if is_ping(message) else None if message["method"] == "lab.sleep" else ANSWERED

    async with Script(path, answer) as server, vm.Session("s", socket=path) as session:
        await tick(10)
        assert server.calls("$/cancelRequest") == []
        answers = []
        session.on_message.append(answers.append)
        running = asyncio.ensure_future(session.lab.sleep(milliseconds=60_000))
        await until(lambda: server.calls("lab.sleep"))
        for ping in range(1, 5):
            await tick(2)
            await until(lambda: len(answers) == ping)
        assert not running.done() and len(server.writers) == 1
        running.cancel()


@pytest.mark.parametrize("is_told", [True, False])
async def test_a_message_above_the_limit_fails_alone(vm, own, is_told):
    daemon = own({"limits": {"messageBytes": 4096}})
    async with vm.Session(socket=str(daemon.socket)) as session:
        session._longest = 4096 if is_told else 1 << 60      # As the reply to the attach has it, or does not.
        running = asyncio.ensure_future(session.lab.sleep(milliseconds=50))
        with pytest.raises(vm.MessageTooLarge) as refused:
            await session.lab.code("x" * 5000, retry=True)
        assert refused.value.data["limit"] == 4096 and "4096" in str(refused.value)
        box = await session.lab.code_field()
        box.edit("y" * 5000)
        assert await box.settle() == "" and isinstance(box.problem, vm.MessageTooLarge)
        await running
        assert session.connection_state == "connected"


async def test_the_limit_is_that_of_the_attach(vm, path):
    async with Script(path, limits={"messageBytes": 300}) as server, vm.Session("s", socket=path) as session:
        await session.lab.code("x" * 100)
        for length in range(100, 300):
            room = 300 - len(json.dumps({"jsonrpc": "2.0", "id": session._last_id + 1, "method": "lab.code", "params": {"value": "x" * length}}))
            if room < 0:
                with pytest.raises(vm.MessageTooLarge):
                    await session.lab.code("x" * length)
            else:
                await session.lab.code("x" * length)
        sent = max(len(params.get("value", "")) for _, _, params in server.received)
        assert 200 < sent < 260


async def refusal(vm, path):
    with pytest.raises(vm.NoConnection) as refused:
        async with vm.Session(socket=str(path)):
            pass
    assert isinstance(refused.value, vm.ViewModelError) and isinstance(refused.value, OSError)
    assert str(path) in str(refused.value)
    return str(refused.value)


async def test_an_error_of_the_connection_says_where_why_and_what_to_do(vm, tmp_path):
    assert "there is no such socket. Start viewmodeld, or name its socket with" in await refusal(vm, tmp_path / "none")
    (tmp_path / "file").write_text("")
    assert "it is not a socket" in await refusal(vm, tmp_path / "file")
    assert "more than 107 bytes. Choose a shorter path" in await refusal(vm, tmp_path / ("x" * 108))
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "left"))
    assert "no process listens there" in await refusal(vm, tmp_path / "left")
    assert "Not a directory" in await refusal(vm, tmp_path / "left" / "s")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_an_error_of_permission_names_the_settings(vm, tmp_path):
    with socket.socket(socket.AF_UNIX) as private:
        private.bind(str(tmp_path / "private"))
        private.listen()
        os.chmod(tmp_path / "private", 0o600)
        for folder in [tmp_path, *tmp_path.parents][:3]:
            os.chmod(folder, 0o755)
        os.seteuid(65534)
        try:
            text = await refusal(vm, tmp_path / "private")
        finally:
            os.seteuid(0)
    assert "permission denied. The daemon's socket.mode and socket.group decide who may connect" in text


async def test_a_second_bind_has_the_outputs_of_both_and_keeps_the_interval(vm, path):
    async with Script(path) as server, vm.Session("s", socket=path) as session:
        await session.lab.bind("value", interval=1)
        await session.lab.bind("code", "value")
        await session.lab.bind("rows", windows={"rows": range(5, 9)}, interval=0.5)
        binds = [params for _, method, params in server.received if method == "viewModel.bind"]
        assert [bind["outputs"] for bind in binds] == [["value"], ["value", "code"], ["value", "code", "rows"]]
        assert [bind["minInterval"] for bind in binds] == [1000, 1000, 500]
        await session.lab.bind()
        assert "outputs" not in server.received[-1][2]
        assert server.received[-1][2]["windows"] == {"rows": {"offset": 5, "limit": 4}}


async def test_an_unknown_output_is_refused_and_leaves_the_binding(vm, session):
    binding = await session.lab.bind("value")
    with pytest.raises(vm.InvalidParams):
        await session.lab.bind("nope")
    await session.lab.set(3)
    assert binding.picture.raw == {"value": 3}
    await session.lab.bind("code")
    assert set(binding.picture.raw) == {"value", "code"}


async def test_a_window_has_the_step_1(session):
    binding = await session.lab.bind("rows", windows={"rows": range(0, 10)})
    for refused in (session.lab.bind("rows", windows={"rows": range(0, 10, 2)}), binding.scroll("rows", range(10, 0, -1)),
                    session.lab.read("rows", windows={"rows": range(0, 10, 2)})):
        with pytest.raises(ValueError, match="step"):
            await refused


async def test_a_client_that_nobody_holds_lives_on(vm, daemon, name):
    pictures = []

    async def follow():
        session = vm.Session(name, socket=str(daemon.socket))
        await session.connect()
        (await session.lab.bind("value")).on_change.append(lambda picture: pictures.append(picture.value))
    await follow()
    complaints = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context["message"]))
    gc.collect()
    async with vm.Session(name, socket=str(daemon.socket)) as other:
        await other.lab.set(5)
        await until(lambda: 5 in pictures)
    assert complaints == []


def test_a_request_while_another_thread_closes_the_client_ends(vm, daemon, monkeypatch):
    """The other thread begins when the request has been let in, but is not under way."""
    session, ended = vm.Session(socket=str(daemon.socket)).sync(), []
    closer = threading.Thread(target=session.close)
    begin = vm.asyncio.run_coroutine_threadsafe

    def slowly(work, loop):
        if threading.current_thread() is caller:
            closer.start()
            closer.join(0.3)
        return begin(work, loop)

    def call():
        try:
            ended.append(session.lab.set(1))
        except BaseException as error:
            ended.append(error)
    caller = threading.Thread(target=call, daemon=True)
    monkeypatch.setattr(vm.asyncio, "run_coroutine_threadsafe", slowly)
    caller.start()
    caller.join(30)
    closer.join(30)
    assert len(ended) == 1 and isinstance(ended[0], (type(None), vm.ViewModelError)) and not closer.is_alive()


def test_a_leap_second_is_read_as_the_next_one(vm):
    read = {text: vm.as_date(text).isoformat() for text in ("2016-12-31T23:59:60Z", "2016-12-31T18:59:60.25-05:00")}
    assert list(read.values()) == ["2017-01-01T00:00:00+00:00", "2016-12-31T19:00:00.250000-05:00"]
    for text in ("0000-01-01T00:00:00Z", "9999-12-31T23:59:60Z", "2016-12-31T23:59:61Z"):
        with pytest.raises(vm.UnexpectedValue):
            vm.as_date(text)
