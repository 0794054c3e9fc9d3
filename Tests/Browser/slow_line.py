"""A slow line between a gateway and a daemon."""
from __future__ import annotations

import pathlib
import socket
import threading
import time


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
