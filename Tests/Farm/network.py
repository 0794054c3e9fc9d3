"""Network namespaces on one switch: each one is a machine with an address of its own. The machine's network is not touched."""
import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from daemons import _die_with_parent, _libc

NAMESPACES = Path("/run/netns")


def lacks() -> str | None:
    """What this machine lacks for network namespaces; None if it lacks nothing."""
    if os.geteuid() != 0:
        return "root: the tests make network namespaces"
    if not os.path.exists("/dev/net/tun"):
        return "/dev/net/tun"
    if missing := next((program for program in ("ip", "nsenter", "setpriv") if not shutil.which(program)), None):
        return missing
    probe = f"farm-probe-{os.getpid()}"
    try:
        _ip("netns", "add", probe)
        _ip("netns", "del", probe)
    except subprocess.CalledProcessError as error:
        return f"network namespaces ({error.stderr.strip()})"
    return None


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class Network:
    """Machines with the addresses 10.99.0.1, 10.99.0.2 and so on, in the order of their names."""

    def __init__(self, names: list[str]):
        self.prefix = f"farm-{os.getpid()}-"
        self.addresses = {name: f"10.99.0.{number}" for number, name in enumerate(names, 1)}
        self.process: subprocess.Popen | None = None
        # The namespaces of runs that were killed are removed.
        for path in NAMESPACES.glob("farm-[0-9]*-*"):
            if not os.path.exists(f"/proc/{path.name.split('-')[1]}"):
                subprocess.run(["ip", "netns", "del", path.name], capture_output=True)
        try:
            for name in names:
                _ip("netns", "add", self.prefix + name)
            ports = [f"{name}={NAMESPACES / (self.prefix + name)}" for name in names]
            self.process = subprocess.Popen([sys.executable, str(Path(__file__).with_name("switch.py")), *ports], text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=_die_with_parent)
            assert self.process.stdout.readline() == "ready\n", "the switch did not start"
            for name, address in self.addresses.items():
                for command in (["link", "set", "lo", "up"], ["addr", "add", f"{address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"]):
                    _ip("-n", self.prefix + name, *command)
        except BaseException:
            self.remove()
            raise

    def prefix_of(self, name) -> list[str]:
        """The beginning of a command that runs on the machine."""
        return ["nsenter", f"--net={NAMESPACES / (self.prefix + name)}", "--"]

    @contextlib.contextmanager
    def inside(self, name):
        """Moves the thread to the machine: the sockets that it makes, and the programs and threads that it starts."""
        with open("/proc/thread-self/ns/net") as own, open(NAMESPACES / (self.prefix + name)) as other:
            assert _libc.setns(other.fileno(), 0) == 0
            try:
                yield
            finally:
                assert _libc.setns(own.fileno(), 0) == 0

    def _command(self, name, **change):
        self.process.stdin.write(json.dumps({"port": name, **change}) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", "the switch has ended"

    def cut(self, name):
        """Drops every frame from and to the machine, without a word to either side."""
        self._command(name, cut=True)

    def heal(self, name):
        """Makes the machine's line whole, fast and without loss."""
        self._command(name, cut=False, delay=0, jitter=0, loss=0)

    def impair(self, name, *, delay=0.0, jitter=0.0, loss=0.0):
        """Delays frames of the machine in each direction, by seconds, and loses a part of them."""
        self._command(name, delay=delay, jitter=jitter, loss=loss)

    def remove(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None
        for name in self.addresses:
            subprocess.run(["ip", "netns", "del", self.prefix + name], capture_output=True)
