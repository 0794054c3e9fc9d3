"""A PostgreSQL server on a machine of its own, which asks for a password over the network."""
from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from daemons import _die_with_parent
from network import Network
from postgres import PROGRAMS
from wire import wait_until

USER, PASSWORD = "viewmodeld", "wool and water 5"
DISK = 1 << 30
"""The bytes of the disk of the server."""
SETTINGS = {"fsync": "off", "shared_buffers": "16MB", "max_wal_size": "128MB", "min_wal_size": "32MB", "max_connections": 60, "password_encryption": "'scram-sha-256'", "log_line_prefix": "'%m [%p] %a '"}


def _as_postgres(*command) -> list[str]:
    """PostgreSQL refuses to run as root. It ends with the tests, also when they are killed."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=QUIT", "--", *map(str, command)]


class Database:
    """The server on the machine `db`. Each farm has a database of its own in it.

    A crash of the server's processes loses nothing that was written, so `fsync` may be off.
    """

    def __init__(self, network: Network):
        self.network = network
        # A disk of its own that a test can fill, in memory: other programs' writes would delay the server by seconds.
        self.folder = Path(tempfile.mkdtemp(prefix="farm-db-"))
        self.data = self.folder / "data"
        self.process: subprocess.Popen | None = None
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "farm-db", self.folder], check=True)
            shutil.chown(self.folder, "postgres", "postgres")
            self.folder.chmod(0o755)
            subprocess.run(_as_postgres(PROGRAMS / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"),
                           check=True, stdout=subprocess.DEVNULL, cwd="/")
            options = {**SETTINGS, "listen_addresses": f"'{network.addresses['db']}'", "unix_socket_directories": f"'{self.folder}'"}
            with open(self.data / "postgresql.conf", "a") as file:
                file.writelines(f"{name} = {value}\n" for name, value in options.items())
            (self.data / "pg_hba.conf").write_text("local all postgres trust\nhost all viewmodeld 10.99.0.0/24 scram-sha-256\n")
            self.start()
            self.query(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
        except BaseException:
            self.remove()
            raise

    def start(self):
        command = [*self.network.prefix_of("db"), *_as_postgres(PROGRAMS / "postgres", "-D", self.data)]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", preexec_fn=_die_with_parent)
        self.wait_ready()

    def wait_ready(self):
        ready = [str(PROGRAMS / "pg_isready"), "-q", "-h", str(self.folder)]
        wait_until(lambda: subprocess.run(ready).returncode == 0, "the database's first answer", 30)

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self, how=signal.SIGQUIT):
        """SIGQUIT ends the server at once, without a checkpoint. The next start recovers."""
        if self.is_alive:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def restart(self, pause=0.0):
        self.stop()
        if pause:
            time.sleep(pause)
        self.start()

    def create(self, name) -> str:
        """Makes an empty database, and returns its URL."""
        self.query(f'CREATE DATABASE "{name}" OWNER {USER}')
        return f"postgresql://{USER}@{self.network.addresses['db']}/{name}"

    def query(self, sql, database="postgres") -> list[list[str]]:
        """The rows of a query by the superuser, who does not use the network."""
        command = [str(PROGRAMS / "psql"), "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", "postgres", "-d", database, "-c", sql]
        result = subprocess.run(command, capture_output=True, text=True, cwd="/")
        assert result.returncode == 0, result.stderr
        return [line.split("\t") for line in result.stdout.splitlines()]

    def session(self, database, sql) -> subprocess.Popen:
        """A session of the superuser that has run this. Its transaction lasts until its input is closed."""
        command = [str(PROGRAMS / "psql"), "-X", "-q", "-A", "-t", "-h", str(self.folder), "-U", "postgres", "-d", database]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/", preexec_fn=_die_with_parent)
        process.stdin.write(f"{sql}\n\\echo ready\n")
        process.stdin.flush()
        while process.stdout.readline() not in ("ready\n", ""):
            pass
        return process

    @contextlib.contextmanager
    def full_disk(self):
        """Leaves no free byte on the disk of the server."""
        filling = self.folder / "filling"
        try:
            with open(filling, "wb", buffering=0) as file, contextlib.suppress(OSError):
                while True:
                    file.write(bytes(1 << 16))
            yield
        finally:
            filling.unlink()

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")

    def remove(self):
        if self.is_alive:
            self.stop(signal.SIGINT)
        subprocess.run(["umount", "-q", "-l", self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
