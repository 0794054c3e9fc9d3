from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import json
import os
import random
import socket
import threading
import uuid
import warnings
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Callable, ClassVar, Generic, Literal, TypeVar, cast
from uuid import UUID

T = TypeVar("T")
P = TypeVar("P", bound="Picture")
E = TypeVar("E", bound="Event")

# Errors


class ViewModelError(Exception):
    """The base of this client's errors."""


class OutcomeUnknown(ViewModelError):
    """The connection was lost before the reply, and the call may have run. `retry=True` makes it repeatable."""


class TimedOut(ViewModelError, TimeoutError):
    """The time limit has passed."""


class Closed(ViewModelError):
    """The client, the binding or its instance is closed."""


class ContractChanged(ViewModelError):
    """The daemon has another contract than this file, and `strict_contract` is true."""


class UnexpectedValue(ViewModelError, ValueError):
    """A value from the daemon does not have the type of the contract."""


class PatchError(ViewModelError):
    """A JSON Patch does not fit its document."""


class RPCError(ViewModelError):
    """An error reply of the daemon. `incident` is the id of a fault in its log."""

    classes: ClassVar[dict[int, type[RPCError]]] = {}

    def __init_subclass__(cls, code: int = -32000) -> None:
        cls.classes.setdefault(code, cls)

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})" + ("" if data is None else f" {json.dumps(data, ensure_ascii=False)}"))
        self.code, self.message, self.data = code, message, data
        self.incident: str | None = cast("dict[str, Any]", data).get("incident") if isinstance(data, dict) else None


class ActionFailed(RPCError, code=-32000):
    """The action failed with a named error. An error that the contract declares has a subclass."""

    details: Any

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(code, message, data := data or {})
        self.error: str = data.get("error", "")
        self.retryable: bool = data.get("retryable") is True
        self.details = self.read(data.get("details"))

    @staticmethod
    def read(json: Any) -> Any:
        return json


# The connection

ConnectionState = Literal["connecting", "connected", "reconnecting", "closed"]
REPEATABLE = ("viewModel.read", "viewModel.list", "viewModel.bind", "viewModel.unbind", "rpc.discover")


def tell(callbacks: Iterable[Callable[..., object]], *news: Any) -> None:
    for callback in callbacks:
        asyncio.get_running_loop().call_soon(callback, *news)


def line(**message: Any) -> bytes:
    message["jsonrpc"] = "2.0"
    text = json.dumps(message, default=plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


@dataclass
class Call:
    """A request that has no reply yet."""

    method: str
    line: bytes
    key: str | None
    then: Callable[[Any], None] | None
    reply: asyncio.Future[Any]
    epoch: str | None = None  # Of the session, when it was sent.
    sent: float | None = None  # When it was sent first.


class Client:
    """A session of the daemon, over a connection that is restored when it breaks.

    Then the client attaches again, resumes its bindings and repeats calls with a key. Other calls under way fail with
    `OutcomeUnknown`. The callbacks in `on_state` get each new `connection_state`, those in `on_notice` a kind
    (`sessionClosed`, `stopping`, `instanceClosed`, `eventsLost`, `contractChanged`) and its params, and those in
    `on_message` each message of the daemon.
    """

    contract: ClassVar[str] = ""
    daemon_name: ClassVar[str] = "viewmodeld"

    def __init__(self, session: str | None = None, *, socket: str | None = None, linger: int | None = None,
                 time_limit: float = 10, backoff: tuple[float, float] = (0.05, 5),
                 strict_contract: bool = False) -> None:
        """Prepares a client of a session, by default one with a random name.

        Times are in seconds. `time_limit` is for all but actions, `backoff` has the least and the greatest delay before
        an attempt to connect, and the session stays for `linger` after its last connection.
        """
        runtime = "/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
        default = os.environ.get("VIEWMODELD_SOCKET") or f"{runtime}/{self.daemon_name}/{self.daemon_name}.sock"
        self._path, self._linger = socket or default, linger
        self.time_limit, self.backoff, self.strict_contract = time_limit, backoff, strict_contract
        self.session, self.epoch, self.contract_changed = session, "", False
        self.connection_state: ConnectionState = "connecting"
        self.on_state: list[Callable[[ConnectionState], object]] = []
        self.on_notice: list[Callable[[str, Mapping[str, Any]], object]] = []
        self.on_message: list[Callable[[dict[str, Any]], object]] = []
        self.bindings: dict[str, Binding[Any, Any]] = {}
        self._calls: dict[int, Call] = {}
        self._last_id = 0
        self._tasks: set[asyncio.Future[Any]] = set()
        self._unsent: asyncio.Queue[bytes] | None = None  # None without a connection.
        self._problem: Exception = Closed("the daemon closed the connection")

    async def __aenter__(self: T) -> T:
        await cast(Client, self).connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def connect(self) -> None:
        """Connects and attaches. It fails if the first attempt fails; later ones are repeated."""
        self._first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.spawn(self._live())
        try:
            await self._first
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Closes the connection. The session stays while it lingers."""
        self._turn("closed")
        self._fail(lambda call: True)
        for binding in list(self.bindings.values()):
            binding.end("the client is closed")
        if self._unsent:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._unsent.join(), 1)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def call(self, method: str, params: Mapping[str, Any] | None = None, *, deadline: float | None = None,
                   key: str | None = None, retry: bool = False, time_limit: float | None = None,
                   then: Callable[[Any], None] | None = None, now: bool = False) -> Any:
        """Calls any method and returns its result as JSON. A cancelled task cancels its request.

        `deadline` in seconds is for actions. A call with a `key` is repeated after a lost connection and runs once, and
        `retry` makes a key. Without a connection the call waits for one.
        """
        if self.connection_state == "closed":
            raise Closed("the client is closed")
        params, key = dict(params or {}), key or (uuid.uuid4().hex if retry else None)
        milliseconds = None if deadline is None else max(1, round(deadline * 1000))
        if meta := without_none({"deadline": milliseconds, "key": key, **params.get("_meta", {})}):
            params["_meta"] = meta
        if method.startswith(("viewModel.", "session.", "rpc.")):
            time_limit = time_limit or self.time_limit
        limit = time_limit or (None if deadline is None else deadline + self.time_limit)
        self._last_id += 1
        number, reply = self._last_id, asyncio.get_running_loop().create_future()
        call = Call(method, line(id=number, method=method, params=params), meta.get("key"), then, reply)
        self._calls[number] = call
        try:
            if now or self.connection_state == "connected":
                self._send(call)
            return await asyncio.wait_for(reply, limit)
        except (asyncio.CancelledError, asyncio.TimeoutError) as error:
            self.notify("$/cancelRequest", {"id": number})
            if isinstance(error, asyncio.TimeoutError):
                raise TimedOut(f"{method}: no reply within {limit} s") from None
            raise
        finally:
            del self._calls[number]

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Sends a notification, which has no reply. Without a connection it is dropped."""
        if self._unsent:
            self._unsent.put_nowait(line(method=method, params=params))

    async def open(self, type: str, id: str | None = None, arguments: Any = None) -> str:
        """Opens an instance, or finds the one with this id. Returns its id."""
        params = without_none({"type": type, "id": id, "arguments": arguments})
        return str((await self.call("viewModel.open", params))["id"])

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Future[Any]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _send(self, call: Call) -> None:
        if self._unsent:
            call.epoch = self.epoch
            call.sent = call.sent or asyncio.get_running_loop().time()
            self._unsent.put_nowait(call.line)

    def _fail(self, is_lost: Callable[[Call], bool]) -> None:
        for call in self._calls.values():
            if is_lost(call) and not call.reply.done():
                kind = Closed if call.epoch is None else OutcomeUnknown
                call.reply.set_exception(kind(f"{call.method}: the connection was lost"))

    def _turn(self, state: ConnectionState) -> None:
        if state != self.connection_state != "closed":
            self.connection_state = state
            tell(self.on_state, state)

    async def _live(self) -> None:
        delay = self.backoff[0]
        while True:
            tasks: list[asyncio.Future[Any]] = []
            try:
                with socket.socket(socket.AF_UNIX) as link:
                    link.setblocking(False)
                    await asyncio.get_running_loop().sock_connect(link, self._path)
                    self._unsent = asyncio.Queue()
                    tasks = [self.spawn(self._write(link, self._unsent)), self.spawn(self._attach(link))]
                    await self._receive(link)
            except Exception as error:
                self._problem = error
            finally:
                self._unsent = None
                for task in tasks:
                    task.cancel()
            if not self._first.done():
                return self._first.set_exception(self._problem)
            delay = self.backoff[0] if self.connection_state == "connected" else min(delay * 2, self.backoff[1])
            self._turn("reconnecting")
            self._fail(lambda call: call.epoch is not None and call.key is None and call.method not in REPEATABLE)
            await asyncio.sleep(delay * random.uniform(0.5, 1))

    async def _write(self, link: socket.socket, unsent: asyncio.Queue[bytes]) -> None:
        with contextlib.suppress(OSError):  # What the daemon sent before is still to be read.
            while True:
                await asyncio.get_running_loop().sock_sendall(link, await unsent.get())
                unsent.task_done()

    async def _receive(self, link: socket.socket) -> None:
        parts: list[bytes] = []
        while data := await asyncio.get_running_loop().sock_recv(link, 1 << 16):
            *lines, rest = data.split(b"\n")
            for text in lines:
                message = json.loads(b"".join(parts) + text)
                parts.clear()
                tell(self.on_message, message)
                if "method" in message:
                    self._notified(message["method"], message["params"], link)
                else:
                    self._answered(self._calls.get(message["id"] or 0), message)
            parts.append(rest)

    def _notified(self, method: str, params: Mapping[str, Any], link: socket.socket) -> None:
        binding = self.bindings.get(params.get("id", ""))
        if method == "viewModel.changed" and binding:
            binding.apply(params)
        elif method == "viewModel.closed":
            tell(self.on_notice, "instanceClosed", params)
            if binding:
                binding.end("the instance was closed")
        elif method == "session.closed" and params["reason"] == "stopping":
            tell(self.on_notice, "stopping", params)
        elif method == "session.closed":  # The connection is in an anonymous session.
            tell(self.on_notice, "sessionClosed", params)
            self._turn("reconnecting")
            self.spawn(self._attach(link))

    def _answered(self, call: Call | None, message: Mapping[str, Any]) -> None:
        if error := message.get("error"):
            made = RPCError.classes.get(error["code"], RPCError)(error["code"], error["message"], error.get("data"))
            if made.code == -32007:
                tell(self.on_notice, "stopping", {})
            if not call:
                self._problem = made
            elif not call.reply.done():
                call.reply.set_exception(made)
        elif call and not call.reply.done():
            if call.then:
                call.then(message["result"])
            call.reply.set_result(message["result"])

    async def _attach(self, link: socket.socket) -> None:
        """Attaches, resumes the bindings and sends the calls that wait."""
        try:
            params = without_none({"session": self.session, "linger": self._linger, "client": {"name": "python"}})
            reply = await self.call("session.attach", params, now=True)
            self.session, self.epoch = cast(str, reply["session"]), cast(str, reply["epoch"])
            # Another life of the session does not know these keys, and the daemon forgets a key after ten minutes.
            oldest = asyncio.get_running_loop().time() - 540
            self._fail(lambda call: bool(call.key and call.sent and (call.epoch != self.epoch or call.sent < oldest)))
            self._compare(reply.get("contract"))
            for binding in list(self.bindings.values()):
                await binding.bind(resuming=True)
        except Exception as error:
            self._problem = error
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            return
        self._turn("connected")
        for _, call in sorted(self._calls.items()):
            self._send(call)
        if not self._first.done():
            self._first.set_result(None)

    def _compare(self, contract: str | None) -> None:
        is_other = bool(contract and self.contract and contract != self.contract)
        if is_other and self.strict_contract:
            raise ContractChanged(f"the daemon has the contract {contract}")
        if is_other and not self.contract_changed:
            warnings.warn(f"{self.daemon_name} has another contract than its client", stacklevel=2)
            tell(self.on_notice, "contractChanged", {"contract": contract})
        self.contract_changed = is_other


# Instances


class ViewModel:
    """An instance of a ViewModel type."""

    _names: ClassVar[Mapping[str, str]] = {}  # Those of outputs that differ in the contract.

    def __init__(self, client: Client, id: str) -> None:
        self.client, self.id = client, id

    async def _input(self, name: str, params: Mapping[str, Any], key: str | None = None, retry: bool = False) -> Any:
        limit = self.client.time_limit
        return await self.client.call(f"{self.id}.{name}", params, key=key, retry=retry, time_limit=limit)

    async def _action(self, name: str, params: Mapping[str, Any], read: Callable[[Any], T],
                      errors: Mapping[str, type[ActionFailed]], deadline: float | None, key: str | None,
                      retry: bool) -> T:
        try:
            return read(await self.client.call(f"{self.id}.{name}", params, deadline=deadline, key=key, retry=retry))
        except ActionFailed as error:
            with contextlib.suppress(KeyError, UnexpectedValue):
                raise errors[error.error](error.code, error.message, error.data) from None
            raise

    def _choice(self, outputs: Iterable[str], windows: Mapping[Any, Window] | None) -> dict[str, Any]:
        chosen = [self._names.get(name, name) for name in outputs]
        parts = {self._names.get(name, name): vars(window) for name, window in (windows or {}).items()}
        return {"id": self.id, "windows": parts, **({"outputs": chosen} if chosen else {})}

    async def _read(self, picture: type[P], outputs: Iterable[str], windows: Mapping[Any, Window] | None) -> P:
        return picture((await self.client.call("viewModel.read", self._choice(outputs, windows)))["values"])

    async def _bind(self, picture: type[P], events: Mapping[str, type[E]], outputs: Iterable[str],
                    windows: Mapping[Any, Window] | None, interval: float) -> Binding[P, E]:
        binding: Binding[P, E] | None = self.client.bindings.get(self.id)
        params: dict[str, Any] = {**self._choice(outputs, windows), "minInterval": round(interval * 1000)}
        if binding:
            known = binding.wanted
            params = {"id": self.id, "windows": {**known["windows"], **params["windows"]},
                      "minInterval": min(known["minInterval"], params["minInterval"])}
        binding = binding or Binding(self.client, picture, events, self._names, params)
        self.client.bindings[self.id] = binding
        await binding.bind(params)
        return binding


class Binding(Generic[P, E]):
    """A live picture of an instance: iterate over pictures, wait for one, or append callbacks to `on_change`.

    `picture` is the newest picture. Events go to the callbacks in `on_event`, without one to `events()`. `lost` counts
    events that were dropped. `ended` says why no more pictures come. A client has one binding for an instance: to bind
    again gives the same one, with all outputs and the windows of both.
    """

    picture: P

    def __init__(self, client: Client, picture: type[P], events: Mapping[str, type[E]], names: Mapping[str, str],
                 wanted: dict[str, Any]) -> None:
        self.client, self.wanted, self._type, self._kinds, self._names = client, wanted, picture, events, names
        self.seq, self.lost, self.ended, self._epoch = 0, 0, "", ""
        self.on_change: list[Callable[[P], object]] = []
        self.on_event: list[Callable[[E], object]] = []
        self._raw: dict[str, Any] = {}
        self._bound: dict[str, Any] = {}
        self._moved = asyncio.Event()
        self._events: deque[E] = deque(maxlen=1024)

    async def bind(self, wanted: dict[str, Any] | None = None, resuming: bool = False) -> None:
        before, self.wanted = self.wanted, wanted or self.wanted
        try:
            if resuming and self._bound:
                since = {"since": {"epoch": self._epoch, "seq": self.seq}}
                await self._request({**self._bound, **since}, self._bound, resuming)
            if not resuming or self._bound != self.wanted:
                await self._request(self.wanted, self.wanted, resuming)
        except BaseException as error:
            self.wanted = before
            if not self._bound or resuming and getattr(error, "code", 0) in (-32004, -32602):
                self.end(str(error))
            elif not resuming and not self.ended and not isinstance(error, RPCError):
                self.client.spawn(self.bind())  # The daemon may have bound it.
            if not resuming or not self.ended:
                raise

    async def _request(self, params: dict[str, Any], wanted: dict[str, Any], now: bool) -> None:
        await self.client.call("viewModel.bind", params, then=functools.partial(self._start, wanted), now=now)

    def _start(self, wanted: dict[str, Any], reply: Mapping[str, Any]) -> None:
        self._bound, self._epoch = wanted, reply["epoch"]
        self._raw = {} if reply["full"] else self._raw
        self.apply(reply)

    def apply(self, frame: Mapping[str, Any]) -> None:
        try:
            self._raw = apply_patch({**self._raw, **frame.get("values", {})}, frame.get("patch", ()))
        except PatchError:
            self.client.spawn(self.bind())
            return
        self.seq = frame["seq"]
        if "values" in frame or "patch" in frame:
            self.picture = self._type(self._raw)
            tell(self.on_change, self.picture)
        lost = frame.get("lost", 0)
        for event in frame.get("events", ()):
            if kind := self._kinds.get(event["output"]):
                try:
                    made = kind.from_json(event)
                except UnexpectedValue:
                    lost += 1
                    continue
                tell(self.on_event, made)
                self._events.extend([] if self.on_event else [made])
        if lost:
            self.lost += lost
            tell(self.client.on_notice, "eventsLost", {"id": frame.get("id"), "lost": lost})
        self._wake()

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()

    def end(self, reason: str) -> None:
        self.ended = self.ended or reason
        if self.client.bindings.get(self.wanted["id"]) is self:
            del self.client.bindings[self.wanted["id"]]
        self._wake()

    async def __aiter__(self) -> AsyncIterator[P]:
        """Yields the picture, and after changes the newest one."""
        seen: P | None = None
        while not self.ended:
            if seen is self.picture:
                await self._moved.wait()
            else:
                seen = self.picture
                yield seen

    async def events(self) -> AsyncIterator[E]:
        """Yields the events since the bind, for a slow reader the newest 1024."""
        while self._events or not self.ended:
            if self._events:
                yield self._events.popleft()
            else:
                await self._moved.wait()

    async def wait(self, condition: Callable[[P], object], timeout: float | None = None) -> P:
        """Returns the first picture that fits. Raises `TimedOut`, or `Closed` if the binding ends."""
        async def find() -> P:
            async for picture in self:
                if condition(picture):
                    return picture
            raise Closed(self.ended)
        try:
            return await asyncio.wait_for(find(), timeout)
        except asyncio.TimeoutError:
            raise TimedOut(f"no such picture within {timeout} s") from None

    async def scroll(self, output: str, offset: int, limit: int | None = None) -> None:
        """Moves the window of a list."""
        windows, name = self.wanted["windows"], self._names.get(output, output)
        window = {"offset": offset, "limit": limit or windows[name]["limit"]}
        await self.bind({**self.wanted, "windows": {**windows, name: window}})

    async def close(self) -> None:
        """Ends the binding."""
        if not self.ended:
            self.end("the binding was closed")
            await self.client.call("viewModel.unbind", {"id": self.wanted["id"]})

    async def __aenter__(self) -> Binding[P, E]:
        return self

    async def __aexit__(self, *_: object) -> None:
        with contextlib.suppress(ViewModelError):
            await self.close()
