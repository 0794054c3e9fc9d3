"""A PostgreSQL server of the tests, on a Unix socket in a directory of its own."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from wire import wait_until

PROGRAMS = Path(os.environ.get("POSTGRES_PROGRAMS", "/usr/lib/postgresql/15/bin"))
IS_THERE = (PROGRAMS / "initdb").exists()


def _as_postgres(*command) -> list[str]:
    """PostgreSQL refuses to run as root."""
    prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] if os.geteuid() == 0 else []
    return [*prefix, *map(str, command)]


class Postgres:
    """A server with the user `viewmodeld`, who needs no password."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        initialise = _as_postgres(PROGRAMS / "initdb", "-D", self.data, "-U", "viewmodeld", "-A", "trust", "-E", "UTF8", "--no-sync")
        subprocess.run(initialise, check=True, stdout=subprocess.DEVNULL, cwd="/")
        options = {"listen_addresses": "''", "unix_socket_directories": f"'{self.folder}'", "fsync": "off", "shared_buffers": "8MB"}
        with open(self.data / "postgresql.conf", "a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in options.items())
        self.process: subprocess.Popen | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://viewmodeld@/postgres?host={self.folder}"

    def start(self):
        self.process = subprocess.Popen(_as_postgres(PROGRAMS / "postgres", "-D", self.data), stderr=subprocess.DEVNULL, cwd="/")
        ready = [str(PROGRAMS / "pg_isready"), "-q", "-h", str(self.folder)]
        wait_until(lambda: subprocess.run(ready).returncode == 0, "the database's first answer")

    def execute(self, sql: str):
        """Executes a statement as the user of the server."""
        command = [PROGRAMS / "psql", "-X", "-q", "-h", self.folder, "-U", "viewmodeld", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql]
        subprocess.run([str(each) for each in command], check=True)

    def stop(self):
        """Ends the server at once, as a crash does."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
