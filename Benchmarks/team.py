"""Measures people in browsers: sign-ins, memory, questions to the provider, and what a restart costs when all come back.

VIEWMODELD=BIN/viewmodeld python3 team.py runs as root, with what Tests/BlackBox requires. Each person has a sign-in and a
WebSocket, attaches to a session and binds the calculator. A lost WebSocket connects again as that of the JavaScript
runtime. The provider is a fixed one; --latency is the time of its answers.
"""
from __future__ import annotations

import argparse
import asyncio
import base64
import collections
import json
import multiprocessing
import os
import pathlib
import random
import resource
import secrets
import socket
import struct
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Tests/PythonSupport"))
from daemons import Daemon  # noqa: E402
from gateways import CLOSE, PING, PONG, TEXT, frame, free_port  # noqa: E402
from openid import HOST, Key, OpenIDIssuer, TeamGateway  # noqa: E402

COOKIE = "__Host-viewmodel-person"


class Provider(asyncio.Protocol):
    """A connection to a provider whose codes and tokens name their person, so that it remembers nothing."""

    key = Key("ES256")
    url, latency = "", 0.0
    asked: list[float] = []
    under_way = most = 0

    def connection_made(self, transport):
        self.transport, self.received = transport, b""

    def data_received(self, data):
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        lower = head.lower()
        length = int(lower.split(b"content-length:")[1].split(b"\r\n")[0]) if b"content-length:" in lower else 0
        if end and len(body) >= length:
            self.received = b""
            kind = type(self)
            kind.under_way += 1
            kind.most = max(kind.most, kind.under_way)
            asyncio.get_running_loop().call_later(self.latency, self.answer, head.decode(), body.decode())

    def answer(self, head, body):
        type(self).under_way -= 1
        path = head.split(" ")[1]
        if path == "/token":
            person, nonce = dict(urllib.parse.parse_qsl(body))["code"].split(".")
            now = int(time.time())
            claims = {"iss": self.url, "sub": person, "aud": OpenIDIssuer.CLIENT, "iat": now, "exp": now + 300, "nonce": nonce}
            content = {"access_token": person, "token_type": "Bearer", "expires_in": 3600, "id_token": self.key.token(claims)}
        elif path == "/userinfo":
            self.asked.append(time.time())
            person = head.split("Bearer ")[1].split("\r\n")[0]
            content = {"sub": person, "name": f"Person {person}", "groups": ["staff"]}
        elif path == "/jwks":
            content = {"keys": [self.key.public]}
        elif path == "/asked":
            content = {"asked": self.asked, "most": self.most}
            type(self).asked, type(self).most = [], 0
        else:
            names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo", "jwks_uri": "jwks"}
            content = {"issuer": self.url, **{name: f"{self.url}/{end}" for name, end in names.items()}}
        text = json.dumps(content).encode()
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text))


def provide(port, latency):
    async def serve():
        Provider.url, Provider.latency = f"http://127.0.0.1:{port}", latency
        await (await asyncio.get_running_loop().create_server(Provider, "127.0.0.1", port, backlog=1024)).serve_forever()
    asyncio.run(serve())


def connected(path) -> socket.socket:
    """A connection as that of a proxy, which does not wait for a place in the queue."""
    made = socket.socket(socket.AF_UNIX)
    made.setblocking(False)
    try:
        made.connect(path)
    except OSError:
        made.close()
        raise
    return made


async def get(path, headers, *, address) -> tuple[int, dict, bytes]:
    """One request on a connection of its own."""
    connection = asyncio.open_connection(*address) if isinstance(address, tuple) else asyncio.open_unix_connection(sock=connected(address))
    reader, writer = await connection
    try:
        lines = [f"GET {path} HTTP/1.1", "Connection: close", *(f"{name}: {value}" for name, value in headers.items())]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
        head, *rows = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        fields = [row.split(": ", 1) for row in rows if row]
        # A browser sends the cookie of a sign-out only there.
        headers = {name.lower(): value for name, value in fields if "Max-Age=0" not in value and "Path=/sign-out" not in value}
        return int(head.split()[1]), headers, await reader.readexactly(int(headers["content-length"]))
    finally:
        writer.close()


class Browser(asyncio.Protocol):
    """A person's page with its WebSocket."""

    def __init__(self, crowd, number):
        self.crowd, self.number, self.cookie = crowd, number, ""
        self.delay = 0.0
        self.reset()

    def reset(self):
        self.received, self.is_open, self.is_ready, self.transport = b"", False, False, None

    async def sign_in(self):
        """Signs in; the provider's page costs nothing."""
        path = self.crowd.path
        status, headers, body = await get("/sign-in", {"Host": HOST}, address=path)
        assert status == 303, (status, body)
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(headers["location"]).query))
        answer = urllib.parse.urlencode({"code": f"{self.number}.{asked['nonce']}", "state": asked["state"]})
        cookie = {"Host": HOST, "Cookie": headers["set-cookie"].split(";")[0]}
        status, headers, body = await get(f"/signed-in?{answer}", cookie, address=path)
        assert status == 303 and headers["set-cookie"].startswith(COOKIE), (status, body)
        self.cookie = headers["set-cookie"].split(";")[0]

    async def begin(self):
        """Connects for the first time."""
        await self.connect()
        while not self.is_ready:
            await asyncio.sleep(0.01)

    async def connect(self):
        self.reset()
        try:
            await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=connected(self.crowd.path))
        except OSError as error:
            self.crowd.refused[type(error).__name__] += 1
            self.lost()

    def lost(self):
        """Connects again after the delay of the JavaScript runtime."""
        if self.crowd.is_over:
            return
        loop = asyncio.get_running_loop()
        loop.call_later(self.delay * (0.75 + random.random() / 2), lambda: loop.create_task(self.connect()))
        self.delay = min(self.delay * 2, 5)

    def connection_made(self, transport):
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /ws HTTP/1.1", f"Host: {HOST}", f"Origin: https://{HOST}", f"Cookie: {self.cookie}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Protocol: viewmodel.v1"]
        transport.write("\r\n".join(lines).encode() + b"\r\n\r\n")

    def connection_lost(self, error):
        self.crowd.ready -= self.is_ready
        if not self.is_open:
            self.crowd.refused[self.received[9:12].decode() or "closed"] += 1
        self.reset()
        self.lost()

    def data_received(self, data):
        data = self.received = self.received + data
        if not self.is_open:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end or not head.startswith(b"HTTP/1.1 101"):
                return
            self.is_open = True
            self.send(1, "session.attach", {"session": "desk", "client": {"name": "bench", "version": "1"}})
            self.send(2, "viewModel.bind", {"id": "calculator"})
        while len(data) >= 2:
            length, start = data[1], 2
            if length == 126 and len(data) >= 4:
                length, start = struct.unpack(">H", data[2:4])[0], 4
            if len(data) < start + length or length == 126 and start == 2:
                break
            opcode, payload, data = data[0] & 15, data[start:start + length], data[start + length:]
            if opcode == PING:
                self.transport.write(frame(PONG, payload))
            elif opcode == CLOSE:
                self.crowd.refused[f"close {struct.unpack('>H', payload[:2])[0]}"] += 1
                self.transport.close()
            elif opcode == TEXT:
                self.message(payload)
        self.received = data

    def message(self, text):
        now = time.perf_counter()
        if b'"error"' in text:
            self.crowd.refused[text.decode()[:160]] += 1
            self.transport.close()
        elif b"viewModel.changed" in text:
            self.crowd.frames.append(now)
        elif b'"id":2,' in text and not self.is_ready:
            self.is_ready, self.delay = True, 0.05
            self.crowd.ready += 1
            self.crowd.connected.append(now)

    def send(self, number, method, params):
        self.transport.write(frame(TEXT, json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})))


class Crowd:
    def __init__(self, count, path):
        self.path, self.is_over, self.ready = path, False, 0
        self.browsers = [Browser(self, number) for number in range(count)]
        self.refused: collections.Counter = collections.Counter()
        self.connected: list[float] = []
        self.frames: list[float] = []

    async def each(self, work, at_a_time):
        """Does the work for each browser; returns the seconds."""
        browsers, started = iter(self.browsers), time.perf_counter()

        async def some():
            for browser in browsers:
                await work(browser)
        await asyncio.gather(*(some() for _ in range(at_a_time)))
        return time.perf_counter() - started

    async def all_ready(self, what, patience=120):
        while self.ready < len(self.browsers):
            await asyncio.sleep(0.02)
            patience -= 0.02
            if patience < 0:
                sys.exit(f"{what}: {self.ready} of {len(self.browsers)} are connected; refused {dict(self.refused)}")

    async def comes_back(self, what, restart):
        """Restarts a program, and tells how the browsers come back after its first answer."""
        self.refused.clear()
        self.connected.clear()
        started = time.perf_counter()
        await asyncio.to_thread(restart)
        up = time.perf_counter()
        await self.all_ready(what)
        times = sorted(moment - up for moment in self.connected)
        half, most = times[len(times) // 2], times[len(times) * 99 // 100]
        print(f"restart of the {what}: {up - started:.1f} s, then half are back after {half:.1f} s, 99 % after {most:.1f} s, all after "
              f"{times[-1]:.1f} s, {len(times) / times[-1]:.0f}/s; refused before: {dict(self.refused)}", flush=True)


def memory(program) -> int:
    """The anonymous memory of a process in KiB."""
    lines = pathlib.Path(f"/proc/{program.process.pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous"))


def processor(program) -> float:
    fields = pathlib.Path(f"/proc/{program.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(count, seconds, port, daemon, gateway):
    crowd = Crowd(count, gateway.listen)
    programs = {"gateway": gateway, "daemon": daemon}

    async def asked():
        return json.loads((await get("/asked", {"Host": "localhost"}, address=("127.0.0.1", port)))[2])
    empty = {name: memory(program) for name, program in programs.items()}
    spent = await crowd.each(Browser.sign_in, 32)
    print(f"sign-ins: {count / spent:.0f}/s", flush=True)
    spent = await crowd.each(Browser.begin, 256)
    print(f"connections: {count / spent:.0f}/s, refused before: {dict(crowd.refused)}", flush=True)

    def tell_memory():
        for name, program in programs.items():
            full = memory(program)
            print(f"memory of the {name}: {full / 1024:.0f} MB, {(full - empty[name]) / count:.1f} KiB a browser", flush=True)
    tell_memory()
    for _ in range(3):
        crowd.frames.clear()
        started = time.perf_counter()
        for browser in crowd.browsers:
            browser.send(3, "calculator.press", {"value": "1"})
        while len(crowd.frames) < count:
            await asyncio.sleep(0.01)
        print(f"an input of each person at once: all have their frames after {crowd.frames[-1] - started:.2f} s", flush=True)
    await asked()
    busy = {name: processor(program) for name, program in programs.items()}
    await asyncio.sleep(seconds)
    answer = await asked()
    each = collections.Counter(int(moment) for moment in answer["asked"])
    per_second = [each[second] for second in range(int(time.time() - seconds) + 1, int(time.time()))] or [0]
    shares = ", ".join(f"{name} {100 * (processor(programs[name]) - busy[name]) / seconds:.0f} %" for name in programs)
    print(f"questions to the provider: {len(answer['asked']) / seconds:.0f}/s, in a second {min(per_second)} to {max(per_second)}, at a time "
          f"{answer['most']}; of a processor: {shares}", flush=True)
    assert crowd.ready == count, crowd.refused
    await crowd.comes_back("gateway", gateway.restart)
    tell_memory()
    await crowd.comes_back("daemon", lambda: (daemon.stop(60), daemon.start()))
    tell_memory()
    crowd.is_over = True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=90, help="for which the provider is watched")
    parser.add_argument("--latency", type=float, default=0.02, help="seconds of each answer of the provider")
    arguments = parser.parse_args()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    port = free_port()
    provider = multiprocessing.Process(target=provide, args=(port, arguments.latency), daemon=True)
    provider.start()
    daemon = Daemon({"access": [{"user": TeamGateway.USER, "scope": "delegate"}]}, lab=False, shared=True).start()
    gateway = TeamGateway(daemon, f"http://127.0.0.1:{port}", secrets.token_bytes(32))
    gateway.config["gateway"]["limits"] = {"connections": arguments.people + 50}
    try:
        gateway.start()
        os.nice(5)
        asyncio.run(measure(arguments.people, arguments.seconds, port, daemon, gateway))
    finally:
        warnings = collections.Counter(line.split(" ", 1)[-1] for line in (gateway.log + daemon.log).splitlines() if " warning " in line)
        print("warnings:", dict(warnings))
        gateway.discard()
        daemon.discard()
        provider.kill()


main()
