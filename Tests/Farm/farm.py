"""A farm: three daemons and one PostgreSQL, each on a machine of its own."""
from __future__ import annotations

import base64
import glob
import itertools
import os
import signal
import subprocess
import time

from daemons import Daemon
from database import PASSWORD, Database
from network import Network
from wire import Client, wait_until

NODES = ["a", "b", "c"]
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
SPEED = float(os.environ.get("FARM_PATIENCE", "1"))
"""A factor for all time limits and for the lease, for daemons that are slowed down by a sanitizer."""

_numbers = itertools.count(1)


class Within:
    """Measures a block of code. On a calm machine it takes so many seconds, which is no assertion; ten times as long is a hang."""

    def __init__(self, seconds, what="this"):
        self.limit, self.what = 10 * seconds * SPEED, what

    def __enter__(self):
        self.start = time.monotonic()
        return self

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.start

    @property
    def left(self) -> float:
        return max(0.01, self.limit - self.elapsed)

    def __exit__(self, kind, *_):
        self.took = self.elapsed
        if kind is None:
            assert self.took <= self.limit, f"{self.what} hangs: {self.took:.2f} s"


class Node(Daemon):
    """A daemon on a machine of its own. Its socket is reachable from outside."""

    def __init__(self, farm: Farm, name: str, *, clock=False):
        super().__init__({"node": {"name": name}})
        self.farm, self.name = farm, name
        self.prefix = farm.network.prefix_of(name)
        self.clock = self.folder / "clock"
        self.has_clock = clock
        if clock:
            self.step_clock(0)
            # `env` loads the library first, and hands on what the library adds to the environment.
            self.prefix += ["env"]
            self.environment = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}

    def __repr__(self):
        return f"node {self.name}"

    def step_clock(self, seconds):
        """Sets the clock of this daemon, relative to the machine's."""
        new = self.clock.with_suffix(".new")
        new.write_text(f"{seconds:+g}\n")
        new.rename(self.clock)

    def resume(self):
        if self.is_alive:
            self.process.send_signal(signal.SIGCONT)

    def kill(self):
        pid = self.process.pid if self.process else None
        super().kill()
        if self.has_clock and pid:
            for left in glob.glob(f"/dev/shm/*faketime*_{pid}"):
                os.unlink(left)

    @property
    def is_healthy(self) -> bool:
        """Whether the daemon says that it reaches the database. It samples that once a second."""
        with Client(self.socket) as client:
            return client.value("daemon", "storage")["healthy"]


class Farm:
    """Three nodes with one key, and a database of their own in the server."""

    names, kind = NODES, Node

    def __init__(self, network: Network, database: Database, *, lease=round(3 * SPEED), clocks=()):
        self.network, self.server, self.lease = network, database, lease
        self.database = f"farm_{next(_numbers)}"
        url = database.create(self.database)
        self.locking: subprocess.Popen | None = None
        """The session that holds locks."""
        self.nodes: dict[str, Node] = {}
        for name in self.names:
            self.nodes[name] = node = self.kind(self, name, clock=name in clocks)
            key, password = node.folder / "shared.key", node.folder / "password"
            key.write_text(base64.b64encode(bytes(range(32))).decode())
            password.write_text(PASSWORD + "\n")
            for file in (key, password):
                file.chmod(0o600)
            node.config |= {"vault": {"keyFile": str(key)}, "store": {"url": url, "leaseSeconds": lease, "passwordFile": str(password)}}

    def __getitem__(self, name) -> Node:
        return self.nodes[name]

    def __iter__(self):
        return iter(self.nodes.values())

    def start(self):
        # The first one makes the tables.
        for node in self:
            node.start()
        return self

    def heal(self):
        """Makes all lines whole, and starts the database."""
        for name in self.network.addresses:
            self.network.heal(name)
        self.unlock()
        self.server.wake()
        self.server.free_disk()
        self.server.delay_commits(None)

    def lock(self, statement):
        """Locks rows or tables as another program would, until `unlock`."""
        self.locking = self.server.session(self.database, f"SET search_path = viewmodeld; BEGIN; {statement};")

    def unlock(self):
        if self.locking:
            self.locking.stdin.close()
            self.locking.wait()
        self.locking = None

    def repair(self):
        """Brings everything back to work: lines, the database, the daemons."""
        self.heal()
        for node in self:
            node.drop_clients()
            node.resume()
            if node.has_clock:
                node.step_clock(0)
            if not node.is_alive:
                node.start()
        wait_until(lambda: all(node.is_healthy for node in self), "healthy nodes", 30 * SPEED, pause=0.1)

    def query(self, sql) -> list[list[str]]:
        return self.server.query(f"SET search_path = viewmodeld; {sql}", self.database)

    def owner(self, session) -> str | None:
        """The name of the node that owns the session, as the database has it."""
        rows = self.query(f"SELECT n.name FROM session_owner o JOIN node n USING (boot) WHERE o.uid = 0 AND o.name = '{session}'")
        return rows[0][0] if rows else None

    def attached(self, session) -> int | None:
        """The number of clients that the owner has reported last."""
        rows = self.query(f"SELECT attached FROM session_report WHERE uid = 0 AND name = '{session}'")
        return int(rows[0][0]) if rows and rows[0][0] else None

    def discard(self):
        self.unlock()
        for node in self:
            node.discard()
        if self.server.is_alive:
            self.server.query(f'DROP DATABASE IF EXISTS "{self.database}" WITH (FORCE)')


def attach_within(node: Node, session, seconds, **params) -> tuple[Client, dict, float]:
    """Attaches a new client, and returns it with the answer and the seconds that it took."""
    client = node.connect()
    with Within(seconds, f"attaching to {session} on {node}") as time_taken:
        answer = client.call("session.attach", {"session": session, **params}, patience=time_taken.left + 2)
    return client, answer, time_taken.took


def leave(node: Node, client: Client, session):
    """Closes the client, and returns when the other nodes know that nobody is attached."""
    client.close()
    node.clients.remove(client)
    wait_until(lambda: node.farm.attached(session) == 0, f"no client at {session}", 5 * SPEED)
