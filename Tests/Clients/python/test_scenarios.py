"""The scenario table that the generated clients of all languages pass against the real daemon."""
import asyncio
import concurrent.futures
import dataclasses
import signal
import threading
import time
from datetime import datetime, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from fault_proxy import Fault
from scripted import ANSWERED, Script, until


async def test_bind(session):
    binding = await session.calculator.bind("led", "operations", "undo.enabled")
    picture = binding.picture
    assert (picture.led, picture.operations, picture.undo_enabled) == ("0", [], False)
    with pytest.raises(AttributeError, match="clear.enabled is not bound"):
        picture.clear_enabled
    await session.calculator.press("7")
    assert binding.picture.led == "7", "frames come before the reply"
    assert picture.led == "0", "a picture does not change"


async def test_a_patch_that_does_not_fit_binds_again(session):
    binding = await session.lab.bind("rows")
    await session.lab.append(50)
    binding._raw = {"rows": []}         # As if a frame had been lost.
    await session.lab.update(id=40, text="forty")
    await binding.wait(lambda p: len(p.rows) == 50 and p.rows[39].text == "forty", timeout=30)


async def test_a_picture_for_each_change_and_callbacks(session):
    binding = await session.lab.bind("value")
    called, seen = [], []
    binding.on_change.append(lambda picture: called.append(picture.value))

    async def iterate():
        async for picture in binding:
            seen.append(picture.value)
            if picture.value == 3:
                return
    reading = asyncio.ensure_future(iterate())
    for value in (1, 2, 3):
        await session.lab.set(value)
        await asyncio.sleep(0.01)
    await asyncio.wait_for(reading, 30)
    assert called == [1, 2, 3] and seen == [0, 1, 2, 3]


async def test_wait(vm, session):
    binding = await session.calculator.bind()
    waiting = asyncio.ensure_future(binding.wait(lambda p: p.led == "7", timeout=30))
    await session.calculator.press("7")
    assert (await waiting).led == "7"
    with pytest.raises(vm.TimedOut):
        await binding.wait(lambda p: p.led == "8", timeout=0.02)
    with pytest.raises(ZeroDivisionError):
        await binding.wait(lambda p: 1 / 0)
    waiting = asyncio.ensure_future(binding.wait(lambda p: p.led == "8"))
    await asyncio.sleep(0)
    await binding.close()
    with pytest.raises(vm.Closed):
        await waiting


async def test_wait_sees_a_picture_that_was_replaced_at_once(session):
    binding = await session.lab.bind("value")
    waiting = asyncio.ensure_future(binding.wait(lambda p: p.value == 50, timeout=30))
    await asyncio.sleep(0)
    for value in range(1, 101):
        session.notify("lab.set", {"value": value})
    assert (await waiting).value == 50
    await binding.wait(lambda p: p.value == 100, timeout=30)


async def test_a_child(session):
    header = await session.mine.header.bind()
    assert header.picture.phone == (await session.mine.header.read("phone")).phone
    await session.mine.header.select()
    scenes = await session.coordinator.read("scenes")
    assert scenes.scenes[-1].scene == "login"


async def test_one_binding_for_an_instance(session):
    led = await session.calculator.bind("led")
    rows = await session.calculator.bind("operations", windows={"operations": range(0, 2)})
    assert led is rows
    for key in "1+2+3+":
        await session.calculator.press(key)
    assert led.picture.led == "6"
    assert (len(led.picture.operations), led.picture.operations.total) == (2, 3)


async def test_a_window_scrolls(session):
    binding = await session.lab.bind("rows", "value", windows={"rows": range(0, 3)})
    await session.lab.append(10)
    rows = binding.picture.rows
    assert ([row.id for row in rows], rows.offset, rows.total) == ([1, 2, 3], 0, 10)
    await binding.scroll("rows", range(8, 11))
    rows = binding.picture.rows
    assert ([row.id for row in rows], rows.offset, rows.total) == ([9, 10], 8, 10)
    await binding.scroll("rows", range(1, 2))
    await session.lab.update(id=2, text="two")
    assert [row.text for row in binding.picture.rows] == ["two"]
    picture = await session.lab.read("rows", windows={"rows": range(4, 5)})
    assert picture.rows[0].id == 5 and picture.rows.total == 10


async def test_a_cancelled_scroll_leaves_the_right_picture(desk, proxy):
    async with proxy() as relay:
        relay.default = Fault(delay_up=0.02, delay_down=0.02)
        async with desk(socket=relay.listen) as session:
            binding = await session.lab.bind("rows", windows={"rows": range(0, 3)})
            await session.lab.append(100)
            for offset in range(10, 90, 10):
                task = asyncio.ensure_future(binding.scroll("rows", range(offset, offset + 3)))
                await asyncio.sleep(0.005 * (offset % 7))
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                await session.lab.update(id=offset + 1, text="new")
            await session.lab.update(id=1, text="one")
            window = binding.wanted["windows"]["rows"]
            await asyncio.sleep(0.3)
            picture = await session.lab.read("rows", windows={"rows": range(window["offset"], window["offset"] + 3)})
            assert binding.picture.raw["rows"] == picture.raw["rows"] and binding.wanted["windows"]["rows"] == window


async def test_events(vm, session):
    binding = await session.lab.bind()
    await session.lab.ring("one")
    await session.lab.ring("two")
    event = await binding.event()
    assert (type(event), event.output, event.value) == (vm.LabBell, "bell", "one")
    assert (await binding.event()).value == "two"
    heard = []
    binding.on_event.append(heard.append)
    await session.lab.ring("three")
    assert [event.value for event in heard] == ["three"]


async def test_the_first_callback_gets_the_events_before_it(session):
    binding, *_ = await asyncio.gather(
        session.lab.bind("bell"), session.lab.ring("one"), session.lab.ring("two"), session.lab.ring("three"))
    assert (await binding.event()).value == "one"
    first, second = [], []
    binding.on_event.append(lambda event: first.append(event.value))
    await until(lambda: first == ["two", "three"])
    binding.on_event.append(lambda event: second.append(event.value))
    await session.lab.ring("four")
    assert (first, second) == (["two", "three", "four"], ["four"])


def test_the_first_callback_gets_its_events_in_order_from_any_thread(desk):
    with desk().sync() as session:
        binding = session.lab.bind("bell").target
        for number in range(20):
            session.lab.ring(str(number))
        heard, all_came = [], threading.Event()

        def hear(event):
            heard.append(int(event.value))
            if len(heard) == 40:
                all_came.set()
        binding.on_event.append(hear)
        for number in range(20, 40):
            session.lab.ring(str(number))
        assert all_came.wait(30) and heard == list(range(40)), heard


async def test_lost_events_are_told(desk, proxy):
    async with proxy() as relay, desk(socket=relay.listen, backoff=(0.01, 0.1)) as session, desk() as other:
        binding = await session.lab.bind("bell")
        notices = []
        session.on_notice.append(lambda kind, detail: notices.append((kind, detail.get("lost"))))
        relay.default = Fault(cut_up=0)     # The client does not get through until all have rung.
        relay.cut()
        await until(lambda: session.connection_state == "reconnecting")
        await asyncio.gather(*(other.call("lab.ring", {"value": "x" * 2000}) for _ in range(200)))
        for _ in range(10):
            await asyncio.gather(*(other.call("lab.ring", {"value": "x" * 2000}) for _ in range(100)))
        relay.default = Fault()
        heard = 0
        while heard + binding.lost < 1200:
            await binding.event()
            heard += 1
        assert (heard + binding.lost, notices) == (1200, [("eventsLost", binding.lost)]) and binding.lost > 0


async def test_a_scroll_without_a_connection_loses_no_event(desk, proxy):
    async with proxy() as relay, desk(socket=relay.listen) as session, desk() as other:
        binding = await session.lab.bind("rows", "bell", windows={"rows": range(0, 3)})
        await session.lab.append(10)
        relay.cut()
        await until(lambda: session.connection_state == "reconnecting")
        scrolling = asyncio.ensure_future(binding.scroll("rows", range(5, 8)))
        await other.lab.ring("while away")
        await scrolling
        assert (await binding.event()).value == "while away"
        assert [row.id for row in binding.picture.rows] == [6, 7, 8]


async def test_prompts(vm, session):
    prompts = await session.prompter.bind()
    asked = asyncio.ensure_future(session.lab.ask(title="Really?"))
    picture = await prompts.wait(lambda p: p.pending, timeout=30)
    prompt = picture.pending[0]
    assert (prompt.kind, prompt.title, [button.id for button in prompt.buttons]) == (
        "confirm", "Really?", ["ok", "cancel"])
    await session.prompter.answer(id=prompt.id, button="ok")
    assert (await asked).button == "ok"
    with pytest.raises(vm.ActionFailed) as failure:
        await session.prompter.answer(id=prompt.id, button="ok")
    assert failure.value.error == "alreadyAnswered"


async def test_errors(vm, session):
    with pytest.raises(vm.MethodNotFound) as error:
        await session.call("calculator.prss", {"value": "1"})
    assert error.value.data["suggestions"] == ["press"]
    with pytest.raises(vm.InvalidParams) as error:
        await session.calculator.press("x")
    assert error.value.data["path"] == "/value"
    with pytest.raises(vm.ActionDisabled):
        await session.calculator.undo()
    with pytest.raises(vm.NotFound):
        await session.call("viewModel.close", {"id": "nothing"})
    with pytest.raises(vm.InternalError) as fault:
        await session.lab.trap()
    assert fault.value.incident
    with pytest.raises(vm.ActionFailed) as failure:
        await session.call("lab.fail", {"error": "odd", "retryable": True})
    assert (failure.value.error, failure.value.retryable) == ("odd", True)
    sleeping = asyncio.ensure_future(session.lab.sleep(milliseconds=60_000))
    await asyncio.sleep(0.05)
    with pytest.raises(vm.ActionExecuting):
        await session.lab.sleep(milliseconds=1)
    sleeping.cancel()
    await asyncio.gather(sleeping, return_exceptions=True)


async def test_a_declared_failure_is_an_exception_of_its_own_with_typed_details(vm, session):
    with pytest.raises(vm.SoldOutError) as failure:
        await session.lab.book(seats=50)
    assert failure.value.details.seats_left == 10 and not failure.value.retryable
    assert isinstance(failure.value.details.next_show, datetime)
    with pytest.raises(vm.OfficeBusyError) as failure:
        await session.lab.book(seats=500)
    assert failure.value.details.seconds == 2.5 and failure.value.retryable
    with pytest.raises(vm.OfficeClosedError) as failure:
        await session.lab.book(seats=5000)
    assert isinstance(failure.value, vm.ActionFailed) and failure.value.error == "officeClosed"
    assert failure.value.details is None and failure.value.message
    assert (await session.lab.book(seats=3)).seats == 3


async def test_values_of_each_type(session):
    binding = await session.lab.bind("sample")
    sample = dataclasses.replace(
        binding.picture.sample, date=datetime(2026, 1, 2, 3, 4, 5, 678_000, timezone.utc), data=b"\x00\xff", double=2,
        uuid=UUID("12345678-1234-5678-1234-567812345678"), decimal=Decimal("12.30"), optional=None,
        dictionary={"a": 1})
    members = {field.name: getattr(sample, field.name) for field in dataclasses.fields(sample)}
    await session.lab.set_sample(**members)
    assert binding.picture.sample == sample
    await session.lab.set_sample(**{**members, "optional": "here"})
    assert binding.picture.sample.optional == "here"


async def test_cancelling_the_task_cancels_the_request(session):
    binding = await session.lab.bind("sleep.executing")
    task = asyncio.ensure_future(session.lab.sleep(milliseconds=60_000))
    await binding.wait(lambda p: p.sleep_executing, timeout=30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await binding.wait(lambda p: not p.sleep_executing, timeout=30)


async def test_a_deadline(vm, session):
    with pytest.raises(vm.DeadlinePassed) as error:
        await session.lab.sleep(milliseconds=60_000, deadline=0.05)
    assert error.value.data["deadline"] == 50


async def test_the_time_limit_is_for_what_is_no_action(vm, desk, proxy):
    async with proxy() as relay:
        relay.faults.append(Fault(stall_up=600, stall=3))
        async with desk(socket=relay.listen) as session:
            session.time_limit = 0.2
            with pytest.raises(vm.TimedOut):
                for _ in range(20):
                    await session.lab.set(1)
        async with desk(socket=relay.listen) as session:
            session.time_limit = 0.2
            assert (await session.lab.sleep(milliseconds=400)).slept == 400


async def test_a_key_makes_a_call_run_once(session):
    await session.lab.append(1, key="a")
    await session.lab.append(1, key="a")
    assert len((await session.lab.read("rows")).rows) == 1
    first = await session.lab.sleep_queued(milliseconds=1, key="b")
    assert await session.lab.sleep_queued(milliseconds=1, key="b") == first
    assert (await session.lab.sleep_queued(milliseconds=1, retry=True)).order == first.order + 1


async def test_reconnecting_resumes_bindings(desk, proxy):
    async with proxy() as relay, desk(socket=relay.listen) as session, desk() as other:
        states, replies = [], []
        session.on_state.append(states.append)
        session.on_message.append(lambda m: replies.append(m["result"]) if "full" in m.get("result", ()) else None)
        binding = await session.lab.bind("rows", "value", "bell")
        await session.lab.append(100)
        relay.cut()
        await until(lambda: session.connection_state == "reconnecting")
        await other.lab.update(id=7, text="seven")
        await other.lab.ring("while away")
        await binding.wait(lambda p: p.rows[6].text == "seven", timeout=30)
        assert (await binding.event()).value == "while away"
        await until(lambda: states == ["reconnecting", "connected"])
        assert [reply["full"] for reply in replies] == [True, False], "only the change comes"


@pytest.mark.parametrize("hard", [False, True])
async def test_a_daemon_restart(vm, own, name, hard):
    """Another life of the session does not know the key of the call."""
    daemon = own()
    async with vm.Session(name, socket=str(daemon.socket)) as session:
        binding, lab = await session.calculator.bind("led", "operations"), await session.lab.bind("sleep.executing")
        notices = []
        session.on_notice.append(lambda kind, detail: notices.append(kind))
        await session.calculator.press("7")
        await session.calculator.press("+")
        keyed = asyncio.ensure_future(session.lab.sleep(milliseconds=60_000, retry=True))
        await lab.wait(lambda p: p.sleep_executing, timeout=30)
        epoch = session.epoch
        await asyncio.get_running_loop().run_in_executor(None, lambda: daemon.restart(hard=hard))
        with pytest.raises(vm.OutcomeUnknown if hard else (vm.OutcomeUnknown, vm.ShuttingDown, vm.RequestCancelled)):
            await asyncio.wait_for(keyed, 30)
        await until(lambda: session.connection_state == "connected" and session.epoch != epoch)
        await lab.wait(lambda p: p.sleep_executing is False, timeout=30)
        assert ("session.closed" in notices) is not hard
        if not hard:        # A daemon that ends in order saves what its sessions have.
            await session.calculator.press("1")
            assert [row.text for row in binding.picture.operations] == ["7"] and binding.picture.led == "1"


async def test_a_closed_client_refuses(vm, desk):
    async with desk() as session:
        binding = await session.lab.bind()
        running = asyncio.ensure_future(session.lab.sleep(milliseconds=60_000))
        await asyncio.sleep(0.02)
    with pytest.raises(vm.OutcomeUnknown):
        await running
    assert binding.ended and [picture async for picture in binding] == [binding.picture]
    for refused in (session.lab.set(1), session.lab.bind("rows"), session.calculator.bind(), binding.scroll("rows", range(3))):
        with pytest.raises(vm.Closed):
            await asyncio.wait_for(refused, 30)


async def test_a_closed_binding_does_not_scroll(vm, session):
    binding = await session.lab.bind("rows", windows={"rows": range(3)})
    await binding.close()
    with pytest.raises(vm.Closed):
        await binding.scroll("rows", range(3, 6))
    assert (await session.lab.bind("rows")) is not binding


async def test_a_binding_outlives_a_daemon_that_shuts_down_while_it_resumes(vm, path):
    def answer(message, connection):
        if connection != 2 or message["method"] != "viewModel.bind":
            return ANSWERED
        asyncio.get_running_loop().call_soon(server.writers[1].close)
        return {"error": {"code": -32007, "message": "Shutting down"}}
    async with Script(path, answer) as server, vm.Session("s", socket=path, backoff=(0.001, 0.01)) as session:
        binding = await session.lab.bind("value")
        server.writers[0].close()
        await binding.wait(lambda p: p.value == 3, timeout=30)


async def test_a_closed_instance_is_told(desk):
    async with desk() as session, desk() as other:
        notices = []
        session.on_notice.append(lambda kind, detail: notices.append((kind, detail)))
        binding = await (await session.open_calculator("extra")).bind()
        await other.call("viewModel.close", {"id": "extra"})
        await until(lambda: binding.ended)
        assert notices == [("viewModel.closed", {"id": "extra"})]


async def test_after_a_closed_session_the_client_attaches_to_its_name_again(vm, desk):
    async with desk() as session, desk() as other:
        states, reasons, epoch = [], [], session.epoch
        session.on_state.append(states.append)
        session.on_notice.append(lambda kind, detail: reasons.append((kind, detail["reason"])))
        page = await session.open_lab_page("page", title="Page")
        title, value = await page.bind("title"), await session.lab.bind("value")
        await session.lab.set(3)
        running = asyncio.ensure_future(session.lab.sleep(milliseconds=60_000))
        keyed = asyncio.ensure_future(session.lab.sleep_queued(milliseconds=60_000, retry=True))
        await until(lambda: not session._calls or all(call.sent for call in session._calls.values()))
        await other.call("session.close")
        for call in (running, keyed):
            with pytest.raises((vm.OutcomeUnknown, vm.RequestCancelled)):
                await call
        await until(lambda: states == ["reconnecting", "connected"])
        assert session.epoch != epoch and reasons == [("session.closed", "closed")]
        await value.wait(lambda p: p.value == 0, timeout=30)
        await title.wait(lambda p: p.title == "Page", timeout=30)
        assert (await page.read("title")).title == "Page", "the instance is opened again"
        await session.lab.set(4)
        assert value.picture.value == 4


async def test_a_moved_session_ends_the_client(vm, path):
    def answer(message, connection):
        if message["method"] == "lab.set":
            server.closed(1, "moved", node="berlin")
        return None if message["method"].startswith("lab.") else ANSWERED
    async with Script(path, answer) as server:
        session = vm.Session("s", socket=path, backoff=(0.001, 0.01))
        await session.connect()
        states = []
        session.on_state.append(states.append)
        binding = await session.lab.bind("value")
        waiting = asyncio.ensure_future(binding.wait(lambda p: p.value == 2))
        ringing = asyncio.ensure_future(binding.event())
        under_way = asyncio.ensure_future(session.lab.sleep(milliseconds=10))
        keyed = asyncio.ensure_future(session.lab.sleep(milliseconds=10, retry=True))
        await until(lambda: server.calls("lab.sleep") == [1, 1])
        session.notify("lab.set", {"value": 2})
        for waiter in (waiting, ringing, keyed, session.lab.set(3)):
            with pytest.raises(vm.SessionMoved) as moved:
                await asyncio.wait_for(waiter, 30)
            assert moved.value.node == "berlin" and "berlin" in str(moved.value)
        with pytest.raises(vm.OutcomeUnknown):
            await under_way
        with pytest.raises(vm.SessionMoved):
            assert [picture async for picture in binding] is None
        await asyncio.sleep(0.05)
        assert (states, server.calls("session.attach")) == (["closed"], [1]), "it does not attach again"
        await session.close()


async def test_attaching_to_a_session_that_closes_again_and_again_backs_off(vm, path, monkeypatch):
    """The delays are those that the client asks for: how long they take depends on the machine."""
    def answer(message, connection):
        if message["method"] == "session.attach":
            asyncio.get_running_loop().call_soon(server.closed, connection, "failed")
        return ANSWERED

    def after(client, name, seconds, work, real=vm.Client.after):
        if name == "connect" and seconds != client.time_limit:
            asked.append(seconds)
            seconds = 0.001
        real(client, name, seconds, work)
    asked = []
    monkeypatch.setattr(vm.Client, "after", after)
    monkeypatch.setattr(vm.random, "uniform", lambda low, high: high)
    async with Script(path, answer) as server, vm.Session("s", socket=path, backoff=(16, 4096), silence=0.2):
        await until(lambda: len(server.writers) >= 7)
    assert asked[:6] == [32, 64, 128, 256, 512, 1024]


async def test_another_contract_is_told(vm, desk):
    class Older(vm.Session):
        contract = "0" * 64

    async with Older(socket=desk().socket) as session:
        assert session.contract_changed
    async with desk() as session:
        assert not session.contract_changed


async def test_call_notify_and_messages(session):
    messages = []
    session.on_message.append(messages.append)
    listed = await session.call("viewModel.list")
    assert {"id": "coordinator", "type": "coordinator"} in listed["instances"]
    session.notify("lab.set", {"value": 5})
    assert (await session.call("viewModel.read", {"id": "lab", "outputs": ["value"]}))["values"] == {"value": 5}
    await session.call("lab.append", {"value": 1, "_meta": {"key": "k"}})
    assert all(message["jsonrpc"] == "2.0" for message in messages) and len(messages) >= 3


async def test_what_was_sent_before_the_end_arrives(desk):
    async with desk() as other:
        async with desk() as session:
            binding = await other.lab.bind("value", "sleep.executing")
            task = asyncio.ensure_future(session.lab.sleep(milliseconds=60_000))
            await binding.wait(lambda p: p.sleep_executing, timeout=30)
            for value in range(1, 501):
                session.notify("lab.set", {"value": value})
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await binding.wait(lambda p: p.value == 500 and not p.sleep_executing, timeout=30)


def test_the_synchronous_face(vm, desk):
    with desk().sync() as session:
        binding = session.calculator.bind("led")
        session.calculator.press("7")
        assert binding.picture.led == "7"
        typed = threading.Timer(0.02, lambda: session.calculator.press("8"))
        typed.start()
        assert binding.wait(lambda p: p.led == "78", timeout=30).led == "78"
        binding.close()
        lab = session.lab.bind()
        session.lab.ring("one")
        assert lab.event().value == "one"
        session.lab.append(9)
        assert session.lab.read("rows").rows.total == 9
        with pytest.raises(vm.ActionDisabled):
            session.calculator.undo()
        other = session.open_lab("other")
        other.set(3)
        assert other.read("value").value == 3
        box = session.send_list.draft_field()
        box.edit("hello")
        assert box.settle() == "hello" == session.send_list.read("draft").draft


async def test_the_synchronous_face_in_a_running_loop_and_in_threads(desk):
    with desk().sync() as session:
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            list(threads.map(session.lab.append, [1] * 8))
        assert session.lab.read("rows").rows.total == 8
        failed = []

        def call_back(picture):
            try:
                session.lab.set(1)
            except RuntimeError as error:
                failed.append(str(error))
        session.lab.bind().target.on_change.append(call_back)
        session.lab.set(2)
        assert "must not block" in failed[0]


def test_a_closed_synchronous_client_leaves_no_thread_waiting(desk, vm):
    session = desk(backoff=(0.2, 1)).sync()
    binding, box, ended = session.lab.bind("value"), session.lab.code_field(), []

    def call(work):
        try:
            ended.append(work())
        except (vm.ViewModelError, concurrent.futures.CancelledError) as error:
            ended.append(error)
    session.target._send = lambda call: setattr(call, "sent", 1.0)      # No reply comes.
    box.edit("x")
    works = [box.settle, binding.event, lambda: binding.wait(lambda p: False), lambda: session.wait_for(asyncio.sleep(60))]
    threads = [threading.Thread(target=call, args=[work], daemon=True) for work in works]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    session.close()
    for thread in threads:
        thread.join(30)
    assert len(ended) == len(works)


@pytest.mark.filterwarnings("error")
def test_a_closed_synchronous_client_refuses(vm, desk):
    with desk().sync() as session:
        binding, box = session.lab.bind("rows"), session.lab.code_field()
    for refused in (session.lab.bind, lambda: session.lab.set(1), lambda: binding.scroll("rows", range(3)), lambda: box.edit("x"),
                    lambda: session.call("viewModel.list"), session.open_lab):
        with pytest.raises(vm.Closed):
            refused()
    session.close()


def test_an_interrupt_cancels_the_request(desk):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with desk().sync() as session:
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                session.lab.sleep(milliseconds=60_000)
            session.lab.bind("sleep.executing").wait(lambda p: not p.sleep_executing, timeout=30)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_the_synchronous_face_reports_a_failed_connection(vm, tmp_path):
    threads = threading.active_count()
    with pytest.raises(OSError):
        vm.Session(socket=str(tmp_path / "none")).sync()
    assert threading.active_count() <= threads + 1
