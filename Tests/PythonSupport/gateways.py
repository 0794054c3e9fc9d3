"""Starts the gateway under test before a daemon, and talks HTTP and WebSocket to it, byte by byte where a test needs that."""
from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import json
import os
import random
import shlex
import shutil
import socket
import struct
import tempfile
import time
from pathlib import Path

import pytest
from daemons import PROGRAM, REQUIRE_ALL, Daemon, Program, clean_environment
from wire import PATIENCE, connected, wait_until

_default = str(Path(PROGRAM[0]).with_name("viewmodel-gateway")) if PROGRAM else ""
GATEWAY = shlex.split(os.environ.get("VIEWMODEL_GATEWAY", _default))

needs_gateway = pytest.mark.skipif(not REQUIRE_ALL and not (GATEWAY and os.access(GATEWAY[0], os.X_OK)), reason="VIEWMODEL_GATEWAY names no program")
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Gateway(Program):
    """A gateway process in a folder of its own, on a free port."""

    def __init__(self, daemon: Daemon, config=None, *flags, listen="127.0.0.1:0"):
        self.folder = Path(tempfile.mkdtemp(prefix="viewmodel-gateway-"))
        self.runtime = self.folder / "run"
        self.log_file = self.folder / "log"
        self.daemon, self.flags, self.listen = daemon, flags, listen
        self.config = {"gateway": {"idleSeconds": 0, **(config or {})}}
        self.address = listen.rsplit(":", 1)[0] if listen.startswith("127.") else "127.0.0.1"
        self.port = None

    def command(self, *more) -> list[str]:
        file = self.folder / "viewmodeld.yaml"
        file.write_text(json.dumps(self.config))
        return [*self.prefix, *GATEWAY, "--config", str(file), "--socket", str(self.daemon.socket), "--listen", self.listen,
                "--runtime-directory", str(self.runtime), *self.flags, *more]

    def start(self):
        with open(self.log_file, "ab") as log:
            log.write(b"\nstart\n")
        self.spawn(self.command(), env=clean_environment(self.folder))
        wait_until(lambda: self._is_listening(), "the gateway's first answer", pause=0.01)
        if "/" not in self.listen:
            self.port = int(self.url("observe").split("//")[1].split("/")[0].rsplit(":", 1)[1])
            self.listen = self.host     # the same one after a restart
        return self

    def _is_listening(self):
        assert self.is_alive, f"the gateway ended with {self.process.returncode}: {self.last_words}"
        return "Listening" in self.log.rsplit("\nstart\n", 1)[-1]

    def restart(self):
        self.stop()
        return self.start()

    @property
    def token(self) -> str:
        return (self.runtime / "token").read_text().strip()

    @property
    def bearer(self) -> dict:
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def resident(self) -> int:
        """Bytes of resident memory that the process has written.

        The clean pages of its program belong to it alone only while no other gateway runs."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_Dirty"))

    @property
    def idle_descriptors(self) -> int:
        """The number of descriptors once earlier connections have closed."""
        last = 0
        while (count := self.descriptors) != last:
            last = count
            self.get("/")       # a gateway that stands still closes nothing
            time.sleep(0.3)
        return count

    @property
    def host(self) -> str:
        return f"{self.address}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def connect(self) -> socket.socket:
        return socket.create_connection((self.address, self.port), timeout=PATIENCE)

    def url(self, scope) -> str:
        """The address of the page with a one-time token."""
        control = connected(self.runtime / "viewmodel-gateway.sock")
        return self.request("POST", "/tokens", body={"scope": scope}, host="localhost", via=control).json["url"]

    def one_time_token(self, scope="observe") -> str:
        return self.url(scope).split("#token=")[1]

    def request(self, method, path, headers=None, body=None, *, host=None, via=None) -> Reply:
        """One request. A header with the value None is left out."""
        sent = {"Host": host or self.host, **(headers or {})}
        if body is not None:
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent = {"Content-Type": "application/json", "Content-Length": len(body), **sent}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items() if value is not None)]
        with via or self.connect() as connection:
            connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b""))
            return Reply(connection)

    def get(self, path, headers=None, **how) -> Reply:
        return self.request("GET", path, headers, **how)

    def rpc(self, message, path="/rpc", **headers) -> Reply:
        return self.request("POST", path, {**self.bearer, **headers}, message)

    def cookie(self, scope="observe") -> dict:
        """The header of a browser that has exchanged a one-time token."""
        reply = self.request("POST", "/session", {"Origin": self.origin}, {"token": self.one_time_token(scope)})
        assert reply.status == 200, reply
        return {"Cookie": reply.headers["set-cookie"].split(";")[0]}

    def raw(self, *pieces: bytes, half_close=False) -> bytes:
        """Sends bytes, and returns everything that comes until the connection ends. `{host}` and `{token}` are filled in."""
        with self.connect() as connection:
            received = b""
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for piece in pieces:
                    filled = piece.replace(b"{host}", self.host.encode())
                    connection.sendall(filled.replace(b"{token}", self.token.encode()) if b"{token}" in piece else filled)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
                while chunk := connection.recv(65536):
                    received += chunk
            return received

    def web_socket(self, scope="observe", *, headers=None, **how) -> WebSocket:
        return WebSocket(self, {**self.cookie(scope), "Origin": self.origin, **(headers or {})}, **how)

    def survived(self):
        """Checks that the process lives and serves a bystander."""
        assert self.is_alive, f"the gateway ended with {self.process.returncode}: {self.last_words}"
        assert self.rpc({"jsonrpc": "2.0", "id": 1, "method": "session.list"}).status == 200

    def discard(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port() -> int:
    """A port for a server. It is below those that the kernel hands out, so nobody gets it by chance meanwhile."""
    while True:
        port = random.randrange(20_000, 30_000)
        with contextlib.suppress(OSError):
            socket.create_server(("", port)).close()
            return port


class Reply(http.client.HTTPResponse):
    """A reply of HTTP."""

    def __init__(self, connection: socket.socket):
        super().__init__(connection)
        self.begin()
        self.body = self.read()

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:200]!r}"


class Stream:
    """A connection whose response goes on after its head."""

    def __init__(self, connection: socket.socket, request, headers: dict):
        self.socket = connection
        lines = [request, *(f"{name}: {value}" for name, value in headers.items())]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        self.response = http.client.HTTPResponse(self.socket)
        self.response.begin()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.response.close()
        self.socket.close()


class Events(Stream):
    """A stream of server-sent events."""

    def __init__(self, gateway: Gateway, query, **headers):
        super().__init__(gateway.connect(), f"GET /events?{query} HTTP/1.0", {"Host": gateway.host, **gateway.bearer, **headers})

    def __next__(self) -> tuple:
        """The kind of the next event, its id and its data."""
        fields = {}
        while line := self.response.readline().decode():
            if line == "\n" and "data" in fields:
                return fields.get("event"), fields.get("id"), json.loads(fields["data"])
            name, _, value = line.rstrip("\n").partition(":")
            fields[name] = value.removeprefix(" ")
        raise StopIteration


def frame(opcode, payload=b"", *, fin=True, mask=b"\x11\x22\x33\x44", rsv=0, length=None) -> bytes:
    """A frame of a client. `length` announces another one than the payload has; `mask` None leaves the mask out."""
    payload = payload.encode() if isinstance(payload, str) else payload
    count = len(payload) if length is None else length
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    bit = 0 if mask is None else 0x80
    if count < 126:
        head += bytes([bit | count])
    elif count < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", count)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", count)
    if mask is None:
        return head + payload
    return head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))


class Closed(Exception):
    """The gateway closed the WebSocket with a code, or without one (1006)."""

    def __init__(self, code):
        super().__init__(f"closed with {code}")
        self.code = code


class WebSocket(Stream):
    """A WebSocket connection that checks each frame of the gateway."""

    def __init__(self, gateway: Gateway, headers, *, receive_buffer=None, via=None):
        connection = via or socket.socket()
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(PATIENCE)
        if not via:
            connection.connect(("127.0.0.1", gateway.port))
        key = base64.b64encode(os.urandom(16)).decode()
        sent = {"Host": gateway.host, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": key, "Sec-WebSocket-Protocol": "viewmodel.v1", **headers}
        super().__init__(connection, "GET /ws HTTP/1.1", sent)
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        assert self.response.status == 101, self.response.status
        assert self.response.headers["Sec-WebSocket-Accept"] == accept
        assert self.response.headers["Sec-WebSocket-Protocol"] == "viewmodel.v1"

    def send_raw(self, data: bytes):
        self.socket.sendall(data)

    def send(self, message):
        self.send_raw(frame(TEXT, message if isinstance(message, (str, bytes)) else json.dumps(message)))

    def _read(self, count) -> bytes:
        """The next bytes. What follows the response is read from its buffer."""
        try:
            data = self.response.fp.read(count)
        except ConnectionResetError:
            data = b""
        if len(data) < count:
            raise Closed(1006)
        return data

    def next_frame(self):
        first, second = self._read(2)
        assert first & 0x70 == 0, "a reserved bit"
        assert second & 0x80 == 0, "a mask of a server"
        length = second & 0x7F
        if length == 126:
            length, = struct.unpack(">H", self._read(2))
        elif length == 127:
            length, = struct.unpack(">Q", self._read(8))
        return first & 15, bool(first & 0x80), self._read(length)

    def next_message(self):
        """The next text message, decoded. Control frames in between are skipped."""
        text = b""
        while True:
            opcode, fin, payload = self.next_frame()
            if opcode == CLOSE:
                raise Closed(struct.unpack(">H", payload[:2])[0] if payload else None)
            if opcode < 8:
                text += payload
                if fin:
                    return json.loads(text.decode("utf-8"))

    def next_control(self):
        while True:
            opcode, _, payload = self.next_frame()
            if opcode >= 8:
                return opcode, payload

    def call(self, method, params=None, identifier=1):
        self.send({"jsonrpc": "2.0", "id": identifier, "method": method, **({} if params is None else {"params": params})})
        while True:
            message = self.next_message()
            if isinstance(message, dict) and message.get("id") == identifier and "method" not in message:
                return message

    def closing(self):
        """The code with which the gateway closes; anything before it is skipped."""
        try:
            while True:
                self.next_message()
        except Closed as closed:
            return closed.code
