"""An Ethernet switch in user space, which connects network namespaces. Each port can be cut, slow or lossy.

The kernel's own `netem` is not part of every kernel, and a TAP device is. Run as a program, it reads one command a line
from standard input and confirms it with a line on standard output:

    {"port": "a", "cut": true}
    {"port": "a", "delay": 0.05, "jitter": 0.02, "loss": 0.05}
"""
import contextlib
import ctypes
import fcntl
import heapq
import json
import os
import random
import selectors
import struct
import sys
import time
from dataclasses import dataclass

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def enter_network(path: str):
    """Moves the calling thread into the network namespace."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _libc.setns(file, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {path}")
    finally:
        os.close(file)


def open_tap(device: str) -> int:
    """Makes a TAP device in the current network namespace. It lives as long as its descriptor."""
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH", device.encode(), IFF_TAP | IFF_NO_PI))
    return tap


@dataclass
class Port:
    tap: int
    cut: bool = False
    delay: float = 0
    jitter: float = 0
    loss: float = 0
    last: float = 0
    """The time at which the last delayed frame leaves. A line does not reorder frames."""


class Switch:
    """Forwards frames by their destination. A frame suffers at the port where it enters and at the port where it leaves."""

    def __init__(self, ports: dict[str, Port], seed=0):
        self.ports = ports
        self.known: dict[bytes, str] = {}
        self.waiting: list[tuple[float, int, str, bytes]] = []
        self.count = 0
        self.dice = random.Random(seed)

    def forward(self, name: str, frame: bytes):
        port = self.ports[name]
        self.known[frame[6:12]] = name
        if port.cut:
            return
        target = self.known.get(frame[:6])
        for other in [target] if target else [each for each in self.ports if each != name]:
            self._carry(port, other, frame)

    def _carry(self, source: Port, name: str, frame: bytes):
        target = self.ports[name]
        if target.cut or self.dice.random() < source.loss or self.dice.random() < target.loss:
            return
        delay = sum(port.delay + port.jitter * self.dice.random() for port in (source, target))
        if delay <= 0 and target.last <= time.monotonic():
            return self._write(name, frame)
        target.last = max(time.monotonic() + delay, target.last)
        self.count += 1
        heapq.heappush(self.waiting, (target.last, self.count, name, frame))

    def _write(self, name: str, frame: bytes):
        with contextlib.suppress(OSError):
            os.write(self.ports[name].tap, frame)

    def deliver(self) -> float | None:
        """Delivers the frames that are due, and returns the seconds until the next one."""
        while self.waiting:
            left = self.waiting[0][0] - time.monotonic()
            if left > 0:
                return left
            _, _, name, frame = heapq.heappop(self.waiting)
            if not self.ports[name].cut:
                self._write(name, frame)
        return None


def main(ports: list[str]):
    """Each argument is NAME=PATH: the name of a port, and its network namespace. The device there has the name `eth0`."""
    made = {}
    for argument in ports:
        name, path = argument.split("=", 1)
        enter_network(path)
        made[name] = Port(open_tap("eth0"))
    switch = Switch(made)
    selector = selectors.DefaultSelector()
    for name, port in made.items():
        selector.register(port.tap, selectors.EVENT_READ, name)
    os.set_blocking(0, False)
    selector.register(0, selectors.EVENT_READ, None)
    commands = b""
    print("ready", flush=True)
    while True:
        for key, _ in selector.select(switch.deliver()):
            if key.data is None:
                data = os.read(0, 65536)
                if not data:
                    return
                *lines, commands = (commands + data).split(b"\n")
                for line in lines:
                    change = json.loads(line)
                    port = made[change.pop("port")]
                    for member, value in change.items():
                        setattr(port, member, value)
                    print("done", flush=True)
                continue
            with contextlib.suppress(BlockingIOError):
                for _ in range(64):
                    switch.forward(key.data, os.read(key.fd, 65536))


if __name__ == "__main__":
    main(sys.argv[1:])
