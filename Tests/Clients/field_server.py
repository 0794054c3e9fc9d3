"""A server with one field, for rules that no reference ViewModel has: `text` becomes what a function makes of it.

It speaks the part of the protocol that a field needs: attach, bind with `minInterval` and `since`, read, the input `box.text`
with `held`, and frames. `async with FieldServer(path, str.upper) as server`.
"""
from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Callable


class Refusal(Exception):
    """The text is not accepted."""


def clear(text: str) -> str:
    return "" if text.endswith(".") else text


def refuse(text: str) -> str:
    if "x" in text:
        raise Refusal
    return text


RULES: dict[str, Callable[[str], str]] = {
    "echo": str, "upper": str.upper, "trim": str.strip, "clear": clear, "refuse": refuse,
}


class Connection:
    def __init__(self, server: FieldServer, writer: asyncio.StreamWriter):
        self.server, self.writer = server, writer
        self.interval: float | None = None      # None without a binding.
        self.known: str | None = None
        self.timer: asyncio.TimerHandle | None = None

    def send(self, **message):
        if not self.writer.is_closing():
            self.writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def changed(self):
        """Sends a frame now, or when `minInterval` has passed since the last one."""
        if self.interval is None or self.timer:
            return
        if self.known != self.server.text:
            self.known = self.server.text
            values = {"text": self.known}
            self.send(method="viewModel.changed", params={"id": "box", "seq": self.server.seq, "values": values})
            if self.interval:
                self.timer = asyncio.get_running_loop().call_later(self.interval, self.ready)

    def ready(self):
        self.timer = None
        self.changed()

    def answer(self, method: str, params: dict):
        server = self.server
        if method == "session.attach":
            self.interval = None
            return {"session": params.get("session", "s"), "created": False, "restored": False, "epoch": "e", "linger": 30,
                    "daemon": {"name": "field", "version": "1"}, "protocol": 1}
        state = {"id": "box", "epoch": "e", "seq": server.seq, "values": {"text": server.text}}
        if method == "viewModel.read":
            return state
        if method == "viewModel.bind":
            self.interval, self.known = params.get("minInterval", 0) / 1000, server.text
            return {**state, "full": True}
        if method == "box.text":
            server.put(params["value"])
            held = self.interval is not None and self.known != server.text
            return {"seq": server.seq, **({"held": True} if held else {})}
        return None

    def receive(self, message: dict):
        if "id" not in message:
            return
        try:
            self.send(id=message["id"], result=self.answer(message["method"], message.get("params", {})))
        except Refusal:
            self.send(id=message["id"], error={"code": -32602, "message": "Invalid params", "data": {"path": "/value"}})


class FieldServer:
    def __init__(self, path: str, rule: Callable[[str], str]):
        self.path, self.rule = path, rule
        self.text, self.seq = "", 0
        self.connections: set[Connection] = set()

    def put(self, text: str):
        made = self.rule(text)
        if made != self.text:
            self.text, self.seq = made, self.seq + 1
        for connection in list(self.connections):
            connection.changed()

    async def __aenter__(self) -> FieldServer:
        self._tasks: set[asyncio.Task] = set()
        self._server = await asyncio.start_unix_server(self._accept, self.path)
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._tasks.add(asyncio.current_task())
        connection = Connection(self, writer)
        self.connections.add(connection)
        try:
            with contextlib.suppress(OSError, ValueError, asyncio.CancelledError):
                while line := await reader.readline():
                    connection.receive(json.loads(line))
        finally:
            self.connections.discard(connection)
            if connection.timer:
                connection.timer.cancel()
            writer.close()
