"""The programs of a browser test: a daemon, a gateway, and a slow line between them."""
from __future__ import annotations

import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import threading
import time

DAEMON = os.environ.get("VIEWMODELD", "")
GATEWAY = os.environ.get("VIEWMODEL_GATEWAY", "")
CTL = os.environ.get("VIEWMODELCTL", str(pathlib.Path(DAEMON).with_name("viewmodelctl")))
#: A directory of page files that replaces those in the program, for work on the page.
PAGE = os.environ.get("VIEWMODEL_PAGE", "")


def eventually(condition, what="the condition", seconds=15.0):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)


class Program:
    """A program that can be ended and started again."""

    def __init__(self, command: list[str], log: pathlib.Path):
        self.command, self.log, self.process = command, log, None

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(self.is_ready, f"{self.command[0]} listens: {self.log.read_text()}")
        return self

    def is_ready(self) -> bool:
        raise NotImplementedError

    def stop(self, number=signal.SIGTERM):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def restart(self, number=signal.SIGTERM):
        self.stop(number)
        self.start()


def listens(path: pathlib.Path) -> bool:
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.connect(str(path))
            return True
        except OSError:
            return False


def free_port() -> int:
    """A port that stays free: the kernel gives the ports of this range to nobody who does not ask for one."""
    while True:
        port = random.randrange(20000, 30000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class Daemon(Program):
    def __init__(self, folder: pathlib.Path, *options: str):
        self.socket = folder / "vm.sock"
        state = [] if "--mock" in options else ["--state-directory", str(folder / "state")]
        super().__init__([DAEMON, "--socket", str(self.socket), *state, *(options or ["--lab"])], folder / "daemon.log")

    def is_ready(self):
        return listens(self.socket)

    def ctl(self, *words: str, check=True) -> subprocess.CompletedProcess:
        return subprocess.run([CTL, "--socket", str(self.socket), *words], capture_output=True, text=True, timeout=60, check=check)


class Gateway(Program):
    def __init__(self, folder: pathlib.Path, daemon_socket: pathlib.Path):
        self.port = free_port()
        self.folder = folder / "gateway"
        page = ["--page", PAGE] if PAGE else []
        super().__init__([GATEWAY, "--socket", str(daemon_socket), "--listen", f"127.0.0.1:{self.port}", "--runtime-directory", str(self.folder), *page], folder / "gateway.log")

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def is_ready(self):
        return listens(self.folder / "viewmodel-gateway.sock")

    def token(self, scope="act") -> str:
        """A one-time token, as `viewmodelctl inspect` gets one."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(self.folder / "viewmodel-gateway.sock"))
        connection.request("POST", "/tokens", json.dumps({"scope": scope}), {"Content-Type": "application/json"})
        url = json.loads(connection.getresponse().read())["url"]
        connection.close()
        return url.split("#", 1)[1]


class SlowLine:
    """A Unix socket in front of the daemon's, on which each byte takes a time each way."""

    def __init__(self, folder: pathlib.Path, target: pathlib.Path, seconds: float):
        self.socket, self.target, self.seconds = folder / "slow.sock", target, seconds
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.socket))
        self.listener.listen(64)
        self.accepting = threading.Thread(target=self._accept, daemon=True)
        self.accepting.start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(str(self.target))
            for one, other in ((client, daemon), (daemon, client)):
                threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket):
        """Passes on each chunk when its time has come. A second thread writes, so that chunks overlap."""
        chunks: list[tuple[float, bytes]] = []
        changed = threading.Condition()

        def write():
            while True:
                with changed:
                    while not chunks:
                        changed.wait()
                    due, chunk = chunks.pop(0)
                time.sleep(max(0.0, due - time.monotonic()))
                try:
                    sink.sendall(chunk) if chunk else sink.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                if not chunk:
                    return

        threading.Thread(target=write, daemon=True).start()
        while True:
            try:
                chunk = source.recv(65536)
            except OSError:
                chunk = b""
            with changed:
                chunks.append((time.monotonic() + self.seconds, chunk))
                changed.notify()
            if not chunk:
                return

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # The thread leaves accept(2) before the descriptor gets another socket.
        self.accepting.join()
        self.listener.close()
