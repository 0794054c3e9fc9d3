"""What a user interface holds: values, actions, lists, text boxes, on the thread that the program names."""
import asyncio
import json
import os
import queue
import random
import select
import sys
import threading
import time

import pytest
from daemons import unique
from scripted import ANSWERED, Script, until


class Thread:
    """The program's thread: the queue of its calls."""

    def __init__(self):
        self.calls = queue.Queue()

    def __call__(self, call):
        self.calls.put(call)

    def until(self, condition, patience=30):
        end = time.monotonic() + patience
        while not condition():
            assert time.monotonic() < end, "it did not happen"
            try:
                self.calls.get(timeout=0.01)()
            except queue.Empty:
                pass

    def pause(self, seconds):
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end)


@pytest.fixture
def thread():
    return Thread()


@pytest.fixture
def face(vm, daemon, name, thread):
    """Makes started sessions, which live on the test's thread."""
    made = []

    def make(**how):
        session = vm.Session(name, **{"socket": str(daemon.socket), "dispatch": thread, "backoff": (0.005, 0.05), **how})
        made.append(session)
        session.start()
        return session
    yield make
    for session in made:
        session.stop()
        thread.until(lambda session=session: session.fileno() < 0)


def binds(session):
    """The params of each bind that the session sends from now on."""
    sent, send = [], session.send

    def record(method, params, *rest, **more):
        if method == "viewModel.bind":
            sent.append(params)
        return send(method, params, *rest, **more)
    session.send = record
    return sent


def test_a_start_without_a_daemon_does_not_block_and_connects_later(vm, own, thread, face):
    daemon = own()
    daemon.kill()
    desk = face(socket=str(daemon.socket), linger=60)
    states, seen = [], []
    desk.watch(lambda state: states.append((state, type(desk.problem))))
    led, undo, refused, told = desk.calculator.value("led"), desk.calculator.action("undo"), [], []
    led.subscribe(seen.append)
    desk.calculator.run("press", "7", done=lambda result, error: refused.append(error))
    undo.subscribe(lambda action: told.append(action.error))
    undo.run()
    assert [type(error) for error in (*refused, undo.error)] == [vm.NotConnected] * 2
    thread.until(lambda: states.count(("offline", vm.NoConnection)) > 2)
    assert (desk.state, led.now, undo.enabled, seen) == ("offline", None, False, [])
    assert "no process listens there" in str(desk.problem)
    daemon.start()
    thread.until(lambda: seen)
    assert (desk.state, desk.problem, seen) == ("connected", None, ["0"]), "nothing was sent by surprise"
    assert undo.error is None and told[-1] is None and vm.NotConnected in map(type, told)
    for key in "1+":
        desk.calculator.run("press", key)
    thread.until(lambda: undo.enabled)
    daemon.kill()
    thread.until(lambda: desk.state == "offline")
    assert not undo.enabled and led.now == "1"
    daemon.start()
    thread.until(lambda: led.now == "0")
    assert seen == ["0", "1", "0"]


def test_a_wrong_path_is_a_problem_and_no_exception(vm, face, thread, tmp_path):
    (tmp_path / "file").write_text("")
    desk = face(socket=str(tmp_path / "file"))
    thread.until(lambda: desk.problem)
    assert "it is not a socket" in str(desk.problem) and desk.state == "offline"


def test_a_callback_that_raises_ends_nothing(face, thread, monkeypatch):
    desk, raised, seen = face(), [], []
    monkeypatch.setattr(sys, "excepthook", lambda kind, *_: raised.append(kind))
    led = desk.calculator.value("led")
    led.subscribe(lambda value: 1 / 0)
    led.subscribe(seen.append)
    thread.until(lambda: seen == ["0"])
    desk.calculator.run("press", "5", done=lambda *_: 1 / 0)
    thread.until(lambda: seen == ["0", "5"] and len(raised) == 3)
    assert raised == [ZeroDivisionError] * 3 and desk.state == "connected"


def test_all_callbacks_run_on_the_programs_thread(face, thread):
    desk, threads = face(), set()
    desk.on_message.append(lambda _: threads.add(threading.get_ident()))
    desk.lab.watch(lambda _: threads.add(threading.get_ident()), "value")
    desk.lab.list("rows").on_splice.append(lambda *_: threads.add(threading.get_ident()))
    thread.until(lambda: desk.state == "connected")
    done = []
    for number in range(50):
        desk.lab.run("append", 1, done=lambda *_: done.append(1))
    thread.until(lambda: len(done) == 50)
    assert threads == {threading.get_ident()}


def test_holders_are_counted_and_a_hold_that_ends_narrows(face, thread):
    desk = face()
    sent = binds(desk)
    lab, seen = desk.lab, {"value": [], "code": [], "all": []}
    value, code = lab.value("value"), lab.value("code")
    end = lab.watch(lambda picture: seen["value"].append(picture.value), "value")
    value.subscribe(seen["all"].append)
    code.subscribe(seen["code"].append)
    thread.until(lambda: seen["code"])
    assert [bind["outputs"] for bind in sent] == [["value", "code"]], "one bind for a turn"
    lab.run("set", 3)
    thread.until(lambda: seen["all"] == [0, 3])
    assert seen == {"value": [0, 3], "code": [""], "all": [0, 3]}, "code has not changed"
    third = lab.value("word")
    thread.until(lambda: third.now is not None)
    assert seen == {"value": [0, 3], "code": [""], "all": [0, 3]}, "a new holder disturbs nobody"
    value.close()
    lab.run("set", 4)
    thread.until(lambda: seen["value"] == [0, 3, 4])
    end()
    third.close()
    thread.until(lambda: sent[-1]["outputs"] == ["code"])
    lab.run("set", 5)
    code.close()
    thread.until(lambda: ("lab", "") not in desk.bindings)
    assert seen == {"value": [0, 3, 4], "code": [""], "all": [0, 3]}


def test_each_holder_has_its_interval(face, thread):
    desk = face()
    slow, fast, done = [], [], []
    desk.lab.watch(lambda picture: slow.append(picture.value), "value", interval=0.3)
    desk.lab.watch(lambda picture: fast.append(picture.value), "value")
    thread.until(lambda: slow and fast)
    for number in range(1, 31):
        desk.lab.run("set", number, done=lambda *_: done.append(1))
    thread.until(lambda: len(done) == 30 and fast[-1] == slow[-1] == 30)
    assert fast == [*range(31)] and len(slow) <= 4


def test_an_action_has_its_state_and_is_cancelled(vm, face, thread):
    desk = face()
    progress, states = desk.lab.value("count.progress"), []
    count = desk.lab.action("count")
    count.subscribe(lambda action: states.append((action.enabled, action.executing)))
    thread.until(lambda: count.enabled)
    count.run(to=1000, every=20)
    thread.until(lambda: count.executing and progress.now)
    assert count.progress == progress.now and not count.enabled
    count.run(to=1)
    thread.until(lambda: count.error)
    assert isinstance(count.error, vm.ActionExecuting)
    count.cancel()
    thread.until(lambda: not count.executing and isinstance(count.error, vm.RequestCancelled))
    count.run(**{"to": 1})
    thread.until(lambda: count.error is None and count.enabled)
    book = desk.lab.action("book")
    thread.until(lambda: book.enabled)
    book.run(seats=50)
    thread.until(lambda: book.error)
    assert isinstance(book.error, vm.SoldOutError) and book.error.details.seats_left == 10


def test_a_run_after_a_hold_shows_what_it_causes(face, thread):
    desk, events = face(), []
    thread.until(lambda: desk.state == "connected")
    desk.lab.events(events.append, "bell")
    desk.lab.run("ring", "ding")
    thread.until(lambda: events)
    assert events[0].value == "ding"
    with pytest.raises(LookupError, match="Lab has no event value: it is of the kind state"):
        desk.lab.events(events.append, "value")
    with pytest.raises(LookupError, match="Lab has no list nope: there are rows"):
        desk.lab.list("nope")
    with pytest.raises(LookupError, match="Mine has no list header: it is a child, use the members of .header"):
        desk.mine.list("header")


def test_params_may_be_a_dictionary_with_the_names_of_the_contract(face, thread):
    desk, results = face(), []
    thread.until(lambda: desk.state == "connected")
    rows = desk.lab.value("rows")
    desk.lab.run("append", 3)
    desk.lab.run("move", {"from": 0, "to": 2})
    thread.until(lambda: [row.id for row in rows.now or []] == [2, 3, 1])
    desk.lab.run("echo", {"any": 1}, done=lambda result, error: results.append(error))
    thread.until(lambda: results == [None])     # The value itself.
    count, value = desk.lab.action("count"), desk.lab.value("value")
    thread.until(lambda: count.enabled)
    count.run({"to": 2}, key="a key")
    thread.until(lambda: value.now == 2)


def test_an_error_is_a_sentence(vm):
    refused = vm.InvalidParams(-32602, "Invalid params", {"path": "/value", "expected": "a number from 0.5 to 3", "found": "9"})
    assert str(refused) == "Invalid params: path /value, expected a number from 0.5 to 3, found 9"
    assert refused.message == "Invalid params"
    assert str(vm.NotFound(-32004, "No such instance")) == "No such instance"
    assert str(vm.MethodNotFound(-32601, "No such method", {"method": "a", "suggestions": ["b", "c"]})) \
        == "No such method: method a, suggestions b, c"
    assert str(vm.ActionFailed(-32000, "The disk is full.", {"error": "noSpace"})) == "The disk is full."


def test_a_message_that_is_too_large_fails_at_once(vm, own, face, thread):
    desk = face(socket=str(own({"limits": {"messageBytes": 4096}}).socket))
    thread.until(lambda: desk.state == "connected")
    failed = []
    desk.lab.run("code", "x" * 5000, done=lambda _, error: failed.append(error))
    assert isinstance(failed[0], vm.MessageTooLarge)
    text = desk.lab.text("code")
    text.edit("y" * 5000)
    assert isinstance(text.problem, vm.MessageTooLarge)
    text.edit("y")
    thread.until(lambda: text.value == "Y")
    assert text.problem is None


def test_a_text_follows_the_viewmodel_and_keeps_its_caret(face, thread):
    desk, shown = face(), []
    thread.until(lambda: desk.state == "connected")
    one, two = desk.lab.text("code"), desk.lab.text("code")
    one.subscribe(lambda value, caret: shown.append((value, caret)))
    one.edit("ab", 1)
    thread.until(lambda: (one.value, two.value) == ("AB", "AB"))
    assert one.caret == 1 and shown == [("", 0), ("AB", 1)]
    one.edit("AB", 2)
    two.edit("xAB", 1)
    thread.until(lambda: one.value == "XAB")
    assert one.caret == 3


@pytest.mark.parametrize("is_typed", [True, False])
def test_a_text_is_sent_again_to_a_new_session(vm, own, face, thread, is_typed):
    daemon = own()
    desk = face(socket=str(daemon.socket), linger=60)
    text, other = desk.send_list.text("draft"), desk.send_list.value("draft")
    thread.until(lambda: desk.state == "connected")
    if is_typed:
        text.edit("hello", 2)
    else:
        desk.send_list.run("draft", "hello")
    thread.until(lambda: text.value == other.now == "hello")
    thread.pause(0.05)
    daemon.kill()
    thread.until(lambda: desk.state == "offline")
    if is_typed:
        text.edit("hello!", 6)
    daemon.start()
    thread.until(lambda: desk.state == "connected" and other.now == ("hello!" if is_typed else ""))
    assert text.value == other.now


def test_a_text_that_the_viewmodel_emptied_stays_empty(own, face, thread):
    daemon = own()
    desk = face(socket=str(daemon.socket), linger=60)
    text = desk.send_list.text("draft")
    thread.until(lambda: desk.state == "connected")
    text.edit("hello", 2)
    added = []
    thread.until(lambda: not text.is_busy)
    desk.send_list.run("add", done=lambda *outcome: added.append(outcome))
    thread.until(lambda: added and text.value == "")
    daemon.kill()
    daemon.start()
    value = desk.send_list.value("draft")
    thread.until(lambda: desk.state == "connected" and value.now is not None)
    assert text.value == value.now


def test_a_program_with_its_own_loop_pumps(vm, daemon, name):
    desk = vm.Session(name, socket=str(daemon.socket))
    led, threads = desk.calculator.value("led"), threading.active_count()
    desk.start()
    end = time.monotonic() + 30
    pressed = []
    while led.now != "7" and time.monotonic() < end:
        if led.now == "0" and not pressed:
            pressed.append(desk.calculator.run("press", "7"))
        due = desk.deadline()
        select.select([desk], [desk] if desk.is_writing else [], [], max(0, due - time.monotonic()) if due else 1)
        desk.pump()
    assert led.now == "7" and threading.active_count() == threads
    desk.stop()
    while desk.fileno() >= 0:
        desk.pump()


def test_the_core_needs_no_socket(vm, monkeypatch):
    """All that the client writes and when it is due, byte by byte."""
    clock = [100.0]
    monkeypatch.setattr(vm, "now", lambda: clock[0])
    desk, line = vm.Session("s"), vm.sockets.socketpair()
    monkeypatch.setattr(vm, "opened", lambda path: line[0])
    led, seen = desk.calculator.value("led"), []
    led.subscribe(seen.append)
    desk.start()

    def sent():
        return [json.loads(part)["method"] for part in desk.outgoing().splitlines()]

    def feed(**message):
        for byte in json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n":
            desk.feed(bytes([byte]))
    assert sent() == ["session.attach"]
    desk.tick()
    feed(id=0, result={"session": "s", "epoch": "e"})
    assert sent() == ["viewModel.bind"] and desk.state == "connected"
    feed(id=1, result={"epoch": "e", "seq": 1, "full": True, "values": {"led": "0"}})
    feed(method="viewModel.changed", params={"id": "calculator", "seq": 2, "values": {"led": "1"}})
    assert seen == ["0", "1"] and desk.deadline() == 104
    for _ in range(2):
        clock[0] += 4
        desk.tick()
    assert sent() == ["$/cancelRequest"]
    clock[0] += 16
    for _ in range(4):
        desk.tick()
        clock[0] += 4
    assert desk.state == "offline" and "silent" in str(desk.problem)
    line[1].close()


class Mirror:
    """What a view knows of a list: the ids of the rows that it has seen, moved by splices."""

    def __init__(self, rows):
        self.rows, self.ids, self.resets, self.splices = rows, [], 0, 0
        rows.on_splicing.append(self.splicing)
        rows.on_splice.append(self.splice)
        rows.on_change.append(lambda first, last: self.look(first, last))

    def splicing(self, at, removed, inserted):
        assert len(self.rows) == len(self.ids) and 0 <= at and at + removed <= len(self.ids)

    def splice(self, at, removed, inserted):
        self.resets += (at, removed) == (0, len(self.ids)) and removed > 0
        self.splices += 1
        self.ids[at:at + removed] = [None] * inserted
        assert len(self.rows) == len(self.ids)
        self.look(at - 30, at + inserted + 30)

    def look(self, first, last):
        for index in range(max(0, first), min(last, len(self.ids))):
            row = self.rows.peek(index)
            if row is not None:
                assert self.ids[index] in (None, row.id), "a row is where its splices have moved it"
                self.ids[index] = row.id


def changes(session, chance, count):
    """Appends, changes, moves and removes rows."""
    for _ in range(count):
        ids = [row["id"] for row in session.call("viewModel.read", {"id": "lab"})["values"]["rows"]]
        kind = chance.randrange(4)
        if kind == 0:
            session.lab.append(chance.randint(1, 3))
        elif kind == 1:
            session.lab.update(id=chance.choice(ids), text=str(chance.random()))
        elif kind == 2:
            session.lab.move(from_=chance.randrange(len(ids)), to=chance.randrange(len(ids)))
        else:
            session.lab.remove_rows(chance.sample(ids, chance.randint(1, 3)))


@pytest.mark.parametrize("seed", range(4))
def test_a_list_that_scrolls_while_rows_come_and_go(vm, face, desk, thread, seed):
    chance, window = random.Random(seed), face()
    thread.until(lambda: window.state == "connected")
    if not window.features:
        pytest.skip("the daemon has no splices")
    with desk().sync() as writer:
        writer.lab.append(400)
        rows = window.lab.list("rows", page=20)
        mirror = Mirror(rows)
        thread.until(lambda: len(rows) == 400)
        mirror.ids = [row["id"] for row in writer.call("viewModel.read", {"id": "lab"})["values"]["rows"]]
        writing = threading.Thread(target=changes, args=[writer, random.Random(seed), 300])
        writing.start()
        at = 0
        while writing.is_alive():
            at = max(0, min(len(rows) - 10, at + chance.randint(-40, 40)))
            rows.show(at, at + 10)
            thread.pause(chance.uniform(0, 0.01))
        done = []
        window.lab.run("set", 1, done=lambda *_: done.append(1))
        thread.until(lambda: done)
        real = writer.call("viewModel.read", {"id": "lab"})["values"]["rows"]
        assert [known in (None, row["id"]) for known, row in zip(mirror.ids, real)] == [True] * len(real)
        assert len(rows) == len(real) == len(mirror.ids) and mirror.resets == 0 and mirror.splices > 100
        assert sum(known is not None for known in mirror.ids) > 200, "positions are known without a reset"
        at = len(real) // 2
        rows.show(at, at + 10)
        thread.until(lambda: all(rows.peek(index) for index in range(at, at + 10)))
        assert [rows[index].to_json() for index in range(at, at + 10)] == real[at:at + 10]


def test_a_list_loads_what_is_asked_and_drops_what_is_far(face, desk, thread):
    window = face()
    thread.until(lambda: window.state == "connected")
    if not window.features:
        pytest.skip("the daemon has no splices")
    with desk().sync() as writer:
        writer.lab.append(1000)
    rows, loaded = window.lab.list("rows", page=10), []
    rows.on_change.append(lambda first, last: loaded.append((first, last)))
    thread.until(lambda: len(rows) == 1000 and rows.peek(0))
    assert rows[500] is None and rows.peek(501) is None
    thread.until(lambda: rows.peek(500))
    kept = rows[500]
    assert kept.id == 501 and any(first <= 500 < last for first, last in loaded)
    with pytest.raises(IndexError):
        rows[1000]
    assert rows.peek(0) is None, "the first page is dropped"
    rows.show(503, 508)
    thread.until(lambda: rows.peek(515))
    assert rows[500] is kept, "an unchanged row is the same object"
    rows.close()
    thread.until(lambda: len(window.bindings) == 0)


@pytest.mark.parametrize("hard", [True, False])
def test_a_list_survives_a_restart(own, face, thread, hard):
    daemon = own()
    window = face(socket=str(daemon.socket), linger=60)
    rows, done = window.lab.list("rows"), []
    thread.until(lambda: window.state == "connected")
    window.lab.run("append", 30, done=lambda *_: done.append(1))
    thread.until(lambda: done and len(rows) == 30)
    daemon.restart(hard=hard)
    mirror = Mirror(rows)
    mirror.ids = [None] * 30
    thread.until(lambda: window.state == "connected" and len(rows) == len(mirror.ids) == (0 if hard else len(rows)))
    window.lab.run("append", 2, done=lambda *_: done.append(1))
    thread.until(lambda: len(done) == 2)
    assert len(rows) == len(mirror.ids) >= 2


async def test_a_list_without_splices_is_reset_when_its_count_changes(vm, path):
    def rows(*ids):
        return [{"id": id, "text": str(id)} for id in ids]
    async with Script(path, values={"rows": rows(1, 2, 3)}) as server, vm.Session("s", socket=path) as session:
        shown, log = session.lab.list("rows"), []
        shown.on_splice.append(lambda *splice: log.append(splice))
        shown.on_change.append(lambda *change: log.append(change))
        await until(lambda: len(shown) == 3)
        kept = shown[0]

        def changed(seq, *patch):
            server.send(1, method="viewModel.changed", params={"id": "lab", "seq": seq, "patch": patch})
        changed(2, {"op": "replace", "path": "/rows/1/text", "value": "two"})
        await until(lambda: shown[1].text == "two")
        changed(3, {"op": "add", "path": "/rows/0", "value": rows(9)[0]})
        await until(lambda: len(shown) == 4)
        assert log == [(0, 0, 3), (1, 2), (0, 3, 4)] and shown[1] is kept
        assert "tag" not in server.received[-1][2]


async def test_a_closed_bind_leaves_the_holders(vm, session):
    seen = []
    end = session.lab.watch(lambda picture: seen.append(picture.value), "value")
    binding = await session.lab.bind("value", "word")
    await binding.close()
    await session.lab.set(3)
    await until(lambda: seen == [0, 3] and binding.bound.get("outputs") == ["value"])
    end()
    await until(lambda: binding.ended)


async def test_a_row_is_read_once(vm, session):
    binding = await session.lab.bind("rows")
    await session.lab.append(3000)
    rows = binding.picture.rows
    await session.lab.update(id=1500, text="new")
    await session.lab.remove_rows([7])
    await session.lab.move(from_=0, to=2500)
    later = binding.picture.rows
    assert len(later) == 2999 and len({id(row) for row in rows} & {id(row) for row in later}) == 2998
    assert [row.to_json() for row in later] == binding.picture.raw["rows"]


async def test_a_list_that_comes_whole_is_read_again(session):
    binding = await session.lab.bind("rows")
    await session.lab.append(3)
    while rows := binding.picture.rows:
        await session.lab.remove_rows([rows[0].id])
        assert [row.to_json() for row in binding.picture.rows] == binding.picture.raw["rows"]


@pytest.mark.skipif(not os.environ.get("BENCHMARK"), reason="BENCHMARK is not set")
async def test_a_frame_with_a_changed_row_of_100_000_is_fast(session):
    session.time_limit = 60
    binding, times = await session.lab.bind("rows"), []
    await session.lab.append(100_000)
    rows = binding.picture.rows
    for number in range(20):
        await session.lab.update(id=rows[number * 4999].id, text=unique())
        began = time.process_time()
        binding.picture.rows
        times.append(time.process_time() - began)
    assert sorted(times)[10] < 0.005


# Many holders, refusals, ends


async def test_many_callbacks_for_one_frame_are_all_called(session):
    values, told = [session.calculator.value("led") for _ in range(700)], {}
    for number, value in enumerate(values):
        value.subscribe(lambda led, number=number: told.update({number: led}))
    await until(lambda: len(told) == 700)
    await session.calculator.press("7")
    await until(lambda: [*told.values()] == ["7"] * 700)


async def test_a_run_after_the_end_of_the_session_is_not_sent_later(vm, path):
    async with Script(path) as server, vm.Session("s", socket=path, backoff=(0.001, 0.01)) as session:
        states, outcomes = [], []
        session.watch(states.append)
        server.closed(1, "stopping")
        await until(lambda: states[-1] == "offline")
        session.lab.run("set", 5, done=lambda *outcome: outcomes.append(outcome))
        assert isinstance(outcomes[0][1], vm.NotConnected)
        server.writers[0].close()
        await until(lambda: states[-1] == "connected")
        await session.lab.ring("x")
        assert server.calls("lab.set") == []


async def test_an_instance_may_have_the_name_of_a_tag(vm, session):
    rows = session.lab.list("rows")
    if not rows._tag:
        pytest.skip("the daemon has no tags")
    await session.open("lab", rows._tag)
    other = session.instance(vm.Lab, rows._tag)
    value = other.value("value")
    await other.set(42)
    await session.lab.append(3)
    await until(lambda: value.now == 42 and len(rows) == 3)
    assert rows.problem is None


async def test_a_hold_of_a_closed_instance_does_not_disturb_a_new_one(vm, session):
    await session.open("lab", "one")
    model = session.instance(vm.Lab, "one")
    old = model.value("value")
    await until(lambda: old.now == 0)
    await session.call("viewModel.close", {"id": "one"})
    await until(lambda: old._hold.binding.ended)
    await session.open("lab", "one")
    new = model.value("value")
    old.close()
    await until(lambda: new.now == 0)


async def test_a_hold_waits_for_its_instance(vm, own):
    daemon = own()
    how = {"socket": str(daemon.socket), "linger": 60, "backoff": (0.005, 0.05)}
    async with vm.Session("two", **how) as one, vm.Session("two", **how) as two:
        model = two.instance(vm.Lab, "one")
        value, rows = model.value("value"), model.list("rows")
        await asyncio.sleep(0.1)
        await one.open("lab", "one")
        await until(lambda: value.now == 0)
        for number in (1, 2):
            await one.instance(vm.Lab, "one").append(number)
            await one.instance(vm.Lab, "one").set(number)
            await until(lambda: value.now == number and len(rows) == number)
            daemon.kill()
            daemon.start()
            await until(lambda: one.state == two.state == "connected")
            await until(lambda: value.now == 0 and len(rows) == 0)


async def test_params_may_have_any_name(vm, session):
    class Odd(vm.Lab):
        members = {"odd": vm.Member("action", "odd", parameters={"self": "self_", "done": "done"})}

        async def odd(self, *, self_, done):
            given.append((self_, done))
    given = []
    action = Odd(session, "lab").action("odd")
    action.run(**{"self": 1, "done": 2})
    assert given == [(1, 2)] and action.error is None


async def test_a_cancelled_callback_does_not_stop_the_reading(vm, path):
    async with Script(path) as server, vm.Session("s", socket=path) as session:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        seen = []

        def callback(value):
            seen.append(value)
            if len(seen) == 2:
                raise asyncio.CancelledError
        session.lab.value("value").subscribe(callback)
        await until(lambda: seen)
        for number in range(5):
            server.send(1, method="viewModel.changed", params={"id": "lab", "seq": 2 + number, "values": {"value": 100 + number}})
        await until(lambda: seen[-1] == 104, 3)


async def test_a_closed_text_does_not_read(vm, path):
    def answer(message, connection):
        if message["method"] == "lab.word":
            return {"result": {"seq": 5, "held": True}}
        if message["method"] == "viewModel.read":
            return {"result": {"seq": 5, "values": {"word": "HI"}}}
        return ANSWERED
    async with Script(path, answer, values={"word": "", "value": 0}) as server, vm.Session("s", socket=path) as session:
        value, text = session.lab.value("value"), session.lab.text("word")
        await until(lambda: value.now == 0)
        text.edit("hi")
        await until(lambda: server.calls("viewModel.read"))
        text.close()
        await asyncio.wait_for(text.settle(), 3)


async def test_a_refused_output_does_not_disturb_later_holders(vm, path):
    def answer(message, connection):
        params = message.get("params", {})
        if message["method"] != "viewModel.bind":
            return ANSWERED
        if "double" in params["outputs"]:
            return {"error": {"code": -32602, "message": "no such output"}}
        return {"result": {"epoch": "e", "seq": 1, "full": True, "values": {"value": 1, "code": "1"}}}
    async with Script(path, answer) as server, vm.Session("s", socket=path) as session:
        first = session.lab.value("value")
        await until(lambda: first.now == 1)
        session.lab.value("double")
        await until(lambda: len(server.calls("viewModel.bind")) == 2)
        later = session.lab.value("code")
        await until(lambda: later.now == "1", 3)
        assert set(first._hold._seen) == {"value"}, "a holder keeps what it holds only"


def test_a_start_before_the_loop(vm, daemon, name):
    session = vm.Session(name, socket=str(daemon.socket))
    session.start()

    async def whole():
        await asyncio.wait_for(session.connect(), 10)
        assert (await session.calculator.read("led")).led == "0"
        await session.close()
        with pytest.raises(vm.Closed):
            await session.connect()
    asyncio.run(whole())


async def test_what_was_typed_into_a_closed_text_is_sent(vm, own):
    daemon = own()
    async with vm.Session("s", socket=str(daemon.socket), linger=60, backoff=(0.005, 0.05), time_limit=2) as session:
        text = session.send_list.text("draft")
        await until(lambda: session.send_list.binding().seq)
        daemon.kill()
        await until(lambda: session.state == "offline")
        for typed in ("a", "ab"):
            text.edit(typed)
        text.close()
        await asyncio.sleep(2.5)
        daemon.start()
        draft = session.send_list.value("draft")
        await until(lambda: draft.now == "ab", 20)
