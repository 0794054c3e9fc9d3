from __future__ import annotations

import asyncio
import base64
import errno
import functools
import json
import os
import random
import re
import stat
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Coroutine, Generic, Literal, Mapping, TypeVar
from typing import cast
from uuid import UUID, uuid4

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec  # pyright: ignore[reportMissingModuleSource]
    A = ParamSpec("A")
T = TypeVar("T")
P = TypeVar("P")
E = TypeVar("E")
Json = dict[str, Any]
Read = Callable[[Any], T]
Callback = Callable[[T], object]
loop = asyncio.get_running_loop

# Errors


class ViewModelError(Exception):
    """The base of the errors."""


class OutcomeUnknown(ViewModelError):
    """The connection was lost before the reply, and the call may have run."""


class TimedOut(ViewModelError, TimeoutError):
    """The time limit has passed."""


class Closed(ViewModelError):
    """The client, the binding or its instance is closed."""


class NoConnection(ViewModelError, OSError):
    """The daemon cannot be reached at its socket."""

    def __init__(self, path: str, daemon: str, cause: OSError):
        permission = "The daemon's socket.mode and socket.group decide who may connect"
        reason, remedy = {
            errno.ENOENT: ("there is no such socket", ""),
            errno.ECONNREFUSED: ("no process listens there", ""),
            errno.EACCES: ("permission denied", permission),
        }.get(cause.errno or 0, (cause.strerror or str(cause), ""))
        with suppress(OSError, ValueError):
            if not stat.S_ISSOCK(os.stat(path).st_mode):
                reason, remedy = "it is not a socket", ""
        if len(os.fsencode(path)) > 107:
            reason, remedy = "the path has more than 107 bytes", "Choose a shorter path"
        remedy = remedy or f"Start {daemon}, or name its socket with socket= or VIEWMODELD_SOCKET"
        super().__init__(f"No connection to {path}: {reason}. {remedy}")
        self.errno, self.filename = cause.errno, path

    __str__ = ViewModelError.__str__


class SessionMoved(ViewModelError):
    """The session lives on another machine now, the `node`."""

    def __init__(self, node: str):
        super().__init__(f"the session lives on {node}")
        self.node = node


class UnexpectedValue(ViewModelError, ValueError):
    """A value from the daemon does not fit the contract."""


class RPCError(ViewModelError):
    """An error reply, with a subclass for each code. `incident` is the id of a fault in the daemon's log."""

    code = 0

    def __init__(self, code: int, message: str, data: Any = None):
        super().__init__(f"{message} ({code}) {data or ''}")
        self.code, self.message = code, message
        self.data: Json = data or {}
        self.incident: str | None = self.data.get("incident")


class ActionFailed(RPCError):
    """The action failed with the named `error`. One that the contract declares has a subclass."""

    code = -32000

    def __init__(self, *reply: Any):
        super().__init__(*reply)
        self.error, self.retryable = str(self.data.get("error")), self.data.get("retryable") is True

    @property
    def details(self) -> Any:
        return self.data.get("details")


class ParseError(RPCError):
    code = -32700


class InvalidRequest(RPCError):
    code = -32600


class MethodNotFound(RPCError):
    code = -32601


class InvalidParams(RPCError):
    code = -32602


class InternalError(RPCError):
    code = -32603


class MessageTooLarge(RPCError):
    code = -32001


class ActionDisabled(RPCError):
    code = -32002


class ActionExecuting(RPCError):
    code = -32003


class NotFound(RPCError):
    code = -32004


class AccessDenied(RPCError):
    code = -32005


class LimitExceeded(RPCError):
    code = -32006


class ShuttingDown(RPCError):
    code = -32007


class DeadlinePassed(RPCError):
    code = -32008


class SessionElsewhere(RPCError):
    code = -32009


class SessionEnded(RPCError):
    code = -32010


class RequestCancelled(RPCError):
    code = -32800


# The connection

ConnectionState = Literal["connecting", "connected", "reconnecting", "closed"]


def tell(callbacks: list[Any], *news: Any) -> None:
    for callback in callbacks:
        loop().call_soon(callback, *news)


async def within(limit: float | None, work: Awaitable[T], what: str) -> T:
    try:
        return await asyncio.wait_for(work, limit)
    except asyncio.TimeoutError:
        raise TimedOut(f"{what}: nothing within {limit} s") from None


def line(**parts: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **parts}, default=plain, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def failure(code: int, message: str, data: Any = None) -> RPCError:
    return {kind.code: kind for kind in RPCError.__subclasses__()}.get(code, RPCError)(code, message, data)


class Call(asyncio.Future[Any]):
    """A request that has no reply yet."""

    number: int
    line: bytes
    key: str | None
    repeatable: bool
    resumes = False  # Whether each new connection sends another one.
    sent = 0.0  # When it was sent first.
    repeated = False  # Whether an earlier connection may have run it.

    def fail(self, error: Exception) -> None:
        if not self.done():
            self.set_exception(error)


lives: set[asyncio.Future[None]] = set()  # The event loop has weak references only.


class Client:
    """A session of the daemon. When the connection breaks, the client connects again and resumes its bindings.

    Callbacks in `on_state` get each `connection_state`, those in `on_message` each message, those in `on_notice`
    `session.closed`, `viewModel.closed` or `eventsLost`, and its params.
    """

    contract = ""
    daemon_name = "viewmodeld"
    connection_state: ConnectionState = "connecting"
    contract_changed = False
    _last_id = _silence = 0
    _longest = 1 << 60
    _life: asyncio.Future[None] | None = None
    _writer: asyncio.StreamWriter | None = None
    _ended: ViewModelError | None = None
    _left: Json = {}  # What ended the session of this connection.

    def __init__(
        self, session: str | None = None, *, socket: str | None = None, linger: int | None = None,
        time_limit: float = 10, backoff: tuple[float, float] = (0.05, 5), move: bool = False, silence: float = 8,
    ):
        """A session, by default with a random name. Times are in seconds.

        `time_limit` is for all but actions, `backoff` the delay before connecting. `move` takes it from clients
        elsewhere. After `silence` the client asks for a sign of life, and after three times as much it connects again.
        """
        runtime = "/run" if os.geteuid() == 0 else os.getenv("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
        default = os.getenv("VIEWMODELD_SOCKET") or f"{runtime}/{self.daemon_name}/{self.daemon_name}.sock"
        self.socket, self.session, self.linger, self.epoch = socket or default, session, linger, ""
        self.time_limit, self.backoff, self.move, self.silence = time_limit, backoff, move, silence
        self.on_state: list[Callback[ConnectionState]] = []
        self.on_notice: list[Callable[[str, Json], object]] = []
        self.on_message: list[Callback[Json]] = []
        self.bindings: dict[str, Binding[Any, Any]] = {}
        self._opened: dict[str, Json] = {}
        self._calls: dict[int, Call] = {}

    async def __aenter__(self: T) -> T:
        await cast(Client, self).connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def connect(self) -> None:
        """Connects and attaches. Only the first attempt can fail; later ones repeat."""
        try:
            self._life = loop().create_task(self._live(await self._attach()))
            lives.add(self._life)
            self._life.add_done_callback(lives.discard)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Closes the connection. The session stays while it lingers."""
        self._end(Closed("the client is closed"))
        if self._writer:
            self._writer.write_eof()  # The daemon reads the rest and hangs up.
        if self._life:
            await asyncio.wait({self._life}, timeout=1 if self._writer else 0)
            self._life.cancel()
        self.drop()

    async def call(
        self, method: str, params: Mapping[str, Any] | None = None, *, deadline: float | None = None,
        key: str | None = None, retry: bool = False, time_limit: float | None = None,
    ) -> Any:
        """Calls any method and returns its result as JSON. A cancelled task cancels its request.

        If the connection breaks, a call with a `key` is repeated and runs once. `retry` makes a key. Other calls fail
        with `OutcomeUnknown`. `deadline` is for actions.
        """
        params, key = dict(params or {}), key or (uuid4().hex if retry else None)
        milliseconds = None if deadline is None else max(1, round(deadline * 1000))
        if meta := without_none({"deadline": milliseconds, "key": key, **params.get("_meta", {})}):
            params["_meta"] = meta
        if method == "viewModel.close":
            self._opened.pop(params.get("id", ""), None)
        is_protocol = method.startswith(("viewModel.", "session.", "rpc."))
        if is_protocol or deadline is not None:
            time_limit = time_limit or self.time_limit + (deadline or 0)
        call = self.send(method, params, meta.get("key"), is_protocol)
        try:
            return await within(time_limit, call, method)
        finally:
            if call.cancelled():
                self.notify("$/cancelRequest", {"id": call.number})

    def notify(self, method: str, params: Json) -> None:
        """Sends a notification, which has no reply. Without a connection it is dropped."""
        if self._writer and not self._left and not self._ended:
            self._writer.write(line(method=method, params=params))

    async def open(self, type: str, id: str | None = None, arguments: Any = None) -> str:
        """Opens an instance, in a new session again, or finds the one with this id. Returns its id."""
        id = id or f"py-{uuid4()}"
        params = without_none({"type": type, "id": id, "arguments": arguments})
        await self.call("viewModel.open", params)
        self._opened[id] = params
        return id

    def send(self, method: str, params: Json, key: str | None = None, repeatable: bool = False) -> Call:
        if self._ended:
            raise self._ended
        call = Call()
        call.number = number = self._last_id = self._last_id + 1
        call.line, call.key, call.repeatable = line(id=number, method=method, params=params), key, repeatable
        self._calls[number] = call
        call.add_done_callback(lambda _: self._calls.pop(number))
        self._send(call)
        return call

    def _send(self, call: Call) -> None:
        size = len(call.line) - 1
        if size > self._longest:
            call.fail(failure(-32001, f"The message has {size} bytes", {"limit": self._longest}))
        elif self._writer and self.connection_state == "connected" and not self._left and not call.done():
            call.repeated = call.sent > 0
            call.sent = call.sent or loop().time()
            self._writer.write(call.line)

    def drop(self) -> None:
        if self._writer:
            self._writer.close()

    def _lose(self, memory: float = 540) -> None:
        """Fails the calls that must not run again. The daemon forgets a key after ten minutes."""
        for call in self._calls.values():
            if call.sent and not call.repeatable and not (call.key and loop().time() - call.sent < memory):
                call.fail(OutcomeUnknown("the connection was lost"))

    def _end(self, cause: ViewModelError) -> None:
        self._ended = self._ended or cause
        self._turn("closed")
        self._lose()
        waiting: list[Call | Binding[Any, Any]] = [*self._calls.values(), *self.bindings.values()]
        for each in waiting:
            each.fail(cause)

    def _turn(self, state: ConnectionState) -> None:
        if state != self.connection_state != "closed":
            self.connection_state = state
            tell(self.on_state, state)

    async def _live(self, reader: asyncio.StreamReader | None) -> None:
        delay, longest = self.backoff
        while True:
            began, watch = loop().time(), loop().create_task(self._watch())
            with suppress(Exception):
                await self._read(reader or await self._attach())
            watch.cancel()
            self.drop()
            self._writer = reader = None
            if self._left.get("reason") == "moved":
                self._end(SessionMoved(self._left.get("node", "another machine")))
            if self._ended:
                return
            self._turn("reconnecting")
            self._lose()
            delay = self.backoff[0] if loop().time() - began > longest else min(delay * 2, longest)
            await asyncio.sleep(delay * random.uniform(0.5, 1))

    async def _attach(self) -> asyncio.StreamReader:
        self._left = {}
        try:
            reader, self._writer = await asyncio.open_unix_connection(self.socket, limit=1 << 30)
        except OSError as error:
            raise NoConnection(self.socket, self.daemon_name, error) from error
        params = without_none({"session": self.session, "linger": self.linger,
            "move": self.move and not self.epoch or None})
        with suppress(OSError):  # A refusal can be read.
            os.write(self._writer.get_extra_info("socket").fileno(), line(id=0, method="session.attach", params=params))
        text = await within(self.time_limit, reader.readline(), "session.attach")
        if text[-1:] != b"\n":
            raise Closed("daemon hung up")
        answer, waiting = json.loads(text), [*self._calls.values()]
        if "error" in answer:
            raise failure(**answer["error"])
        reply = answer["result"]
        is_new = reply["epoch"] != self.epoch
        self.session, self.epoch = reply["session"], reply["epoch"]
        self.contract_changed = self.contract not in ("", reply.get("contract"))
        limits: Json = reply.get("limits") or {}
        self._longest = limits.get("messageBytes", self._longest)
        self._turn("connected")
        if is_new:
            self._lose(0)
            for params in self._opened.values():
                self.notify("viewModel.open", params)
        for binding in self.bindings.values():
            binding.resume()
        for call in waiting:
            self._send(call)
        return reader

    async def _watch(self) -> None:
        """Ends a connection on which nothing comes, not even the answer to a request for a sign of life."""
        self._silence = 0
        while self._silence < 6:
            await asyncio.sleep(self.silence / 2)
            self._silence = self._silence + 1 if self._writer and (self._calls or self.bindings) else 0
            if self._silence == 2 and self._writer and not self._left:
                self._writer.write(line(id=-1, method="$/cancelRequest", params={"id": ""}))  # It answers null.
        if self._writer:
            self._writer.transport.abort()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        parts: list[bytes] = []
        while data := await reader.read(1 << 20):
            self._silence = 0
            *ends, rest = data.split(b"\n")
            for end in ends:
                await self._received(json.loads(b"".join([*parts, end])))
                parts = []
            parts.append(rest)

    async def _received(self, message: Json) -> None:
        tell(self.on_message, message)
        if "method" in message:
            return self._notified(message["method"], message["params"])
        call = self._calls.get(message["id"])
        if message["id"] is None:  # A message that is too large has no id in its error.
            call = max(self._calls.values(), key=lambda call: len(call.line), default=None)
        error = failure(**message["error"]) if "error" in message else None
        refused = isinstance(error, SessionEnded) and not (call and call.resumes)
        if call and (refused or isinstance(error, ShuttingDown) and (call.key or call.repeatable)):
            call.sent *= call.repeated  # It did not run now, and the next connection sends it.
        elif call and error:
            call.fail(error)
        elif call and not call.done() and self._left.get("reason", "stopping") == "stopping":
            call.set_result(message["result"])
            await asyncio.sleep(0)  # The caller goes on first.
        if error and isinstance(error, SessionEnded):
            self._leave(error.data)

    def _leave(self, end: Json) -> None:
        """Ends the connection after the end of its session, and learns before it which calls were refused."""
        if self._left:
            return
        self._left = {"reason": "closed", **end}
        tell(self.on_notice, "session.closed", self._left)
        if self._writer and self._left["reason"] != "stopping":  # Then the daemon hangs up by itself.
            if any(call.sent and not call.repeatable for call in self._calls.values()):
                self._writer.write_eof()  # The daemon sends what it owes and hangs up.
                loop().call_later(1, self._writer.close)
            else:
                self._writer.close()

    def _notified(self, method: str, params: Json) -> None:
        binding = self.bindings.get(params.get("id", ""))
        if method == "viewModel.changed":
            return binding.apply(params) if binding else None
        if method == "session.closed":
            return self._leave(params)
        tell(self.on_notice, method, params)
        if method == "viewModel.closed":
            self._opened.pop(params["id"], None)
            if binding:
                binding.fail(Closed("the instance was closed"))


# Instances


@dataclass(eq=False)
class ViewModel:
    """An instance of a ViewModel type."""

    client: Client
    id: str

    async def _call(self, name: str, params: Json, errors: dict[str, type[ActionFailed]], **options: Any) -> Any:
        try:
            return await self.client.call(f"{self.id}.{name}", params, **options)
        except ActionFailed as error:
            raise errors.get(error.error, ActionFailed)(error.code, error.message, error.data) from None

    async def _read(self, read: Read[P], choice: Json) -> P:
        return read((await self.client.call("viewModel.read", choice))["values"])

    def _choice(self, outputs: tuple[str, ...], windows: Mapping[Any, range] | None) -> Json:
        parts = {name: window(rows) for name, rows in (windows or {}).items()}
        return {"id": self.id, "windows": parts, **({"outputs": outputs} if outputs else {})}

    async def _bind(
        self, read: Read[P], events: dict[str, Callable[..., E]], choice: Json, interval: float
    ) -> Binding[P, E]:
        binding: Binding[P, E] | None = self.client.bindings.get(self.id)
        choice["minInterval"] = round(interval * 1000)
        if binding:
            choice = united(binding.wanted, choice)
        else:
            binding = self.client.bindings[self.id] = Binding(self, read, events)
        await binding.bind(choice)
        return binding


def window(rows: range) -> Json:
    if rows.step != 1:
        raise ValueError(f"{rows} is no window, because its step is not 1")
    return {"offset": rows.start, "limit": len(rows)}


def united(one: Json, other: Json) -> Json:
    """The params of a binding for two. An interval of 0 is that of the other."""
    names = [*one["outputs"], *other["outputs"]] if "outputs" in one and "outputs" in other else None
    intervals = [each["minInterval"] for each in (one, other) if each["minInterval"]]
    return without_none({**one, "outputs": names and list(dict.fromkeys(names)),
        "windows": {**one["windows"], **other["windows"]}, "minInterval": min(intervals, default=0)})


class Callbacks(list[T]):
    """Runs `then` after an append."""

    then: Any

    def append(self, item: T, /) -> None:
        super().append(item)
        self.then()


class Binding(Generic[P, E]):
    """A live picture of an instance. Iterate over pictures, wait for one, or append callbacks to `on_change`.

    Events wait for `event()`, or for the first callback in `on_event`. `lost` counts dropped ones. `ended` is why no
    more pictures come. Another bind gives the same binding, with the outputs of both and the shorter interval above 0.
    """

    epoch, seq, lost = "", 0, 0
    ended: ViewModelError | None = None
    wanted: Json = {}
    _bound: Json = {}
    _raw: Json = {}

    def __init__(self, owner: ViewModel, read: Read[P], events: dict[str, Callable[..., E]]):
        self.owner, self.client, self._read, self._kinds = owner, owner.client, read, events
        self.picture = read({})
        self.on_change: list[Callback[P]] = []
        self.on_event: Callbacks[Callback[E]] = Callbacks()
        self.on_event.then = functools.partial(loop().call_soon_threadsafe, self._tell)
        self.fields: dict[str, Field[Any]] = {}
        self._events: deque[E] = deque(maxlen=1024)
        self._next: asyncio.Future[Any] = loop().create_future()  # The next picture, and its `_next`.

    async def bind(self, wanted: Json) -> None:
        if self.ended:
            raise self.ended
        self.wanted = wanted
        # The daemon may bind it for a cancelled caller, too.
        await within(self.client.time_limit, asyncio.shield(self._request(wanted)), "viewModel.bind")

    def resume(self) -> None:
        if self._bound:
            self._request(self._bound, since={"epoch": self.epoch, "seq": self.seq})

    def _request(self, wanted: Json, **since: Json) -> Call:
        call = self.client.send("viewModel.bind", {**wanted, **since}, repeatable=not since)
        call.resumes = bool(since)
        call.add_done_callback(lambda _: self._started(call, wanted))
        return call

    def _started(self, call: Call, wanted: Json) -> None:
        error = call.exception()
        if not error:
            reply = call.result()
            self._bound, self.epoch = wanted, reply["epoch"]
            self._raw = {} if reply["full"] else self._raw
            self.apply(reply)
        elif isinstance(error, (ShuttingDown, SessionEnded)) or not isinstance(error, RPCError):
            return  # It binds again.
        elif self._bound in ({}, wanted):
            self.fail(error)
        else:
            self.wanted = self._bound

    def apply(self, frame: Json) -> None:
        if self.ended:
            return
        try:
            self._raw = apply_patch({**self._raw, **frame.get("values", {})}, frame.get("patch", []))
        except UnexpectedValue:
            self._request(self.wanted)
            return
        self.seq = frame["seq"]
        if "values" in frame or "patch" in frame:
            self.picture = self._read(self._raw)
            tell(self.on_change, self.picture)
            for field in self.fields.values():
                field.follow()
        lost = frame.get("lost", 0)
        for event in frame.get("events", ()):
            if kind := self._kinds.get(event["output"]):
                lost += len(self._events) == self._events.maxlen
                self._events.append(kind(event["output"], event["value"]))
                self._tell()
        if lost:
            self.lost += lost
            tell(self.client.on_notice, "eventsLost", {"id": self.owner.id, "lost": lost})
        before, self._next = self._next, loop().create_future()
        before.set_result((self.picture, self._next))

    def _tell(self) -> None:
        while self.on_event and self._events:
            tell(self.on_event, self._events.popleft())

    def fail(self, cause: ViewModelError) -> None:
        if not self.ended:
            self.ended = cause
            self.client.bindings.pop(self.owner.id)
            self._next.set_exception(cause)
            self._next.exception()  # It may have no reader.

    async def __aiter__(self) -> AsyncIterator[P]:
        """Yields the picture, and after changes the newest one."""
        seen: P | None = None
        with suppress(Closed):
            while True:
                seen = await self.wait(lambda picture: picture is not seen)
                yield seen

    async def event(self) -> E:
        """Returns the next event since the bind, of the newest 1024."""
        while not self._events:
            await asyncio.shield(self._next)
        return self._events.popleft()

    async def wait(self, condition: Callback[P], timeout: float | None = None) -> P:
        """Returns the first picture that fits, of this one and all that follow."""
        async def find(picture: P = self.picture, coming: Any = self._next) -> P:
            while not condition(picture):
                picture, coming = await asyncio.shield(coming)
            return picture
        return await within(timeout, find(), "wait")

    async def scroll(self, output: str, rows: range) -> None:
        """Moves the window of a list."""
        windows = {**self.wanted["windows"], output: window(rows)}
        await self.bind({**self.wanted, "windows": windows})

    def field(self, name: str, read: Read[T], is_object: bool = False) -> Field[T]:
        return self.fields.setdefault(name, Field(self, name, read, is_object))

    async def close(self) -> None:
        """Ends the binding."""
        if not self.ended:
            self.fail(Closed("the binding was closed"))
            await self.client.call("viewModel.unbind", {"id": self.owner.id})
