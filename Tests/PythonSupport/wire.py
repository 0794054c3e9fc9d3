"""A small synchronous client of the ViewModel protocol. It uses the standard library only."""
import contextlib
import json
import os
import select
import socket
import threading
import time
from collections import deque

PATIENCE = float(os.environ.get("BLACKBOX_TIMEOUT", "15"))
"""Seconds that a test waits for one message before it fails."""

UNSET = object()


class TooLate(AssertionError):
    """A message did not arrive in time."""


class HungUp(AssertionError):
    """The daemon closed the connection."""


class Refused(AssertionError):
    """A call was answered with an error."""

    def __init__(self, method, error):
        super().__init__(f"{method} was answered {json.dumps(error)[:600]}")
        self.error = error
        self.code = error["code"]
        self.data = error.get("data") or {}


_identity = threading.Lock()


@contextlib.contextmanager
def acting_as(uid):
    """Runs its body with another effective user and group, one thread at a time."""
    with _identity:
        if uid is None or uid == os.geteuid():
            yield
            return
        groups = os.getgroups()
        os.setgroups([])
        os.setegid(uid)
        os.seteuid(uid)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(0)
            os.setgroups(groups)


def connected(path, uid=None, *, receive_buffer=None) -> socket.socket:
    """A connected socket. SO_PEERCRED reports the user of the moment of `connect`."""
    made = socket.socket(socket.AF_UNIX)
    if receive_buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    try:
        with acting_as(uid):
            made.connect(str(path))
    except BaseException:
        made.close()
        raise
    made.settimeout(PATIENCE)
    return made


def end_of(patience) -> float:
    """The moment at which the patience of a wait ends; `PATIENCE` where it is None."""
    return time.monotonic() + (PATIENCE if patience is None else patience)


def pop_first(items: list, fits):
    """Takes the first item that fits, or returns None."""
    index = next((index for index, item in enumerate(items) if fits(item)), None)
    return None if index is None else items.pop(index)


def is_ready(end, events, seconds) -> int:
    """Waits for events of a socket. select(2) refuses descriptors from 1024 on."""
    poll = select.poll()
    poll.register(end, events)
    return next((found for _, found in poll.poll(max(0, seconds) * 1000)), 0)


class LineFraming:
    """One message a line."""

    def __init__(self):
        self.buffer = bytearray()

    @staticmethod
    def wrap(body: bytes) -> bytes:
        return body + b"\n"

    def feed(self, data: bytes) -> list[bytes]:
        self.buffer += data
        if b"\n" not in data:
            return []
        *lines, rest = bytes(self.buffer).split(b"\n")
        self.buffer = bytearray(rest)
        return lines


class HeaderFraming:
    """`Content-Length: N`, an empty line, N bytes."""

    def __init__(self):
        self.buffer = bytearray()

    @staticmethod
    def wrap(body: bytes) -> bytes:
        return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    def feed(self, data: bytes) -> list[bytes]:
        self.buffer += data
        bodies = []
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            header = bytes(self.buffer[:end]).decode("ascii")
            lengths = [line.partition(":")[2] for line in header.split("\r\n") if line.lower().startswith("content-length:")]
            assert len(lengths) == 1, f"the daemon's header block has one Content-Length: {header!r}"
            start, length = end + 4, int(lengths[0])
            if len(self.buffer) < start + length:
                break
            bodies.append(bytes(self.buffer[start:start + length]))
            del self.buffer[:start + length]
        return bodies


class Client:
    """One connection. Replies are found by id, notifications are kept in order of arrival."""

    def __init__(self, path, *, headers=False, uid=None, receive_buffer=None):
        self._begin(connected(path, uid, receive_buffer=receive_buffer), HeaderFraming() if headers else LineFraming())

    def _begin(self, connection, framing):
        self.socket, self.framing = connection, framing
        self.socket.setblocking(False)
        self.arrived: deque[bytes] = deque()
        """Complete messages that nobody has looked at."""
        self.answers: list = []
        """Replies, batches included, that no caller has taken."""
        self.notifications: list[dict] = []
        self.history: list = []
        """Each message in order of arrival."""
        self.transcript = bytearray()
        """Each byte that the daemon sent."""
        self.bound: set[str] = set()
        """Instances that a picture was bound to."""
        self.ended = False
        self.last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    # Bytes

    def send_bytes(self, data: bytes, *, patience=None):
        """Sends everything. It reads while it waits for room."""
        rest, end = memoryview(data), time.monotonic() + (patience or PATIENCE)
        while rest:
            events = select.POLLOUT | (0 if self.ended else select.POLLIN)
            ready = is_ready(self.socket, events, end - time.monotonic())
            if ready & select.POLLIN:
                self._read()
            if ready & ~select.POLLIN:
                with contextlib.suppress(BlockingIOError):
                    rest = rest[self.socket.send(rest):]
            if time.monotonic() > end:
                raise TooLate(f"{len(rest)} of {len(data)} bytes could not be sent")

    def send_text(self, text: str | bytes, **how):
        """Sends one message as written."""
        self.send_bytes(self.framing.wrap(text.encode() if isinstance(text, str) else text), **how)

    def send(self, message, **how):
        """Sends one JSON value."""
        self.send_text(json.dumps(message, ensure_ascii=False), **how)

    def _read(self):
        try:
            data = self.socket.recv(1 << 18)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            self.ended = True
            return
        self.transcript += data
        self.arrived.extend(self.framing.feed(data))

    def next_text(self, patience=None) -> bytes | None:
        """The next message as bytes, None at the end of the stream."""
        end = end_of(patience)
        while not self.arrived:
            if self.ended:
                return None
            if not is_ready(self.socket, select.POLLIN, end - time.monotonic()):
                raise TooLate("no message arrived in time")
            self._read()
        return self.arrived.popleft()

    def next(self, patience=None):
        """The next message, decoded and remembered in `history`."""
        text = self.next_text(patience)
        if text is None:
            raise HungUp("the daemon closed the connection")
        message = json.loads(text.decode("utf-8"))
        for part in message if isinstance(message, list) else [message]:
            assert part.get("jsonrpc") == "2.0", f"each message has jsonrpc 2.0: {text[:300]!r}"
            if "method" not in part:
                assert "id" in part and ("result" in part) != ("error" in part), f"not a reply: {text[:300]!r}"
        self.history.append(message)
        return message

    def ends(self, patience=None) -> bool:
        """Reads until the daemon closes the connection."""
        end = end_of(patience)
        try:
            while True:
                self._sort(self.next(max(0, end - time.monotonic())))
        except HungUp:
            return True

    # Requests

    def _sort(self, message):
        if isinstance(message, dict) and "method" in message:
            assert "id" not in message, f"the daemon sends no requests: {message}"
            self.notifications.append(message)
        else:
            self.answers.append(message)

    def read_until(self, find, patience=None, what="a message"):
        """Reads messages until `find` returns something, and returns that."""
        end = end_of(patience)
        while (found := find()) is None:
            try:
                self._sort(self.next(max(0, end - time.monotonic())))
            except TooLate:
                raise TooLate(f"{what} did not arrive; the last messages: {str(self.history[-3:])[:800]}") from None
        return found

    def _take(self, fits, patience, what):
        return self.read_until(lambda: pop_first(self.answers, fits), patience, what)

    def answer(self, patience=None):
        """The next message that is not a notification."""
        return self._take(lambda _: True, patience, "an answer")

    def reply(self, id, patience=None) -> dict:
        """The whole reply to the request with this id."""
        def fits(answer):
            return isinstance(answer, dict) and type(answer["id"]) is type(id) and answer["id"] == id
        return self._take(fits, patience, f"the reply to request {id!r}")

    def request(self, method, params=UNSET, id=UNSET):
        """Sends a request and returns its id."""
        if id is UNSET:
            self.last_id += 1
            id = self.last_id
        self.send(request(method, params, id))
        return id

    def notify(self, method, params=UNSET):
        self.send(request(method, params))

    def call(self, method, params=UNSET, patience=None):
        """The result of a call. An error raises `Refused`."""
        reply = self.reply(self.request(method, params), patience)
        if "error" in reply:
            raise Refused(method, reply["error"])
        return reply["result"]

    def refused(self, method, params=UNSET, code=None, patience=None) -> dict:
        """The error of a call that must fail."""
        reply = self.reply(self.request(method, params), patience)
        assert "error" in reply, f"{method} {params} must fail; its result is {str(reply['result'])[:300]}"
        error = reply["error"]
        assert code is None or error["code"] == code, f"{method} must fail with {code}: {error}"
        return error

    def fails(self, method, params=UNSET, name=None, patience=None) -> dict:
        """The data of an action that must fail with -32000 and this name."""
        data = self.refused(method, params, -32000, patience)["data"]
        assert name is None or data["error"] == name, f"{method} must fail with {name}: {data}"
        return data

    def ask(self, method, params=UNSET, patience=None) -> dict:
        """The whole reply of a call, result or error."""
        return self.reply(self.request(method, params), patience)

    def batch(self, *entries):
        """Sends a batch and returns its answer."""
        self.send(list(entries))
        return self.answer()

    def cancel(self, id):
        self.notify("$/cancelRequest", {"id": id})

    def attach(self, session, **params):
        return self.call("session.attach", {"session": session, **params})

    def values(self, instance, *outputs):
        """The current values of an instance."""
        params = {"id": instance}
        if outputs:
            params["outputs"] = list(outputs)
        return self.call("viewModel.read", params)["values"]

    def value(self, instance, output):
        return self.values(instance, output)[output]

    def notification(self, method, where=lambda params: True, patience=None) -> dict:
        """Takes the params of the first notification that fits."""
        def fits(message):
            return message["method"] == method and where(message["params"])
        return self.read_until(lambda: pop_first(self.notifications, fits), patience, method)["params"]

    def round_trip(self):
        """Returns when everything that the daemon queued before has been read."""
        self.call("viewModel.list")

    def is_silent(self):
        """Checks that the daemon answers a probe next, and nothing else before it."""
        self.send({"jsonrpc": "2.0", "id": "probe", "method": "viewModel.list"})
        answer = self.answer()
        assert isinstance(answer, dict) and answer["id"] == "probe", f"no answer was due, {answer} arrived"
        return True

    def drain(self, seconds):
        """Reads for this many seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                self._sort(self.next(left))
            except TooLate:
                return


def request(method, params=UNSET, id=UNSET) -> dict:
    """An envelope."""
    members = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return {name: value for name, value in members.items() if value is not UNSET}


def wait_until(condition, what="the condition", patience=None, pause=0.02):
    """Polls until the condition is true and returns its value."""
    end = end_of(patience)
    while not (value := condition()):
        if time.monotonic() > end:
            raise TooLate(f"{what} did not come true in time")
        time.sleep(pause)
    return value
