"""The connection is cut at every byte of a recorded session, in both directions.

Afterwards the client has the right picture, no call with a key is lost, and none runs twice. CUTS_STEP=7 cuts at each
seventh byte only.
"""
import asyncio
import contextlib
import os

import pytest
from daemons import Daemon, unique
from fault_proxy import Fault, FaultProxy

STEP = int(os.environ.get("CUTS_STEP", "1"))
AT_ONCE = 24


@pytest.fixture(scope="module")
def daemon():
    daemon = Daemon({"limits": {"sessionsPerUser": 65536}}).start()
    yield daemon
    daemon.discard()


async def play(vm, socket):
    """Runs the session, and checks what it left behind."""
    for _ in range(3):      # The first attempt to connect may be the one that is cut.
        session = vm.Session(unique("cut"), socket=socket, linger=60, backoff=(0.002, 0.02), time_limit=20)
        with contextlib.suppress(OSError, vm.ViewModelError):
            await session.connect()
            break
    try:
        binding = await session.lab.bind("rows", "value", "bell")
        unknown = 0
        await session.lab.append(3, retry=True)
        first = await session.lab.sleep_queued(milliseconds=0, retry=True)
        assert first.order == 1
        try:
            await session.lab.append(1)
        except vm.OutcomeUnknown:
            unknown += 1
        await session.lab.update(id=2, text="two", retry=True)
        await session.lab.ring("ding", retry=True)
        try:
            await session.lab.sleep_queued(milliseconds=0)
        except vm.OutcomeUnknown:
            unknown += 1
        await session.lab.move(from_=0, to=2, retry=True)
        last = await session.lab.sleep_queued(milliseconds=0, retry=True)
        assert last.order in (2, 3) and unknown <= 1
        picture = await session.lab.read("rows", "value")
        assert binding.picture.raw == picture.raw
        assert [row.text for row in picture.rows][:3] == ["two", "row 3", "row 1"]
        assert len(picture.rows) in ({4} if unknown == 0 else {3, 4})
        assert (await binding.event()).value == "ding" and not binding._events, "an event comes once"
    finally:
        await session.close()


@pytest.mark.parametrize("way", ["up", "down"])
def test_the_connection_is_cut_at_every_byte(vm, daemon, tmp_path, way):
    target, gate, failed = str(daemon.socket), asyncio.Semaphore(AT_ONCE), []

    async def cut(count):
        async with gate, FaultProxy(str(tmp_path / f"{way}{count}"), target) as relay:
            relay.faults.append(Fault(**{f"cut_{way}": count}))
            try:
                await asyncio.wait_for(play(vm, relay.listen), 30)
            except Exception as error:
                failed.append(f"cut at byte {count} {way}: {error!r}")

    async def scenario():
        async with FaultProxy(str(tmp_path / "whole"), target) as relay:
            await play(vm, relay.listen)
        await asyncio.gather(*(cut(count) for count in range(0, getattr(relay.reports[0], way) + 1, STEP)))
    asyncio.run(asyncio.wait_for(scenario(), 900))
    assert not failed, f"{len(failed)} cuts failed:\n" + "\n".join(failed[:10])
