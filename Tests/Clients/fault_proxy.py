"""A relay between clients and the daemon's socket that cuts, stalls and delays connections.

From Python: `async with FaultProxy(listen, target) as proxy: proxy.faults.append(Fault(cut_up=120))`. Each connection
takes the next fault; without one it is relayed as it is.
"""
from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Fault:
    """What happens to a connection. Counts are bytes, times are seconds."""

    cut_up: int | None = None
    """Closes the connection when this many bytes have passed from the client to the daemon."""
    cut_down: int | None = None
    """Closes the connection when this many bytes have passed from the daemon to the client."""
    delay_up: float = 0
    """Delays each part by a random time up to this one."""
    delay_down: float = 0
    least: float = 0
    """The least delay."""
    stall_up: int | None = None
    """Pauses for `stall` seconds when this many bytes have passed."""
    stall_down: int | None = None
    stall: float = 0


@dataclass
class Report:
    """The bytes that passed."""

    up: int = 0
    down: int = 0
    stalled: bool = False


@dataclass
class FaultProxy:
    listen: str
    target: str
    faults: deque[Fault] = field(default_factory=deque)
    default: Fault = field(default_factory=Fault)
    """The fault of connections for which none waits."""
    reports: list[Report] = field(default_factory=list)
    seed: int = 1

    async def __aenter__(self) -> FaultProxy:
        self._random = random.Random(self.seed)
        self._writers: set[asyncio.StreamWriter] = set()
        self._server = await asyncio.start_unix_server(self._accept, self.listen)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in list(self._writers):
            writer.close()

    def cut(self) -> None:
        """Closes all connections."""
        for writer in list(self._writers):
            writer.transport.abort()

    def stall(self) -> None:
        """The present connections deliver nothing from now on."""
        for report in self.reports:
            report.stalled = True

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fault, report = self.faults.popleft() if self.faults else self.default, Report()
        self.reports.append(report)
        try:
            upstream, to_daemon = await asyncio.open_unix_connection(self.target)
        except OSError:
            writer.close()
            return
        self._writers |= {writer, to_daemon}
        ways = [
            asyncio.ensure_future(self._pass("up", reader, to_daemon, fault, report)),
            asyncio.ensure_future(self._pass("down", upstream, writer, fault, report)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for end in (writer, to_daemon):
            end.close()         # What was written before is sent.
            self._writers.discard(end)

    async def _pass(
        self, way: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: Fault, report: Report
    ) -> None:
        cut, delay, stall = (getattr(fault, f"{name}_{way}") for name in ("cut", "delay", "stall"))
        with contextlib.suppress(OSError):
            while cut is None or getattr(report, way) < cut:
                data = await reader.read(1 << 16)
                if not data:
                    return
                if report.stalled:
                    continue
                if delay:
                    await asyncio.sleep(self._random.uniform(fault.least, delay))
                if stall is not None and getattr(report, way) + len(data) > stall:
                    stall = None
                    await asyncio.sleep(fault.stall)
                if cut is not None:
                    data = data[: cut - getattr(report, way)]
                writer.write(data)
                setattr(report, way, getattr(report, way) + len(data))
                await writer.drain()
