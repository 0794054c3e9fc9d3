"""A PostgreSQL server on a machine of its own, which asks for a password over the network."""
import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from daemons import _die_with_parent
from network import Network
from postgres import PROGRAMS, Postgres, as_postgres
from wire import wait_until

USER, PASSWORD = "viewmodeld", "wool and water 5"
DISK = 1 << 30
"""The bytes of the disk of the server."""
ACCESS = "local all postgres trust\nlocal replication postgres trust\nhost all viewmodeld 10.99.0.0/24 scram-sha-256\n"
SETTINGS = {"shared_buffers": "16MB", "max_wal_size": "128MB", "min_wal_size": "32MB", "max_connections": 60,
            "password_encryption": "scram-sha-256", "log_line_prefix": "%m [%p] %a "}


class Database(Postgres):
    """The server on the machine. Each farm has a database of its own in it."""

    SUPERUSER = "postgres"

    def __init__(self, network: Network, machine="db"):
        self.network, self.machine, self.prefix = network, machine, network.prefix_of(machine)
        self.addresses = [network.addresses[machine]]
        # A disk in memory: other programs' writes would delay the server by seconds.
        self.folder = Path(tempfile.mkdtemp(prefix="farm-db-"))
        self.ballast = self.folder / "ballast"
        self.hanging: list[int] = []
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "farm-db", self.folder], check=True)
            self._make()
        except BaseException:
            self.remove()
            raise

    def _make(self):
        super().__init__(self.folder, ACCESS, listen_addresses=self.addresses[0], **SETTINGS)
        self.query(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")

    def restart(self, pause=0.0):
        self.stop()
        if pause:
            time.sleep(pause)
        self.start()

    def hang(self):
        """Stops all processes of the server, as a machine does that waits for its disk."""
        self.hanging = [self.process.pid, *map(int, subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split())]
        for pid in self.hanging:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

    def wake(self):
        for pid in self.hanging:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self.hanging = []

    def fill_disk(self):
        """Fills the disk, so that the server cannot add a page. It goes on with the log that it has allocated."""
        with open(self.ballast, "wb") as file, contextlib.suppress(OSError):
            for number in itertools.count():
                os.posix_fallocate(file.fileno(), number << 16, 1 << 16)

    def free_disk(self):
        """Frees the disk, and starts a server that has ended because of it."""
        self.ballast.unlink(missing_ok=True)
        if not self.is_alive:
            self.start()
        self.wait()

    def delay_commits(self, microseconds):
        """Lets each commit wait, as for a slow disk; no longer with None."""
        for name, value in [("commit_delay", microseconds), ("commit_siblings", 0), ("fsync", "on")]:
            self.query(f"ALTER SYSTEM RESET {name}" if microseconds is None else f"ALTER SYSTEM SET {name} = {value}")
        self.query("SELECT pg_reload_conf()")

    def create(self, name) -> str:
        """Makes an empty database, and returns its URL."""
        self.query(f'CREATE DATABASE "{name}" OWNER {USER}')
        return f"postgresql://{USER}@{','.join(self.addresses)}/{name}"

    def _psql(self, database) -> list[str]:
        where = ["-h", str(self.folder), "-U", self.SUPERUSER, "-d", database]
        return [str(PROGRAMS / "psql"), "-X", "-q", "-A", "-t", *where]

    def query(self, sql, database="postgres") -> list[list[str]]:
        """The rows of a query by the superuser, who does not use the network."""
        command = [*self._psql(database), "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", sql]
        result = subprocess.run(command, capture_output=True, text=True, cwd="/")
        assert result.returncode == 0, result.stderr
        return [line.split("\t") for line in result.stdout.splitlines()]

    def session(self, database, sql) -> subprocess.Popen:
        """A session of the superuser that has run this. Its transaction lasts until its input is closed."""
        process = subprocess.Popen(self._psql(database), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
                                   preexec_fn=_die_with_parent)
        process.stdin.write(f"{sql}\n\\echo ready\n")
        process.stdin.flush()
        while process.stdout.readline() not in ("ready\n", ""):
            pass
        return process

    def remove(self):
        self.wake()
        if self.is_alive:
            self.stop(signal.SIGINT)
        subprocess.run(["umount", "-q", "-l", self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class Standby(Database):
    """A server that has each commit of another one before its client hears of it."""

    def __init__(self, primary: Database, machine):
        self.primary = primary
        super().__init__(primary.network, machine)

    def _make(self):
        shutil.chown(self.folder, "postgres", "postgres")
        self.folder.chmod(0o755)
        self.data, self.log_file = self.folder / "data", self.folder / "log"
        options = ["-D", self.data, "-h", self.primary.folder, "-U", self.SUPERUSER, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
        subprocess.run(as_postgres(PROGRAMS / "pg_basebackup", *options), check=True, cwd="/")
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"listen_addresses = '{self.addresses[0]}'\nunix_socket_directories = '{self.folder}'\n")
        self.start()
        self.primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.query("SELECT pg_reload_conf()")
        wait_until(lambda: self.primary.query("SELECT sync_state FROM pg_stat_replication") == [["sync"]], "the standby")
        self.primary.addresses += self.addresses

    def promote(self):
        assert self.query("SELECT pg_promote()") == [["t"]]
