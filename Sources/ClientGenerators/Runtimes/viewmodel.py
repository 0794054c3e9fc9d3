from __future__ import annotations

import asyncio
import base64
import errno
import functools
import heapq
import itertools
import json
import os
import random
import re
import select
import socket as sockets
import stat
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, ClassVar, Coroutine, Generator, Generic
from typing import Literal, Mapping, TypeVar, cast
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
Cancel = Callable[[], None]
loop = asyncio.get_running_loop
now = time.monotonic

# Errors


class ViewModelError(Exception):
    """The base of the errors."""


class OutcomeUnknown(ViewModelError):
    """The connection was lost before the reply, and the call may have run."""


class TimedOut(ViewModelError, TimeoutError):
    """The time limit has passed."""


class Closed(ViewModelError):
    """The client, the binding or its instance is closed."""


class NotConnected(ViewModelError):
    """The client is offline, and nothing was sent."""


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
    """An error reply, with a subclass for each code. Its string has the `message` and the data.

    `incident` is the id of a fault in the daemon's log.
    """

    code = 0

    def __init__(self, code: int, message: str, data: Any = None):
        self.code, self.message = code, message
        self.data: Json = data or {}
        known = self.data
        if code == -32000:  # Its message is for people, if the author has written one.
            known = {"error": known.get("error")} if message == "The action failed" else {}
        listed = {name: ", ".join(map(str, cast(list[object], part))) if isinstance(part, list) else part
            for name, part in known.items()}
        details = ", ".join(f"{name} {part}" for name, part in listed.items() if part not in ("", None))
        super().__init__(f"{message}: {details}" if details else message)
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


async def within(limit: float | None, work: Awaitable[T], what: str) -> T:
    try:
        return await asyncio.wait_for(work, limit)
    except asyncio.TimeoutError:
        raise TimedOut(f"{what}: nothing within {limit} s") from None


def until(subscribe: Callable[[Callable[..., None]], object]) -> asyncio.Future[None]:
    """A future that ends when the callback is called that `subscribe` gets."""
    future: asyncio.Future[None] = loop().create_future()

    def end(*_: object) -> None:
        if not future.done():
            future.set_result(None)
    subscribe(end)
    return future


def line(**parts: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **parts}, default=plain, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def failure(code: int, message: str, data: Any = None) -> RPCError:
    return {kind.code: kind for kind in RPCError.__subclasses__()}.get(code, RPCError)(code, message, data)


class Call:
    """A request and its outcome."""

    is_done = False
    result: Any = None
    error: Exception | None = None
    resumes = False  # Whether each new connection sends another one.
    sent = 0.0  # When it was sent first.
    repeated = False  # Whether an earlier connection may have run it.
    at_once = False  # Whether it must not wait for another connection.

    def __init__(self, client: Client, number: int, line: bytes, key: str | None, repeatable: bool):
        self.client, self.number, self.line, self.key, self.repeatable = client, number, line, key, repeatable
        self._then: list[Callback[Call]] = []

    def then(self, callback: Callback[Call]) -> None:
        if self.is_done:
            callback(self)
        else:
            self._then.append(callback)

    def end(self, result: Any = None, error: Exception | None = None) -> None:
        if not self.is_done:
            self.is_done, self.result, self.error = True, result, error
            self.client.ended(self)
            for callback in self._then:
                callback(self)

    def fail(self, error: Exception) -> None:
        self.end(error=error)

    def cancel(self, error: Exception) -> None:
        if not self.is_done:
            self.client.notify("$/cancelRequest", {"id": self.number})
            self.fail(error)

    def __await__(self) -> Generator[Any, Any, Any]:
        if self.client.is_running:
            yield self
        elif not self.is_done:
            yield from until(self.then)
        if self.error:
            raise self.error
        return self.result


class Client:
    """A session of the daemon. When the connection breaks, the client connects again and resumes its bindings.

    Callbacks in `on_state` get each `connection_state`, those in `on_message` each message, those in `on_notice`
    `session.closed`, `viewModel.closed` or `eventsLost`, and its params.
    """

    contract = ""
    daemon_name = "viewmodeld"
    instances: ClassVar[Mapping[str, str]] = {}  # The attributes by the ids of the default instances.
    connection_state: ConnectionState = "connecting"
    contract_changed = False
    problem: Exception | None = None
    features: frozenset[str] = frozenset()
    is_running = False  # Whether `run` starts a call.
    _last_id = _silence = _busy = 0
    _longest = 1 << 60
    _driver: LoopDriver | ThreadDriver | None = None
    _line: sockets.socket | None = None
    _attached = _finishing = False
    _ended: ViewModelError | None = None
    _left: Json = {}  # What ended the session of this connection.
    _began = 0.0

    def __init__(
        self, session: str | None = None, *, socket: str | None = None, linger: int | None = None,
        time_limit: float = 10, backoff: tuple[float, float] = (0.05, 5), move: bool = False, silence: float = 8,
        dispatch: Callable[[Callable[[], None]], object] | None = None,
    ):
        """A session, by default with a random name. Times are in seconds.

        `time_limit` is for all but actions, `backoff` the delay before connecting. `move` takes it from clients
        elsewhere. After `silence` the client asks for a sign of life, and after three times as much it connects again.
        `dispatch` runs a call on the program's thread, for a program without asyncio.
        """
        runtime = "/run" if os.geteuid() == 0 else os.getenv("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
        default = os.getenv("VIEWMODELD_SOCKET") or f"{runtime}/{self.daemon_name}/{self.daemon_name}.sock"
        self.socket, self.session, self.linger, self.epoch = socket or default, session, linger, ""
        self.time_limit, self.backoff, self.move, self.silence = time_limit, backoff, move, silence
        self.dispatch, self._delay = dispatch, backoff[0]
        self.on_state: list[Callback[ConnectionState]] = []
        self.on_notice: list[Callable[[str, Json], object]] = []
        self.on_message: list[Callback[Json]] = []
        self.bindings: dict[tuple[str, str], Binding[Any, Any]] = {}  # By instance and tag.
        self.unsent: dict[Field[Any], None] = {}
        self.lists: list[RowList[Any]] = []
        self._watchers: list[Callback[str]] = []
        self._gone: list[Callable[[], object]] = []
        self._opened: dict[str, Json] = {}
        self._calls: dict[int, Call] = {}
        self._work: dict[str, tuple[float, Callable[[], object]]] = {}
        self._times: list[tuple[float, str]] = []
        self._news: deque[tuple[list[Any], Any, tuple[Any, ...]]] = deque()
        self._out, self._parts = bytearray(), list[bytes]()
        self._inbox: deque[bytes] = deque()

    # The life of the client

    async def __aenter__(self: T) -> T:
        await cast(Client, self).connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def connect(self) -> None:
        """Connects and attaches. Only the first attempt can fail."""
        self.start()
        try:
            if self.state == "offline" and not self.problem:
                await until(self._watchers.append)
            if cause := self._ended or self.problem:
                raise cause
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Closes the connection. The session stays while it lingers."""
        self.stop()
        if self._line:
            await until(self._gone.append)

    def start(self) -> None:
        """Connects, now or later, and does not wait for it."""
        if self._ended or self._driver:
            return
        if self.dispatch:
            self._driver = ThreadDriver(self, self.dispatch)
        else:
            with suppress(RuntimeError):
                self._driver = LoopDriver(self)
        if self._began:
            self._changed()
        else:
            self._connect()

    def stop(self) -> None:
        """Closes the connection and does not wait for it. The session stays while it lingers."""
        self._end(Closed("the client is closed"))
        self._finish()

    @property
    def state(self) -> Literal["offline", "connected", "closed"]:
        """Is `offline` before the first connection, too."""
        state = self.connection_state
        return state if state == "closed" or state == "connected" and not self._left else "offline"

    def watch(self, callback: Callback[str]) -> Cancel:
        """Calls back with the state, now and when it or the `problem` changes. The result ends it."""
        return self.subscribe(self._watchers, callback, self.state)

    def instance(self, kind: Callable[[Client, str], T], id: str) -> T:
        """Returns an instance of a class of ViewModels."""
        return kind(self, id)

    # The core has no thread and does not wait

    def fileno(self) -> int:
        """The socket for a loop of the program's own, or -1. The loop calls `pump()`."""
        return self._line.fileno() if self._line else -1

    def deadline(self) -> float | None:
        """When `tick` has work, as `time.monotonic()`."""
        while self._times:
            due, name = self._times[0]
            if name in self._work and self._work[name][0] == due:
                return due
            heapq.heappop(self._times)
        return None

    def tick(self) -> None:
        """Does what is due."""
        while (due := self.deadline()) is not None and due <= now():
            self.guarded(self._work.pop(self._times[0][1])[1])
        self._changed()

    def outgoing(self) -> bytes:
        """Returns the bytes for the daemon, once."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def feed(self, data: bytes) -> None:
        """Handles bytes of the daemon. No bytes are the end of the connection."""
        self.take(data)
        while self._inbox:
            self.step()

    def pump(self) -> None:
        """Reads, does what is due and writes, and does not wait."""
        if (data := self.received()) is not None:
            self.feed(data)
        self.tick()
        self.flush()

    def received(self) -> bytes | None:
        """Returns what has arrived, and None for nothing."""
        try:
            return self._line.recv(1 << 18) if self._line else None
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def flush(self) -> None:
        """Writes what the socket has room for."""
        if self._line and self._out:
            try:
                del self._out[: self._line.send(self._out)]
            except BlockingIOError:
                pass
            except OSError:  # What the daemon wrote can be read.
                self._out.clear()
        if self._line and self._finishing and not self._out:
            self._finishing = False
            with suppress(OSError):
                self._line.shutdown(sockets.SHUT_WR)  # The daemon sends what it owes and hangs up.

    @property
    def has_ended(self) -> bool:
        return self._ended is not None

    @property
    def is_writing(self) -> bool:
        return bool(self._line and self._out)

    @property
    def has_messages(self) -> bool:
        return bool(self._inbox)

    def take(self, data: bytes) -> None:
        self._silence = 0
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._inbox.append(b"".join([*self._parts, end]))
            self._parts.clear()
        self._parts.append(rest)
        if not data:
            self._lose_line(Closed("the daemon hung up"))

    def step(self) -> bool:
        """Handles one message, and returns whether it was a reply."""
        self._busy += 1
        try:
            message = json.loads(self._inbox.popleft())
            self._received(message)
            return "id" in message
        except Exception as error:
            self._lose_line(error)
            return False
        finally:
            self._busy -= 1
            self._flush_news()

    def guarded(self, work: Callable[..., object], *news: Any) -> None:
        """Calls back, and then those that wait. An error goes to `sys.excepthook`."""
        try:
            self._call_back(work, *news)
        finally:
            self._flush_news()

    def _call_back(self, work: Callable[..., object], *news: Any) -> None:
        self._busy += 1  # A callback that tells something does not call the next one.
        try:
            work(*news)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)
        finally:
            self._busy -= 1

    def tell(self, callbacks: list[Any], *news: Any) -> None:
        """Calls back when the state is whole."""
        self._news.extend((callbacks, callback, news) for callback in callbacks)
        self._flush_news()

    def _flush_news(self) -> None:
        while self._news and not self._busy:
            callbacks, callback, news = self._news.popleft()
            if callback in callbacks:
                self._call_back(callback, *news)

    def subscribe(self, callbacks: list[Any], callback: Any, *news: Any) -> Cancel:
        """Adds a callback and calls it with `news`. The result removes it."""
        callbacks.append(callback)
        if news:
            self._news.append((callbacks, callback, news))
            self._flush_news()
        return lambda: callbacks.remove(callback) if callback in callbacks else None

    def after(self, name: str, seconds: float, work: Callable[[], object]) -> None:
        """Does work later, in place of the work of that name."""
        self._work[name] = due, _ = now() + seconds, work
        heapq.heappush(self._times, (due, name))
        self._changed()

    def _changed(self) -> None:
        if self._driver:
            self._driver.changed()

    def _write(self, data: bytes) -> None:
        self._out += data
        self._changed()

    # Calls

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
        call = self.send(method, params, meta.get("key"), is_protocol, time_limit)
        try:
            return await call
        finally:
            call.cancel(Closed("the caller has gone"))

    def notify(self, method: str, params: Json) -> None:
        """Sends a notification, which has no reply. Without a connection it is dropped."""
        if self._attached and not self._left and not self._ended:
            self._write(line(method=method, params=params))

    async def open(self, type: str, id: str | None = None, arguments: Any = None) -> str:
        """Opens an instance, in a new session again, or finds the one with this id. Returns its id."""
        id = id or f"py-{uuid4()}"
        params = without_none({"type": type, "id": id, "arguments": arguments})
        await self.call("viewModel.open", params)
        self._opened[id] = params
        return id

    def send(
        self, method: str, params: Json, key: str | None = None, repeatable: bool = False, limit: float | None = None
    ) -> Call:
        if self._ended:
            raise self._ended
        self._last_id += 1
        call = Call(self, self._last_id, line(id=self._last_id, method=method, params=params), key, repeatable)
        call.at_once = self.is_running
        self._calls[call.number] = call
        if limit is not None:
            late = TimedOut(f"{method}: nothing within {limit} s")
            self.after(f"call {call.number}", limit, lambda: call.cancel(late))
        self._send(call)
        return call

    def _send(self, call: Call) -> None:
        size = len(call.line) - 1
        if size > self._longest:
            call.fail(failure(-32001, f"The message has {size} bytes", {"limit": self._longest}))
        elif call.at_once and not call.sent and (self._left or not self._attached):
            call.fail(NotConnected("the session has ended"))
        elif self._attached and not self._left and not call.is_done:
            call.repeated = call.sent > 0
            call.sent = call.sent or now()
            self._write(call.line)

    def ended(self, call: Call) -> None:
        self._calls.pop(call.number)
        self._work.pop(f"call {call.number}", None)

    def _lose(self, memory: float = 540) -> None:
        """Fails the calls that must not run again. The daemon forgets a key after ten minutes."""
        for call in [*self._calls.values()]:
            if call.sent and not call.repeatable and not (call.key and now() - call.sent < memory):
                call.fail(OutcomeUnknown("the connection was lost"))

    def _end(self, cause: ViewModelError) -> None:
        self._ended = self._ended or cause
        self._work.pop("connect", None)
        self._turn("closed")
        self._lose()
        waiting: list[Call | Binding[Any, Any]] = [*self._calls.values(), *self.bindings.values()]
        for each in waiting:
            each.fail(cause)
        self._changed()

    def _turn(self, state: ConnectionState) -> None:
        if state != self.connection_state != "closed":
            self.connection_state = state
            self.tell(self.on_state, state)
            self.tell(self._watchers, self.state)

    # The connection

    def _connect(self) -> None:
        self._left, self._began = {}, now()
        self._inbox.clear()
        self._parts.clear()
        self._out.clear()
        try:
            self._line = opened(self.socket)
        except OSError as error:
            return self._lose_line(NoConnection(self.socket, self.daemon_name, error))
        params = without_none({"session": self.session, "linger": self.linger,
            "move": self.move and not self.epoch or None})
        late = TimedOut(f"session.attach: nothing within {self.time_limit} s")
        self.after("connect", self.time_limit, lambda: self._lose_line(late))
        self._write(line(id=0, method="session.attach", params=params))

    def _lose_line(self, problem: Exception) -> None:
        """Ends the connection, and connects again later."""
        self._drop()
        if self._left.get("reason") == "moved":
            self._end(SessionMoved(self._left.get("node", "another machine")))
        if self._ended:
            return
        self.problem = problem
        for binding in [*self.bindings.values()]:
            binding.rest()
        if self.connection_state == "connected":
            self._turn("reconnecting")
        else:
            self.tell(self._watchers, self.state)
        self._lose()
        first, longest = self.backoff
        self._delay = first if now() - self._began > longest else min(self._delay * 2, longest)
        self.after("connect", self._delay * random.uniform(0.5, 1), self._connect)

    def _drop(self) -> None:
        old, self._line, self._attached, self._finishing = self._line, None, False, False
        for name in ("connect", "beat", "finish"):
            self._work.pop(name, None)
        self._inbox.clear()
        self._changed()  # The driver forgets the socket before its number is free.
        if old:
            old.close()
            self.tell(self._gone)

    def _finish(self) -> None:
        """Ends the connection after the bytes for the daemon and its replies."""
        if self._line and "finish" not in self._work:
            self._finishing = True
            self.after("finish", 1, lambda: self._lose_line(Closed("the daemon did not hang up")))

    def _beat(self) -> None:
        """Ends a connection on which nothing comes, not even a sign of life."""
        self._silence = self._silence + 1 if self._calls or self.bindings else 0
        if self._silence == 2 and not self._left:
            self._write(line(id=-1, method="$/cancelRequest", params={"id": ""}))  # It answers null.
        if self._silence == 6:
            self._lose_line(Closed("the daemon is silent"))
        else:
            self.after("beat", self.silence / 2, self._beat)

    def _greeted(self, answer: Json) -> None:
        """Handles the reply to the attach."""
        if "error" in answer:
            raise failure(**answer["error"])
        reply, waiting = answer["result"], [*self._calls.values()]
        is_new = reply["epoch"] != self.epoch
        self.session, self.epoch = reply["session"], reply["epoch"]
        self.contract_changed = self.contract not in ("", reply.get("contract"))
        self.features = frozenset(reply.get("features") or ())
        limits: Json = reply.get("limits") or {}
        self._longest = limits.get("messageBytes", self._longest)
        self._work.pop("connect", None)
        self._attached, self.problem, self._silence = True, None, 0
        self._turn("connected")
        self.after("beat", self.silence / 2, self._beat)
        if is_new:
            self._lose(0)
            for params in self._opened.values():
                self.notify("viewModel.open", params)
        for rows in self.lists:
            rows.place()
        for binding in [*self.bindings.values()]:
            binding.resume()
        for call in waiting:
            self._send(call)

    def _received(self, message: Json) -> None:
        if not self._attached:
            return self._greeted(message)
        self.tell(self.on_message, message)
        if "method" in message:
            return self._notified(message["method"], message["params"])
        call = self._calls.get(message["id"] or 0)
        if message["id"] is None:  # A message that is too large has no id in its error.
            call = max(self._calls.values(), key=lambda call: len(call.line), default=None)
        error = failure(**message["error"]) if "error" in message else None
        refused = isinstance(error, SessionEnded) and not (call and call.resumes)
        if call and (refused or isinstance(error, ShuttingDown) and (call.key or call.repeatable)):
            call.sent *= call.repeated  # It did not run now, and the next connection sends it.
            if call.at_once and not call.sent:
                call.fail(NotConnected("the session has ended"))
        elif call and error:
            call.fail(error)
        elif call and self._left.get("reason", "stopping") == "stopping":
            call.end(message["result"])
        if error and isinstance(error, SessionEnded):
            self._leave(error.data)

    def _leave(self, end: Json) -> None:
        """Ends the connection of an ended session, and learns which calls were refused."""
        if self._left:
            return
        self._left = {"reason": "closed", **end}
        self.tell(self._watchers, self.state)
        self.tell(self.on_notice, "session.closed", self._left)
        if self._left["reason"] != "stopping":  # Then the daemon hangs up by itself.
            if any(call.sent and not call.repeatable for call in self._calls.values()):
                self._finish()
            else:
                self._lose_line(Closed("the session has ended"))

    def _notified(self, method: str, params: Json) -> None:
        id = params.get("id", "")
        if method == "viewModel.changed":
            if binding := self.bindings.get((id, params.get("tag", ""))):
                binding.apply(params)
            return
        if method == "session.closed":
            return self._leave(params)
        self.tell(self.on_notice, method, params)
        if method == "viewModel.closed":
            self._opened.pop(params["id"], None)
            for binding in [*self.bindings.values()]:
                if binding.owner.id == id:
                    binding.fail(Closed("the instance was closed"))


def opened(path: str) -> sockets.socket:
    line = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    try:
        line.setblocking(False)
        line.connect(path)
    except BaseException:
        line.close()
        raise
    return line
